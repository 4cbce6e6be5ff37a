/* SPDX-License-Identifier: MIT */
/*
 * The policy section of a brief and the operator's confined file (file 22, section 4): parsed once
 * from the bytes whose hash is pinned. Strict JSON; the first failing check of 4.7 refuses the
 * whole policy and the context names the place. Pure (allocates); every view borrows from the
 * structure.
 */
#ifndef RUNNER_BRIEF_H
#define RUNNER_BRIEF_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

struct json;
struct pattern;

struct views {
	struct view *item;
	size_t n;
};

struct brief_command {
	struct views prefix;
	struct pattern **args;
	size_t n_args;
	bool variadic;
	struct view cwd; /* "." by default */
	struct views writes;
	struct views stdin_gates; /* n is 0 when stdin content is refused */
	unsigned timeout_s;
};

struct brief_agent {
	struct view slug;
	struct views scopes;
	struct brief_command *commands;
	size_t n_commands;
};

struct brief_gate {
	struct view name;
	struct views argv;
	struct view glob; /* ptr NULL: only by name */
	struct views exec;
};

struct brief_jail {
	struct view slug;
	struct views exec;
	struct views write;
};

struct brief_grant {
	struct view slug;
	unsigned tools; /* bit per enum tool */
	bool wants_direct;
};

struct brief {
	struct json *json;
	struct json *operator_json; /* the confined file; NULL: none */
	char sha256[SHA256_HEX + 1];
	char operator_sha256[SHA256_HEX + 1]; /* "" when there is none */
	char *rel;			      /* the brief's path below the root; NULL: outside */
	struct brief_agent *agents;
	size_t n_agents;
	struct brief_gate *gates;
	size_t n_gates;
	struct views protect;
	struct brief_jail *jails;
	size_t n_jails;
	struct brief_grant *grants; /* the agents of mcp_grants */
	size_t n_grants;
	bool orchestrator_only; /* write_policy */
	bool allow_unconfined;
	void **owned; /* every block that the structure holds */
	size_t n_owned, cap_owned;
};

struct brief_input {
	struct view text;     /* the brief's bytes */
	struct view confined; /* the operator's file; ptr NULL: absent */
	const char *rel;      /* the brief's path below the root, or NULL */
};

/* E_SYNTAX, E_TYPE, E_MISSING, E_UNKNOWN, E_RANGE, E_DUPLICATE ...; the context names the member.
 */
int brief_parse(const struct brief_input *in, struct brief *ret, struct errctx *e) must_check;
void brief_release(struct brief *b);

const struct brief_agent *brief_agent(const struct brief *b, struct view slug);
const struct brief_gate *brief_gate(const struct brief *b, struct view name);
const struct brief_jail *brief_jail(const struct brief *b, struct view slug);
const struct brief_grant *brief_grant(const struct brief *b, struct view slug);

/* A slug: lower-case letter or digit first, then those or '-'; at most MAX_SLUG_BYTES. */
bool brief_is_slug(struct view v);

/* "<name>-<12 hex>" of the operator's files for a project (4.6): out holds the root's last
 * component made plain and the hash of the whole path. E_TOOBIG. */
int brief_project_name(struct view root_path, struct buf *out) must_check;

/* SHA-256 of an argument vector as compact JSON (4.6). */
int brief_argv_digest(const struct views *argv, char out[SHA256_HEX + 1]) must_check;

#endif
