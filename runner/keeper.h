/* SPDX-License-Identifier: MIT */
/*
 * The line between keeper and engine (file 00, D8): a small table of typed requests over a socket
 * pair. The keeper holds the key and owns ledger, head, anchor, dispatches and the signatures of
 * staged records. It never reads a request file, never opens a name from outside, and writes every
 * signed text itself from typed fields. The engine asks, one request at a time.
 *
 * Keeper side: keeper_open, then keeper_serve until the engine closes its end.
 * Engine side: the ask_ functions. E_CLOSED: the keeper is gone; E_FORGED: the ledger changed
 * behind it and nothing may be served any more.
 */
#ifndef RUNNER_KEEPER_H
#define RUNNER_KEEPER_H

#include "policy/grant.h"
#include "runner/dispatches.h"
#include "runner/grant.h"
#include "runner/ledger.h"

/* ---- keeper side ---- */

struct keeper_config {
	int state_dir_fd; /* .agentteams */
	int anchor_dir_fd;
	struct view root_path;
	const char *key_path;
	const struct grant_set *grants; /* verified by the supervisor; NULL: none */
};

struct keeper;
/* Reads the key, opens everything, verifies the ledger. The context says what is wrong. */
int keeper_open(const struct keeper_config *c, struct keeper **ret, struct errctx *e) must_check;
/* Answers until the peer closes: 0. E_SYNTAX: the engine sent what it must not; the keeper ends. */
int keeper_serve(struct keeper *k, int fd, struct errctx *e) must_check;
void keeper_close(struct keeper *k);

enum keeper_op {
	KEEP_STATE = 1, /* once, first */
	KEEP_LOOKUP,
	KEEP_ISSUE,
	KEEP_ATTEMPT,
	KEEP_USE,
	KEEP_STAGE,
	KEEP_CHECK,
	KEEP_ROW,
	KEEP_FLUSH,
	KEEP_PROBE,
	KEEP_VERIFY,
	KEEP_GRANT,
	N_KEEPER_OPS,
};

/* ---- engine side ---- */

struct ask {
	int fd;
	struct buf message; /* request and reply */
};
void ask_init(struct ask *a, int fd);
void ask_release(struct ask *a);

/* What a row of the ledger told about a request or an intent; texts as they stand in the row
 * (escapes and all), borrowed until the next question. */
struct ask_row {
	enum row_action action; /* 0: none */
	struct view request, path, base, fresh, sid, agent, kind;
};

struct ask_state {
	int64_t rows;
	struct ask_row intent; /* an intent without outcome: action 0 if there is none */
	int64_t torn;	       /* bytes of half a line that were moved aside at start */
	int64_t jump_s;	       /* wall clock against boot clock since the last row; 0: fine */
	int64_t last_time;     /* of the newest row */
	bool new_anchor;
	int64_t dispatches;
	char open_run[ID_HEX + 1]; /* the request of a command that has no end row; "": none */
	bool open_bare;		   /* it ran without a boundary */
};
int ask_state(struct ask *a, struct ask_state *ret, struct errctx *e) must_check;

/* The newest row among the last ones that belongs to a request. */
int ask_lookup(struct ask *a, struct view request, struct ask_row *ret,
	       struct errctx *e) must_check;

int ask_issue(struct ask *a, struct view agent, struct view request, int64_t seconds,
	      int64_t max_uses, char nonce[ID_HEX + 1], struct errctx *e) must_check;

struct ask_nonce {
	enum nonce_state state;
	char agent[MAX_SLUG_BYTES + 1];
	int64_t max_uses, expires;
};
int ask_attempt(struct ask *a, struct view nonce, struct ask_nonce *ret,
		struct errctx *e) must_check;
/* Counts one use; the next row that pays (KEEP_STAGE, apply) needs it. */
int ask_use(struct ask *a, struct view nonce, struct view agent, struct ask_nonce *ret,
	    struct errctx *e) must_check;

struct ask_staged {
	char sid[ID_HEX + 1];
	char expires[26];
	char mac[SHA256_HEX + 1];
};
/* Draws the id, signs the record, writes the row stage-proposal. rationale: cut for the row. */
int ask_stage(struct ask *a, const struct staged *s, struct view channel, struct view rationale,
	      struct ask_staged *ret, struct errctx *e) must_check;

/* Are these signatures good? For each of n records (at most MAX_CHECK). approve: the one record, if
 * it is good, may be applied by the next row. */
enum { MAX_CHECK = 64 };
enum check_answer {
	CHECK_BAD,
	CHECK_GOOD,
	CHECK_DECIDED, /* signed by this keeper, but the ledger has its final row */
};
struct ask_check {
	const struct staged *record;
	struct view mac;
};
/* Packs as many as fit in one message; *ret_n says how many were looked at (at least one). */
int ask_check(struct ask *a, const struct ask_check *v, size_t n, bool approve,
	      enum check_answer *ret, size_t *ret_n, struct errctx *e) must_check;

/* The direct grant of an agent, as the ledger has it counted. ret->query lacks the nonce. */
struct ask_grant {
	bool known;
	char agent[MAX_SLUG_BYTES + 1];
	char id[GRANT_ID_HEX + 1];
	struct grant_query query;
	bool told; /* the row of a fall-back to staging stands in the ledger */
};
int ask_grant(struct ask *a, struct view agent, struct ask_grant *ret, struct errctx *e) must_check;

int ask_row(struct ask *a, const struct row *r, struct errctx *e) must_check;
int ask_flush(struct ask *a, struct errctx *e) must_check;
int ask_probe(struct ask *a, struct errctx *e) must_check;
/* report is called for each problem; *ret_n how many. */
int ask_verify(struct ask *a, ledger_report report, void *arg, int64_t *ret_n, int64_t *ret_rows,
	       struct errctx *e) must_check;

#endif
