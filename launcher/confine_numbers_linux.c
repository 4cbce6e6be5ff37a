/* SPDX-License-Identifier: MIT */
/* Names of system calls to their numbers on this architecture. Pure. Tested by
 * tests/unit/launcher/t_confine_filter.c. */
#include "base/base.h"

#include "launcher/confine_filter.h"

#include <sys/syscall.h>

/* Calls that policy/ may name. An architecture without one has no row for it. */
static const struct {
	const char *name;
	int number;
} numbers[] = {
#ifdef SYS_accept
	{"accept", SYS_accept},
#endif
#ifdef SYS_accept4
	{"accept4", SYS_accept4},
#endif
#ifdef SYS_access
	{"access", SYS_access},
#endif
#ifdef SYS_add_key
	{"add_key", SYS_add_key},
#endif
#ifdef SYS_bind
	{"bind", SYS_bind},
#endif
#ifdef SYS_bpf
	{"bpf", SYS_bpf},
#endif
#ifdef SYS_brk
	{"brk", SYS_brk},
#endif
#ifdef SYS_chroot
	{"chroot", SYS_chroot},
#endif
#ifdef SYS_clock_gettime
	{"clock_gettime", SYS_clock_gettime},
#endif
#ifdef SYS_clock_nanosleep
	{"clock_nanosleep", SYS_clock_nanosleep},
#endif
#ifdef SYS_clone
	{"clone", SYS_clone},
#endif
#ifdef SYS_clone3
	{"clone3", SYS_clone3},
#endif
#ifdef SYS_close
	{"close", SYS_close},
#endif
#ifdef SYS_connect
	{"connect", SYS_connect},
#endif
#ifdef SYS_dup
	{"dup", SYS_dup},
#endif
#ifdef SYS_dup3
	{"dup3", SYS_dup3},
#endif
#ifdef SYS_epoll_create1
	{"epoll_create1", SYS_epoll_create1},
#endif
#ifdef SYS_epoll_ctl
	{"epoll_ctl", SYS_epoll_ctl},
#endif
#ifdef SYS_epoll_pwait
	{"epoll_pwait", SYS_epoll_pwait},
#endif
#ifdef SYS_epoll_wait
	{"epoll_wait", SYS_epoll_wait},
#endif
#ifdef SYS_execve
	{"execve", SYS_execve},
#endif
#ifdef SYS_execveat
	{"execveat", SYS_execveat},
#endif
#ifdef SYS_exit
	{"exit", SYS_exit},
#endif
#ifdef SYS_exit_group
	{"exit_group", SYS_exit_group},
#endif
#ifdef SYS_faccessat
	{"faccessat", SYS_faccessat},
#endif
#ifdef SYS_faccessat2
	{"faccessat2", SYS_faccessat2},
#endif
#ifdef SYS_fchmod
	{"fchmod", SYS_fchmod},
#endif
#ifdef SYS_fchown
	{"fchown", SYS_fchown},
#endif
#ifdef SYS_fchownat
	{"fchownat", SYS_fchownat},
#endif
#ifdef SYS_fcntl
	{"fcntl", SYS_fcntl},
#endif
#ifdef SYS_fdatasync
	{"fdatasync", SYS_fdatasync},
#endif
#ifdef SYS_finit_module
	{"finit_module", SYS_finit_module},
#endif
#ifdef SYS_flock
	{"flock", SYS_flock},
#endif
#ifdef SYS_fork
	{"fork", SYS_fork},
#endif
#ifdef SYS_fstat
	{"fstat", SYS_fstat},
#endif
#ifdef SYS_fsync
	{"fsync", SYS_fsync},
#endif
#ifdef SYS_ftruncate
	{"ftruncate", SYS_ftruncate},
#endif
#ifdef SYS_futex
	{"futex", SYS_futex},
#endif
#ifdef SYS_getdents64
	{"getdents64", SYS_getdents64},
#endif
#ifdef SYS_getegid
	{"getegid", SYS_getegid},
#endif
#ifdef SYS_geteuid
	{"geteuid", SYS_geteuid},
#endif
#ifdef SYS_getgid
	{"getgid", SYS_getgid},
#endif
#ifdef SYS_getpeername
	{"getpeername", SYS_getpeername},
#endif
#ifdef SYS_getpid
	{"getpid", SYS_getpid},
#endif
#ifdef SYS_getppid
	{"getppid", SYS_getppid},
#endif
#ifdef SYS_getrandom
	{"getrandom", SYS_getrandom},
#endif
#ifdef SYS_getsockname
	{"getsockname", SYS_getsockname},
#endif
#ifdef SYS_getsockopt
	{"getsockopt", SYS_getsockopt},
#endif
#ifdef SYS_gettid
	{"gettid", SYS_gettid},
#endif
#ifdef SYS_gettimeofday
	{"gettimeofday", SYS_gettimeofday},
#endif
#ifdef SYS_getuid
	{"getuid", SYS_getuid},
#endif
#ifdef SYS_init_module
	{"init_module", SYS_init_module},
#endif
#ifdef SYS_inotify_add_watch
	{"inotify_add_watch", SYS_inotify_add_watch},
#endif
#ifdef SYS_inotify_init1
	{"inotify_init1", SYS_inotify_init1},
#endif
#ifdef SYS_inotify_rm_watch
	{"inotify_rm_watch", SYS_inotify_rm_watch},
#endif
#ifdef SYS_io_uring_setup
	{"io_uring_setup", SYS_io_uring_setup},
#endif
#ifdef SYS_ioctl
	{"ioctl", SYS_ioctl},
#endif
#ifdef SYS_kexec_load
	{"kexec_load", SYS_kexec_load},
#endif
#ifdef SYS_keyctl
	{"keyctl", SYS_keyctl},
#endif
#ifdef SYS_landlock_add_rule
	{"landlock_add_rule", SYS_landlock_add_rule},
#endif
#ifdef SYS_landlock_create_ruleset
	{"landlock_create_ruleset", SYS_landlock_create_ruleset},
#endif
#ifdef SYS_landlock_restrict_self
	{"landlock_restrict_self", SYS_landlock_restrict_self},
#endif
#ifdef SYS_linkat
	{"linkat", SYS_linkat},
#endif
#ifdef SYS_listen
	{"listen", SYS_listen},
#endif
#ifdef SYS_lseek
	{"lseek", SYS_lseek},
#endif
#ifdef SYS_lstat
	{"lstat", SYS_lstat},
#endif
#ifdef SYS_madvise
	{"madvise", SYS_madvise},
#endif
#ifdef SYS_mkdirat
	{"mkdirat", SYS_mkdirat},
#endif
#ifdef SYS_mlock
	{"mlock", SYS_mlock},
#endif
#ifdef SYS_mmap
	{"mmap", SYS_mmap},
#endif
#ifdef SYS_mount
	{"mount", SYS_mount},
#endif
#ifdef SYS_mprotect
	{"mprotect", SYS_mprotect},
#endif
#ifdef SYS_mremap
	{"mremap", SYS_mremap},
#endif
#ifdef SYS_munlock
	{"munlock", SYS_munlock},
#endif
#ifdef SYS_munmap
	{"munmap", SYS_munmap},
#endif
#ifdef SYS_newfstatat
	{"newfstatat", SYS_newfstatat},
#endif
#ifdef SYS_open
	{"open", SYS_open},
#endif
#ifdef SYS_openat
	{"openat", SYS_openat},
#endif
#ifdef SYS_openat2
	{"openat2", SYS_openat2},
#endif
#ifdef SYS_perf_event_open
	{"perf_event_open", SYS_perf_event_open},
#endif
#ifdef SYS_pidfd_getfd
	{"pidfd_getfd", SYS_pidfd_getfd},
#endif
#ifdef SYS_pivot_root
	{"pivot_root", SYS_pivot_root},
#endif
#ifdef SYS_poll
	{"poll", SYS_poll},
#endif
#ifdef SYS_ppoll
	{"ppoll", SYS_ppoll},
#endif
#ifdef SYS_pread64
	{"pread64", SYS_pread64},
#endif
#ifdef SYS_prlimit64
	{"prlimit64", SYS_prlimit64},
#endif
#ifdef SYS_process_vm_readv
	{"process_vm_readv", SYS_process_vm_readv},
#endif
#ifdef SYS_process_vm_writev
	{"process_vm_writev", SYS_process_vm_writev},
#endif
#ifdef SYS_ptrace
	{"ptrace", SYS_ptrace},
#endif
#ifdef SYS_pwrite64
	{"pwrite64", SYS_pwrite64},
#endif
#ifdef SYS_read
	{"read", SYS_read},
#endif
#ifdef SYS_readlink
	{"readlink", SYS_readlink},
#endif
#ifdef SYS_readlinkat
	{"readlinkat", SYS_readlinkat},
#endif
#ifdef SYS_readv
	{"readv", SYS_readv},
#endif
#ifdef SYS_recvfrom
	{"recvfrom", SYS_recvfrom},
#endif
#ifdef SYS_recvmmsg
	{"recvmmsg", SYS_recvmmsg},
#endif
#ifdef SYS_recvmsg
	{"recvmsg", SYS_recvmsg},
#endif
#ifdef SYS_renameat
	{"renameat", SYS_renameat},
#endif
#ifdef SYS_renameat2
	{"renameat2", SYS_renameat2},
#endif
#ifdef SYS_request_key
	{"request_key", SYS_request_key},
#endif
#ifdef SYS_restart_syscall
	{"restart_syscall", SYS_restart_syscall},
#endif
#ifdef SYS_rseq
	{"rseq", SYS_rseq},
#endif
#ifdef SYS_rt_sigaction
	{"rt_sigaction", SYS_rt_sigaction},
#endif
#ifdef SYS_rt_sigpending
	{"rt_sigpending", SYS_rt_sigpending},
#endif
#ifdef SYS_rt_sigprocmask
	{"rt_sigprocmask", SYS_rt_sigprocmask},
#endif
#ifdef SYS_rt_sigreturn
	{"rt_sigreturn", SYS_rt_sigreturn},
#endif
#ifdef SYS_rt_sigtimedwait
	{"rt_sigtimedwait", SYS_rt_sigtimedwait},
#endif
#ifdef SYS_sched_yield
	{"sched_yield", SYS_sched_yield},
#endif
#ifdef SYS_sendmmsg
	{"sendmmsg", SYS_sendmmsg},
#endif
#ifdef SYS_sendmsg
	{"sendmsg", SYS_sendmsg},
#endif
#ifdef SYS_sendto
	{"sendto", SYS_sendto},
#endif
#ifdef SYS_set_robust_list
	{"set_robust_list", SYS_set_robust_list},
#endif
#ifdef SYS_setns
	{"setns", SYS_setns},
#endif
#ifdef SYS_setsockopt
	{"setsockopt", SYS_setsockopt},
#endif
#ifdef SYS_shutdown
	{"shutdown", SYS_shutdown},
#endif
#ifdef SYS_sigaltstack
	{"sigaltstack", SYS_sigaltstack},
#endif
#ifdef SYS_signalfd4
	{"signalfd4", SYS_signalfd4},
#endif
#ifdef SYS_socket
	{"socket", SYS_socket},
#endif
#ifdef SYS_socketpair
	{"socketpair", SYS_socketpair},
#endif
#ifdef SYS_stat
	{"stat", SYS_stat},
#endif
#ifdef SYS_statx
	{"statx", SYS_statx},
#endif
#ifdef SYS_sysinfo
	{"sysinfo", SYS_sysinfo},
#endif
#ifdef SYS_tgkill
	{"tgkill", SYS_tgkill},
#endif
#ifdef SYS_time
	{"time", SYS_time},
#endif
#ifdef SYS_timerfd_create
	{"timerfd_create", SYS_timerfd_create},
#endif
#ifdef SYS_timerfd_settime
	{"timerfd_settime", SYS_timerfd_settime},
#endif
#ifdef SYS_umask
	{"umask", SYS_umask},
#endif
#ifdef SYS_umount2
	{"umount2", SYS_umount2},
#endif
#ifdef SYS_uname
	{"uname", SYS_uname},
#endif
#ifdef SYS_unlinkat
	{"unlinkat", SYS_unlinkat},
#endif
#ifdef SYS_unshare
	{"unshare", SYS_unshare},
#endif
#ifdef SYS_userfaultfd
	{"userfaultfd", SYS_userfaultfd},
#endif
#ifdef SYS_vfork
	{"vfork", SYS_vfork},
#endif
#ifdef SYS_write
	{"write", SYS_write},
#endif
#ifdef SYS_writev
	{"writev", SYS_writev},
#endif
};

/* The table is sorted by name. */
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
	return -1;
}
