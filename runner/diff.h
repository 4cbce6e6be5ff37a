/* SPDX-License-Identifier: MIT */
/*
 * Unified difference of two texts, in linear space and bounded time: past the bound the rest is
 * shown as replaced, never left out. Pure (allocates).
 */
#ifndef RUNNER_DIFF_H
#define RUNNER_DIFF_H

#include "base/err.h"
#include "base/view.h"

enum diff_kind {
	DIFF_HUNK = 1, /* text is the header "@@ ... @@" */
	DIFF_SAME,
	DIFF_REMOVED,
	DIFF_ADDED,
	DIFF_NO_NEWLINE, /* the line before has no line feed at its end */
};
/* text: one line without its line feed. */
typedef void (*diff_line)(void *arg, enum diff_kind kind, struct view text);

/* Calls each line of the difference with three lines of context. E_NOMEM, E_TOOBIG (more than
 * MAX_DIFF_LINES lines on a side). */
int diff_texts(struct view before, struct view after, diff_line emit, void *arg,
	       struct errctx *e) must_check;

#endif
