/* SPDX-License-Identifier: MIT */
/*
 * The three streams that the command keeps. A descriptor leads around every mount: a folder as
 * standard input opens the host's tree beside the masks, and a protected file can be opened again
 * for writing through /proc/self/fd, where Landlock sees a file below a root and agrees. So folders
 * and everything protected or hidden are refused as streams, and the report may not be one of them.
 * System. Covered by tests/escape/streams.tap.
 */
#include "base/base.h"
#include "launcher/launch.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

static const char *const stream_names[] = {"standard input", "standard output", "standard error"};

static const struct object *guarded(const struct launch *l, const struct stat *st)
{
	for (size_t i = 0; i < l->objects.n; i++) {
		const struct object *o = &l->objects.v[i];

		if ((o->role == ROLE_PROTECT || o->role == ROLE_MASK) &&
		    o->st.st_dev == st->st_dev && o->st.st_ino == st->st_ino)
			return o;
	}
	return NULL;
}

/* Looks at the file and at every folder above it, by device and inode: the project may be mounted
 * in a second place, under another name. */
static int check_name(const struct launch *l, int fd, char *path, const struct stat *wanted,
		      struct errctx *e)
{
	struct stat st;

	for (char *end = path + 1;; end++) {
		const struct object *o;
		char kept = *end;

		if (kept != '/' && kept != '\0')
			continue;
		*end = '\0';
		if (lstat(path, &st) < 0) {
			/* A folder that this user can't enter: the command can't come this way
			 * either, and Landlock stops it from writing to what it didn't reach. */
			if (errno == EACCES)
				return 0;
			return err_set(e, E_CHANGED, "%s: %s can't be found under its own name",
				       stream_names[fd], path);
		}
		o = guarded(l, &st);
		if (o)
			return err_set(e, E_DENIED,
				       "%s: %s is kept from the command (%s), but a descriptor "
				       "would lead to it; use a pipe",
				       stream_names[fd], path, o->rule);
		*end = kept;
		if (kept == '\0')
			break;
	}
	if (st.st_dev != wanted->st_dev || st.st_ino != wanted->st_ino)
		return err_set(e, E_CHANGED, "%s: another file has its name by now",
			       stream_names[fd]);
	return 0;
}

static int check_stream(const struct launch *l, int fd, struct errctx *e)
{
	int flags = fcntl(fd, F_GETFL);
	char name[64], path[MAX_PATH_BYTES + 1];
	struct stat st;
	ssize_t n;

	if (flags < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "%s", stream_names[fd]);
	if (S_ISDIR(st.st_mode) || (flags & O_PATH))
		return err_set(e, E_DENIED,
			       "%s is a folder or a bare path: everything outside could be reached "
			       "through it",
			       stream_names[fd]);
	if (st.st_nlink == 0)
		return 0; /* it has no name any more: no protected thing */
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	n = readlink(name, path, sizeof(path) - 1);
	if (n < 0)
		return err_sys(e, "%s", stream_names[fd]);
	path[n] = '\0';
	/* "pipe:[1]" and the like have no place; devices are judged by Landlock. */
	if (path[0] != '/' || S_ISCHR(st.st_mode))
		return 0;
	if ((size_t)n == sizeof(path) - 1)
		return err_set(e, E_RANGE, "%s: its name is too long", stream_names[fd]);
	return check_name(l, fd, path, &st, e);
}

/* Whoever can write to the report can forge it. */
static int check_report(int report_fd, struct errctx *e)
{
	struct stat report, st;

	if (report_fd < 0)
		return 0;
	if (fstat(report_fd, &report) < 0)
		return err_sys(e, "--report-fd");
	for (int fd = 0; fd < 3; fd++)
		if (fd == report_fd || (!S_ISCHR(report.st_mode) && fstat(fd, &st) == 0 &&
					st.st_dev == report.st_dev && st.st_ino == report.st_ino))
			return err_set(e, E_DENIED,
				       "--report-fd: descriptor %d is the command's %s too, which "
				       "could write events of its own",
				       report_fd, stream_names[fd]);
	return 0;
}

int launch_check_streams(const struct launch *l, struct errctx *e)
{
	int r = check_report(l->opt->report_fd, e);

	for (int fd = 0; r == 0 && fd < 3; fd++)
		r = check_stream(l, fd, e);
	return r;
}
