/* SPDX-License-Identifier: MIT */
/* Words to fields: quotes, tilde, expansions, field splitting, patterns. Nothing is run: a command
 * substitution is walked for what it would run, and its output is known only when it is plain text.
 * Test: t_parse, t_bash. */
#include "base/base.h"

#include "gate/build.h"

#include "base/limits.h"

enum { STEPS_FOR_ALTERNATIVES = 100000 }; /* past this much work, several values count as unknown */

static void build_close(struct builder *b)
{
	struct field f = {0};

	if (!b->open)
		return;
	if (b->out->n >= MAX_GATE_WORDS)
		arena_step(b->r->a, UINT64_MAX / 2);
	f.v = text_view(&b->cur);
	f.taint = b->taint;
	f.multi = b->multi;
	f.quoted = b->quoted;
	f.span = b->span;
	f.proc = b->proc;
	fields_add(b->r->tmp, b->out, f);
	text_init(&b->cur, b->r->tmp);
	b->open = b->multi = b->quoted = false;
	b->taint = 0;
	b->proc = NULL;
}

void build_break(struct builder *b)
{
	build_close(b);
}

static void put_literal(struct builder *b, struct view v, bool quoted)
{
	arena_step(b->r->a, v.len);
	if (quoted)
		b->open = b->quoted = true;
	if (v.len == 0)
		return;
	b->open = true;
	if (quoted || !b->glob) {
		if (known(v)) {
			text_put(&b->cur, v);
			return;
		}
		for (size_t i = 0; i < v.len; i++)
			text_putc(&b->cur, v.ptr[i] == GLOB ? ANY : v.ptr[i]);
		return;
	}
	for (size_t i = 0; i < v.len; i++) {
		char c = v.ptr[i];
		const char *end;

		if (c == '*' || c == '?') {
			text_putc(&b->cur, GLOB);
		} else if (c == '[' && i + 1 < v.len &&
			   (end = memchr(v.ptr + i + 2 < v.ptr + v.len ? v.ptr + i + 2
								       : v.ptr + i + 1,
					 ']', v.len - (i + 2 < v.len ? i + 2 : i + 1)))) {
			size_t n = (size_t)(end - (v.ptr + i)) - 1;

			/* [m] can only be m; anything else could be several */
			text_putc(&b->cur, n == 1 ? v.ptr[i + 1] : GLOB);
			i += n + 1;
		} else {
			text_putc(&b->cur, c == GLOB ? ANY : c);
		}
	}
}

/* The separators in force; NULL text: not known. */
static struct view separators(struct run *r)
{
	const struct value *v = env_get(r, VIEW("IFS"));

	if (!v)
		return VIEW(" \t\n");
	if (v->array || v->n != 1 || !known(v->alt[0].v))
		return (struct view){NULL, 0};
	return v->alt[0].v;
}

void build_value(struct builder *b, struct view v, uint8_t taint, bool quoted, bool multi)
{
	struct view ifs;

	arena_step(b->r->a, v.len + 1);
	if (quoted || !b->split) {
		if (quoted)
			b->quoted = true;
		b->open |= quoted || v.len > 0;
		b->taint |= taint;
		b->multi |= multi;
		if (quoted || !b->glob)
			text_put(&b->cur, v);
		else
			for (size_t i = 0; i < v.len; i++)
				text_putc(&b->cur,
					  v.ptr[i] == '*' || v.ptr[i] == '?' || v.ptr[i] == '['
						  ? GLOB
						  : v.ptr[i]);
		return;
	}
	ifs = separators(b->r);
	for (size_t i = 0; i < v.len; i++) {
		char c = v.ptr[i];

		if (c != ANY && ifs.len && view_chr(ifs, c)) {
			if (c != ' ' && c != '\t' && c != '\n')
				b->open = true; /* every such separator ends a field, even an empty
						   one */
			build_close(b);
			continue;
		}
		b->open = true;
		b->taint |= taint;
		if (c == ANY || c == GLOB || !ifs.ptr)
			b->multi = true;
		text_putc(&b->cur, c == '*' || c == '?' || c == '[' ? GLOB : c);
	}
}

struct view cwd_of(struct run *r)
{
	const struct value *v = env_get(r, VIEW("\1cwd"));

	if (v && v->n == 1)
		return v->alt[0].v;
	if (v)
		return (struct view){"\0", 1};
	return r->ctx->cwd.len ? r->ctx->cwd : (struct view){"\0", 1};
}

/* ~ and ~name at the start of a word, up to the first slash. Returns how many bytes it took. */
static size_t put_tilde(struct builder *b, struct view v)
{
	size_t n = 1;
	struct view name, home = b->r->ctx->home;

	while (n < v.len && v.ptr[n] != '/' && v.ptr[n] != ':')
		n++;
	name = (struct view){v.ptr + 1, n - 1};
	b->open = true;
	if (name.len == 0)
		text_put(&b->cur, home.len ? home : VIEW("/~"));
	else if (view_is(name, "+"))
		text_put(&b->cur, cwd_of(b->r));
	else if (view_is(name, "root"))
		text_put(&b->cur, VIEW("/root"));
	else if (home.len > name.len && home.ptr[home.len - name.len - 1] == '/' &&
		 memcmp(home.ptr + home.len - name.len, name.ptr, name.len) == 0)
		text_put(&b->cur, home);
	else
		text_putc(&b->cur, ANY);
	return n;
}

struct flow run_substitution(struct run *r, const struct script *s, const struct flow *in)
{
	struct flow out = {0};
	uint32_t mark = env_mark(r);
	bool child = r->child;

	r->captured++;
	walk_script(r, s, in, &out);
	r->captured--;
	env_rollback(r, mark);
	r->child = child;
	return out;
}

static void put_command(struct builder *b, const struct piece *p)
{
	struct flow none = {0}, out = run_substitution(b->r, p->script, &none);
	struct view v = out.text;

	if (out.kind == FLOW_TEXT) {
		while (v.len && v.ptr[v.len - 1] == '\n')
			v.len--;
		build_value(b, v, out.taint, p->quoted, false);
	} else if (out.kind == FLOW_NONE) {
		build_value(b, (struct view){"\0", 1}, (uint8_t)(out.taint | TAINT_RUN), p->quoted,
			    !p->quoted);
	} else {
		build_value(b, (struct view){"\0", 1}, (uint8_t)(out.taint | TAINT_RUN), p->quoted,
			    !p->quoted);
	}
}

static void put_process(struct builder *b, const struct piece *p)
{
	struct flow in = {.kind = p->out ? FLOW_UNKNOWN : FLOW_NONE};
	struct flow *out = ARENA_NEW(b->r->tmp, struct flow);

	*out = run_substitution(b->r, p->script, &in);
	b->open = b->quoted = true;
	if (!p->out)
		b->proc = out;
	text_put(&b->cur, VIEW("/dev/fd/63"));
}

static void put_piece(struct builder *b, const struct piece *p, bool first)
{
	size_t done = 0;

	b->pieces++;
	switch (p->kind) {
	case P_LIT:
		if (first && !p->quoted && p->text.len && p->text.ptr[0] == '~')
			done = put_tilde(b, p->text);
		put_literal(b, view_sub(p->text, done), p->quoted);
		break;
	case P_VAR:
		build_param(b->r, b, p);
		break;
	case P_CMD:
		put_command(b, p);
		break;
	case P_ARITH:
		visit_word(b->r, p->arg);
		build_value(b, (struct view){"\0", 1}, 0, true, false);
		break;
	case P_PROC:
		put_process(b, p);
		break;
	case P_GLOB:
		visit_word(b->r, p->arg);
		b->open = true;
		text_putc(&b->cur, GLOB);
		break;
	default:
		break;
	}
}

static void builder_init(struct builder *b, struct run *r, struct fields *out, const struct word *w)
{
	memset(b, 0, sizeof(*b));
	b->r = r;
	b->out = out;
	text_init(&b->cur, r->tmp);
	b->span = origin_span(r->origin, w->off, w->len);
}

static void expand_one(struct run *r, const struct word *w, struct fields *out)
{
	struct builder b;
	struct field f = {0};

	if (!w->pieces) {
		f.v = w->text;
		f.span = origin_span(r->origin, w->off, w->len);
		fields_add(r->tmp, out, f);
		return;
	}
	builder_init(&b, r, out, w);
	b.split = b.glob = true;
	for (const struct piece *p = w->pieces; p; p = p->next)
		put_piece(&b, p, p == w->pieces);
	build_close(&b);
}

void expand_words(struct run *r, const struct word *list, struct fields *out)
{
	uint32_t n = 0;

	for (const struct word *w = list; w; w = w->next)
		n++;
	fields_room(r->tmp, out, n);
	for (const struct word *w = list; w; w = w->next) {
		bool too_many = false;
		const struct word *made;
		struct field f = {0};

		arena_step(r->a, 1);
		if (!w->brace || !w->pieces) {
			expand_one(r, w, out);
			continue;
		}
		made = brace_expand(r, w, &too_many);
		if (too_many) {
			visit_word(r, w);
			f.v = (struct view){"\0", 1};
			f.multi = true;
			f.span = origin_span(r->origin, w->off, w->len);
			fields_add(r->tmp, out, f);
			continue;
		}
		for (; made; made = made->next)
			expand_one(r, made, out);
	}
}

static struct field single(struct run *r, const struct word *w, bool glob)
{
	struct fields out = {0};
	struct builder b;
	struct field f = {0};

	if (!w) {
		f.v = VIEW("");
		return f;
	}
	if (!w->pieces) {
		f.v = w->text;
		f.span = origin_span(r->origin, w->off, w->len);
		return f;
	}
	builder_init(&b, r, &out, w);
	b.glob = glob;
	for (const struct piece *p = w->pieces; p; p = p->next)
		put_piece(&b, p, p == w->pieces);
	b.open = true;
	build_close(&b);
	/* "$@" made several: they are joined by blanks here */
	return fields_join(r->tmp, out.v, out.n);
}

struct field expand_single(struct run *r, const struct word *w)
{
	return single(r, w, false);
}

struct field expand_pattern(struct run *r, const struct word *w)
{
	return single(r, w, true);
}

void visit_word(struct run *r, const struct word *w)
{
	bool runs = false;

	if (!w)
		return;
	for (const struct piece *p = w->pieces; p && !runs; p = p->next)
		runs = p->kind != P_LIT;
	if (runs)
		(void)expand_single(r, w);
}

uint32_t choose(struct run *r, const void *key, uint32_t n)
{
	for (unsigned i = 0; i < r->n_choices; i++)
		if (r->choices[i].key == key)
			return r->choices[i].idx;
	if (r->product == 0)
		r->product = 1;
	if (r->n_choices == MAX_CHOICES || r->product * n > MAX_GATE_ALTERNATIVES ||
	    r->tmp->steps > STEPS_FOR_ALTERNATIVES)
		return UINT32_MAX;
	r->product *= n;
	r->choices[r->n_choices++] = (struct choice){key, 0, n};
	return 0;
}

bool choices_next(struct run *r, unsigned base)
{
	while (r->n_choices > base) {
		struct choice *c = &r->choices[r->n_choices - 1];

		if (++c->idx < c->n)
			return true;
		r->product /= c->n;
		r->n_choices--;
	}
	return false;
}

const struct value *expand_value(struct run *r, const struct word *w)
{
	const struct value *all = NULL;
	unsigned base = r->n_choices;

	do {
		struct field f = expand_single(r, w);
		const struct value *one;

		/* What is put together from pieces stays short, so that x=$x$y repeated stays
		 * linear. */
		if (f.v.len > MAX_GATE_COMPUTED && w->pieces && w->pieces->next)
			f.v = (struct view){"\0", 1};
		one = value_scalar(r, f.v, f.taint);

		all = all ? value_join(r, all, one) : one;
	} while (choices_next(r, base));
	return all;
}
