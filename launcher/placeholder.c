/* SPDX-License-Identifier: MIT */
/*
 * Placeholders (file 10, 18.7): an absent trusted folder could be created by the command, hooks and
 * all, and the next session outside would obey it. So an empty folder stands in its place,
 * read-only inside, for as long as a run needs it. Runs of the same project share it through a
 * lock; an extended attribute marks it as ours, so that one left by a crash is known and cleared by
 * the next start. Only folders: git shows no empty folder, so a working tree stays clean. Trusted
 * files that are absent are the audit's business. System. Covered by tests/escape/placeholder.tap.
 */
#include "base/base.h"
#include "launcher/after.h"

#include "launcher/overlay.h"
#include "base/pathstr.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>

static const char mark[] = "user.agentteams.placeholder";

static bool is_ours(int fd)
{
	char value[8];

	return fgetxattr(fd, mark, value, sizeof(value)) > 0;
}

/* Empty, without write permission, and marked: nobody can have put anything into it. */
bool placeholder_is_here(const struct object *root, const char *name)
{
	auto_fd int fd = openat(root->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	bool empty = true;
	struct dirent *entry;
	DIR *d;

	if (fd < 0 || fstat(fd, &st) < 0 || (st.st_mode & 0222) || !is_ours(fd))
		return false;
	d = fdopendir(fd);
	if (!d)
		return false;
	fd = -1;
	while ((errno = 0, entry = readdir(d)))
		empty &= pathstr_is_dots(entry->d_name);
	empty &= errno == 0;
	(void)closedir(d);
	return empty;
}

/* Holds the placeholder at root/name: makes it, or joins one that another run holds. *ret_fd:
 * locked shared, so that nobody else removes it. -1: something real is there. */
static int hold(const struct object *root, const char *name, int *ret_fd, struct errctx *e)
{
	*ret_fd = -1;
	for (int tries = 0; tries < 5; tries++) {
		struct stat by_fd, by_name;
		bool made = mkdirat(root->fd, name, 0755) == 0;

		if (!made && errno == EROFS)
			return 0; /* the command couldn't create it either */
		if (!made && errno != EEXIST)
			return err_sys(e, "placeholder %s/%s", root->path, name);

		auto_fd int fd =
			openat(root->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (fd < 0)
			continue;
		/* Marked while it is still writable. A file system without user attributes: then a
		 * leftover of a crash stays; it is empty. */
		if (made && ((fsetxattr(fd, mark, "1", 1, 0) < 0 && errno != ENOTSUP) ||
			     fchmod(fd, 0555) < 0)) {
			int r = err_sys(e, "placeholder %s/%s: mark", root->path, name);

			(void)unlinkat(root->fd, name, AT_REMOVEDIR);
			return r;
		}
		if (!made && !is_ours(fd))
			return 0;
		if (flock(fd, LOCK_SH) < 0 || fstat(fd, &by_fd) < 0)
			return err_sys(e, "placeholder %s/%s: lock", root->path, name);
		if (fstatat(root->fd, name, &by_name, AT_SYMLINK_NOFOLLOW) == 0 &&
		    by_name.st_dev == by_fd.st_dev && by_name.st_ino == by_fd.st_ino) {
			*ret_fd = steal_fd(&fd);
			return 0;
		}
	}
	return err_set(e, E_CHANGED, "placeholder %s/%s: keeps changing", root->path, name);
}

static bool covered(const struct launch *l, const struct object *root, const char *rel)
{
	char path[8192];

	(void)snprintf(path, sizeof(path), "%s/%s", root->path, rel);
	return strings_has(&l->present, path);
}

int placeholder_make(struct launch *l, struct errctx *e)
{
	size_t n;
	const struct guard_row *g = launch_guards(&n);

	if (!l->opt->placeholders)
		return 0;
	for (size_t r = 0; r < l->n_roots; r++) {
		const struct object root = l->objects.v[r];

		if (root.role == ROLE_OVERLAY)
			continue; /* nothing written there lands by itself */
		for (size_t i = 0; i < n; i++) {
			struct object o = {.fd = -1};
			int fd = -1, code;

			if (g[i].kind != GUARD_PLACE || covered(l, &root, g[i].path))
				continue;
			code = hold(&root, g[i].path, &fd, e);
			if (code < 0)
				return code;
			if (fd < 0)
				continue;
			code = object_open_beneath(&root, g[i].path, &o, e);
			if (code == 0) {
				(void)close(o.fd);
				o.fd = fd; /* the locked descriptor is the one that is bound and
					      kept */
				o.placeholder = true;
				code = strings_add(&l->placeholders, o.path, e);
			} else {
				(void)close(fd);
			}
			if (code < 0) {
				object_release(&o);
				return code;
			}
			code = objects_add(&l->objects, &o, ROLE_PROTECT, g[i].id, e);
			if (code < 0)
				return code;
			l->objects.v[l->objects.n - 1].placeholder = true;
		}
	}
	return 0;
}

/* Removes it if it is still ours, empty, and nobody else holds it. */
static void remove_one(const struct object *o)
{
	struct stat st;

	if (flock(o->fd, LOCK_EX | LOCK_NB) < 0)
		return; /* another run needs it and removes it */
	if (lstat(o->path, &st) == 0 && st.st_dev == o->st.st_dev && st.st_ino == o->st.st_ino)
		(void)rmdir(o->path); /* not empty: somebody outside uses it now */
}

void placeholder_remove(struct launch *l)
{
	for (size_t i = 0; i < l->objects.n; i++)
		if (l->objects.v[i].placeholder) {
			remove_one(&l->objects.v[i]);
			l->objects.v[i].placeholder = false;
		}
}

static void clear_traces(const struct launch *l, const char *private_dir)
{
	struct errctx ignored = {0};
	int dir;

	for (size_t i = 0; i < l->objects.n; i++)
		if (l->objects.v[i].placeholder)
			remove_one(&l->objects.v[i]);
	if (!private_dir)
		return;
	dir = open(private_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	/* The overlay may be unmounted a moment later; try until it is. */
	for (int tries = 0; dir >= 0 && tries < 100; tries++) {
		if (overlay_discard(dir, &ignored) == 0 && rmdir(private_dir) == 0)
			return;
		(void)usleep(20000);
	}
}

/* Waits for words of the launcher: 'p' and the process id of stage 2, 'x' when all is well. Should
 * the launcher be killed, the pipe ends without 'x': everything inside dies with it, and once pid 1
 * is gone (not earlier, or the guest could still step into the gap) its traces are cleared. */
static noreturn_fn void be_janitor(const struct launch *l, const char *private_dir, int fd)
{
	int init_fd = -1;
	char word[1 + sizeof(pid_t)];

	(void)setsid();
	(void)prctl(PR_SET_NAME, "confine-janitor", 0, 0, 0);
	for (int sig = 1; sig < 32; sig++)
		(void)signal(sig, sig == SIGCHLD ? SIG_DFL : SIG_IGN);
	/* Only the pipe and the placeholders stay open: a held stream would keep a reader waiting.
	 */
	for (int i = 0; i < 3; i++)
		(void)close(i);
	if (l->opt->report_fd >= 0)
		(void)close(l->opt->report_fd);
	for (;;) {
		ssize_t n = read(fd, word, sizeof(word));
		pid_t pid;

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			break;
		if (n != (ssize_t)sizeof(word) || word[0] != 'p')
			_exit(0);
		memcpy(&pid, word + 1, sizeof(pid));
		if (init_fd >= 0)
			(void)close(init_fd); /* of a sandbox that had to be built anew */
		init_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	}
	if (init_fd >= 0) {
		struct pollfd p = {init_fd, POLLIN, 0};

		(void)poll(&p, 1, 10000);
	}
	clear_traces(l, private_dir);
	_exit(0);
}

int janitor_start(const struct launch *l, const char *private_dir, int *ret_fd, struct errctx *e)
{
	int ends[2];
	pid_t pid;

	*ret_fd = -1;
	if (l->placeholders.n == 0 && !private_dir)
		return 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "janitor: pipe");
	pid = fork();
	if (pid < 0) {
		(void)close(ends[0]);
		(void)close(ends[1]);
		return err_sys(e, "janitor: fork");
	}
	if (pid == 0) {
		(void)close(ends[1]);
		be_janitor(l, private_dir, ends[0]);
	}
	(void)close(ends[0]);
	*ret_fd = ends[1];
	return 0;
}

void janitor_tell_init(int fd, pid_t pid)
{
	char word[1 + sizeof(pid)] = {'p'};

	memcpy(word + 1, &pid, sizeof(pid));
	if (fd >= 0)
		(void)!write(fd, word, sizeof(word)); /* gone: nothing to tell */
}

void janitor_dismiss(int fd)
{
	if (fd < 0)
		return;
	(void)!write(fd, "x", 1); /* gone already: then there is nothing to dismiss */
	(void)close(fd);
}
