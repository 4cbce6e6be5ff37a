/* SPDX-License-Identifier: MIT */
/* Names under other names in program text: import X as Y, from M import a as b, {a: b} = ...,
 * f = os.remove. Uses are written back as what they stand for, so that the scan in gate/lang.c
 * needs to know one name only. Test: X528 to X542 of gate-dangerous-more.cases. */
#include "base/base.h"

#include "gate/langtok.h"

enum { MAX_ALIASES = 32, MAX_PATTERN = 64 };

struct aliases {
	struct arena *a;
	struct tok *t;
	size_t n;
	struct {
		struct view name, means;
	} v[MAX_ALIASES];
	size_t count;
};

static bool punct(const struct aliases *m, size_t i, char p)
{
	return i < m->n && m->t[i].kind == TOK_PUNCT && m->t[i].v.ptr[0] == p;
}

static bool name(const struct aliases *m, size_t i)
{
	return i < m->n && m->t[i].kind == TOK_NAME;
}

static bool word(const struct aliases *m, size_t i, const char *text)
{
	return name(m, i) && view_is(m->t[i].v, text);
}

/* The name with its first part replaced by what that stands for. */
static struct view meaning(const struct aliases *m, struct view id)
{
	const char *dot = view_chr(id, '.');
	struct view head = {id.ptr, dot ? (size_t)(dot - id.ptr) : id.len};

	for (size_t i = m->count; i-- > 0;)
		if (view_eq(m->v[i].name, head))
			return dot ? view_cat(m->a, m->v[i].means, view_sub(id, head.len))
				   : m->v[i].means;
	return id;
}

static void bind(struct aliases *m, struct view from, struct view means)
{
	if (view_eq(from, means) || means.len > 256)
		return;
	/* the last one counts: a full table forgets its oldest half */
	if (m->count == MAX_ALIASES) {
		memmove(m->v, m->v + MAX_ALIASES / 2, MAX_ALIASES / 2 * sizeof(m->v[0]));
		m->count = MAX_ALIASES / 2;
	}
	m->v[m->count].name = from;
	m->v[m->count++].means = means;
}

static struct view member(const struct aliases *m, struct view module, struct view item)
{
	return view_cat(m->a, view_cat(m->a, module, VIEW(".")), item);
}

/* "import a, b as c"; returns the last token that belongs to it. */
static size_t python_import(struct aliases *m, size_t i)
{
	while (name(m, i + 1)) {
		i++;
		if (word(m, i + 1, "as") && name(m, i + 2)) {
			bind(m, m->t[i + 2].v, m->t[i].v);
			i += 2;
		}
		if (!punct(m, i + 1, ','))
			break;
		i++;
	}
	return i;
}

/* "from m import a, b as c" and "from m import *" (the modules that matter only). */
static size_t python_from(struct aliases *m, size_t i)
{
	static const char *const star[] = {"call",   "run",    "getoutput", "getstatusoutput",
					   "remove", "unlink", "truncate",  "execv",
					   "execvp", "spawn"};
	struct view module = m->t[i + 1].v;

	i += 2;
	if (punct(m, i + 1, '(')) /* a list over several lines */
		i++;
	if (punct(m, i + 1, '*')) {
		for (size_t k = 0; k < ARRAY_LEN(star); k++)
			bind(m, view_of(star[k]), member(m, module, view_of(star[k])));
		return i + 1;
	}
	while (name(m, i + 1)) {
		struct view item = m->t[++i].v, as = item;

		if (word(m, i + 1, "as") && name(m, i + 2)) {
			as = m->t[i + 2].v;
			i += 2;
		}
		bind(m, as, member(m, module, item));
		while (punct(m, i + 1, '\n'))
			i++;
		if (!punct(m, i + 1, ','))
			break;
		i++;
		while (punct(m, i + 1, '\n'))
			i++;
	}
	return i;
}

/* "{a: b} =" and "import {a as b}": b stands for a. */
static void pattern(struct aliases *m, size_t i)
{
	bool imports = i > 0 && word(m, i - 1, "import");
	size_t end = i + 1;

	while (end < m->n && end - i < MAX_PATTERN && !punct(m, end, '}'))
		end++;
	if (!punct(m, end, '}') ||
	    !(imports ||
	      (punct(m, end + 1, '=') && !punct(m, end + 2, '=') && !punct(m, end + 2, '>'))))
		return;
	for (size_t k = i + 1; k + 2 < end; k++)
		if (name(m, k) && name(m, k + 2) && (punct(m, k + 1, ':') || word(m, k + 1, "as")))
			bind(m, m->t[k + 2].v, m->t[k].v);
}

void lang_aliases(struct arena *a, enum gate_lang lang, struct tok *t, size_t n)
{
	struct aliases *m;

	if (lang != LANG_PYTHON && lang != LANG_NODE)
		return;
	m = ARENA_NEW(a, struct aliases);
	m->a = a;
	m->t = t;
	m->n = n;
	for (size_t i = 0; i < n; i++) {
		arena_step(a, 1);
		if (lang == LANG_NODE && punct(m, i, '{')) {
			pattern(m, i);
			continue;
		}
		if (t[i].kind != TOK_NAME)
			continue;
		if (lang == LANG_PYTHON && view_is(t[i].v, "import")) {
			i = python_import(m, i);
			continue;
		}
		if (lang == LANG_PYTHON && view_is(t[i].v, "from") && name(m, i + 1) &&
		    word(m, i + 2, "import")) {
			i = python_from(m, i);
			continue;
		}
		if (m->count)
			t[i].v = meaning(m, t[i].v);
		/* f = os.remove, not a call's result and no comparison */
		if (punct(m, i + 1, '=') && name(m, i + 2) && !punct(m, i + 3, '(') &&
		    !punct(m, i + 3, '[') && !punct(m, i + 3, '=') && !view_chr(t[i].v, '.') &&
		    !(i + 3 < n && t[i + 3].kind == TOK_NAME && t[i + 3].v.ptr[0] == '.')) {
			bind(m, t[i].v, meaning(m, t[i + 2].v));
		}
	}
}
