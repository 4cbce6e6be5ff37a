/* SPDX-License-Identifier: MIT */
/* Brace expansion: {a,b} and {1..3}, before every other expansion. Test: t_parse, t_bash. */
#include "base/base.h"

#include "gate/eval.h"

#include "base/limits.h"

/* One unquoted byte, or a whole piece that braces don't look into. */
struct atom {
	int c; /* -1: the piece */
	const struct piece *p;
};
struct atoms {
	struct atom *v;
	size_t n;
};
struct list {
	struct atoms *v;
	size_t n, cap;
};
struct brace {
	struct run *r;
	size_t made;
	bool too_many;
};

static void list_add(struct brace *b, struct list *l, struct atoms a)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 4;
		struct atoms *v = arena_alloc(b->r->tmp, cap * sizeof(*v));

		if (l->n)
			memcpy(v, l->v, l->n * sizeof(*v));
		l->v = v;
		l->cap = cap;
	}
	l->v[l->n++] = a;
}

static struct atoms cat(struct brace *b, struct atoms x, struct atoms y)
{
	struct atoms z = {arena_raw(b->r->tmp, (x.n + y.n + 1) * sizeof(*z.v)), x.n + y.n};

	/* Braces in braces multiply; an atom that is copied costs more than a byte that is read. */
	arena_step(b->r->a, (z.n + 1) * sizeof(*z.v));
	if (x.n)
		memcpy(z.v, x.v, x.n * sizeof(*z.v));
	if (y.n)
		memcpy(z.v + x.n, y.v, y.n * sizeof(*z.v));
	return z;
}

static struct atoms slice(struct atoms a, size_t from, size_t to)
{
	return (struct atoms){a.v + from, to - from};
}

static bool text_of(struct atoms a, char *out, size_t size)
{
	if (a.n >= size)
		return false;
	for (size_t i = 0; i < a.n; i++) {
		if (a.v[i].c < 0)
			return false;
		out[i] = (char)a.v[i].c;
	}
	out[a.n] = 0;
	return true;
}

static bool parse_int(const char *s, size_t n, long *ret, bool *ret_zero)
{
	long v = 0;
	bool neg = n > 0 && *s == '-';
	size_t i = neg || (n > 0 && *s == '+') ? 1 : 0;

	if (i == n || n > 9)
		return false;
	*ret_zero = n - i > 1 && s[i] == '0';
	for (; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		v = v * 10 + (s[i] - '0');
	}
	*ret = neg ? -v : v;
	return true;
}

/* {x..y} or {x..y..step}; false: none. */
static bool sequence(struct brace *b, struct atoms in, struct list *out)
{
	char s[64];
	const char *d1, *d2;
	long from, to, step = 0, n;
	bool zero = false, z2 = false, z3 = false, letters;
	size_t l1, l2;

	if (!text_of(in, s, sizeof(s)) || !(d1 = strstr(s, "..")))
		return false;
	d2 = strstr(d1 + 2, "..");
	l1 = (size_t)(d1 - s);
	l2 = d2 ? (size_t)(d2 - d1 - 2) : strlen(d1 + 2);
	letters = l1 == 1 && l2 == 1 && (s[0] < '0' || s[0] > '9') && (d1[2] < '0' || d1[2] > '9');
	if (d2 && !parse_int(d2 + 2, strlen(d2 + 2), &step, &z3))
		return false;
	if (letters) {
		if (!((s[0] | 32) >= 'a' && (s[0] | 32) <= 'z' && (d1[2] | 32) >= 'a' &&
		      (d1[2] | 32) <= 'z'))
			return false;
		from = s[0];
		to = d1[2];
	} else if (!parse_int(s, l1, &from, &zero) || !parse_int(d1 + 2, l2, &to, &z2)) {
		return false;
	}
	if (step < 0)
		step = -step;
	if (step == 0)
		step = 1;
	n = (from < to ? to - from : from - to) / step + 1;
	if (n > MAX_GATE_BRACE_WORDS) {
		b->too_many = true;
		return true;
	}
	for (long i = 0; i < n; i++) {
		long v = from < to ? from + i * step : from - i * step;
		char t[32];
		int width = zero || z2 ? (int)(l1 > l2 ? l1 : l2) : 0;
		struct atoms a;
		int len = letters ? 1 : snprintf(t, sizeof(t), "%0*ld", width, v);

		if (letters)
			t[0] = (char)v;
		a.v = arena_alloc(b->r->tmp, (size_t)len * sizeof(*a.v));
		a.n = (size_t)len;
		for (int k = 0; k < len; k++)
			a.v[k] = (struct atom){(unsigned char)t[k], NULL};
		list_add(b, out, a);
	}
	return true;
}

static void expand(struct brace *b, struct atoms in, struct list *out, unsigned depth);

/* Where each brace closes and whether a comma stands directly in it: one pass. */
struct pair {
	uint32_t end; /* 0: doesn't close */
	bool comma;
};

static struct pair *match(struct brace *b, struct atoms in)
{
	struct pair *pairs = arena_alloc(b->r->tmp, (in.n + 1) * sizeof(*pairs));
	uint32_t *open = arena_alloc(b->r->tmp, (in.n + 1) * sizeof(*open));
	size_t n = 0;

	arena_step(b->r->a, in.n + 1);
	for (size_t i = 0; i < in.n; i++) {
		int c = in.v[i].c;

		if (c == '{')
			open[n++] = (uint32_t)i;
		else if (c == '}' && n)
			pairs[open[--n]].end = (uint32_t)i;
		else if (c == ',' && n)
			pairs[open[n - 1]].comma = true;
	}
	return pairs;
}

/* The brace at `at` makes several words: they are added to out. */
static bool alternatives(struct brace *b, struct atoms in, size_t at, const struct pair *pairs,
			 struct list *out, unsigned depth)
{
	size_t from = at + 1, end = pairs[at].end;

	if (!end)
		return false;
	if (!pairs[at].comma)
		return sequence(b, slice(in, at + 1, end), out);
	for (size_t i = at + 1; i <= end; i++) {
		if (i == end || in.v[i].c == ',') {
			expand(b, slice(in, from, i), out, depth + 1);
			from = i + 1;
		} else if (in.v[i].c == '{' && pairs[i].end) {
			i = pairs[i].end;
		}
	}
	return true;
}

static void expand(struct brace *b, struct atoms in, struct list *out, unsigned depth)
{
	struct list mid = {0}, post = {0};
	const struct pair *pairs;
	size_t at;

	if (b->too_many || depth > MAX_GATE_DEPTH) {
		b->too_many = true;
		return;
	}
	pairs = match(b, in);
	for (at = 0; at < in.n; at++)
		if (in.v[at].c == '{' && alternatives(b, in, at, pairs, &mid, depth))
			break;
	if (at == in.n) {
		list_add(b, out, in);
		return;
	}
	expand(b, slice(in, pairs[at].end + 1, in.n), &post, depth + 1);
	b->made += mid.n * post.n;
	if (b->too_many || b->made > MAX_GATE_BRACE_WORDS) {
		b->too_many = true;
		return;
	}
	for (size_t i = 0; i < mid.n; i++)
		for (size_t k = 0; k < post.n; k++)
			list_add(b, out, cat(b, cat(b, slice(in, 0, at), mid.v[i]), post.v[k]));
}

static struct word *word_of(struct brace *b, struct atoms a, const struct word *from)
{
	struct word *w = ARENA_NEW(b->r->tmp, struct word);
	struct piece **tail = &w->pieces;

	w->off = from->off;
	w->len = from->len;
	for (size_t i = 0; i < a.n;) {
		struct piece *p = ARENA_NEW(b->r->tmp, struct piece);

		if (a.v[i].c < 0) {
			*p = *a.v[i++].p;
		} else {
			size_t n = 0;
			char *t;

			while (i + n < a.n && a.v[i + n].c >= 0)
				n++;
			t = arena_text(b->r->tmp, n);
			for (size_t k = 0; k < n; k++)
				t[k] = (char)a.v[i + k].c;
			p->kind = P_LIT;
			p->text = (struct view){t, n};
			i += n;
		}
		p->next = NULL;
		*tail = p;
		tail = &p->next;
	}
	return w;
}

const struct word *brace_expand(struct run *r, const struct word *w, bool *ret_too_many)
{
	struct brace b = {.r = r};
	struct atoms in = {0};
	struct list out = {0};
	struct word *list = NULL, **tail = &list;
	size_t n = 0;

	for (const struct piece *p = w->pieces; p; p = p->next)
		n += p->kind == P_LIT && !p->quoted ? p->text.len : 1;
	in.v = arena_alloc(r->tmp, (n + 1) * sizeof(*in.v));
	for (const struct piece *p = w->pieces; p; p = p->next) {
		if (p->kind != P_LIT || p->quoted) {
			in.v[in.n++] = (struct atom){-1, p};
			continue;
		}
		for (size_t i = 0; i < p->text.len; i++)
			in.v[in.n++] = (struct atom){(unsigned char)p->text.ptr[i], NULL};
	}
	expand(&b, in, &out, 0);
	*ret_too_many = b.too_many;
	for (size_t i = 0; i < out.n && !b.too_many; i++) {
		struct word *made = word_of(&b, out.v[i], w);

		if (!made->pieces)
			continue; /* an empty unquoted alternative makes no word */
		*tail = made;
		tail = &made->next;
	}
	return list;
}
