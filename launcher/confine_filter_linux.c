/* SPDX-License-Identifier: MIT */
/*
 * The system call filter of our own programs, written out as a BPF program that searches the call's
 * number by halves: the kernel runs it for each call that exists when it takes it. Guests of the
 * launcher get theirs through libseccomp; here the library would cost a quarter of the start-up
 * time that the server has (its object to load and relocate, its probing of the kernel), for a list
 * without argument tests. Effects: on the calling process, for good. Tests:
 * tests/unit/launcher/t_confine_filter.c runs the program for every call number,
 * tests/escape/x0800-server-confined.tap tries it live.
 */
#include "base/base.h"

#include "launcher/confine_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sys/socket.h>
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

/* Another architecture's table, or the second one of x86-64, ends the process. Leaves the number
 * loaded. */
static void put_start(struct confine_filter *f)
{
	put_load(f, offsetof(struct seccomp_data, arch));
	put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0));
	put(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
	put_load(f, offsetof(struct seccomp_data, nr));
	put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1));
	put(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
}

/* All numbers from first on, up to the next run's, end in action. */
struct run {
	uint32_t first;
	uint32_t action;
};

struct runs {
	struct run at[MAX_FILTER_RUNS];
	size_t n;
};

/* Sorted by number; n grows beyond the end, the caller looks. */
static int add_calls(struct runs *r, const char *const *names, size_t n, uint32_t action)
{
	for (size_t i = 0; i < n; i++) {
		int number = confine_call_number(names[i]);
		size_t to = r->n;

		if (number == CALL_UNKNOWN)
			return E_INTERNAL;
		if (number == CALL_ABSENT)
			continue;
		if (r->n++ >= ARRAY_LEN(r->at))
			continue;
		for (; to > 0 && r->at[to - 1].first > (uint32_t)number; to--)
			r->at[to] = r->at[to - 1];
		r->at[to] = (struct run){(uint32_t)number, action};
	}
	return 0;
}

static void add_run(struct runs *r, uint32_t first, uint32_t action)
{
	if (r->n > 0 && r->at[r->n - 1].action == action)
		return;
	if (r->n > 0 && r->at[r->n - 1].first == first)
		r->n--;
	if (r->n < ARRAY_LEN(r->at))
		r->at[r->n] = (struct run){first, action};
	r->n++;
}

/* What lies between the calls is refused. */
static void fill_gaps(const struct runs *calls, struct runs *ret)
{
	uint32_t rest = SECCOMP_RET_ERRNO | EPERM;

	add_run(ret, 0, rest);
	for (size_t i = 0; i < calls->n; i++) {
		uint32_t next = calls->at[i].first + 1;

		add_run(ret, calls->at[i].first, calls->at[i].action);
		if (i + 1 == calls->n || calls->at[i + 1].first > next)
			add_run(ret, next, rest);
	}
}

/* Decides among n runs: the lower half follows at once, the upper half behind it. */
static void put_runs(struct confine_filter *f, const struct run *runs, size_t n)
{
	size_t half = n / 2, at = f->n;

	if (n == 1) {
		put(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, runs[0].action));
		return;
	}
	put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, runs[half].first, 0, 0));
	put_runs(f, runs, half);
	if (at < ARRAY_LEN(f->steps))
		f->steps[at].jt = (uint8_t)(f->n - at - 1);
	put_runs(f, runs + half, n - half);
}

/* A jump reaches 255 steps, and the lower half of n runs takes n - 1. */
_Static_assert(MAX_FILTER_RUNS <= 256, "every jump of the tree reaches its end");

int confine_filter_build(const char *const *allow, size_t n_allow, const char *const *fatal,
			 size_t n_fatal, struct confine_filter *ret)
{
	struct runs calls = {.n = 0}, all = {.n = 0};

	ret->n = 0;
	if (OWN_ARCH == 0)
		return E_UNSUPPORTED;
	if (add_calls(&calls, allow, n_allow, SECCOMP_RET_ALLOW) != 0 ||
	    add_calls(&calls, fatal, n_fatal, SECCOMP_RET_KILL_PROCESS) != 0)
		return E_INTERNAL;
	if (calls.n > ARRAY_LEN(calls.at))
		return E_TOOBIG;
	fill_gaps(&calls, &all);
	if (all.n > ARRAY_LEN(all.at))
		return E_TOOBIG;
	put_start(ret);
	put_runs(ret, all.at, all.n);
	return ret->n > ARRAY_LEN(ret->steps) ? E_TOOBIG : 0;
}

/* Low half of a 64-bit argument: the kernel looks at no more of a family or a protocol. */
static size_t low_half_of(size_t arg)
{
	size_t high_first = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;

	return offsetof(struct seccomp_data, args) + arg * sizeof(uint64_t) + high_first;
}

/* With the family loaded: sockets of this one pass. Of netlink only the part that tells addresses
 * and routes, which name resolution asks. */
static void put_family(struct confine_filter *f, int family)
{
	if (family != AF_NETLINK) {
		put_test(f, family, SECCOMP_RET_ALLOW);
		return;
	}
	put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 4));
	put_load(f, low_half_of(2));
	put_test(f, NETLINK_ROUTE, SECCOMP_RET_ALLOW);
	put(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
}

int confine_filter_build_sockets(const int *families, size_t n, struct confine_filter *ret)
{
	static const char *const calls[] = {"socket", "socketpair"};

	ret->n = 0;
	if (OWN_ARCH == 0)
		return E_UNSUPPORTED;
	if (n == 0 || n > 32)
		return E_RANGE;
	put_start(ret);
	for (size_t c = 0; c < ARRAY_LEN(calls); c++) {
		size_t at = ret->n + 1;

		if (confine_call_number(calls[c]) < 0)
			continue;
		put_load(ret, offsetof(struct seccomp_data, nr));
		put(ret,
		    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						 (uint32_t)confine_call_number(calls[c]), 0, 0));
		put_load(ret, low_half_of(0));
		for (size_t i = 0; i < n; i++)
			put_family(ret, families[i]);
		put(ret, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						      SECCOMP_RET_ERRNO | EAFNOSUPPORT));
		ret->steps[at].jf = (uint8_t)(ret->n - at - 1); /* another call: past all of this */
	}
	put(ret, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	return 0;
}

bool confine_filter_knows(const char *name)
{
	return confine_call_number(name) >= 0;
}

static int load(struct confine_filter *filter, struct errctx *e)
{
	struct sock_fprog program = {(unsigned short)filter->n, filter->steps};

	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
		return err_sys(e, "system call filter");
	return 0;
}

int confine_syscalls(const char *const *allow, size_t n_allow, const char *const *fatal,
		     size_t n_fatal, struct errctx *e)
{
	struct confine_filter filter;
	int err = confine_filter_build(allow, n_allow, fatal, n_fatal, &filter);

	return err ? err_set(e, err, "system call filter: %s", err_name(err)) : load(&filter, e);
}

int confine_sockets(const int *families, size_t n, struct errctx *e)
{
	struct confine_filter filter;
	int err = confine_filter_build_sockets(families, n, &filter);

	return err ? err_set(e, err, "socket filter: %s", err_name(err)) : load(&filter, e);
}
