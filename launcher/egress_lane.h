/* SPDX-License-Identifier: MIT */
/* Bytes on their way in one direction: a fixed piece of memory with a moving start. Pure. */
#ifndef LAUNCHER_EGRESS_LANE_H
#define LAUNCHER_EGRESS_LANE_H

#include "base/limits.h"
#include "base/view.h"

struct egress_lane {
	char *data; /* MAX_EGRESS_LANE_BYTES, owned by the connection's one block */
	size_t at, len;
};

static inline struct view lane_view(const struct egress_lane *l)
{
	return (struct view){l->data + l->at, l->len};
}

static inline void lane_drop(struct egress_lane *l, size_t n)
{
	l->at += n;
	l->len -= n;
	if (l->len == 0)
		l->at = 0;
}

/* Free bytes at the end, where *ret_room bytes may be written; then lane_added(). */
static inline char *lane_room(struct egress_lane *l, size_t *ret_room)
{
	if (l->at && l->at + l->len > MAX_EGRESS_LANE_BYTES / 2) {
		memmove(l->data, l->data + l->at, l->len);
		l->at = 0;
	}
	*ret_room = MAX_EGRESS_LANE_BYTES - l->at - l->len;
	return l->data + l->at + l->len;
}

static inline void lane_added(struct egress_lane *l, size_t n)
{
	l->len += n;
}

/* All or nothing. */
static inline bool lane_put(struct egress_lane *l, struct view v)
{
	size_t room;
	char *to = lane_room(l, &room);

	if (v.len > room)
		return false;
	if (v.len)
		memcpy(to, v.ptr, v.len);
	l->len += v.len;
	return true;
}

/* Moves up to n bytes from the front of one to the end of the other, as many as fit. */
static inline size_t lane_move(struct egress_lane *to, struct egress_lane *from, size_t n)
{
	size_t room;
	char *end;

	if (n == from->len && to->len == 0) { /* nothing to copy: trade places */
		struct egress_lane t = *to;

		*to = *from;
		*from = t;
		return n;
	}
	end = lane_room(to, &room);
	if (n > room)
		n = room;
	memcpy(end, from->data + from->at, n);
	to->len += n;
	lane_drop(from, n);
	return n;
}

#endif
