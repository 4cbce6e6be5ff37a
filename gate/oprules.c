/* SPDX-License-Identifier: MIT */
/* Parsing and use of gate.rules. A file with a bad line is refused whole: a rule that isn't read
 * can't refuse. Test: tests/e2e/t0402-gate-rules.tap. */
#include "base/base.h"

#include "gate/oprules.h"

#include "base/limits.h"
#include "base/pathstr.h"
#include "base/utf8.h"
#include "gate/decide.h"
#include "gate/paths.h"
#include "gate/site.h"

struct line {
	struct arena *a;
	struct view t;
	size_t i;
	struct op_error *e;
	unsigned number;
};

static bool bad(struct line *l, size_t at, const char *why)
{
	if (!l->e->line)
		*l->e = (struct op_error){l->number, (unsigned)at + 1, why};
	return false;
}

static void blanks(struct line *l)
{
	while (l->i < l->t.len && (l->t.ptr[l->i] == ' ' || l->t.ptr[l->i] == '\t'))
		l->i++;
}

/* The next word, quotes taken off; false at the end of the line or on an error. */
static bool next_word(struct line *l, struct view *ret)
{
	struct text t;
	char quote = 0;
	size_t from;

	blanks(l);
	from = l->i;
	if (l->i >= l->t.len)
		return false;
	text_init(&t, l->a);
	for (; l->i < l->t.len; l->i++) {
		char c = l->t.ptr[l->i];

		if (quote && c == quote)
			quote = 0;
		else if (!quote && (c == '\'' || c == '"'))
			quote = c;
		else if (!quote && (c == ' ' || c == '\t'))
			break;
		else
			text_putc(&t, c);
	}
	if (quote)
		return bad(l, from, "a quote that doesn't end");
	*ret = text_view(&t);
	return true;
}

static bool words(struct line *l, struct op_rule *r)
{
	struct view w;
	size_t cap = 0;

	while (next_word(l, &w)) {
		if (r->n_words == cap) {
			struct view *v;

			cap = cap ? cap * 2 : 4;
			v = arena_alloc(l->a, cap * sizeof(*v));
			if (r->n_words)
				memcpy(v, r->words, r->n_words * sizeof(*v));
			r->words = v;
		}
		if (w.len > 60)
			return bad(l, l->i - w.len, "a word of more than 60 bytes");
		r->words[r->n_words++] = w;
	}
	if (l->e->line)
		return false;
	if (r->n_words == 0)
		return bad(l, l->t.len, "the words of a command are missing");
	return true;
}

/* RULE[,RULE] for pass: each exists and asks. */
static bool ids(struct line *l, struct op_rule *r, size_t at, struct view list)
{
	r->ids = arena_alloc(l->a, (list.len + 1) * sizeof(*r->ids));
	while (list.len) {
		const char *comma = view_chr(list, ',');
		struct view one =
			comma ? (struct view){list.ptr, (size_t)(comma - list.ptr)} : list;
		enum gate_class cls = GATE_NONE;
		enum verdict verdict = VERDICT_NONE;

		if (!gate_rule_exists(one, &cls, &verdict))
			return bad(l, at, "no rule has this id");
		if (verdict != VERDICT_ASK || cls == GATE_TAMPER || cls == GATE_HIDDEN_CHAR)
			return bad(l, at, "a rule that refuses can't be turned off");
		if (cls == GATE_OPAQUE)
			return bad(l, at, "what can't be read can't be let pass by its words");
		r->ids[r->n_ids++] = one;
		at += one.len + 1;
		list = comma ? view_sub(list, one.len + 1) : VIEW("");
	}
	return r->n_ids > 0 || bad(l, at, "rule ids are missing");
}

static bool pass_line(struct line *l, struct op_rule *r)
{
	struct view list, dashes;
	size_t at;

	blanks(l);
	at = l->i;
	if (!next_word(l, &list))
		return bad(l, at, "pass needs rule ids, \"--\", and an exact command");
	if (!ids(l, r, at, list))
		return false;
	blanks(l);
	at = l->i;
	if (!next_word(l, &dashes) || !view_is(dashes, "--"))
		return bad(l, at, "\"--\" must stand between the rule ids and the command");
	return words(l, r);
}

static bool raise_line(struct line *l, struct op_rule *r, size_t at, struct view what)
{
	enum gate_class cls;
	enum verdict verdict;

	r->kind = OP_RAISE;
	r->ids = arena_alloc(l->a, sizeof(*r->ids));
	r->ids[r->n_ids++] = view_sub(what, 1);
	if (gate_class_by_name(r->ids[0]) == GATE_NONE &&
	    !gate_rule_exists(r->ids[0], &cls, &verdict))
		return bad(l, at, "no class and no rule has this name");
	blanks(l);
	return l->i == l->t.len || bad(l, l->i, "nothing may follow a class or rule");
}

static bool protect_line(struct line *l, struct op_rule *r)
{
	size_t at;

	blanks(l);
	at = l->i;
	if (!words(l, r))
		return false;
	if (r->n_words != 1)
		return bad(l, at, "protect takes one path");
	if (r->words[0].ptr[0] != '/' && r->words[0].ptr[0] != '~' &&
	    pathstr_check_relative(r->words[0]) != 0)
		return bad(l, at, "a path that is absolute, below ~/, or below the project");
	return true;
}

static bool one_line(struct line *l, struct op_rule *r)
{
	struct view verb, first;
	size_t at;

	blanks(l);
	at = l->i;
	if (!next_word(l, &verb))
		return false;
	if (view_is(verb, "pass")) {
		r->kind = OP_PASS;
		return pass_line(l, r);
	}
	if (view_is(verb, "protect")) {
		r->kind = OP_PROTECT;
		return protect_line(l, r);
	}
	if (!view_is(verb, "deny") && !view_is(verb, "ask"))
		return bad(l, at, "a line begins with ask, deny, pass or protect");
	r->kind = view_is(verb, "deny") ? OP_DENY : OP_ASK;
	blanks(l);
	at = l->i;
	if (r->kind == OP_DENY && l->i < l->t.len && l->t.ptr[l->i] == '@') {
		if (!next_word(l, &first))
			return false;
		return raise_line(l, r, at, first);
	}
	return words(l, r);
}

bool oprules_parse(struct arena *a, struct view text, struct op_rules *ret,
		   struct op_error *ret_error)
{
	struct op_rule **tail = &ret->first;
	struct view rest = text;
	unsigned number = 0;
	size_t wrong = 0;

	*ret = (struct op_rules){0};
	*ret_error = (struct op_error){0};
	if (!utf8_valid(text, &wrong)) {
		for (size_t i = 0; i < wrong; i++)
			number += text.ptr[i] == '\n';
		*ret_error = (struct op_error){number + 1, 1, "text that isn't valid UTF-8"};
		return false;
	}
	while (rest.len) {
		const char *nl = view_chr(rest, '\n');
		struct line l = {a, nl ? (struct view){rest.ptr, (size_t)(nl - rest.ptr)} : rest, 0,
				 ret_error, ++number};
		struct op_rule *r;
		size_t hidden;
		uint32_t cp;

		rest = nl ? view_sub(rest, l.t.len + 1) : VIEW("");
		blanks(&l);
		if (l.i == l.t.len || l.t.ptr[l.i] == '#')
			continue;
		hidden = hidden_character(l.t, &cp);
		if (hidden != SIZE_MAX)
			return bad(&l, hidden, "an invisible or control character");
		if (ret->n == MAX_GATE_RULE_LINES)
			return bad(&l, 0, "too many rules");
		r = ARENA_NEW(a, struct op_rule);
		r->line = number;
		if (!one_line(&l, r))
			return bad(&l, l.i, "a line that can't be read");
		*tail = r;
		tail = &r->next;
		ret->n++;
	}
	return true;
}

/* ---- use ---- */

static bool word_fits(struct view rule, struct view have)
{
	char t[64];

	memcpy(t, rule.ptr, rule.len);
	t[rule.len] = 0;
	return known(have) ? gate_glob(t, have, false) : value_may_match(t, have, false);
}

static bool begins_with(const struct site *s, const struct op_rule *r)
{
	if (s->argc < r->n_words)
		return false;
	for (size_t i = 0; i < r->n_words; i++)
		if (!word_fits(r->words[i], i ? s->argv[i].v : s->name) &&
		    !(i == 0 && word_fits(r->words[i], s->argv[0].v)))
			return false;
	return true;
}

void oprules_judge(struct site *s)
{
	const struct op_rules *rules = s->r->ctx->rules;

	for (const struct op_rule *r = rules ? rules->first : NULL; r; r = r->next)
		if ((r->kind == OP_DENY || r->kind == OP_ASK) && begins_with(s, r))
			finding_own(s->r, r->kind == OP_DENY ? "GATE_0036" : "GATE_0035", s->span,
				    argv_text(s->r, s->argv, s->argc));
}

static bool names(const struct op_rule *r, const char *rule, enum gate_class cls)
{
	for (size_t i = 0; i < r->n_ids; i++)
		if (view_is(r->ids[i], rule) ||
		    (r->kind == OP_RAISE && view_is(r->ids[i], gate_class(cls)->name)))
			return true;
	return false;
}

bool oprules_raises(const struct run *run, const char *rule, enum gate_class cls)
{
	const struct op_rules *rules = run->ctx->rules;

	for (const struct op_rule *r = rules ? rules->first : NULL; r; r = r->next)
		if (r->kind == OP_RAISE && names(r, rule, cls))
			return true;
	return false;
}

bool oprules_silences(const struct run *run, const char *rule, enum gate_class cls)
{
	const struct op_rules *rules = run->ctx->rules;
	const struct site *s = run->site;

	/* an exact command, in the session's own folder, not wrapped in anything */
	if (!rules || !s || run->where || run->elsewhere || s->peeled || s->redirs || s->assigns ||
	    env_get((struct run *)(uintptr_t)run, VIEW("\1cwd")))
		return false;
	for (const struct op_rule *r = rules->first; r; r = r->next) {
		size_t i;

		if (r->kind != OP_PASS || !names(r, rule, cls) || r->n_words != s->argc)
			continue;
		for (i = 0; i < r->n_words; i++)
			if (!view_eq(r->words[i], s->argv[i].v) || s->argv[i].multi)
				break;
		if (i == r->n_words)
			return true;
	}
	return false;
}

bool oprules_protects(const struct run *run, struct view path, bool above)
{
	const struct op_rules *rules = run->ctx->rules;
	struct run *r = (struct run *)(uintptr_t)run;

	for (const struct op_rule *o = rules ? rules->first : NULL; o; o = o->next) {
		struct view p;

		if (o->kind != OP_PROTECT)
			continue;
		p = o->words[0];
		if (p.ptr[0] == '~')
			p = view_cat(r->tmp, run->ctx->home, view_sub(p, 1));
		p = path_clean(r->tmp, run->ctx->project, p);
		if (known(path) ? (pathstr_beneath(path, p) || (above && pathstr_beneath(p, path)))
				: false)
			return true;
	}
	return false;
}
