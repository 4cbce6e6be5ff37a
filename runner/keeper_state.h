/* SPDX-License-Identifier: MIT */
/* The keeper's own state; private to keeper.c, keeper_start.c, keeper_rows.c and
 * keeper_grants.c. */
#ifndef RUNNER_KEEPER_STATE_H
#define RUNNER_KEEPER_STATE_H

#include "runner/keeper.h"

enum { REMEMBERED = 256 };

/* What is kept of a row so that a request can be matched with it after a crash. */
struct memory {
	enum row_action action;
	char request[ID_HEX + 1];
	char sid[ID_HEX + 1];
	char base[SHA256_HEX + 1], fresh[SHA256_HEX + 1];
	char agent[MAX_SLUG_BYTES + 1];
	char kind[24];
	char *path; /* as written in the row; NULL: none */
};

enum authority {
	AUTH_NONE,
	AUTH_USE,    /* a use was counted */
	AUTH_STAGED, /* a staged record's signature was found good for approval */
};

struct keeper_grant {
	char id[GRANT_ID_HEX + 1], agent[MAX_SLUG_BYTES + 1];
	int64_t issued, expires, max_writes, used;
	bool told;
};

/* A grant that some start of this ledger had in use. */
struct grant_past {
	char id[GRANT_ID_HEX + 1];
	bool revoked; /* a later start found it gone from the operator's file */
};

struct keeper_grants {
	struct keeper_grant item[MAX_ACTIVE_GRANTS];
	size_t n;
	struct grant_past *past;
	size_t n_past, cap_past;
	bool unknown; /* a row about grants couldn't be kept: none may be in use */
	int64_t first_row;
};

struct keeper {
	const struct mac_key *key;
	struct anchor anchor;
	struct ledger ledger;
	struct dispatches dispatches;
	struct memory ring[REMEMBERED];
	size_t next; /* the oldest */
	struct memory intent;
	bool open_bare;		   /* ... ran without a boundary (as of the start) */
	char open_run[ID_HEX + 1]; /* request of the command that has a start row and no end */
	char (*final)[ID_HEX +
		      1]; /* staged records that were decided: never applied again (23, 15.10) */
	size_t n_final, cap_final;
	enum authority authority;
	char dispatch12[13];
	char use_agent[MAX_SLUG_BYTES + 1]; /* of the counted use */
	int64_t use_max, use_expires;
	struct keeper_grants grants;
	size_t torn;
	int64_t jump_s;
	bool new_anchor, introduced;
};

/* Ledger callback at start: keeps what recovery needs of each verified row. */
void keeper_note_row(void *arg, int64_t number, struct view line);
/* Appends a row and keeps the same of it. */
int keeper_append(struct keeper *k, const struct row *r, struct errctx *e) must_check;
bool keeper_was_decided(const struct keeper *k, struct view sid);
void keeper_forget(struct keeper *k); /* frees what was kept */

/* keeper_grants.c: which grants are in use, and how often they were. */
void keeper_grants_take(struct keeper *k, const struct grant_set *set); /* before the ledger */
void keeper_grants_note(struct keeper *k, enum row_action action, int64_t number, struct view line);
/* After the ledger: what it says against a grant counts, too; then the row of the start. */
int keeper_grants_start(struct keeper *k, const struct grant_set *set, struct errctx *e) must_check;
/* May this row of the engine be written? 0, E_DENIED, or E_SYNTAX: it must not even ask. */
int keeper_grants_check(struct keeper *k, const struct row *r, struct errctx *e) must_check;
void keeper_grants_wrote(struct keeper *k, const struct row *r);
struct keeper_grant *keeper_grant_of(struct keeper *k, struct view agent);
struct grant_query keeper_grant_query(const struct keeper *k, const struct keeper_grant *g);

#endif
