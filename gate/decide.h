/* SPDX-License-Identifier: MIT */
/* The decision on one shell command: parse, evaluate, judge. Pure; memory comes from the arena and
 * ends with it. */
#ifndef GATE_DECIDE_H
#define GATE_DECIDE_H

#include "gate/eval.h"

struct answer {
	enum verdict verdict; /* VERDICT_ALLOW stands for "nothing to say": the gate never allows */
	const struct finding *findings; /* the deciding ones first */
	uint32_t n_findings;
	struct script *script; /* NULL if nothing was parsed */
	uint32_t n_sites;
	int exhausted; /* E_NOMEM, E_TOOBIG: the command was too much; the verdict is ask */
};

typedef void site_fn(void *arg, const struct fields *argv, struct span span);

/* Never fails: what goes wrong inside makes the verdict ask. on_site (may be NULL) is called for
 * every simple command with its words as far as they are known. */
void decide_command(struct arena *a, const struct gate_context *ctx, struct view command,
		    site_fn *on_site, void *arg, struct answer *ret);

/* The same for PowerShell text. */
void decide_powershell(struct arena *a, const struct gate_context *ctx, struct view text,
		       struct answer *ret);

/* Offset of the first character that hides or reorders text; SIZE_MAX: none. Line feeds, tabs, a
 * carriage return before a line feed, and the joiners inside emoji are fine. */
size_t hidden_character(struct view v, uint32_t *ret_code_point);

/* Words of the text rules in text that can't be parsed: adds findings that name the class. */
void floor_judge(struct run *r, struct view text);

#endif
