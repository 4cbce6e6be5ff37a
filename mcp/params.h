/* SPDX-License-Identifier: MIT */
/*
 * Arguments of the tools: the advertised schema is written from the rows of policy/tools.c, and
 * arguments are checked against the same rows. Pure.
 */
#ifndef MCP_PARAMS_H
#define MCP_PARAMS_H

#include "base/json.h"
#include "base/jsonw.h"
#include "policy/policy.h"

/* Writes the JSON Schema (2020-12) of a tool's arguments as the next value of w. */
void params_emit_schema(struct jsonw *w, enum tool tool);

/* Checks arguments (an object, or NULL for none) against the rows; 0, or E_UNKNOWN, E_MISSING,
 * E_TYPE, E_RANGE, E_TOOBIG, E_SYNTAX, E_OUTSIDE with a text that names the argument and the rule.
 */
int params_check(enum tool tool, const struct json *arguments, struct errctx *e) must_check;

/* Argument values after a successful check. */
struct view params_str(const struct json *arguments, const char *name); /* ptr NULL: absent */
int64_t params_int(const struct json *arguments, const char *name, int64_t absent);

#endif
