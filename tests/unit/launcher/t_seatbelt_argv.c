/* SPDX-License-Identifier: MIT */
/* Argument vectors: a fixed program, the profile as one word, nothing else. */
#include "base/base.h"

#include "launcher/seatbelt.h"

#include <criterion/criterion.h>

Test(seatbelt_argv, inline_profile)
{
	const char *v[SEATBELT_MAX_ARGV];

	cr_assert_eq(seatbelt_inline_argv("(version 1)", v), 3);
	cr_assert_str_eq(v[0], "/usr/bin/sandbox-exec");
	cr_assert_str_eq(v[1], "-p");
	cr_assert_str_eq(v[2], "(version 1)");
	cr_assert_null(v[3]);
}

Test(seatbelt_argv, goose_with_both_parameters)
{
	struct seatbelt_defines d;
	const char *v[SEATBELT_MAX_ARGV];
	struct errctx e = {0};
	size_t n = 0;
	static const char *const want[] = {"/usr/bin/sandbox-exec",
					   "-D",
					   "WORKSPACE_ROOT=/Volumes/u/my p",
					   "-D",
					   "HOME_DIR=/Volumes/u",
					   "-f",
					   ".goose/sandbox.sb"};

	cr_assert_eq(seatbelt_goose_argv(".goose/sandbox.sb", "/Volumes/u/my p", "/Volumes/u", &d,
					 v, &n, &e),
		     0, "%s", e.text);
	cr_assert_eq(n, ARRAY_LEN(want));
	for (size_t i = 0; i < n; i++)
		cr_assert_str_eq(v[i], want[i]);
	cr_assert_null(v[n]);
	cr_assert_eq(seatbelt_goose_argv("f", "/tmp/p", "/Volumes/u", &d, v, &n, &e), E_LINK,
		     "a link switches rules off");
	cr_assert_eq(seatbelt_goose_argv("f", "/Volumes/u/p", "u", &d, v, &n, &e), E_SYNTAX);
	cr_assert_eq(seatbelt_goose_argv("f", "/Volumes/u/p\n", "/Volumes/u", &d, v, &n, &e),
		     E_SYNTAX);
}

Test(seatbelt_argv, the_probe_applies_a_profile_that_allows_everything)
{
	auto_seatbelt_profile struct seatbelt_profile *p = NULL;

	cr_assert_str_eq(seatbelt_probe_argv[0], SEATBELT_EXEC);
	cr_assert_eq(seatbelt_parse(view_of(seatbelt_probe_argv[2]), &p, NULL), 0);
	cr_assert_eq(seatbelt_eval(p, NULL, "file-write-create", "/x"), VERDICT_ALLOW);
	cr_assert_str_eq(seatbelt_probe_argv[3], "/usr/bin/true");
	cr_assert_null(seatbelt_probe_argv[4]);
}
