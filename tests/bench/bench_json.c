/* SPDX-License-Identifier: MIT */
/*
 * Speed of the strict JSON reader. Each row's time is measured in turns with its peer's and
 * compared by the medians: cJSON's own parse of the same text, or, for texts made to be slow, the
 * reader's work on an ordinary text of about the same size.
 */
#include "base/base.h"

#include "base/buf.h"
#include "base/json.h"
#include "tests/lib/fnv_collide.h"

#include <cjson/cJSON.h>

enum { ROUNDS = 15, MAX_TEXT = 16 << 20 };

static struct buf request, big, members, colliding, escaped_members;

static double now_us(void)
{
	struct timespec t;

	/* Of the processor: both sides only compute, and a busy machine must not matter. */
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void do_check(struct view text)
{
	if (json_check(text, NULL) != 0)
		abort();
}

static void do_parse(struct view text)
{
	auto_json struct json *j = NULL;

	if (json_parse(text, &j, NULL) != 0)
		abort();
}

static void do_cjson(struct view text)
{
	cJSON *root = cJSON_ParseWithLength(text.ptr, text.len);

	if (!root)
		abort();
	cJSON_Delete(root);
}

static double time_of(void (*act)(struct view), const struct buf *text, int times)
{
	double start = now_us();

	for (int i = 0; i < times; i++)
		act(buf_view(text));
	return (now_us() - start) / times;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), compare_doubles);
	return values[ROUNDS / 2];
}

static bool row(const char *what, void (*act)(struct view), const struct buf *text,
		void (*peer_act)(struct view), const struct buf *peer_text, int times, double most)
{
	double mine[ROUNDS], peer[ROUNDS], ratio;

	for (int i = 0; i < ROUNDS; i++) {
		mine[i] = time_of(act, text, times);
		peer[i] = time_of(peer_act, peer_text, times);
	}
	ratio = median(mine) / median(peer);
	printf("%-44s %10.2f us, peer %10.2f us, ratio %6.2f (at most %.2f)%s\n", what,
	       median(mine), median(peer), ratio, most, ratio <= most ? "" : "  TOO SLOW");
	return ratio <= most;
}

static void put_colliding(struct buf *b, struct buf *escaped)
{
	static char blocks[FNV_PAIRS][2][FNV_BLOCK];

	fnv_pairs(blocks);
	for (unsigned n = 0; n < FNV_NAMES; n++) {
		buf_puts(b, n ? ",\"" : "{\"");
		buf_puts(escaped, n ? ",\"" : "{\"");
		for (int i = 0; i < FNV_PAIRS; i++) {
			const char *block = blocks[i][n >> i & 1];

			buf_put(b, block, FNV_BLOCK);
			buf_printf(escaped, "\\u%04x", block[0]);
			buf_put(escaped, block + 1, FNV_BLOCK - 1);
		}
		buf_puts(b, "\":0");
		buf_puts(escaped, "\":0");
	}
	buf_putc(b, '}');
	buf_putc(escaped, '}');
}

static void put_texts(void)
{
	static const char head[] =
		"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":"
		"{\"name\":\"write_file\",\"arguments\":{\"path\":\"src/a.c\","
		"\"content\":\"";

	buf_init(&request, MAX_TEXT);
	buf_init(&big, MAX_TEXT);
	buf_init(&members, MAX_TEXT);
	buf_init(&colliding, MAX_TEXT);
	buf_init(&escaped_members, MAX_TEXT);
	buf_puts(&request, head);
	while (request.len < 4096 - 40)
		buf_puts(&request, "\\tif (value != NULL)\\n");
	buf_puts(&request, "\"}}}");
	buf_puts(&big, head);
	while (big.len < (2 << 20) - 40)
		buf_puts(&big, "\\tif (value != NULL)\\n");
	buf_puts(&big, "\"}}}");
	for (unsigned n = 0; n < FNV_NAMES; n++)
		buf_printf(&members,
			   "%s\"an ordinary name with a number at its end that makes it as "
			   "long as the other ones are, more or less: %u\":0",
			   n ? "," : "{", n);
	buf_putc(&members, '}');
	put_colliding(&colliding, &escaped_members);
	if (buf_error(&request) || buf_error(&big) || buf_error(&members) ||
	    buf_error(&colliding) || buf_error(&escaped_members))
		abort();
}

int main(void)
{
	bool good = true;

	put_texts();
	good &= row("check, request of 4 KiB, to cJSON", do_check, &request, do_cjson, &request,
		    200, 1.25);
	good &= row("parse, request of 4 KiB, to cJSON", do_parse, &request, do_cjson, &request,
		    200, 2.5);
	good &= row("check, request of 2 MiB, to cJSON", do_check, &big, do_cjson, &big, 1, 1.25);
	good &= row("parse, request of 2 MiB, to cJSON", do_parse, &big, do_cjson, &big, 1, 2.5);
	good &= row("check, 65,536 names of one hash, to ordinary", do_check, &colliding, do_check,
		    &members, 1, 20);
	good &= row("the same names with escapes, to ordinary", do_check, &escaped_members,
		    do_check, &members, 1, 20);
	buf_release(&request);
	buf_release(&big);
	buf_release(&members);
	buf_release(&colliding);
	buf_release(&escaped_members);
	return good ? 0 : 1;
}
