/* SPDX-License-Identifier: MIT */
/*
 * Where a proposal may write (file 22, section 5): the control plane, protected paths, write scopes
 * and the globs of commands. Pure, like policy.h. Paths are relative to the project root, clean and
 * valid UTF-8 (the caller checked them with pathstr_check_relative and pathstr_clean). Deny rules
 * fold case, allow rules don't (file 00, D16).
 */
#ifndef POLICY_WRITE_H
#define POLICY_WRITE_H

#include "policy/policy.h"

/* One place that steers agents, git, an editor or this product. */
struct write_row {
	const char *id;	  /* "WRITE_01" ... */
	const char *path; /* one or more components */
	bool any_depth;	  /* refused wherever it appears, not just at the top of the project */
	bool named_ok;	  /* a write scope that names exactly this file allows it (file 22, 20.7) */
	const char *reason;
};
const struct write_row *policy_write_rows(size_t *ret_n);

/* At or below a place of the control plane. named: the caller's scopes, for rows that can be named
 * (may be NULL). */
struct decision policy_write_control(struct view rel, const struct view *named, size_t n_named);

struct write_query {
	struct view rel;
	struct view brief; /* the brief's own path; ptr NULL: outside the project */
	const struct view *scopes;
	size_t n_scopes;
	const struct view *protect; /* globs of protected_paths */
	size_t n_protect;
};

/* May the agent with these scopes write rel? In order: control plane, brief, protected, scopes
 * (file 22, 5.7). Rules: WRITE_nn, "WRITE_BRIEF", "WRITE_PROTECTED", "WRITE_SCOPE". */
struct decision policy_path_write(const struct write_query *q);

/* Does one scope cover rel (5.1)? A scope that isn't safe covers nothing, and none covers a path
 * with "..". */
bool policy_scope_covers(struct view scope, struct view rel);
/* Does one protected pattern cover rel (5.2)? */
bool policy_protect_covers(struct view pattern, struct view rel);

/* Checks at load time: NULL, or a static sentence that says why the text is refused. */
const char *policy_scope_check(struct view scope);     /* 5.1 */
const char *policy_writes_check(struct view pattern);  /* 5.4, without the brief */
const char *policy_protect_check(struct view pattern); /* never matches as written (20.8) */
const char *policy_root_check(struct view root);       /* a write root of 4.4 */

/* The glob dialect of 5.5 over the whole text; '*' crosses '/'. fold: both sides in lower case.
 * Texts longer than MAX_PATH_BYTES match nothing when folded. */
bool policy_glob(struct view pattern, struct view text, bool fold);

#endif
