/* SPDX-License-Identifier: MIT */
/* Names of system calls to their numbers on this architecture. Pure. Tested by
 * tests/unit/launcher/t_confine_filter.c. */
#include "base/base.h"

#include "launcher/confine_filter.h"

#include <sys/syscall.h>

/* Calls that our own filters may name, sorted. What some architecture or older headers lack is
 * absent there. */
static const struct {
	const char *name;
	int number;
} numbers[] = {
	{"accept", SYS_accept},
	{"accept4", SYS_accept4},
#ifdef SYS_access
	{"access", SYS_access},
#else
	{"access", CALL_ABSENT},
#endif
	{"add_key", SYS_add_key},
	{"bind", SYS_bind},
	{"bpf", SYS_bpf},
	{"brk", SYS_brk},
	{"chroot", SYS_chroot},
	{"clock_gettime", SYS_clock_gettime},
	{"clock_nanosleep", SYS_clock_nanosleep},
	{"clone", SYS_clone},
#ifdef SYS_clone3
	{"clone3", SYS_clone3},
#else
	{"clone3", CALL_ABSENT},
#endif
	{"close", SYS_close},
	{"connect", SYS_connect},
	{"dup", SYS_dup},
	{"dup3", SYS_dup3},
	{"epoll_create1", SYS_epoll_create1},
	{"epoll_ctl", SYS_epoll_ctl},
	{"epoll_pwait", SYS_epoll_pwait},
#ifdef SYS_epoll_wait
	{"epoll_wait", SYS_epoll_wait},
#else
	{"epoll_wait", CALL_ABSENT},
#endif
	{"execve", SYS_execve},
	{"execveat", SYS_execveat},
	{"exit", SYS_exit},
	{"exit_group", SYS_exit_group},
	{"faccessat", SYS_faccessat},
#ifdef SYS_faccessat2
	{"faccessat2", SYS_faccessat2},
#else
	{"faccessat2", CALL_ABSENT},
#endif
	{"fchmod", SYS_fchmod},
	{"fchown", SYS_fchown},
	{"fchownat", SYS_fchownat},
	{"fcntl", SYS_fcntl},
	{"fdatasync", SYS_fdatasync},
	{"fgetxattr", SYS_fgetxattr},
	{"finit_module", SYS_finit_module},
	{"flock", SYS_flock},
#ifdef SYS_fork
	{"fork", SYS_fork},
#else
	{"fork", CALL_ABSENT},
#endif
	{"fstat", SYS_fstat},
	{"fsync", SYS_fsync},
	{"ftruncate", SYS_ftruncate},
	{"futex", SYS_futex},
	{"getdents64", SYS_getdents64},
	{"getegid", SYS_getegid},
	{"geteuid", SYS_geteuid},
	{"getgid", SYS_getgid},
	{"getpeername", SYS_getpeername},
	{"getpid", SYS_getpid},
	{"getppid", SYS_getppid},
	{"getrandom", SYS_getrandom},
	{"getsockname", SYS_getsockname},
	{"getsockopt", SYS_getsockopt},
	{"gettid", SYS_gettid},
	{"gettimeofday", SYS_gettimeofday},
	{"getuid", SYS_getuid},
	{"init_module", SYS_init_module},
	{"inotify_add_watch", SYS_inotify_add_watch},
	{"inotify_init1", SYS_inotify_init1},
	{"inotify_rm_watch", SYS_inotify_rm_watch},
#ifdef SYS_io_uring_setup
	{"io_uring_setup", SYS_io_uring_setup},
#else
	{"io_uring_setup", CALL_ABSENT},
#endif
	{"ioctl", SYS_ioctl},
	{"kexec_load", SYS_kexec_load},
	{"keyctl", SYS_keyctl},
#ifdef SYS_landlock_add_rule
	{"landlock_add_rule", SYS_landlock_add_rule},
#else
	{"landlock_add_rule", CALL_ABSENT},
#endif
#ifdef SYS_landlock_create_ruleset
	{"landlock_create_ruleset", SYS_landlock_create_ruleset},
#else
	{"landlock_create_ruleset", CALL_ABSENT},
#endif
#ifdef SYS_landlock_restrict_self
	{"landlock_restrict_self", SYS_landlock_restrict_self},
#else
	{"landlock_restrict_self", CALL_ABSENT},
#endif
	{"linkat", SYS_linkat},
	{"listen", SYS_listen},
	{"lseek", SYS_lseek},
	{"lstat", SYS_lstat},
	{"madvise", SYS_madvise},
	{"mkdirat", SYS_mkdirat},
	{"mlock", SYS_mlock},
	{"mmap", SYS_mmap},
	{"mount", SYS_mount},
	{"mprotect", SYS_mprotect},
	{"mremap", SYS_mremap},
	{"munlock", SYS_munlock},
	{"munmap", SYS_munmap},
	{"newfstatat", SYS_newfstatat},
#ifdef SYS_open
	{"open", SYS_open},
#else
	{"open", CALL_ABSENT},
#endif
	{"openat", SYS_openat},
#ifdef SYS_openat2
	{"openat2", SYS_openat2},
#else
	{"openat2", CALL_ABSENT},
#endif
	{"perf_event_open", SYS_perf_event_open},
#ifdef SYS_pidfd_getfd
	{"pidfd_getfd", SYS_pidfd_getfd},
#else
	{"pidfd_getfd", CALL_ABSENT},
#endif
	{"pivot_root", SYS_pivot_root},
#ifdef SYS_poll
	{"poll", SYS_poll},
#else
	{"poll", CALL_ABSENT},
#endif
	{"ppoll", SYS_ppoll},
	{"pread64", SYS_pread64},
	{"prlimit64", SYS_prlimit64},
	{"process_vm_readv", SYS_process_vm_readv},
	{"process_vm_writev", SYS_process_vm_writev},
	{"ptrace", SYS_ptrace},
	{"pwrite64", SYS_pwrite64},
	{"read", SYS_read},
#ifdef SYS_readlink
	{"readlink", SYS_readlink},
#else
	{"readlink", CALL_ABSENT},
#endif
	{"readlinkat", SYS_readlinkat},
	{"readv", SYS_readv},
	{"recvfrom", SYS_recvfrom},
	{"recvmmsg", SYS_recvmmsg},
	{"recvmsg", SYS_recvmsg},
	{"renameat", SYS_renameat},
	{"renameat2", SYS_renameat2},
	{"request_key", SYS_request_key},
	{"restart_syscall", SYS_restart_syscall},
#ifdef SYS_rseq
	{"rseq", SYS_rseq},
#else
	{"rseq", CALL_ABSENT},
#endif
	{"rt_sigaction", SYS_rt_sigaction},
	{"rt_sigpending", SYS_rt_sigpending},
	{"rt_sigprocmask", SYS_rt_sigprocmask},
	{"rt_sigreturn", SYS_rt_sigreturn},
	{"rt_sigtimedwait", SYS_rt_sigtimedwait},
	{"sched_yield", SYS_sched_yield},
	{"sendmmsg", SYS_sendmmsg},
	{"sendmsg", SYS_sendmsg},
	{"sendto", SYS_sendto},
	{"set_robust_list", SYS_set_robust_list},
	{"setns", SYS_setns},
	{"setsockopt", SYS_setsockopt},
	{"shutdown", SYS_shutdown},
	{"sigaltstack", SYS_sigaltstack},
	{"signalfd4", SYS_signalfd4},
	{"socket", SYS_socket},
	{"socketpair", SYS_socketpair},
	{"stat", SYS_stat},
#ifdef SYS_statx
	{"statx", SYS_statx},
#else
	{"statx", CALL_ABSENT},
#endif
	{"sysinfo", SYS_sysinfo},
	{"tgkill", SYS_tgkill},
#ifdef SYS_time
	{"time", SYS_time},
#else
	{"time", CALL_ABSENT},
#endif
	{"timerfd_create", SYS_timerfd_create},
	{"timerfd_settime", SYS_timerfd_settime},
	{"umask", SYS_umask},
	{"umount2", SYS_umount2},
	{"uname", SYS_uname},
	{"unlinkat", SYS_unlinkat},
	{"unshare", SYS_unshare},
	{"userfaultfd", SYS_userfaultfd},
#ifdef SYS_vfork
	{"vfork", SYS_vfork},
#else
	{"vfork", CALL_ABSENT},
#endif
	{"write", SYS_write},
	{"writev", SYS_writev},
};

int confine_call_number(const char *name)
{
	size_t low = 0, high = ARRAY_LEN(numbers);

	while (low < high) {
		size_t mid = (low + high) / 2;
		int d = strcmp(name, numbers[mid].name);

		if (d == 0)
			return numbers[mid].number;
		if (d < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return CALL_UNKNOWN;
}
