/* SPDX-License-Identifier: MIT */
/*
 * Dispatch nonces (file 22, section 8): issuing, resolving, counting. In memory under the keeper's
 * lock, on disk as signed lines. Uses are counted in ledger rows too, so that removing lines gives
 * nothing back (20.31). System.
 */
#ifndef RUNNER_DISPATCHES_H
#define RUNNER_DISPATCHES_H

#include <sys/stat.h>

#include "runner/records.h"

enum nonce_state {
	NONCE_OK = 1,
	NONCE_MALFORMED,
	NONCE_UNKNOWN,
	NONCE_EXPIRED,
	NONCE_USED_UP,
	NONCE_ATTEMPTS,	 /* too many arrivals */
	NONCE_NOT_AGENT, /* belongs to another one */
};
const char *nonce_state_text(enum nonce_state s); /* for the orchestrator's channel */

struct dispatch {
	struct dispatch_record record;
	int64_t uses, attempts, ledger_uses;
};

struct dispatches {
	int dir_fd, lock_fd, fd;
	const struct mac_key *key;
	struct dispatch *item;
	size_t n, cap;
	struct stat st;
	size_t dropped; /* lines that didn't verify at load */
};

/* Takes dispatches.lock for good, loads what verifies. E_BUSY, E_FORGED (no plain file), E_SYS. */
int dispatches_open(struct dispatches *d, int dir_fd, const struct mac_key *key,
		    struct errctx *e) must_check;
void dispatches_close(struct dispatches *d);

/* A ledger row that paid with this nonce (first 12 digits of its id). Called while loading. */
void dispatches_ledger_use(struct dispatches *d, struct view id12);
void dispatches_settle(struct dispatches *d); /* uses become at least what the ledger knows */

/* nonce gets 32 hex digits, id the stored form. Lines of expired dispatches vanish. E_TOOBIG. */
int dispatches_issue(struct dispatches *d, struct view agent, int64_t seconds, int64_t max_uses,
		     char nonce[ID_HEX + 1], char id[SHA256_HEX + 1], struct errctx *e) must_check;

/* Resolves and counts. Not OK: nothing was counted. *ret points into d. E_SYS when a line can't be
 * written: nothing was counted. */
int dispatches_attempt(struct dispatches *d, struct view nonce, enum nonce_state *ret_state,
		       const struct dispatch **ret, struct errctx *e) must_check;
int dispatches_use(struct dispatches *d, struct view nonce, struct view agent,
		   enum nonce_state *ret_state, const struct dispatch **ret,
		   struct errctx *e) must_check;

#endif
