/* SPDX-License-Identifier: MIT */
/*
 * Invariants over all tables: ids sorted and unique, nothing empty, every text printable ASCII and
 * already folded, every row able to match. Pure. Run in tests and at the start of programs that
 * decide. Tests: tests/unit/policy/t_selfcheck.c.
 */
#include "base/base.h"

#include "policy/selfcheck.h"

#include "base/pathstr.h"
#include "policy/match.h"
#include "policy/policy.h"

/* Pure code must not allocate: one finding is enough to stop. */
#define CHECK(what)                                                                                \
	do {                                                                                       \
		const char *wrong_ = (what);                                                       \
		if (wrong_ != NULL)                                                                \
			return wrong_;                                                             \
	} while (0)

const char *selfcheck_text(const char *s)
{
	if (s == NULL || *s == '\0')
		return "empty text";
	for (; *s != '\0'; s++)
		if (*s < ' ' || *s > '~')
			return "text that isn't printable ASCII";
	return NULL;
}

const char *selfcheck_order(const char *before, const char *id)
{
	CHECK(selfcheck_text(id));
	if (before != NULL && strcmp(before, id) >= 0)
		return "ids that aren't sorted and unique";
	return NULL;
}

const char *selfcheck_deny(const struct deny_row *r)
{
	struct folded f;
	const char *star;
	bool slash;

	CHECK(selfcheck_text(r->text));
	CHECK(selfcheck_text(r->reason));
	CHECK(selfcheck_text(r->reference));
	slash = strchr(r->text, '/') != NULL;
	star = strchr(r->text, '*');
	if (!match_fold(view_of(r->text), &f) || !view_is(f.whole, r->text))
		return "deny text that isn't folded";
	if (r->kind < MATCH_EQUALS || r->kind >= N_MATCH_KINDS)
		return "deny row without a way to match";
	if (slash != (r->kind == MATCH_SEQUENCE))
		return "\"/\" in a deny text that is matched by component, or none in a path";
	if ((star != NULL) != (r->kind == MATCH_AROUND) || (star && strchr(star + 1, '*')))
		return "\"*\" in a deny text of another kind, or not exactly one";
	if (pathstr_check_relative(view_of(r->text)) != 0)
		return "deny text that can't stand in a path";
	return NULL;
}

static const char *check_rows(const struct deny_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		CHECK(selfcheck_order(i ? rows[i - 1].id : NULL, rows[i].id));
		CHECK(selfcheck_deny(&rows[i]));
		for (size_t k = 0; k < i; k++)
			if (rows[k].kind == rows[i].kind && !strcmp(rows[k].text, rows[i].text))
				return "two deny rows that say the same";
	}
	return NULL;
}

static const char *check_params(void)
{
	size_t n;
	const struct param_row *p = policy_params(&n);

	for (size_t i = 0; i < n; i++) {
		CHECK(selfcheck_order(i ? p[i - 1].id : NULL, p[i].id));
		CHECK(selfcheck_text(p[i].name));
		CHECK(selfcheck_text(p[i].description));
		if (policy_tool(p[i].tool) == NULL || (i && p[i].tool < p[i - 1].tool))
			return "parameters that aren't grouped by tool";
		if (p[i].type < PARAM_STRING || p[i].type > PARAM_INTEGER || p[i].form < FORM_ANY ||
		    p[i].form > FORM_GATE)
			return "parameter without type or form";
		if (p[i].min > p[i].max || p[i].max <= 0 || p[i].min_items > p[i].max_items)
			return "parameter without bounds";
		if ((p[i].type == PARAM_STRINGS) != (p[i].max_items > 0))
			return "item counts on a parameter that is no array, or none on one that "
			       "is";
	}
	return NULL;
}

const char *policy_selfcheck(void)
{
	size_t n;
	const struct deny_row *deny = denylist_rows(&n);
	const struct strip_row *strips;
	const struct form_row *forms;
	const struct limit_row *limits;

	CHECK(check_rows(deny, n));
	deny = denylist_exceptions(&n);
	CHECK(check_rows(deny, n));
	for (size_t i = 0; i < n; i++)
		if (deny[i].kind != MATCH_EQUALS)
			return "exception that isn't one exact name";
	strips = match_strips(&n);
	for (size_t i = 0; i < n; i++) {
		CHECK(selfcheck_order(i ? strips[i - 1].id : NULL, strips[i].id));
		CHECK(selfcheck_text(strips[i].text));
		CHECK(selfcheck_text(strips[i].reason));
	}
	forms = pathread_forms(&n);
	for (size_t i = 0; i < n; i++) {
		CHECK(selfcheck_order(i ? forms[i - 1].id : NULL, forms[i].id));
		CHECK(selfcheck_text(forms[i].reason));
	}
	for (int i = 0; i < N_TOOLS; i++) {
		CHECK(selfcheck_order(i ? policy_tool((enum tool)(i - 1))->id : NULL,
				      policy_tool((enum tool)i)->id));
		CHECK(selfcheck_text(policy_tool((enum tool)i)->name));
	}
	CHECK(check_params());
	limits = limit_rows(&n);
	for (size_t i = 0; i < n; i++) {
		CHECK(selfcheck_text(limits[i].name));
		CHECK(selfcheck_text(limits[i].reason));
		if (limits[i].value <= 0)
			return "limit that limits nothing";
	}
	return NULL;
}
