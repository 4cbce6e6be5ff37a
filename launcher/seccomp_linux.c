/* SPDX-License-Identifier: MIT */
/*
 * Policy rows to seccomp programs. The argument filter denies and stands alone, so that the allow
 * list needs no conditions; the kernel takes the stricter answer of the two. A wrong architecture
 * (the x32 and 32-bit tables of x86-64 too) kills the process. Run when the launcher is built
 * (seccomp_gen.c): compiling both programs anew took a sixth of a start.
 * System (memory files). Covered by tests/unit/launcher/t_seccomp.c, which runs the programs in an
 * interpreter, and by tests/escape/kernel.tap.
 */
#include "base/base.h"
#include "launcher/seccomp_compile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "policy/launch.h"

#define LOW32 0xffffffffu

static void cleanup_filter(scmp_filter_ctx *c)
{
	if (*c)
		seccomp_release(*c);
}
#define auto_filter __attribute__((cleanup(cleanup_filter)))

static uint32_t action_of(enum sys_action a)
{
	switch (a) {
	case SYS_ALLOW:
		return SCMP_ACT_ALLOW;
	case SYS_ENOSYS:
		return SCMP_ACT_ERRNO(ENOSYS);
	case SYS_EPERM:
	default:
		return SCMP_ACT_ERRNO(EPERM);
	}
}

/* Number of one word of a set ("name" or "name=number"); negative when this architecture has no
 * such call. */
static int number_of(const char *word, size_t len)
{
	char name[64];
	const char *eq = memchr(word, '=', len);
	size_t n = eq ? (size_t)(eq - word) : len;
	int number;

	if (n >= sizeof(name))
		return __NR_SCMP_ERROR;
	memcpy(name, word, n);
	name[n] = '\0';
	number = seccomp_syscall_resolve_name(name);
	if (number == __NR_SCMP_ERROR && eq)
		number = (int)strtol(eq + 1, NULL, 10);
	return number;
}

static int add_set(scmp_filter_ctx c, const struct sys_set *s, uint32_t default_action,
		   struct errctx *e)
{
	uint32_t action = action_of(s->action);

	if (action == default_action)
		return 0; /* it would say what the default says, and libseccomp refuses it */
	for (const char *at = s->calls; *at;) {
		size_t n = strcspn(at, " ");
		int number = n ? number_of(at, n) : -1;
		int r = number >= 0 ? seccomp_rule_add(c, action, number, 0) : 0;

		/* -EEXIST: an alias named twice. Negative pseudo numbers are calls of other
		 * architectures and need no rule here. */
		if (r < 0 && r != -EEXIST)
			return err_set(e, E_UNSUPPORTED, "seccomp: rule for %.*s (%s) refused",
				       (int)n, at, s->id);
		at += n + (at[n] == ' ');
	}
	return 0;
}

static int begin(scmp_filter_ctx *c, uint32_t default_action, struct errctx *e)
{
	*c = seccomp_init(default_action);
	if (!*c)
		return err_set(e, E_NOMEM, "seccomp: no memory");
	if (seccomp_attr_set(*c, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) < 0)
		return err_set(e, E_UNSUPPORTED, "seccomp: architecture check refused");
	return 0;
}

static int export(scmp_filter_ctx c, int *ret_fd, struct errctx *e)
{
	auto_fd int fd = memfd_create("confine-seccomp", MFD_CLOEXEC);

	if (fd < 0)
		return err_sys(e, "seccomp: memory file");
	if (seccomp_export_bpf(c, fd) < 0)
		return err_set(e, E_UNSUPPORTED, "seccomp: export failed");
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int add_arg_rule(scmp_filter_ctx c, const struct arg_rule *a, struct errctx *e)
{
	uint32_t action = SCMP_ACT_ERRNO((uint32_t)a->err);
	int number = seccomp_syscall_resolve_name(a->call);
	unsigned arg = a->arg;
	int r = 0;

	if (number < 0)
		return 0;
#if defined(__s390__) || defined(__s390x__)
	if (strcmp(a->call, "clone") == 0)
		arg = 1; /* flags come second there */
#endif
	switch (a->cmp) {
	case CMP_MASKED_EQ:
		r = seccomp_rule_add(c, action, number, 1,
				     SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, a->mask, a->value));
		break;
	case CMP_NE_ALL:
		/* Neither 0 nor "query" (all 32 bits): two bounds on the low half. Persona values
		 * are small; 0x1 to 0xfffffffe is everything else. */
		for (unsigned bit = 0; r == 0 && bit < 32; bit++) {
			/* A value with bit set and the next lower bit clear, or the reverse, is
			 * neither all zeros nor all ones. */
			uint64_t pair = 3ull << bit;

			if (bit == 31)
				break;
			r = seccomp_rule_add(c, action, number, 1,
					     SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, pair, 1ull << bit));
			if (r == 0)
				r = seccomp_rule_add(
					c, action, number, 1,
					SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, pair, 2ull << bit));
		}
		break;
	case CMP_ALWAYS:
		r = seccomp_rule_add(c, action, number, 0);
		break;
	}
	if (r < 0)
		return err_set(e, E_UNSUPPORTED, "seccomp: rule %s refused", a->id);
	return 0;
}

static bool family_open(int family, bool no_unix)
{
	if (family == AF_UNIX && no_unix)
		return false;
	for (size_t i = 0; i < launch_socket_families_count(); i++)
		if (launch_socket_families[i] == family)
			return true;
	return false;
}

/* The kernel looks at the low 32 bits of family and protocol. Refused families are listed one by
 * one up to the highest that any kernel has, then everything above by bit. */
static int add_socket_rules(scmp_filter_ctx c, bool no_unix, struct errctx *e)
{
	enum { LISTED = 64 };
	int number = seccomp_syscall_resolve_name("socket"), r = 0;
	uint32_t action = SCMP_ACT_ERRNO(EAFNOSUPPORT);

	if (number < 0)
		return 0;
	for (int f = 0; r == 0 && f < LISTED; f++) {
		uint32_t a = f == AF_UNIX ? SCMP_ACT_ERRNO(EPERM) : action;

		if (!family_open(f, no_unix))
			r = seccomp_rule_add(c, a, number, 1,
					     SCMP_CMP(0, SCMP_CMP_MASKED_EQ, LOW32, (unsigned)f));
	}
	for (unsigned bit = 6; r == 0 && bit < 32; bit++)
		r = seccomp_rule_add(c, action, number, 1,
				     SCMP_CMP(0, SCMP_CMP_MASKED_EQ, 1ull << bit, 1ull << bit));
	for (unsigned bit = 0; r == 0 && bit < 32;
	     bit++) /* netlink: only NETLINK_ROUTE, which is 0 */
		r = seccomp_rule_add(c, SCMP_ACT_ERRNO(EPERM), number, 2,
				     SCMP_CMP(0, SCMP_CMP_MASKED_EQ, LOW32, AF_NETLINK),
				     SCMP_CMP(2, SCMP_CMP_MASKED_EQ, 1ull << bit, 1ull << bit));
	if (r < 0)
		return err_set(e, E_UNSUPPORTED, "seccomp: socket rules refused");
	return 0;
}

int seccomp_compile_arguments(const struct seccomp_choice *choice, int *ret_fd, struct errctx *e)
{
	auto_filter scmp_filter_ctx c = NULL;
	size_t n;
	const struct arg_rule *rules = launch_arg_rules(&n);
	int r = begin(&c, SCMP_ACT_ALLOW, e);

	for (size_t i = 0; r == 0 && i < n; i++)
		if (rules[i].when == WHEN_ALWAYS ||
		    (rules[i].when == WHEN_EXEC_LIST && choice->exec_list) ||
		    (rules[i].when == WHEN_NO_UNIX && choice->no_unix))
			r = add_arg_rule(c, &rules[i], e);
	if (r == 0)
		r = add_socket_rules(c, choice->no_unix, e);
	return r < 0 ? r : export(c, ret_fd, e);
}

int seccomp_compile_list(const struct seccomp_choice *choice, int *ret_fd, struct errctx *e)
{
	auto_filter scmp_filter_ctx c = NULL;
	uint32_t otherwise = choice->allow_list ? SCMP_ACT_ERRNO(ENOSYS) : SCMP_ACT_ALLOW;
	size_t n;
	const struct sys_set *sets = launch_sys_sets(&n);
	int r = begin(&c, otherwise, e);

	for (size_t i = 0; r == 0 && i < n; i++) {
		if (sets[i].use == SET_DEBUG && choice->allow_debug) {
			struct sys_set open = sets[i];

			open.action = SYS_ALLOW;
			r = add_set(c, &open, otherwise, e);
			continue;
		}
		if (sets[i].use != SET_ALLOW || choice->allow_list)
			r = add_set(c, &sets[i], otherwise, e);
	}
	/* Conditions of the argument filter on calls that the allow list doesn't name. */
	if (r == 0 && choice->allow_list) {
		static const struct sys_set conditional = {
			"ARG_CALLS",	       SET_ALLOW, SYS_ALLOW, "conditional",
			"personality unshare", ""};

		r = add_set(c, &conditional, otherwise, e);
	}
	return r < 0 ? r : export(c, ret_fd, e);
}
