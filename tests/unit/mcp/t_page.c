/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "mcp/page.h"

#include <criterion/criterion.h>

static const struct {
	const char *file;
	int64_t start, max_lines;
	size_t max_bytes;
	bool ok;
	const char *text;
	int64_t lines, total, next;
	bool cut;
} rows[] = {
	{"", 1, 0, 100, true, "", 0, 0, 0, false},
	{"", 2, 0, 100, false, NULL, 0, 0, 0, false},
	{"a", 1, 0, 100, true, "a", 1, 1, 0, false},
	{"a\n", 1, 0, 100, true, "a\n", 1, 1, 0, false},
	{"a\n", 2, 0, 100, false, NULL, 0, 0, 0, false},
	{"a\nb\nc\n", 1, 0, 100, true, "a\nb\nc\n", 3, 3, 0, false},
	{"a\nb\nc\n", 2, 1, 100, true, "b\n", 1, 3, 3, false},
	{"a\nb\nc\n", 3, 1, 100, true, "c\n", 1, 3, 0, false},
	{"a\nb\nc\n", 1, 0, 4, true, "a\nb\n", 2, 3, 3, false},
	{"a\nb\nc\n", 1, 0, 5, true, "a\nb\n", 2, 3, 3, false},
	{"a\nb\nc", 3, 0, 5, true, "c", 1, 3, 0, false},
	{"\n\n\n", 1, 0, 4, true, "\n\n\n", 3, 3, 0, false},
	/* a line longer than a page is cut, between characters */
	{"abcdefgh\nx\n", 1, 0, 4, true, "abcd", 1, 2, 2, true},
	{"abc\xc3\xa9zzz\nx\n", 1, 0, 4, true, "abc", 1, 2, 2, true},
	{"abcdefgh", 1, 0, 4, true, "abcd", 1, 1, 0, true},
	/* but one that ends a page early isn't */
	{"ab\nabcdefgh\n", 1, 0, 4, true, "ab\n", 1, 2, 2, false},
	{"\r\nx\r\n", 1, 1, 100, true, "\r\n", 1, 2, 2, false},
};

Test(page, table)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct page p;

		cr_assert_eq(page_take(view_of(rows[i].file), rows[i].start, rows[i].max_lines,
				       rows[i].max_bytes, &p),
			     rows[i].ok, "row %zu", i);
		if (!rows[i].ok)
			continue;
		cr_assert(view_is(p.text, rows[i].text), "row %zu: \"%.*s\"", i, (int)p.text.len,
			  p.text.ptr);
		cr_assert_eq(p.lines, rows[i].lines, "row %zu", i);
		cr_assert_eq(p.total_lines, rows[i].total, "row %zu", i);
		cr_assert_eq(p.next_start_line, rows[i].next, "row %zu", i);
		cr_assert_eq(p.line_truncated, rows[i].cut, "row %zu", i);
	}
}

Test(page, pages_in_a_row_make_the_file_again)
{
	char file[2000];
	unsigned seed = 1;

	for (size_t round = 0; round < 200; round++) {
		size_t n = (size_t)rand_r(&seed) % sizeof(file), got = 0;
		struct page p = {.next_start_line = 1};

		for (size_t i = 0; i < n; i++)
			file[i] = rand_r(&seed) % 9 == 0 ? '\n' : 'x';
		while (p.next_start_line > 0) {
			cr_assert(page_take((struct view){file, n}, p.next_start_line, 0, 200, &p));
			cr_assert(!p.line_truncated);
			cr_assert_eq(memcmp(p.text.ptr, file + got, p.text.len), 0);
			got += p.text.len;
		}
		cr_assert_eq(got, n);
	}
}
