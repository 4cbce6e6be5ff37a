/* SPDX-License-Identifier: MIT */
/*
 * Opens beneath a root descriptor: by openat2 where there is one, else component by component.
 * Reads and makes folders; refuses on any doubt. Tested by tests/unit/base/t_pathfd.c (both ways
 * over one table) and t_errno.c.
 */
#include "base/base.h"

#include "base/pathfd.h"

#include "base/fault.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/pathfd_walk.h"

#include <fcntl.h>
#include <sys/syscall.h>
#ifdef HAVE_LINUX_OPENAT2_H
#include <linux/openat2.h>
#endif

static bool forced_walk;
static bool no_openat2; /* learnt once; a process never gains the call */

void pathfd_force_walk(bool on)
{
	forced_walk = on;
}

bool pathfd_walks(void)
{
	return forced_walk || __atomic_load_n(&no_openat2, __ATOMIC_RELAXED);
}

static bool takes_mode(int flags)
{
#ifdef O_TMPFILE
	if ((flags & O_TMPFILE) == O_TMPFILE)
		return true;
#endif
	return flags & O_CREAT;
}

static bool is_path_only(int flags)
{
#ifdef O_PATH
	return flags & O_PATH;
#else
	(void)flags;
	return false;
#endif
}

#if defined(HAVE_LINUX_OPENAT2_H) && defined(SYS_openat2)
static int call_openat2(int root_fd, const char *rel, int flags, mode_t mode, uint64_t resolve)
{
	struct open_how how = {
		.flags = (uint64_t)flags,
		.mode = takes_mode(flags) ? mode & 07777 : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | resolve,
	};

	return (int)syscall(SYS_openat2, root_fd, rel, &how, sizeof(how));
}

/* A seccomp filter that doesn't know the call answers ENOSYS or EPERM; a file can answer EPERM too.
 * Asking for the root itself tells the two apart. Keeps errno. */
static bool is_hidden(int root_fd)
{
	int saved = errno;
	bool hidden = saved == ENOSYS;

	if (saved == EPERM) {
		auto_fd int fd = call_openat2(root_fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0);

		hidden = fd < 0 && errno == EPERM;
	}
	if (hidden)
		__atomic_store_n(&no_openat2, true, __ATOMIC_RELAXED);
	errno = saved;
	return hidden;
}

static int open_by_kernel(int root_fd, const char *rel, int flags, mode_t mode,
			  enum pathfd_links links)
{
	uint64_t resolve = links == LINKS_BENEATH ? 0 : RESOLVE_NO_SYMLINKS;
	int fd;

	/* With both, a link where a folder is wanted would be ENOTDIR, not ELOOP. */
	if (links != LINKS_BENEATH && (!is_path_only(flags) || (flags & O_DIRECTORY)))
		flags &= ~O_NOFOLLOW;
	for (int tries = 0; tries < MAX_OPENAT2_TRIES; tries++) {
		fd = io_retry(call_openat2(root_fd, rel, flags, mode, resolve));
		if (fd >= 0 || errno != EAGAIN)
			return fd;
	}
	return -1;
}
#else
static bool is_hidden(int root_fd unused_arg)
{
	return true;
}

static int open_by_kernel(int root_fd unused_arg, const char *rel unused_arg, int flags unused_arg,
			  mode_t mode unused_arg, enum pathfd_links links unused_arg)
{
	return -1;
}
#endif

static int open_beneath(int root_fd, const char *rel, int flags, mode_t mode,
			enum pathfd_links links)
{
	if (!pathfd_walks()) {
		int fd = open_by_kernel(root_fd, rel, flags, mode, links);

		if (fd >= 0 || !is_hidden(root_fd))
			return fd;
	}
	return pathfd_walk(root_fd, rel, flags, mode);
}

int pathfd_open_root(const char *path, int *ret_fd, struct errctx *e)
{
	int fd = io_retry(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOCTTY));

	if (fd < 0)
		return err_sys(e, "folder \"%s\"", path);
	*ret_fd = fd;
	return 0;
}

int pathfd_open(int root_fd, const char *rel, int flags, mode_t mode, enum pathfd_links links,
		int *ret_fd, struct errctx *e)
{
	int fd;

	flags |= O_CLOEXEC;
	if (!is_path_only(flags))
		flags |= O_NOCTTY;
	fd = open_beneath(root_fd, rel, flags, mode, links);
	if (fd < 0 && errno == EAGAIN)
		return err_set(e, E_CHANGED, "\"%s\": folders above it are being renamed", rel);
	if (fd < 0)
		return err_sys(e, "\"%s\"", rel);
	*ret_fd = fd;
	return 0;
}

int pathfd_open_dir(int root_fd, const char *rel, int *ret_fd, struct errctx *e)
{
	return pathfd_open(root_fd, rel, O_RDONLY | O_DIRECTORY, 0, LINKS_NONE, ret_fd, e);
}

/* Opens one folder in dir_fd, after making it if it isn't there; fine if another process was
 * faster.
 */
static int make_dir(int dir_fd, const char *name, mode_t mode, int *ret_fd, struct errctx *e)
{
	auto_fd int fd = -1;
	bool made;
	int bad;

	if (pathfd_open_dir(dir_fd, name, ret_fd, NULL) == 0)
		return 0;
	if (fault_point("mkdir") < 0)
		return err_sys(e, "make folder \"%s\"", name);
	made = mkdirat(dir_fd, name, mode) == 0;
	if (!made && errno != EEXIST)
		return err_sys(e, "make folder \"%s\"", name);
	bad = pathfd_open_dir(dir_fd, name, &fd, e); /* tells a link or a file, too */
	if (bad)
		return bad;
	/* The umask may have taken bits. The parent is synced even if the folder was there: its
	 * maker may not have come so far. */
	if (made && fchmod(fd, mode) < 0)
		return err_sys(e, "mode of folder \"%s\"", name);
	if (fault_point("mkdir-fsync") < 0 || io_retry(fsync(fd)) < 0 ||
	    (io_retry(fsync(dir_fd)) < 0 && errno != EINVAL) || fault_point("mkdir-done") < 0)
		return err_sys(e, "sync folder \"%s\"", name);
	*ret_fd = steal_fd(&fd);
	return 0;
}

int pathfd_make_dirs(int root_fd, const char *rel, mode_t mode, int *ret_fd, struct errctx *e)
{
	char name[MAX_NAME_BYTES + 1];
	struct path_step step = {.rest = rel};
	auto_fd int dir_fd = -1;
	int next_fd = -1, bad;

	if (pathfd_open_dir(root_fd, rel, ret_fd, NULL) == 0)
		return 0;
	if (!*rel || *rel == '/') /* names the error */
		return pathfd_open_dir(root_fd, rel, ret_fd, e);
	bad = pathfd_open_dir(root_fd, ".", &dir_fd, e);
	if (bad)
		return bad;
	while (path_step_next(&step, name)) {
		if (step.kind == STEP_LONG)
			return err_set(e, E_TOOBIG, "\"%s\": name too long", rel);
		if (step.kind == STEP_UP)
			return err_set(e, E_OUTSIDE, "\"%s\": \"..\" where folders are made", rel);
		if (step.kind == STEP_HERE)
			continue;
		bad = make_dir(dir_fd, name, mode, &next_fd, e);
		if (bad)
			return bad;
		(void)close(dir_fd);
		dir_fd = next_fd;
	}
	*ret_fd = steal_fd(&dir_fd);
	return 0;
}
