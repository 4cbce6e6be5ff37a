/* SPDX-License-Identifier: MIT */
/* Strict lower-case hexadecimal. Pure. Tested by tests/unit/base/t_hex.c. */
#include "base/base.h"

#include "base/hex.h"
#include "base/err.h"

static const char digits[] = "0123456789abcdef";

void hex_encode(char *out, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++) {
		*out++ = digits[p[i] >> 4];
		*out++ = digits[p[i] & 15];
	}
	*out = 0;
}

/* 0 to 15, or -1; no table lookup by a byte that may be part of a secret. */
static int value_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

bool hex_is_lower(struct view v, size_t n)
{
	if (v.len != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (value_of(v.ptr[i]) < 0)
			return false;
	return true;
}

int hex_decode(struct view v, void *out, size_t n)
{
	uint8_t *p = out;

	if (n > SIZE_MAX / 2 || !hex_is_lower(v, 2 * n))
		return E_SYNTAX;
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(value_of(v.ptr[2 * i]) << 4 | value_of(v.ptr[2 * i + 1]));
	return 0;
}
