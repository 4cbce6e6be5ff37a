/* SPDX-License-Identifier: MIT */
/*
 * The system call filter of our own programs, written out as a short linear BPF program. Guests of
 * the launcher get theirs through libseccomp; here the library would cost a quarter of the start-up
 * time that the server has (its object to load and relocate, its probing of the kernel), for a list
 * without argument tests. Effects: on the calling process, for good. Tests:
 * tests/unit/launcher/t_confine_filter.c runs the program for every call number,
 * tests/escape/x0800-server-confined.tap tries it live.
 */
#include "base/base.h"

#include "launcher/confine_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#if defined(__x86_64__) && defined(__ILP32__)
#define OWN_ARCH 0
#elif defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OWN_ARCH AUDIT_ARCH_RISCV64
#elif defined(__i386__)
#define OWN_ARCH AUDIT_ARCH_I386
#elif defined(__arm__) && defined(__ARM_EABI__)
#define OWN_ARCH AUDIT_ARCH_ARM
#elif defined(__s390x__)
#define OWN_ARCH AUDIT_ARCH_S390X
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define OWN_ARCH AUDIT_ARCH_PPC64LE
#else
#define OWN_ARCH 0 /* unknown: E_UNSUPPORTED at run time, never a filter that guesses */
#endif

/* Above every number of every table; x86-64 keeps its second table (x32) there. */
enum { X32_BIT = 0x40000000 };

/* Calls that policy/ may name. An architecture without one has no row for it. */
static const struct {
	const char *name;
	int number;
} numbers[] = {
#ifdef SYS_bpf
	{"bpf", SYS_bpf},
#endif
#ifdef SYS_brk
	{"brk", SYS_brk},
#endif
#ifdef SYS_clock_gettime
	{"clock_gettime", SYS_clock_gettime},
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
#ifdef SYS_fcntl
	{"fcntl", SYS_fcntl},
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
#ifdef SYS_getdents64
	{"getdents64", SYS_getdents64},
#endif
#ifdef SYS_geteuid
	{"geteuid", SYS_geteuid},
#endif
#ifdef SYS_getpid
	{"getpid", SYS_getpid},
#endif
#ifdef SYS_getrandom
	{"getrandom", SYS_getrandom},
#endif
#ifdef SYS_gettid
	{"gettid", SYS_gettid},
#endif
#ifdef SYS_gettimeofday
	{"gettimeofday", SYS_gettimeofday},
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
#ifdef SYS_lseek
	{"lseek", SYS_lseek},
#endif
#ifdef SYS_madvise
	{"madvise", SYS_madvise},
#endif
#ifdef SYS_mmap
	{"mmap", SYS_mmap},
#endif
#ifdef SYS_mount
	{"mount", SYS_mount},
#endif
#ifdef SYS_mremap
	{"mremap", SYS_mremap},
#endif
#ifdef SYS_munmap
	{"munmap", SYS_munmap},
#endif
#ifdef SYS_newfstatat
	{"newfstatat", SYS_newfstatat},
#endif
#ifdef SYS_openat
	{"openat", SYS_openat},
#endif
#ifdef SYS_openat2
	{"openat2", SYS_openat2},
#endif
#ifdef SYS_pidfd_getfd
	{"pidfd_getfd", SYS_pidfd_getfd},
#endif
#ifdef SYS_poll
	{"poll", SYS_poll},
#endif
#ifdef SYS_ppoll
	{"ppoll", SYS_ppoll},
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
#ifdef SYS_read
	{"read", SYS_read},
#endif
#ifdef SYS_readlink
	{"readlink", SYS_readlink},
#endif
#ifdef SYS_readlinkat
	{"readlinkat", SYS_readlinkat},
#endif
#ifdef SYS_renameat
	{"renameat", SYS_renameat},
#endif
#ifdef SYS_renameat2
	{"renameat2", SYS_renameat2},
#endif
#ifdef SYS_restart_syscall
	{"restart_syscall", SYS_restart_syscall},
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
#ifdef SYS_socket
	{"socket", SYS_socket},
#endif
#ifdef SYS_socketpair
	{"socketpair", SYS_socketpair},
#endif
#ifdef SYS_statx
	{"statx", SYS_statx},
#endif
#ifdef SYS_tgkill
	{"tgkill", SYS_tgkill},
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
};

static int number_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (strcmp(numbers[i].name, name) == 0)
			return numbers[i].number;
	return -1;
}

static void put(struct confine_filter *f, struct sock_filter step)
{
	if (f->n < ARRAY_LEN(f->steps))
		f->steps[f->n] = step;
	f->n++; /* also beyond the end: the caller looks */
}

/* The call whose number is loaded ends in action if it is this one. */
static void put_test(struct confine_filter *f, int number, uint32_t action)
{
	put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1));
	put(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void put_load(struct confine_filter *f, size_t offset)
{
	put(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

int confine_filter_build(const char *const *allow, size_t n_allow, const char *const *fatal,
			 size_t n_fatal, struct confine_filter *ret)
{
	ret->n = 0;
	if (OWN_ARCH == 0)
		return E_UNSUPPORTED;
	put_load(ret, offsetof(struct seccomp_data, arch));
	put(ret, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0));
	put(ret, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
	put_load(ret, offsetof(struct seccomp_data, nr));
	put(ret, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1));
	put(ret, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
	for (size_t i = 0; i < n_allow; i++)
		if (number_of(allow[i]) >= 0)
			put_test(ret, number_of(allow[i]), SECCOMP_RET_ALLOW);
	for (size_t i = 0; i < n_fatal; i++)
		if (number_of(fatal[i]) >= 0)
			put_test(ret, number_of(fatal[i]), SECCOMP_RET_KILL_PROCESS);
	put(ret, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
	return ret->n > ARRAY_LEN(ret->steps) ? E_TOOBIG : 0;
}

bool confine_filter_knows(const char *name)
{
	return number_of(name) >= 0;
}

int confine_syscalls(const char *const *allow, size_t n_allow, const char *const *fatal,
		     size_t n_fatal, struct errctx *e)
{
	struct confine_filter filter;
	struct sock_fprog program;
	int err = confine_filter_build(allow, n_allow, fatal, n_fatal, &filter);

	if (err)
		return err_set(e, err, "system call filter: %s", err_name(err));
	program = (struct sock_fprog){(unsigned short)filter.n, filter.steps};
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
		return err_sys(e, "system call filter");
	return 0;
}
