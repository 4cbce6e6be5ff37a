/* SPDX-License-Identifier: MIT */
/*
 * Artifacts (file 22, section 9): exactly the listed members, right types. The nonce is left to
 * identity (its faults have answers of their own). Pure (allocates); views borrow from the tree.
 */
#ifndef RUNNER_ARTIFACT_H
#define RUNNER_ARTIFACT_H

#include "base/err.h"
#include "base/json.h"
#include "base/limits.h"
#include "runner/brief.h"

enum artifact_kind {
	ARTIFACT_CHANGE = 1,
	ARTIFACT_DELETE,
	ARTIFACT_COMMAND,
};

struct artifact {
	enum artifact_kind kind;
	struct view dispatch; /* "" when it is no string */
	struct view agent;    /* ptr NULL: not given */
	struct view path, base, content, rationale;
	bool has_gates;
	struct views gates;
	struct views argv, expected_writes;
	struct view purpose, cwd; /* cwd ptr NULL: not given */
	bool has_stdin;
	struct view stdin_path, stdin_content;
};

/* An unknown kind is read as a malformed change proposal (10.1). stored: an artifact without nonce,
 * as staged records hold it. E_TYPE, E_MISSING, E_UNKNOWN, E_TOOBIG, E_NOMEM. */
int artifact_parse(const struct json *j, bool stored, struct artifact *ret,
		   struct errctx *e) must_check;
void artifact_release(struct artifact *a);

/* The path of a proposal made clean into out (NUL-ended): relative, no "..", no '\', no control,
 * hidden or trailing-blank characters, no trailing slash, not the root (5.6, 20.4). */
int artifact_path(struct view path, char out[MAX_PATH_BYTES + 1], struct errctx *e) must_check;

bool artifact_is_base(struct view v); /* 64 lower-case hex digits, or "absent" */
bool artifact_is_blank(struct view v);
/* Without surrounding blanks and at most MAX_ROW_CHARS characters: what a row keeps. */
struct view artifact_excerpt(struct view v);

#endif
