/* SPDX-License-Identifier: MIT */
/* The strict check of JSON: one pass, no recursion, memory only for the names of open objects. Pure
 * (allocates). Tested by tests/unit/base/t_json.c, t_nomem.c and tests/fuzz/fuzz_json.c. */
#include "base/base.h"

#include "base/json.h"
#include "base/json_names.h"
#include "base/json_scan.h"
#include "base/limits.h"
#include "base/utf8.h"

struct frame {
	struct view key; /* raw, of the member being read; ptr NULL before the first */
	size_t first_name;
	bool is_object;
};

struct checker {
	struct json_scan scan;
	struct view text;
	struct frame frames[MAX_JSON_DEPTH];
	unsigned depth;
	struct json_names names; /* of all open objects; the innermost one's last */
	size_t inexact;
};

static void cleanup_checker(struct checker *c)
{
	json_names_release(&c->names);
}

static int fault_at(struct checker *c, const char *at, int code, const char *what)
{
	c->scan.p = at;
	c->scan.what = what;
	return code;
}

static int fault(struct checker *c, int code, const char *what)
{
	return fault_at(c, c->scan.p, code, what);
}

/* What stands at the cursor can't go on like this. */
static int unexpected(struct checker *c, const char *what)
{
	if (c->scan.p == c->scan.end)
		what = "the text ends too early";
	else if (!*c->scan.p)
		what = "NUL byte";
	return fault(c, E_SYNTAX, what);
}

static int add_name(struct checker *c, struct view raw)
{
	struct frame *frame = &c->frames[c->depth - 1];
	int r;

	frame->key = raw;
	if (c->names.n - frame->first_name == MAX_JSON_MEMBERS)
		return fault_at(c, raw.ptr - 1, E_TOOBIG, "too many members");
	r = json_names_add(&c->names, raw);
	if (r)
		return fault_at(c, raw.ptr - 1, r,
				r == E_TOOBIG ? "member name too long" : "out of memory");
	return 0;
}

/* A member's name and the colon behind it. */
static int check_key(struct checker *c)
{
	struct json_scan *s = &c->scan;
	struct view raw;
	int r;

	c->frames[c->depth - 1].key = (struct view){NULL, 0};
	json_scan_space(s);
	if (s->p == s->end || *s->p != '"')
		return unexpected(c, "member name expected");
	r = json_scan_string(s, true, &raw);
	if (r)
		return r;
	r = add_name(c, raw);
	if (r)
		return r;
	json_scan_space(s);
	if (s->p == s->end || *s->p != ':')
		return unexpected(c, "colon expected");
	s->p++;
	return 0;
}

static int open_container(struct checker *c)
{
	if (c->depth == MAX_JSON_DEPTH)
		return fault(c, E_DEPTH, "nested too deeply");
	c->frames[c->depth++] = (struct frame){
		.first_name = c->names.n,
		.is_object = *c->scan.p == '{',
	};
	c->scan.p++;
	return 0;
}

static int close_container(struct checker *c)
{
	struct frame *frame = &c->frames[c->depth - 1];
	struct view twin = {NULL, 0};
	int r = frame->is_object ? json_names_take(&c->names, frame->first_name, &twin) : 0;

	if (r)
		return fault(c, r, r == E_NOMEM ? "out of memory" : "names can't be compared");
	if (twin.ptr) {
		frame->key = twin;
		return fault_at(c, twin.ptr - 1, E_DUPLICATE, "duplicate member");
	}
	c->depth--;
	c->scan.p++;
	return 0;
}

/* Reads up to the end of one scalar, or past the bracket that opens a container with content.
 * *ret_whole: a value is complete. */
static int check_value_start(struct checker *c, bool *ret_whole)
{
	struct json_scan *s = &c->scan;
	bool inexact;
	int r;

	*ret_whole = true;
	json_scan_space(s);
	if (s->p < s->end && *s->p == '"')
		return json_scan_string(s, true, NULL);
	if (s->p == s->end || (*s->p != '{' && *s->p != '[')) {
		r = json_scan_scalar(s, true, &inexact);
		c->inexact += r == 0 && inexact;
		return r;
	}
	r = open_container(c);
	if (r)
		return r;
	json_scan_space(s);
	if (s->p < s->end && *s->p == (c->frames[c->depth - 1].is_object ? '}' : ']'))
		return close_container(c);
	*ret_whole = false;
	return c->frames[c->depth - 1].is_object ? check_key(c) : 0;
}

/* Behind a whole value: closes what ends here, up to the comma before the next value. */
static int check_value_end(struct checker *c)
{
	struct json_scan *s = &c->scan;

	while (c->depth > 0) {
		bool is_object = c->frames[c->depth - 1].is_object;
		int r;

		json_scan_space(s);
		if (s->p < s->end && *s->p == ',') {
			s->p++;
			return is_object ? check_key(c) : 0;
		}
		if (s->p == s->end || *s->p != (is_object ? '}' : ']'))
			return unexpected(c, is_object ? "comma or } expected"
						       : "comma or ] expected");
		r = close_container(c);
		if (r)
			return r;
	}
	return 0;
}

static int check_text(struct checker *c)
{
	struct json_scan *s = &c->scan;
	int r;

	if (c->text.len >= 3 && memcmp(s->p, "\xef\xbb\xbf", 3) == 0)
		return fault(c, E_SYNTAX, "byte order mark");
	do {
		bool whole;

		r = check_value_start(c, &whole);
		if (r)
			return r;
		if (!whole)
			continue;
		r = check_value_end(c);
		if (r)
			return r;
	} while (c->depth > 0);
	json_scan_space(s);
	return s->p == s->end ? 0 : unexpected(c, "more after the value");
}

/* Names the place: line and column (in bytes) from 1, and the member. */
static int set_context(const struct checker *c, int code, struct errctx *e)
{
	size_t line = 1, column;
	const char *at = c->scan.p, *line_start = c->text.ptr;
	struct view key = {NULL, 0};

	if (!e)
		return code;
	for (const char *p = c->text.ptr; p < at; p++)
		if (*p == '\n') {
			line++;
			line_start = p + 1;
		}
	column = (size_t)(at - line_start) + 1;
	for (unsigned i = c->depth; i-- > 0 && !key.ptr;)
		key = c->frames[i].key;
	if (!key.ptr)
		return err_set(e, code, "line %zu, column %zu: %s", line, column, c->scan.what);
	return err_set(e, code, "line %zu, column %zu: %s (member \"%.*s\"%s)", line, column,
		       c->scan.what, key.len > 64 ? 64 : (int)key.len, key.ptr,
		       key.len > 64 ? " ..." : "");
}

int json_scan_text(struct view text, size_t *ret_inexact, struct errctx *e)
{
	__attribute__((cleanup(cleanup_checker))) struct checker c = {.depth = 0};
	size_t bad;
	int r;

	if (!text.ptr)
		text = VIEW("");
	c.text = text;
	c.scan = (struct json_scan){text.ptr, text.ptr + text.len, ""};
	json_names_init(&c.names);
	if (!utf8_valid(text, &bad))
		r = fault_at(&c, text.ptr + bad, E_UTF8, "invalid UTF-8");
	else
		r = check_text(&c);
	if (r)
		return set_context(&c, r, e);
	*ret_inexact = c.inexact;
	return 0;
}

int json_check(struct view text, struct errctx *e)
{
	size_t inexact;

	return json_scan_text(text, &inexact, e);
}

bool json_error_is_syntax(int code)
{
	return code == E_SYNTAX || code == E_UTF8;
}
