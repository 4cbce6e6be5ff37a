/* SPDX-License-Identifier: MIT */
/*
 * Files by descriptor (file 00, D3). The root of a tree is opened once; everything below it is
 * reached with openat2(RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS), or with a component walk
 * (O_NOFOLLOW on each) where the kernel lacks openat2 or a seccomp filter hides it (ENOSYS or
 * EPERM; a filter that answers anything else fails every open). Every descriptor is close-on-exec.
 * System.
 *
 * System calls (newfstatat stands for what glibc makes of fstat and fstatat): open openat2; by the
 * walk openat and close for each component, newfstatat after an error; open_root openat; make_dirs
 * also mkdirat, fchmod, fsync, close; name one readlink, and newfstatat twice when the name ends in
 * " (deleted)", fcntl after an error; name_beneath two readlink; resolve openat2 and close (2 in
 * all when no link is met), with links two readlink more, with missing parts or without openat2
 * three for each component (openat2 or openat, newfstatat, close), readlinkat for each link and
 * then fstatfs. Landlock: search (O_PATH) needs no right; reading a folder READ_DIR, a file
 * READ_FILE; make_dirs MAKE_DIR.
 */
#ifndef BASE_PATHFD_H
#define BASE_PATHFD_H

#include <sys/stat.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

enum pathfd_links {
	LINKS_NONE,    /* RESOLVE_NO_SYMLINKS: no component may be a link */
	LINKS_BENEATH, /* links are followed as long as they stay beneath the root; never by the
			  fallback walk, which refuses them: E_LINK */
};

/* Opens a folder by absolute or relative path, following links, for use as a root. E_NOENT,
 * E_NOTDIR, E_SYS. */
int pathfd_open_root(const char *path, int *ret_fd, struct errctx *e) must_check;

/* Opens rel (relative, clean or not; "." for the root itself) beneath root_fd. flags as for openat
 * (O_CLOEXEC and O_NOCTTY are added; O_CREAT, mode allowed). ".." that leaves the root, an absolute
 * path or link: E_OUTSIDE. Refused link: E_LINK. Others: E_NOENT, E_NOTDIR, E_EXISTS, E_TOOBIG
 * (name too long), E_SYS with errno. EAGAIN of openat2 (a rename raced with "..") is tried a few
 * times, then E_CHANGED. */
int pathfd_open(int root_fd, const char *rel, int flags, mode_t mode, enum pathfd_links links,
		int *ret_fd, struct errctx *e) must_check;

/* pathfd_open of a folder, LINKS_NONE, O_DIRECTORY. Works for "a/b/c". */
int pathfd_open_dir(int root_fd, const char *rel, int *ret_fd, struct errctx *e) must_check;

/* The same, and creates missing components with mode (owner only, e.g. 0700), exclusively and
 * durably. */
int pathfd_make_dirs(int root_fd, const char *rel, mode_t mode, int *ret_fd,
		     struct errctx *e) must_check;

/* Appends the name that the kernel gives for an open descriptor (absolute; /proc/self/fd, F_GETPATH
 * on macOS). E_NOENT if the file has no name any more (deleted), E_UNSUPPORTED without /proc. */
int pathfd_name(int fd, struct buf *out, struct errctx *e) must_check;

/* The same relative to root_fd's own present name ("" for the root itself); E_OUTSIDE if fd isn't
 * below root_fd. */
int pathfd_name_beneath(int root_fd, int fd, struct buf *out, struct errctx *e) must_check;

/* Whether the kernel's name for fd is now top, "/" and rel: with a name that the root had before
 * (pathfd_name), one question in place of two. false says nothing: the root may be called otherwise
 * by now, so pathfd_name_beneath has to be asked. */
bool pathfd_is_named(int fd, struct view top, struct view rel) must_check;

/* Resolves rel to the path, relative to the root, that it leads to now: follows links beneath the
 * root, folds "." and "..", allows missing trailing components (they are appended as written; a
 * ".." behind a missing one is E_NOENT). Appends to out ("" for the root). It reads links only
 * through descriptors, at most MAX_SYMLINKS. E_OUTSIDE when it leaves the root, also through an
 * absolute link (even one that points back inside); E_LINK for too many links; E_NOTDIR for a file
 * used as a folder; E_SYS. The answer is advice for the rules (the tree may change): only an opened
 * descriptor decides. ret_missing (may be NULL): how many trailing components don't exist. */
int pathfd_resolve(int root_fd, const char *rel, struct buf *out, size_t *ret_missing,
		   struct errctx *e) must_check;

/* Tests: true takes openat2 away, as an old kernel or a seccomp filter does. */
void pathfd_force_walk(bool on);

#endif
