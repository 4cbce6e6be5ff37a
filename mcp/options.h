/* SPDX-License-Identifier: MIT */
/* Command line of the server (file 20, section 3). Pure. */
#ifndef MCP_OPTIONS_H
#define MCP_OPTIONS_H

#include "base/err.h"
#include "policy/policy.h"

enum mcp_action {
	MCP_SERVE = 1,
	MCP_HELP,
	MCP_VERSION,
};

struct mcp_options {
	enum mcp_action action;
	const char *agent;   /* borrowed from argv */
	bool tools[N_TOOLS]; /* granted */
	const char *root;    /* NULL: derived from the program's own place */
	int64_t wait_ms;     /* 0 to 1000 * MAX_WAIT_SECONDS */
	size_t page_bytes;   /* MIN_PAGE_BYTES to MAX_PAGE_BYTES */
	bool debug;
};

/* 0, or E_USAGE with a text that names the option. Options may be written "--name value" or
 * "--name=value". */
int mcp_options_parse(int argc, char *const *argv, struct mcp_options *ret,
		      struct errctx *e) must_check;

extern const char mcp_usage[];

#endif
