/* SPDX-License-Identifier: MIT */
/*
 * Durable creation and replacement of files. Writes beneath the folder that it is given; every
 * failure takes the temporary file away. Fault points before and after each durable step. Tested by
 * tests/unit/base/t_atomicfile.c and t_errno.c.
 */
#include "base/base.h"

#include "base/atomicfile.h"

#include "base/fault.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/pathstr.h"
#include "base/rand.h"

#include <fcntl.h>
#include <sys/syscall.h>
#ifdef __linux__
#include <linux/fs.h>
#endif

static int check_name(const char *name, size_t size, struct errctx *e)
{
	size_t n = strnlen(name, size);

	if (n == 0 || n >= size || strchr(name, '/') || pathstr_is_dots(name))
		return err_set(e, E_SYNTAX, "\"%s\" is no plain file name", name);
	return 0;
}

int atomicfile_begin(struct atomicfile *f, int dir_fd, const char *name, const char *temp,
		     mode_t mode, struct errctx *e)
{
	char id[ID_HEX + 1];
	int bad;

	*f = (struct atomicfile){.dir_fd = dir_fd, .fd = -1, .mode = mode};
	bad = check_name(name, sizeof(f->name), e);
	if (!bad && temp)
		bad = check_name(temp, sizeof(f->temp), e);
	if (bad)
		return bad;
	memcpy(f->name, name, strlen(name) + 1);
	if (temp) {
		memcpy(f->temp, temp, strlen(temp) + 1);
	} else {
		rand_token(id);
		(void)snprintf(f->temp, sizeof(f->temp), ".%s.tmp", id);
	}
	if (fault_point("create") < 0)
		return err_sys(e, "create \"%s\"", f->temp);
	/* Nobody else reads it while it is half written; its own mode comes with the commit. */
	f->fd = io_retry(openat(dir_fd, f->temp,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
				0600));
	if (f->fd < 0)
		return err_sys(e, "create \"%s\" for \"%s\"", f->temp, name);
	f->open = true;
	if (fault_point("created") < 0) {
		bad = err_sys(e, "create \"%s\"", f->temp);
		atomicfile_abort(f);
	}
	return bad;
}

int atomicfile_write(struct atomicfile *f, struct view bytes, struct errctx *e)
{
	int bad;

	if (!f->open)
		return err_set(e, E_INTERNAL, "\"%s\" isn't being written", f->name);
	if (fault_point("write") < 0 || io_write_all(f->fd, bytes.ptr, bytes.len) != 0 ||
	    fault_point("written") < 0) {
		bad = err_sys(e, "write \"%s\"", f->name);
		atomicfile_abort(f);
		return bad;
	}
	return 0;
}

/* Makes the folder's entries durable. The descriptor may be one for search only. */
static int sync_dir(int dir_fd)
{
	int bad;

	if (fault_point("dirsync") < 0)
		return -1;
	bad = io_retry(fsync(dir_fd));
	if (bad < 0 && errno == EBADF) {
		auto_fd int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0)
			return -1;
		bad = io_retry(fsync(fd));
	}
	if (bad < 0 && errno != EINVAL) /* EINVAL: a file system that has nothing to sync */
		return -1;
	return fault_point("dirsynced");
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Is the target still what the caller saw? */
static int check_target(const struct atomicfile *f, const struct stat *expect, struct errctx *e)
{
	struct stat now;

	if (fstatat(f->dir_fd, f->name, &now, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return err_sys(e, "look at \"%s\"", f->name);
		if (expect->st_ino == 0)
			return 0;
		return err_set(e, E_CHANGED, "\"%s\" has gone meanwhile", f->name);
	}
	if (expect->st_ino == 0)
		return err_set(e, E_CHANGED, "\"%s\" has appeared meanwhile", f->name);
	if (now.st_dev != expect->st_dev || now.st_ino != expect->st_ino ||
	    now.st_size != expect->st_size || !same_time(now.st_mtim, expect->st_mtim) ||
	    !same_time(now.st_ctim, expect->st_ctim))
		return err_set(e, E_CHANGED, "\"%s\" has changed meanwhile", f->name);
	return 0;
}

/* Mode, data and the file's own entry on disk, descriptor closed, and the temporary name still
 * leads to it. */
static int finish_temp(struct atomicfile *f, struct errctx *e)
{
	struct stat ours, there;
	int fd;

	if (fchmod(f->fd, f->mode) < 0 || fstat(f->fd, &ours) < 0)
		return err_sys(e, "mode of \"%s\"", f->name);
	if (fault_point("fsync") < 0 || io_retry(fsync(f->fd)) < 0 || fault_point("fsynced") < 0)
		return err_sys(e, "sync \"%s\"", f->name);
	fd = steal_fd(&f->fd);
	if (close(fd) < 0 && errno != EINTR)
		return err_sys(e, "close \"%s\"", f->name);
	if (fstatat(f->dir_fd, f->temp, &there, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(e, "look at \"%s\"", f->temp);
	if (there.st_dev != ours.st_dev || there.st_ino != ours.st_ino)
		return err_set(e, E_CHANGED, "\"%s\" was replaced meanwhile", f->temp);
	return 0;
}

static int rename_new(const struct atomicfile *f)
{
#if defined(__linux__) && defined(SYS_renameat2)
	if (syscall(SYS_renameat2, f->dir_fd, f->temp, f->dir_fd, f->name, RENAME_NOREPLACE) == 0)
		return 0;
	/* EINVAL: the file system can't. ENOSYS, EPERM: the kernel or a filter won't; if it is the
	 * folder that forbids it, the link below says so. */
	if (errno != ENOSYS && errno != EINVAL && errno != EPERM)
		return -1;
#elif defined(__APPLE__)
	if (renameatx_np(f->dir_fd, f->temp, f->dir_fd, f->name, RENAME_EXCL) == 0)
		return 0;
	if (errno != ENOTSUP)
		return -1;
#endif
	if (linkat(f->dir_fd, f->temp, f->dir_fd, f->name, 0) < 0)
		return -1;
	/* It stands under its name; a temporary name that stays behind does no harm. */
	(void)unlinkat(f->dir_fd, f->temp, 0);
	return 0;
}

static int put_in_place(struct atomicfile *f, enum atomicfile_commit how, bool absent,
			struct errctx *e)
{
	int bad;

	if (fault_point("rename") < 0)
		return err_sys(e, "rename to \"%s\"", f->name);
	if (how == COMMIT_NEW || absent)
		bad = rename_new(f);
	else
		bad = renameat(f->dir_fd, f->temp, f->dir_fd, f->name);
	if (bad < 0 && errno == EEXIST && absent && how != COMMIT_NEW)
		return err_set(e, E_CHANGED, "\"%s\" has appeared meanwhile", f->name);
	if (bad < 0 && errno == EISDIR)
		return err_set(e, E_NOTREG, "\"%s\" is a folder", f->name);
	if (bad < 0)
		return err_sys(e, "rename to \"%s\"", f->name);
	f->open = false; /* nothing to take back from here on */
	f->renamed = true;
	if (fault_point("renamed") < 0 || sync_dir(f->dir_fd) < 0)
		return err_sys(e, "sync the folder of \"%s\" (it is written)", f->name);
	return 0;
}

int atomicfile_commit(struct atomicfile *f, enum atomicfile_commit how, const struct stat *expect,
		      struct errctx *e)
{
	int bad;

	if (!f->open)
		return err_set(e, E_INTERNAL, "\"%s\" isn't being written", f->name);
	bad = finish_temp(f, e);
	if (!bad && expect)
		bad = check_target(f, expect, e);
	if (!bad)
		bad = put_in_place(f, how, expect && expect->st_ino == 0, e);
	if (bad)
		atomicfile_abort(f);
	return bad;
}

void atomicfile_abort(struct atomicfile *f)
{
	if (f->fd >= 0)
		(void)close(steal_fd(&f->fd)); /* what it holds is thrown away */
	if (f->open)
		(void)unlinkat(f->dir_fd, f->temp, 0); /* gone already, or nothing to be done */
	f->open = false;
}

int atomicfile_put_pieces(int dir_fd, const char *name, const struct view *pieces, size_t n,
			  mode_t mode, enum atomicfile_commit how, struct errctx *e)
{
	struct atomicfile f;
	int bad = atomicfile_begin(&f, dir_fd, name, NULL, mode, e);

	for (size_t i = 0; !bad && i < n; i++)
		if (pieces[i].len)
			bad = atomicfile_write(&f, pieces[i], e);
	if (!bad)
		bad = atomicfile_commit(&f, how, NULL, e);
	return bad;
}

int atomicfile_put(int dir_fd, const char *name, struct view bytes, mode_t mode,
		   enum atomicfile_commit how, struct errctx *e)
{
	return atomicfile_put_pieces(dir_fd, name, &bytes, 1, mode, how, e);
}

int atomicfile_remove(int dir_fd, const char *name, struct errctx *e)
{
	int bad = check_name(name, MAX_NAME_BYTES + 1, e);

	if (bad)
		return bad;
	if (fault_point("unlink") < 0)
		return err_sys(e, "remove \"%s\"", name);
	if (unlinkat(dir_fd, name, 0) < 0) {
		if (errno == EISDIR)
			return err_set(e, E_NOTREG, "\"%s\" is a folder", name);
		return err_sys(e, "remove \"%s\"", name);
	}
	if (fault_point("unlinked") < 0 || sync_dir(dir_fd) < 0)
		return err_sys(e, "sync the folder of \"%s\" (it is removed)", name);
	return 0;
}
