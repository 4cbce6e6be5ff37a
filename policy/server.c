/* SPDX-License-Identifier: MIT */
/*
 * System calls of the MCP server after it has confined itself (file 00, D6): what its loop, its
 * file walk and the C library's allocator need. Everything else fails; what only an intruder would
 * try ends the process. Names, not numbers: launcher/confine_self_linux.c translates. Tests:
 * tests/escape/x0800-server-confined.tap.
 */
#include "base/base.h"

#include "policy/policy.h"

#include "policy/dump.h"

static const struct syscall_row rows[] = {
	{"SRV_01", SYSCALL_ALLOW, "read", "messages, files"},
	{"SRV_02", SYSCALL_ALLOW, "write", "replies, requests, diagnostics"},
	{"SRV_03", SYSCALL_ALLOW, "close", "descriptors"},
	{"SRV_04", SYSCALL_ALLOW, "openat", "fallback of the file walk"},
	{"SRV_05", SYSCALL_ALLOW, "openat2", "the file walk"},
	{"SRV_06", SYSCALL_ALLOW, "fstat", "what was opened"},
	{"SRV_07", SYSCALL_ALLOW, "newfstatat", "names in the queue; fstat of newer C libraries"},
	{"SRV_08", SYSCALL_ALLOW, "statx", "the same where the C library prefers it"},
	{"SRV_09", SYSCALL_ALLOW, "readlinkat",
	 "links on the way, the kernel's name for a descriptor"},
	{"SRV_10", SYSCALL_ALLOW, "readlink", "the same in the C library's older spelling"},
	{"SRV_11", SYSCALL_ALLOW, "getdents64", "place in the queue"},
	{"SRV_12", SYSCALL_ALLOW, "lseek", "the C library's folder streams"},
	{"SRV_13", SYSCALL_ALLOW, "fsync", "durable requests"},
	{"SRV_14", SYSCALL_ALLOW, "fchmod", "exact mode of a request"},
	{"SRV_15", SYSCALL_ALLOW, "renameat2", "putting a request in place"},
	{"SRV_16", SYSCALL_ALLOW, "renameat", "the same without flags"},
	{"SRV_17", SYSCALL_ALLOW, "linkat", "the same where a file system knows no flags"},
	{"SRV_18", SYSCALL_ALLOW, "unlinkat", "temporary files, taking a request back"},
	{"SRV_19", SYSCALL_ALLOW, "faccessat", "presence of a name"},
	{"SRV_20", SYSCALL_ALLOW, "faccessat2", "the same with flags"},
	{"SRV_21", SYSCALL_ALLOW, "flock", "is a runner there"},
	{"SRV_22", SYSCALL_ALLOW, "fcntl", "descriptor flags"},
	{"SRV_23", SYSCALL_ALLOW, "poll", "the loop"},
	{"SRV_24", SYSCALL_ALLOW, "ppoll", "the loop where there is no poll"},
	{"SRV_25", SYSCALL_ALLOW, "restart_syscall", "the loop after a stop"},
	{"SRV_26", SYSCALL_ALLOW, "inotify_init1", "waking up for a result"},
	{"SRV_27", SYSCALL_ALLOW, "inotify_add_watch", "the same"},
	{"SRV_28", SYSCALL_ALLOW, "inotify_rm_watch", "the same"},
	{"SRV_29", SYSCALL_ALLOW, "brk", "memory"},
	{"SRV_30", SYSCALL_ALLOW, "mmap", "memory"},
	{"SRV_31", SYSCALL_ALLOW, "mremap", "memory"},
	{"SRV_32", SYSCALL_ALLOW, "munmap", "memory"},
	{"SRV_33", SYSCALL_ALLOW, "madvise", "memory"},
	{"SRV_34", SYSCALL_ALLOW, "getrandom", "request ids"},
	{"SRV_35", SYSCALL_ALLOW, "clock_gettime", "time where there is no vDSO"},
	{"SRV_36", SYSCALL_ALLOW, "gettimeofday", "the same"},
	{"SRV_37", SYSCALL_ALLOW, "geteuid", "owner of a result"},
	{"SRV_38", SYSCALL_ALLOW, "getpid", "abort of the C library"},
	{"SRV_39", SYSCALL_ALLOW, "gettid", "the same"},
	{"SRV_40", SYSCALL_ALLOW, "tgkill", "the same; signals to others are refused by Landlock"},
	{"SRV_41", SYSCALL_ALLOW, "rt_sigreturn", "return from the signal handler"},
	{"SRV_42", SYSCALL_ALLOW, "rt_sigprocmask", "abort of the C library"},
	{"SRV_43", SYSCALL_ALLOW, "rt_sigaction", "the same"},
	{"SRV_44", SYSCALL_ALLOW, "rt_sigpending", "diagnostics to a closed standard error"},
	{"SRV_45", SYSCALL_ALLOW, "rt_sigtimedwait", "the same"},
	{"SRV_46", SYSCALL_ALLOW, "exit_group", "the end"},
	{"SRV_47", SYSCALL_ALLOW, "exit", "the end"},
	{"SRV_48", SYSCALL_ALLOW, "landlock_create_ruleset", "giving up more, later"},
	{"SRV_49", SYSCALL_ALLOW, "landlock_add_rule", "the same"},
	{"SRV_50", SYSCALL_ALLOW, "landlock_restrict_self", "the same"},
	{"SRV_51", SYSCALL_KILL, "execve", "no program is ever started"},
	{"SRV_52", SYSCALL_KILL, "execveat", "the same"},
	{"SRV_53", SYSCALL_KILL, "fork", "no process is ever made"},
	{"SRV_54", SYSCALL_KILL, "vfork", "the same"},
	{"SRV_55", SYSCALL_KILL, "clone", "the same, and no thread"},
	{"SRV_56", SYSCALL_KILL, "clone3", "the same"},
	{"SRV_57", SYSCALL_KILL, "socket", "no connection is ever opened"},
	{"SRV_58", SYSCALL_KILL, "socketpair", "the same"},
	{"SRV_59", SYSCALL_KILL, "connect", "the same"},
	{"SRV_60", SYSCALL_KILL, "ptrace", "no other process is touched"},
	{"SRV_61", SYSCALL_KILL, "process_vm_readv", "the same"},
	{"SRV_62", SYSCALL_KILL, "process_vm_writev", "the same"},
	{"SRV_63", SYSCALL_KILL, "pidfd_getfd", "the same"},
	{"SRV_64", SYSCALL_KILL, "io_uring_setup", "system calls around the filter"},
	{"SRV_65", SYSCALL_KILL, "bpf", "kernel surface"},
	{"SRV_66", SYSCALL_KILL, "userfaultfd", "kernel surface"},
	{"SRV_67", SYSCALL_KILL, "keyctl", "keyrings"},
	{"SRV_68", SYSCALL_KILL, "mount", "the file tree stays as it is"},
	{"SRV_69", SYSCALL_KILL, "unshare", "no namespace is made"},
};

const struct syscall_row *policy_server_syscalls(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(rows);
	return rows;
}

void server_dump(struct dump *d)
{
	dump_table(d, "server_syscall", "what the MCP server keeps; every other call fails");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		dump_row(d, rows[i].id);
		dump_str(d, "action", rows[i].action == SYSCALL_ALLOW ? "allow" : "kill");
		dump_str(d, "name", rows[i].name);
		dump_str(d, "reason", rows[i].reason);
	}
	dump_table_end(d);
}
