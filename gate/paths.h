/* SPDX-License-Identifier: MIT */
/* Paths of a command against the protected ones (policy/gate_path.c): lexical, since the gate acts
 * before anything exists. Pure. */
#ifndef GATE_PATHS_H
#define GATE_PATHS_H

#include "gate/opts.h"

/* Absolute and clean as far as it can be known: relative to the call's working folder, "." and ".."
 * folded. May hold ANY and GLOB. */
struct view path_resolve(struct run *r, struct view v);

/* Adds findings for a path that is written or removed. */
void path_judge(struct run *r, struct view v, enum gate_path_use use, struct span span);
/* A folder that everything else stands on: /, /etc, the home folder, the project, .git. */
bool path_is_vital(struct run *r, struct view resolved, bool sweep);
/* True if the path surely or maybe lies outside the project (and isn't a temporary folder). */
bool path_outside(struct run *r, struct view v);

/* Operands and options that the site's program writes. */
void writers_judge(struct site *s, const struct opts *o);

struct file_fact *file_find(struct run *r, struct view path);
void file_add(struct run *r, struct view path, enum file_kind kind, const struct flow *content,
	      struct view copy_of);

/* For the tools that write by path: the row that forbids it, or NULL. */
const struct gate_path *path_rule(const struct gate_context *ctx, struct view resolved,
				  enum gate_path_use use);
struct view path_clean(struct arena *a, struct view base, struct view v);

#endif
