/* SPDX-License-Identifier: MIT */
/*
 * Self-confinement of the two processes, over launcher/confine.h. System. Failure rule: a kernel
 * without Landlock is said once and service goes on with the filter; anything else ends the start.
 * Tests: tests/e2e/runner-process.tap.
 */
#include "base/base.h"

#include "runner/confine_runner.h"

#include "base/limits.h"
#include "base/log.h"
#include "launcher/confine.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#define INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define INSTRUMENTED 1
#endif
#endif

/* A test build that stops at chosen places has to be able to. */
#ifdef FAULT_HOOKS
#define STOPS "tgkill",
#else
#define STOPS
#endif

/* What any program of ours needs to compute, allocate and end. */
#define BASIC                                                                                      \
	STOPS "brk", "mmap", "munmap", "mremap", "madvise", "mprotect", "mlock", "munlock",        \
		"futex", "exit", "exit_group", "rt_sigreturn", "rt_sigprocmask", "rt_sigaction",   \
		"restart_syscall", "clock_gettime", "clock_nanosleep", "gettimeofday", "time",     \
		"getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "umask",  \
		"getrandom", "sched_yield", "sigaltstack"
#define FILES                                                                                      \
	"read", "pread64", "readv", "write", "pwrite64", "writev", "lseek", "close", "openat",     \
		"openat2", "fstat", "newfstatat", "statx", "fsync", "fdatasync", "ftruncate",      \
		"renameat", "renameat2", "linkat", "unlinkat", "fchmod", "flock", "fcntl",         \
		"getdents64", "readlinkat", "readlink"

static const char *const keeper_calls[] = {BASIC,    FILES,	"recvfrom", "recvmsg",
					   "sendto", "sendmsg", "poll"};
static const char *const engine_calls[] = {BASIC,
					   FILES,
					   "recvfrom",
					   "recvmsg",
					   "sendto",
					   "sendmsg",
					   "poll",
					   "ppoll",
					   "mkdirat",
					   "fgetxattr",
					   "sysinfo",
					   "fchown",
					   "fchownat",
					   "inotify_init1",
					   "inotify_add_watch",
					   "inotify_rm_watch",
					   "timerfd_create",
					   "timerfd_settime",
					   "signalfd4",
					   "lstat",
					   "stat",
					   "open",
					   "access",
					   "faccessat",
					   "faccessat2",
					   "dup",
					   "dup3",
					   "uname",
					   "prlimit64"};

/* A call that only an intruder makes ends the process at once. */
static const char *const fatal_calls[] = {
	"execve",      "execveat",	 "ptrace",	 "process_vm_readv", "process_vm_writev",
	"bpf",	       "mount",		 "umount2",	 "pivot_root",	     "chroot",
	"setns",       "unshare",	 "keyctl",	 "add_key",	     "request_key",
	"userfaultfd", "io_uring_setup", "kexec_load",	 "socket",	     "connect",
	"bind",	       "listen",	 "accept",	 "accept4",	     "fork",
	"vfork",       "init_module",	 "finit_module", "perf_event_open"};

static int files(const struct confine_path *paths, size_t n, const char *who, bool *ret_on,
		 struct errctx *e)
{
	int abi = 0, rc = confine_files(paths, n, &abi, e);

	*ret_on = rc == 0;
	if (rc == E_UNSUPPORTED) {
		log_warn("%s: this kernel has no Landlock; only system calls are confined", who);
		return 0;
	}
	return rc;
}

/* The sanitizers of a test build make calls of their own. */
static int system_calls(const char *const *allow, size_t n, struct errctx *e)
{
#ifdef INSTRUMENTED
	(void)allow;
	(void)n;
	(void)e;
	(void)fatal_calls;
	return 0;
#else
	return confine_syscalls(allow, n, fatal_calls, ARRAY_LEN(fatal_calls), e);
#endif
}

int confine_keeper(int state_dir_fd, int anchor_dir_fd, struct errctx *e)
{
	const struct confine_path paths[] = {
		{state_dir_fd, CONFINE_READ | CONFINE_CREATE},
		{anchor_dir_fd, CONFINE_READ | CONFINE_CREATE},
	};
	bool on;
	/* First no_new_privs: without it only root may use Landlock. */
	int rc = confine_process(64, e);

	if (rc == 0)
		rc = files(paths, ARRAY_LEN(paths), "keeper", &on, e);
	return rc ? rc : system_calls(keeper_calls, ARRAY_LEN(keeper_calls), e);
}

/* The folder of a pinned file, so that it can be read again when it was replaced. */
static int folder_of(const char *path)
{
	char folder[MAX_PATH_BYTES + 1];
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (!slash || strlen(path) > MAX_PATH_BYTES)
		return -1;
	(void)snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path),
		       path);
	return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int confine_engine(const struct dirs *d, const struct pins *p, int run_dir_fd, bool *ret_full,
		   struct errctx *e)
{
	auto_fd int brief_fd = folder_of(p->brief_path);
	auto_fd int confined_fd = folder_of(p->confined_path);
	auto_fd int grants_fd = folder_of(p->grants_path);
	auto_fd int server_fd = folder_of(p->server_path);
	auto_fd int proc_fd = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct confine_path paths[7] = {
		{d->root_fd, CONFINE_READ | CONFINE_CREATE | CONFINE_FOLDERS}};
	const int readable[] = {brief_fd, confined_fd, grants_fd, server_fd, proc_fd, run_dir_fd};
	size_t n = 1;
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(readable); i++) {
		if (readable[i] >= 0)
			paths[n++] = (struct confine_path){readable[i], CONFINE_READ};
	}
	/* A claim is a move between folders, which the first Landlock refuses always. */
	*ret_full = false;
	rc = confine_process(256, e);
	if (rc != 0)
		return rc;
	if (confine_landlock_abi() == 1)
		log_warn("engine: this kernel's Landlock can't move files; only system calls are "
			 "confined");
	else
		rc = files(paths, n, "engine", ret_full, e);
	return rc ? rc : system_calls(engine_calls, ARRAY_LEN(engine_calls), e);
}

/* Beside this program, wherever it was installed to; in a build tree; or where it was configured to
 * be. The first folder is as trusted as the program itself. */
char *installed_server(void)
{
	static const char *const places[] = {"/agentteams-runner-mcp",
					     "/../mcp/agentteams-runner-mcp"};
	char own[MAX_PATH_BYTES + 1], *slash;
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	own[n > 0 ? n : 0] = '\0';
	slash = strrchr(own, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; slash && i < ARRAY_LEN(places); i++) {
		char *path = NULL, *real;

		if (asprintf(&path, "%s%s", own, places[i]) < 0)
			return NULL;
		real = realpath(path, NULL);
		free(path);
		if (real)
			return real;
	}
	return strdup(LIBEXECDIR "/agentteams-runner-mcp");
}
