/* SPDX-License-Identifier: MIT */
/* Framing: bytes to lines, bounded. Pure. Tested by tests/unit/mcp/t_frame.c and fuzz_frame. */
#include "base/base.h"

#include "mcp/frame.h"

#include "base/limits.h"

void frame_init(struct frame *f)
{
	*f = (struct frame){0};
	buf_init(&f->in, (size_t)MAX_LINE_BYTES + 2 * READ_CHUNK_BYTES);
}

void frame_release(struct frame *f)
{
	buf_release(&f->in);
}

/* Moves what is left to the front; gives the memory of a large line back. */
static void compact(struct frame *f)
{
	if (f->start == 0)
		return;
	if (f->start == f->in.len) {
		buf_clear(&f->in);
		buf_trim(&f->in, 2 * READ_CHUNK_BYTES);
	} else {
		buf_drop_front(&f->in, f->start);
	}
	f->start = 0;
}

char *frame_space(struct frame *f, size_t *ret_n)
{
	char *p;

	compact(f);
	p = buf_reserve(&f->in, READ_CHUNK_BYTES);
	if (p)
		*ret_n = READ_CHUNK_BYTES;
	return p;
}

void frame_added(struct frame *f, size_t n)
{
	buf_added(&f->in, n);
}

void frame_finish(struct frame *f)
{
	f->ended = true;
}

/* Everything up to at (and the line feed there, if any) is done with. */
static void consume(struct frame *f, size_t at)
{
	f->start = at;
	f->scanned = 0;
	if (f->start == f->in.len)
		compact(f);
}

static enum frame_event drop(struct frame *f, const char *feed)
{
	enum frame_event event = f->said_drop ? FRAME_NONE : FRAME_TOO_LONG;

	if (feed) {
		f->dropping = false;
		f->said_drop = false;
		f->start = (size_t)(feed - f->in.data) + 1;
		f->scanned = 0;
	} else {
		f->dropping = true;
		f->said_drop = true;
		consume(f, f->in.len);
	}
	return event;
}

enum frame_event frame_next(struct frame *f, struct view *ret_line)
{
	for (;;) {
		const char *begin = f->in.data ? f->in.data + f->start : "";
		size_t have = f->in.len - f->start;
		const char *feed = have > f->scanned
					   ? memchr(begin + f->scanned, '\n', have - f->scanned)
					   : NULL;
		size_t length = feed ? (size_t)(feed - begin) : have;

		if (f->dropping || length > MAX_LINE_BYTES) {
			enum frame_event event = drop(f, feed);

			if (event != FRAME_NONE || !feed)
				return event;
			continue;
		}
		if (feed) {
			*ret_line = (struct view){begin, length};
			f->start += length + 1;
			f->scanned = 0;
			return FRAME_LINE;
		}
		if (f->ended && have > 0) {
			*ret_line = (struct view){begin, have};
			f->start = f->in.len;
			f->scanned = 0;
			return FRAME_LINE;
		}
		f->scanned = have;
		return FRAME_NONE;
	}
}
