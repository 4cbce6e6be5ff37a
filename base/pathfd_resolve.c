/* SPDX-License-Identifier: MIT */
/*
 * Where a path leads now: advice for the rules, which then decide on what is really opened. Opens
 * folders and reads links, beneath the root only. Tested by tests/unit/base/t_resolve.c.
 *
 * What exists is asked of the kernel in one go: an open without access that follows no link says
 * that the path is what it looks like; with links, the name of what was opened. Only what the
 * kernel can't answer is walked: missing parts, and hosts without openat2 or /proc.
 */
#include "base/base.h"

#include "base/pathfd.h"

#include "base/limits.h"
#include "base/pathfd_walk.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

struct resolve {
	int root_fd; /* borrowed */
	struct path_done done;
	size_t missing; /* how many of done's last components don't exist */
	int links;
	int steps;
	char todo[MAX_WALK_BYTES]; /* NUL-ended text at the very end, so that a link's text fits in
				      front of the rest */
	struct path_step step;	   /* points into todo */
};

/* A link of /proc can lead anywhere whatever its text says. openat2 refuses those by itself. */
static bool may_be_magic(int dir_fd)
{
#ifdef __linux__
	struct statfs fs;

	return pathfd_walks() && (fstatfs(dir_fd, &fs) < 0 || fs.f_type == PROC_SUPER_MAGIC);
#else
	(void)dir_fd;
	return false;
#endif
}

/* Puts the text of link `name` in front of what is still to do. */
static int follow(struct resolve *r, int dir_fd, const char *name, struct errctx *e)
{
	size_t rest = strlen(r->step.rest), room = sizeof(r->todo) - 1 - rest;
	char target[MAX_PATH_BYTES + 1];
	ssize_t n;

	if (++r->links > MAX_SYMLINKS)
		return err_set(e, E_LINK, "too many links at \"%s\"", name);
	if (may_be_magic(dir_fd))
		return err_set(e, E_LINK, "\"%s\" is a link of /proc", name);
	n = readlinkat(dir_fd, name, target, sizeof(target));
	if (n < 0 && errno == EINVAL)
		return err_set(e, E_CHANGED, "\"%s\" is no link any more", name);
	if (n < 0)
		return err_sys(e, "link \"%s\"", name);
	if (n == 0)
		return err_set(e, E_NOENT, "link \"%s\" is empty", name);
	if (target[0] == '/')
		return err_set(e, E_OUTSIDE, "link \"%s\" is absolute", name);
	if ((size_t)n >= sizeof(target) || (size_t)n > room)
		return err_set(e, E_TOOBIG, "link \"%s\": path too long", name);
	memmove(r->todo + room - n, target, (size_t)n);
	r->step = (struct path_step){.rest = r->todo + room - n};
	return 0;
}

static int append(struct resolve *r, const char *name, struct errctx *e)
{
	if (!path_done_push(&r->done, name))
		return err_set(e, E_TOOBIG, "\"%s\": path too long", name);
	return 0;
}

static int open_done(struct resolve *r, bool leave, int *ret_fd, struct errctx *e)
{
	const char *path = r->done.len ? r->done.text : ".";

	/* Leaving a folder by ".." needs search permission on it, as in the kernel. */
	if (leave) {
		int bad = append(r, ".", e);

		if (bad)
			return bad;
		bad = pathfd_open(r->root_fd, path, OPEN_FOR_SEARCH | O_DIRECTORY, 0, LINKS_NONE,
				  ret_fd, e);
		path_done_pop(&r->done);
		return bad;
	}
	return pathfd_open(r->root_fd, path, OPEN_FOR_SEARCH | O_DIRECTORY, 0, LINKS_NONE, ret_fd,
			   e);
}

static int step_up(struct resolve *r, struct errctx *e)
{
	auto_fd int fd = -1;
	int bad;

	if (r->missing)
		return err_set(e, E_NOENT, "\"..\" behind a missing folder");
	if (r->done.len == 0)
		return err_set(e, E_OUTSIDE, "\"..\" leaves the root");
	bad = open_done(r, true, &fd, e);
	if (!bad)
		path_done_pop(&r->done);
	return bad;
}

static int step_in(struct resolve *r, const char *name, struct errctx *e)
{
	auto_fd int dir_fd = -1;
	struct stat st;
	int bad;

	if (r->missing) {
		r->missing++;
		return append(r, name, e);
	}
	bad = open_done(r, false, &dir_fd, e);
	if (bad)
		return bad;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return err_sys(e, "\"%s\"", name);
		r->missing = 1;
		return append(r, name, e);
	}
	if (S_ISLNK(st.st_mode))
		return follow(r, dir_fd, name, e);
	if (!S_ISDIR(st.st_mode) && r->step.slash)
		return err_set(e, E_NOTDIR, "\"%s\" is no folder", name);
	return append(r, name, e);
}

static int walk_steps(struct resolve *r, struct errctx *e)
{
	char name[MAX_NAME_BYTES + 1];
	int bad = 0;

	while (!bad && path_step_next(&r->step, name)) {
		/* Without openat2 a step costs as many calls as the folder is deep. */
		if (r->step.kind != STEP_HERE && r->steps++ >= MAX_WALK_STEPS)
			return err_set(e, E_TOOBIG, "path of too many steps");
		switch (r->step.kind) {
		case STEP_LONG:
			return err_set(e, E_TOOBIG, "name too long");
		case STEP_HERE:
			break;
		case STEP_UP:
			bad = step_up(r, e);
			break;
		case STEP_NAME:
			bad = step_in(r, name, e);
			break;
		}
	}
	return bad;
}

/* Everything by small steps. */
static int resolve_by_steps(int root_fd, const char *rel, struct buf *out, size_t *ret_missing,
			    struct errctx *e)
{
	struct resolve r;
	size_t n = strlen(rel);
	int bad;

	r.root_fd = root_fd;
	r.done.len = 0;
	r.done.text[0] = 0;
	r.missing = 0;
	r.links = r.steps = 0;
	memcpy(r.todo + sizeof(r.todo) - 1 - n, rel, n + 1);
	r.step = (struct path_step){.rest = r.todo + sizeof(r.todo) - 1 - n};
	bad = walk_steps(&r, e);
	if (bad)
		return bad;
	if (buf_put(out, r.done.text, r.done.len))
		return err_set(e, buf_error(out), "path");
	if (ret_missing)
		*ret_missing = r.missing;
	return 0;
}

/* Folds "." and ".." of a path of which the kernel has said that it exists and holds no link. */
static int put_folded(struct buf *out, const char *rel, struct errctx *e)
{
	char name[MAX_NAME_BYTES + 1];
	struct path_step step = {.rest = rel};
	struct path_done done;

	done.len = 0;
	done.text[0] = 0;
	while (path_step_next(&step, name)) {
		if (step.kind == STEP_UP)
			path_done_pop(&done);
		else if (step.kind == STEP_NAME && !path_done_push(&done, name))
			return err_set(e, E_TOOBIG, "path too long");
	}
	return buf_put(out, done.text, done.len) ? err_set(e, buf_error(out), "path") : 0;
}

/* What exists, in one go. E_NOENT and E_UNSUPPORTED: by steps. */
static int resolve_at_once(int root_fd, const char *rel, struct buf *out, struct errctx *e)
{
#ifdef O_PATH
	auto_fd int fd = -1;
	int bad;

	if (pathfd_walks())
		return E_UNSUPPORTED;
	bad = pathfd_open(root_fd, rel, O_PATH, 0, LINKS_NONE, &fd, e);
	if (!bad)
		return put_folded(out, rel, e);
	if (bad != E_LINK)
		return bad;
	bad = pathfd_open(root_fd, rel, O_PATH, 0, LINKS_BENEATH, &fd, e);
	if (pathfd_walks())
		return E_UNSUPPORTED; /* learnt by these very calls: they followed no link */
	return bad ? bad : pathfd_name_beneath(root_fd, fd, out, e);
#else
	(void)root_fd;
	(void)rel;
	(void)out;
	(void)e;
	return E_UNSUPPORTED;
#endif
}

int pathfd_resolve(int root_fd, const char *rel, struct buf *out, size_t *ret_missing,
		   struct errctx *e)
{
	struct errctx why = {0};
	int bad;

	if (!*rel)
		return err_set(e, E_NOENT, "empty path");
	if (*rel == '/')
		return err_set(e, E_OUTSIDE, "\"%s\" is absolute", rel);
	if (strnlen(rel, MAX_PATH_BYTES + 1) > MAX_PATH_BYTES)
		return err_set(e, E_TOOBIG, "path too long");
	bad = resolve_at_once(root_fd, rel, out, &why);
	if (bad == E_NOENT || bad == E_UNSUPPORTED)
		return resolve_by_steps(root_fd, rel, out, ret_missing, e);
	if (bad && e)
		*e = why;
	if (!bad && ret_missing)
		*ret_missing = 0;
	return bad;
}
