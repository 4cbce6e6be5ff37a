/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "policy/match.h"

#include <criterion/criterion.h>

static struct folded fold(struct view v, struct folded *f)
{
	cr_assert(match_fold(v, f));
	return *f;
}

Test(match, kinds)
{
	static const struct {
		enum match_kind kind;
		const char *text, *name;
		bool want;
	} rows[] = {
		{MATCH_EQUALS, ".env", ".env", true},
		{MATCH_EQUALS, ".env", ".envx", false},
		{MATCH_EQUALS, ".env", "x.env", false},
		{MATCH_EQUALS, ".env", ".en", false},
		{MATCH_FILE, "a", "a", true},
		{MATCH_FILE, "a", "ab", false},
		{MATCH_PREFIX, "id_", "id_rsa", true},
		{MATCH_PREFIX, "id_", "id_", true},
		{MATCH_PREFIX, "id_", "xid_", false},
		{MATCH_PREFIX, "id_", "id", false},
		{MATCH_SUFFIX, ".key", "a.key", true},
		{MATCH_SUFFIX, ".key", ".key", true},
		{MATCH_SUFFIX, ".key", "a.keys", false},
		{MATCH_SUFFIX, ".key", "key", false},
		{MATCH_INFIX, ".t.", "a.t.b", true},
		{MATCH_INFIX, ".t.", ".t.", true},
		{MATCH_INFIX, ".t.", "a.t", false},
		{MATCH_INFIX, ".t.", "", false},
		{MATCH_AROUND, "ab*ba", "abba", true},
		{MATCH_AROUND, "ab*ba", "abxba", true},
		{MATCH_AROUND, "ab*ba", "aba", false},
		{MATCH_AROUND, "ab*ba", "abab", false},
		{MATCH_AROUND, "ab*bc", "abc", false},
		{MATCH_SEQUENCE, "a", "a", false},
		{N_MATCH_KINDS, "a", "a", false},
		{(enum match_kind)0, "a", "a", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		cr_assert_eq(
			match_spelling(rows[i].kind, view_of(rows[i].text), view_of(rows[i].name)),
			rows[i].want, "row %zu: %s %s", i, rows[i].text, rows[i].name);
}

Test(match, both_spellings_count)
{
	struct folded f;

	fold(VIEW("#Server.KEY.bak~"), &f);
	cr_assert(view_is(f.whole, "#server.key.bak~"));
	cr_assert(view_is(f.bare, "server.key"));
	cr_assert(match_component(MATCH_SUFFIX, VIEW(".key"), &f));
	cr_assert(match_component(MATCH_SUFFIX, VIEW("~"), &f));
	cr_assert_not(match_component(MATCH_SUFFIX, VIEW(".bak"), &f));
	fold(VIEW("...~~~"), &f);
	cr_assert_eq(f.bare.len, 0u);
	cr_assert_not(match_component(MATCH_EQUALS, VIEW("x"), &f));
}

Test(match, a_name_of_the_largest_length_folds_and_a_longer_one_is_refused)
{
	char big[MAX_NAME_BYTES + 1];
	struct folded f;

	memset(big, 'A', sizeof(big));
	cr_assert(match_fold((struct view){big, MAX_NAME_BYTES}, &f));
	cr_assert_eq(f.whole.len, (size_t)MAX_NAME_BYTES);
	cr_assert_not(match_fold((struct view){big, MAX_NAME_BYTES + 1}, &f));
}

Test(match, leading_components)
{
	static const struct {
		const char *text, *path;
		size_t end; /* 0: no match */
	} rows[] = {
		{"a/b", "a/b", 3},     {"a/b", "a/b/c", 3},
		{"a/b", "A/B", 3},     {"a/b", "a//b", 4},
		{"a/b", "./a/./b", 7}, {"a/b/", "a/b", 3},
		{"a", "a", 1},	       {"./a", "a/b", 1},
		{"a/b", "a", 0},       {"a/b", "x/a/b", 0},
		{"a/b", "a/bc", 0},    {"a/b", "a/c/b", 0},
		{"", "a", 0},	       {".", "a", 0},
		{"a/b", "", 0},	       {"a/b", "a.bak/b~/c", 8},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t end = 99;
		bool got = match_leading(view_of(rows[i].text), view_of(rows[i].path), &end);

		cr_assert_eq(got, rows[i].end != 0, "row %zu", i);
		if (got)
			cr_assert_eq(end, rows[i].end, "row %zu: %zu", i, end);
	}
}

Test(match, every_strip_row_shortens)
{
	size_t n;
	const struct strip_row *rows = match_strips(&n);

	for (size_t i = 0; i < n; i++)
		cr_assert_gt(strlen(rows[i].text), 0u);
}
