/* SPDX-License-Identifier: MIT */
/*
 * System calls of a guest (file 10, 18.9): sets as strings, and conditions on arguments.
 * launcher/seccomp_linux.c turns the rows into two stacked filters; the generated programs are run
 * in an interpreter by tests/unit/launcher/t_seccomp.c, since rules that look right can merge into
 * a weaker filter. Pure.
 */
#include "base/base.h"
#include "policy/launch.h"

#include <errno.h>
#include <sched.h>
#include <sys/socket.h>

static const struct sys_set sets[] = {
	{"SYS_01", SET_DENY, SYS_EPERM, "keyring", "add_key keyctl request_key",
	 "keys of the caller; not namespaced"},
	{"SYS_02", SET_DEBUG, SYS_EPERM, "debug",
	 "ptrace process_vm_readv process_vm_writev kcmp process_madvise pidfd_getfd",
	 "reading and steering other processes"},
	{"SYS_03", SET_DENY, SYS_EPERM, "bpf", "bpf", "kernel programs"},
	{"SYS_04", SET_DENY, SYS_EPERM, "perf", "perf_event_open", "kernel attack surface"},
	{"SYS_05", SET_DENY, SYS_EPERM, "userfaultfd", "userfaultfd",
	 "holds the kernel at a chosen point; used by exploits"},
	{"SYS_06", SET_DENY, SYS_ENOSYS, "io_uring",
	 "io_uring_setup io_uring_enter io_uring_register", "makes calls past this filter"},
	{"SYS_07", SET_DENY, SYS_EPERM, "mount", "mount umount umount2 pivot_root chroot",
	 "the boundary is made of mounts"},
	{"SYS_08", SET_DENY, SYS_ENOSYS, "mount api",
	 "open_tree=428 move_mount=429 fsopen=430 fsconfig=431 fsmount=432 fspick=433 "
	 "mount_setattr=442 open_tree_attr=467 statmount=457 listmount=458",
	 "the boundary is made of mounts"},
	{"SYS_09", SET_DENY, SYS_EPERM, "namespaces", "setns", "joining a namespace"},
	{"SYS_10", SET_DENY, SYS_EPERM, "file handles", "open_by_handle_at name_to_handle_at",
	 "opens a file without a path"},
	{"SYS_11", SET_DENY, SYS_EPERM, "modules", "init_module finit_module delete_module",
	 "kernel code"},
	{"SYS_12", SET_DENY, SYS_EPERM, "boot", "kexec_load kexec_file_load reboot",
	 "machine state"},
	{"SYS_13", SET_DENY, SYS_EPERM, "swap and accounting",
	 "swapon swapoff acct quotactl quotactl_fd=443 nfsservctl", "machine state"},
	{"SYS_14", SET_DENY, SYS_EPERM, "kernel log", "syslog",
	 "addresses and other users' traces"},
	{"SYS_15", SET_DENY, SYS_EPERM, "raw io", "iopl ioperm modify_ldt",
	 "hardware; rarely tested "
	 "kernel code"},
	{"SYS_16", SET_DENY, SYS_EPERM, "clock and names",
	 "settimeofday stime clock_settime clock_settime64 clock_adjtime clock_adjtime64 adjtimex "
	 "sethostname setdomainname vhangup",
	 "machine state"},
	{"SYS_17", SET_DENY, SYS_EPERM, "fanotify", "fanotify_init fanotify_mark lookup_dcookie",
	 "watching other processes' files"},
	{"SYS_18", SET_DENY, SYS_EPERM, "numa",
	 "move_pages migrate_pages mbind set_mempolicy set_mempolicy_home_node=450",
	 "kernel attack surface without use for a guest"},
	{"SYS_19", SET_DENY, SYS_EPERM, "obsolete",
	 "uselib ustat _sysctl sysfs bdflush create_module get_kernel_syms query_module "
	 "afs_syscall "
	 "getpmsg putpmsg security tuxcall vserver remap_file_pages",
	 "unmaintained kernel code"},
	{"SYS_20", SET_DENY, SYS_ENOSYS, "secret memory", "memfd_secret=447",
	 "memory that the host can't inspect"},

	{"SYS_40", SET_ALLOW, SYS_ALLOW, "default",
	 "arch_prctl brk cacheflush clock_getres clock_getres_time64 clock_gettime clock_gettime64 "
	 "clock_nanosleep clock_nanosleep_time64 execve exit exit_group futex futex_time64 "
	 "futex_waitv=449 futex_wake=454 futex_wait=455 futex_requeue=456 get_robust_list "
	 "get_thread_area getegid getegid32 geteuid geteuid32 getgid getgid32 getgroups "
	 "getgroups32 "
	 "getpgid getpgrp getpid getppid getrandom getresgid getresgid32 getresuid getresuid32 "
	 "getrlimit getsid gettid gettimeofday getuid getuid32 membarrier mmap mmap2 mprotect "
	 "munmap "
	 "nanosleep pause prlimit64 restart_syscall riscv_flush_icache riscv_hwprobe rseq "
	 "rt_sigreturn "
	 "sched_getaffinity sched_yield set_robust_list set_thread_area set_tid_address set_tls "
	 "sigreturn time ugetrlimit",
	 "start, memory, time"},
	{"SYS_41", SET_ALLOW, SYS_ALLOW, "basic io",
	 "_llseek close close_range=436 dup dup2 dup3 lseek pread64 preadv preadv2 pwrite64 "
	 "pwritev "
	 "pwritev2 read readv write writev",
	 "open descriptors"},
	{"SYS_42", SET_ALLOW, SYS_ALLOW, "file system",
	 "access chdir chmod creat faccessat faccessat2=439 fallocate fchdir fchmod fchmodat "
	 "fchmodat2=452 fcntl fcntl64 fgetxattr flistxattr fremovexattr fsetxattr fstat fstat64 "
	 "fstatat64 fstatfs fstatfs64 ftruncate ftruncate64 futimesat getcwd getdents getdents64 "
	 "getxattr getxattrat=464 inotify_add_watch inotify_init inotify_init1 inotify_rm_watch "
	 "lgetxattr link linkat listxattr listxattrat=465 llistxattr lremovexattr lsetxattr lstat "
	 "lstat64 mkdir mkdirat mknod mknodat newfstatat oldfstat oldlstat oldstat open openat "
	 "openat2=437 readlink readlinkat removexattr removexattrat=466 rename renameat renameat2 "
	 "rmdir "
	 "setxattr setxattrat=463 stat stat64 statfs statfs64 statx symlink symlinkat truncate "
	 "truncate64 unlink unlinkat utime utimensat utimensat_time64 utimes umask chown chown32 "
	 "fchown fchown32 fchownat lchown lchown32 cachestat=451",
	 "files; the mounts decide where"},
	{"SYS_43", SET_ALLOW, SYS_ALLOW, "events",
	 "_newselect epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait "
	 "epoll_pwait2=441 "
	 "epoll_wait epoll_wait_old eventfd eventfd2 poll ppoll ppoll_time64 pselect6 "
	 "pselect6_time64 "
	 "select",
	 "waiting"},
	{"SYS_44", SET_ALLOW, SYS_ALLOW, "ipc",
	 "ipc memfd_create mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedreceive_time64 "
	 "mq_timedsend mq_timedsend_time64 mq_unlink msgctl msgget msgrcv msgsnd pipe pipe2 semctl "
	 "semget semop semtimedop semtimedop_time64 shmat shmctl shmdt shmget",
	 "own ipc namespace"},
	{"SYS_45", SET_ALLOW, SYS_ALLOW, "network",
	 "accept accept4 bind connect getpeername getsockname getsockopt listen recv recvfrom "
	 "recvmmsg "
	 "recvmmsg_time64 recvmsg send sendmmsg sendmsg sendto setsockopt shutdown socket "
	 "socketcall "
	 "socketpair",
	 "own network namespace; families in the argument filter"},
	{"SYS_46", SET_ALLOW, SYS_ALLOW, "processes",
	 "capget capset clone execveat fork getrusage kill pidfd_open=434 pidfd_send_signal=424 "
	 "prctl "
	 "rt_sigqueueinfo rt_tgsigqueueinfo setpgid setsid swapcontext tgkill times tkill vfork "
	 "wait4 "
	 "waitid waitpid seccomp landlock_create_ruleset=444 landlock_add_rule=445 "
	 "landlock_restrict_self=446",
	 "own pid namespace"},
	{"SYS_47", SET_ALLOW, SYS_ALLOW, "identity",
	 "setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups setgroups32 setregid "
	 "setregid32 setresgid setresgid32 setresuid setresuid32 setreuid setreuid32 setuid "
	 "setuid32",
	 "without capabilities these change nothing, but programs call them"},
	{"SYS_48", SET_ALLOW, SYS_ALLOW, "signals",
	 "rt_sigaction rt_sigpending rt_sigprocmask rt_sigsuspend rt_sigtimedwait "
	 "rt_sigtimedwait_time64 sigaction sigaltstack signal signalfd signalfd4 sigpending "
	 "sigprocmask "
	 "sigsuspend",
	 "own process"},
	{"SYS_49", SET_ALLOW, SYS_ALLOW, "sync",
	 "fdatasync fsync msync sync sync_file_range sync_file_range2 syncfs", "durability"},
	{"SYS_50", SET_ALLOW, SYS_ALLOW, "timers",
	 "alarm getitimer setitimer timer_create timer_delete timer_getoverrun timer_gettime "
	 "timer_gettime64 timer_settime timer_settime64 timerfd_create timerfd_gettime "
	 "timerfd_gettime64 timerfd_settime timerfd_settime64",
	 "own process"},
	{"SYS_51", SET_ALLOW, SYS_ALLOW, "aio",
	 "io_cancel io_destroy io_getevents io_pgetevents io_pgetevents_time64 io_setup io_submit",
	 "databases"},
	{"SYS_52", SET_ALLOW, SYS_ALLOW, "scheduling and limits",
	 "getpriority ioprio_get ioprio_set sched_get_priority_max sched_get_priority_min "
	 "sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval "
	 "sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam "
	 "sched_setscheduler setpriority setrlimit nice",
	 "own processes"},
	{"SYS_53", SET_ALLOW, SYS_ALLOW, "memory",
	 "madvise mincore mlock mlock2 mlockall mremap munlock munlockall pkey_alloc pkey_free "
	 "pkey_mprotect map_shadow_stack=453 mseal=462 get_mempolicy",
	 "own memory"},
	{"SYS_54", SET_ALLOW, SYS_ALLOW, "other",
	 "copy_file_range fadvise64 fadvise64_64 arm_fadvise64_64 flock getcpu ioctl olduname "
	 "readahead "
	 "readdir sendfile sendfile64 splice sysinfo tee uname vmsplice",
	 "everyday"},
};

const struct sys_set *launch_sys_sets(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(sets);
	return sets;
}

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif
enum {
	IOCTL_TIOCSTI = 0x5412,
	IOCTL_TIOCLINUX = 0x541C,
	MEMFD_NOEXEC_SEAL = 0x0008,
	PERSONALITY_QUERY = -1,
};
#define ONE_BIT(no, call, bit)                                                                     \
	{                                                                                          \
		no, WHEN_ALWAYS, call, 0, CMP_MASKED_EQ, bit, bit, EPERM,                          \
			"a namespace gives capabilities over kernel code"                          \
	}
#define LOW32 0xffffffffu

/* Compared in the low 32 bits: the kernel ignores the upper half of these arguments, so a plain
 * comparison could be bypassed (CVE-2019-10063 of flatpak). One row a bit: libseccomp has no "any
 * of these bits". */
static const struct arg_rule args[] = {
	{"ARG_01", WHEN_ALWAYS, "ioctl", 1, CMP_MASKED_EQ, LOW32, IOCTL_TIOCSTI, EPERM,
	 "types into the terminal"},
	{"ARG_02", WHEN_ALWAYS, "ioctl", 1, CMP_MASKED_EQ, LOW32, IOCTL_TIOCLINUX, EPERM,
	 "pastes into the terminal"},
	ONE_BIT("ARG_10", "clone", CLONE_NEWNS),
	ONE_BIT("ARG_11", "clone", CLONE_NEWCGROUP),
	ONE_BIT("ARG_12", "clone", CLONE_NEWUTS),
	ONE_BIT("ARG_13", "clone", CLONE_NEWIPC),
	ONE_BIT("ARG_14", "clone", CLONE_NEWUSER),
	ONE_BIT("ARG_15", "clone", CLONE_NEWPID),
	ONE_BIT("ARG_16", "clone", CLONE_NEWNET),
	{"ARG_19", WHEN_ALWAYS, "clone3", 0, CMP_ALWAYS, 0, 0, ENOSYS,
	 "its flags are in memory, out of a filter's reach; libraries fall back to clone"},
	ONE_BIT("ARG_20", "unshare", CLONE_NEWNS),
	ONE_BIT("ARG_21", "unshare", CLONE_NEWCGROUP),
	ONE_BIT("ARG_22", "unshare", CLONE_NEWUTS),
	ONE_BIT("ARG_23", "unshare", CLONE_NEWIPC),
	ONE_BIT("ARG_24", "unshare", CLONE_NEWUSER),
	ONE_BIT("ARG_25", "unshare", CLONE_NEWPID),
	ONE_BIT("ARG_26", "unshare", CLONE_NEWNET),
	ONE_BIT("ARG_27", "unshare", CLONE_NEWTIME),
	{"ARG_30", WHEN_ALWAYS, "personality", 0, CMP_NE_ALL, 0, 0, EPERM,
	 "switches address randomisation off"},
	{"ARG_40", WHEN_EXEC_LIST, "memfd_create", 1, CMP_MASKED_EQ, MEMFD_NOEXEC_SEAL, 0, EPERM,
	 "a memory file can be executed past the program allowlist"},
};

const struct arg_rule *launch_arg_rules(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(args);
	return args;
}

const int launch_socket_families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

size_t launch_socket_families_count(void)
{
	return ARRAY_LEN(launch_socket_families);
}
