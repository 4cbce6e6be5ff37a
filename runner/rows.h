/* SPDX-License-Identifier: MIT */
/*
 * Ledger rows as typed fields (file 22, 14.3): which action may carry which member. The engine
 * sends fields, the keeper writes the text; no JSON crosses between them. Pure.
 */
#ifndef RUNNER_ROWS_H
#define RUNNER_ROWS_H

#include "base/buf.h"
#include "base/err.h"

/* In "confined" of rows, results and the status, of what ran without a boundary; compat. */
#define UNCONFINED "unconfined-opt-out"

enum row_action {
	ROW_NONE = 0,
	ROW_ISSUE_DISPATCH,
	ROW_APPLY_PROPOSAL,
	ROW_APPLY_STAGED,
	ROW_APPLY_DIRECT,
	ROW_DELETE_PROPOSAL,
	ROW_STAGE_PROPOSAL,
	ROW_REJECT_STAGED,
	ROW_EXPIRE_STAGED,
	ROW_APPLY_PROPOSAL_REFUSED,
	ROW_STAGE_PROPOSAL_REFUSED,
	ROW_APPLY_STAGED_REFUSED,
	ROW_APPLY_DIRECT_REFUSED,
	ROW_RUN_REQUEST_REFUSED,
	ROW_RUN_REQUEST_START,
	ROW_RUN_REQUEST,
	ROW_RUN_REQUEST_TIMEOUT,
	/* Ours; a reference reader takes them for rows like any other (NEWS). */
	ROW_DONE,   /* outcome of an intent */
	ROW_FAILED, /* outcome of an intent that changed nothing */
	ROW_REQUEST_INTERRUPTED,
	ROW_LEDGER_RECOVERED,
	ROW_ANCHOR_CREATED,
	ROW_CLOCK_JUMP,
	ROW_DIRECT_GRANTS_LOADED,
	ROW_DIRECT_FALLBACK, /* a change was staged although its agent has a grant; once a grant */
	N_ROW_ACTIONS,
};
const char *row_action_name(enum row_action a);	      /* "issue-dispatch" ...; NULL: none */
enum row_action row_action_by_name(struct view name); /* 0: none */

/* In the order of their names, which is the order in a row. */
enum row_key {
	KEY_ACTION = 1, /* the keeper's own, like MAC, PREV, SEQ, TIME */
	KEY_ACTIVE,
	KEY_AGENT,
	KEY_ARGV,
	KEY_BASE,
	KEY_BYTES,
	KEY_CHANNEL,
	KEY_CONFINED,
	KEY_COUNT,
	KEY_DISPATCH,
	KEY_DURATION,
	KEY_ERROR,
	KEY_EXIT,
	KEY_GATES,
	KEY_GRANT,
	KEY_GROUP_KILLED,
	KEY_ID,
	KEY_INTENT,
	KEY_FINGERPRINTS,
	KEY_KIND,
	KEY_LANDED,
	KEY_MAC,
	KEY_NEW,
	KEY_PATH,
	KEY_PREV,
	KEY_PROBLEMS,
	KEY_PURPOSE,
	KEY_RATIONALE,
	KEY_REASON,
	KEY_RECOVERED,
	KEY_REQUEST,
	KEY_REVOKED,
	KEY_SECONDS,
	KEY_SEQ,
	KEY_SHA256,
	KEY_SID,
	KEY_SURVIVORS,
	KEY_TIME,
	KEY_UNDECLARED,
	N_ROW_KEYS,
};

enum row_type {
	TYPE_STR = 1, /* s.ptr NULL: null */
	TYPE_INT,
	TYPE_BOOL,
	TYPE_GATES, /* a list of gate results */
	TYPE_LIST,  /* a list of strings: list and n; behind row_unpack they stand packed in s */
};
enum row_type row_key_type(enum row_key k);
const char *row_key_name(enum row_key k);

struct gate_result {
	struct view gate;
	struct view confined; /* ptr NULL: not asked for */
	int64_t exit;
	int64_t duration_ms;
};

struct row_field {
	enum row_key key;
	struct view s;		 /* TYPE_STR */
	int64_t n;		 /* TYPE_INT, TYPE_BOOL; TYPE_LIST: how many */
	const struct view *list; /* TYPE_LIST, of the builder */
	const struct gate_result *gates;
	size_t n_gates;
};

enum row_flags {
	ROW_INTENT = 1 << 0,  /* something is about to be done; an outcome must follow */
	ROW_OUTCOME = 1 << 1, /* needs an open intent, closes it */
	ROW_KEEPER = 1 << 2,  /* only the keeper itself writes it */
	ROW_PAYS = 1 << 3,    /* a use of a nonce stands behind it */
	ROW_SYNC = 1 << 4,    /* on disk before the answer; others may lag until the next one */
	ROW_OPENS = 1 << 5,   /* a command starts; one of the next kind must follow it */
	ROW_CLOSES = 1 << 6,  /* needs an open command of the same request, closes it */
};
unsigned row_flags(enum row_action a);
bool row_allows(enum row_action a, enum row_key k);

enum { MAX_ROW_FIELDS = N_ROW_KEYS };

struct row {
	enum row_action action;
	struct row_field field[MAX_ROW_FIELDS];
	size_t n;
};

/* Builders for the engine; a field set twice or too many of them is a fault of ours that row_check
 * reports. */
void row_str(struct row *r, enum row_key k, struct view v);
void row_null(struct row *r, enum row_key k);
void row_int(struct row *r, enum row_key k, int64_t n);
void row_list(struct row *r, enum row_key k, const struct view *item, size_t n);
void row_gates(struct row *r, const struct gate_result *gates, size_t n);

/* Known action, every key allowed, none twice, right types: 0 or E_INTERNAL. */
int row_check(const struct row *r) must_check;

/* The keeper's part of a row. */
struct row_frame {
	const char *time; /* ISO 8601 */
	const char *prev; /* 64 hex or "" */
	int64_t seq;
};
/* Appends the canonical text without "mac"; *ret_at is where it belongs (mac_seal). seq 0: left
 * out. E_UTF8, E_TOOBIG, E_INTERNAL. */
int row_emit(const struct row *r, const struct row_frame *frame, struct buf *out,
	     size_t *ret_at) must_check;

void row_pack(const struct row *r, struct buf *out);
struct wire_in;
/* Views borrow from the message; gates go to the caller's array. */
int row_unpack(struct wire_in *in, struct row *ret, struct gate_result *gates,
	       size_t max_gates) must_check;

#endif
