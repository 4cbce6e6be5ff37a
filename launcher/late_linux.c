/* SPDX-License-Identifier: MIT */
/*
 * Many protected paths, mounted from outside once bubblewrap has made everything else: a child of
 * the launcher enters the sandbox's mount namespace, in which only stage 2 runs by then, waiting
 * for its plan, and mounts each path over itself, read-only. Three calls for one path, where
 * bubblewrap reads the whole mount table twice. Stage 2 looks at each of them afterwards, as at
 * bubblewrap's. The launcher's user owns the user namespace that bubblewrap made, so no more rights
 * are needed; the command's lies below it, without any. System. Covered by tests/escape/late.tap.
 */
#include "base/base.h"
#include "launcher/sandbox.h"

#include "base/clock.h"
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef SYS_open_tree
#define SYS_open_tree  428
#define SYS_move_mount 429
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef NS_GET_USERNS
#define NS_GET_USERNS _IO(0xb7, 0x1)
#endif
enum {
	LATE_MS = 10000,

	CLONE_TREE = 1,
	RECURSIVE = 0x8000,
	EMPTY_FROM = 0x4,
	EMPTY_TO = 0x40,
	ATTR_RDONLY = 1,
	ATTR_NOSUID = 2,
	ATTR_NODEV = 4,
};

/* What the child says when it fails; nothing when all is mounted. */
struct failure {
	int32_t error;
	uint32_t index; /* of the mount; n: the namespaces couldn't be entered */
};

static noreturn_fn void give_up(int fd, size_t index, int error)
{
	struct failure f = {error, (uint32_t)index};

	(void)!write(fd, &f, sizeof(f));
	_exit(1);
}

/* Returns an errno. */
static int mount_one(const char *path, const struct stat *wanted)
{
	struct {
		uint64_t set, clear, propagation, userns;
	} attributes = {ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV, 0, 0, 0};
	auto_fd int at = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	auto_fd int tree = -1;
	struct stat st;

	if (at < 0 || fstat(at, &st) < 0)
		return errno;
	if (st.st_dev != wanted->st_dev || st.st_ino != wanted->st_ino)
		return ESTALE;
	tree = (int)syscall(SYS_open_tree, at, "",
			    CLONE_TREE | O_CLOEXEC | AT_EMPTY_PATH | RECURSIVE);
	if (tree < 0 ||
	    syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | RECURSIVE, &attributes,
		    sizeof(attributes)) < 0 ||
	    syscall(SYS_move_mount, tree, "", at, "", EMPTY_FROM | EMPTY_TO) < 0)
		return errno;
	return 0;
}

static noreturn_fn void mount_all(const struct sandbox *s, const struct launch *l, int user_ns,
				  int mount_ns, int report)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || setns(user_ns, CLONE_NEWUSER) < 0 ||
	    setns(mount_ns, CLONE_NEWNS) < 0)
		give_up(report, l->plan.n, errno);
	for (size_t i = 0; i < l->plan.n; i++) {
		int error =
			l->plan.v[i].late ? mount_one(l->plan.v[i].dest, &s->mount_stats[i]) : 0;

		if (error)
			give_up(report, i, error);
	}
	_exit(0);
}

/* The namespaces of the process behind the pid descriptor. Its number can't have passed to another
 * one as long as it lives. */
static int open_namespaces(const struct sandbox *s, int *ret_user, int *ret_mount, struct errctx *e)
{
	struct pollfd alive = {s->init_fd, POLLIN, 0};
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)s->init_pid);
	*ret_mount = open(path, O_RDONLY | O_CLOEXEC);
	if (*ret_mount < 0)
		return err_sys(e, "the sandbox's mount namespace");
	*ret_user = ioctl(*ret_mount, NS_GET_USERNS);
	if (*ret_user < 0)
		return err_sys(e, "the sandbox's user namespace");
	if (s->init_fd < 0 || poll(&alive, 1, 0) != 0)
		return err_set(e, E_CLOSED, "pid 1 inside is gone");
	return 0;
}

/* The child's end, or its failure. A file system that doesn't answer must not hold the launcher. */
static int await(pid_t pid, int report, struct failure *ret, ssize_t *ret_n, struct errctx *e)
{
	struct pollfd said = {report, POLLIN, 0};
	int64_t end = clock_mono_ms() + LATE_MS;
	int ready = 0, status;

	while (ready == 0 && clock_mono_ms() < end) {
		ready = poll(&said, 1, LATE_MS);
		if (ready < 0 && errno == EINTR)
			ready = 0;
	}
	if (ready <= 0)
		(void)kill(pid, SIGKILL);
	*ret_n = ready > 0 ? io_retry(read(report, ret, sizeof(*ret))) : 0;
	if (io_retry(waitpid(pid, &status, 0)) != pid)
		return err_sys(e, "mounting protected paths");
	if (ready <= 0)
		return err_set(e, E_TIMEOUT, "protected paths weren't mounted after %d seconds",
			       LATE_MS / 1000);
	if (*ret_n == 0 && status != 0)
		return err_set(e, E_INTERNAL, "mounting protected paths ended without a word");
	return 0;
}

int sandbox_mount_late(const struct sandbox *s, const struct launch *l, struct errctx *e)
{
	auto_fd int user_ns = -1;
	auto_fd int mount_ns = -1;
	auto_fd int report = -1;
	struct failure f;
	int pipe_fds[2], r = open_namespaces(s, &user_ns, &mount_ns, e);
	ssize_t n = 0;
	pid_t pid;

	if (r < 0)
		return r;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	report = pipe_fds[0];
	pid = fork();
	if (pid == 0)
		mount_all(s, l, user_ns, mount_ns, pipe_fds[1]);
	(void)close(pipe_fds[1]);
	if (pid < 0)
		return err_sys(e, "fork");
	r = await(pid, report, &f, &n, e);
	if (r < 0 || n == 0)
		return r;
	if (n != (ssize_t)sizeof(f))
		return err_set(e, E_INTERNAL, "mounting protected paths ended without a word");
	errno = f.error;
	return err_sys(e, "mounting a protected path read-only: %s",
		       f.index < l->plan.n ? l->plan.v[f.index].dest : "namespaces");
}
