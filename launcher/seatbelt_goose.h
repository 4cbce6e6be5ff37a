/* SPDX-License-Identifier: MIT */
/* Between the files of profile G. Pure. */
#ifndef LAUNCHER_SEATBELT_GOOSE_H
#define LAUNCHER_SEATBELT_GOOSE_H

#include "base/err.h"
#include "base/view.h"

enum goose_group {
	GOOSE_CORE = 1,
	GOOSE_CLAUDE,
	GOOSE_COPILOT,
	GOOSE_CODEX,
	GOOSE_PROJECT,
	GOOSE_LEDGER
};

/* The n-th protected path below the workspace, with a slash at its front; NULL past the last. */
const char *seatbelt_goose_protected(size_t n, enum goose_group *ret_group);

struct goose_entry {
	const char *param; /* "WORKSPACE_ROOT", "HOME_DIR", or NULL for an absolute path */
	char rest[4100];   /* "" or "/..." */
};
/* An entry of a brief, normalised. E_SYNTAX, E_LINK, E_TOOBIG. */
int seatbelt_goose_entry(struct view word, struct goose_entry *ret, struct errctx *e) must_check;

#endif
