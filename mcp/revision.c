/* SPDX-License-Identifier: MIT */
/* Protocol revisions. Pure. Tested by tests/unit/mcp/t_revision.c and the transcripts. */
#include "base/base.h"

#include "mcp/revision.h"

static const char *const texts[] = {
	[REV_NONE] = "",
	[REV_2024_11_05] = "2024-11-05",
	[REV_2025_03_26] = "2025-03-26",
	[REV_2025_06_18] = "2025-06-18",
	[REV_2025_11_25] = "2025-11-25",
	[REV_2026_07_28] = REV_STATELESS_TEXT,
};

enum revision revision_agree(struct view asked)
{
	for (enum revision r = REV_2024_11_05; r <= REV_NEWEST_LEGACY; r++)
		if (view_is(asked, texts[r]))
			return r;
	return REV_NEWEST_LEGACY;
}

const char *revision_text(enum revision r)
{
	return texts[r];
}
