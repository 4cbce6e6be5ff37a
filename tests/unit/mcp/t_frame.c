/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "mcp/frame.h"

#include "base/limits.h"

#include <criterion/criterion.h>

/* Feeds bytes in pieces of `step` and writes what comes out as one text: "L<length>:<first byte>;"
 * or "!;" . */
static void run(const char *bytes, size_t n, size_t step, char *log, size_t size)
{
	struct frame f;
	struct view line;
	size_t used = 0;
	enum frame_event event;

	frame_init(&f);
	log[0] = 0;
	for (size_t at = 0; at <= n;) {
		size_t room = 0, piece = n - at < step ? n - at : step;

		if (piece > 0) {
			char *p = frame_space(&f, &room);

			cr_assert_not_null(p);
			if (piece > room)
				piece = room;
			memcpy(p, bytes + at, piece);
			frame_added(&f, piece);
			at += piece;
		} else {
			frame_finish(&f);
			at = n + 1;
		}
		while ((event = frame_next(&f, &line)) != FRAME_NONE)
			used += (size_t)(event == FRAME_TOO_LONG
						 ? snprintf(log + used, size - used, "!;")
						 : snprintf(log + used, size - used, "L%zu:%c;",
							    line.len,
							    line.len ? line.ptr[0] : '-'));
	}
	cr_assert_leq(f.in.cap, (size_t)MAX_LINE_BYTES + 2 * READ_CHUNK_BYTES + 1);
	frame_release(&f);
}

static void same_for_every_split(const char *bytes, size_t n, const char *wanted)
{
	static const size_t steps[] = {1 << 30, 4096, 65536, 65537, 100003, 1, 7};
	char log[256];

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		if (n > (1 << 20) && steps[i] < 100)
			continue;
		run(bytes, n, steps[i], log, sizeof(log));
		cr_assert_str_eq(log, wanted, "step %zu: %s", steps[i], log);
	}
}

Test(frame, lines_come_out_whole_for_every_split)
{
	static const char text[] = "ab\n\nc\r\nlast";

	same_for_every_split(text, sizeof(text) - 1, "L2:a;L0:-;L2:c;L4:l;");
	same_for_every_split("", 0, "");
	same_for_every_split("\n", 1, "L0:-;");
}

Test(frame, limit_counts_the_bytes_of_one_line_for_every_split, .timeout = 120)
{
	size_t n = (size_t)MAX_LINE_BYTES + 64;
	char *bytes = malloc(n);

	/* exactly at the limit, then a short line */
	memset(bytes, 'x', n);
	bytes[MAX_LINE_BYTES] = '\n';
	memcpy(bytes + MAX_LINE_BYTES + 1, "y\n", 2);
	same_for_every_split(bytes, (size_t)MAX_LINE_BYTES + 3, "L4194304:x;L1:y;");
	/* one more */
	memset(bytes, 'x', n);
	bytes[MAX_LINE_BYTES + 1] = '\n';
	memcpy(bytes + MAX_LINE_BYTES + 2, "y\n", 2);
	same_for_every_split(bytes, (size_t)MAX_LINE_BYTES + 4, "!;L1:y;");
	/* and never ended */
	memset(bytes, 'x', n);
	same_for_every_split(bytes, n, "!;");
	free(bytes);
}

Test(frame, a_second_long_line_is_told_again_and_memory_stays_bounded, .timeout = 120)
{
	struct frame f;
	struct view line;
	size_t room;
	unsigned told = 0, lines = 0;

	frame_init(&f);
	for (size_t sent = 0; sent < 4 * (size_t)MAX_LINE_BYTES; sent += READ_CHUNK_BYTES) {
		char *p = frame_space(&f, &room);

		cr_assert_not_null(p);
		memset(p, 'x', READ_CHUNK_BYTES);
		if (sent == 2 * (size_t)MAX_LINE_BYTES)
			p[100] = '\n';
		frame_added(&f, READ_CHUNK_BYTES);
		for (enum frame_event event; (event = frame_next(&f, &line)) != FRAME_NONE;) {
			told += event == FRAME_TOO_LONG;
			lines += event == FRAME_LINE;
		}
		cr_assert_leq(f.in.cap, (size_t)MAX_LINE_BYTES + 2 * READ_CHUNK_BYTES + 1);
	}
	cr_assert_eq(told, 2);
	cr_assert_eq(lines, 0);
	frame_release(&f);
}

Test(frame, memory_of_a_large_line_is_given_back)
{
	struct frame f;
	struct view line;
	size_t room;
	bool done = false;

	frame_init(&f);
	for (size_t sent = 0; !done; sent += READ_CHUNK_BYTES) {
		char *p = frame_space(&f, &room);

		memset(p, 'x', READ_CHUNK_BYTES);
		if (sent >= 3000000)
			p[READ_CHUNK_BYTES - 1] = '\n';
		frame_added(&f, READ_CHUNK_BYTES);
		done = frame_next(&f, &line) == FRAME_LINE;
	}
	cr_assert_not_null(frame_space(&f, &room));
	cr_assert_leq(f.in.cap, 4 * READ_CHUNK_BYTES);
	frame_release(&f);
}
