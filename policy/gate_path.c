/* SPDX-License-Identifier: MIT */
/* Files that guard the session or run by themselves, and which operands of which program are
 * written (file 40, sections 12.9 and 12.12). Comparison folds case. Test: gate-dangerous.cases
 * group J, gate-dangerous-more.cases X030 to X057. */
#include "base/base.h"

#include "base/pathstr.h"
#include "policy/gate.h"

static const struct gate_path rows[] = {
	{"GATEPATH_0001", ".claude/settings*.json", false, GATE_TAMPER, 0,
	 "settings of Claude Code"},
	{"GATEPATH_0002", ".claude/hooks", true, GATE_TAMPER, 0, "hooks of Claude Code"},
	{"GATEPATH_0003", ".claude/managed-settings*", true, GATE_TAMPER, 0,
	 "settings of Claude Code"},
	{"GATEPATH_0004", "~/.claude.json", false, GATE_TAMPER, 0, "settings of Claude Code"},
	{"GATEPATH_0005", "~/.claude/plugins", true, GATE_TAMPER, 0, "plugins of Claude Code"},
	{"GATEPATH_0006", ".codex", true, GATE_TAMPER, 0, "settings of Codex"},
	{"GATEPATH_0007", ".agentteams", true, GATE_TAMPER, 0, "the team's control files"},
	{"GATEPATH_0008", "~/.config/agentteams", true, GATE_TAMPER, 0, "the operator's files"},
	{"GATEPATH_0009", "~/.local/share/agentteams", true, GATE_TAMPER, 0, "the runner's state"},
	{"GATEPATH_0010", "~/.local/state/agentteams", true, GATE_TAMPER, 0, "the runner's state"},
	{"GATEPATH_0011", ".git/hooks", true, GATE_TAMPER, 0, "git's hooks"},
	{"GATEPATH_0012", ".git/config", false, GATE_TAMPER, 0, "git's configuration"},
	{"GATEPATH_0013", ".git/config.worktree", false, GATE_TAMPER, 0, "git's configuration"},
	{"GATEPATH_0014", ".git/modules/*/hooks", true, GATE_TAMPER, 0, "git's hooks"},
	{"GATEPATH_0015", ".git/modules/*/config", false, GATE_TAMPER, 0, "git's configuration"},
	{"GATEPATH_0016", ".git/info/attributes", false, GATE_TAMPER, 0, "git's configuration"},
	{"GATEPATH_0017", "~/.gitconfig", false, GATE_TAMPER, 0, "git's configuration"},
	{"GATEPATH_0018", "~/.config/git", true, GATE_TAMPER, 0, "git's configuration"},
	{"GATEPATH_0019", ".gemini/settings.json", false, GATE_TAMPER, 0, "settings of Gemini"},
	{"GATEPATH_0020", ".github/hooks", true, GATE_TAMPER, 0, "hooks of Copilot"},
	{"GATEPATH_0021", "~/.copilot", true, GATE_TAMPER, 0, "settings of Copilot"},
	{"GATEPATH_0022", ".agents/plugins", true, GATE_TAMPER, 0, "hooks of goose"},
	{"GATEPATH_0023", "~/.config/goose", true, GATE_TAMPER, 0, "settings of goose"},
	{"GATEPATH_0024", "agentteams-gate", false, GATE_TAMPER, 0, "the gate itself"},
	{"GATEPATH_0025", "confine-run", false, GATE_TAMPER, 0, "the launcher itself"},
	{"GATEPATH_0026", "agentteams-runner*", false, GATE_TAMPER, 0, "the runner itself"},
	{"GATEPATH_0027", "/etc/claude-code", true, GATE_TAMPER, 0, "settings of Claude Code"},
	{"GATEPATH_0028", "/etc/codex", true, GATE_TAMPER, 0, "settings of Codex"},
	{"GATEPATH_0029", ".cursor/hooks*", true, GATE_TAMPER, 0, "hooks of Cursor"},
	{"GATEPATH_0030", ".mcp.json", false, GATE_TAMPER, VERDICT_ASK, "the list of MCP servers"},
	/* what runs by itself later */
	{"GATEPATH_0031", "~/.bashrc", false, GATE_PERSISTENCE, 0, "start-up files of the shell"},
	{"GATEPATH_0032", "~/.bash_profile", false, GATE_PERSISTENCE, 0,
	 "start-up files of the shell"},
	{"GATEPATH_0033", "~/.bash_login", false, GATE_PERSISTENCE, 0,
	 "start-up files of the shell"},
	{"GATEPATH_0034", "~/.bash_logout", false, GATE_PERSISTENCE, 0,
	 "start-up files of the shell"},
	{"GATEPATH_0035", "~/.bash_aliases", false, GATE_PERSISTENCE, 0,
	 "start-up files of the shell"},
	{"GATEPATH_0036", "~/.profile", false, GATE_PERSISTENCE, 0, "start-up files of the shell"},
	{"GATEPATH_0037", "~/.zsh*", false, GATE_PERSISTENCE, 0, "start-up files of the shell"},
	{"GATEPATH_0038", "~/.zprofile", false, GATE_PERSISTENCE, 0, "start-up files of the shell"},
	{"GATEPATH_0039", "~/.zlogin", false, GATE_PERSISTENCE, 0, "start-up files of the shell"},
	{"GATEPATH_0040", "~/.config/fish", true, GATE_PERSISTENCE, 0,
	 "start-up files of the shell"},
	{"GATEPATH_0041", "~/.ssh", true, GATE_PERSISTENCE, 0, "who may log in, and how"},
	{"GATEPATH_0042", "~/.config/autostart", true, GATE_PERSISTENCE, 0,
	 "programs that start at log-in"},
	{"GATEPATH_0043", "~/.config/systemd", true, GATE_PERSISTENCE, 0, "services"},
	{"GATEPATH_0044", "LaunchAgents", true, GATE_PERSISTENCE, 0,
	 "programs that start at log-in"},
	{"GATEPATH_0045", "LaunchDaemons", true, GATE_PERSISTENCE, 0, "services"},
	{"GATEPATH_0046", "/etc/sudoers*", true, GATE_PERSISTENCE, 0, "who may become root"},
	{"GATEPATH_0047", "/etc/cron*", true, GATE_PERSISTENCE, 0, "timers"},
	{"GATEPATH_0048", "/var/spool/cron", true, GATE_PERSISTENCE, 0, "timers"},
	{"GATEPATH_0049", "/etc/systemd", true, GATE_PERSISTENCE, 0, "services"},
	{"GATEPATH_0050", "/lib/systemd", true, GATE_PERSISTENCE, 0, "services"},
	{"GATEPATH_0051", "/usr/lib/systemd", true, GATE_PERSISTENCE, 0, "services"},
	{"GATEPATH_0052", "/etc/init.d", true, GATE_PERSISTENCE, 0, "services"},
	{"GATEPATH_0053", "/etc/rc.local", false, GATE_PERSISTENCE, 0, "services"},
	{"GATEPATH_0054", "/etc/profile*", true, GATE_PERSISTENCE, 0,
	 "start-up files of the shell"},
	{"GATEPATH_0055", "/etc/bash.bashrc", false, GATE_PERSISTENCE, 0,
	 "start-up files of the shell"},
	{"GATEPATH_0056", "/etc/ld.so.preload", false, GATE_PERSISTENCE, 0,
	 "what every program loads"},
	{"GATEPATH_0057", "/etc/passwd", false, GATE_PRIVILEGE, 0, "accounts"},
	{"GATEPATH_0058", "/etc/shadow", false, GATE_PRIVILEGE, 0, "accounts"},
	{"GATEPATH_0059", "/etc/group", false, GATE_PRIVILEGE, 0, "accounts"},
	{"GATEPATH_0060", "/etc/pam.d", true, GATE_PRIVILEGE, 0, "how people log in"},
	{"GATEPATH_0061", "~/.npmrc", false, GATE_PERSISTENCE, 0, "settings that run code later"},
	{"GATEPATH_0062", "~/.pypirc", false, GATE_PERSISTENCE, 0, "settings of publishing"},
	{"GATEPATH_0063", "~/.xprofile", false, GATE_PERSISTENCE, 0,
	 "programs that start at log-in"},
	{"GATEPATH_0064", "~/.xinitrc", false, GATE_PERSISTENCE, 0,
	 "programs that start at log-in"},
	{"GATEPATH_0065", "~/.vimrc", false, GATE_PERSISTENCE, 0, "settings that run code later"},
	{"GATEPATH_0066", "~/.inputrc", false, GATE_PERSISTENCE, 0, "settings that run code later"},
	{"GATEPATH_0067", "~/.pam_environment", false, GATE_PERSISTENCE, 0,
	 "settings that run code later"},
	{"GATEPATH_0068", "/proc/sys", true, GATE_PRIVILEGE, 0, "settings of the kernel"},
};

const struct gate_path *gate_paths(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(rows);
	return rows;
}

bool gate_system_folder(struct view p)
{
	static const char *const folders[] = {
		"/",	    "/bin",	"/boot",      "/dev",		"/etc",
		"/home",    "/lib",	"/lib32",     "/lib64",		"/mnt",
		"/media",   "/opt",	"/proc",      "/root",		"/run",
		"/sbin",    "/srv",	"/sys",	      "/usr",		"/var",
		"/Users",   "/System",	"/Library",   "/Applications",	"/private",
		"/usr/bin", "/usr/lib", "/usr/local", "/usr/share",	"/usr/sbin",
		"/var/lib", "/var/log", "/etc/ssh",   "/usr/local/bin", "/usr/include",
		"/nix",	    "/snap",	"/Volumes",   "/private/etc",	"/private/var"};

	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		if (view_is(p, folders[i]))
			return true;
	return false;
}

static const struct gate_writer writers[] = {
	{"tee", "", "", WRITES_ALL, ""},
	{"sponge", "", "", WRITES_ALL, ""},
	{"touch", "", "", WRITES_ALL, ""},
	{"truncate", "", "", WRITES_ALL, ""},
	{"shred", "", "", WRITES_REMOVE, ""},
	{"rm", "", "", WRITES_REMOVE, ""},
	{"rmdir", "", "", WRITES_REMOVE, ""},
	{"unlink", "", "", WRITES_REMOVE, ""},
	{"trash", "", "", WRITES_REMOVE, ""},
	{"gio", "trash", "", WRITES_REMOVE, ""},
	{"gio", "remove", "", WRITES_REMOVE, ""},
	{"ps-remove", "", "", WRITES_REMOVE, ""},
	{"find", "", "-delete", WRITES_SWEEP, ""},
	{"mv", "", "", WRITES_MOVE, "-t --target-directory"},
	{"cp", "", "", WRITES_LAST, "-t --target-directory"},
	{"install", "", "", WRITES_LAST, "-t --target-directory"},
	{"ln", "", "", WRITES_LAST, "-t --target-directory"},
	{"rsync", "", "", WRITES_LAST, ""},
	{"scp", "", "", WRITES_LAST, ""},
	{"chmod", "", "", WRITES_MODE, ""},
	{"chown", "", "", WRITES_MODE, ""},
	{"chattr", "", "", WRITES_ALL, ""},
	{"setfacl", "", "", WRITES_ALL, ""},
	{"mkdir", "", "", WRITES_ALL, ""},
	{"mkfifo", "", "", WRITES_ALL, ""},
	{"sed", "", "-i|--in-place", WRITES_ALL, ""},
	{"perl", "", "-i", WRITES_ALL, ""},
	{"ruby", "", "-i", WRITES_ALL, ""},
	{"awk", "", "-i", WRITES_ALL, ""},
	{"jq", "", "-i|--inplace|--in-place", WRITES_ALL, ""},
	{"patch", "", "", WRITES_FIRST, "-o --output -d --directory -r"},
	{"dd", "", "", WRITES_OPTION, "of="},
	{"curl", "", "", WRITES_OPTION,
	 "-o --output --output-dir -D --dump-header -c --cookie-jar --trace --stderr"},
	{"wget", "", "", WRITES_OPTION,
	 "-O --output-document -P --directory-prefix -o --output-file -a"},
	{"aria2c", "", "", WRITES_OPTION, "-d --dir -o --out"},
	{"tar", "", "-x|--extract|--get", WRITES_OPTION, "-C --directory"},
	{"tar", "", "-c|--create", WRITES_OPTION, "-f --file"},
	{"unzip", "", "", WRITES_OPTION, "-d"},
	{"sort-rw", "", "", WRITES_OPTION, "-o --output"},
	{"split", "", "", WRITES_LAST, ""},
	{"git", "checkout", "", WRITES_REPLACE, ""},
	{"git", "restore", "", WRITES_REPLACE, ""},
	{"git", "rm", "!--cached", WRITES_REMOVE, ""},
	{"git", "mv", "", WRITES_MOVE, ""},
	{"git", "clean", "", WRITES_REPLACE, ""},
	{"git", "apply", "", WRITES_OPTION, "--directory"},
	{"git", "am", "", WRITES_OPTION, "--directory"},
	{"git", "archive", "", WRITES_OPTION, "-o --output"},
	{"git", "diff", "", WRITES_OPTION, "--output"},
	{"git", "log", "", WRITES_OPTION, "--output"},
	{"git", "show", "", WRITES_OPTION, "--output"},
	{"ed", "", "", WRITES_ALL, ""},
	{"nano", "", "", WRITES_ALL, ""},
	{"docker", "cp", "", WRITES_LAST, ""},
	{"kubectl", "cp", "", WRITES_LAST, ""},
	{"gh", "", "", WRITES_OPTION, "-O --output -D --dir"},
	{"openssl", "", "", WRITES_OPTION, "-out"},
	{"gpg", "", "", WRITES_OPTION, "-o --output"},
	{"iconv", "", "", WRITES_OPTION, "-o --output"},
	{"fallocate", "", "", WRITES_ALL, ""},
	/* python -m */
	{"json.tool", "", "n>=2", WRITES_LAST, ""},
	{"zipfile", "", "-e|--extract", WRITES_LAST, ""},
	{"tarfile", "", "-e|--extract", WRITES_LAST, ""},
};

const struct gate_writer *gate_writers(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(writers);
	return writers;
}
