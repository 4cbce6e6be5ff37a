/* SPDX-License-Identifier: MIT */
/*
 * Tokens of JSON (RFC 8259), shared by the strict check and by the raw readers; only base/json*.c
 * include this. Each function takes a cursor at the token and leaves it behind the token, or at the
 * byte at fault. Pure.
 */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include "base/err.h"
#include "base/view.h"

struct json_scan {
	const char *p, *end;
	const char *what; /* after an error: what is wrong, static text */
};

/* Where, from p, the first quote, backslash or control character stands; if ascii, also DEL and
 * what isn't ASCII. end if nowhere. */
const char *json_skip_plain(const char *p, const char *end, bool ascii);

void json_scan_space(struct json_scan *s);

/* String; p at the quote. *ret_raw (may be NULL) gets what stands between the quotes. E_SYNTAX; if
 * strict also E_NUL (\u0000) and E_SURROGATE. UTF-8 isn't looked at. */
int json_scan_string(struct json_scan *s, bool strict, struct view *ret_raw) must_check;

/* Number, true, false or null; p at any byte. E_SYNTAX; if strict also E_NUMBER (not finite, or
 * longer than MAX_JSON_NUMBER_BYTES), and *ret_inexact tells whether it is a number, but no integer
 * from
 * -(2^53-1) to 2^53-1 written without fraction and exponent. */
int json_scan_scalar(struct json_scan *s, bool strict, bool *ret_inexact) must_check;

/* Decodes what json_scan_string accepted. An unpaired surrogate becomes its three bytes, which
 * occur in no valid text. False if out is too small. */
bool json_unescape(struct view raw, char *out, size_t size, size_t *ret_len) must_check;

/* The strict check of json_parse; *ret_inexact gets the number of inexact numbers. */
int json_scan_text(struct view text, size_t *ret_inexact, struct errctx *e) must_check;

#endif
