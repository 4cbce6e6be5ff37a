/* SPDX-License-Identifier: MIT */
/*
 * May this path be read? Requested, resolved and opened name in, verdict and rule id out. Pure;
 * whatever can't be decided is a refusal. Tests: tests/cases/denylist.cases,
 * tests/unit/policy/t_pathread.c, tests/fuzz/fuzz_pathdecision.c.
 */
#include "base/base.h"

#include "policy/policy.h"

#include "base/err.h"
#include "base/pathstr.h"
#include "policy/match.h"

static const struct form_row forms[] = {
	{"PATH_0001", E_SYNTAX, "the path is empty"},
	{"PATH_0002", E_NUL, "the path holds a NUL"},
	{"PATH_0003", E_UTF8, "the path isn't valid UTF-8"},
	{"PATH_0004", E_OUTSIDE, "the path is absolute, starts with \"~\" or holds \"..\""},
	{"PATH_0005", E_TOOBIG, "the path or a part of it is too long"},
	{"PATH_0006", E_RANGE, "the path holds a control character"},
};

#define OPERATOR_RULE	"DENY_OPERATOR"
#define OPERATOR_REASON "the operator's deny.list"

const struct form_row *pathread_forms(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(forms);
	return forms;
}

static struct decision deny(const char *rule, const char *reason, const char *which,
			    struct view match)
{
	return (struct decision){VERDICT_DENY, rule, reason, which, match};
}

static struct decision internal(const char *which, const char *reason)
{
	return deny("internal", reason, which, (struct view){"", 0});
}

static struct decision allow(void)
{
	return (struct decision){.verdict = VERDICT_ALLOW, .match = {"", 0}};
}

static const struct form_row *form_of(int code)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (forms[i].code == code)
			return &forms[i];
	return NULL;
}

static bool is_exception(struct view folded)
{
	size_t n;
	const struct deny_row *e = denylist_exceptions(&n);

	for (size_t i = 0; i < n; i++)
		if (view_is(folded, e[i].text))
			return true;
	return false;
}

/* tail: the path from this component on, for rows that look at what follows. *ret_n: how much of it
 * matched. */
static bool row_matches(const struct deny_row *row, const struct folded *f, struct view tail,
			bool last, size_t *ret_n)
{
	struct view text = view_of(row->text);

	/* The first of its components is folded already: most rows end here, cheaply. */
	if (row->kind == MATCH_SEQUENCE) {
		const char *slash = strchr(row->text, '/');
		struct view head = {text.ptr,
				    slash != NULL ? (size_t)(slash - text.ptr) : text.len};

		return match_component(MATCH_EQUALS, head, f) && match_leading(text, tail, ret_n);
	}
	if (row->kind == MATCH_FILE && !last)
		return false;
	return match_component(row->kind, text, f);
}

static enum match_kind extra_kind(enum deny_match m)
{
	switch (m) {
	case DENY_EQUALS:
		return MATCH_EQUALS;
	case DENY_PREFIX:
		return MATCH_PREFIX;
	case DENY_SUFFIX:
		return MATCH_SUFFIX;
	case DENY_INFIX:
		return MATCH_INFIX;
	case DENY_PATH:
		break;
	}
	return N_MATCH_KINDS;
}

/* first: the component begins the path, the only place where a DENY_PATH entry can match. */
static bool extra_matches(const struct deny_entry *x, const struct folded *f, struct view tail,
			  bool first, size_t *ret_n)
{
	struct folded text;

	if (x->match == DENY_PATH)
		return first && match_leading(x->text, tail, ret_n);
	/* An entry that can't be compared denies everything: it was meant to deny something. */
	if (extra_kind(x->match) == N_MATCH_KINDS || !match_fold(x->text, &text) ||
	    text.whole.len == 0)
		return true;
	return match_component(extra_kind(x->match), text.whole, f);
}

/* Holds one component, and what follows it, against every row, then against the additions. */
static struct decision check_component(const struct path_query *q, const char *which,
				       struct view name, struct view tail, bool first, bool last)
{
	struct folded f;
	size_t n_rows;
	const struct deny_row *rows = denylist_rows(&n_rows);

	if (!match_fold(name, &f))
		return internal(which, "a part of the name is too long to compare");
	if (is_exception(f.whole))
		n_rows = 0;
	for (size_t i = 0; i < n_rows; i++) {
		size_t n = name.len;

		if (row_matches(&rows[i], &f, tail, last, &n))
			return deny(rows[i].id, rows[i].reason, which, (struct view){tail.ptr, n});
	}
	for (size_t i = 0; i < q->n_extra; i++) {
		size_t n = name.len;

		if (extra_matches(&q->extra[i], &f, tail, first, &n))
			return deny(OPERATOR_RULE, OPERATOR_REASON, which,
				    (struct view){tail.ptr, n});
	}
	return allow();
}

static struct decision check_name(const struct path_query *q, const char *which, struct view path)
{
	struct view rest = path, name, next;
	bool first = true;

	if (path.len > 0 && path.ptr[0] == '/')
		return internal(which, "the name isn't relative to the project");
	while (match_next(&rest, &name)) {
		struct view tail = {name.ptr, (size_t)(path.ptr + path.len - name.ptr)};
		struct view ahead = rest;
		struct decision d;

		if (view_is(name, ".."))
			return internal(which, "the name leaves the project");
		d = check_component(q, which, name, tail, first, !match_next(&ahead, &next));
		if (d.verdict != VERDICT_ALLOW)
			return d;
		first = false;
	}
	return allow();
}

struct decision policy_path_read(const struct path_query *q)
{
	const struct form_row *form;
	struct decision d;
	int code;

	if (q->requested.ptr == NULL || (q->n_extra > 0 && q->extra == NULL))
		return internal("requested", "no name was given");
	code = pathstr_check_relative(q->requested);
	if (code != 0) {
		form = form_of(code);
		if (form == NULL)
			return internal("requested", "the name has no form that can be checked");
		return deny(form->id, form->reason, "requested", (struct view){"", 0});
	}
	d = check_name(q, "requested", q->requested);
	/* A name that was just allowed gets the same answer again. */
	if (d.verdict == VERDICT_ALLOW && q->resolved.ptr != NULL &&
	    !view_eq(q->resolved, q->requested))
		d = check_name(q, "resolved", q->resolved);
	if (d.verdict == VERDICT_ALLOW && q->opened.ptr != NULL &&
	    !view_eq(q->opened, q->requested) && !view_eq(q->opened, q->resolved))
		d = check_name(q, "opened", q->opened);
	return d;
}
