/* SPDX-License-Identifier: MIT */
/*
 * The generated filters, run in a small interpreter for every call number and for argument classes:
 * rules that look right can merge into a weaker filter, so the rule list is not trusted.
 */
#include "base/base.h"

#include <criterion/criterion.h>

#include "launcher/seccomp.h"
#include "launcher/seccomp_compile.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#ifdef __x86_64__
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#endif

struct program {
	struct sock_filter *code;
	size_t n;
};

static struct program load(int fd)
{
	struct program p = {0};
	struct stat st;

	cr_assert_eq(fstat(fd, &st), 0);
	cr_assert(st.st_size > 0 && (size_t)st.st_size % sizeof(struct sock_filter) == 0);
	p.n = (size_t)st.st_size / sizeof(struct sock_filter);
	p.code = malloc((size_t)st.st_size);
	cr_assert_eq(pread(fd, p.code, (size_t)st.st_size, 0), st.st_size);
	return p;
}

/* The subset of classic BPF that seccomp allows. */
static uint32_t interpret(const struct program *p, const struct seccomp_data *d)
{
	uint32_t a = 0, word;

	for (size_t pc = 0; pc < p->n; pc++) {
		const struct sock_filter *f = &p->code[pc];

		switch (f->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&word, (const char *)d + f->k, 4);
			a = word;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= f->k;
			break;
		case BPF_JMP | BPF_JA:
			pc += f->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			pc += a == f->k ? f->jt : f->jf;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			pc += a > f->k ? f->jt : f->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			pc += a >= f->k ? f->jt : f->jf;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			pc += a & f->k ? f->jt : f->jf;
			break;
		case BPF_RET | BPF_K:
			return f->k;
		default:
			cr_assert_fail("instruction %#x", f->code);
		}
	}
	cr_assert_fail("the program fell off its end");
	return 0;
}

struct both {
	struct program p[SECCOMP_PROGRAMS];
};

static struct both build(const struct seccomp_choice *c)
{
	struct both b;
	int fds[SECCOMP_PROGRAMS];
	struct errctx e = {0};

	cr_assert_eq(seccomp_build(c, fds, &e), 0, "%s", e.text);
	for (int i = 0; i < SECCOMP_PROGRAMS; i++) {
		b.p[i] = load(fds[i]);
		(void)close(fds[i]);
	}
	return b;
}

static void release(struct both *b)
{
	for (int i = 0; i < SECCOMP_PROGRAMS; i++)
		free(b->p[i].code);
}

/* As the kernel: the stricter answer counts. 0 allowed, an errno, or -1 killed. */
static int ask(const struct both *b, long nr, uint64_t a0, uint64_t a1, uint64_t a2)
{
	int worst = 0;

	for (int i = 0; i < SECCOMP_PROGRAMS; i++) {
		struct seccomp_data d = {.nr = (int)nr, .arch = NATIVE, .args = {a0, a1, a2}};
		uint32_t r = interpret(&b->p[i], &d);

		if (r == SECCOMP_RET_KILL_PROCESS)
			return -1;
		if ((r & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO && !worst)
			worst = (int)(r & SECCOMP_RET_DATA);
		else if (r != SECCOMP_RET_ALLOW &&
			 (r & SECCOMP_RET_ACTION_FULL) != SECCOMP_RET_ERRNO)
			cr_assert_fail("odd answer %#x", r);
	}
	return worst;
}

static void same(int built_fd, int fd)
{
	struct program built = load(built_fd), now = load(fd);

	cr_assert_eq(built.n, now.n);
	cr_assert_eq(memcmp(built.code, now.code, built.n * sizeof(built.code[0])), 0);
	free(built.code);
	free(now.code);
	(void)close(fd);
}

Test(seccomp, what_was_built_in_is_what_the_rows_say)
{
	for (unsigned bits = 0; bits < 16; bits++) {
		struct seccomp_choice c = {bits & 1, bits & 2, bits & 4, bits & 8};
		struct errctx e = {0};
		int fds[SECCOMP_PROGRAMS], fd;

		cr_assert_eq(seccomp_build(&c, fds, &e), 0, "%s", e.text);
		cr_assert_eq(seccomp_compile_arguments(&c, &fd, &e), 0, "%s", e.text);
		same(fds[0], fd);
		cr_assert_eq(seccomp_compile_list(&c, &fd, &e), 0, "%s", e.text);
		same(fds[1], fd);
		(void)close(fds[0]);
		(void)close(fds[1]);
	}
}

Test(seccomp, the_observer_reports_its_calls_alone)
{
	static const int calls[] = {SYS_openat, SYS_connect, 0};
	struct errctx e = {0};
	struct program p;
	int fd;

	for (size_t n = 0; n <= ARRAY_LEN(calls); n++) {
		cr_assert_eq(seccomp_build_observer(calls, n, &fd, &e), 0, "%s", e.text);
		p = load(fd);
		for (int nr = 0; nr < 480; nr++) {
			struct seccomp_data d = {.nr = nr, .arch = NATIVE};
			bool named = false;

			for (size_t i = 0; i < n; i++)
				named |= calls[i] == nr;
			cr_assert_eq(interpret(&p, &d),
				     named ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW, "%d", nr);
		}
		free(p.code);
		(void)close(fd);
	}
	cr_assert_eq(seccomp_build_observer(calls, SECCOMP_MAX_OBSERVED + 1, &fd, &e), E_TOOBIG);
}

static const long never[] = {
	SYS_add_key,
	SYS_keyctl,
	SYS_request_key,
	SYS_bpf,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_setns,
	SYS_open_by_handle_at,
	SYS_name_to_handle_at,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_acct,
	SYS_syslog,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_fanotify_init,
	SYS_move_pages,
	SYS_mbind,
	425 /* io_uring_setup */,
	426,
	427,
	428 /* open_tree */,
	429,
	430,
	431,
	432,
	433,
	442,
	443,
	447,
	435 /* clone3 */,
};

static void check_common(const struct seccomp_choice *c)
{
	struct both b = build(c);
	static const uint64_t high[] = {0, 0x100000000ull, 0xffffffff00000000ull};
	static const int families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		cr_assert_gt(ask(&b, never[i], 0, 0, 0), 0, "call %ld", never[i]);
	for (size_t h = 0; h < ARRAY_LEN(high); h++) { /* the kernel looks at the low half */
		cr_assert_eq(ask(&b, SYS_ioctl, 0, 0x5412 | high[h], 0), EPERM, "TIOCSTI");
		cr_assert_eq(ask(&b, SYS_ioctl, 0, 0x541c | high[h], 0), EPERM, "TIOCLINUX");
		cr_assert_eq(ask(&b, SYS_ioctl, 0, 0x5413 | high[h], 0), 0);
		for (unsigned f = 0; f < 256; f++) {
			bool open = false;

			for (size_t i = 0; i < ARRAY_LEN(families); i++)
				open |= (int)f == families[i] && !(f == AF_UNIX && c->no_unix);
			cr_assert_eq(ask(&b, SYS_socket, f | high[h], SOCK_STREAM, 0) == 0, open,
				     "family %u", f);
		}
		cr_assert_gt(ask(&b, SYS_socket, AF_NETLINK | high[h], SOCK_RAW, 9), 0,
			     "audit netlink");
		cr_assert_eq(ask(&b, SYS_unshare, CLONE_NEWUSER | high[h], 0, 0), EPERM);
	}
	for (unsigned bit = 0; bit < 32; bit++) {
		bool namespace = 0x7e020000u >> bit & 1;

		cr_assert_eq(ask(&b, SYS_clone, 1u << bit, 0, 0) == EPERM, namespace,
			     "clone bit %u", bit);
		cr_assert_eq(ask(&b, SYS_unshare, 1u << bit, 0, 0) == EPERM, namespace || bit == 7,
			     "unshare bit %u", bit);
	}
	cr_assert_eq(ask(&b, SYS_unshare, 0, 0, 0), 0);
	cr_assert_eq(ask(&b, SYS_socket, 0x40000000, SOCK_STREAM, 0) > 0, true);
	cr_assert_eq(ask(&b, SYS_personality, 0, 0, 0), 0);
	cr_assert_eq(ask(&b, SYS_personality, 0xffffffff, 0, 0), 0);
	cr_assert_eq(ask(&b, SYS_personality, 0x40000, 0, 0), EPERM);
	cr_assert_eq(ask(&b, SYS_personality, 0xfffffffe, 0, 0), EPERM);
	cr_assert_eq(ask(&b, SYS_memfd_create, 0, 0, 0), c->exec_list ? EPERM : 0);
	cr_assert_eq(ask(&b, SYS_memfd_create, 0, 8, 0), 0);
	cr_assert_eq(ask(&b, SYS_ptrace, 0, 0, 0), c->allow_debug ? 0 : EPERM);
	release(&b);
}

Test(seccomp, rules_hold_under_every_choice)
{
	for (unsigned bits = 0; bits < 16; bits++) {
		struct seccomp_choice c = {bits & 1, bits & 2, bits & 4, bits & 8};

		check_common(&c);
	}
}

Test(seccomp, other_architectures_are_killed)
{
	struct seccomp_choice c = {.allow_list = false};
	struct both b = build(&c);
	static const uint32_t others[] = {AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_MIPS64, 0};

	for (int i = 0; i < SECCOMP_PROGRAMS; i++)
		for (size_t k = 0; k < ARRAY_LEN(others); k++) {
			struct seccomp_data d = {.nr = SYS_getpid, .arch = others[k]};

			cr_assert_eq(interpret(&b.p[i], &d), SECCOMP_RET_KILL_PROCESS);
		}
#ifdef __x86_64__
	cr_assert_eq(ask(&b, 0x40000000 | SYS_getpid, 0, 0, 0), -1, "x32");
#endif
	release(&b);
}

/* tests/escape/kernel.tap leans on this where the kernel offers one of them to nobody. */
Test(seccomp, what_a_kernel_may_lack)
{
	for (unsigned bits = 0; bits < 16; bits++) {
		struct seccomp_choice c = {bits & 1, bits & 2, bits & 4, bits & 8};
		struct both b = build(&c);
		struct seccomp_data table32 = {.nr = 20, .arch = AUDIT_ARCH_I386};

		for (int command = 0; command < 40; command++)
			cr_assert_gt(ask(&b, SYS_bpf, (uint64_t)command, 0, 0), 0, "bpf");
		cr_assert_gt(ask(&b, SYS_perf_event_open, 0, 0, 0), 0, "perf");
		cr_assert_gt(ask(&b, SYS_userfaultfd, 1, 0, 0), 0, "userfaultfd");
		cr_assert_gt(ask(&b, 425, 4, 0, 0), 0, "io_uring");
		cr_assert_eq(ask(&b, SYS_socket, 38, SOCK_SEQPACKET, 0), EAFNOSUPPORT, "AF_ALG");
		cr_assert_eq(ask(&b, SYS_socket, 40, SOCK_STREAM, 0), EAFNOSUPPORT, "AF_VSOCK");
		cr_assert_eq(ask(&b, SYS_ioctl, 0, 0x5412, 0), EPERM, "TIOCSTI");
		cr_assert_eq(ask(&b, SYS_ioctl, 0, 0x100005412, 0), EPERM, "TIOCSTI, upper bits");
		for (int i = 0; i < SECCOMP_PROGRAMS; i++)
			cr_assert_eq(interpret(&b.p[i], &table32), SECCOMP_RET_KILL_PROCESS);
#ifdef __x86_64__
		cr_assert_eq(ask(&b, 0x40000000 | SYS_getpid, 0, 0, 0), -1, "x32");
#endif
		release(&b);
	}
}

Test(seccomp, allow_list_answers_unknown_calls_as_unimplemented)
{
	struct seccomp_choice c = {.allow_list = true, .no_unix = true};
	struct both b = build(&c);

	for (long nr = 480; nr < 1200; nr++)
		cr_assert_eq(ask(&b, nr, 0, 0, 0), ENOSYS, "call %ld", nr);
	cr_assert_eq(ask(&b, SYS_socket, AF_UNIX, SOCK_STREAM, 0), EPERM);
	cr_assert_eq(ask(&b, SYS_socketpair, AF_UNIX, SOCK_STREAM, 0), 0);
	release(&b);
}

Test(seccomp, everyday_calls_work)
{
	static const long everyday[] = {SYS_read,
					SYS_write,
					SYS_openat,
					SYS_close,
					SYS_mmap,
					SYS_execve,
					SYS_exit_group,
					SYS_futex,
					SYS_clone,
					SYS_wait4,
					SYS_kill,
					SYS_getrandom,
					SYS_rt_sigaction,
					SYS_pipe2,
					SYS_prctl,
					SYS_statx,
					SYS_epoll_wait,
					SYS_connect,
					SYS_landlock_restrict_self,
					SYS_faccessat2,
					SYS_close_range,
					SYS_openat2};

	for (int list = 0; list < 2; list++) {
		struct seccomp_choice c = {.allow_list = list};
		struct both b = build(&c);

		for (size_t i = 0; i < ARRAY_LEN(everyday); i++)
			cr_assert_eq(ask(&b, everyday[i], 0, 0, 0), 0, "call %ld", everyday[i]);
		release(&b);
	}
}

Test(seccomp, agent_filter_refuses_nothing_but_its_list)
{
	struct seccomp_choice c = {.allow_list = false};
	struct both b = build(&c);
	unsigned refused = 0;

	for (long nr = 0; nr < 480; nr++)
		refused += ask(&b, nr, 0, 0, 0) != 0;
	cr_assert_lt(refused, 110u, "%u calls", refused);
	release(&b);
}
