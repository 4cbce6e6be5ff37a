/* SPDX-License-Identifier: MIT */
/* Growable byte buffer with a hard maximum. Pure (allocates). The first failure sticks. Tested by
 * tests/unit/base/t_buf.c and t_nomem.c. */
#include "base/base.h"

#include "base/buf.h"
#include "base/err.h"

#include <stdarg.h>

enum { FIRST_CAP = 64 };

void buf_init(struct buf *b, size_t max)
{
	/* One byte for the NUL, and no sum below may wrap. */
	if (max > PTRDIFF_MAX - 1)
		max = PTRDIFF_MAX - 1;
	*b = (struct buf){.max = max};
}

void buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf){.max = b->max};
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->error = 0;
	if (b->data)
		b->data[0] = 0;
}

void buf_trim(struct buf *b, size_t keep_cap)
{
	size_t want = keep_cap;
	char *smaller;

	if (!b->data || b->cap <= keep_cap)
		return;
	if (b->len == 0 && keep_cap == 0) {
		free(b->data);
		b->data = NULL;
		b->cap = 0;
		return;
	}
	if (want < b->len + 1)
		want = b->len + 1;
	smaller = realloc(b->data, want);
	if (!smaller)
		return; /* the larger block is still whole */
	b->data = smaller;
	b->cap = want;
}

int buf_fail(struct buf *b, int code)
{
	if (!b->error)
		b->error = code;
	return b->error;
}

/* Makes room for n more bytes and the NUL. */
static int grow(struct buf *b, size_t n)
{
	size_t need, cap;
	char *data;

	if (b->error)
		return b->error;
	if (n > b->max || b->len > b->max - n)
		return buf_fail(b, E_TOOBIG);
	need = b->len + n + 1;
	if (need <= b->cap)
		return 0;
	cap = b->cap < FIRST_CAP ? FIRST_CAP : b->cap;
	while (cap < need)
		cap = cap > (b->max + 1) / 2 ? b->max + 1 : cap * 2;
	if (cap > b->max + 1)
		cap = b->max + 1;
	data = realloc(b->data, cap);
	if (!data)
		return buf_fail(b, E_NOMEM);
	b->data = data;
	b->cap = cap;
	b->data[b->len] = 0;
	return 0;
}

int buf_put(struct buf *b, const void *bytes, size_t n)
{
	if (grow(b, n))
		return b->error;
	if (n)
		memcpy(b->data + b->len, bytes, n);
	b->len += n;
	b->data[b->len] = 0;
	return 0;
}

int buf_putc(struct buf *b, char c)
{
	return buf_put(b, &c, 1);
}

int buf_puts(struct buf *b, const char *s)
{
	return buf_put(b, s, strlen(s));
}

int buf_put_view(struct buf *b, struct view v)
{
	return buf_put(b, v.ptr, v.len);
}

static int put_formatted(struct buf *b, const char *format, va_list args) printf_like(2, 0);
static int put_formatted(struct buf *b, const char *format, va_list args)
{
	va_list again;
	size_t room = b->data ? b->cap - b->len : 0;
	int n;

	va_copy(again, args);
	n = vsnprintf(b->data ? b->data + b->len : NULL, room, format, args);
	if (n < 0) {
		buf_fail(b, E_TOOBIG); /* more than INT_MAX bytes */
	} else if ((size_t)n < room) {
		b->len += (size_t)n;
	} else if (grow(b, (size_t)n) == 0) {
		(void)vsnprintf(b->data + b->len, (size_t)n + 1, format, again);
		b->len += (size_t)n;
	}
	va_end(again);
	if (b->data)
		b->data[b->len] = 0; /* takes back what didn't fit */
	return b->error;
}

int buf_printf(struct buf *b, const char *format, ...)
{
	va_list args;

	if (b->error)
		return b->error;
	va_start(args, format);
	(void)put_formatted(b, format, args);
	va_end(args);
	return b->error;
}

char *buf_reserve(struct buf *b, size_t n)
{
	return grow(b, n) ? NULL : b->data + b->len;
}

void buf_added(struct buf *b, size_t n)
{
	if (b->error)
		return;
	if (!b->data || n > b->cap - b->len - 1) {
		if (n)
			buf_fail(b, E_INTERNAL);
		return;
	}
	b->len += n;
	b->data[b->len] = 0;
}

void buf_drop_front(struct buf *b, size_t n)
{
	if (!b->data)
		return;
	if (n > b->len)
		n = b->len;
	b->len -= n;
	memmove(b->data, b->data + n, b->len + 1);
}

char *buf_steal(struct buf *b)
{
	char *data;

	if (b->error)
		return NULL;
	data = b->data;
	*b = (struct buf){.max = b->max};
	return data;
}
