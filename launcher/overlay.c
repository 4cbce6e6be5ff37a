/* SPDX-License-Identifier: MIT */
/*
 * The folders of a write transaction: made, emptied, thrown away. The kernel leaves "work/work"
 * without permission bits, so removal restores them first. System. Covered by
 * tests/unit/launcher/t_overlay.c and tests/e2e/launcher-overlay.tap.
 */
#include "base/base.h"
#include "launcher/overlay.h"

#include "base/pathfd.h"
#include "base/pathstr.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

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
	while ((errno = 0, entry = readdir(d)))
		n++;
	if (errno != 0) {
		int r = err_sys(e, "overlay: upper");

		(void)closedir(d);
		return r;
	}
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

/* ---- removal ----
 *
 * A command may leave a tree of any depth, so nothing here calls itself once a level: a folder that
 * lies deeper than the second level is moved up to the first, where its turn comes. */

static int fail(const char *name, struct errctx *e)
{
	return err_sys(e, "overlay: remove %s", name);
}

/* 0: gone; 1: a folder with something in it. */
static int remove_plain(int dir_fd, const char *name, struct errctx *e)
{
	if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return fail(name, e);
	if (unlinkat(dir_fd, name, AT_REMOVEDIR) == 0)
		return 0;
	return errno == ENOTEMPTY || errno == EEXIST ? 1 : fail(name, e);
}

static DIR *open_list(int dir_fd, const char *name)
{
	DIR *d = NULL;
	int fd;

	if (fchmodat(dir_fd, name, 0700, 0) < 0)
		return NULL;
	fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && !(d = fdopendir(fd)))
		(void)close(fd);
	return d;
}

/* Moves dir_fd/name up into top_fd. What is in the way there has a number, too, and is finite. */
static int move_up(int dir_fd, const char *name, int top_fd, uint64_t *n, struct errctx *e)
{
	char to[24];

	/* A folder that changes its parent is written itself. */
	if (fchmodat(dir_fd, name, 0700, 0) < 0)
		return fail(name, e);
	for (;;) {
		(void)snprintf(to, sizeof(to), "%llu", (unsigned long long)(*n)++);
		if (renameat(dir_fd, name, top_fd, to) == 0)
			return 0;
		if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
			return fail(name, e);
	}
}

/* Empties dir_fd/name and removes it. It lies in top_fd, or top_fd is -1 and it is the top. */
static int remove_folder(int dir_fd, const char *name, int top_fd, uint64_t *n, struct errctx *e)
{
	DIR *d = open_list(dir_fd, name);
	struct dirent *entry;
	size_t seen;
	int r = d ? 0 : fail(name, e);

	/* What is read from a folder while it changes may leave something out. */
	do {
		seen = 0;
		while (r == 0 && (entry = readdir(d))) {
			if (pathstr_is_dots(entry->d_name))
				continue;
			seen++;
			r = remove_plain(dirfd(d), entry->d_name, e);
			if (r > 0 && top_fd >= 0)
				r = move_up(dirfd(d), entry->d_name, top_fd, n, e);
			else if (r > 0)
				r = remove_folder(dirfd(d), entry->d_name, dirfd(d), n, e);
		}
		if (d)
			rewinddir(d);
	} while (r == 0 && seen > 0);
	if (d)
		(void)closedir(d);
	if (r == 0 && unlinkat(dir_fd, name, AT_REMOVEDIR) < 0)
		r = fail(name, e);
	return r;
}

static int remove_tree(int dir_fd, const char *name, struct errctx *e)
{
	uint64_t n = 0;
	int r = remove_plain(dir_fd, name, e);

	return r > 0 ? remove_folder(dir_fd, name, -1, &n, e) : r;
}

int overlay_discard(int dir_fd, struct errctx *e)
{
	int r = remove_tree(dir_fd, "upper", e);

	return r < 0 ? r : remove_tree(dir_fd, "work", e);
}
