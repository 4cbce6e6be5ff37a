/* SPDX-License-Identifier: MIT */
/* Runs the generated BPF program, as the kernel would, for every call number and for foreign
 * tables. */
#include "base/base.h"

#include "launcher/confine_filter.h"

#include "policy/policy.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

static struct confine_filter filter;
static const char *allow[128], *fatal[128];
static size_t n_allow, n_fatal;

static void build(void)
{
	size_t n;
	const struct syscall_row *rows = policy_server_syscalls(&n);

	n_allow = n_fatal = 0;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].action == SYSCALL_ALLOW)
			allow[n_allow++] = rows[i].name;
		else
			fatal[n_fatal++] = rows[i].name;
	}
	cr_assert_eq(confine_filter_build(allow, n_allow, fatal, n_fatal, &filter), 0);
}

/* The few instructions that the program may consist of; anything else fails the test. */
static uint32_t run(uint32_t arch, uint32_t nr)
{
	struct seccomp_data data = {.nr = (int)nr, .arch = arch};
	uint32_t a = 0;

	for (size_t pc = 0; pc < filter.n; pc++) {
		const struct sock_filter *s = &filter.steps[pc];

		switch (s->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			cr_assert_leq(s->k + 4, sizeof(data));
			memcpy(&a, (const char *)&data + s->k, 4);
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			pc += a == s->k ? s->jt : s->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			pc += a >= s->k ? s->jt : s->jf;
			break;
		case BPF_RET | BPF_K:
			return s->k;
		default:
			cr_assert_fail("unknown instruction %x", s->code);
		}
	}
	cr_assert_fail("ran off the end");
	return 0;
}

#if defined(__x86_64__)
#define HERE	  AUDIT_ARCH_X86_64
#define ELSEWHERE AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define HERE	  AUDIT_ARCH_AARCH64
#define ELSEWHERE AUDIT_ARCH_ARM
#endif

#ifdef HERE
static int number(const char *name)
{
	/* Independent of the table under test. */
	static const struct {
		const char *name;
		int number;
	} known[] = {{"read", SYS_read},     {"openat", SYS_openat},	 {"openat2", SYS_openat2},
		     {"execve", SYS_execve}, {"execveat", SYS_execveat}, {"socket", SYS_socket},
		     {"ptrace", SYS_ptrace}, {"clone3", SYS_clone3}};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i].number;
	return -1;
}

Test(confine_filter, named_calls_get_their_action, .init = build)
{
	cr_assert_eq(run(HERE, (uint32_t)number("read")), SECCOMP_RET_ALLOW);
	cr_assert_eq(run(HERE, (uint32_t)number("openat")), SECCOMP_RET_ALLOW);
	cr_assert_eq(run(HERE, (uint32_t)number("openat2")), SECCOMP_RET_ALLOW);
	cr_assert_eq(run(HERE, (uint32_t)number("execve")), SECCOMP_RET_KILL_PROCESS);
	cr_assert_eq(run(HERE, (uint32_t)number("execveat")), SECCOMP_RET_KILL_PROCESS);
	cr_assert_eq(run(HERE, (uint32_t)number("socket")), SECCOMP_RET_KILL_PROCESS);
	cr_assert_eq(run(HERE, (uint32_t)number("ptrace")), SECCOMP_RET_KILL_PROCESS);
	cr_assert_eq(run(HERE, (uint32_t)number("clone3")), SECCOMP_RET_KILL_PROCESS);
}

Test(confine_filter, exactly_the_named_calls_are_not_refused, .init = build)
{
	size_t passed = 0, killed = 0;

	for (uint32_t nr = 0; nr < 2000; nr++) {
		uint32_t action = run(HERE, nr);

		passed += action == SECCOMP_RET_ALLOW;
		killed += action == SECCOMP_RET_KILL_PROCESS;
		cr_assert(action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_KILL_PROCESS ||
			  action == (SECCOMP_RET_ERRNO | EPERM));
	}
	for (size_t i = 0; i < n_allow; i++)
		passed -= confine_filter_knows(allow[i]);
	for (size_t i = 0; i < n_fatal; i++)
		killed -= confine_filter_knows(fatal[i]);
	cr_assert_eq(passed, 0);
	cr_assert_eq(killed, 0);
}

Test(confine_filter, foreign_tables_and_high_bits_kill, .init = build)
{
	for (uint32_t nr = 0; nr < 600; nr++) {
		cr_assert_eq(run(ELSEWHERE, nr), SECCOMP_RET_KILL_PROCESS);
		cr_assert_eq(run(0, nr), SECCOMP_RET_KILL_PROCESS);
		cr_assert_eq(run(HERE, nr | 0x40000000), SECCOMP_RET_KILL_PROCESS);
		cr_assert_eq(run(HERE, nr | 0x80000000), SECCOMP_RET_KILL_PROCESS);
	}
}
#endif

Test(confine_filter, a_program_that_does_not_fit_is_an_error)
{
	static const char *many[400];

	for (size_t i = 0; i < ARRAY_LEN(many); i++)
		many[i] = "read";
	cr_assert_eq(confine_filter_build(many, ARRAY_LEN(many), NULL, 0, &filter), E_TOOBIG);
}

Test(confine_filter, no_call_is_named_twice, .init = build)
{
	for (size_t i = 0; i < n_allow; i++) {
		for (size_t j = 0; j < i; j++)
			cr_assert_str_neq(allow[i], allow[j]);
		for (size_t j = 0; j < n_fatal; j++)
			cr_assert_str_neq(allow[i], fatal[j]);
	}
}
