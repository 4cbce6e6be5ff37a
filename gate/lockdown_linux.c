/* SPDX-License-Identifier: MIT */
/* The hook's own filter on system calls, written as a list: what isn't on it raises SIGSYS, which
 * ends by the fail mode. Built by hand, since the filter library takes longer than a decision.
 * Effects: no new privileges, a seccomp filter. Test: tests/e2e/t0401-gate-fail.tap. */
#include "base/base.h"

#include "gate/guard.h"

#if defined(HAVE_LINUX_SECCOMP_H) && !defined(SANITIZED)

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define GATE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define GATE_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef GATE_ARCH

#define ALLOW(call)                                                                                \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1),                                         \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

void guard_lockdown(void)
{
	static const struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, GATE_ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_read),
		ALLOW(SYS_write),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_exit),
		ALLOW(SYS_brk),
		ALLOW(SYS_mmap),
		ALLOW(SYS_munmap),
		ALLOW(SYS_mremap),
		ALLOW(SYS_madvise),
		ALLOW(SYS_close),
		ALLOW(SYS_fstat),
		ALLOW(SYS_newfstatat), /* the size of a file that would be replaced */
		ALLOW(SYS_lseek),
		ALLOW(SYS_setitimer),
		ALLOW(SYS_rt_sigreturn),
		ALLOW(SYS_rt_sigprocmask),
		ALLOW(SYS_clock_gettime),
		ALLOW(SYS_getrandom),
		ALLOW(SYS_futex),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
	};
	struct sock_fprog program = {.len = ARRAY_LEN(rules)};

	memcpy(&program.filter, &(const struct sock_filter *){rules}, sizeof(program.filter));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else
void guard_lockdown(void)
{
}
#endif

#else
void guard_lockdown(void)
{
}
#endif
