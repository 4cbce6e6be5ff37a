/* SPDX-License-Identifier: MIT */
/* What one proposal carries through its checks (propose.c). */
#ifndef RUNNER_PROPOSAL_H
#define RUNNER_PROPOSAL_H

#include "runner/engine.h"
#include "runner/land.h"

struct work {
	struct engine *en;
	struct job *job;
	const struct proposal *p;
	const struct artifact *a;
	enum proposal_mode mode;	/* as asked, or what a direct grant makes of it */
	char agent[MAX_SLUG_BYTES + 1]; /* "?" until it is known */
	char rel[MAX_PATH_BYTES + 1];
	char sha256[SHA256_HEX + 1]; /* of the content; "" for a deletion */
	struct target target;
	bool target_open;
	struct gates_run gates;
	struct ask_staged signature;
	struct ask_nonce nonce;
	char grant[GRANT_ID_HEX + 1]; /* MODE_DIRECT */
	struct decision fallback;     /* why an agent's grant wasn't used; no verdict: it was */
	const char *intent;	      /* name of the intent row once it is written */
};

#endif
