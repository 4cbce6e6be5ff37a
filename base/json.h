/* SPDX-License-Identifier: MIT */
/*
 * The one strict reader for JSON from outside (file 00, D2), over cJSON. The raw bytes are checked
 * first: valid UTF-8, no byte order mark, no NUL byte and no \u0000, no unpaired surrogate escape,
 * nesting at most MAX_JSON_DEPTH, no duplicate member at any level (compared after unescaping),
 * numbers finite and at most MAX_JSON_NUMBER_BYTES long, member names at most MAX_JSON_KEY_BYTES
 * and at most MAX_JSON_MEMBERS of them in an object, nothing but white space after the value. Then
 * cJSON builds the tree. Member names are compared with case. Only json.c includes cJSON's header;
 * a struct json is never defined. Pure (allocates).
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/err.h"
#include "base/view.h"

struct json;

enum json_type {
	JSON_NULL = 1,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/* Parses text into *ret (free with json_free). Errors: E_SYNTAX, E_UTF8, E_NUL, E_SURROGATE,
 * E_DEPTH, E_DUPLICATE, E_NUMBER, E_TOOBIG, E_NOMEM; the context names line and column. *ret is
 * written only on success. text may be any size: the caller bounds what it reads. */
int json_parse(struct view text, struct json **ret, struct errctx *e) must_check;
void json_free(struct json *j); /* NULL is fine */

static inline void cleanup_json(struct json **j)
{
	json_free(*j);
}
#define auto_json __attribute__((cleanup(cleanup_json)))

/* The check alone, without building a tree; same errors. */
int json_check(struct view text, struct errctx *e) must_check;

/* True for codes that say "not JSON at all" (JSON-RPC -32700: E_SYNTAX, E_UTF8) rather than "JSON
 * that we refuse" (-32600). A NUL byte or a byte order mark is E_SYNTAX; E_NUL is the escape
 * \u0000, which JSON allows and we don't. */
bool json_error_is_syntax(int code);

enum json_type json_type(const struct json *j);
const char *json_type_name(enum json_type t);

/* Borrowed children; NULL when absent or when j is no object/array. A NULL j is allowed everywhere
 * below. */
const struct json *json_member(const struct json *object, const char *name);
const struct json *json_first(const struct json *container);
const struct json *json_next(const struct json *child);
struct view json_key(const struct json *child); /* member name of an object's child */
size_t json_count(const struct json *container);

/* Typed getters: 0, or E_TYPE, E_RANGE; E_MISSING when j is NULL. Strings hold no NUL and are
 * NUL-ended as well. An integer must be written without fraction and exponent and lie in -(2^53-1)
 * to 2^53-1 (-0 is 0), else E_NUMBER. */
int json_get_str(const struct json *j, struct view *ret) must_check;
int json_get_int(const struct json *j, int64_t *ret) must_check;
int json_get_bool(const struct json *j, bool *ret) must_check;
bool json_is(const struct json *j, enum json_type t); /* false for NULL */

/* Finds the raw spelling of the member `name` of the top-level object in text (e.g. an id, to be
 * echoed byte by byte). text need only be well-formed as far as this function reads: it returns
 * E_SYNTAX for anything it can't follow, E_MISSING when absent, E_DUPLICATE when there are two,
 * E_UTF8 when the spelling found isn't valid UTF-8. No allocation; it may be used on text that
 * json_parse refused (nesting is skipped iteratively, to any depth). */
int json_raw_member(struct view text, const char *name, struct view *ret) must_check;

/* Top-level array: calls each(raw element, arg) in order; stops at the first non-zero return and
 * returns it. E_TYPE if text is no array, E_SYNTAX as above: the whole text is followed to its end
 * before the first call. Elements are as unchecked as text is: check or parse each one. */
int json_raw_elements(struct view text, int (*each)(struct view element, void *arg),
		      void *arg) must_check;

#endif
