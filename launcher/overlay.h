/* SPDX-License-Identifier: MIT */
/*
 * Contract: what a command wrote, read from the upper layer of its overlay (file 00, D9 and D21).
 * An upper folder holds two folders made by the launcher, "upper" and "work"; nothing else may use
 * it while a command runs. System.
 */
#ifndef LAUNCHER_OVERLAY_H
#define LAUNCHER_OVERLAY_H

#include <sys/stat.h>

#include "base/err.h"
#include "base/jsonw.h"

enum overlay_kind {
	OVERLAY_CREATED = 1, /* exists only above */
	OVERLAY_CHANGED,     /* regular file with other bytes */
	OVERLAY_DELETED,     /* whiteout */
	OVERLAY_TYPE,	     /* another kind of file than below */
	OVERLAY_MODE,	     /* same content, other permission bits or owner */
	OVERLAY_OPAQUE,	     /* a folder that hides everything the lower one held; the names it hid
				follow as OVERLAY_DELETED */
	OVERLAY_RENAMED,     /* created, and byte for byte a file that was deleted: `from` */
};
const char *overlay_kind_name(enum overlay_kind k); /* "created" ... */

struct overlay_change {
	enum overlay_kind kind;
	char *path; /* relative to the project, as the kernel gives it: bytes, no guarantee of UTF-8
		     */
	char *from; /* OVERLAY_RENAMED, else NULL */
	mode_t mode;	   /* of what is there now (0 when deleted) */
	mode_t mode_below; /* 0 when nothing was there */
	int64_t size;	   /* regular files, else 0 */
	char *target;	   /* symbolic links, else NULL */
};

struct overlay_changes {
	struct overlay_change *v; /* sorted by path, byte by byte */
	size_t n, cap;
	size_t touched; /* entries of the upper layer that turned out equal to what is below */
};

enum {
	OVERLAY_MAX_CHANGES =
		100000, /* past it E_TOOBIG: a build that writes more needs a write root */
	OVERLAY_MAX_DEPTH = 256,
	OVERLAY_RENAME_BYTES = 268435456, /* read in all to find files under another name */
};

/* Lists the difference between project_fd (lower) and upper_fd (the "upper" folder itself). Never
 * follows a link, never leaves the two folders. Deterministic. E_TOOBIG, E_CHANGED (the tree moved
 * while it was read), E_UNSUPPORTED (a redirected folder, which our mounts never make), E_SYS. */
int overlay_list(int project_fd, int upper_fd, struct overlay_changes *ret,
		 struct errctx *e) must_check;
void overlay_changes_release(struct overlay_changes *c);

/* Appends one, and takes what it points to over, also on failure. E_NOMEM (also when path is NULL),
 * E_TOOBIG (OVERLAY_MAX_CHANGES). */
int overlay_changes_add(struct overlay_changes *c, const struct overlay_change *one) must_check;

/* Stable JSON: {"changes":[{"kind","path","mode",...}],"touched":n}. Bytes that are not UTF-8 make
 * a member "path_hex" beside a printable "path". */
void overlay_changes_emit(struct jsonw *w, const struct overlay_changes *c);

/* Makes or opens the two folders beneath dir_fd (mode 0700, one owner). E_EXISTS if "upper" isn't
 * empty and must_be_empty. */
int overlay_prepare(int dir_fd, bool must_be_empty, int *ret_upper_fd, int *ret_work_fd,
		    struct errctx *e) must_check;

/* Removes "upper" and "work" with everything in them, also folders without permission bits, and of
 * any depth. */
int overlay_discard(int dir_fd, struct errctx *e) must_check;

#endif
