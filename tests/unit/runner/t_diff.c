/* SPDX-License-Identifier: MIT */
/* The difference, applied to the text before, gives the text after; context is right. */
#include "base/base.h"

#include "runner/diff.h"

#include "base/buf.h"

#include <criterion/criterion.h>
#include <stdio.h>

struct patched {
	struct buf text; /* what before and the difference make */
	struct view before;
	size_t line, at; /* next line of before: number and offset */
	long hunks, added, removed;
	bool wrong, last_added;
};

static void skip_to(struct patched *p, size_t line)
{
	while (p->line < line && p->at < p->before.len) {
		size_t start = p->at;

		while (p->at < p->before.len && p->before.ptr[p->at++] != '\n') {
		}
		(void)buf_put(&p->text, p->before.ptr + start, p->at - start);
		p->line++;
	}
}

static bool take(struct patched *p, struct view want)
{
	size_t start = p->at, n;

	while (p->at < p->before.len && p->before.ptr[p->at] != '\n')
		p->at++;
	n = p->at - start;
	if (p->at < p->before.len)
		p->at++;
	p->line++;
	return n == want.len && memcmp(p->before.ptr + start, want.ptr, n) == 0;
}

static void apply(void *arg, enum diff_kind kind, struct view v)
{
	struct patched *p = arg;
	char head[96];
	size_t a = 0, an = 0;

	switch (kind) {
	case DIFF_HUNK:
		(void)snprintf(head, sizeof(head), "%.*s", (int)v.len, v.ptr);
		cr_assert_eq(sscanf(head, "@@ -%zu,%zu", &a, &an), 2);
		skip_to(p, an ? a - 1 : a);
		p->hunks++;
		break;
	case DIFF_SAME:
		p->wrong = p->wrong || !take(p, v);
		(void)buf_put_view(&p->text, v);
		(void)buf_putc(&p->text, '\n');
		p->last_added = true;
		break;
	case DIFF_REMOVED:
		p->wrong = p->wrong || !take(p, v);
		p->removed++;
		p->last_added = false;
		break;
	case DIFF_ADDED:
		(void)buf_put_view(&p->text, v);
		(void)buf_putc(&p->text, '\n');
		p->added++;
		p->last_added = true;
		break;
	case DIFF_NO_NEWLINE:
		if (p->last_added) /* the line just written has none */
			p->text.data[--p->text.len] = '\0';
		break;
	}
}

static void check(const char *before, const char *after, long hunks, long added, long removed)
{
	struct patched p = {.before = view_of(before)};
	struct errctx e = {0};

	buf_init(&p.text, 1 << 20);
	cr_assert_eq(diff_texts(view_of(before), view_of(after), apply, &p, &e), 0, "%s", e.text);
	skip_to(&p, SIZE_MAX);
	cr_assert_str_eq(buf_text(&p.text), after, "before <%s>", before);
	cr_assert(!p.wrong, "context or removed line differs: <%s> <%s>", before, after);
	if (hunks >= 0) {
		cr_assert_eq(p.hunks, hunks, "<%s> <%s> %ld", before, after, p.hunks);
		cr_assert_eq(p.added, added);
		cr_assert_eq(p.removed, removed);
	}
	buf_release(&p.text);
}

Test(diff, small_ones)
{
	check("", "", 0, 0, 0);
	check("a\n", "a\n", 0, 0, 0);
	check("", "a\n", 1, 1, 0);
	check("a\n", "", 1, 0, 1);
	check("a\nb\nc\n", "a\nB\nc\n", 1, 1, 1);
	check("a\n", "a", 1, 1, 1);
	check("a", "a\n", 1, 1, 1);
	check("a\nb", "b", 1, 0, 1);
	check("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nx\n", 1, 1, 1);
	check("x\n1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\ny\n", 2, 1, 1);
	check("x\n1\n2\n3\n4\n5\n6\ny\n", "X\n1\n2\n3\n4\n5\n6\nY\n", 1, 2, 2);
	check("\n\n\n", "\n\n", 1, 0, 1);
}

Test(diff, random_texts, .timeout = 60)
{
	unsigned seed = 7;
	char before[256], after[256];

	for (int round = 0; round < 20000; round++) {
		size_t n[2];
		char *text[2] = {before, after};

		for (int s = 0; s < 2; s++) {
			n[s] = 0;
			for (int i = 0; i < (int)(seed >> 8) % 40; i++) {
				seed = seed * 1103515245 + 12345;
				text[s][n[s]++] = "ab\n\n"[(seed >> 16) % 4];
			}
			seed = seed * 1103515245 + 12345;
			text[s][n[s]] = '\0';
		}
		check(before, after, -1, 0, 0);
	}
}

/* Past the bound on steps the rest counts as replaced: still a right difference, in bounded time.
 */
Test(diff, big_unrelated_texts_stay_bounded, .timeout = 60)
{
	struct patched p = {0};
	auto_buf struct buf a, b;

	buf_init(&a, 1 << 22);
	buf_init(&b, 1 << 22);
	for (int i = 0; i < 20000; i++) {
		(void)buf_printf(&a, "a%d\n", i);
		(void)buf_printf(&b, "b%d\n", i);
	}
	p.before = buf_view(&a);
	buf_init(&p.text, 1 << 22);
	cr_assert_eq(diff_texts(buf_view(&a), buf_view(&b), apply, &p, NULL), 0);
	cr_assert(view_eq(buf_view(&p.text), buf_view(&b)));
	buf_release(&p.text);
}
