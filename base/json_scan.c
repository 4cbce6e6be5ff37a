/* SPDX-License-Identifier: MIT */
/* Tokens of JSON: strings, numbers, literals. Pure. Every function reads forward and never past
 * end. Tested by tests/unit/base/t_json.c, t_json_number.c and tests/fuzz/fuzz_json.c. */
#include "base/base.h"

#include "base/json_scan.h"
#include "base/limits.h"

static int fault(struct json_scan *s, int code, const char *what)
{
	s->what = what;
	return code;
}

void json_scan_space(struct json_scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
		s->p++;
}

static bool is_plain(unsigned char c, bool ascii)
{
	return c >= 0x20 && c != '"' && c != '\\' && (!ascii || c < 0x7f);
}

const char *json_skip_plain(const char *p, const char *end, bool ascii)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = UINT64_C(0x8080808080808080);

	while (end - p >= 8) {
		uint64_t w, quote, slash, del, found;

		memcpy(&w, p, 8);
		quote = w ^ (ones * '"');
		slash = w ^ (ones * '\\');
		del = w ^ (ones * 0x7f);
		/* Each term has a high bit set if, and only if, some byte is the one looked for. */
		found = ((quote - ones) & ~quote) | ((slash - ones) & ~slash) |
			((w - ones * 0x20) & ~w);
		if (ascii)
			found |= ((del - ones) & ~del) | w;
		if (found & high)
			break;
		p += 8;
	}
	while (p < end && is_plain((unsigned char)*p, ascii))
		p++;
	return p;
}

/* Value of four hex digits at p, -1 if there aren't any. */
static int32_t hex4(const char *p, const char *end)
{
	int32_t value = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i];

		value <<= 4;
		if (c >= '0' && c <= '9')
			value |= c - '0';
		else if (c >= 'a' && c <= 'f')
			value |= c - 'a' + 10;
		else if (c >= 'A' && c <= 'F')
			value |= c - 'A' + 10;
		else
			return -1;
	}
	return value;
}

static bool is_short_escape(char c)
{
	return c == 'n' || c == '"' || c == '\\' || c == 't' || c == '/' || c == 'r' || c == 'b' ||
	       c == 'f';
}

/* p at the backslash. */
static int scan_escape(struct json_scan *s, bool strict)
{
	int32_t unit;

	if (s->end - s->p < 2)
		return fault(s, E_SYNTAX, "string without end");
	if (s->p[1] != 'u') {
		if (!is_short_escape(s->p[1]))
			return fault(s, E_SYNTAX, "unknown escape");
		s->p += 2;
		return 0;
	}
	unit = hex4(s->p + 2, s->end);
	if (unit < 0)
		return fault(s, E_SYNTAX, "\\u without four hex digits");
	if (strict && unit == 0)
		return fault(s, E_NUL, "\\u0000");
	if (strict && unit >= 0xd800 && unit <= 0xdfff) {
		int32_t low = -1;

		if (unit < 0xdc00 && s->end - s->p >= 12 && s->p[6] == '\\' && s->p[7] == 'u')
			low = hex4(s->p + 8, s->end);
		if (low < 0xdc00 || low > 0xdfff)
			return fault(s, E_SURROGATE, "unpaired surrogate escape");
		s->p += 6;
	}
	s->p += 6;
	return 0;
}

int json_scan_string(struct json_scan *s, bool strict, struct view *ret_raw)
{
	const char *start = ++s->p;

	for (;;) {
		int r;

		s->p = json_skip_plain(s->p, s->end, false);
		if (s->p == s->end)
			return fault(s, E_SYNTAX, "string without end");
		if (*s->p == '"')
			break;
		if (*s->p != '\\')
			return fault(s, E_SYNTAX, "control character in a string");
		r = scan_escape(s, strict);
		if (r)
			return r;
	}
	if (ret_raw)
		*ret_raw = (struct view){start, (size_t)(s->p - start)};
	s->p++;
	return 0;
}

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

/* The least decimal that rounds to infinity is 2^1024 - 2^970, a number of 309 digits. It begins
 * with these and goes on with others than zero, so that a shorter run of digits that agrees lies
 * below. */
static const char infinity[] = "1797693134862315807937289714053034150799341327100378269361737789";
enum { INFINITY_EXPONENT = 308 };
_Static_assert(MAX_JSON_NUMBER_BYTES < sizeof(infinity), "enough digits to compare with");

/* From the spelling alone, since strtod reads by locale. whole and fraction are digits, exponent is
 * that of the spelling. */
static bool is_finite(struct view whole, struct view fraction, long exponent)
{
	char digits[MAX_JSON_NUMBER_BYTES];
	size_t n = 0, zeros = 0;
	long lead;

	memcpy(digits, whole.ptr, whole.len);
	memcpy(digits + whole.len, fraction.ptr, fraction.len);
	n = whole.len + fraction.len;
	while (zeros < n && digits[zeros] == '0')
		zeros++;
	if (zeros == n)
		return true;
	lead = (long)whole.len - 1 - (long)zeros + exponent; /* of the first digit that counts */
	if (lead != INFINITY_EXPONENT)
		return lead < INFINITY_EXPONENT;
	return memcmp(digits + zeros, infinity, n - zeros) <= 0;
}

static long exponent_of(const char *p, const char *end)
{
	long value = 0;
	bool negative = *p == '-';

	if (*p == '-' || *p == '+')
		p++;
	for (; p < end && value < 100000; p++) /* far outside any double */
		value = value * 10 + (*p - '0');
	return negative ? -value : value;
}

static bool is_exact(struct view whole)
{
	uint64_t value = 0;

	if (whole.len > 16)
		return false;
	for (size_t i = 0; i < whole.len; i++)
		value = value * 10 + (uint64_t)(whole.ptr[i] - '0');
	return value <= (UINT64_C(1) << 53) - 1;
}

static int scan_number(struct json_scan *s, bool strict, bool *ret_inexact)
{
	const char *start = s->p, *p = start, *end = s->end;
	struct view whole, fraction = VIEW("");
	const char *exponent = NULL;

	if (*p == '-')
		p++;
	whole.ptr = p;
	p = skip_digits(p, end);
	whole.len = (size_t)(p - whole.ptr);
	if (whole.len == 0) {
		s->p = p;
		return fault(s, E_SYNTAX, "digit expected");
	}
	if (*whole.ptr == '0' && whole.len > 1)
		return fault(s, E_SYNTAX, "number with a leading zero");
	if (p < end && *p == '.') {
		fraction.ptr = ++p;
		p = skip_digits(p, end);
		fraction.len = (size_t)(p - fraction.ptr);
		if (fraction.len == 0) {
			s->p = p;
			return fault(s, E_SYNTAX, "digit expected");
		}
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		const char *digits;

		exponent = ++p;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		digits = p;
		p = skip_digits(p, end);
		if (p == digits) {
			s->p = p;
			return fault(s, E_SYNTAX, "digit expected");
		}
	}
	if (!strict) {
		s->p = p;
		return 0;
	}
	if (p - start > MAX_JSON_NUMBER_BYTES)
		return fault(s, E_NUMBER, "number with too many characters");
	if (!is_finite(whole, fraction, exponent ? exponent_of(exponent, p) : 0))
		return fault(s, E_NUMBER, "number that isn't finite");
	*ret_inexact = fraction.len || exponent || !is_exact(whole);
	s->p = p;
	return 0;
}

static bool take_word(struct json_scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
		return false;
	s->p += n;
	return true;
}

int json_scan_scalar(struct json_scan *s, bool strict, bool *ret_inexact)
{
	*ret_inexact = false;
	if (s->p == s->end)
		return fault(s, E_SYNTAX, "the text ends where a value is expected");
	if (*s->p == '-' || (*s->p >= '0' && *s->p <= '9'))
		return scan_number(s, strict, ret_inexact);
	if (take_word(s, "true") || take_word(s, "false") || take_word(s, "null"))
		return 0;
	return fault(s, E_SYNTAX, *s->p ? "value expected" : "NUL byte");
}

/* Appends one UTF-16 code unit or code point as UTF-8, surrogates too. */
static size_t encode(uint32_t cp, char out[4])
{
	size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n; i-- > 1; cp >>= 6)
		out[i] = (char)(0x80 | (cp & 0x3f));
	out[0] = (char)(lead[n] | cp);
	return n;
}

bool json_unescape(struct view raw, char *out, size_t size, size_t *ret_len)
{
	const char *p = raw.ptr, *end = p + raw.len;
	size_t n = 0;

	while (p < end) {
		static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
		char bytes[4];
		size_t len = 1;

		if (*p != '\\') {
			bytes[0] = *p++;
		} else if (p[1] != 'u') {
			bytes[0] = to[strchr(from, p[1]) - from];
			p += 2;
		} else {
			uint32_t cp = (uint32_t)hex4(p + 2, end);

			p += 6;
			if (cp >= 0xd800 && cp < 0xdc00 && end - p >= 6 && p[0] == '\\' &&
			    p[1] == 'u') {
				uint32_t low = (uint32_t)hex4(p + 2, end);

				if (low >= 0xdc00 && low <= 0xdfff) {
					cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
					p += 6;
				}
			}
			len = encode(cp, bytes);
		}
		if (len > size - n)
			return false;
		memcpy(out + n, bytes, len);
		n += len;
	}
	*ret_len = n;
	return true;
}
