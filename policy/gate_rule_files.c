/* SPDX-License-Identifier: MIT */
/* Rules for files, permissions, rights and what runs later. Test: the case files, X200 to X242,
 * X500 on.
 */
#include "base/base.h"

#include "policy/gate.h"

static const struct gate_rule rows[] = {
	/* delete */
	{"GATEFILE_0001", "rm", "", "", "", GATE_FS_DELETE, 0, NULL},
	{"GATEFILE_0002", "rm", "", "--no-preserve-root", "", GATE_FS_DELETE, VERDICT_DENY,
	 "asks rm to take the root folder too"},
	{"GATEFILE_0003", "rmdir", "", "", "", GATE_FS_DELETE, 0, NULL},
	{"GATEFILE_0004", "unlink", "", "", "", GATE_FS_DELETE, 0, NULL},
	{"GATEFILE_0005", "shred", "", "", "", GATE_FS_DELETE, 0, "destroys files"},
	{"GATEFILE_0006", "trash", "", "", "", GATE_FS_DELETE, 0, NULL},
	{"GATEFILE_0007", "gio", "trash|remove", "", "", GATE_FS_DELETE, 0, NULL},
	{"GATEFILE_0008", "ps-remove", "", "", "", GATE_FS_DELETE, 0, NULL},
	{"GATEFILE_0009", "rsync", "",
	 "--delete|--delete-before|--delete-during|--delete-after|--delete-delay|--delete-excluded|"
	 "--del|--delete-missing-args|--remove-source-files",
	 "-n|--dry-run", GATE_FS_DELETE, 0, NULL},
	{"GATEFILE_0010", "find", "", "-delete", "", GATE_FS_DELETE, 0, NULL},
	{"GATEFILE_0011", "tar", "", "--remove-files", "", GATE_FS_DELETE, 0, NULL},
	{"GATEFILE_0012", "zip", "", "-m|--move", "", GATE_FS_DELETE, 0, NULL},
	{"GATEFILE_0013", "7z", "", "-sdel", "", GATE_FS_DELETE, 0, NULL},
	{"GATEFILE_0014", "7z", "d", "", "", GATE_FS_DELETE, 0, NULL},
	{"GATEFILE_0015", "mkfs", "", "", "-n", GATE_FS_DELETE, 0, "makes or wipes a file system"},
	{"GATEFILE_0016", "lvm", "", "", "", GATE_FS_DELETE, 0, "removes a volume"},
	{"GATEFILE_0017", "zfs", "destroy|rollback|labelclear", "", "-n", GATE_FS_DELETE, 0,
	 "destroys a file system"},
	{"GATEFILE_0018", "rclone", "delete|deletefile|purge|rmdir|rmdirs|cleanup|sync|move", "",
	 "-n|--dry-run", GATE_INFRA_DELETE, 0, NULL},
	/* truncate, overwrite */
	{"GATEFILE_0019", "truncate", "", "", "", GATE_FS_TRUNCATE, 0, NULL},
	{"GATEFILE_0020", "dd", "", "@dd-target", "", GATE_FS_TRUNCATE, 0,
	 "overwrites a file or device"},
	{"GATEFILE_0021", "cp", "", "1=/dev/null", "", GATE_FS_TRUNCATE, 0, NULL},
	{"GATEFILE_0022", "install", "", "1=/dev/null", "", GATE_FS_TRUNCATE, 0, NULL},
	{"GATEFILE_0023", "ln", "", "1=/dev/null", "", GATE_FS_TRUNCATE, 0, NULL},
	{"GATEFILE_0024", "mv", "", "@last-is-null", "", GATE_FS_TRUNCATE, 0,
	 "moves a file to nowhere"},
	{"GATEFILE_0025", "tee", "", "@stdin-is-null", "-a|--append", GATE_FS_TRUNCATE, 0, NULL},
	{"GATEFILE_0026", "sed", "", "@sed-empties", "", GATE_FS_TRUNCATE, 0, NULL},
	{"GATEFILE_0027", "mv", "", "@leaves-project", "", GATE_FS_TRUNCATE, 0,
	 "moves a file out of the project"},
	{"GATEFILE_0028", "fallocate", "", "-p|-c|-z|--punch-hole|--collapse-range|--zero-range",
	 "", GATE_FS_TRUNCATE, 0, NULL},
	/* permissions */
	{"GATEFILE_0029", "chmod", "", "@others-write", "", GATE_PERMISSIONS, 0,
	 "lets everyone write"},
	{"GATEFILE_0030", "chmod", "", "-R|--recursive @reaches-outside", "", GATE_PERMISSIONS, 0,
	 NULL},
	{"GATEFILE_0031", "chown", "", "-R|--recursive @reaches-outside", "", GATE_PERMISSIONS, 0,
	 NULL},
	{"GATEFILE_0032", "setfacl", "", "-R|--recursive|-b|-k|-m", "", GATE_PERMISSIONS, 0, NULL},
	{"GATEFILE_0033", "install", "", "@mode-option", "", GATE_PERMISSIONS, 0,
	 "lets everyone write"},
	{"GATEFILE_0034", "mkdir", "", "@mode-option", "", GATE_PERMISSIONS, 0,
	 "lets everyone write"},
	{"GATEFILE_0035", "umask", "", "@umask-open", "", GATE_PERMISSIONS, 0,
	 "lets everyone write to new files"},
	/* privilege */
	{"GATEFILE_0036", "chmod", "", "@set-id", "", GATE_PRIVILEGE, 0,
	 "makes a program run with its owner's rights"},
	{"GATEFILE_0037", "chown", "", "@owner-root", "", GATE_PRIVILEGE, 0,
	 "gives a file to root"},
	{"GATEFILE_0038", "setcap", "", "", "-v", GATE_PRIVILEGE, 0, NULL},
	{"GATEFILE_0039", "usermod", "", "", "", GATE_PRIVILEGE, 0, "changes accounts"},
	{"GATEFILE_0040", "userdel", "", "", "", GATE_PRIVILEGE, 0, "deletes accounts"},
	{"GATEFILE_0041", "insmod", "", "", "-n|--dry-run|--show-depends", GATE_PRIVILEGE, 0,
	 "changes the kernel"},
	{"GATEFILE_0042", "mount", "", "n>=1", "", GATE_PRIVILEGE, 0, "mounts or unmounts"},
	{"GATEFILE_0043", "reboot", "", "", "-c", GATE_PRIVILEGE, 0, "stops the machine"},
	{"GATEFILE_0044", "visudo", "", "", "-c", GATE_PRIVILEGE, 0, NULL},
	{"GATEFILE_0045", "docker", "run|create",
	 "--privileged|@mounts-root|--pid=host|--userns=host|--cap-add=all|--cap-add=sys_admin|--"
	 "device=*|--security-opt=*unconfined*",
	 "", GATE_PRIVILEGE, 0, "starts a container that reaches the host"},
	{"GATEFILE_0046", "docker", "container run|create",
	 "--privileged|@mounts-root|--pid=host|--userns=host|--cap-add=all|--cap-add=sys_admin", "",
	 GATE_PRIVILEGE, 0, "starts a container that reaches the host"},
	{"GATEFILE_0047", "docker-compose", "run|exec", "--privileged|@mounts-root", "",
	 GATE_PRIVILEGE, 0, NULL},
	{"GATEFILE_0048", "security", "delete-keychain|delete-certificate|add-trusted-cert", "", "",
	 GATE_PRIVILEGE, 0, NULL},
	/* what runs later */
	{"GATEFILE_0049", "crontab", "", "!-l", "", GATE_PERSISTENCE, 0, NULL},
	{"GATEFILE_0050", "at", "", "!-l", "-V|-q", GATE_PERSISTENCE, 0, NULL},
	{"GATEFILE_0051", "atrm", "", "", "", GATE_PERSISTENCE, 0, NULL},
	{"GATEFILE_0052", "launchctl", "", "", "", GATE_PERSISTENCE, 0, NULL},
	{"GATEFILE_0053", "systemctl",
	 "enable|reenable|link|mask|unmask|edit|set-default|add-wants|disable|preset|set-"
	 "environment|import-environment",
	 "", "", GATE_PERSISTENCE, 0, NULL},
	{"GATEFILE_0054", "systemctl",
	 "start|stop|restart|reload|kill|isolate|poweroff|reboot|halt|daemon-reload", "", "",
	 GATE_PRIVILEGE, 0, "starts or stops services"},
	{"GATEFILE_0055", "defaults", "delete", "", "", GATE_FS_DELETE, 0, "deletes settings"},
	{"GATEFILE_0056", "defaults", "write", "", "", GATE_PERSISTENCE, 0,
	 "changes settings of the system"},
	{"GATEFILE_0057", "setx", "", "", "", GATE_PERSISTENCE, 0, NULL},
	{"GATEFILE_0058", "pwsh", "", "-EncodedCommand|-enc|-ec", "", GATE_PIPE_TO_SHELL, 0,
	 "runs text that nobody can read"},
	/* the shell's own */
	{"GATEFILE_0059", "enable", "", "-f", "", GATE_ENV_EXEC, 0, "loads code into the shell"},
	{"GATEFILE_0060", "hash", "", "-p", "", GATE_ENV_EXEC, 0, "changes which file a name runs"},
	{"GATEFILE_0061", "nc", "", "-e|-c|--exec|--sh-exec", "", GATE_PIPE_TO_SHELL, 0,
	 "connects a program to the network"},
	{"GATEFILE_0062", "nc", "", "=*exec:*|=*system:*|=*EXEC:*|=*SYSTEM:*|=*SHELL:*", "",
	 GATE_PIPE_TO_SHELL, 0, "connects a program to the network"},
};

const struct gate_rule *gate_rule_files(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(rows);
	return rows;
}
