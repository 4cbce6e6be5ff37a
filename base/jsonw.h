/* SPDX-License-Identifier: MIT */
/*
 * JSON writers into a struct buf. Output is ASCII: everything outside printable ASCII is escaped
 * (\b \f \n \r \t, else \uXXXX with lower-case hex digits, surrogate pairs above U+FFFF; DEL too;
 * '/' is not). Members come in the order of the calls. Errors stick in the buffer: misuse (a value
 * without a key, an end without a start, a second top-level value) is E_INTERNAL, more than
 * MAX_JSON_DEPTH levels E_DEPTH. What is in the buffer after an error is no JSON. Pure.
 */
#ifndef BASE_JSONW_H
#define BASE_JSONW_H

#include "base/buf.h"
#include "base/json.h"

enum jsonw_form {
	JSONW_COMPACT,	/* {"a":1,"b":[1,2]} */
	JSONW_SPACED,	/* {"a": 1, "b": [1, 2]} */
	JSONW_INDENTED, /* two blanks a level, one member a line, no newline at the end */
};

struct jsonw {
	struct buf *out;
	enum jsonw_form form;
	unsigned depth;
	bool after_key;
	bool utf8;	/* set after init: text above ASCII stays as it is, for a reader's eyes */
	bool has_value; /* a top-level value was begun */
	uint64_t has_items; /* bit per level: something was written there */
	uint64_t is_object;
};

void jsonw_init(struct jsonw *w, struct buf *out, enum jsonw_form form);
void jsonw_obj(struct jsonw *w); /* { */
void jsonw_obj_end(struct jsonw *w);
void jsonw_arr(struct jsonw *w);
void jsonw_arr_end(struct jsonw *w);
void jsonw_key(struct jsonw *w, const char *name);
void jsonw_key_view(struct jsonw *w, struct view name);
void jsonw_str(struct jsonw *w,
	       struct view v); /* v must be valid UTF-8: else the buffer's error becomes E_UTF8 */
void jsonw_cstr(struct jsonw *w, const char *s); /* NULL writes null */
void jsonw_int(struct jsonw *w, int64_t n);
void jsonw_bool(struct jsonw *w, bool b);
void jsonw_null(struct jsonw *w);
void jsonw_raw(struct jsonw *w, struct view v);		 /* already valid JSON, e.g. an id */
void jsonw_value(struct jsonw *w, const struct json *j); /* a parsed value, member order kept.
							    Numbers: integers only, else E_NUMBER */

/* Looks whether one whole value was written: else the buffer's error becomes E_INTERNAL. Returns
 * the buffer's error. */
int jsonw_finish(const struct jsonw *w) must_check;

/* Shorthands: key and value. */
void jsonw_kv_str(struct jsonw *w, const char *name, struct view v);
void jsonw_kv_cstr(struct jsonw *w, const char *name, const char *s);
void jsonw_kv_int(struct jsonw *w, const char *name, int64_t n);
void jsonw_kv_bool(struct jsonw *w, const char *name, bool b);

/* Canonical form (file 22, section 7): members sorted by Unicode code point at every level, COMPACT
 * or SPACED (INDENTED: the operator's file of file 21, 17.3, but there without \u escapes is not
 * wanted either: the same escapes are used). Members of the top-level object named `omit` (may be
 * NULL) are left out. Numbers must be exact integers (E_NUMBER). */
int jsonw_canonical(struct buf *out, enum jsonw_form form, const struct json *j,
		    const char *omit) must_check;

#endif
