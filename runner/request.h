/* SPDX-License-Identifier: MIT */
/* Requests of the queue (file 21, section 4): kinds, and which channel may send which. Pure
 * (allocates); views borrow from the tree. */
#ifndef RUNNER_REQUEST_H
#define RUNNER_REQUEST_H

#include "base/err.h"
#include "base/json.h"

enum channel {
	CHANNEL_ORCHESTRATOR,
	CHANNEL_MCP,
	N_CHANNELS,
};
const char *channel_name(enum channel c); /* "orchestrator", "mcp" */

enum request_kind {
	REQUEST_ISSUE_DISPATCH = 1,
	REQUEST_APPLY_PROPOSAL,
	REQUEST_RUN,
	REQUEST_VERIFY_LEDGER,
	REQUEST_STAGE,
	REQUEST_APPLY_STAGED,
	REQUEST_REJECT_STAGED,
	REQUEST_LIST_STAGED,
	REQUEST_SHOW_STAGED,
	N_REQUEST_KINDS,
};
const char *request_kind_name(enum request_kind k); /* NULL: none */
bool request_kind_allowed(enum request_kind k, enum channel c);

struct request {
	struct json *json;
	enum request_kind kind;
	const struct json *artifact;		   /* NULL: not given */
	struct view agent, via_agent, sid, reason; /* ptr NULL: not given */
	struct view digest; /* "content_sha256": what was shown when a record is approved */
	struct view after;  /* list-staged: entries behind this sid */
	int64_t deadline;   /* wall seconds; 0: none */
	bool dry_run;
};

/* *ret holds the tree even when a member has the wrong type, so that the kind can be told; free it
 * in every case. E_SYNTAX and friends: no JSON (one fixed text, file 21, section 9); E_TYPE,
 * E_UNKNOWN. */
int request_parse(struct view text, struct request *ret, struct errctx *e) must_check;
void request_release(struct request *r);

#endif
