/* SPDX-License-Identifier: MIT */
/*
 * Reads operator's files after walking to them from / by descriptor. Reads only; refuses on any
 * doubt. Tested by tests/unit/base/t_custody.c.
 *
 * Access lists need no look of their own: on Linux the group bits of a file with a list are the
 * most that the list grants to anybody but the owner, so no bit for the group means none for
 * anybody.
 */
#include "base/base.h"

#include "base/custody.h"

#include "base/io.h"
#include "base/limits.h"
#include "base/pathfd_walk.h"
#include "base/rootid.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>

struct custody {
	const char *path; /* as given, for messages */
	uid_t user;
	unsigned flags;
	bool has_forbidden;
	dev_t forbidden_dev;
	ino_t forbidden_ino;
	bool shared;	       /* others may add names to the folder reached */
	int at_fd;	       /* owned: the folder reached */
	struct path_done done; /* its path, without the first slash */
	int links, steps;
	char todo[MAX_WALK_BYTES]; /* text at the end, see pathfd_resolve.c */
	struct path_step step;
};

static void cleanup_custody(struct custody *c)
{
	if (c->at_fd >= 0)
		(void)close(steal_fd(&c->at_fd));
}

#define auto_custody __attribute__((cleanup(cleanup_custody)))

/* Long paths are cut, or the rule behind them would be: that which was given at its end, the place
 * that was reached at its beginning. */
enum { SHOWN = 120 };
struct shown {
	char text[SHOWN + 4];
};

static struct shown head_of(const char *s)
{
	struct shown r;

	(void)snprintf(r.text, sizeof(r.text), "%.*s%s", SHOWN, s, strlen(s) > SHOWN ? "..." : "");
	return r;
}

static struct shown tail_of(const char *folder, const char *name)
{
	struct shown r;
	char all[2 * MAX_PATH_BYTES + 2];
	size_t n;

	(void)snprintf(all, sizeof(all), "/%s%s%s", folder, *folder && *name ? "/" : "", name);
	n = strlen(all);
	(void)snprintf(r.text, sizeof(r.text), "%s%.*s", n > SHOWN ? "..." : "", SHOWN,
		       n > SHOWN ? all + n - SHOWN : all);
	return r;
}

/* Errors that a caller with CUSTODY_OPTIONAL takes for "not there" carry no text. */
static int fail_sys(const struct custody *c, const char *name, struct errctx *e)
{
	int error = errno;
	struct shown path = head_of(c->path), place = tail_of(c->done.text, name);

	if (error == ENOENT && (c->flags & CUSTODY_OPTIONAL))
		return E_NOENT;
	errno = error;
	return err_sys(e, "\"%s\": \"%s\"", path.text, place.text);
}

static int fail(const struct custody *c, const char *name, int code, const char *rule,
		struct errctx *e)
{
	struct shown path = head_of(c->path), place = tail_of(c->done.text, name);

	return err_set(e, code, "\"%s\": \"%s\" %s", path.text, place.text, rule);
}

static int check_owner(const struct custody *c, const char *name, const struct stat *st,
		       struct errctx *e)
{
	if (st->st_uid != 0 && st->st_uid != c->user)
		return fail(c, name, E_OWNER, "belongs neither to this user nor to root", e);
	return 0;
}

/* Root's, or shown as root's are where root has no id (base/rootid.h). Everybody else's are shown
 * so, too: in a folder where only root and the user can put names that is as good, in /tmp it
 * isn't. */
static bool is_roots(const struct custody *c, uid_t owner)
{
	return owner == 0 || (owner != c->user && !c->shared && owner == rootid_shown());
}

/* A folder on the way; name is the component that leads to it ("" for /). */
static int check_folder(struct custody *c, const char *name, const struct stat *st,
			struct errctx *e)
{
	int bad = is_roots(c, st->st_uid) ? 0 : check_owner(c, name, st, e);

	if (bad)
		return bad;
	/* In a sticky folder others may add, but not take away or rename what is ours or root's,
	 * and what comes next has to be. */
	if ((st->st_mode & (S_IWGRP | S_IWOTH)) && !(st->st_mode & S_ISVTX))
		return fail(c, name, E_MODE, "is a folder that its group or others may write", e);
	if (c->has_forbidden && st->st_dev == c->forbidden_dev && st->st_ino == c->forbidden_ino)
		return fail(c, name, E_OUTSIDE, "lies in the folder where it must not be", e);
	c->shared = (st->st_mode & (S_IWGRP | S_IWOTH)) != 0;
	return 0;
}

/* The file or folder at the end: the user's, or root's by its own id. */
static int check_last(const struct custody *c, const char *name, const struct stat *st,
		      struct errctx *e)
{
	int bad = check_owner(c, name, st, e);

	if (bad)
		return bad;
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return fail(c, name, E_MODE, "may be written by its group or by others", e);
	if ((c->flags & CUSTODY_PRIVATE) && (st->st_mode & (S_IRWXG | S_IRWXO)))
		return fail(c, name, E_MODE, "is open to its group or to others", e);
	if ((c->flags & CUSTODY_ONE_NAME) && !S_ISDIR(st->st_mode) && st->st_nlink != 1)
		return fail(c, name, E_HARDLINK, "has several names (hard links)", e);
	return 0;
}

static int go_to_root(struct custody *c, struct errctx *e)
{
	struct stat st;

	cleanup_custody(c);
	c->done.len = 0;
	c->done.text[0] = 0;
	c->shared = false;
	c->at_fd = open("/", OPEN_FOR_SEARCH | O_DIRECTORY | O_CLOEXEC);
	if (c->at_fd < 0 || fstat(c->at_fd, &st) < 0)
		return fail_sys(c, "", e);
	return check_folder(c, "", &st, e);
}

/* Puts text in front of what is still to do. */
static int put_in_front(struct custody *c, const char *text, size_t n, struct errctx *e)
{
	size_t rest = strlen(c->step.rest), room = sizeof(c->todo) - 1 - rest;

	if (n > room)
		return fail(c, "", E_TOOBIG, "leads on to a path that is too long", e);
	memmove(c->todo + room - n, text, n);
	c->step = (struct path_step){.rest = c->todo + room - n};
	return 0;
}

/* A link above: only root may have made it. */
static int follow(struct custody *c, const char *name, struct errctx *e)
{
	char target[MAX_PATH_BYTES + 1];
	struct stat st;
	ssize_t n;
	int bad;

	if (fstatat(c->at_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return fail_sys(c, name, e);
	if (!S_ISLNK(st.st_mode))
		return fail(c, name, E_CHANGED, "is being changed", e);
	if (!is_roots(c, st.st_uid))
		return fail(c, name, E_LINK, "is a symbolic link that root didn't make", e);
	if (++c->links > MAX_SYMLINKS)
		return fail(c, name, E_LINK, "is one symbolic link too many", e);
	n = readlinkat(c->at_fd, name, target, sizeof(target));
	if (n < 0)
		return fail_sys(c, name, e);
	if (n == 0 || (size_t)n >= sizeof(target))
		return fail(c, name, E_TOOBIG, "is a symbolic link without a usable text", e);
	bad = put_in_front(c, target, (size_t)n, e);
	if (!bad && target[0] == '/')
		bad = go_to_root(c, e);
	return bad;
}

/* From the root down again, without the last folder: a folder may have been moved, so ".." of the
 * kernel isn't where we came from. */
static int go_up(struct custody *c, struct errctx *e)
{
	char folder[MAX_PATH_BYTES + 1];
	size_t n;
	int bad;

	path_done_pop(&c->done);
	n = c->done.len;
	memcpy(folder, c->done.text, n);
	bad = put_in_front(c, folder, n, e);
	return bad ? bad : go_to_root(c, e);
}

static int go_in(struct custody *c, const char *name, struct errctx *e)
{
	auto_fd int fd = walk_enter(c->at_fd, name);
	struct stat st;
	int bad;

	if (fd < 0)
		return errno == ELOOP ? follow(c, name, e) : fail_sys(c, name, e);
	if (fstat(fd, &st) < 0)
		return fail_sys(c, name, e);
	bad = check_folder(c, name, &st, e);
	if (bad)
		return bad;
	if (!path_done_push(&c->done, name))
		return fail(c, name, E_TOOBIG, "has too long a path", e);
	cleanup_custody(c);
	c->at_fd = steal_fd(&fd);
	return 0;
}

/* Walks to the folder that holds the last component, whose name it gives. */
static int walk_to(struct custody *c, const char *path, unsigned flags, int not_beneath,
		   char name[MAX_NAME_BYTES + 1], struct errctx *e)
{
	struct stat st;
	size_t n = strnlen(path, MAX_PATH_BYTES + 1);
	int bad;

	c->path = path;
	c->user = geteuid();
	c->flags = flags;
	c->has_forbidden = not_beneath >= 0;
	c->shared = false;
	c->at_fd = -1;
	c->links = c->steps = 0;
	c->done.len = 0;
	c->done.text[0] = 0;
	if (path[0] != '/')
		return err_set(e, E_SYNTAX, "\"%s\" is no absolute path", path);
	if (n > MAX_PATH_BYTES)
		return err_set(e, E_TOOBIG, "path too long");
	if (not_beneath >= 0) {
		if (fstat(not_beneath, &st) < 0)
			return err_sys(e, "the folder where \"%s\" must not be", path);
		c->forbidden_dev = st.st_dev;
		c->forbidden_ino = st.st_ino;
	}
	memcpy(c->todo + sizeof(c->todo) - 1 - n, path, n + 1);
	c->step = (struct path_step){.rest = c->todo + sizeof(c->todo) - 1 - n};
	bad = go_to_root(c, e);
	while (!bad && path_step_next(&c->step, name)) {
		if (c->step.kind == STEP_LONG)
			return fail(c, "", E_TOOBIG, "holds no name of that length", e);
		if (c->steps++ >= MAX_WALK_STEPS)
			return fail(c, "", E_TOOBIG, "is reached by too many steps", e);
		if (c->step.kind == STEP_UP)
			bad = go_up(c, e);
		else if (c->step.kind == STEP_NAME && c->step.last)
			return 0;
		else if (c->step.kind == STEP_NAME)
			bad = go_in(c, name, e);
	}
	if (!bad) /* "/", or a path that ends in "." or ".." */
		return fail(c, "", E_SYNTAX, "is no name of a file or folder", e);
	return bad;
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

int custody_recheck(int fd, const struct stat *before, struct errctx *e)
{
	struct stat now;

	if (fstat(fd, &now) < 0)
		return err_sys(e, "file that was read");
	if (now.st_size != before->st_size || !same_time(now.st_mtim, before->st_mtim) ||
	    !same_time(now.st_ctim, before->st_ctim))
		return err_set(e, E_CHANGED, "the file changed while it was read");
	return 0;
}

/* Looks before it opens: opening a device can have effects. */
static int open_last(const struct custody *c, const char *name, size_t max, int *ret_fd,
		     struct stat *ret_st, struct errctx *e)
{
	auto_fd int fd = -1;
	struct stat seen, st;
	int bad;

	if (fstatat(c->at_fd, name, &seen, AT_SYMLINK_NOFOLLOW) < 0)
		return fail_sys(c, name, e);
	if (S_ISLNK(seen.st_mode))
		return fail(c, name, E_LINK, "is a symbolic link", e);
	if (!S_ISREG(seen.st_mode))
		return fail(c, name, E_NOTREG, "is not a regular file", e);
	if (c->step.slash)
		return fail(c, name, E_NOTDIR, "is no folder", e);
	bad = check_last(c, name, &seen, e);
	if (bad)
		return bad;
	fd = io_retry(
		openat(c->at_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail_sys(c, name, e);
	if (st.st_dev != seen.st_dev || st.st_ino != seen.st_ino || !S_ISREG(st.st_mode))
		return fail(c, name, E_CHANGED, "was replaced meanwhile", e);
	bad = check_last(c, name, &st, e);
	if (bad)
		return bad;
	if (st.st_size < 0 || (uint64_t)st.st_size > max)
		return fail(c, name, E_TOOBIG, "is too big", e);
	*ret_fd = steal_fd(&fd);
	*ret_st = st;
	return 0;
}

int custody_open(const char *path, unsigned flags, size_t max, int not_beneath, int *ret_fd,
		 struct stat *ret_st, struct errctx *e)
{
	char name[MAX_NAME_BYTES + 1];
	auto_custody struct custody c = {.at_fd = -1};
	int bad = walk_to(&c, path, flags, not_beneath, name, e);

	return bad ? bad : open_last(&c, name, max, ret_fd, ret_st, e);
}

static void wipe(char *bytes, size_t n)
{
	volatile char *p = bytes;

	while (n-- > 0)
		*p++ = 0;
}

int custody_read(const char *path, unsigned flags, size_t max, int not_beneath, struct buf *out,
		 struct errctx *e)
{
	auto_fd int fd = -1;
	struct stat st;
	size_t before = out->len;
	int bad = custody_open(path, flags, max, not_beneath, &fd, &st, e);

	if (bad)
		return bad;
	bad = io_read_all(fd, out, max);
	if (bad == E_SYS)
		bad = err_sys(e, "read \"%s\"", path);
	else if (bad)
		bad = err_set(e, bad, "read \"%s\": %s", path, err_name(bad));
	if (!bad)
		bad = custody_recheck(fd, &st, e);
	if (!bad && out->len - before != (size_t)st.st_size)
		bad = err_set(e, E_CHANGED, "\"%s\" changed while it was read", path);
	if (bad && out->data) { /* half a secret is a secret */
		wipe(out->data + before, out->len - before);
		out->len = before;
	}
	return bad;
}

int custody_open_dir(const char *path, unsigned flags, int *ret_fd, struct errctx *e)
{
	char name[MAX_NAME_BYTES + 1];
	auto_custody struct custody c = {.at_fd = -1};
	auto_fd int fd = -1;
	struct stat st;
	int bad = walk_to(&c, path, flags, -1, name, e);

	if (bad)
		return bad;
	fd = walk_enter(c.at_fd, name); /* tells a link from a file */
	if (fd < 0)
		return fail_sys(&c, name, e);
	(void)close(fd);
	fd = openat(c.at_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail_sys(&c, name, e);
	bad = check_last(&c, name, &st, e);
	if (!bad)
		*ret_fd = steal_fd(&fd);
	return bad;
}

static int put_home(struct buf *out, const char *home, struct errctx *e)
{
	size_t n = strlen(home);

	while (n > 1 && home[n - 1] == '/')
		n--;
	return buf_put(out, home, n) ? err_set(e, buf_error(out), "home folder") : 0;
}

int custody_home(struct buf *out, struct errctx *e)
{
	const char *home = getenv("HOME");
	char strings[8192];
	struct passwd entry, *found = NULL;

	if (home && home[0] == '/')
		return put_home(out, home, e);
	if (getpwuid_r(geteuid(), &entry, strings, sizeof(strings), &found) != 0 || !found ||
	    !found->pw_dir || found->pw_dir[0] != '/')
		return err_set(e, E_MISSING,
			       "no home folder: HOME isn't an absolute path and user "
			       "%u isn't in the user database",
			       (unsigned)geteuid());
	return put_home(out, found->pw_dir, e);
}
