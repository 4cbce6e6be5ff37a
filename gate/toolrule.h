/* SPDX-License-Identifier: MIT */
/* Decisions on tools: the shell's by parsing its command, others by their arguments (file 40,
 * section 12.12). Looks at the size of a file that a tool would replace, else pure. */
#ifndef GATE_TOOLRULE_H
#define GATE_TOOLRULE_H

#include "gate/decide.h"
#include "gate/event.h"

/* 0, or E_TYPE and E_MISSING when an argument that the rules need isn't what it must be. The
 * command that was judged is in *ret_command (empty for other tools). */
int decide_tool(struct arena *a, const struct gate_context *ctx, const struct event *ev,
		struct answer *ret, struct view *ret_command, struct errctx *e) must_check;

#endif
