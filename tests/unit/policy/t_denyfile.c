/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "policy/policy.h"

#include "base/limits.h"

#include <criterion/criterion.h>

static struct deny_entry entries[MAX_DENY_LIST_ENTRIES];

static unsigned parse(struct view text, size_t *n, const char **why)
{
	*n = 77;
	*why = "unset";
	return policy_deny_parse(text, entries, ARRAY_LEN(entries), n, why);
}

Test(denyfile, comments_blanks_and_ends_of_line)
{
	size_t n;
	const char *why;

	cr_assert_eq(parse(VIEW("# head\n\n  \t\n  a  \r\n\t#x\n*.sql\nb*\n*c*\nd/e\nf/\n./g\n h"),
			   &n, &why),
		     0u);
	cr_assert_eq(n, 8u);
	static const struct {
		enum deny_match match;
		const char *text;
		unsigned line;
	} want[] = {
		{DENY_EQUALS, "a", 4},	{DENY_SUFFIX, ".sql", 6}, {DENY_PREFIX, "b", 7},
		{DENY_INFIX, "c", 8},	{DENY_PATH, "d/e", 9},	  {DENY_PATH, "f/", 10},
		{DENY_PATH, "./g", 11}, {DENY_EQUALS, "h", 12},
	};
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		cr_assert_eq(entries[i].match, want[i].match, "%s", want[i].text);
		cr_assert(view_is(entries[i].text, want[i].text), "%s", want[i].text);
		cr_assert_eq(entries[i].line, want[i].line, "%s", want[i].text);
	}
}

Test(denyfile, an_empty_file_adds_nothing)
{
	size_t n;
	const char *why;

	cr_assert_eq(parse(VIEW(""), &n, &why), 0u);
	cr_assert_eq(n, 0u);
	cr_assert_eq(parse(VIEW("\n#\n"), &n, &why), 0u);
	cr_assert_eq(n, 0u);
}

Test(denyfile, what_could_never_match_is_refused_with_its_line)
{
	static const struct view bad[] = {
		VIEW("*"),
		VIEW("**"),
		VIEW("***"),
		VIEW("a*b"),
		VIEW("*a*b"),
		VIEW("a**"),
		VIEW("a/*"),
		VIEW("*/a"),
		VIEW("**/a"),
		VIEW("a?"),
		VIEW("[ab]"),
		VIEW("{a,b}"),
		VIEW("!a"),
		VIEW("a\\b"),
		VIEW("\\#a"),
		VIEW("/a"),
		VIEW("/etc/x"),
		VIEW("~"),
		VIEW("~/a"),
		VIEW(".."),
		VIEW("../a"),
		VIEW("a/../b"),
		VIEW("."),
		VIEW("./"),
		VIEW("/"),
		VIEW("a # note"),
		VIEW("a\t#note"),
		VIEW("a\x01"),
		VIEW("a\0b"),
		VIEW("a\x7f"),
		VIEW("\xff"),
		VIEW("*\xff"),
		VIEW("a/\xc0\xaf"),
		VIEW("\xe2\x80\x8b"),
		VIEW("a/\xe2\x80\x8b/b"),
		VIEW("*\xef\xbb\xbf*"),
		VIEW("a\rb"),
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char text[128];
		size_t n;
		const char *why;
		int head = snprintf(text, sizeof(text), "ok\n\n# x\n");

		memcpy(text + head, bad[i].ptr, bad[i].len);
		text[head + (int)bad[i].len] = '\n';
		cr_assert_eq(parse((struct view){text, (size_t)head + bad[i].len + 1}, &n, &why),
			     4u, "row %zu: %s", i, bad[i].ptr);
		cr_assert_str_neq(why, "unset");
		cr_assert_eq(n, 77u, "written on failure");
	}
}

Test(denyfile, what_only_looks_odd_is_accepted)
{
	static const char *const good[] = {"*~",       "a#b", "#no",  ".env.example", "a b",
					   "*..",      "..a", "a.*",  "\u00e9",	      "a/~b",
					   "*.tar.gz", "-x",  "a/./b"};
	size_t n;
	const char *why;

	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		cr_assert_eq(parse(view_of(good[i]), &n, &why), 0u, "%s: %s", good[i], why);
}

Test(denyfile, bounds)
{
	static char text[MAX_DENY_LIST_ENTRIES * 2 + 2];
	char name[MAX_NAME_BYTES + 3];
	size_t n;
	const char *why;

	for (size_t i = 0; i < MAX_DENY_LIST_ENTRIES + 1; i++)
		memcpy(text + 2 * i, "a\n", 2);
	cr_assert_eq(parse((struct view){text, sizeof(text) - 2}, &n, &why), 0u);
	cr_assert_eq(n, (size_t)MAX_DENY_LIST_ENTRIES);
	cr_assert_eq(parse((struct view){text, sizeof(text)}, &n, &why),
		     (unsigned)MAX_DENY_LIST_ENTRIES + 1);
	cr_assert_str_eq(why, "too many entries");
	memset(name, 'n', sizeof(name));
	cr_assert_eq(parse((struct view){name, MAX_NAME_BYTES - 1}, &n, &why), 0u);
	cr_assert_eq(parse((struct view){name, MAX_NAME_BYTES + 1}, &n, &why), 1u);
	cr_assert_str_eq(why, "too long");
	name[0] = '*';
	cr_assert_eq(parse((struct view){name, MAX_NAME_BYTES + 2}, &n, &why), 1u);
	memcpy(name, "a/", 2);
	cr_assert_eq(parse((struct view){name, MAX_NAME_BYTES + 3}, &n, &why), 1u);
}
