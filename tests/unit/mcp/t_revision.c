/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "mcp/revision.h"

#include <criterion/criterion.h>

Test(revision, a_known_legacy_version_is_agreed_on_and_any_other_gets_the_newest_legacy_one)
{
	cr_assert_eq(revision_agree(VIEW("2024-11-05")), REV_2024_11_05);
	cr_assert_eq(revision_agree(VIEW("2025-03-26")), REV_2025_03_26);
	cr_assert_eq(revision_agree(VIEW("2025-06-18")), REV_2025_06_18);
	cr_assert_eq(revision_agree(VIEW("2025-11-25")), REV_2025_11_25);
	cr_assert_eq(revision_agree(VIEW("2026-07-28")), REV_2025_11_25);
	cr_assert_eq(revision_agree(VIEW("")), REV_2025_11_25);
	cr_assert_eq(revision_agree(VIEW("2025-03-26 ")), REV_2025_11_25);
}

Test(revision, features_come_with_their_revision)
{
	cr_assert(!revision_has_annotations(REV_2024_11_05) &&
		  revision_has_annotations(REV_2025_03_26));
	cr_assert(!revision_has_structure(REV_2025_03_26) &&
		  revision_has_structure(REV_2025_06_18));
	cr_assert(revision_has_batches(REV_2025_03_26) && !revision_has_batches(REV_2025_06_18) &&
		  !revision_has_batches(REV_2024_11_05) && !revision_has_batches(REV_NONE));
	cr_assert(revision_is_stateless(REV_2026_07_28) && !revision_is_stateless(REV_2025_11_25));
	cr_assert_str_eq(revision_text(REV_2026_07_28), "2026-07-28");
}
