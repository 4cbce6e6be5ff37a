/* SPDX-License-Identifier: MIT */
/* How the tools are advertised: titles, descriptions, output schemas, instructions. Pure. */
#ifndef MCP_TOOLSET_H
#define MCP_TOOLSET_H

#include "base/jsonw.h"
#include "mcp/revision.h"
#include "policy/policy.h"

#define SERVER_NAME    "agentteams_runner"
#define SERVER_VERSION "1.0.0" /* of this interface; file 20, section 2 */

/* What a client may put into the model's system prompt. */
extern const char toolset_instructions[];

/* Writes the array of the granted tools in canonical order as the next value of w, as revision r
 * knows tools. */
void toolset_emit(struct jsonw *w, const bool granted[N_TOOLS], enum revision r);

/* Writes the object {name, title, version} of this server. */
void toolset_emit_identity(struct jsonw *w, enum revision r);

#endif
