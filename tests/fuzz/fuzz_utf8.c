/* SPDX-License-Identifier: MIT */
/*
 * UTF-8: validity against a second opinion (decode loosely, encode again, compare), and the
 * printable form: harmless, and it leads back to the very bytes.
 */
#include "base/base.h"

#include "base/utf8.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_OUT = 64 << 20 };

/* Length of the sequence at p by the lead byte alone, with its value; 0 if it can't be one. */
static size_t decode_loosely(const uint8_t *p, size_t n, uint32_t *cp)
{
	size_t len = p[0] < 0x80       ? 1
		     : p[0] >> 5 == 6  ? 2
		     : p[0] >> 4 == 14 ? 3
		     : p[0] >> 3 == 30 ? 4
				       : 0;

	if (len == 0 || len > n)
		return 0;
	*cp = len == 1 ? p[0] : p[0] & (0x7fU >> len);
	for (size_t i = 1; i < len; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		*cp = *cp << 6 | (p[i] & 0x3fU);
	}
	return len;
}

static size_t first_bad(const uint8_t *p, size_t n)
{
	auto_buf struct buf again;
	size_t at = 0, len;
	uint32_t cp;

	buf_init(&again, 16);
	for (; at < n; at += len) {
		buf_clear(&again);
		len = decode_loosely(p + at, n - at, &cp);
		if (len == 0 || utf8_put(&again, cp) != 0 || again.len != len ||
		    memcmp(again.data, p + at, len) != 0)
			break;
	}
	return at;
}

/* Undoes utf8_print. */
static void undo(struct view printed, struct buf *out)
{
	const char *p = printed.ptr, *end = p + printed.len;

	while (p < end) {
		char *stop;
		unsigned long value;

		if (*p != '\\') {
			buf_putc(out, *p++);
			continue;
		}
		FUZZ_REQUIRE(end - p >= 2);
		if (p[1] == '\\') {
			buf_putc(out, '\\');
			p += 2;
		} else if (p[1] == 'x') {
			char digits[3] = {p[2], p[3], 0};

			FUZZ_REQUIRE(end - p >= 4);
			value = strtoul(digits, &stop, 16);
			FUZZ_REQUIRE(!*stop && value >= 0x80);
			buf_putc(out, (char)value);
			p += 4;
		} else {
			FUZZ_REQUIRE(p[1] == 'u' && p[2] == '{');
			value = strtoul(p + 3, &stop, 16);
			FUZZ_REQUIRE(*stop == '}' && utf8_put(out, (uint32_t)value) == 0);
			p = stop + 1;
		}
	}
}

static void require_printable(struct view v, unsigned flags)
{
	auto_buf struct buf printed, back;
	size_t escapes, at = 0;

	buf_init(&printed, MAX_OUT);
	buf_init(&back, MAX_OUT);
	escapes = utf8_print(&printed, v, flags);
	FUZZ_REQUIRE(buf_error(&printed) == 0);
	FUZZ_REQUIRE(escapes <= v.len);
	while (at < printed.len) {
		int32_t cp = utf8_next(buf_view(&printed), &at);

		FUZZ_REQUIRE(cp >= 0);
		if ((flags & UTF8_PRINT_LINES) && (cp == '\n' || cp == '\t'))
			continue;
		FUZZ_REQUIRE(!utf8_hidden((uint32_t)cp));
		FUZZ_REQUIRE(cp < 0x7f || !(flags & UTF8_PRINT_ASCII));
	}
	undo(buf_view(&printed), &back);
	FUZZ_REQUIRE(view_eq(buf_view(&back), v));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view v = {(const char *)data, size};
	size_t bad = size + 1;
	bool valid = utf8_valid(v, &bad);

	FUZZ_REQUIRE(bad == first_bad(data, size));
	FUZZ_REQUIRE(valid == (bad == size));
	for (unsigned flags = 0; flags < 4; flags++)
		require_printable(v, flags);
	FUZZ_REQUIRE(utf8_count_hidden(v) <= size);
	return 0;
}
