/* SPDX-License-Identifier: MIT */
/*
 * Operator's files: read only what nobody but root and the user can have written (file 21, sections
 * 14, 17.3 and 29.22). Every component is walked from / by descriptor. System.
 */
#ifndef BASE_CUSTODY_H
#define BASE_CUSTODY_H

#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"

enum custody_flags {
	CUSTODY_PRIVATE =
		1 << 0, /* no access for group and others at all (keys), not just no write */
	CUSTODY_ONE_NAME = 1 << 1, /* link count 1 */
	CUSTODY_OPTIONAL = 1 << 2, /* absence of the file, or of a folder above it, is fine: returns
				      E_NOENT without context text */
};

/*
 * Reads an operator's file (absolute path) whole into out, after walking every component from /
 * without following links: each folder owned by root or the effective user and not writable by
 * group or others (a sticky one such as /tmp is accepted, since the next component is owned by the
 * user or root), the file regular, owned by the user or root, not writable by group or others,
 * opened non-blocking, at most max bytes, and the same after reading (size, mtime, ctime) as
 * before. Where root has no id (base/rootid.h) a folder above may be shown as nobody's, but not in
 * a sticky one. If not_beneath >= 0: refuses (E_OUTSIDE) a file that lies in that folder's tree.
 * Links in the folders above (e.g. /home -> /usr/home) are resolved, if each link is owned by root;
 * the last component may be none. Errors: E_NOENT, E_LINK, E_NOTREG, E_NOTDIR, E_OWNER, E_MODE,
 * E_HARDLINK, E_TOOBIG, E_CHANGED, E_OUTSIDE, E_SYNTAX (not absolute, or ends in "."), E_SYS. The
 * context names the component and the rule. On failure out holds what it held before.
 */
int custody_read(const char *path, unsigned flags, size_t max, int not_beneath, struct buf *out,
		 struct errctx *e) must_check;

/* The same in two steps, for bytes that belong into guarded memory: custody_open gives the file
 * open for reading and how it looked then; the caller reads st_size bytes; custody_recheck tells
 * E_CHANGED. */
int custody_open(const char *path, unsigned flags, size_t max, int not_beneath, int *ret_fd,
		 struct stat *ret_st, struct errctx *e) must_check;
int custody_recheck(int fd, const struct stat *before, struct errctx *e) must_check;

/* The same checks for a folder (CUSTODY_ONE_NAME means nothing here; a sticky one that others may
 * write is E_MODE); returns it open for reading. */
int custody_open_dir(const char *path, unsigned flags, int *ret_fd, struct errctx *e) must_check;

/* The user's home folder: HOME if absolute, else the user database. Appends an absolute path;
 * E_MISSING. */
int custody_home(struct buf *out, struct errctx *e) must_check;

#endif
