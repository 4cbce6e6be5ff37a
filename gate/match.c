/* SPDX-License-Identifier: MIT */
/* Holds the rows of policy/gate_rule_*.c against one command. Test: the case files. */
#include "base/base.h"

#include "gate/opts.h"

#include "base/limits.h"

/* One alternative of a sub-command token. Returns 1, 0, or -2 when the word isn't known. */
static int token_matches(const char *tok, size_t n, struct view w)
{
	bool could = false;

	for (size_t i = 0; i <= n;) {
		size_t m = i;

		while (m < n && tok[m] != '|')
			m++;
		if (m - i == w.len && w.len && memcmp(tok + i, w.ptr, w.len) == 0)
			return 1;
		if (!known(w)) {
			char t[64];

			if (m - i < sizeof(t)) {
				memcpy(t, tok + i, m - i);
				t[m - i] = 0;
				could |= value_may_match(t, w, false);
			}
		}
		i = m + 1;
	}
	return could ? -2 : 0;
}

int sub_matches(const struct opts *o, const char *sub)
{
	uint32_t at = 0;
	bool any = false;

	while (*sub) {
		size_t n = strcspn(sub, " ");
		int m = 0;

		if (n == 2 && memcmp(sub, "**", 2) == 0) {
			any = true;
		} else if (n == 1 && *sub == '*') {
			if (at >= o->n_operands)
				return -1;
			at++;
		} else {
			for (; at < o->n_operands; at++) {
				m = token_matches(sub, n, o->operands[at].v);
				if (m || !any)
					break;
			}
			if (m == 0)
				return -1;
			if (m < 0)
				return -2;
			at++;
			any = false;
		}
		sub += n;
		while (*sub == ' ')
			sub++;
	}
	return (int)at;
}

static bool glob_text(const char *pattern, size_t n, struct view v, bool fold)
{
	char t[128];

	if (n >= sizeof(t))
		return false;
	memcpy(t, pattern, n);
	t[n] = 0;
	return known(v) ? gate_glob(t, v, fold) : value_may_match(t, v, fold) && !is_any(v);
}

static bool option_with_value(const struct opts *o, const char *atom, size_t n, size_t eq)
{
	for (uint32_t i = 0; i < o->n; i++) {
		char name[64];

		if (eq >= sizeof(name))
			return false;
		memcpy(name, atom, eq);
		name[eq] = 0;
		if (!opts_find(&(struct opts){.v = &o->v[i], .n = 1, .flags = o->flags}, name))
			continue;
		if (o->v[i].has_val && glob_text(atom + eq + 1, n - eq - 1, o->v[i].val, true))
			return true;
	}
	return false;
}

static bool operand_atom(const struct opts *o, const char *atom, size_t n, uint32_t from)
{
	const char *eq = memchr(atom, '=', n);
	size_t at = (size_t)(eq - atom), plen = n - at - 1;

	if (at == 0) { /* =glob: any */
		for (uint32_t i = from; i < o->n_operands; i++)
			if (glob_text(eq + 1, plen, o->operands[i].v, false))
				return true;
		return false;
	}
	if (atom[0] == 'n') { /* n>=2, n=1 */
		uint32_t want = (uint32_t)(eq[1] - '0'), have = o->n_operands - from;
		bool multi = false;

		for (uint32_t i = from; i < o->n_operands; i++)
			multi |= o->operands[i].multi;
		if (at >= 2 && atom[1] == '>')
			return have >= want || multi;
		return have == want || multi;
	}
	from += (uint32_t)(atom[0] - '1');
	if (from < o->n_operands)
		return glob_text(eq + 1, plen, o->operands[from].v, false);
	return false;
}

static bool atom_holds(struct site *s, const struct opts *o, const char *atom, size_t n,
		       uint32_t from)
{
	const char *eq;
	char t[64];

	if (n == 0)
		return false;
	if (*atom == '!')
		return !atom_holds(s, o, atom + 1, n - 1, from);
	if (n == 1 && *atom == '?')
		return o->maybe_option;
	if (*atom == '@') {
		if (n >= sizeof(t))
			return false;
		memcpy(t, atom + 1, n - 1);
		t[n - 1] = 0;
		return test_by_name(s, o, t, from);
	}
	eq = memchr(atom, '=', n);
	if (*atom == '-') {
		if (eq)
			return option_with_value(o, atom, n, (size_t)(eq - atom));
		if (n >= sizeof(t))
			return false;
		memcpy(t, atom, n);
		t[n] = 0;
		return opts_find(o, t) != NULL;
	}
	return eq ? operand_atom(o, atom, n, from) : false;
}

/* Alternatives of one term: '|' separates them. */
static bool term_holds(struct site *s, const struct opts *o, const char *term, size_t n,
		       uint32_t from)
{
	for (size_t i = 0; i <= n;) {
		size_t m = i;

		while (m < n && term[m] != '|')
			m++;
		if (atom_holds(s, o, term + i, m - i, from))
			return true;
		i = m + 1;
	}
	return false;
}

bool conditions_hold(struct site *s, const struct opts *o, const char *terms, uint32_t from)
{
	while (*terms) {
		size_t n = strcspn(terms, " ");

		if (!term_holds(s, o, terms, n, from))
			return false;
		terms += n;
		while (*terms == ' ')
			terms++;
	}
	return true;
}

static const struct gate_rule **rules_of(struct run *r, const struct gate_program *p)
{
	size_t n, count = 0, at = 0;
	const struct gate_rule **list;

	(void)gate_program_find(view_of(p->name), &at);
	if (!r->rule_index)
		r->rule_index = arena_alloc(r->a, gate_program_count() * sizeof(*r->rule_index));
	if (r->rule_index[at])
		return r->rule_index[at];
	for (size_t t = 0; t < gate_rule_tables(); t++) {
		const struct gate_rule *rows = gate_rule_table(t, &n);

		for (size_t i = 0; i < n; i++)
			count += strcmp(rows[i].family, p->family) == 0;
	}
	list = arena_alloc(r->a, (count + 1) * sizeof(*list));
	count = 0;
	for (size_t t = 0; t < gate_rule_tables(); t++) {
		const struct gate_rule *rows = gate_rule_table(t, &n);

		for (size_t i = 0; i < n; i++)
			if (strcmp(rows[i].family, p->family) == 0)
				list[count++] = &rows[i];
	}
	r->rule_index[at] = list;
	return list;
}

void match_rules(struct site *s, const struct opts *o)
{
	const struct gate_rule **rules = rules_of(s->r, s->prog);
	bool opaque = false;

	if (o->help)
		return;
	for (; *rules; rules++) {
		const struct gate_rule *g = *rules;
		int from = sub_matches(o, g->sub);

		arena_step(s->r->a, 1);
		if (from == -2) {
			opaque = true;
			continue;
		}
		if (from < 0 || !conditions_hold(s, o, g->when, (uint32_t)from))
			continue;
		if (g->unless[0]) {
			bool off = false;
			const char *u = g->unless;

			/* alternatives: any of them turns the rule off */
			off = term_holds(s, o, u, strlen(u), (uint32_t)from);
			if (off)
				continue;
		}
		finding_add(s->r, g->id, g->cls, g->verdict, g->does, s->span,
			    argv_text(s->r, s->argv, s->argc));
	}
	if (opaque && !s->r->quiet)
		finding_own(s->r, "GATE_0011", s->span, argv_text(s->r, s->argv, s->argc));
}
