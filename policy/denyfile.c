/* SPDX-License-Identifier: MIT */
/*
 * Parser of the operator's deny.list (agentteams-deny.list(5)). Pure. An entry that could never
 * match anything is an error, not a silent no-op: the operator believes that it protects something.
 * Tests: tests/unit/policy/t_denyfile.c, tests/fuzz/fuzz_denyfile.c.
 */
#include "base/base.h"

#include "policy/policy.h"

#include "base/err.h"
#include "base/pathstr.h"
#include "policy/match.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct view trim(struct view v)
{
	while (v.len > 0 && is_blank(v.ptr[0]))
		v = (struct view){v.ptr + 1, v.len - 1};
	while (v.len > 0 && is_blank(v.ptr[v.len - 1]))
		v.len--;
	return v;
}

static bool has(struct view v, char c)
{
	return view_chr(v, c) != NULL;
}

/* Spellings that other tools give a meaning which this file doesn't have. */
static const char *foreign(struct view v)
{
	if (v.ptr[0] == '!')
		return "\"!\": nothing can take an entry back";
	if (has(v, '?') || has(v, '[') || has(v, '{'))
		return "\"?\", \"[\" and \"{\" aren't patterns here; only \"*\" at an end is";
	if (has(v, '\\'))
		return "\"\\\": there are no escapes and no other separators than \"/\"";
	for (size_t i = 1; i < v.len; i++)
		if (v.ptr[i] == '#' && is_blank(v.ptr[i - 1]))
			return "a comment needs a line of its own";
	return NULL;
}

/* The text between stars must be able to stand in a name. */
static const char *bad_form(struct view v)
{
	switch (pathstr_check_relative(v)) {
	case 0:
		return NULL;
	case E_SYNTAX:
		return "empty name";
	case E_NUL:
	case E_RANGE:
		return "control character";
	case E_UTF8:
		return "invalid UTF-8";
	case E_OUTSIDE:
		return "a leading \"/\" or \"~\", or \"..\": entries are names, or paths below the "
		       "project";
	case E_TOOBIG:
		return "too long";
	default:
		return "this can't be a name";
	}
}

static const char *parse_name(struct view v, struct deny_entry *ret)
{
	char probe[MAX_NAME_BYTES + 1] = "x";
	bool open_start = v.ptr[0] == '*', open_end = v.len > 1 && v.ptr[v.len - 1] == '*';
	struct folded f;
	const char *why;

	if (open_start)
		v = (struct view){v.ptr + 1, v.len - 1};
	if (open_end)
		v.len--;
	if (v.len == 0)
		return "empty name";
	if (has(v, '*'))
		return "\"*\" may only stand at the ends of a name";
	if (v.len > MAX_NAME_BYTES - 1)
		return "too long";
	/* Behind a star, "~" begins no home folder and ".." is no step up. */
	memcpy(probe + 1, v.ptr, v.len);
	why = open_start ? bad_form((struct view){probe, v.len + 1}) : bad_form(v);
	if (why != NULL)
		return why;
	if (view_is(v, "."))
		return "\".\" alone is the project itself";
	if (!match_fold(v, &f) || f.whole.len == 0)
		return "empty name";
	ret->text = v;
	ret->match = open_start && open_end ? DENY_INFIX
		     : open_start	    ? DENY_SUFFIX
		     : open_end		    ? DENY_PREFIX
					    : DENY_EQUALS;
	return NULL;
}

static const char *parse_path(struct view v, struct deny_entry *ret)
{
	struct view rest = v, name;
	struct folded f;
	size_t n = 0;
	const char *why = bad_form(v);

	if (why != NULL)
		return why;
	if (has(v, '*'))
		return "\"*\" may not stand in a path";
	for (; match_next(&rest, &name); n++)
		if (!match_fold(name, &f) || f.whole.len == 0)
			return "empty name";
	if (n == 0)
		return "\".\" alone is the project itself";
	ret->text = v;
	ret->match = DENY_PATH;
	return NULL;
}

unsigned policy_deny_parse(struct view text, struct deny_entry *out, size_t max, size_t *ret_n,
			   const char **ret_why)
{
	unsigned line = 0;
	size_t n = 0;

	while (text.len > 0) {
		const char *end = view_chr(text, '\n');
		size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;
		struct view v = trim((struct view){text.ptr, len});
		const char *why = NULL;

		line++;
		text.ptr += len + (end != NULL);
		text.len -= len + (end != NULL);
		if (v.len == 0 || v.ptr[0] == '#')
			continue;
		if (n >= max)
			why = "too many entries";
		else if ((why = foreign(v)) == NULL)
			why = has(v, '/') ? parse_path(v, &out[n]) : parse_name(v, &out[n]);
		if (why != NULL) {
			*ret_why = why;
			return line;
		}
		out[n++].line = line;
	}
	*ret_n = n;
	return 0;
}
