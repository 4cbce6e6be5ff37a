/* SPDX-License-Identifier: MIT */
/*
 * Output of a command in bounded memory: head and tail are kept, the middle is counted (file 21,
 * 29.11; file 22, 20.15). Pure. Tests: tests/unit/runner/t_exec.c.
 */
#include "base/base.h"

#include "runner/exec.h"

#include "base/limits.h"
#include "base/utf8.h"

enum { HALF = MAX_OUTPUT_KEPT_BYTES / 2 };

struct capture {
	size_t n_head;
	size_t at; /* of the oldest byte of a full tail */
	size_t n_tail;
	int64_t total;
	char head[HALF], tail[HALF];
};

struct capture *capture_new(void)
{
	return calloc(1, sizeof(struct capture));
}

void capture_free(struct capture *c)
{
	free(c);
}

void capture_add(struct capture *c, const char *bytes, size_t n)
{
	size_t k = HALF - c->n_head < n ? HALF - c->n_head : n;

	c->total += (int64_t)n;
	memcpy(c->head + c->n_head, bytes, k);
	c->n_head += k;
	bytes += k;
	n -= k;
	if (n > HALF) { /* only the end of it can matter */
		bytes += n - HALF;
		n = HALF;
	}
	while (n > 0) {
		size_t end = (c->at + c->n_tail) % HALF, room = HALF - end;

		k = n < room ? n : room;
		memcpy(c->tail + end, bytes, k);
		if (c->n_tail + k > HALF) {
			c->at = (c->at + c->n_tail + k - HALF) % HALF;
			c->n_tail = HALF;
		} else {
			c->n_tail += k;
		}
		bytes += k;
		n -= k;
	}
}

int64_t capture_total(const struct capture *c)
{
	return c->total;
}

/* Invalid bytes and NUL, which JSON strings of ours don't hold, become U+FFFD. */
static void put_clean(struct buf *out, struct view v)
{
	size_t at = 0;

	while (at < v.len) {
		size_t start = at;
		int32_t cp = utf8_next(v, &at);

		if (cp > 0) {
			(void)buf_put(out, v.ptr + start, at - start);
		} else {
			(void)buf_puts(out, "\xef\xbf\xbd");
			at = start + 1;
		}
	}
}

void capture_emit(const struct capture *c, struct buf *out)
{
	auto_buf struct buf raw;
	int64_t missing = c->total - (int64_t)c->n_head - (int64_t)c->n_tail;
	size_t first = c->n_tail < HALF - c->at ? c->n_tail : HALF - c->at;

	buf_init(&raw, MAX_OUTPUT_KEPT_BYTES + 128);
	(void)buf_put(&raw, c->head, c->n_head);
	if (missing > 0)
		(void)buf_printf(&raw, "\n[%lld bytes left out]\n", (long long)missing);
	(void)buf_put(&raw, c->tail + c->at, first);
	(void)buf_put(&raw, c->tail, c->n_tail - first);
	if (buf_error(&raw)) {
		(void)buf_fail(out, buf_error(&raw));
		return;
	}
	put_clean(out, buf_view(&raw));
}
