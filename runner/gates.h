/* SPDX-License-Identifier: MIT */
/* Gates of a brief: which judge a content, and what they say (file 22, sections 10.2 and 11). */
#ifndef RUNNER_GATES_H
#define RUNNER_GATES_H

#include "base/err.h"
#include "base/view.h"

struct artifact;
struct brief;
struct brief_gate;
struct engine;
struct gate_result;

/* gates.c: which gates would judge this content (file 22, 10.2, step 10). Names go to out. */
int gates_select(const struct brief *b, const struct artifact *a, const char *rel,
		 const struct brief_gate **out, size_t max, size_t *ret_n,
		 struct errctx *e) must_check;
struct gates_run {
	struct gate_result *results; /* until the next call */
	size_t n;
	struct view said; /* how the output of the one that refused ends; until the next call */
};
/* gate_run.c: runs them one after the other, each on a fresh copy. E_DENIED: one refused, or it
 * can't be confined; the context says which, ret->said how its output ends. */
int gates_judge(struct engine *en, const struct brief_gate *const *gates, size_t n,
		struct view content, const char *rel, struct gates_run *ret,
		struct errctx *e) must_check;

/* Appends what it said to the refusal. */
struct reply;
void gates_quote(struct reply *r, const struct gates_run *run);

#endif
