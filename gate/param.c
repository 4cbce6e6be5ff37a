/* SPDX-License-Identifier: MIT */
/* Parameter expansion: which value a name has here, and what an operator makes of it. Test:
 * t_parse, t_bash. */
#include "base/base.h"

#include "gate/build.h"

#include "base/limits.h"

static const struct view unknown_text = {"\0", 1};

struct found {
	bool session; /* not set in this call: the session's own */
	bool list;    /* "$@", "${a[@]}" */
	struct view v;
	uint8_t taint;
	const struct fields *params; /* list of positional parameters */
	const struct value *array;
};

static int64_t number_of(struct view v)
{
	int64_t n = 0;

	if (v.len == 0 || v.len > 9)
		return -1;
	for (size_t i = 0; i < v.len; i++) {
		if (v.ptr[i] < '0' || v.ptr[i] > '9')
			return -1;
		n = n * 10 + (v.ptr[i] - '0');
	}
	return n;
}

static void positional(struct run *r, struct view name, struct found *f)
{
	int64_t n = number_of(name);

	if (n == 0) {
		f->v = r->arg0.v.len ? r->arg0.v : unknown_text;
		f->taint = r->arg0.taint;
		return;
	}
	if (!r->params) {
		f->v = unknown_text;
		f->session = true;
		return;
	}
	if (n > (int64_t)r->params->n) {
		for (uint32_t i = 0; i < r->params->n; i++)
			if (r->params->v[i].multi) {
				f->v = unknown_text;
				return;
			}
		f->v = VIEW("");
		return;
	}
	for (int64_t i = 0; i < n; i++)
		if (r->params->v[i].multi) { /* an earlier one may be several */
			f->v = unknown_text;
			f->taint = r->params->v[i].taint;
			return;
		}
	f->v = r->params->v[n - 1].v;
	f->taint = r->params->v[n - 1].taint;
}

static void element(struct run *r, const struct value *a, const struct word *index, struct found *f)
{
	struct field i = expand_single(r, index);
	int64_t n = number_of(i.v);

	if (view_is(i.v, "@") || view_is(i.v, "*")) {
		f->list = true;
		f->array = a;
		return;
	}
	if (!a) {
		f->v = unknown_text;
		f->session = true;
		return;
	}
	if (!a->array && (n == 0 || a->n > 1)) {
		f->v = a->n == 1 ? a->alt[0].v : unknown_text;
		return;
	}
	for (uint32_t k = 0; a->array && a->keys && k < a->n; k++)
		if (view_eq(a->keys[k], i.v) && known(i.v)) {
			f->v = a->alt[k].v;
			f->taint = a->alt[k].taint;
			return;
		}
	if (a->array && !a->keys && n >= 0 && n < (int64_t)a->n) {
		f->v = a->alt[n].v;
		f->taint = a->alt[n].taint;
		return;
	}
	f->v = unknown_text;
}

static struct view session_value(struct run *r, struct view name)
{
	if (view_is(name, "HOME"))
		return r->ctx->home.len ? r->ctx->home : VIEW("/~");
	if (view_is(name, "PWD"))
		return cwd_of(r);
	if (view_is(name, "IFS"))
		return VIEW(" \t\n");
	if (view_is(name, "CLAUDE_PROJECT_DIR") && r->ctx->project.len)
		return r->ctx->project;
	return unknown_text;
}

static void lookup(struct run *r, const struct piece *p, struct view name, struct found *f)
{
	const struct value *v;

	memset(f, 0, sizeof(*f));
	f->v = unknown_text;
	if (name.len == 1 && (name.ptr[0] == '@' || name.ptr[0] == '*')) {
		f->list = true;
		f->params = r->params;
		return;
	}
	if (name.len && name.ptr[0] >= '0' && name.ptr[0] <= '9') {
		positional(r, name, f);
		return;
	}
	if (name.len == 1 && !is_name(name))
		return;
	v = env_get(r, name);
	if (p->index) {
		element(r, v, p->index, f);
		return;
	}
	if (!v) {
		f->session = true;
		f->v = session_value(r, name);
		return;
	}
	if (v->array) {
		f->v = v->n ? v->alt[0].v : VIEW("");
		return;
	}
	if (v->n == 1) {
		f->v = v->alt[0].v;
		f->taint = v->alt[0].taint;
	} else {
		uint32_t i = choose(r, v, v->n);

		if (i < v->n) {
			f->v = v->alt[i].v;
			f->taint = v->alt[i].taint;
		}
	}
}

static void put_list(struct builder *b, const struct piece *p, const struct found *f)
{
	uint32_t n = f->params ? f->params->n : f->array && f->array->array ? f->array->n : 0;
	bool plain = p->op == V_PLAIN || p->op == V_DEFAULT || p->op == V_ALT || p->op == V_ERROR;

	if ((!f->params && !(f->array && f->array->array)) || !plain) {
		b->multi = true;
		build_value(b, unknown_text, 0, p->quoted, true);
		return;
	}
	/* "$@" without parameters is no word at all; the piece before it is its opening quote */
	if (n == 0 && p->quoted && b->pieces == 2 && b->cur.len == 0)
		b->open = false;
	for (uint32_t i = 0; i < n; i++) {
		struct view v = f->params ? f->params->v[i].v : f->array->alt[i].v;
		uint8_t taint = f->params ? f->params->v[i].taint : f->array->alt[i].taint;
		bool multi = f->params && f->params->v[i].multi;

		if (i > 0)
			build_break(b);
		build_value(b, v, taint, p->quoted, multi);
	}
}

static struct view strip(struct view v, struct view pattern, bool prefix)
{
	if (prefix && view_starts_with(v, pattern))
		return view_sub(v, pattern.len);
	if (!prefix && view_ends_with(v, pattern))
		return (struct view){v.ptr, v.len - pattern.len};
	return v;
}

static struct view replace(struct run *r, struct view v, struct view from, struct view to,
			   char mode)
{
	struct text t;
	size_t i = 0;

	if (from.len == 0)
		return v;
	text_init(&t, r->tmp);
	while (i < v.len) {
		bool at = v.len - i >= from.len && memcmp(v.ptr + i, from.ptr, from.len) == 0 &&
			  (mode != '#' || i == 0) && (mode != '%' || i + from.len == v.len);

		arena_step(r->a, 1);
		if (!at) {
			text_putc(&t, v.ptr[i++]);
			continue;
		}
		text_put(&t, to);
		i += from.len;
		if (mode != '/') {
			text_put(&t, view_sub(v, i));
			break;
		}
	}
	return text_view(&t);
}

static struct view change_case(struct run *r, struct view v, bool upper, bool all)
{
	char *p = arena_text(r->tmp, v.len);

	for (size_t i = 0; i < v.len; i++) {
		char c = v.ptr[i];

		if (i == 0 || all) {
			if (upper && c >= 'a' && c <= 'z')
				c = (char)(c - 32);
			else if (!upper && c >= 'A' && c <= 'Z')
				c = (char)(c + 32);
		}
		p[i] = c;
	}
	return (struct view){p, v.len};
}

static struct view substring(struct run *r, const struct piece *p, struct view v)
{
	struct field off = expand_single(r, p->arg), len = {0};
	int64_t o = number_of(off.v), l = -1;

	if (p->arg2) {
		len = expand_single(r, p->arg2);
		l = number_of(len.v);
		if (l < 0)
			return unknown_text;
	}
	if (o < 0)
		return unknown_text;
	v = view_sub(v, (size_t)o);
	if (p->arg2 && (size_t)l < v.len)
		v.len = (size_t)l;
	return v;
}

/* Operators that change a value. */
static struct view transform(struct run *r, const struct piece *p, struct view v)
{
	struct field a = {0}, b = {0};
	bool exact = known(v);

	switch (p->op) {
	case V_LENGTH: {
		char digits[24];

		if (!exact)
			return unknown_text;
		(void)snprintf(digits, sizeof(digits), "%zu", v.len);
		return arena_copy(r->tmp, view_of(digits));
	}
	case V_PREFIX:
	case V_SUFFIX:
		a = expand_pattern(r, p->arg);
		return exact && known(a.v) ? strip(v, a.v, p->op == V_PREFIX) : unknown_text;
	case V_REPLACE:
		a = expand_pattern(r, p->arg);
		b = expand_single(r, p->arg2);
		return exact && known(a.v) && known(b.v) ? replace(r, v, a.v, b.v, p->doubled)
							 : unknown_text;
	case V_UPPER:
	case V_LOWER:
		visit_word(r, p->arg);
		if (!exact || (p->arg && p->arg->pieces) || (p->arg && p->arg->text.len))
			return unknown_text;
		return change_case(r, v, p->op == V_UPPER, p->doubled != 0);
	case V_SUBSTR: {
		struct view s = substring(r, p, v);

		return exact ? s : unknown_text;
	}
	case V_TRANSFORM:
		if (exact && p->arg && !p->arg->pieces && view_is(p->arg->text, "P"))
			visit_word(r,
				   parse_quoted(r->a, v, (struct origin){false, r->origin.off, 0},
						r->parse_depth + 1));
		return unknown_text;
	default:
		visit_word(r, p->arg);
		return unknown_text;
	}
}

/* The operand's pieces take part in splitting like the value itself. */
static void put_operand(struct run *r, struct builder *b, const struct piece *p)
{
	struct field f = expand_single(r, p->arg);
	bool quoted = p->quoted || f.quoted;

	build_value(b, f.v, f.taint, quoted, f.multi);
}

static void with_default(struct run *r, struct builder *b, const struct piece *p, struct found *f)
{
	uint32_t pick = 0;

	/* Not set in the call: the session's own value is the user's; the operand is what the call
	 * says. Where the call may have set it, both can be. */
	if (!f->session && known(f->v) && f->v.len && !r->child) {
		visit_word(r, p->arg);
		build_value(b, f->v, f->taint, p->quoted, false);
		return;
	}
	if (!f->session && known(f->v) && f->v.len == 0 && !p->colon && !r->child) {
		visit_word(r, p->arg);
		build_value(b, f->v, f->taint, p->quoted, false);
		return;
	}
	if (!f->session && !known(f->v))
		pick = choose(r, p, 2);
	else if (!f->session && r->child && f->v.len)
		pick = choose(r, p, 2);
	if (pick == 1) {
		build_value(b, f->v, f->taint, p->quoted, !p->quoted && !known(f->v));
		return;
	}
	put_operand(r, b, p);
	if (p->op == V_ASSIGN && is_name(p->text))
		env_set(r, p->text, expand_value(r, p->arg));
}

static void with_alternative(struct run *r, struct builder *b, const struct piece *p,
			     struct found *f)
{
	if (!f->session && known(f->v) && f->v.len) {
		put_operand(r, b, p);
		return;
	}
	if (!f->session && known(f->v) && p->colon) {
		visit_word(r, p->arg);
		return;
	}
	if (choose(r, p, 2) == 1) {
		visit_word(r, p->arg);
		if (p->quoted)
			build_value(b, VIEW(""), 0, true, false);
		return;
	}
	put_operand(r, b, p);
}

void build_param(struct run *r, struct builder *b, const struct piece *p)
{
	struct found f;
	struct view v;

	if (p->op == V_NAMES) {
		build_value(b, unknown_text, 0, p->quoted, true);
		return;
	}
	lookup(r, p, p->text, &f);
	if (p->quoted)
		b->quoted = true;
	if (f.list) {
		if (p->arg)
			visit_word(r, p->arg);
		put_list(b, p, &f);
		return;
	}
	switch (p->op) {
	case V_PLAIN:
		build_value(b, f.v, f.taint, p->quoted, !p->quoted && !known(f.v));
		return;
	case V_INDIRECT:
		visit_word(r, p->arg);
		if (known(f.v) && is_name(f.v) && !p->arg) {
			struct piece plain = {.text = f.v};

			lookup(r, &plain, f.v, &f);
			build_value(b, f.v, f.taint, p->quoted, !p->quoted && !known(f.v));
		} else {
			build_value(b, unknown_text, 0, p->quoted, !p->quoted);
		}
		return;
	case V_DEFAULT:
	case V_ASSIGN:
		with_default(r, b, p, &f);
		return;
	case V_ALT:
		with_alternative(r, b, p, &f);
		return;
	case V_ERROR:
		visit_word(r, p->arg);
		build_value(b, f.v, f.taint, p->quoted, !p->quoted && !known(f.v));
		return;
	default:
		v = transform(r, p, f.v);
		build_value(b, v, f.taint, p->quoted, !p->quoted && !known(v));
		return;
	}
}
