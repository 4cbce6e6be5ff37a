/* SPDX-License-Identifier: MIT */
/* Hexadecimal both ways, strict: lower case only, exact length. Pure. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include "base/view.h"

/* Writes 2 * n lower-case digits and a NUL to out. */
void hex_encode(char *out, const void *bytes, size_t n);

/* True if v is exactly n lower-case hex digits: the one form of ids, nonces and digests (file 21,
 * section 29, item 36). */
bool hex_is_lower(struct view v, size_t n);

/* Decodes exactly 2 * n lower-case digits; E_SYNTAX otherwise, out untouched. */
int hex_decode(struct view v, void *out, size_t n) must_check;

#endif
