/* SPDX-License-Identifier: MIT */
/*
 * Things on the host that the boundary is made of: opened once, and from then on known by their
 * descriptor (file 10, rule R2). System.
 */
#ifndef LAUNCHER_OBJECT_H
#define LAUNCHER_OBJECT_H

#include <sys/stat.h>

#include "base/err.h"
#include "launcher/plan.h"

struct object {
	char *path; /* the name the kernel gives: absolute, canonical (owned) */
	int fd;	    /* O_PATH */
	struct stat st;
	enum role role;
	const char *rule; /* static: row id or option that brought it */
	bool placeholder; /* made by us for this run */
};

struct objects {
	struct object *v;
	size_t n, cap;
};

void objects_release(struct objects *o);

/* Opens path, following links, and refuses a result whose canonical name isn't plain (control
 * characters, not UTF-8, too long) or doesn't lead back to it. must_be_dir: E_NOTDIR. On success
 * *ret is filled and owned by the caller. E_NOENT, E_NOTDIR, E_LINK, E_RANGE, E_UTF8, E_CHANGED,
 * E_SYS. */
int object_open(const char *path, bool must_be_dir, struct object *ret,
		struct errctx *e) must_check;

/* The same without following any link: E_LINK when a component is one (file 10, 6.2, check 3). A
 * trailing slash is dropped first. */
int object_open_exact(const char *path, struct object *ret, struct errctx *e) must_check;

/* rel beneath an opened folder, no link on it. E_NOENT when absent, E_LINK. */
int object_open_beneath(const struct object *root, const char *rel, struct object *ret,
			struct errctx *e) must_check;

void object_release(struct object *o);

/* Takes *o over (also on failure). */
int objects_add(struct objects *list, struct object *o, enum role role, const char *rule,
		struct errctx *e) must_check;

static inline bool object_is_dir(const struct object *o)
{
	return S_ISDIR(o->st.st_mode);
}
static inline bool object_same(const struct object *a, const struct object *b)
{
	return a->st.st_dev == b->st.st_dev && a->st.st_ino == b->st.st_ino;
}

/* Hard links of a protected thing (file 10, 6.2, checks 5 and 6, and 18.4): a file with a second
 * name could be written through it. Folders are swept; bounded by MAX_SWEEP_ENTRIES and
 * MAX_SWEEP_MS, an unreadable folder refuses. skip (may be NULL): name directly below that isn't
 * swept. E_HARDLINK, E_TOOBIG, E_TIMEOUT, E_SYS. */
int object_check_links(const struct object *o, const char *skip, struct errctx *e) must_check;

#endif
