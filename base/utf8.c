/* SPDX-License-Identifier: MIT */
/* UTF-8: well-formed or not, and a printable form of untrusted text. Pure. Tested by
 * tests/unit/base/t_utf8.c and tests/fuzz/fuzz_utf8.c. */
#include "base/base.h"

#include "base/utf8.h"
#include "base/err.h"

/* Length of the ASCII run at p, at most n. */
static size_t ascii_run(const unsigned char *p, size_t n)
{
	const uint64_t high = UINT64_C(0x8080808080808080);
	size_t i = 0;

	for (; i + 32 <= n; i += 32) {
		uint64_t w[4];

		memcpy(w, p + i, sizeof(w));
		if ((w[0] | w[1] | w[2] | w[3]) & high)
			break;
	}
	while (i < n && p[i] < 0x80)
		i++;
	return i;
}

static bool is_trail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Bytes of the well-formed sequence at p (n > 0 bytes are there), 0 if there is none; *cp gets the
 * code point. The lead byte decides the range of the second byte (Unicode 15, table 3-7), which
 * excludes overlong forms, surrogates and what lies above U+10FFFF. */
static size_t sequence(const unsigned char *p, size_t n, uint32_t *cp)
{
	unsigned char c = p[0], low = 0x80, high = 0xbf;

	if (c < 0x80) {
		*cp = c;
		return 1;
	}
	if (c < 0xc2 || c > 0xf4 || n < 2)
		return 0;
	if (c < 0xe0) {
		*cp = (c & 0x1fU) << 6 | (p[1] & 0x3fU);
		return is_trail(p[1]) ? 2 : 0;
	}
	if (c == 0xe0)
		low = 0xa0;
	else if (c == 0xed)
		high = 0x9f;
	else if (c == 0xf0)
		low = 0x90;
	else if (c == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high || n < 3 || !is_trail(p[2]))
		return 0;
	if (c < 0xf0) {
		*cp = (c & 0x0fU) << 12 | (p[1] & 0x3fU) << 6 | (p[2] & 0x3fU);
		return 3;
	}
	if (n < 4 || !is_trail(p[3]))
		return 0;
	*cp = (c & 0x07U) << 18 | (p[1] & 0x3fU) << 12 | (p[2] & 0x3fU) << 6 | (p[3] & 0x3fU);
	return 4;
}

size_t utf8_ascii_run(struct view v, size_t from)
{
	return ascii_run((const unsigned char *)v.ptr + from, v.len - from);
}

bool utf8_valid(struct view v, size_t *ret_bad)
{
	const unsigned char *p = (const unsigned char *)v.ptr;
	size_t i = 0;

	while (i < v.len) {
		uint32_t cp;
		size_t step;

		if (p[i] < 0x80) {
			i += ascii_run(p + i, v.len - i);
			continue;
		}
		step = sequence(p + i, v.len - i, &cp);
		if (!step)
			break;
		i += step;
	}
	if (ret_bad)
		*ret_bad = i;
	return i == v.len;
}

int32_t utf8_next(struct view v, size_t *offset)
{
	uint32_t cp;
	size_t step = sequence((const unsigned char *)v.ptr + *offset, v.len - *offset, &cp);

	*offset += step ? step : 1;
	return step ? (int32_t)cp : -1;
}

int utf8_put(struct buf *b, uint32_t cp)
{
	char s[4];

	if (cp < 0x80)
		return buf_putc(b, (char)cp);
	if (cp < 0x800) {
		s[0] = (char)(0xc0 | cp >> 6);
		s[1] = (char)(0x80 | (cp & 0x3f));
		return buf_put(b, s, 2);
	}
	if ((cp >= 0xd800 && cp <= 0xdfff) || cp > 0x10ffff)
		return buf_fail(b, E_UTF8);
	if (cp < 0x10000) {
		s[0] = (char)(0xe0 | cp >> 12);
		s[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		s[2] = (char)(0x80 | (cp & 0x3f));
		return buf_put(b, s, 3);
	}
	s[0] = (char)(0xf0 | cp >> 18);
	s[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	s[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	s[3] = (char)(0x80 | (cp & 0x3f));
	return buf_put(b, s, 4);
}

struct range {
	uint32_t first, last;
};

/* Unicode property Default_Ignorable_Code_Point (version 15.1), in order. */
static const struct range ignorable[] = {
	{0x00ad, 0x00ad},   /* soft hyphen */
	{0x034f, 0x034f},   /* combining grapheme joiner */
	{0x061c, 0x061c},   /* Arabic letter mark */
	{0x115f, 0x1160},   /* Hangul fillers */
	{0x17b4, 0x17b5},   /* Khmer inherent vowels */
	{0x180b, 0x180f},   /* Mongolian variation selectors and vowel separator */
	{0x200b, 0x200f},   /* zero-width space and joiners, direction marks */
	{0x202a, 0x202e},   /* embeddings and overrides */
	{0x2060, 0x206f},   /* word joiner, invisible operators, isolates, old format controls */
	{0x3164, 0x3164},   /* Hangul filler */
	{0xfe00, 0xfe0f},   /* variation selectors */
	{0xfeff, 0xfeff},   /* byte order mark */
	{0xffa0, 0xffa0},   /* half-width Hangul filler */
	{0xfff0, 0xfff8},   /* reserved */
	{0x1bca0, 0x1bca3}, /* shorthand format controls */
	{0x1d173, 0x1d17a}, /* musical format controls */
	{0xe0000, 0xe0fff}, /* tags, variation selectors supplement */
};

/* What else hides, breaks or reorders text, in order. */
static const struct range hidden[] = {
	{0x0000, 0x001f},     /* C0 controls */
	{0x007f, 0x009f},     /* DEL and C1 controls */
	{0x2028, 0x2029},     /* line and paragraph separator */
	{0xd800, 0xdfff},     /* surrogates: no characters */
	{0xe000, 0xf8ff},     /* private use */
	{0xfdd0, 0xfdef},     /* noncharacters; those that end a plane are computed */
	{0xfff9, 0xfffb},     /* interlinear annotation */
	{0xf0000, UINT32_MAX} /* private use planes, and no code points at all */
};

static bool in_ranges(const struct range *r, size_t n, uint32_t cp)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (cp > r[mid].last)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && cp >= r[low].first;
}

bool utf8_ignorable(uint32_t cp)
{
	return cp >= 0x80 && in_ranges(ignorable, ARRAY_LEN(ignorable), cp);
}

bool utf8_hidden(uint32_t cp)
{
	if (cp < 0x7f)
		return cp < 0x20;
	return (cp & 0xfffe) == 0xfffe || in_ranges(hidden, ARRAY_LEN(hidden), cp) ||
	       in_ranges(ignorable, ARRAY_LEN(ignorable), cp);
}

size_t utf8_print(struct buf *b, struct view v, unsigned flags)
{
	const unsigned char *p = (const unsigned char *)v.ptr;
	size_t escapes = 0, plain = 0, i = 0; /* v from plain to i goes out as it is */

	if (v.len == 0)
		return 0;
	while (i < v.len) {
		size_t at = i;
		int32_t cp = utf8_next(v, &i);

		if (cp >= 0x20 && cp < 0x7f && cp != '\\')
			continue;
		if ((cp == '\n' || cp == '\t') && (flags & UTF8_PRINT_LINES))
			continue;
		if (cp >= 0x80 && !(flags & UTF8_PRINT_ASCII) && !utf8_hidden((uint32_t)cp))
			continue;
		buf_put(b, v.ptr + plain, at - plain);
		plain = i;
		if (cp == '\\') {
			buf_puts(b, "\\\\");
			continue;
		}
		escapes++;
		if (cp < 0)
			buf_printf(b, "\\x%02x", p[at]);
		else
			buf_printf(b, "\\u{%x}", (unsigned)cp);
	}
	buf_put(b, v.ptr + plain, i - plain);
	return escapes;
}

size_t utf8_count_hidden(struct view v)
{
	const unsigned char *p = (const unsigned char *)v.ptr;
	size_t count = 0, i = 0;

	while (i < v.len) {
		int32_t cp = utf8_next(v, &i);

		if (cp == '\n' || cp == '\t' || (cp == '\r' && i < v.len && p[i] == '\n'))
			continue;
		count += cp < 0 || utf8_hidden((uint32_t)cp);
	}
	return count;
}
