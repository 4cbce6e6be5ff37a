/* SPDX-License-Identifier: MIT */
/* Paths, tools other than the shell, secrets, branches, the text floor. Part of policy/gate.h.
 * Pure. */
#ifndef POLICY_GATE_PATH_H
#define POLICY_GATE_PATH_H

#include "policy/policy.h"

/* ---- paths ---- */

enum gate_path_use {
	USE_WRITE = 1, /* content is replaced or added */
	USE_REMOVE,    /* goes away: deleted or moved; folders above count too */
	USE_REPLACE,   /* everything below may change (git checkout of a folder) */
	USE_SWEEP,     /* some of what is below goes away (find -delete) */
	USE_MODE,      /* owner or permissions change */
};
struct gate_path {
	const char *id;
	const char *pattern; /* components; "*" within one is wild; "~/" is the home folder, "/" the
				root, else anywhere */
	bool tree;	     /* everything below it too */
	enum gate_class cls;
	enum verdict verdict;
	const char *what;
};
const struct gate_path *gate_paths(size_t *ret_n);
/* Folders that may not be deleted whole: "/", "/etc", ... */
bool gate_system_folder(struct view clean_absolute);

enum gate_writes {
	WRITES_ALL = 1, /* every operand */
	WRITES_LAST,
	WRITES_FIRST,
	WRITES_REST,	/* all but the first (sed's script) */
	WRITES_OPTION,	/* values of these options only */
	WRITES_REMOVE,	/* every operand goes away */
	WRITES_MOVE,	/* the last is written, the others go away */
	WRITES_REPLACE, /* every operand and what is below may change */
	WRITES_SWEEP,	/* some of what is below goes away */
	WRITES_MODE,	/* all but the first: owner or permissions change */
};
struct gate_writer {
	const char *family;
	const char *sub;
	const char *when; /* an option that must be present, or "" */
	enum gate_writes writes;
	const char *options; /* options whose value is written too, blank-separated */
};

const struct gate_writer *gate_writers(size_t *ret_n);

/* ---- tools other than the shell ---- */

enum gate_tool_kind {
	TOOLK_SHELL = 1,
	TOOLK_POWERSHELL,
	TOOLK_WRITE,
	TOOLK_EDIT,
	TOOLK_READ, /* no rule */
	TOOLK_SPAWN,
	TOOLK_PATCH,
	TOOLK_OTHER,
};
struct gate_tool {
	const char *name;
	enum gate_tool_kind kind;
};
enum gate_tool_kind gate_tool_kind(struct view name);
const struct gate_tool *gate_tools(size_t *ret_n);
/* Words in the name of an MCP tool that make it one to ask about. */
bool gate_mcp_word(struct view word);

/* ---- secrets ---- */

struct gate_secret {
	const char *prefix; /* "ghp_" */
	size_t min;	    /* token characters behind it */
	const char *what;
};
const struct gate_secret *gate_secrets(size_t *ret_n);
/* Words before "=" or ":" or in an option's name that make the value a secret. */
bool gate_secret_word(struct view name);

/* ---- protected branches and the text floor ---- */

bool gate_branch_protected(struct view branch);
struct gate_floor {
	const char *words; /* blank-separated, all must occur in this order as whole words */
	enum gate_class cls;
};
const struct gate_floor *gate_floors(size_t *ret_n);

#endif
