/* SPDX-License-Identifier: MIT */
/*
 * The folders of a write transaction: made, emptied, thrown away. The kernel leaves "work/work"
 * without permission bits, so removal restores them first. System. Covered by
 * tests/unit/launcher/t_overlay.c and tests/e2e/launcher-overlay.tap.
 */
#include "base/base.h"
#include "launcher/overlay.h"

#include "base/pathfd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

static int make_one(int dir_fd, const char *name, int *ret_fd, struct errctx *e)
{
	auto_fd int fd = -1;
	struct stat st;

	if (mkdirat(dir_fd, name, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "overlay: %s", name);
	fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "overlay: %s", name);
	if (st.st_uid != geteuid())
		return err_set(e, E_OWNER, "overlay: %s belongs to somebody else", name);
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int check_empty(int fd, struct errctx *e)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;
	int n = 0;

	if (!d) {
		int r = err_sys(e, "overlay: upper");

		if (copy >= 0)
			(void)close(copy);
		return r;
	}
	while ((entry = readdir(d)))
		n++;
	(void)closedir(d);
	return n <= 2 ? 0
		      : err_set(e, E_EXISTS,
				"overlay: \"upper\" holds writes of an earlier run; look at them "
				"with --changes and remove them");
}

int overlay_prepare(int dir_fd, bool must_be_empty, int *ret_upper_fd, int *ret_work_fd,
		    struct errctx *e)
{
	auto_fd int upper = -1;
	auto_fd int work = -1;
	int r = make_one(dir_fd, "upper", &upper, e);

	if (r == 0)
		r = make_one(dir_fd, "work", &work, e);
	if (r == 0 && must_be_empty)
		r = check_empty(upper, e);
	if (r < 0)
		return r;
	*ret_upper_fd = steal_fd(&upper);
	*ret_work_fd = steal_fd(&work);
	return 0;
}

static int remove_tree(int dir_fd, const char *name, unsigned depth, struct errctx *e)
{
	struct dirent *entry;
	DIR *d;
	int fd, r = 0;

	if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return err_sys(e, "overlay: remove %s", name);
	if (depth > OVERLAY_MAX_DEPTH)
		return err_set(e, E_TOOBIG, "overlay: nested too deeply to remove");
	if (fchmodat(dir_fd, name, 0700, 0) < 0 && errno == ENOENT)
		return 0;
	fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	d = fd >= 0 ? fdopendir(fd) : NULL;
	if (!d) {
		r = err_sys(e, "overlay: remove %s", name);
		if (fd >= 0)
			(void)close(fd);
		return r;
	}
	while (r == 0 && (entry = readdir(d)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = remove_tree(dirfd(d), entry->d_name, depth + 1, e);
	(void)closedir(d);
	if (r == 0 && unlinkat(dir_fd, name, AT_REMOVEDIR) < 0)
		r = err_sys(e, "overlay: remove %s", name);
	return r;
}

int overlay_discard(int dir_fd, struct errctx *e)
{
	int r = remove_tree(dir_fd, "upper", 0, e);

	return r < 0 ? r : remove_tree(dir_fd, "work", 0, e);
}
