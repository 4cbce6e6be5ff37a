/* SPDX-License-Identifier: MIT */
/*
 * Growable byte buffer with a hard maximum. The first failure sticks: later appends do nothing, so
 * that a writer can append many pieces and look once with buf_error(). Pure (allocates).
 *
 *   struct buf b;  buf_init(&b, MAX_...);  buf_puts(&b, "x");  if (buf_error(&b)) ...;
 * buf_release(&b);
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/view.h"

struct buf {
	char *data; /* NULL while empty; else always followed by a NUL that len doesn't count */
	size_t len;
	size_t cap;
	size_t max; /* most bytes it may hold */
	int error;  /* 0, E_NOMEM, E_TOOBIG, or what buf_fail() was told; sticky */
};

void buf_init(struct buf *b, size_t max);
void buf_release(struct buf *b); /* frees; the buffer may be used again with the same maximum */
void buf_clear(struct buf *b);	 /* len and error to 0, keeps the memory */
void buf_trim(struct buf *b,
	      size_t keep_cap); /* after buf_clear: gives memory above keep_cap back */

/* Each returns the sticky error, 0 if there is none. The bytes may not lie in b itself. */
int buf_put(struct buf *b, const void *bytes, size_t n);
int buf_putc(struct buf *b, char c);
int buf_puts(struct buf *b, const char *s);
int buf_put_view(struct buf *b, struct view v);
int buf_printf(struct buf *b, const char *format, ...) printf_like(2, 3);

/* Makes code the buffer's error unless there is one already: for writers on top of a buffer.
 * Returns the error. */
int buf_fail(struct buf *b, int code);

/* Room for n more bytes at the end for a direct read; NULL on failure (sticky). Then buf_added():
 * more than was reserved is E_INTERNAL. */
char *buf_reserve(struct buf *b, size_t n) must_check;
void buf_added(struct buf *b, size_t n);
void buf_drop_front(struct buf *b, size_t n); /* n > len empties it; moves what stays */

static inline int buf_error(const struct buf *b)
{
	return b->error;
}
static inline struct view buf_view(const struct buf *b)
{
	return (struct view){b->data ? b->data : "", b->len};
}
/* NUL-ended text; valid until the next change. */
static inline const char *buf_text(const struct buf *b)
{
	return b->data ? b->data : "";
}
/* Hands the bytes to the caller (free() them); the buffer is empty afterwards. NULL if nothing was
 * ever put, and NULL, with nothing changed, if there is an error: half a text is never handed out.
 */
char *buf_steal(struct buf *b) must_check;

#define auto_buf __attribute__((cleanup(buf_release)))

#endif
