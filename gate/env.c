/* SPDX-License-Identifier: MIT */
/* Variables of the call, in program order: what may hold where. Changes are logged, so that a
 * subshell can be undone and a branch that may not run joined with what was before. Test: t_parse.
 */
#include "base/base.h"

#include "gate/eval.h"

#include "base/limits.h"

static unsigned bucket(struct view name)
{
	unsigned h = 2166136261u;

	for (size_t i = 0; i < name.len; i++)
		h = (h ^ (unsigned char)name.ptr[i]) * 16777619u;
	return h % VAR_BUCKETS;
}

struct var *env_find(struct run *r, struct view name, bool make)
{
	unsigned b = bucket(name);
	struct var *v;

	for (v = r->vars[b]; v; v = v->next) {
		arena_step(r->a, 1);
		if (view_eq(v->name, name))
			return v;
	}
	if (!make)
		return NULL;
	v = ARENA_NEW(r->a, struct var);
	v->name = arena_copy(r->a, name);
	v->next = r->vars[b];
	r->vars[b] = v;
	return v;
}

const struct value *env_get(struct run *r, struct view name)
{
	struct var *v = env_find(r, name, false);

	return v ? v->value : NULL;
}

static void set(struct run *r, struct var *v, const struct value *value)
{
	if (r->n_trail == r->cap_trail) {
		uint32_t cap = r->cap_trail ? r->cap_trail * 2 : 32;
		struct change *t = arena_alloc(r->a, cap * sizeof(*t));

		if (r->n_trail)
			memcpy(t, r->trail, r->n_trail * sizeof(*t));
		r->trail = t;
		r->cap_trail = cap;
	}
	r->trail[r->n_trail++] = (struct change){v, v->value};
	v->value = value;
}

void env_set(struct run *r, struct view name, const struct value *value)
{
	set(r, env_find(r, name, true), value);
}

/* Text that outlives the command it stands in; the command of the call itself stays anyway. */
struct view keep_view(struct run *r, struct view v)
{
	if (v.len == 0 || (v.ptr >= r->source.ptr && v.ptr < r->source.ptr + r->source.len))
		return v;
	return arena_copy(r->a, v);
}

static struct value *value_new(struct run *r, uint32_t n)
{
	struct value *v = arena_alloc(r->a, sizeof(*v) + n * sizeof(v->alt[0]));

	v->n = n;
	return v;
}

const struct value *value_scalar(struct run *r, struct view text, uint8_t taint)
{
	struct value *v = value_new(r, 1);

	if (text.len > MAX_GATE_COMPUTED && !known(text))
		text = (struct view){"\0", 1};
	v->alt[0] = (struct alt){keep_view(r, text), taint};
	return v;
}

const struct value *value_unknown(struct run *r, uint8_t taint)
{
	return value_scalar(r, (struct view){"\0", 1}, taint);
}

/* NULL is the session's own value: not known, but nobody in the call chose it. */
const struct value *value_join(struct run *r, const struct value *x, const struct value *y)
{
	struct value *v;

	if (x == y)
		return x;
	if (!x || !y) {
		const struct value *some = x ? x : y;

		if (some->array || some->n + 1 > MAX_GATE_ALTERNATIVES)
			return value_unknown(r, 0);
		v = value_new(r, some->n + 1);
		memcpy(v->alt, some->alt, some->n * sizeof(v->alt[0]));
		v->alt[some->n] = (struct alt){VIEW(""), 0}; /* unset expands to nothing */
		return v;
	}
	if (x->array || y->array || x->n + y->n > MAX_GATE_ALTERNATIVES)
		return value_unknown(r, 0);
	v = value_new(r, x->n + y->n);
	v->n = x->n;
	memcpy(v->alt, x->alt, x->n * sizeof(v->alt[0]));
	for (uint32_t i = 0; i < y->n; i++) {
		bool seen = false;

		for (uint32_t k = 0; k < x->n && !seen; k++)
			seen = view_eq(x->alt[k].v, y->alt[i].v);
		if (!seen)
			v->alt[v->n++] = y->alt[i];
	}
	return v;
}

uint32_t env_mark(struct run *r)
{
	return r->n_trail;
}

void env_rollback(struct run *r, uint32_t mark)
{
	while (r->n_trail > mark) {
		struct change *c = &r->trail[--r->n_trail];

		c->var->value = c->value;
	}
}

static void changes_add(struct run *r, struct changes *c, struct var *v)
{
	if (c->n == c->cap) {
		uint32_t cap = c->cap ? c->cap * 2 : 8;
		struct change *t = arena_alloc(r->a, cap * sizeof(*t));

		if (c->n)
			memcpy(t, c->v, c->n * sizeof(*t));
		c->v = t;
		c->cap = cap;
	}
	c->v[c->n++] = (struct change){v, v->value};
}

void env_collect(struct run *r, uint32_t mark, struct changes *into)
{
	uint32_t stamp = ++r->stamp;

	into->branches++;
	for (uint32_t i = mark; i < r->n_trail; i++) {
		struct var *v = r->trail[i].var;

		if (v->stamp != stamp) {
			v->stamp = stamp;
			changes_add(r, into, v);
		}
	}
	env_rollback(r, mark);
}

void env_join(struct run *r, const struct changes *c, bool complete)
{
	for (uint32_t i = 0; i < c->n; i++)
		c->v[i].var->branches = 0;
	for (uint32_t i = 0; i < c->n; i++)
		c->v[i].var->branches++;
	for (uint32_t i = 0; i < c->n; i++) {
		struct var *v = c->v[i].var;

		if (complete && v->branches == c->branches) {
			set(r, v, c->v[i].value);
			v->branches = 0;
		} else {
			set(r, v, value_join(r, v->value, c->v[i].value));
		}
	}
}

void env_branch_close(struct run *r, uint32_t mark)
{
	struct changes c = {0};

	env_collect(r, mark, &c);
	env_join(r, &c, false);
}

/* ---- what a loop may assign ---- */

static void widen_one(struct run *r, struct view name, const struct value *value)
{
	struct var *v = env_find(r, name, true);

	r->widened = false;
	set(r, v, value_join(r, v->value, value));
}

static void widen_all(struct run *r)
{
	const struct value *unknown;

	if (r->widened)
		return;
	r->widened = true;
	unknown = value_unknown(r, 0);
	for (unsigned b = 0; b < VAR_BUCKETS; b++)
		for (struct var *v = r->vars[b]; v; v = v->next) {
			arena_step(r->a, 1);
			if (v->value && !(v->value->n == 1 && is_any(v->value->alt[0].v)))
				set(r, v, unknown);
		}
}

/* A word that is one literal text, whatever its quotes: its value. */
static bool literal_of(struct run *r, const struct word *w, struct view *ret)
{
	struct view v = VIEW("");

	if (!w) {
		*ret = v;
		return true;
	}
	if (!w->pieces) {
		*ret = w->text;
		return true;
	}
	for (const struct piece *p = w->pieces; p; p = p->next) {
		if (p->kind != P_LIT)
			return false;
		v = view_cat(r->a, v, p->text);
	}
	*ret = v;
	return true;
}

static bool changes_anything(struct run *r, struct view name)
{
	const struct var *v;

	if (gate_in_list("eval source . unset", name))
		return true;
	if (!r->has_funcs)
		return false;
	v = env_find(r, name, false);
	return v && v->func;
}

static void widen_words(struct run *r, const struct node *n)
{
	const struct word *first = n->words;
	struct view v;
	bool reads;

	if (!first)
		return;
	if (!first->pieces && gate_in_list("cd pushd popd", first->text)) {
		widen_one(r, VIEW("\1cwd"), value_unknown(r, 0));
		return;
	}
	if (first->pieces || changes_anything(r, first->text)) {
		if (first->pieces && literal_of(r, first, &v) && !changes_anything(r, v))
			return;
		widen_all(r);
		return;
	}
	reads = gate_in_list("read mapfile readarray getopts printf let", first->text);
	if (!reads && !gate_in_list("export declare typeset local readonly", first->text))
		return;
	for (const struct word *w = first->next; w; w = w->next) {
		const char *eq;

		if (!literal_of(r, w, &v)) {
			if (w->pieces->kind == P_LIT && (eq = view_chr(w->pieces->text, '='))) {
				v = (struct view){w->pieces->text.ptr,
						  (size_t)(eq - w->pieces->text.ptr)};
				widen_one(r, v, value_unknown(r, 0));
			}
			continue;
		}
		eq = view_chr(v, '=');
		if (eq && !reads)
			widen_one(r, (struct view){v.ptr, (size_t)(eq - v.ptr)},
				  value_scalar(r, view_sub(v, (size_t)(eq - v.ptr) + 1), 0));
		else if (reads && is_name(v))
			widen_one(r, v, value_unknown(r, TAINT_READ));
	}
}

static void widen_list(struct run *r, const struct node *list);

static void widen_node(struct run *r, const struct node *n)
{
	arena_step(r->a, 1);
	for (const struct assign *a = n->assigns; a; a = a->next) {
		struct view v;

		if (!a->array && !a->append && !a->index && literal_of(r, a->value, &v))
			widen_one(r, a->name, value_scalar(r, v, 0));
		else
			widen_one(r, a->name, value_unknown(r, 0));
	}
	if (n->kind == N_SIMPLE)
		widen_words(r, n);
	if (n->kind == N_FOR || n->kind == N_SELECT)
		widen_one(r, n->name, value_unknown(r, 0));
	widen_list(r, n->cond);
	widen_list(r, n->body);
	widen_list(r, n->other);
	for (const struct case_item *i = n->items; i; i = i->next)
		widen_list(r, i->body);
}

static void widen_list(struct run *r, const struct node *list)
{
	for (; list; list = list->next)
		widen_node(r, list);
}

void env_widen(struct run *r, const struct node *loop)
{
	r->widened = false;
	widen_list(r, loop->cond);
	widen_list(r, loop->body);
}
