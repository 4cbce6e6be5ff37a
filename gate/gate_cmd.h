/* SPDX-License-Identifier: MIT */
/* Subcommands of agentteams-gate; for gate/ programs only. */
#ifndef GATE_GATE_CMD_H
#define GATE_GATE_CMD_H

#include "base/buf.h"
#include "base/err.h"
#include "gate/decide.h"
#include "gate/guard.h"
#include "gate/oprules.h"

enum { EXIT_OK = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2 };

struct options {
	enum fail_mode fail;
	bool confined; /* the team's profile: leaving the sandbox is refused, not asked about */
	bool headless; /* nobody answers: asks are denials */
	bool json;
	bool no_rules;
	const char *project, *rules, *approvals, *key, *log;
	char **rest;
	int n_rest;
};

/* Each returns the exit status. */
int pretooluse_cmd(const struct options *o);
int codex_role_cmd(void);
int explain_cmd(const struct options *o);
int check_rules_cmd(const struct options *o);

/* Home, working folder and project of this process and event; views into the environment. */
void context_fill(struct gate_context *ctx, const struct options *o, struct view cwd);
/* The operator's rules: the named file, else ~/.config/agentteams/gate.rules where it exists. 0
 * (also when there are none), or an error whose context names file, line and column. */
int rules_load(struct arena *a, const struct options *o, struct op_rules *ret,
	       struct errctx *e) must_check;

#endif
