/* SPDX-License-Identifier: MIT */
/*
 * Confinement of the proxy and of its resolvers on Linux (file 10, section 18.12). Effects: on the
 * calling process, for good. Tested live by tests/escape/x0610-egress-confined.tap.
 */
#include "base/base.h"

#include "launcher/egress_confine.h"

#include "base/io.h"
#include "base/limits.h"
#include "launcher/confine.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#ifdef SANITIZED
/* The sanitizers' own system calls wouldn't pass. */
int egress_confine_proxy(bool without_landlock unused_arg, struct errctx *e)
{
	return confine_process(4 * MAX_EGRESS_CONNECTIONS, e);
}

int egress_confine_resolver(int fd unused_arg, bool without_landlock unused_arg, struct errctx *e)
{
	return confine_process(4 * MAX_EGRESS_CONNECTIONS, e);
}
#else

enum { PROXY_FDS = 2 * MAX_EGRESS_CONNECTIONS + 32, RESOLVER_FDS = 64, MAX_MEMORY = 256 << 20 };

/* A process that tries one of these is not ours any more. */
static const char *const fatal[] = {
	"execve",
	"execveat",
	"fork",
	"vfork",
	"ptrace",
	"process_vm_readv",
	"process_vm_writev",
	"pidfd_getfd",
	"io_uring_setup",
	"keyctl",
	"mount",
	"unshare",
	"userfaultfd",
	"bpf",
};

/* Sockets that are given or made, memory, time, the end. No call that takes a path. */
static const char *const proxy_calls[] = {
	"accept4",	"brk",		"clock_gettime", "close",
	"connect",	"exit",		"exit_group",	 "fcntl",
	"futex",	"getpeername",	"getrandom",	 "getsockname",
	"getsockopt",	"gettimeofday", "madvise",	 "mmap",
	"mremap",	"munmap",	"poll",		 "ppoll",
	"read",		"recvfrom",	"recvmsg",	 "restart_syscall",
	"rt_sigreturn", "sendmsg",	"sendto",	 "setsockopt",
	"shutdown",	"socket",	"write",	 "writev",
};

/* Beside that: reading files (Landlock says which), loading the modules of name resolution. */
static const char *const resolver_calls[] = {
	"access",
	"bind",
	"brk",
	"clock_gettime",
	"close",
	"connect",
	"epoll_create1",
	"epoll_ctl",
	"epoll_pwait",
	"epoll_wait",
	"exit",
	"exit_group",
	"faccessat",
	"faccessat2",
	"fcntl",
	"fstat",
	"futex",
	"getegid",
	"geteuid",
	"getgid",
	"getpeername",
	"getpid",
	"getppid",
	"getrandom",
	"getsockname",
	"getsockopt",
	"gettid",
	"gettimeofday",
	"getuid",
	"ioctl",
	"lseek",
	"lstat",
	"madvise",
	"mmap",
	"mprotect",
	"mremap",
	"munmap",
	"newfstatat",
	"open",
	"openat",
	"poll",
	"ppoll",
	"pread64",
	"read",
	"readlink",
	"readlinkat",
	"recvfrom",
	"recvmmsg",
	"recvmsg",
	"restart_syscall",
	"rseq",
	"rt_sigaction",
	"rt_sigprocmask",
	"rt_sigreturn",
	"sched_yield",
	"sendmmsg",
	"sendmsg",
	"sendto",
	"set_robust_list",
	"setsockopt",
	"shutdown",
	"socket",
	"stat",
	"statx",
	"sysinfo",
	"time",
	"uname",
	"write",
};

/* Where name resolution keeps its configuration and its modules; those that don't exist are
 * skipped. */
static const char *const readable[] = {
	"/etc",
	"/usr",
	"/lib",
	"/lib64",
	"/run/systemd/resolve",
	"/run/resolvconf",
	"/run/NetworkManager",
	"/nix/store",
	"/gnu/store",
	"/run/current-system",
	"/var/run/resolvconf",
};

static int limit(int resource, rlim_t most, struct errctx *e)
{
	const struct rlimit r = {most, most};

	return setrlimit((__rlimit_resource_t)resource, &r) < 0 ? err_sys(e, "resource limit") : 0;
}

/* Started by root, it would still hold them all, and they would be worth more than any limit. */
static int drop_capabilities(struct errctx *e)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};

	for (unsigned long cap = 0; cap < 64; cap++)
		(void)prctl(PR_CAPBSET_DROP, cap, 0, 0,
			    0); /* refused to whoever has none to lose */
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return syscall(SYS_capset, &head, none) < 0 ? err_sys(e, "capabilities") : 0;
}

static int limits(unsigned fds, struct errctx *e)
{
	int rc = drop_capabilities(e);

	if (!rc)
		rc = confine_process(fds, e);

	if (!rc)
		rc = limit(RLIMIT_NPROC, 0, e);
	if (!rc)
		rc = limit(RLIMIT_DATA, MAX_MEMORY, e);
	return rc;
}

static int files(const struct confine_path *paths, size_t n, bool without_landlock,
		 struct errctx *e)
{
	int abi, rc = confine_files(paths, n, &abi, e);

	return rc == E_UNSUPPORTED && without_landlock ? 0 : rc;
}

int egress_confine_proxy(bool without_landlock, struct errctx *e)
{
	static const struct confine_path connect_only[] = {{-1, CONFINE_CONNECT}};
	static const int families[] = {AF_INET, AF_INET6};
	int rc = limits(PROXY_FDS, e);

	if (!rc)
		rc = files(connect_only, ARRAY_LEN(connect_only), without_landlock, e);
	if (!rc)
		rc = confine_sockets(families, ARRAY_LEN(families), e);
	if (!rc)
		rc = confine_syscalls(proxy_calls, ARRAY_LEN(proxy_calls), fatal, ARRAY_LEN(fatal),
				      e);
	return rc;
}

/* Standard descriptors may lead to the operator's terminal, and a resolver has nothing to say. */
static int drop_descriptors(int fd, struct errctx *e)
{
	auto_fd int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null_fd < 0)
		return err_sys(e, "/dev/null");
	for (int i = 0; i < 3; i++)
		if (i != fd && dup2(null_fd, i) < 0)
			return err_sys(e, "/dev/null");
	io_close_others(&fd, 1);
	null_fd = -1; /* closed with the others */
	return 0;
}

static int files_of_resolution(bool without_landlock, struct errctx *e)
{
	struct confine_path paths[ARRAY_LEN(readable) + 1] = {{-1, CONFINE_CONNECT}};
	size_t n = 1;
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(readable); i++) {
		int fd = open(readable[i], O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (fd >= 0)
			paths[n++] = (struct confine_path){fd, CONFINE_READ};
	}
	rc = files(paths, n, without_landlock, e);
	while (n-- > 1)
		(void)close(paths[n].fd);
	return rc;
}

int egress_confine_resolver(int fd, bool without_landlock, struct errctx *e)
{
	/* No unix sockets: the caches and agents behind them are worth more than what they know
	 * about names. */
	static const int families[] = {AF_INET, AF_INET6, AF_NETLINK};
	int rc = drop_descriptors(fd, e);

	if (!rc)
		rc = limits(RESOLVER_FDS, e);
	if (!rc)
		rc = files_of_resolution(without_landlock, e);
	if (!rc)
		rc = confine_sockets(families, ARRAY_LEN(families), e);
	if (!rc)
		rc = confine_syscalls(resolver_calls, ARRAY_LEN(resolver_calls), fatal,
				      ARRAY_LEN(fatal), e);
	return rc;
}
#endif
