/* SPDX-License-Identifier: MIT */
/* Read-only view of bytes: pointer and length, never owned, not necessarily ended by NUL. Pure. */
#ifndef BASE_VIEW_H
#define BASE_VIEW_H

#include "base/base.h"

struct view {
	const char *ptr;
	size_t len;
};

#define VIEW(literal) ((struct view){"" literal, sizeof(literal) - 1})

static inline struct view view_of(const char *s)
{
	return (struct view){s, s ? strlen(s) : 0};
}

static inline bool view_eq(struct view a, struct view b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool view_is(struct view a, const char *s)
{
	return view_eq(a, view_of(s));
}

/*
 * What memchr, memrchr, memmem and memcmp do, for views: those may not be given NULL, not even with
 * length 0, and an empty view often is NULL. The place that was found, or NULL.
 */
static inline const char *view_chr(struct view v, char c)
{
	return v.len ? memchr(v.ptr, c, v.len) : NULL;
}

static inline const char *view_rchr(struct view v, char c)
{
	return v.len ? memrchr(v.ptr, c, v.len) : NULL;
}

/* An empty part is found nowhere. */
static inline const char *view_find(struct view v, struct view part)
{
	return part.len && v.len >= part.len ? memmem(v.ptr, v.len, part.ptr, part.len) : NULL;
}

static inline bool view_starts_with(struct view v, struct view head)
{
	return v.len >= head.len && (head.len == 0 || memcmp(v.ptr, head.ptr, head.len) == 0);
}

static inline bool view_ends_with(struct view v, struct view tail)
{
	return v.len >= tail.len &&
	       (tail.len == 0 || memcmp(v.ptr + v.len - tail.len, tail.ptr, tail.len) == 0);
}

#endif
