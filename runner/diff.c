/* SPDX-License-Identifier: MIT */
/*
 * Greedy difference after Myers: the shortest script is searched up to a number of steps, then the
 * unmatched middle counts as replaced. Pure (allocates). Tests: tests/unit/runner/t_diff.c.
 */
#include "base/base.h"

#include "runner/diff.h"

#include "base/limits.h"

#include <stdio.h>

enum { CONTEXT = 3, MAX_STEPS = 2000 };

struct text {
	struct view *line;
	size_t n;
	bool ends; /* with a line feed */
};

struct pair { /* lines that stay: numbers on both sides */
	size_t a, b;
};

static int split(struct view v, struct text *t)
{
	size_t n = 0;

	t->ends = v.len == 0 || v.ptr[v.len - 1] == '\n';
	for (size_t i = 0; i < v.len; i++)
		n += v.ptr[i] == '\n';
	n += !t->ends;
	if (n > MAX_DIFF_LINES)
		return E_TOOBIG;
	t->line = calloc(n ? n : 1, sizeof(struct view));
	if (!t->line)
		return E_NOMEM;
	t->n = 0;
	for (size_t i = 0, start = 0; i <= v.len && t->n < n; i++) {
		if (i < v.len && v.ptr[i] != '\n')
			continue;
		t->line[t->n++] = (struct view){v.ptr + start, i - start};
		start = i + 1;
	}
	return 0;
}

static bool eq(const struct text *a, size_t i, const struct text *b, size_t k)
{
	/* A last line without a line feed differs from the same line with one. */
	bool end_a = i + 1 == a->n && !a->ends, end_b = k + 1 == b->n && !b->ends;

	return end_a == end_b && view_eq(a->line[i], b->line[k]);
}

/* The furthest points of each diagonal for each step, kept to walk back. */
struct search {
	int32_t *v[MAX_STEPS + 1]; /* v[d] holds 2 * d + 1 entries */
	size_t d;
};

static int32_t at(const struct search *s, size_t d, int64_t k)
{
	return s->v[d][k + (int64_t)d];
}

/* Returns the number of steps, or MAX_STEPS + 1 if the bound was hit. */
static size_t search(const struct text *a, size_t a0, size_t an, const struct text *b, size_t b0,
		     size_t bn, struct search *s, int *rc)
{
	for (size_t d = 0; d <= MAX_STEPS; d++) {
		s->v[d] = calloc(2 * d + 1, sizeof(int32_t));
		s->d = d;
		if (!s->v[d]) {
			*rc = E_NOMEM;
			return MAX_STEPS + 1;
		}
		for (int64_t k = -(int64_t)d; k <= (int64_t)d; k += 2) {
			int32_t x = 0;
			int64_t y;

			if (d > 0) {
				bool down = k == -(int64_t)d ||
					    (k != (int64_t)d &&
					     at(s, d - 1, k - 1) < at(s, d - 1, k + 1));

				x = down ? at(s, d - 1, k + 1) : at(s, d - 1, k - 1) + 1;
			}
			y = x - k;
			while (x < (int64_t)an && y < (int64_t)bn && y >= 0 &&
			       eq(a, a0 + (size_t)x, b, b0 + (size_t)y)) {
				x++;
				y++;
			}
			s->v[d][k + (int64_t)d] = x;
			if (x >= (int64_t)an && y >= (int64_t)bn)
				return d;
		}
	}
	return MAX_STEPS + 1;
}

/* Walks back from the end and writes the kept pairs, last first. */
static size_t walk(const struct search *s, size_t d, size_t an, size_t bn, size_t a0, size_t b0,
		   struct pair *out)
{
	int64_t x = (int64_t)an, y = (int64_t)bn;
	size_t n = 0;

	while (d > 0 || (x > 0 && y > 0)) {
		int64_t k = x - y, px = 0, py = 0;

		if (d > 0) {
			bool down = k == -(int64_t)d ||
				    (k != (int64_t)d && at(s, d - 1, k - 1) < at(s, d - 1, k + 1));
			int64_t pk = down ? k + 1 : k - 1;

			px = at(s, d - 1, pk);
			py = px - pk;
			/* The step itself, then the run of equal lines behind it. */
			px = down ? px : px + 1;
			py = down ? py + 1 : py;
		}
		while (x > px && y > py) {
			x--;
			y--;
			out[n++] = (struct pair){a0 + (size_t)x, b0 + (size_t)y};
		}
		if (d == 0)
			break;
		{
			int64_t pk = k == -(int64_t)d || (k != (int64_t)d &&
							  at(s, d - 1, k - 1) < at(s, d - 1, k + 1))
					     ? k + 1
					     : k - 1;

			x = at(s, d - 1, pk);
			y = x - pk;
		}
		d--;
	}
	return n;
}

static int find_pairs(const struct text *a, const struct text *b, struct pair *out, size_t *ret_n)
{
	size_t head = 0, tail = 0, n = 0, d, kept;
	struct search *s;
	int rc = 0;

	while (head < a->n && head < b->n && eq(a, head, b, head)) {
		out[n++] = (struct pair){head, head};
		head++;
	}
	while (tail < a->n - head && tail < b->n - head &&
	       eq(a, a->n - 1 - tail, b, b->n - 1 - tail))
		tail++;
	s = calloc(1, sizeof(*s));
	if (!s)
		return E_NOMEM;
	d = search(a, head, a->n - head - tail, b, head, b->n - head - tail, s, &rc);
	if (rc == 0 && d <= MAX_STEPS) {
		kept = walk(s, d, a->n - head - tail, b->n - head - tail, head, head, out + n);
		for (size_t i = 0; i < kept / 2; i++) {
			struct pair t = out[n + i];

			out[n + i] = out[n + kept - 1 - i];
			out[n + kept - 1 - i] = t;
		}
		n += kept;
	}
	for (size_t i = 0; i <= s->d && i <= MAX_STEPS; i++)
		free(s->v[i]);
	free(s);
	for (size_t i = tail; i-- > 0;)
		out[n++] = (struct pair){a->n - 1 - i, b->n - 1 - i};
	*ret_n = n;
	return rc;
}

/* One line of the whole script: what stays, goes or comes, in order. */
struct op {
	enum diff_kind kind;
	size_t a, b; /* lines of both sides that come before it */
};

static size_t script(const struct text *a, const struct text *b, const struct pair *pair, size_t n,
		     struct op *out)
{
	size_t at_a = 0, at_b = 0, count = 0;

	for (size_t i = 0; i <= n; i++) {
		size_t to_a = i < n ? pair[i].a : a->n, to_b = i < n ? pair[i].b : b->n;

		while (at_a < to_a) {
			out[count++] = (struct op){DIFF_REMOVED, at_a, at_b};
			at_a++;
		}
		while (at_b < to_b) {
			out[count++] = (struct op){DIFF_ADDED, at_a, at_b};
			at_b++;
		}
		if (i < n) {
			out[count++] = (struct op){DIFF_SAME, at_a, at_b};
			at_a++;
			at_b++;
		}
	}
	return count;
}

static void put_hunk(const struct text *a, const struct text *b, const struct op *op, size_t from,
		     size_t to, diff_line emit, void *arg)
{
	size_t an = 0, bn = 0;
	char head[96];
	int n;

	for (size_t i = from; i < to; i++) {
		an += op[i].kind != DIFF_ADDED;
		bn += op[i].kind != DIFF_REMOVED;
	}
	n = snprintf(head, sizeof(head), "@@ -%zu,%zu +%zu,%zu @@", op[from].a + (an > 0), an,
		     op[from].b + (bn > 0), bn);
	emit(arg, DIFF_HUNK, (struct view){head, (size_t)n});
	for (size_t i = from; i < to; i++) {
		const struct text *t = op[i].kind == DIFF_ADDED ? b : a;
		size_t line = op[i].kind == DIFF_ADDED ? op[i].b : op[i].a;

		emit(arg, op[i].kind, t->line[line]);
		if (line + 1 == t->n && !t->ends)
			emit(arg, DIFF_NO_NEWLINE, VIEW("\\ No newline at end of file"));
	}
}

/* Changes with at most twice the context between them share a hunk. */
static void put_hunks(const struct text *a, const struct text *b, const struct op *op, size_t n,
		      diff_line emit, void *arg)
{
	size_t i = 0;

	while (i < n) {
		size_t from, to, same = 0;

		while (i < n && op[i].kind == DIFF_SAME)
			i++;
		if (i == n)
			return;
		from = i;
		for (size_t k = 0; k < CONTEXT && from > 0 && op[from - 1].kind == DIFF_SAME; k++)
			from--;
		to = i;
		while (i < n && same <= 2 * CONTEXT) {
			same = op[i].kind == DIFF_SAME ? same + 1 : 0;
			i++;
			if (same == 0)
				to = i;
		}
		for (size_t k = 0; k < CONTEXT && to < n && op[to].kind == DIFF_SAME; k++)
			to++;
		put_hunk(a, b, op, from, to, emit, arg);
		i = to;
	}
}

int diff_texts(struct view before, struct view after, diff_line emit, void *arg, struct errctx *e)
{
	struct text a = {0}, b = {0};
	struct pair *pair = NULL;
	struct op *op = NULL;
	size_t n = 0;
	int rc = split(before, &a);

	if (rc == 0)
		rc = split(after, &b);
	if (rc == 0) {
		pair = calloc((a.n < b.n ? a.n : b.n) + 1, sizeof(*pair));
		op = calloc(a.n + b.n + 1, sizeof(*op));
		rc = pair && op ? find_pairs(&a, &b, pair, &n) : E_NOMEM;
	}
	if (rc == 0)
		put_hunks(&a, &b, op, script(&a, &b, pair, n, op), emit, arg);
	free(op);
	free(pair);
	free(a.line);
	free(b.line);
	return rc ? err_set(e, rc, "the difference can't be shown: %s", err_name(rc)) : 0;
}
