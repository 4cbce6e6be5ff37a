/* SPDX-License-Identifier: MIT */
/*
 * The component walk that stands in for openat2. A folder above is reached by starting at the root
 * again, never through "..": a folder moved meanwhile can't lead outside. Tested by
 * tests/unit/base/t_pathfd.c.
 */
#include "base/base.h"

#include "base/pathfd_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

bool path_step_next(struct path_step *s, char name[MAX_NAME_BYTES + 1])
{
	const char *start = s->rest;
	size_t n;

	while (*start == '/')
		start++;
	if (!*start)
		return false;
	for (n = 0; start[n] && start[n] != '/'; n++)
		;
	s->rest = start + n;
	s->slash = *s->rest == '/';
	s->last = s->rest[strspn(s->rest, "/")] == 0;
	s->kind = STEP_NAME;
	if (n > MAX_NAME_BYTES) {
		s->kind = STEP_LONG;
		return true;
	}
	memcpy(name, start, n);
	name[n] = 0;
	if (strcmp(name, ".") == 0)
		s->kind = STEP_HERE;
	else if (strcmp(name, "..") == 0)
		s->kind = STEP_UP;
	return true;
}

bool path_done_push(struct path_done *d, const char *name)
{
	size_t n = strlen(name), slash = d->len > 0;

	if (n > MAX_PATH_BYTES - slash || d->len > MAX_PATH_BYTES - slash - n)
		return false;
	if (slash)
		d->text[d->len++] = '/';
	memcpy(d->text + d->len, name, n + 1);
	d->len += n;
	return true;
}

void path_done_pop(struct path_done *d)
{
	while (d->len > 0 && d->text[d->len - 1] != '/')
		d->len--;
	if (d->len > 0)
		d->len--;
	d->text[d->len] = 0;
}

/* Keeps errno. */
static bool is_link(int dir_fd, const char *name)
{
	struct stat st;
	int saved = errno;
	bool link = fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);

	errno = saved;
	return link;
}

int walk_enter(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, OPEN_FOR_SEARCH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == ENOTDIR && is_link(dir_fd, name))
		errno = ELOOP;
	return fd;
}

struct walk {
	int root_fd; /* borrowed */
	int at_fd;   /* owned, or -1: at the root */
	int steps;
	struct path_done done;
};

static int here(const struct walk *w)
{
	return w->at_fd >= 0 ? w->at_fd : w->root_fd;
}

static void move_to(struct walk *w, int fd)
{
	if (w->at_fd >= 0)
		(void)close(w->at_fd);
	w->at_fd = fd;
}

static int go_in(struct walk *w, const char *name)
{
	int fd;

	if (w->steps++ >= MAX_WALK_STEPS) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = walk_enter(here(w), name);
	if (fd < 0)
		return -1;
	move_to(w, fd);
	return 0;
}

/* One level up: from the root down again. The kernel asks for search permission on the folder it
 * leaves. */
static int go_up(struct walk *w)
{
	char name[MAX_NAME_BYTES + 1];
	struct path_step step;

	if (w->done.len == 0) {
		errno = EXDEV;
		return -1;
	}
	if (go_in(w, ".") < 0)
		return -1;
	path_done_pop(&w->done);
	move_to(w, -1);
	step = (struct path_step){.rest = w->done.text};
	while (path_step_next(&step, name))
		if (go_in(w, name) < 0)
			return -1;
	return 0;
}

/* The last component, with the caller's flags. */
static int open_last(int dir_fd, const char *name, bool slash, int flags, mode_t mode)
{
	int fd;

	if (slash && (flags & O_CREAT)) {
		errno = EISDIR; /* as the kernel */
		return -1;
	}
	if (slash)
		flags |= O_DIRECTORY;
	fd = openat(dir_fd, name, flags | O_NOFOLLOW, mode);
	if (fd < 0 && errno == ENOTDIR && is_link(dir_fd, name))
		errno = ELOOP;
#ifdef O_PATH
	if (fd >= 0 && (flags & O_PATH) && (slash || !(flags & O_NOFOLLOW))) {
		struct stat st;
		int bad = fstat(fd, &st);

		if (bad == 0 && !S_ISLNK(st.st_mode))
			return fd;
		if (bad == 0)
			errno = ELOOP;
		bad = errno;
		(void)close(fd);
		errno = bad;
		return -1;
	}
#endif
	return fd;
}

static int walk_all(struct walk *w, const char *rel, int flags, mode_t mode)
{
	char name[MAX_NAME_BYTES + 1];
	struct path_step step = {.rest = rel};

	while (path_step_next(&step, name)) {
		if (step.kind == STEP_LONG) {
			errno = ENAMETOOLONG;
			return -1;
		}
		if (step.kind == STEP_UP && go_up(w) < 0)
			return -1;
		if (step.last && step.kind != STEP_NAME)
			return openat(here(w), ".", flags, mode);
		if (step.last)
			return open_last(here(w), name, step.slash, flags, mode);
		if (step.kind != STEP_NAME)
			continue;
		if (go_in(w, name) < 0)
			return -1;
		if (!path_done_push(&w->done, name)) {
			errno = ENAMETOOLONG;
			return -1;
		}
	}
	errno = ENOENT; /* an empty path, as the kernel */
	return -1;
}

int pathfd_walk(int root_fd, const char *rel, int flags, mode_t mode)
{
	struct walk w = {.root_fd = root_fd, .at_fd = -1};
	int fd = -1, saved;

	if (strnlen(rel, MAX_PATH_BYTES + 1) > MAX_PATH_BYTES)
		errno = ENAMETOOLONG;
	else if (*rel == '/')
		errno = EXDEV;
	else
		fd = walk_all(&w, rel, flags, mode);
	saved = errno;
	move_to(&w, -1);
	errno = saved;
	return fd;
}
