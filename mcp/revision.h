/* SPDX-License-Identifier: MIT */
/* Protocol revisions of MCP and what each of them has (file 50, section 4). Pure. */
#ifndef MCP_REVISION_H
#define MCP_REVISION_H

#include "base/view.h"

enum revision {
	REV_NONE, /* nothing agreed yet */
	REV_2024_11_05,
	REV_2025_03_26,
	REV_2025_06_18,
	REV_2025_11_25,
	REV_2026_07_28, /* stateless: named by each request, never agreed */
};
#define REV_NEWEST_LEGACY  REV_2025_11_25
#define REV_STATELESS_TEXT "2026-07-28"

/* The revision that `initialize` agrees on for the client's word: the same if it is a legacy one,
 * else the newest legacy one. */
enum revision revision_agree(struct view asked);
const char *revision_text(enum revision r);

static inline bool revision_has_batches(enum revision r)
{
	return r == REV_2025_03_26;
}
static inline bool revision_has_annotations(enum revision r)
{
	return r >= REV_2025_03_26;
}
/* titles, outputSchema, structuredContent */
static inline bool revision_has_structure(enum revision r)
{
	return r >= REV_2025_06_18;
}
/* resultType, server identity in _meta, ttlMs, cacheScope */
static inline bool revision_is_stateless(enum revision r)
{
	return r == REV_2026_07_28;
}

#endif
