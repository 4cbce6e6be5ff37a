/* SPDX-License-Identifier: MIT */
/*
 * An overlay (file 00, D21) in namespaces of our own below bubblewrap's, since bubblewrap 0.8 has
 * no option for one: the child that is about to become bubblewrap makes a user and mount namespace,
 * mounts the overlay over the project, puts the writable folders below it back, and opens again
 * what changed its identity. Runs between fork and exec of a single-threaded program. Failure: a
 * status record, then exit. Covered by tests/e2e/launcher-overlay.tap.
 */
#include "base/base.h"
#include "launcher/sandbox.h"

#include "base/pathstr.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#ifndef SYS_open_tree
#define SYS_open_tree  428
#define SYS_move_mount 429
#define SYS_fsopen     430
#define SYS_fsconfig   431
#define SYS_fsmount    432
#endif
enum {
	OPEN_TREE_CLONE_FLAG = 1,
	RECURSIVE = 0x8000,
	EMPTY_FROM = 0x4,
	EMPTY_TO = 0x40,
	SET_FLAG = 0,
	SET_STRING = 1,
	CMD_CREATE = 6,
};

noreturn_fn void holder_fail(int status_fd, enum holder_step step, int error)
{
	struct holder_status st = {.step = (int32_t)step, .error = error};

	(void)!write(status_fd, &st, sizeof(st));
	_exit(EXIT_NOT_BUILT);
}

static void write_file(const char *path, const char *text, int status_fd)
{
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		holder_fail(status_fd, HOLDER_MAP, errno);
}

static void enter_namespaces(int status_fd)
{
	char map[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		holder_fail(status_fd, HOLDER_NAMESPACE, errno);
	write_file("/proc/self/setgroups", "deny", status_fd);
	(void)snprintf(map, sizeof(map), "%u %u 1", (unsigned)uid, (unsigned)uid);
	write_file("/proc/self/uid_map", map, status_fd);
	(void)snprintf(map, sizeof(map), "%u %u 1", (unsigned)gid, (unsigned)gid);
	write_file("/proc/self/gid_map", map, status_fd);
	/* Nothing of ours leaks out, and no later mount of the host comes in. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		holder_fail(status_fd, HOLDER_NAMESPACE, errno);
}

/* A descriptor of the old namespace names a mount that overlayfs won't take: open the canonical
 * name here and insist on the same object. */
static int open_again(const char *path, const struct stat *wanted, int status_fd)
{
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		holder_fail(status_fd, HOLDER_REOPEN, errno);
	if (wanted && (st.st_dev != wanted->st_dev || st.st_ino != wanted->st_ino))
		holder_fail(status_fd, HOLDER_REOPEN, ESTALE);
	return fd;
}

static void set_string(int fs, const char *key, int fd, int status_fd)
{
	char value[32];

	(void)snprintf(value, sizeof(value), "/proc/self/fd/%d", fd);
	if (syscall(SYS_fsconfig, fs, SET_STRING, key, value, 0) < 0)
		holder_fail(status_fd, HOLDER_OVERLAY, errno);
}

/* Returns the mounted overlay's descriptor. */
static int mount_overlay(const struct object *project, int upper, int work, int status_fd)
{
	int lower = open_again(project->path, &project->st, status_fd);
	int fs = (int)syscall(SYS_fsopen, "overlay", 1);
	int mounted;

	if (fs < 0)
		holder_fail(status_fd, HOLDER_OVERLAY, errno);
	set_string(fs, "lowerdir", lower, status_fd);
	set_string(fs, "upperdir", upper, status_fd);
	set_string(fs, "workdir", work, status_fd);
	if (syscall(SYS_fsconfig, fs, SET_FLAG, "userxattr", NULL, 0) < 0 ||
	    syscall(SYS_fsconfig, fs, CMD_CREATE, NULL, NULL, 0) < 0)
		holder_fail(status_fd, HOLDER_OVERLAY, errno);
	mounted = (int)syscall(SYS_fsmount, fs, 1, 0);
	if (mounted < 0 ||
	    syscall(SYS_move_mount, mounted, "", lower, "", EMPTY_FROM | EMPTY_TO) < 0)
		holder_fail(status_fd, HOLDER_ATTACH, errno);
	(void)close(fs);
	(void)close(lower);
	return mounted;
}

static bool below(const char *path, const char *top)
{
	return strcmp(path, top) != 0 && pathstr_beneath(view_of(path), view_of(top));
}

/* Writable folders below the project are the real ones: cloned before the overlay covers them. */
static size_t clone_roots(const struct launch *l, const char *top, int *clones, int status_fd)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_roots; i++) {
		const struct object *o = &l->objects.v[i];

		clones[i] = -1;
		if (o->role != ROLE_ROOT || !below(o->path, top))
			continue;

		int fd = open_again(o->path, &o->st, status_fd);

		clones[i] =
			(int)syscall(SYS_open_tree, fd, "",
				     OPEN_TREE_CLONE_FLAG | O_CLOEXEC | AT_EMPTY_PATH | RECURSIVE);
		if (clones[i] < 0)
			holder_fail(status_fd, HOLDER_ATTACH, errno);
		(void)close(fd);
		n++;
	}
	return n;
}

static void attach_roots(const struct launch *l, const int *clones, int status_fd)
{
	for (size_t i = 0; i < l->n_roots; i++) {
		if (clones[i] < 0)
			continue;

		int at = open_again(l->objects.v[i].path, NULL, status_fd);

		if (syscall(SYS_move_mount, clones[i], "", at, "", EMPTY_FROM | EMPTY_TO) < 0)
			holder_fail(status_fd, HOLDER_ATTACH, errno);
		(void)close(at);
		(void)close(clones[i]);
	}
}

/* Everything bound at or below the overlay is now the overlay's object: the mounts' descriptors and
 * the identities that stage 2 compares follow. */
static void refresh_mounts(struct sandbox *s, const struct launch *l, const char *top,
			   int status_fd)
{
	for (size_t i = 0; i < l->plan.n; i++) {
		const struct plan_mount *m = &l->plan.v[i];
		struct holder_status st = {.step = HOLDER_IDENTITY, .index = i};
		struct stat now;

		if (s->mount_fds[i] < 0 || m->kind == MOUNT_MASK ||
		    !pathstr_beneath(view_of(m->dest), view_of(top)))
			continue;

		int fd = open_again(m->dest, NULL, status_fd);

		if (fstat(fd, &now) < 0 || dup3(fd, s->mount_fds[i], O_CLOEXEC) < 0)
			holder_fail(status_fd, HOLDER_REOPEN, errno);
		(void)close(fd);
		st.dev = now.st_dev;
		st.ino = now.st_ino;
		if (write(status_fd, &st, sizeof(st)) != (ssize_t)sizeof(st))
			_exit(EXIT_NOT_BUILT);
	}
}

static void enter_overlay(struct sandbox *s, const struct launch *l, int status_fd)
{
	const struct object *project = &l->objects.v[0];
	struct stat upper_st, work_st;
	char name[64], path[4096];
	auto_free int *clones = calloc(l->n_roots + 1, sizeof(*clones));
	ssize_t n;
	int upper, work;

	if (!clones || fstat(s->upper_fd, &upper_st) < 0 || fstat(s->work_fd, &work_st) < 0)
		holder_fail(status_fd, HOLDER_OVERLAY, errno);
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", s->upper_fd);
	n = readlink(name, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	upper = open_again(path, &upper_st, status_fd);
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", s->work_fd);
	n = readlink(name, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	work = open_again(path, &work_st, status_fd);

	size_t cloned = clone_roots(l, project->path, clones, status_fd);
	int mounted = mount_overlay(project, upper, work, status_fd);

	(void)close(upper);
	(void)close(work);
	if (cloned)
		attach_roots(l, clones, status_fd);
	refresh_mounts(s, l, project->path, status_fd);
	(void)close(mounted);
}

void holder_enter(struct sandbox *s, const struct launch *l, int status_fd)
{
	enter_namespaces(status_fd);
	enter_overlay(s, l, status_fd);
}
