/* SPDX-License-Identifier: MIT */
/* Raw spellings out of text that the strict reader may have refused: no allocation, no recursion,
 * any depth. Brackets are counted, not matched. Pure. Tested by tests/unit/base/t_json_raw.c and
 * tests/fuzz/fuzz_json.c. */
#include "base/base.h"

#include "base/json.h"
#include "base/json_scan.h"
#include "base/limits.h"
#include "base/utf8.h"

static bool at(const struct json_scan *s, char c)
{
	return s->p < s->end && *s->p == c;
}

static bool take(struct json_scan *s, char c)
{
	json_scan_space(s);
	if (!at(s, c))
		return false;
	s->p++;
	return true;
}

/* One token of a value at the cursor; *depth goes with the brackets. */
static int skip_token(struct json_scan *s, size_t *depth)
{
	bool inexact;

	if (at(s, '"'))
		return json_scan_string(s, false, NULL);
	if (at(s, '{') || at(s, '[')) {
		++*depth;
		s->p++;
		return 0;
	}
	if (*depth > 0 && (at(s, '}') || at(s, ']'))) {
		--*depth;
		s->p++;
		return 0;
	}
	if (*depth > 0 && (at(s, ',') || at(s, ':'))) {
		s->p++;
		return 0;
	}
	return json_scan_scalar(s, false, &inexact);
}

static int skip_value(struct json_scan *s, struct view *ret)
{
	size_t depth = 0;
	const char *start;

	json_scan_space(s);
	start = s->p;
	do {
		int r;

		json_scan_space(s);
		r = skip_token(s, &depth);
		if (r)
			return r;
	} while (depth > 0);
	*ret = (struct view){start, (size_t)(s->p - start)};
	return 0;
}

static struct json_scan scan_of(struct view text)
{
	if (!text.ptr)
		text = VIEW("");
	return (struct json_scan){text.ptr, text.ptr + text.len, ""};
}

static bool is_named(struct view raw, const char *name)
{
	char bytes[MAX_JSON_KEY_BYTES];
	size_t len;

	return json_unescape(raw, bytes, sizeof(bytes), &len) &&
	       view_is((struct view){bytes, len}, name);
}

/* The end of the text behind the outer bracket. */
static bool at_end(struct json_scan *s)
{
	json_scan_space(s);
	return s->p == s->end;
}

int json_raw_member(struct view text, const char *name, struct view *ret)
{
	struct json_scan s = scan_of(text);
	struct view found = {NULL, 0};

	if (!take(&s, '{'))
		return E_SYNTAX;
	if (take(&s, '}'))
		return at_end(&s) ? E_MISSING : E_SYNTAX;
	do {
		struct view key, value;

		json_scan_space(&s);
		if (!at(&s, '"') || json_scan_string(&s, false, &key) || !take(&s, ':') ||
		    skip_value(&s, &value))
			return E_SYNTAX;
		if (!is_named(key, name))
			continue;
		if (found.ptr)
			return E_DUPLICATE;
		found = value;
	} while (take(&s, ','));
	if (!take(&s, '}') || !at_end(&s))
		return E_SYNTAX;
	if (!found.ptr)
		return E_MISSING;
	if (!utf8_valid(found, NULL))
		return E_UTF8;
	*ret = found;
	return 0;
}

/* One pass over the array; each may be NULL: only look whether the text can be followed. */
static int walk_elements(struct view text, int (*each)(struct view element, void *arg), void *arg)
{
	struct json_scan s = scan_of(text);

	if (!take(&s, '['))
		return E_TYPE;
	if (take(&s, ']'))
		return at_end(&s) ? 0 : E_SYNTAX;
	do {
		struct view element;
		int r;

		if (skip_value(&s, &element))
			return E_SYNTAX;
		r = each ? each(element, arg) : 0;
		if (r)
			return r;
	} while (take(&s, ','));
	return take(&s, ']') && at_end(&s) ? 0 : E_SYNTAX;
}

int json_raw_elements(struct view text, int (*each)(struct view element, void *arg), void *arg)
{
	int r = walk_elements(text, NULL, NULL);

	return r ? r : walk_elements(text, each, arg);
}
