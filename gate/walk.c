/* SPDX-License-Identifier: MIT */
/* Walks the tree in program order. Every node is visited whatever the control flow: bodies of
 * functions, both arms, what follows || (file 40, section 12.4). Test: t_parse, the case files. */
#include "base/base.h"

#include "gate/site.h"

#include "base/limits.h"

void flow_add(struct run *r, struct flow *to, const struct flow *more)
{
	uint8_t taint = to->taint | more->taint;

	if (more->kind == FLOW_NONE) {
		to->taint = taint;
		return;
	}
	if (to->kind == FLOW_NONE) {
		*to = *more;
		to->cap = 0;
		to->text = keep_view(r, more->text);
	} else if (to->kind == FLOW_TEXT && more->kind == FLOW_TEXT) {
		size_t len = to->text.len + more->text.len;

		if (len > to->cap) {
			char *p = arena_text(r->a, len * 2);

			memcpy(p, to->text.ptr, to->text.len);
			to->text.ptr = p;
			to->cap = (uint32_t)(len * 2);
		}
		memcpy((char *)(uintptr_t)to->text.ptr + to->text.len, more->text.ptr,
		       more->text.len);
		to->text.len = len;
	} else {
		to->kind = FLOW_UNKNOWN;
	}
	to->taint = taint;
}

static bool is_stdin(const struct redir_value *v)
{
	return v->fd == 0 ||
	       (v->fd == -1 && (v->op == R_IN || v->op == R_HERE || v->op == R_HERETABS ||
				v->op == R_HERESTR || v->op == R_RDWR || v->op == R_DUPIN));
}

/* What a command reads after its redirections. */
static struct flow input_of(struct run *r, const struct redir_value *redirs, const struct flow *in)
{
	struct flow f = *in;

	for (const struct redir_value *v = redirs; v; v = v->next) {
		if (!is_stdin(v))
			continue;
		f = (struct flow){.span = v->target.span, .taint = v->target.taint};
		if (v->op == R_HERE || v->op == R_HERETABS || v->op == R_HERESTR) {
			f.kind = FLOW_TEXT;
			f.text = v->target.v;
			if (v->op == R_HERESTR)
				f.text = view_cat(r->tmp, f.text, VIEW("\n"));
		} else if (v->op == R_DUPIN) {
			f.kind = FLOW_UNKNOWN;
			for (const struct redir_value *w = redirs; w != v; w = w->next)
				if (w->fd > 2 && w->op >= R_HERE && known(v->target.v) &&
				    v->target.v.len == 1 && v->target.v.ptr[0] == '0' + w->fd) {
					f.kind = FLOW_TEXT;
					f.text = w->target.v;
				}
		} else if (v->target.proc) {
			f = *v->target.proc;
		} else {
			f.kind = FLOW_FILE;
			f.text = v->target.v;
		}
	}
	return f;
}

static struct redir_value *eval_redirs(struct run *r, const struct redir *list)
{
	struct redir_value *first = NULL, **tail = &first;

	for (; list; list = list->next) {
		struct redir_value *v = ARENA_NEW(r->tmp, struct redir_value);

		v->op = list->op;
		v->fd = list->fd;
		v->target = list->op == R_HERE || list->op == R_HERETABS || list->op == R_HERESTR
				    ? expand_single(r, list->target)
				    : expand_pattern(r, list->target);
		v->target.span = origin_span(r->origin, list->off, list->len);
		*tail = v;
		tail = &v->next;
	}
	return first;
}

/* ---- assignments ---- */

static void assign_array(struct run *r, const struct assign *a)
{
	struct fields f = {0};
	const struct value *old = a->append ? env_get(r, a->name) : NULL;
	uint32_t n_old = old && old->array ? old->n : 0, n = 0;
	struct value *v;
	bool keyed = false;

	expand_words(r, a->elems, &f);
	v = arena_alloc(r->a, sizeof(*v) + (n_old + f.n + 1) * sizeof(v->alt[0]));
	v->array = true;
	v->keys = arena_alloc(r->a, (n_old + f.n + 1) * sizeof(*v->keys));
	for (; n < n_old; n++)
		v->alt[n] = old->alt[n];
	for (uint32_t i = 0; i < f.n; i++) {
		struct view t = f.v[i].v;
		const char *close;

		/* [key]=value: the bracket came through pattern expansion as GLOB or as one byte */
		close = view_chr(t, '=');
		if (close && t.ptr[0] != '=' && a->elems) {
			const struct word *w = a->elems;

			for (uint32_t k = 0; w && k < i; k++)
				w = w->next;
			if (w && w->pieces && w->pieces->kind == P_LIT && !w->pieces->quoted &&
			    w->pieces->text.len && w->pieces->text.ptr[0] == '[') {
				const char *end = view_chr(w->pieces->text, ']');

				keyed = true;
				if (end)
					v->keys[n] = keep_view(
						r,
						(struct view){w->pieces->text.ptr + 1,
							      (size_t)(end - w->pieces->text.ptr) -
								      1});
				t = view_sub(t, (size_t)(close - t.ptr) + 1);
			}
		}
		v->alt[n++] = (struct alt){keep_view(r, t), f.v[i].taint};
	}
	v->n = n;
	if (!keyed)
		v->keys = NULL;
	env_set(r, a->name, v);
}

/* An arithmetic context evaluates text again: a subscript in a value runs what stands in it. */
static void look_into_subscript(struct run *r, struct view v, struct span span)
{
	const char *open = view_chr(v, '[');
	struct view rest;
	struct origin o = {false, span.off, span.len}, saved = r->origin;
	const struct word *w;

	if (!open)
		return;
	rest = view_sub(v, (size_t)(open - v.ptr));
	if (!view_has(rest, "$(") && !view_has(rest, "`"))
		return;
	r->origin = o;
	w = parse_quoted(r->a, rest, o, r->parse_depth + 1);
	visit_word(r, w);
	r->origin = saved;
}

static const struct value *append_value(struct run *r, const struct value *old,
					const struct value *more)
{
	const struct value *all = NULL;

	if (!old)
		return value_unknown(r, 0);
	if (old->array || old->n * more->n > MAX_GATE_ALTERNATIVES)
		return value_unknown(r, 0);
	for (uint32_t i = 0; i < old->n; i++)
		for (uint32_t k = 0; k < more->n; k++) {
			const struct value *one =
				value_scalar(r, view_cat(r->tmp, old->alt[i].v, more->alt[k].v),
					     (uint8_t)(old->alt[i].taint | more->alt[k].taint));

			all = all ? value_join(r, all, one) : one;
		}
	return all;
}

static void assign_one(struct run *r, const struct assign *a)
{
	const struct value *v;

	visit_word(r, a->index);
	if (a->index && a->index->pieces && a->index->pieces->kind == P_LIT)
		look_into_subscript(r, view_cat(r->tmp, VIEW("["), a->index->pieces->text),
				    origin_span(r->origin, a->off, a->len));
	if (a->array) {
		assign_array(r, a);
		return;
	}
	v = expand_value(r, a->value);
	for (uint32_t i = 0; i < v->n; i++)
		look_into_subscript(r, v->alt[i].v, origin_span(r->origin, a->off, a->len));
	if (a->index) {
		const struct value *old = env_get(r, a->name);

		/* One element changes: what the others hold stays, but which is which is lost. */
		v = value_join(r, old && !old->array ? old : v, v);
		if (old && old->array)
			for (uint32_t i = 0; i < old->n && i < MAX_GATE_ALTERNATIVES; i++)
				v = value_join(r, v,
					       value_scalar(r, old->alt[i].v, old->alt[i].taint));
	} else if (a->append) {
		v = append_value(r, env_get(r, a->name), v);
	}
	env_set(r, a->name, v);
}

/* ---- simple commands ---- */

static void simple_once(struct run *r, const struct node *n, const struct flow *in,
			struct flow *out)
{
	struct fields argv = {0};
	struct site s = {.r = r};
	uint32_t mark;

	arena_step(r->a, 4);
	expand_words(r, n->words, &argv);
	s.span = origin_span(r->origin, n->off, n->len);
	s.redirs = eval_redirs(r, n->redirs);
	s.in = input_of(r, s.redirs, in);
	s.out = out;
	if (argv.n == 0) {
		struct flow got = {0};

		for (const struct assign *a = n->assigns; a; a = a->next)
			assign_one(r, a);
		s.assigns = n->assigns;
		if (n->assigns)
			judge_site(&s);
		judge_redirs(r, s.redirs, &got, n->assigns == NULL);
		if (!n->assigns && s.in.kind != FLOW_NONE && s.in.kind != in->kind)
			flow_add(r, out, &s.in); /* $(< file) */
		return;
	}
	s.argv = argv.v;
	s.argc = argv.n;
	s.assigns = n->assigns;
	if (!n->assigns) {
		judge_site(&s);
		return;
	}
	/* The command sees these; the shell itself doesn't keep them. */
	mark = env_mark(r);
	for (const struct assign *a = n->assigns; a; a = a->next)
		assign_one(r, a);
	judge_site(&s);
	if (!gate_in_list("export declare typeset local readonly", argv.v[0].v))
		env_rollback(r, mark);
}

static void walk_simple(struct run *r, const struct node *n, const struct flow *in,
			struct flow *out)
{
	unsigned base = r->n_choices;
	struct changes c = {0};
	uint32_t mark = env_mark(r);
	struct arena_mark scratch = arena_mark(r->tmp);

	simple_once(r, n, in, out);
	arena_reset(r->tmp, scratch);
	if (r->n_choices == base)
		return;
	env_collect(r, mark, &c);
	while (choices_next(r, base)) {
		simple_once(r, n, in, out);
		arena_reset(r->tmp, scratch);
		env_collect(r, mark, &c);
	}
	env_join(r, &c, true);
}

/* ---- compound commands ---- */

static void walk_subshell(struct run *r, const struct node *list, const struct flow *in,
			  struct flow *out)
{
	uint32_t mark = env_mark(r);
	const struct fields *params = r->params;

	walk_list(r, list, in, out);
	r->params = params;
	env_rollback(r, mark);
}

static void walk_node(struct run *r, const struct node *n, const struct flow *in, struct flow *out);

static void walk_pipe(struct run *r, const struct node *n, const struct flow *in, struct flow *out)
{
	struct flow from = *in;

	for (const struct node *stage = n->body; stage; stage = stage->next) {
		struct flow to = {0};
		uint32_t mark = env_mark(r);

		r->captured += stage->next != NULL;
		walk_node(r, stage, &from, stage->next ? &to : out);
		r->captured -= stage->next != NULL;
		env_rollback(r, mark);
		if (to.kind == FLOW_NONE) /* says nothing we know of, but the next one reads it */
			to.kind = FLOW_UNKNOWN;
		from = to;
	}
}

static void walk_andor(struct run *r, const struct node *n, const struct flow *in, struct flow *out)
{
	const struct node *m = n->body;
	uint32_t mark;
	char join = 0;

	walk_node(r, m, in, out);
	mark = env_mark(r);
	for (m = m->next; m; m = m->next) {
		if (join && (join != '&' || m->join != '&')) {
			env_branch_close(r, mark);
			mark = env_mark(r);
		}
		join = m->join;
		walk_node(r, m, in, out);
	}
	env_branch_close(r, mark);
}

static void walk_if(struct run *r, const struct node *n, const struct flow *in, struct flow *out)
{
	struct changes c = {0};
	uint32_t mark;

	walk_list(r, n->cond, in, out);
	mark = env_mark(r);
	walk_list(r, n->body, in, out);
	env_collect(r, mark, &c);
	if (n->other && n->other->kind == N_IF && !n->other->next)
		walk_if(r, n->other, in, out);
	else
		walk_list(r, n->other, in, out);
	env_collect(r, mark, &c);
	env_join(r, &c, n->other != NULL);
}

static void walk_loop(struct run *r, const struct node *n, const struct flow *in, struct flow *out)
{
	uint32_t mark;

	env_widen(r, n);
	mark = env_mark(r);
	walk_list(r, n->cond, in, out);
	walk_list(r, n->body, in, out);
	env_branch_close(r, mark);
}

static const struct value *value_of_list(struct run *r, const struct fields *f)
{
	const struct value *v = NULL;
	uint8_t taint = 0;
	bool open = f->n > MAX_GATE_ALTERNATIVES;

	for (uint32_t i = 0; i < f->n; i++) {
		taint |= f->v[i].taint;
		open |= f->v[i].multi;
	}
	if (open || f->n == 0)
		return value_unknown(r, taint);
	for (uint32_t i = 0; i < f->n; i++) {
		const struct value *one = value_scalar(r, f->v[i].v, f->v[i].taint);

		v = v ? value_join(r, v, one) : one;
	}
	return v;
}

static void walk_for(struct run *r, const struct node *n, const struct flow *in, struct flow *out)
{
	struct fields f = {0};
	unsigned base = r->n_choices;
	const struct value *v = NULL;
	uint32_t mark;

	do {
		const struct value *one;

		f.n = 0;
		if (n->has_in)
			expand_words(r, n->words, &f);
		else if (r->params)
			f = *r->params;
		one = value_of_list(r, &f);
		v = v ? value_join(r, v, one) : one;
	} while (choices_next(r, base));
	env_widen(r, n);
	mark = env_mark(r);
	env_set(r, n->name, n->kind == N_SELECT ? value_unknown(r, TAINT_READ) : v);
	walk_list(r, n->body, in, out);
	env_branch_close(r, mark);
}

static void walk_case(struct run *r, const struct node *n, const struct flow *in, struct flow *out)
{
	struct changes c = {0};
	uint32_t mark;

	visit_word(r, n->words);
	mark = env_mark(r);
	for (const struct case_item *i = n->items; i; i = i->next) {
		for (const struct word *w = i->patterns; w; w = w->next)
			visit_word(r, w);
		walk_list(r, i->body, in, out);
		env_collect(r, mark, &c);
	}
	env_join(r, &c, false);
}

static void walk_cond(struct run *r, const struct node *n)
{
	for (const struct word *w = n->words; w; w = w->next) {
		struct field f = expand_single(r, w);

		look_into_subscript(r, f.v, f.span);
	}
}

static void define_function(struct run *r, const struct node *n)
{
	struct func *f = ARENA_NEW(r->a, struct func);
	struct var *v = env_find(r, n->name, true);
	const struct fields *params = r->params;
	struct flow none = {0}, out = {0};
	uint32_t mark = env_mark(r);
	bool quiet = r->quiet;

	f->name = keep_view(r, n->name);
	f->body = n->body;
	f->origin = r->origin;
	f->next = v->func;
	v->func = f;
	r->has_funcs = true;
	r->params = NULL;
	r->quiet = true;
	f->active = true;
	if (n->body)
		walk_node(r, n->body, &none, &out);
	f->active = false;
	r->quiet = quiet;
	r->params = params;
	env_rollback(r, mark);
}

void call_function(struct run *r, struct func *f, const struct fields *argv, const struct flow *in,
		   struct flow *out)
{
	const struct fields *params = r->params;
	struct origin origin = r->origin;
	struct fields rest = {0};
	bool quiet = r->quiet;

	uint64_t start = r->a->steps;

	if (f->active || !f->body)
		return; /* recursion: the body was seen with other arguments already */
	if (r->call_depth == 0)
		r->call_base = start;
	if (r->call_depth >= MAX_GATE_CALL_DEPTH ||
	    r->call_steps + (start - r->call_base) > r->call_limit) {
		finding_own(r, "GATE_0007", argv->v[0].span, argv_text(r, argv->v, argv->n));
		return;
	}
	for (uint32_t i = 1; i < argv->n; i++)
		fields_add(r->tmp, &rest, argv->v[i]);
	r->call_depth++;
	r->params = &rest;
	r->origin = f->origin;
	r->quiet = false;
	f->active = true;
	r->call_steps += 64;
	walk_node(r, f->body, in, out);
	f->active = false;
	r->quiet = quiet;
	r->origin = origin;
	r->params = params;
	if (--r->call_depth == 0)
		r->call_steps += r->a->steps - start;
}

static void walk_compound(struct run *r, const struct node *n, const struct flow *in,
			  struct flow *out)
{
	switch (n->kind) {
	case N_SUBSHELL:
		walk_subshell(r, n->body, in, out);
		break;
	case N_COPROC: {
		struct flow unknown = {.kind = FLOW_UNKNOWN};

		walk_subshell(r, n->body, &unknown, out);
		break;
	}
	case N_GROUP:
		walk_list(r, n->body, in, out);
		break;
	case N_IF:
		walk_if(r, n, in, out);
		break;
	case N_LOOP:
		walk_loop(r, n, in, out);
		break;
	case N_FOR:
	case N_SELECT:
		walk_for(r, n, in, out);
		break;
	case N_CFOR:
		for (const struct word *w = n->words; w; w = w->next)
			visit_word(r, w);
		walk_loop(r, n, in, out);
		break;
	case N_CASE:
		walk_case(r, n, in, out);
		break;
	case N_COND:
		walk_cond(r, n);
		break;
	case N_ARITH:
		for (const struct word *w = n->words; w; w = w->next)
			visit_word(r, w);
		break;
	default:
		break;
	}
}

static void walk_node(struct run *r, const struct node *n, const struct flow *in, struct flow *out)
{
	struct redir_value *redirs;
	struct flow reads, got = {0};

	arena_step(r->a, 2);
	switch (n->kind) {
	case N_SIMPLE:
		walk_simple(r, n, in, out);
		return;
	case N_PIPE:
		walk_pipe(r, n, in, out);
		return;
	case N_ANDOR:
		walk_andor(r, n, in, out);
		return;
	case N_FUNC:
		define_function(r, n);
		return;
	default:
		break;
	}
	if (!n->redirs) {
		walk_compound(r, n, in, out);
		return;
	}
	redirs = eval_redirs(r, n->redirs);
	reads = input_of(r, redirs, in);
	walk_compound(r, n, &reads, &got);
	judge_redirs(r, redirs, &got, false);
	flow_add(r, out, &got);
}

void walk_list(struct run *r, const struct node *list, const struct flow *in, struct flow *out)
{
	for (; list; list = list->next) {
		struct flow empty = {.kind = FLOW_NONE};

		walk_node(r, list, list->background && in->kind == FLOW_NONE ? &empty : in, out);
	}
}

void walk_script(struct run *r, const struct script *s, const struct flow *in, struct flow *out)
{
	struct origin saved = r->origin;

	r->origin = s->origin;
	walk_list(r, s->list, in, out);
	if (s->error)
		finding_own(r, "GATE_0002", origin_span(s->origin, s->error_off, 1),
			    view_of(s->error_why));
	r->origin = saved;
}
