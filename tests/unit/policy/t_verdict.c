/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "policy/policy.h"

#include <criterion/criterion.h>

static const enum verdict known[] = {VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY};

static int rank(enum verdict v)
{
	return v == VERDICT_ALLOW ? 0 : v == VERDICT_ASK ? 1 : 2;
}

Test(verdict, refuse_beats_ask_beats_allow)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		for (size_t k = 0; k < ARRAY_LEN(known); k++) {
			enum verdict got = verdict_combine(known[i], known[k]);
			int want =
				rank(known[i]) > rank(known[k]) ? rank(known[i]) : rank(known[k]);

			cr_assert_eq(rank(got), want);
			cr_assert_neq(got, VERDICT_NONE);
			cr_assert_eq(got, verdict_combine(known[k], known[i]));
		}
}

Test(verdict, anything_else_counts_as_a_refusal)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		cr_assert_eq(verdict_combine(VERDICT_NONE, known[i]), VERDICT_DENY);
		cr_assert_eq(verdict_combine(known[i], VERDICT_NONE), VERDICT_DENY);
		cr_assert_eq(verdict_combine(known[i], (enum verdict)1), VERDICT_DENY);
	}
	cr_assert_eq(verdict_combine(VERDICT_NONE, VERDICT_NONE), VERDICT_DENY);
}

Test(verdict, one_or_two_flipped_bits_never_make_an_allow)
{
	for (size_t i = 1; i < ARRAY_LEN(known); i++)
		for (int a = 0; a < 32; a++)
			for (int b = 0; b < 32; b++)
				cr_assert_neq((unsigned)known[i] ^ (1u << a) ^ (1u << b) ^
						      (a == b ? 1u << a : 0),
					      (unsigned)VERDICT_ALLOW);
}

Test(verdict, names)
{
	cr_assert_str_eq(verdict_name(VERDICT_ALLOW), "allow");
	cr_assert_str_eq(verdict_name(VERDICT_ASK), "ask");
	cr_assert_str_eq(verdict_name(VERDICT_DENY), "deny");
	cr_assert_str_eq(verdict_name(VERDICT_NONE), "none");
	cr_assert_str_eq(verdict_name((enum verdict)12345), "none");
}
