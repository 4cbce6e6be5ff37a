/* SPDX-License-Identifier: MIT */
/* The strict check of JSON: one pass, no recursion, memory only for the names of open objects. Pure
 * (allocates). Tested by tests/unit/base/t_json.c, t_nomem.c and tests/fuzz/fuzz_json.c. */
#include "base/base.h"

#include "base/json.h"
#include "base/json_scan.h"
#include "base/limits.h"
#include "base/sort.h"
#include "base/utf8.h"

enum {
	INLINE_NAMES = 64,   /* names kept without allocating: enough for every message of ours */
	PAIRWISE_NAMES = 12, /* up to here comparing all pairs beats sorting */
	MAX_ESCAPED_KEY_BYTES = 6 * MAX_JSON_KEY_BYTES, /* each byte as \u00XX */
};

struct name {
	const char *raw; /* between the quotes, in the text */
	uint32_t len;
	uint32_t hash; /* of the unescaped bytes; collisions are expected and only cost time */
};

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
	struct name *names; /* of all open objects; the innermost one's last */
	size_t n_names, cap_names;
	struct name inline_names[INLINE_NAMES];
	size_t inexact;
};

static void cleanup_checker(struct checker *c)
{
	if (c->names != c->inline_names)
		free(c->names);
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

static uint32_t hash_bytes(const char *p, size_t n)
{
	uint32_t h = 2166136261U; /* FNV-1a */

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)p[i]) * 16777619U;
	return h;
}

static bool is_escaped(struct view raw)
{
	return raw.len && memchr(raw.ptr, '\\', raw.len);
}

static int compare_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
	if (a_len != b_len)
		return a_len < b_len ? -1 : 1;
	return a_len ? memcmp(a, b, a_len) : 0;
}

static int compare_escaped(struct view a, struct view b)
{
	char bytes_a[MAX_JSON_KEY_BYTES], bytes_b[MAX_JSON_KEY_BYTES];
	size_t len_a, len_b;

	/* Both fit: hash_name() saw to it. */
	if (!json_unescape(a, bytes_a, sizeof(bytes_a), &len_a) ||
	    !json_unescape(b, bytes_b, sizeof(bytes_b), &len_b))
		return 0;
	return compare_bytes(bytes_a, len_a, bytes_b, len_b);
}

/* Order of names with the same hash. */
static int compare_unescaped(const struct name *a, const struct name *b)
{
	struct view raw_a = {a->raw, a->len}, raw_b = {b->raw, b->len};

	if (is_escaped(raw_a) || is_escaped(raw_b))
		return compare_escaped(raw_a, raw_b);
	return compare_bytes(a->raw, a->len, b->raw, b->len);
}

static int compare_names(const void *left, const void *right)
{
	const struct name *a = left, *b = right;
	int order;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	order = compare_unescaped(a, b);
	if (order)
		return order;
	return a->raw < b->raw ? -1 : a->raw > b->raw; /* the first one first */
}

static bool same_name(const struct name *a, const struct name *b)
{
	return a->hash == b->hash && compare_unescaped(a, b) == 0;
}

/* The first name in the text that was there before; NULL if there is none. Changes the order. */
static const struct name *find_duplicate(struct name *names, size_t n)
{
	const struct name *found = NULL;

	if (n <= PAIRWISE_NAMES) {
		for (size_t i = 1; i < n; i++)
			for (size_t j = 0; j < i; j++)
				if (same_name(&names[i], &names[j]))
					return &names[i];
		return NULL;
	}
	sort_in_place(names, n, sizeof(*names), compare_names);
	for (size_t i = 1; i < n; i++)
		if (same_name(&names[i - 1], &names[i]) && (!found || names[i].raw < found->raw))
			found = &names[i];
	return found;
}

static int grow_names(struct checker *c)
{
	size_t cap = c->cap_names * 2;
	struct name *names;

	if (cap > SIZE_MAX / sizeof(*names))
		return fault(c, E_NOMEM, "out of memory");
	names = realloc(c->names == c->inline_names ? NULL : c->names, cap * sizeof(*names));
	if (!names)
		return fault(c, E_NOMEM, "out of memory");
	if (c->names == c->inline_names)
		memcpy(names, c->inline_names, sizeof(c->inline_names));
	c->names = names;
	c->cap_names = cap;
	return 0;
}

static bool hash_escaped(struct view raw, uint32_t *ret)
{
	char bytes[MAX_JSON_KEY_BYTES];
	size_t len;

	if (!json_unescape(raw, bytes, sizeof(bytes), &len))
		return false;
	*ret = hash_bytes(bytes, len);
	return true;
}

/* False if the name is too long. */
static bool hash_name(struct view raw, uint32_t *ret)
{
	if (raw.len > MAX_ESCAPED_KEY_BYTES)
		return false;
	if (is_escaped(raw))
		return hash_escaped(raw, ret);
	*ret = hash_bytes(raw.ptr, raw.len);
	return raw.len <= MAX_JSON_KEY_BYTES;
}

static int add_name(struct checker *c, struct view raw)
{
	struct frame *frame = &c->frames[c->depth - 1];
	uint32_t hash;

	frame->key = raw;
	if (!hash_name(raw, &hash))
		return fault_at(c, raw.ptr - 1, E_TOOBIG, "member name too long");
	if (c->n_names - frame->first_name == MAX_JSON_MEMBERS)
		return fault_at(c, raw.ptr - 1, E_TOOBIG, "too many members");
	if (c->n_names == c->cap_names) {
		int r = grow_names(c);

		if (r)
			return r;
	}
	c->names[c->n_names++] = (struct name){raw.ptr, (uint32_t)raw.len, hash};
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
		.first_name = c->n_names,
		.is_object = *c->scan.p == '{',
	};
	c->scan.p++;
	return 0;
}

static int close_container(struct checker *c)
{
	struct frame *frame = &c->frames[c->depth - 1];
	const struct name *twin =
		find_duplicate(c->names + frame->first_name, c->n_names - frame->first_name);

	if (twin) {
		frame->key = (struct view){twin->raw, twin->len};
		return fault_at(c, twin->raw - 1, E_DUPLICATE, "duplicate member");
	}
	c->n_names = frame->first_name;
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
	__attribute__((cleanup(cleanup_checker))) struct checker c = {.cap_names = INLINE_NAMES};
	size_t bad;
	int r;

	if (!text.ptr)
		text = VIEW("");
	c.text = text;
	c.scan = (struct json_scan){text.ptr, text.ptr + text.len, ""};
	c.names = c.inline_names;
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
