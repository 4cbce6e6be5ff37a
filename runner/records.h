/* SPDX-License-Identifier: MIT */
/*
 * Texts that are signed beside ledger rows: dispatch lines (file 22, section 8) and staged records
 * (file 23, section 3), written in canonical form from typed fields. Pure.
 */
#ifndef RUNNER_RECORDS_H
#define RUNNER_RECORDS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/rand.h"
#include "runner/brief.h"
#include "runner/mac.h"
#include "runner/rows.h"

/* "dispatch:" and the nonce under the key. */
void dispatch_id(const struct mac_key *k, const char *nonce, char out[SHA256_HEX + 1]);

enum dispatch_line {
	LINE_NONE = 0,
	LINE_DISPATCH,
	LINE_USE,
	LINE_ATTEMPT,
};
struct dispatch_record {
	enum dispatch_line kind;
	char id[SHA256_HEX + 1];
	char agent[MAX_SLUG_BYTES + 1]; /* LINE_DISPATCH */
	int64_t max_uses;
	int64_t expires; /* wall seconds */
};
/* Appends the sealed line and a line feed. */
int dispatch_emit(const struct mac_key *k, const struct dispatch_record *r,
		  struct buf *out) must_check;
/* A line without its line feed: verifies MAC and exact canonical form. E_FORGED. */
int dispatch_parse(const struct mac_key *k, struct view line,
		   struct dispatch_record *ret) must_check;

struct staged {
	struct view agent, path, base, rationale;
	struct view content; /* ptr NULL: a deletion */
	bool has_gates;	     /* the artifact's own member */
	const struct view *gates;
	size_t n_gates;
	const struct gate_result *results;
	size_t n_results;
	struct view expires; /* ISO 8601, as it stands in the record */
	struct view sid;
	struct view request; /* the staging request; ptr NULL in records of the reference */
	/* Set by staged_digest. */
	int64_t bytes;
	char content_sha256[SHA256_HEX + 1]; /* "" for a deletion */
};
/* Fills bytes and content_sha256 from the content. */
void staged_digest(struct staged *s);
const char *staged_kind(const struct staged *s); /* "change-proposal" ... */
/* The canonical record without "mac"; *ret_at is where it belongs. */
int staged_emit(const struct staged *s, struct buf *out, size_t *ret_at) must_check;

void staged_pack(const struct staged *s, struct buf *out);
struct wire_in;
struct staged_room {
	struct view gates[MAX_GATES];
	struct gate_result results[MAX_GATES];
};
int staged_unpack(struct wire_in *in, struct staged *ret, struct staged_room *room) must_check;

#endif
