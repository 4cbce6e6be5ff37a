/* SPDX-License-Identifier: MIT */
/*
 * Starts children. The parent's half: checks what is asked for, starts the child with all signals
 * held back, hears whether it came as far as exec, waits. The child's half is proc_child.c. Tested
 * by tests/unit/base/t_proc.c.
 */
#include "base/base.h"

#include "base/proc.h"

#include "base/clock.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/proc_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#endif

enum {
	CHILD_STACK_BYTES = 32768, /* the child's half takes less than 4 KiB */
	AT_ONCE_NS = 100000,	   /* a sleep that ends so soon was none */
	WAIT_PAUSE_MS = 10,	   /* between looks where the kernel has no process descriptors */
};

static bool forced_fork;

void proc_force_fork(bool on)
{
	forced_fork = on;
}

static int check_spec(const struct proc_spec *spec, struct errctx *e)
{
	if (!spec->argv || !spec->argv[0] || (spec->path && spec->path[0] != '/') ||
	    (!spec->path && spec->exec_fd < 0))
		return err_set(e, E_SYNTAX, "start \"%s\": no absolute path or no arguments",
			       spec->path ? spec->path : "(descriptor)");
	if (spec->n_fds > MAX_CHILD_FDS)
		return err_set(e, E_RANGE, "%zu descriptors for one child", spec->n_fds);
	for (size_t i = 0; i < spec->n_fds; i++) {
		const struct proc_fd *f = &spec->fds[i];

		if (f->child < 0 || f->child > MAX_CHILD_FD || f->parent < -1)
			return err_set(e, E_RANGE, "descriptor %d of a child from %d", f->child,
				       f->parent);
		for (size_t k = 0; k < i; k++)
			if (spec->fds[k].child == f->child)
				return err_set(e, E_RANGE, "descriptor %d of a child twice",
					       f->child);
	}
	return 0;
}

#ifdef __linux__
enum { SIGNAL_SET_BYTES = 8 };

/* Every signal, also the two that libc keeps to itself: none may run a handler in the child. */
static uint64_t block_signals(void)
{
	uint64_t all = ~(uint64_t)0, before = 0;

	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, SIGNAL_SET_BYTES);
	return before;
}

static void restore_signals(uint64_t before)
{
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, SIGNAL_SET_BYTES);
}

/* As vfork, but on a stack of its own: this process stands still until the child has executed or
 * ended, so a piece of this function's frame will do, and copying page tables is spared. */
static pid_t start_sharing(struct proc_start *s, int *pid_fd)
{
	char stack[CHILD_STACK_BYTES] __attribute__((aligned(16), uninitialized));
	int flags = CLONE_VM | CLONE_VFORK | SIGCHLD;
	pid_t pid = clone(proc_child, stack + sizeof(stack), flags | CLONE_PIDFD, s, pid_fd);

	if (pid < 0 && errno == EINVAL) {
		*pid_fd = -1;
		pid = clone(proc_child, stack + sizeof(stack), flags, s, NULL);
	}
	return pid;
}

static int open_pid(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}
#else
static sigset_t block_signals(void)
{
	sigset_t all, before;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	return before;
}

static void restore_signals(sigset_t before)
{
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int open_pid(pid_t pid unused_arg)
{
	return -1;
}
#endif

static int make_pipe(int ends[2])
{
#ifdef __linux__
	return pipe2(ends, O_CLOEXEC);
#else
	if (pipe(ends) < 0)
		return -1;
	(void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	return 0;
#endif
}

/* Where memory can't be shared: a copied process, which reports through a pipe that exec closes. */
static pid_t start_copied(struct proc_start *s, int *pid_fd)
{
	struct proc_start report;
	int ends[2] = {-1, -1};
	pid_t pid;

	if (make_pipe(ends) < 0)
		return -1;
	s->report_fd = ends[1];
	pid = fork();
	if (pid == 0)
		(void)proc_child(s);
	(void)close(ends[1]);
	if (pid > 0) {
		*pid_fd = open_pid(pid);
		if (io_retry(read(ends[0], &report, sizeof(report))) == (ssize_t)sizeof(report)) {
			s->error = report.error;
			s->step = report.step;
		}
	}
	(void)close(ends[0]);
	return pid;
}

static pid_t start(struct proc_start *s, int *pid_fd)
{
#ifdef __linux__
	if (!forced_fork)
		return start_sharing(s, pid_fd);
#endif
	return start_copied(s, pid_fd);
}

int proc_spawn(const struct proc_spec *spec, struct proc *ret, struct errctx *e)
{
	struct proc_start s = {.spec = spec, .parent = getpid(), .report_fd = -1};
	const char *what = spec->path ? spec->path : "(descriptor)";
	auto_fd int pid_fd = -1;
	int number;
	pid_t pid;
	int bad = check_spec(spec, e);

	if (bad)
		return bad;
	{
		__auto_type before = block_signals();

		pid = start(&s, &pid_fd);
		number = errno;
		restore_signals(before);
	}
	if (pid > 0 && s.error == 0) {
		*ret = (struct proc){.pid = pid, .pid_fd = steal_fd(&pid_fd)};
		return 0;
	}
	if (pid > 0) {
		(void)io_retry(waitpid(pid, NULL, 0));
		number = s.error;
	}
	errno = number;
	return err_sys(e, "start \"%s\": %s", what, pid > 0 ? s.step : "new process");
}

/* Looks once; 1: ended, 0: not yet, -1: errno. */
static int look(struct proc *p, int *ret_status)
{
	int status = 0;
	pid_t got = io_retry(waitpid(p->pid, &status, WNOHANG));

	if (got <= 0)
		return (int)got;
	*ret_status = status;
	p->pid = -1;
	if (p->pid_fd >= 0)
		(void)close(steal_fd(&p->pid_fd));
	return 1;
}

/* Sleeps until it may have ended, or ms have passed (-1: no end). -1 with errno, EINTR included. */
static int sleep_until_end(const struct proc *p, int ms)
{
	struct pollfd look_at = {.fd = p->pid_fd, .events = POLLIN};

	if (p->pid_fd < 0 && (ms < 0 || ms > WAIT_PAUSE_MS))
		ms = WAIT_PAUSE_MS;
	return poll(&look_at, 1, ms); /* a negative descriptor is left out: plain sleep */
}

/* Interrupts may come for hours; thousands that leave no time to sleep are a fault, which must end.
 */
static bool is_storm(int64_t slept_since, int *interrupts)
{
	return clock_kernel_mono_ns() - slept_since < AT_ONCE_NS && ++*interrupts > MAX_INTERRUPTS;
}

int proc_wait(struct proc *p, int timeout_ms, int *ret_status, struct errctx *e)
{
	int64_t now = clock_kernel_mono_ns(), end = now + (int64_t)timeout_ms * 1000000;
	int interrupts = 0;

	if (p->pid <= 0)
		return err_set(e, E_INTERNAL, "wait for no process");
	for (;;) {
		int ms = -1, ended = look(p, ret_status);

		if (ended > 0)
			return 0;
		if (ended < 0)
			return err_sys(e, "wait for process %d", (int)p->pid);
		now = clock_kernel_mono_ns();
		if (timeout_ms >= 0 && now >= end)
			return err_set(e, E_TIMEOUT, "process %d runs on after %d ms", (int)p->pid,
				       timeout_ms);
		if (timeout_ms >= 0)
			ms = (int)((end - now + 999999) / 1000000);
		if (sleep_until_end(p, ms) < 0 && (errno != EINTR || is_storm(now, &interrupts)))
			return err_sys(e, "wait for process %d", (int)p->pid);
	}
}

void proc_kill(const struct proc *p, int signal_number, bool group)
{
	if (p->pid <= 0)
		return;
	if (group) {
		if (p->pid > 1) /* kill(-1) would be everybody */
			(void)kill(-p->pid, signal_number);
		return;
	}
#if defined(__linux__) && defined(SYS_pidfd_send_signal)
	if (p->pid_fd >= 0 &&
	    (syscall(SYS_pidfd_send_signal, p->pid_fd, signal_number, NULL, 0) == 0 ||
	     errno != ENOSYS))
		return;
#endif
	(void)kill(p->pid, signal_number); /* not waited for yet, so the number is still its own */
}

int proc_exit_code(int wait_status)
{
	if (WIFEXITED(wait_status))
		return WEXITSTATUS(wait_status);
	if (WIFSIGNALED(wait_status))
		return 128 + WTERMSIG(wait_status);
	return 255;
}
