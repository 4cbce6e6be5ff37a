/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "runner/pattern.h"

#include "base/clock.h"

#include <criterion/criterion.h>

static struct pattern *compiled(const char *text)
{
	struct pattern *p = NULL;

	cr_assert_eq(pattern_compile(view_of(text), &p, NULL), 0, "%s", text);
	return p;
}

Test(pattern, the_whole_text_has_to_match)
{
	struct pattern *p = compiled("CX-[0-9]+");

	cr_assert(pattern_matches(p, VIEW("CX-12")));
	cr_assert(!pattern_matches(p, VIEW("CX-12x")));
	cr_assert(!pattern_matches(p, VIEW("aCX-12")));
	cr_assert(!pattern_matches(p, VIEW("CX-12\n")));
	cr_assert(!pattern_matches(p, VIEW("")));
	pattern_free(p);
	p = compiled("a|bc"); /* anchors hold for each alternative */
	cr_assert(pattern_matches(p, VIEW("bc")));
	cr_assert(!pattern_matches(p, VIEW("abc")));
	pattern_free(p);
}

/* File 22, 17.4 and 4.8. */
Test(pattern, broad_ones_are_found_by_the_probe)
{
	static const char *const broad[] = {
		".*",	   "[a-z].*",  "\\S+",	 ".*\\.lean", "[a-z]/\\.\\..*",
		"-{0,2}x", "/?[a-z]+", "~?/?.+", "[^ ]+",     "(?s:.)+"};
	static const char *const narrow[] = {"[a-z]+", "CX-[0-9]+", "[A-Za-z]+\\.txt", "[a-z0-9_]+",
					     "\\p{L}+"};

	for (size_t i = 0; i < ARRAY_LEN(broad); i++) {
		struct pattern *p = compiled(broad[i]);

		cr_assert_eq(pattern_probe(p, NULL), E_RANGE, "%s", broad[i]);
		pattern_free(p);
	}
	for (size_t i = 0; i < ARRAY_LEN(narrow); i++) {
		struct pattern *p = compiled(narrow[i]);

		cr_assert_eq(pattern_probe(p, NULL), 0, "%s", narrow[i]);
		pattern_free(p);
	}
}

Test(pattern, bad_ones_are_refused_with_their_place)
{
	static const char *const bad[] = {"(", "[a", "*", "a{2,1}", "\\C", "(?<n>a)(?<n>b)"};
	char long_text[5000];
	struct pattern *p;
	struct errctx e;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_assert_eq(pattern_compile(view_of(bad[i]), &p, &e), E_SYNTAX, "%s", bad[i]);
	memset(long_text, 'a', sizeof(long_text));
	cr_assert_eq(pattern_compile((struct view){long_text, sizeof(long_text)}, &p, &e),
		     E_TOOBIG);
}

/* A pattern with nested repetition against 4 KiB answers within its limits, not for ever. */
Test(pattern, nested_repetition_ends_in_a_refusal, .timeout = 20)
{
	static const char *const evil[] = {"(a+)+", "(a|aa)+", "(a*)*b", "([a-z]+)*[0-9]"};
	char text[4096];

	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '!';
	for (size_t i = 0; i < ARRAY_LEN(evil); i++) {
		struct pattern *p = compiled(evil[i]);

		cr_assert(!pattern_matches(p, (struct view){text, sizeof(text)}), "%s", evil[i]);
		pattern_free(p);
	}
}

Test(pattern, literals_are_told_apart)
{
	struct pattern *p = compiled("--check");

	cr_assert(pattern_is_literal(p));
	pattern_free(p);
	p = compiled("--che.k");
	cr_assert(!pattern_is_literal(p));
	pattern_free(p);
}
