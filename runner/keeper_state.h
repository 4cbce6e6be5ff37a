/* SPDX-License-Identifier: MIT */
/* The keeper's own state; private to keeper.c, keeper_start.c and keeper_rows.c. */
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

struct keeper {
	const struct mac_key *key;
	struct anchor anchor;
	struct ledger ledger;
	struct dispatches dispatches;
	struct memory ring[REMEMBERED];
	size_t next; /* the oldest */
	struct memory intent;
	char open_run[ID_HEX + 1]; /* request of the command that has a start row and no end */
	char (*final)[ID_HEX +
		      1]; /* staged records that were decided: never applied again (23, 15.10) */
	size_t n_final, cap_final;
	enum authority authority;
	char dispatch12[13];
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

#endif
