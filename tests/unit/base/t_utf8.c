/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "base/err.h"
#include "base/utf8.h"

#include <criterion/criterion.h>

static bool valid(const void *bytes, size_t n)
{
	return utf8_valid((struct view){bytes, n}, NULL);
}

/* Each code point has one encoding, which decodes back. */
Test(utf8, every_code_point_round_trips)
{
	auto_buf struct buf b;

	buf_init(&b, 8);
	for (uint32_t cp = 0; cp <= 0x110005; cp++) {
		size_t at = 0;

		buf_clear(&b);
		if ((cp >= 0xd800 && cp <= 0xdfff) || cp > 0x10ffff) {
			cr_assert_eq(utf8_put(&b, cp), E_UTF8, "U+%04X", (unsigned)cp);
			cr_assert_eq(b.len, 0);
			continue;
		}
		if (utf8_put(&b, cp) || !utf8_valid(buf_view(&b), NULL) ||
		    utf8_next(buf_view(&b), &at) != (int32_t)cp || at != b.len)
			cr_assert(false, "U+%04X", (unsigned)cp);
	}
}

/* Nothing else is valid: the number of valid strings of each length is exactly that of the strings
 * made of encoded code points (128 of one byte, 1920 of two, 61440 of three). */
Test(utf8, no_other_string_of_up_to_three_bytes_is_valid)
{
	unsigned char s[3];
	unsigned long count[4] = {0};

	for (unsigned a = 0; a < 256; a++) {
		s[0] = (unsigned char)a;
		count[1] += valid(s, 1);
		for (unsigned c = 0; c < 256; c++) {
			s[1] = (unsigned char)c;
			count[2] += valid(s, 2);
			for (unsigned d = 0; d < 256; d++) {
				s[2] = (unsigned char)d;
				count[3] += valid(s, 3);
			}
		}
	}
	cr_assert_eq(count[1], 128);
	cr_assert_eq(count[2], 128 * 128 + 1920);
	cr_assert_eq(count[3], 128 * 128 * 128 + 2 * 128 * 1920 + 61440);
}

/* Four bytes from 0xf0 on: 48 + 3 * 64 + 16 pairs of first and second byte, 4 * 4 of the values
 * tried for the rest. */
Test(utf8, four_byte_sequences)
{
	static const unsigned char tail[] = {0x00, 0x7f, 0x80, 0x81, 0xbe, 0xbf, 0xc0, 0xff};
	unsigned char s[4];
	unsigned long count = 0;

	for (unsigned a = 0xf0; a < 256; a++)
		for (unsigned c = 0; c < 256; c++)
			for (size_t d = 0; d < sizeof(tail); d++)
				for (size_t e = 0; e < sizeof(tail); e++) {
					s[0] = (unsigned char)a;
					s[1] = (unsigned char)c;
					s[2] = tail[d];
					s[3] = tail[e];
					count += valid(s, 4);
				}
	cr_assert_eq(count, (48 + 3 * 64 + 16) * 16);
}

Test(utf8, first_bad_byte_is_named)
{
	static const struct {
		const char *bytes;
		size_t len, bad;
	} rows[] = {
		{"abc", 3, 3},
		{"", 0, 0},
		{"a\0b", 3, 3},
		{"ab\xff", 3, 2},
		{"\xc3", 1, 0},
		{"\xe2\x82", 2, 0},
		{"x\xf0\x9f\x98", 4, 1},
		{"\xc0\xaf", 2, 0},
		{"\xe0\x80\xaf", 3, 0},
		{"\xed\xa0\x80", 3, 0},
		{"\xf4\x90\x80\x80", 4, 0},
		{"\xc3\xa9\x80", 3, 2},
		{"0123456789012345678901234567890\xc3\xa9"
		 "0123456789012345678901234567890123\x80",
		 68, 67},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t bad = 999;
		bool ok = utf8_valid((struct view){rows[i].bytes, rows[i].len}, &bad);

		cr_assert_eq(ok, rows[i].bad == rows[i].len, "row %zu", i);
		cr_assert_eq(bad, rows[i].bad, "row %zu: %zu", i, bad);
	}
}

/* The fast path must see a bad byte at every place of a block. */
Test(utf8, bad_byte_at_every_offset)
{
	char text[130];

	for (size_t len = 1; len <= sizeof(text); len++)
		for (size_t at = 0; at < len; at++) {
			size_t bad = 999;

			memset(text, 'a', sizeof(text));
			text[at] = (char)0x80;
			cr_assert_not(utf8_valid((struct view){text, len}, &bad));
			cr_assert_eq(bad, at);
		}
}

Test(utf8, next_moves_one_byte_over_an_invalid_one)
{
	struct view v = VIEW("\xe2\x82z\xed\xa0\x80");
	static const int32_t wanted[] = {-1, -1, 'z', -1, -1, -1};
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		cr_assert_lt(at, v.len);
		cr_assert_eq(utf8_next(v, &at), wanted[i], "step %zu", i);
	}
	cr_assert_eq(at, v.len);
}

Test(utf8, hidden_code_points)
{
	static const uint32_t hidden[] = {
		0,	 '\t',	   '\n',     '\r',     0x1b,	   0x1f,    0x7f,    0x80,
		0x85,	 0x9b,	   0x9f,     0xad,     0x34f,	   0x61c,   0x115f,  0x1160,
		0x17b4,	 0x180b,   0x180e,   0x200b,   0x200d,	   0x200e,  0x200f,  0x2028,
		0x2029,	 0x202a,   0x202e,   0x2060,   0x2064,	   0x2066,  0x2069,  0x206f,
		0x3164,	 0xd800,   0xdfff,   0xe000,   0xf8ff,	   0xfdd0,  0xfdef,  0xfe00,
		0xfe0f,	 0xfeff,   0xffa0,   0xfff9,   0xfffb,	   0xfffe,  0xffff,  0x1fffe,
		0x1ffff, 0x1d173,  0xe0000,  0xe0001,  0xe007f,	   0xe0100, 0xe01ef, 0xf0000,
		0xfffff, 0x10fffe, 0x10ffff, 0x110000, UINT32_MAX,
	};
	static const uint32_t shown[] = {
		' ',	'~',	 '\\',	  0xa0,	   0xa1,    0xac,    0xae,   0xe9,   0x34e,
		0x350,	0x61b,	 0x61d,	  0x200a,  0x2010,  0x2027,  0x202f, 0x205f, 0x2070,
		0x4e2d, 0xd7ff,	 0xf900,  0xfdcf,  0xfdf0,  0xfe10,  0xff9f, 0xffa1, 0xfffc,
		0xfffd, 0x1f600, 0x1fffd, 0x20000, 0xdfffd, 0xe1000,
	};

	for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
		cr_assert(utf8_hidden(hidden[i]), "U+%04X", (unsigned)hidden[i]);
	for (size_t i = 0; i < ARRAY_LEN(shown); i++)
		cr_assert_not(utf8_hidden(shown[i]), "U+%04X", (unsigned)shown[i]);
}

Test(utf8, ignorable_is_a_part_of_hidden)
{
	size_t count = 0;

	for (uint32_t cp = 0; cp <= 0x110000; cp++) {
		if (!utf8_ignorable(cp))
			continue;
		count++;
		cr_assert(utf8_hidden(cp), "U+%04X", (unsigned)cp);
	}
	cr_assert_eq(count, 4174, "as many as Unicode 15.1 has, got %zu", count);
	cr_assert(utf8_ignorable(0x200c));
	cr_assert(utf8_ignorable(0xad));
	cr_assert_not(utf8_ignorable('a'));
	cr_assert_not(utf8_ignorable('\n'));
	cr_assert_not(utf8_ignorable(0xe000));
}

Test(utf8, print)
{
	static const struct {
		struct view in;
		unsigned flags;
		const char *out;
		size_t escapes;
	} rows[] = {
		{{"", 0}, 0, "", 0},
		{{NULL, 0}, 0, "", 0},
		{{"plain", 5}, 0, "plain", 0},
		{{"a\nb", 3}, 0, "a\\u{a}b", 1},
		{{"a\nb\tc\rd", 7}, UTF8_PRINT_LINES, "a\nb\tc\\u{d}d", 1},
		{{"\x1b[2K", 4}, 0, "\\u{1b}[2K", 1},
		{{"a\0b", 3}, 0, "a\\u{0}b", 1},
		{{"\\", 1}, 0, "\\\\", 0},
		{{"caf\xc3\xa9", 5}, 0, "caf\xc3\xa9", 0},
		{{"caf\xc3\xa9", 5}, UTF8_PRINT_ASCII, "caf\\u{e9}", 1},
		{{"\xf0\x9f\x98\x80", 4}, UTF8_PRINT_ASCII, "\\u{1f600}", 1},
		{{"\xe2\x80\xae"
		  "cod.exe",
		  10},
		 0,
		 "\\u{202e}cod.exe",
		 1},
		{{"\xff\xfe", 2}, 0, "\\xff\\xfe", 2},
		{{"\xe2\x82", 2}, UTF8_PRINT_ASCII, "\\xe2\\x82", 2},
		{{"\xc2\x9b", 2}, 0, "\\u{9b}", 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_buf struct buf b;

		buf_init(&b, 1000);
		cr_assert_eq(utf8_print(&b, rows[i].in, rows[i].flags), rows[i].escapes, "row %zu",
			     i);
		cr_assert_str_eq(buf_text(&b), rows[i].out);
	}
}

/* Text that looks like an escape must not read like one. */
Test(utf8, print_is_unambiguous)
{
	auto_buf struct buf real, faked;

	buf_init(&real, 100);
	buf_init(&faked, 100);
	utf8_print(&real, VIEW("\x1b"), 0);
	utf8_print(&faked, VIEW("\\u{1b}"), 0);
	cr_assert_str_eq(buf_text(&real), "\\u{1b}");
	cr_assert_str_eq(buf_text(&faked), "\\\\u{1b}");
}

Test(utf8, print_sticks_in_a_full_buffer)
{
	auto_buf struct buf b;

	buf_init(&b, 4);
	(void)utf8_print(&b, VIEW("abc\n"), 0);
	cr_assert_eq(buf_error(&b), E_TOOBIG);
}

Test(utf8, count_hidden)
{
	cr_assert_eq(utf8_count_hidden(VIEW("")), 0);
	cr_assert_eq(utf8_count_hidden(VIEW("a\r\nb\tc\n")), 0);
	cr_assert_eq(utf8_count_hidden(VIEW("a\rb\r")), 2);
	cr_assert_eq(utf8_count_hidden(VIEW("\x1b\xe2\x80\xae\xef\xbb\xbf")), 3);
	cr_assert_eq(utf8_count_hidden(VIEW("\xff")), 1);
}
