/* SPDX-License-Identifier: MIT */
/*
 * The name that the kernel gives for an open descriptor. Reads /proc/self/fd; opens nothing. Tested
 * by tests/unit/base/t_pathname.c and t_errno.c.
 */
#include "base/base.h"

#include "base/pathfd.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>

/* A rename of the root between the two questions looks like a file outside; it is asked again so
 * often. */
enum { ROOT_TRIES = 4 };

struct fd_name {
	size_t len;
	char text[MAX_PATH_BYTES + 2];
};

#ifdef __APPLE__
static int ask_kernel(int fd, struct fd_name *n, struct errctx *e)
{
	char text[1024 + 1] = {0}; /* F_GETPATH: MAXPATHLEN */

	if (fcntl(fd, F_GETPATH, text) < 0)
		return err_sys(e, "name of descriptor %d", fd);
	n->len = strlen(text);
	memcpy(n->text, text, n->len + 1);
	return 0;
}
#else
static int ask_kernel(int fd, struct fd_name *n, struct errctx *e)
{
	char link[32];
	ssize_t got;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	got = readlink(link, n->text, sizeof(n->text) - 1);
	if (got < 0 && (errno == ENOENT || errno == ENOTDIR) && fcntl(fd, F_GETFD) >= 0)
		return err_set(e, E_UNSUPPORTED, "name of descriptor %d: /proc isn't mounted", fd);
	if (got < 0)
		return err_sys(e, "name of descriptor %d", fd);
	if ((size_t)got > MAX_PATH_BYTES)
		return err_set(e, E_TOOBIG, "name of descriptor %d is too long", fd);
	n->len = (size_t)got;
	n->text[n->len] = 0;
	return 0;
}
#endif

static bool ends_in_deleted(const struct fd_name *n)
{
	static const char mark[] = " (deleted)";
	size_t len = sizeof(mark) - 1;

	return n->len >= len && memcmp(n->text + n->len - len, mark, len) == 0;
}

/* The kernel marks the name of a file that has lost it, but a file may really be called so: then
 * the name leads to it. A file that keeps another hard link counts one, but has lost the name by
 * which it was opened. */
static bool has_lost_it(int fd, const struct fd_name *n)
{
	struct stat st, there;

	if (!ends_in_deleted(n))
		return false;
	return fstat(fd, &st) < 0 || st.st_nlink == 0 ||
	       fstatat(AT_FDCWD, n->text, &there, AT_SYMLINK_NOFOLLOW) < 0 ||
	       there.st_dev != st.st_dev || there.st_ino != st.st_ino;
}

static int name_of(int fd, struct fd_name *n, struct errctx *e)
{
	int bad = ask_kernel(fd, n, e);

	if (bad)
		return bad;
	/* Without a slash it is a pipe, a socket or the like. */
	if (n->text[0] != '/' || has_lost_it(fd, n))
		return err_set(e, E_NOENT, "descriptor %d has no name any more", fd);
	return 0;
}

int pathfd_name(int fd, struct buf *out, struct errctx *e)
{
	struct fd_name n;
	int bad = name_of(fd, &n, e);

	if (bad)
		return bad;
	return buf_put(out, n.text, n.len) ? err_set(e, buf_error(out), "name") : 0;
}

/* The part of path below top ("" for top itself), or NULL. */
static const char *below(const struct fd_name *path, struct view top)
{
	size_t len = top.len;

	if (len == 1) /* "/" */
		return path->text + 1;
	if (path->len < len || memcmp(path->text, top.ptr, len) != 0)
		return NULL;
	if (path->len == len)
		return path->text + len;
	return path->text[len] == '/' ? path->text + len + 1 : NULL;
}

int pathfd_name_beneath(int root_fd, int fd, struct buf *out, struct errctx *e)
{
	struct fd_name root, file;
	const char *rel = NULL;
	int bad;

	for (int tries = 0; !rel && tries < ROOT_TRIES; tries++) {
		bad = name_of(root_fd, &root, e);
		if (!bad)
			bad = name_of(fd, &file, e);
		if (bad)
			return bad;
		rel = below(&file, (struct view){root.text, root.len});
	}
	if (!rel)
		return err_set(e, E_OUTSIDE, "\"%s\" isn't in \"%s\"", file.text, root.text);
	return buf_puts(out, rel) ? err_set(e, buf_error(out), "name") : 0;
}

bool pathfd_is_named(int fd, struct view top, struct view rel)
{
	struct fd_name n;
	const char *have = NULL;

	if (top.len > 0 && rel.len > 0 && name_of(fd, &n, NULL) == 0)
		have = below(&n, top);
	return have && view_is(rel, have);
}
