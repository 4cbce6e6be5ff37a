/* SPDX-License-Identifier: MIT */
/* UTF-8 validation and a printable form for untrusted text. Pure. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/buf.h"

/* True if v is well-formed UTF-8 (Unicode 15, table 3-7: no overlong forms, no surrogates, at most
 * U+10FFFF). ret_bad (may be NULL) gets the offset of the first bad byte, or v.len. NUL counts as
 * valid. */
bool utf8_valid(struct view v, size_t *ret_bad);

/* How many bytes of v from offset from (at most v.len) on are ASCII. */
size_t utf8_ascii_run(struct view v, size_t from);

/* Decodes one code point from v at *offset and moves it on; -1 at an invalid byte (moves on by 1).
 * v.len > *offset. */
int32_t utf8_next(struct view v, size_t *offset);

/* Appends cp encoded; a surrogate or a number above U+10FFFF makes the buffer's error E_UTF8. */
int utf8_put(struct buf *b, uint32_t cp);

/* True for code points that can hide or reorder what a person or a model sees: C0 and C1 controls,
 * DEL, bidirectional marks, embeddings, overrides and isolates (U+061C, U+200E, U+200F, U+202A to
 * U+202E, U+2066 to U+2069), zero-width (U+200B to U+200D, U+2060 to U+2064, U+FEFF, U+180E,
 * U+034F, U+115F, U+1160, U+3164, U+FFA0), line and paragraph separators (U+2028, U+2029),
 * interlinear marks (U+FFF9 to U+FFFB), soft hyphen, variation selectors, tag characters (U+E0000
 * to U+E007F), every other default-ignorable code point, noncharacters, surrogates, private use and
 * numbers above U+10FFFF. LF and TAB are hidden here too; see the flags below. */
bool utf8_hidden(uint32_t cp);

/* True for those of them that have no form at all (Unicode's Default_Ignorable_Code_Point): a file
 * system that folds case drops them from a name before it compares. */
bool utf8_ignorable(uint32_t cp);

enum utf8_print_flags {
	UTF8_PRINT_ASCII = 1 << 0, /* escape everything outside ASCII */
	UTF8_PRINT_LINES = 1 << 1, /* let LF and TAB through */
};

/* Appends v with hidden code points as \u{HEX}, invalid bytes as \xHH (both lower case, \u without
 * leading zeros) and the backslash doubled, so that the result is one harmless, unambiguous line.
 * Returns the number of escapes written (the doubled backslash doesn't count). */
size_t utf8_print(struct buf *b, struct view v, unsigned flags);

/* Number of hidden code points in v, LF, TAB and a CR before LF not counted; invalid bytes count.
 */
size_t utf8_count_hidden(struct view v);

#endif
