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
#include <sys/socket.h>
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

static size_t steps_taken;

/* The few instructions that the program may consist of; anything else fails the test. */
static uint32_t run_data(const struct seccomp_data *data)
{
	uint32_t a = 0;

	steps_taken = 0;
	for (size_t pc = 0; pc < filter.n; pc++) {
		const struct sock_filter *s = &filter.steps[pc];

		steps_taken++;
		switch (s->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			cr_assert_leq(s->k + 4, sizeof(*data));
			memcpy(&a, (const char *)data + s->k, 4);
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

static uint32_t run(uint32_t arch, uint32_t nr)
{
	return run_data(&(struct seccomp_data){.nr = (int)nr, .arch = arch});
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

#if defined(__x86_64__)
/* The table is searched by halves: a name out of order, or missing, would be left out silently. */
Test(confine_filter, every_named_call_has_its_number, .init = build)
{
	for (size_t i = 0; i < n_allow; i++)
		cr_expect_geq(confine_call_number(allow[i]), 0, "%s", allow[i]);
	for (size_t i = 0; i < n_fatal; i++)
		cr_expect_geq(confine_call_number(fatal[i]), 0, "%s", fatal[i]);
}
#endif

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

/* By halves: no call that exists costs more than a dozen comparisons. */
#ifdef HERE
Test(confine_filter, every_number_is_decided_in_few_steps, .init = build)
{
	for (uint32_t nr = 0; nr < 2000; nr++) {
		(void)run(HERE, nr);
		cr_assert_leq(steps_taken, 20, "%u: %zu", nr, steps_taken);
	}
}
#endif

Test(confine_filter, no_call_is_named_twice, .init = build)
{
	for (size_t i = 0; i < n_allow; i++) {
		for (size_t j = 0; j < i; j++)
			cr_assert_str_neq(allow[i], allow[j]);
		for (size_t j = 0; j < n_fatal; j++)
			cr_assert_str_neq(allow[i], fatal[j]);
	}
}

#ifdef HERE
static uint32_t run_socket(int call, uint64_t family, uint64_t protocol)
{
	return run_data(&(struct seccomp_data){
		.nr = call, .arch = HERE, .args = {family, SOCK_STREAM, protocol}});
}

Test(confine_filter, sockets_of_other_families_are_refused)
{
	static const int families[] = {AF_INET, AF_INET6, AF_NETLINK};
	static const int calls[] = {SYS_socket, SYS_socketpair};

	cr_assert_eq(confine_filter_build_sockets(families, ARRAY_LEN(families), &filter), 0);
	for (size_t c = 0; c < ARRAY_LEN(calls); c++)
		for (uint64_t family = 0; family < 100; family++) {
			bool open = family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
			uint32_t want =
				open ? SECCOMP_RET_ALLOW : (SECCOMP_RET_ERRNO | EAFNOSUPPORT);

			cr_assert_eq(run_socket(calls[c], family, 0), want, "family %d",
				     (int)family);
			cr_assert_eq(run_socket(calls[c], family | 1ull << 32, 0), want,
				     "the upper half is not looked at by the kernel either");
		}
	for (uint64_t protocol = 1; protocol < 40; protocol++) {
		cr_assert_eq(run_socket(SYS_socket, AF_NETLINK, protocol),
			     SECCOMP_RET_ERRNO | EPERM);
		cr_assert_eq(run_socket(SYS_socket, AF_INET, protocol), SECCOMP_RET_ALLOW);
	}
	for (int nr = 0; nr < 600; nr++)
		if (nr != SYS_socket && nr != SYS_socketpair)
			cr_assert_eq(run_socket(nr, AF_UNIX, 9), SECCOMP_RET_ALLOW, "call %d", nr);
}

Test(confine_filter, sockets_without_netlink_or_without_any)
{
	static const int one[] = {AF_INET};
	static const int many[33] = {0};

	cr_assert_eq(confine_filter_build_sockets(one, 1, &filter), 0);
	cr_assert_eq(run_socket(SYS_socket, AF_INET, 0), SECCOMP_RET_ALLOW);
	cr_assert_eq(run_socket(SYS_socket, AF_INET6, 0), SECCOMP_RET_ERRNO | EAFNOSUPPORT);
	cr_assert_eq(run_socket(SYS_socket, AF_NETLINK, 0), SECCOMP_RET_ERRNO | EAFNOSUPPORT);
	cr_assert_eq(run(ELSEWHERE, 1), SECCOMP_RET_KILL_PROCESS);
	cr_assert_eq(run(HERE, 0x40000001), SECCOMP_RET_KILL_PROCESS);
	cr_assert_eq(confine_filter_build_sockets(one, 0, &filter), E_RANGE);
	cr_assert_eq(confine_filter_build_sockets(many, 33, &filter), E_RANGE);
}
#endif

Test(confine_filter, a_name_that_nobody_knows_is_an_error)
{
	static const char *const good[] = {"read"}, *const bad[] = {"read", "raed"};

	cr_expect_eq(confine_filter_build(good, 1, good, 0, &filter), 0);
	cr_expect_eq(confine_filter_build(bad, 2, NULL, 0, &filter), E_INTERNAL);
	cr_expect_eq(confine_filter_build(good, 1, bad + 1, 1, &filter), E_INTERNAL);
}
