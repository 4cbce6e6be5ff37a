/* SPDX-License-Identifier: MIT */
/*
 * Between clone and exec: signals, groups, working folder, descriptors, exec. Calls the kernel and
 * nothing that allocates, locks or prints; see proc_child.h. Tested by tests/unit/base/t_proc.c.
 */
#include "base/base.h"

#include "base/proc_child.h"

#include "base/fdlist.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#ifdef __linux__
#include <linux/close_range.h>
#include <sys/prctl.h>
#endif

/* It runs on a piece of its parent's stack, of which an instrumented build knows nothing. */
#if defined(__clang__) || defined(__GNUC__)
#define plain_code __attribute__((no_sanitize("address", "undefined")))
#else
#define plain_code
#endif

enum { N_SIGNALS = 64, SIGNAL_SET_BYTES = 8 };

/* All dispositions default. Before signals are let in again: a handler would run on the parent's
 * memory. By the kernel's own call, since libc keeps two signals to itself that a parent may have
 * ignored. */
static void plain_code reset_signals(void)
{
#ifdef __linux__
	static const unsigned long all_default[16];

	for (int s = 1; s <= N_SIGNALS; s++)
		(void)syscall(SYS_rt_sigaction, s, all_default, NULL, SIGNAL_SET_BYTES);
#else
	struct sigaction action = {.sa_handler = SIG_DFL};

	for (int s = 1; s < NSIG; s++)
		(void)sigaction(s, &action, NULL);
#endif
}

static void plain_code unblock_signals(void)
{
#ifdef __linux__
	static const unsigned long none[16];

	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, SIGNAL_SET_BYTES);
#else
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
#endif
}

static bool plain_code close_later(int fd, void *arg unused_arg)
{
	return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

/* Marks every descriptor; those of the map lose the mark when they are put in their place. */
static void plain_code close_all_later(void)
{
#if defined(SYS_close_range) && defined(CLOSE_RANGE_CLOEXEC)
	if (syscall(SYS_close_range, 0U, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
		return;
#endif
	if (fdlist_each(close_later, NULL) >= 0)
		return;
	for (int fd = 0; fd < fdlist_limit(); fd++)
		(void)close_later(fd, NULL);
}

struct map {
	const struct proc_spec *spec;
	int above;   /* lowest number that is no child's descriptor */
	int null_fd; /* -1 until it is needed */
};

static bool plain_code is_target(const struct map *m, int fd)
{
	if (fd <= 2)
		return true;
	for (size_t i = 0; i < m->spec->n_fds; i++)
		if (m->spec->fds[i].child == fd)
			return true;
	return false;
}

/* A copy out of the way of every target. */
static int plain_code copy_above(const struct map *m, int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, m->above);
}

static int plain_code get_null(struct map *m)
{
	int fd, high;

	if (m->null_fd >= 0)
		return m->null_fd;
	fd = open("/dev/null", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fd >= m->above)
		return m->null_fd = fd;
	high = copy_above(m, fd);
	(void)close(fd);
	return m->null_fd = high;
}

static bool plain_code is_named(const struct proc_spec *spec, int child)
{
	for (size_t i = 0; i < spec->n_fds; i++)
		if (spec->fds[i].child == child)
			return true;
	return false;
}

static int plain_code put_at(int from, int to)
{
	if (from == to)
		return fcntl(to, F_SETFD, 0);
	return dup2(from, to);
}

/* Child and parent numbers may overlap in any way: what stands on a target is copied away before
 * the first target is overwritten. */
static int plain_code place_fds(struct map *m)
{
	const struct proc_spec *spec = m->spec;
	int from[MAX_CHILD_FDS];

	for (size_t i = 0; i < spec->n_fds; i++) {
		int parent = spec->fds[i].parent;

		if (parent < 0)
			from[i] = get_null(m);
		else if (parent != spec->fds[i].child && is_target(m, parent))
			from[i] = copy_above(m, parent);
		else
			from[i] = parent;
		if (from[i] < 0)
			return -1;
	}
	for (int fd = 0; fd <= 2; fd++)
		if (!is_named(spec, fd) && get_null(m) < 0)
			return -1;
	for (size_t i = 0; i < spec->n_fds; i++)
		if (put_at(from[i], spec->fds[i].child) < 0)
			return -1;
	for (int fd = 0; fd <= 2; fd++)
		if (!is_named(spec, fd) && put_at(m->null_fd, fd) < 0)
			return -1;
	return 0;
}

/* Descriptors that must last until exec move out of the way, too. */
static int plain_code save_above(const struct map *m, int *fd)
{
	if (*fd < 0 || *fd >= m->above)
		return 0;
	*fd = copy_above(m, *fd);
	return *fd < 0 ? -1 : 0;
}

static int plain_code die_with(pid_t parent)
{
#ifdef __linux__
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return -1;
	/* It may have died before the line above. 0: it is in an outer pid namespace. */
	if (getppid() != parent && getppid() != 0)
		_exit(127);
	return 0;
#else
	(void)parent;
	errno = ENOTSUP;
	return -1;
#endif
}

static int plain_code execute(const struct proc_spec *spec, int exec_fd)
{
	static char *const no_environment[] = {NULL};
	char *const *envp = spec->envp ? spec->envp : no_environment;

	if (spec->path)
		return execve(spec->path, spec->argv, envp);
#ifdef SYS_execveat
	return (int)syscall(SYS_execveat, exec_fd, "", spec->argv, envp, AT_EMPTY_PATH);
#else
	(void)exec_fd;
	errno = ENOSYS;
	return -1;
#endif
}

/* The steps in order; returns the name of the one that failed. */
static const char *plain_code take_steps(struct proc_start *s)
{
	const struct proc_spec *spec = s->spec;
	struct map m = {.spec = spec, .above = 3, .null_fd = -1};
	int exec_fd = spec->path ? -1 : spec->exec_fd;

	reset_signals();
	for (size_t i = 0; i < spec->n_fds; i++)
		if (spec->fds[i].child >= m.above)
			m.above = spec->fds[i].child + 1;
	if (spec->new_session ? setsid() < 0 : spec->new_group && setpgid(0, 0) < 0)
		return "own group";
	if (spec->die_with_parent && die_with(s->parent) < 0)
		return "end with parent";
	if (spec->cwd_fd >= 0 && fchdir(spec->cwd_fd) < 0)
		return "working folder";
	close_all_later();
	if (save_above(&m, &exec_fd) < 0 || save_above(&m, &s->report_fd) < 0 || place_fds(&m) < 0)
		return "descriptors";
	unblock_signals();
	(void)execute(spec, exec_fd);
	return "exec";
}

int plain_code proc_child(void *start)
{
	struct proc_start *s = start;
	const char *step = take_steps(s);

	s->error = errno;
	s->step = step;
	if (s->report_fd >= 0)
		(void)!write(s->report_fd, s, sizeof(*s));
	_exit(127);
}
