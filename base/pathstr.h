/* SPDX-License-Identifier: MIT */
/* Lexical path work on views: no allocation, no system calls. Everything compares whole components.
 * Pure. */
#ifndef BASE_PATHSTR_H
#define BASE_PATHSTR_H

#include "base/view.h"

/* Iterates components, skipping empty ones ("a//b"): returns false at the end. Start with *rest =
 * the path. "." and ".." are returned like any other. */
bool pathstr_next(struct view *rest, struct view *component);

/* Last component ("" for "" and "/"); a trailing slash is ignored. */
struct view pathstr_base(struct view path);

/* True for "." and "..", which every folder lists. */
bool pathstr_is_dots(const char *name);

/* True if path equals top or lies below it, by component; both absolute and clean (no "." or "..",
 * no trailing or double slash). */
bool pathstr_beneath(struct view path, struct view top);

/* What may name a thing inside the project: not empty, no NUL, no control character (below 0x20,
 * 0x7f), valid UTF-8, not starting with '/' or '~', no "..", at most MAX_PATH_BYTES, components at
 * most MAX_NAME_BYTES. "." components and a trailing slash are accepted. E_SYNTAX (empty), E_NUL,
 * E_UTF8, E_OUTSIDE (absolute, home or ".."), E_TOOBIG, E_RANGE (control character). */
int pathstr_check_relative(struct view path) must_check;

/* Cleans an absolute or relative path lexically into out (NUL-ended; size bytes, out may be
 * path.ptr): folds "//", "." and trailing slashes; ".." is kept, never folded, since folding it
 * would be wrong behind a link. Returns the length, E_TOOBIG, or E_NUL. An empty relative result is
 * ".". */
int pathstr_clean(struct view path, char *out, size_t size) must_check;

/* Case folding used by deny lists on every system (file 00, D16): ASCII to lower case, and the code
 * points that a case-insensitive file system folds to ASCII letters (long s, Kelvin sign, sharp s,
 * the Latin ligatures: APFS and ext4 with casefold open ".ssh" for a name with a sharp s).
 * Default-ignorable code points (utf8_ignorable) are dropped, as HFS+ and ext4 with casefold do:
 * ".g" U+200C "it" names ".git" there. Invalid bytes stay. Writes at most v.len bytes to out (which
 * may be v.ptr); returns how many. */
size_t pathstr_fold(struct view v, char *out);

#endif
