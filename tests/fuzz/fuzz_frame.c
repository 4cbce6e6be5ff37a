/* SPDX-License-Identifier: MIT */
/*
 * Framing: the first byte chooses how the rest is split into reads; the lines that come out must be
 * those that splitting at line feeds gives, whatever the split.
 */
#include "base/base.h"

#include "base/limits.h"
#include "mcp/frame.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t step, at = 0, expected = 0;
	const char *bytes;
	struct frame f;
	bool ended = false;

	if (size < 1 || size > MAX_LINE_BYTES)
		return 0;
	step = (size_t)data[0] * data[0] + 1;
	bytes = (const char *)data + 1;
	size--;
	frame_init(&f);
	while (!ended) {
		size_t room = 0, piece = size - at < step ? size - at : step;
		struct view line;
		enum frame_event event;

		if (piece == 0) {
			frame_finish(&f);
			ended = true;
		} else {
			char *p = frame_space(&f, &room);

			FUZZ_REQUIRE(p != NULL && room >= READ_CHUNK_BYTES);
			piece = piece < room ? piece : room;
			memcpy(p, bytes + at, piece);
			frame_added(&f, piece);
			at += piece;
		}
		while ((event = frame_next(&f, &line)) != FRAME_NONE) {
			const char *feed = memchr(bytes + expected, '\n', size - expected);
			size_t n = feed ? (size_t)(feed - bytes) - expected : size - expected;

			FUZZ_REQUIRE(event == FRAME_LINE && line.len == n);
			FUZZ_REQUIRE(n == 0 || memcmp(line.ptr, bytes + expected, n) == 0);
			expected += n + (feed != NULL);
		}
	}
	FUZZ_REQUIRE(expected == size);
	frame_release(&f);
	return 0;
}
