/* SPDX-License-Identifier: MIT */
/*
 * PCRE2 behind three functions and a probe; only file that includes its header. Pure but for
 * memory. Failure rule: no match. Tests: tests/unit/runner/t_pattern.c.
 */
#include "base/base.h"

#include "runner/pattern.h"

#include "base/limits.h"

#include <stdio.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct pattern {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	bool literal;
};

static bool is_literal(struct view text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (strchr("\\^$.[]|()?*+{}#", text.ptr[i]))
			return false;
	}
	return true;
}

int pattern_compile(struct view text, struct pattern **ret, struct errctx *e)
{
	int number = 0;
	PCRE2_SIZE offset = 0;
	PCRE2_UCHAR why[128] = "";
	struct pattern *p;

	if (text.len > MAX_PATTERN_BYTES)
		return err_set(e, E_TOOBIG, "a pattern has %zu bytes, at most %d are taken",
			       text.len, MAX_PATTERN_BYTES);
	p = calloc(1, sizeof(*p));
	if (!p)
		return err_set(e, E_NOMEM, "out of memory");
	/* \C would match inside a character. */
	p->code = pcre2_compile((PCRE2_SPTR)text.ptr, text.len,
				PCRE2_UTF | PCRE2_ANCHORED | PCRE2_ENDANCHORED |
					PCRE2_NEVER_BACKSLASH_C | PCRE2_DOLLAR_ENDONLY,
				&number, &offset, NULL);
	if (!p->code) {
		(void)pcre2_get_error_message(number, why, sizeof(why));
		pattern_free(p);
		return err_set(e, E_SYNTAX, "no valid pattern at byte %zu: %s", (size_t)offset,
			       (const char *)why);
	}
	p->data = pcre2_match_data_create_from_pattern(p->code, NULL);
	p->context = pcre2_match_context_create(NULL);
	if (!p->data || !p->context) {
		pattern_free(p);
		return err_set(e, E_NOMEM, "out of memory");
	}
	(void)pcre2_set_match_limit(p->context, MAX_PATTERN_STEPS);
	(void)pcre2_set_depth_limit(p->context, MAX_PATTERN_DEPTH);
	(void)pcre2_set_heap_limit(p->context, MAX_PATTERN_HEAP_KIB);
	p->literal = is_literal(text);
	*ret = p;
	return 0;
}

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	pcre2_match_context_free(p->context);
	pcre2_match_data_free(p->data);
	pcre2_code_free(p->code);
	free(p);
}

bool pattern_matches(const struct pattern *p, struct view text)
{
	int n;

	if (text.len > MAX_PATTERN_TEXT_BYTES)
		return false;
	n = pcre2_match(p->code, (PCRE2_SPTR)(text.ptr ? text.ptr : ""), text.len, 0, 0, p->data,
			p->context);
	return n >= 0;
}

bool pattern_is_literal(const struct pattern *p)
{
	return p->literal;
}

static const char *const stems[] = {"x",    "x.lean", "x.py", "x.json", "x.txt",
				    "x.md", "1",      "CX-1", "a-b",	"MathAgents"};

/* %s is the stem. */
static const struct {
	const char *before;
	const char *what;
} forms[] = {
	{"-", "an option"},
	{"--", "an option"},
	{"--plugin=", "an option"},
	{"../", "a parent step"},
	{"a/../", "a parent step"},
	{"a/../../", "a parent step"},
	{"b/../", "a parent step"},
	{"z/../", "a parent step"},
	{"x/../", "a parent step"},
	{"foo/../", "a parent step"},
	{"0/../", "a parent step"},
	{"/", "an absolute path"},
	{"/etc/", "an absolute path"},
	{"~/", "a path in the home"},
};

int pattern_probe(const struct pattern *p, struct errctx *e)
{
	char text[64];

	for (size_t f = 0; f < ARRAY_LEN(forms); f++) {
		for (size_t s = 0; s < ARRAY_LEN(stems); s++) {
			int n = snprintf(text, sizeof(text), "%s%s", forms[f].before, stems[s]);

			if (pattern_matches(p, (struct view){text, (size_t)n}))
				return err_set(e, E_RANGE, "too broad: it admits %s (\"%s\")",
					       forms[f].what, text);
		}
	}
	return 0;
}
