/* SPDX-License-Identifier: MIT */
/*
 * Framing: one JSON-RPC message a line (file 20, section 5). Bytes go in as they come, lines come
 * out; the verdict on a line never depends on how its bytes were split. A line over MAX_LINE_BYTES
 * is dropped up to its line feed while memory stays bounded. Pure (allocates).
 *
 *   frame_init; { p = frame_space(&f, &n); got = read(0, p, n); frame_added(&f, got); while
 * (frame_next(...)) ...; } at end of input frame_finish(), then frame_next() until FRAME_NONE (a
 * last line without line feed counts).
 */
#ifndef MCP_FRAME_H
#define MCP_FRAME_H

#include "base/buf.h"

struct frame {
	struct buf in;
	size_t start;	/* first byte not handed out */
	size_t scanned; /* bytes known to hold no line feed */
	bool dropping;	/* inside a line that is too long */
	bool said_drop; /* FRAME_TOO_LONG was returned for it */
	bool ended;
};

enum frame_event {
	FRAME_NONE,	/* no whole line yet */
	FRAME_LINE,	/* a line, without its line feed */
	FRAME_TOO_LONG, /* once for each line over the limit, as soon as it is known */
};

void frame_init(struct frame *f);
void frame_release(struct frame *f);

/* Room for the next read; NULL when out of memory. */
char *frame_space(struct frame *f, size_t *ret_n) must_check;
void frame_added(struct frame *f, size_t n);
void frame_finish(struct frame *f);

/* *ret_line is valid until the next frame_space(). */
enum frame_event frame_next(struct frame *f, struct view *ret_line);

#endif
