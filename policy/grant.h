/* SPDX-License-Identifier: MIT */
/*
 * Direct grants (file 24): what an operator's signature can't widen. Each refusal is a row. Pure,
 * like policy.h.
 */
#ifndef POLICY_GRANT_H
#define POLICY_GRANT_H

#include "policy/policy.h"

struct grant_row {
	const char *id; /* "GRANT_01" ... */
	const char *reason;
};
const struct grant_row *policy_grant_rows(size_t *ret_n);

/* What a decision about one signed grant looks at. Times are seconds of the wall clock. */
struct grant_query {
	int64_t issued, expires, max_writes; /* as signed */
	int64_t now;
	int64_t first_row, last_row; /* times of the ledger's first and newest row; 0: none */
	int64_t used;		     /* writes under it that the ledger knows */
	bool revoked; /* the ledger knows a start at which it was gone from the operator's file */
	int64_t nonce_uses, nonce_expires; /* use limit and end of the nonce that came */
};
/* May the grant be in use at all? Asked when it is signed (no ledger yet) and at the runner's
 * start. Rules GRANT_01 to GRANT_07. */
struct decision policy_grant_times(const struct grant_query *q);
/* May this change land directly? A refusal means that it is staged. Rules GRANT_08 to GRANT_11. */
struct decision policy_grant_use(const struct grant_query *q);
/* Is what it opens bounded? Each scope is one plain file, or some gate with a glob can look at what
 * lies in it. match: the scope. Rules GRANT_12 and GRANT_13. */
struct decision policy_grant_scopes(const struct view *scopes, size_t n_scopes,
				    const struct view *globs, size_t n_globs);

#endif
