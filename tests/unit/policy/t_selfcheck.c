/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "policy/selfcheck.h"

#include "policy/policy.h"

#include <criterion/criterion.h>

Test(selfcheck, the_tables_hold)
{
	const char *wrong = policy_selfcheck();

	cr_assert_null(wrong, "%s", wrong);
}

Test(selfcheck, texts)
{
	cr_assert_null(selfcheck_text("a b~"));
	cr_assert_not_null(selfcheck_text(NULL));
	cr_assert_not_null(selfcheck_text(""));
	cr_assert_not_null(selfcheck_text("a\n"));
	cr_assert_not_null(selfcheck_text("caf\xc3\xa9"));
	cr_assert_not_null(selfcheck_text("\x7f"));
}

Test(selfcheck, order)
{
	cr_assert_null(selfcheck_order(NULL, "A_0001"));
	cr_assert_null(selfcheck_order("A_0001", "A_0002"));
	cr_assert_not_null(selfcheck_order("A_0002", "A_0002"));
	cr_assert_not_null(selfcheck_order("A_0002", "A_0001"));
	cr_assert_not_null(selfcheck_order("A_0002", NULL));
}

Test(selfcheck, broken_deny_rows_are_found)
{
	static const struct deny_row good = {"D", MATCH_EQUALS, "x", "r", "f"};
	static const struct deny_row bad[] = {
		{"D", MATCH_EQUALS, "", "r", "f"},
		{"D", MATCH_EQUALS, NULL, "r", "f"},
		{"D", MATCH_EQUALS, "x", "", "f"},
		{"D", MATCH_EQUALS, "x", "r", ""},
		{"D", MATCH_EQUALS, "X", "r", "f"},
		{"D", (enum match_kind)0, "x", "r", "f"},
		{"D", N_MATCH_KINDS, "x", "r", "f"},
		{"D", MATCH_EQUALS, "a/b", "r", "f"},
		{"D", MATCH_SEQUENCE, "ab", "r", "f"},
		{"D", MATCH_EQUALS, "a*", "r", "f"},
		{"D", MATCH_AROUND, "ab", "r", "f"},
		{"D", MATCH_AROUND, "a*b*", "r", "f"},
		{"D", MATCH_EQUALS, "caf\xc3\xa9", "r", "f"},
		{"D", MATCH_SEQUENCE, "/a/b", "r", "f"},
		{"D", MATCH_SEQUENCE, "a/../b", "r", "f"},
	};

	cr_assert_null(selfcheck_deny(&good));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_assert_not_null(selfcheck_deny(&bad[i]), "row %zu", i);
}
