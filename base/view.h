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

#endif
