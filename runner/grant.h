/* SPDX-License-Identifier: MIT */
/*
 * Records of direct grants (file 24, sections 3 to 6): one shape, the bytes that are signed, what a
 * grant must bind, and which records of a file are active. Pure (allocates); public keys come
 * through the caller's function.
 */
#ifndef RUNNER_GRANT_H
#define RUNNER_GRANT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/limits.h"
#include "runner/brief.h"
#include "runner/key_sign.h"

#define GRANT_SERVER "agentteams_runner"
enum { GRANT_ID_HEX = 16 };

/* A record as parsed; views borrow from the JSON. */
struct grant {
	const struct json *json;
	struct view id, agent, key_id, signature;
	int64_t issued, expires, max_writes;
};
/* Exactly the 13 fields of a draft, or those and "signature"; strict types and forms, nothing more
 * (24, 12.18). E_TYPE, E_MISSING, E_UNKNOWN, E_RANGE, E_SYNTAX. */
int grant_parse(const struct json *j, bool is_signed, struct grant *ret,
		struct errctx *e) must_check;

bool grant_is_key_id(struct view v);

/* The tag, '|', and the compact canonical JSON of the 13 fields. */
int grant_payload(const struct grant *g, struct buf *out) must_check;

/* The record with its signature, parsed again. */
int grant_seal(const struct grant *g, const char *signature, struct json **ret,
	       struct errctx *e) must_check;

/* What a person confirms (8.3): SHA-256 over the unsigned record, the project and the key id. */
int grant_review_digest(const struct grant *g, struct view project,
			char ret[SHA256_HEX + 1]) must_check;

/* Refuses (E_DENIED) a record with characters that hide or reorder what a person reads. */
int grant_check_display(const struct grant *g, struct errctx *e) must_check;

/* What does not come from the brief. */
struct grant_terms {
	struct view id, key_id, server_sha256;
	int64_t issued, expires, max_writes;
};
/* The unsigned record that the brief asks for (3.2), bounded (3.3), as canonical JSON with two
 * blanks a level and a line feed. E_DENIED: the brief doesn't ask for it, or it is unbounded. */
int grant_draft(const struct brief *b, struct view agent, const struct grant_terms *t,
		struct buf *out, struct errctx *e) must_check;
/* Does it bind what the brief says now? E_CHANGED, naming the field; E_DENIED as above. */
int grant_check_binding(const struct grant *g, const struct brief *b, struct view server_sha256,
			struct errctx *e) must_check;

/* ---- a whole file ---- */

struct grant_entry {
	char id[GRANT_ID_HEX + 1], agent[MAX_SLUG_BYTES + 1], key_id[MAX_KEY_ID_BYTES + 1];
	char fingerprint[SHA256_HEX +
			 1]; /* of the key file's text, as the reference's rows have it */
	int64_t issued, expires, max_writes;
	bool active;
	char why[MAX_GRANT_PROBLEM_BYTES + 1]; /* why it isn't */
};

struct grant_set {
	struct grant_entry item[MAX_GRANT_RECORDS];
	size_t n;
	char sha256[SHA256_HEX + 1]; /* of the file's bytes; "": there is none */
};

struct grant_context {
	const struct brief *brief;
	struct view server_sha256;
	int64_t now;
	/* A trusted public key by its id, and the SHA-256 of its file. */
	int (*key)(void *arg, struct view key_id, uint8_t ret[SIGN_PUBLIC_BYTES],
		   char ret_fingerprint[SHA256_HEX + 1], struct errctx *e);
	void *arg;
};
/* One record, in the order of section 5. fingerprint may be NULL. */
int grant_verify(const struct grant *g, const struct grant_context *c,
		 char fingerprint[SHA256_HEX + 1], struct errctx *e) must_check;
/* The active set (section 6). An error means that the file can't be used at all; a bad record only
 * stays inactive. */
int grant_set_parse(struct view text, const struct grant_context *c, struct grant_set *ret,
		    struct errctx *e) must_check;
const struct grant_entry *grant_set_agent(const struct grant_set *s, struct view agent);

#endif
