/* SPDX-License-Identifier: MIT */
/*
 * Tables of the launcher (file 10): what is hidden, what is read-only, which system calls a guest
 * may make, which variables it sees. Rows only; launcher/ acts on them. Pure.
 */
#ifndef POLICY_LAUNCH_H
#define POLICY_LAUNCH_H

#include "base/view.h"
#include "policy/policy.h"

/* ---- names in the home folder that a guest must not read ---- */

enum mask_set {
	MASK_BASE = 1, /* file 10, section 4; in every run */
	MASK_EXTENDED, /* section 18.7; can be re-opened by name (--reveal) */
};
struct mask_row {
	const char *id;
	enum mask_set set;
	const char *path; /* below the home folder; the last component may hold one '*' */
	const char *reason;
};
const struct mask_row *launch_masks(size_t *ret_n);

/* ---- names below a writable root that stay read-only ---- */

enum guard_kind {
	GUARD_DIR = 1, /* whole folder, when present */
	GUARD_PLACE,   /* whole folder; a placeholder stands in while it is absent */
	GUARD_PROMPT,  /* prompt root, only with --protect-prompt-roots */
	GUARD_TEAM,    /* required when its team is present */
	GUARD_ROSTER,  /* required when its team and the team's switch are present */
	GUARD_PRESENT, /* protected when present, never required */
	GUARD_EDITOR,  /* with --git-protect on or hooks: decides what runs outside */
};
enum guard_team { TEAM_NONE = 0, TEAM_CLAUDE, TEAM_GOOSE, TEAM_COPILOT, TEAM_CODEX, N_TEAMS };
struct guard_row {
	const char *id;
	enum guard_kind kind;
	enum guard_team team;
	const char *path; /* below the root */
	const char *reason;
};
const struct guard_row *launch_guards(size_t *ret_n);

struct team_row {
	enum guard_team team;
	const char *name;   /* "Claude" */
	const char *dir;    /* below the root */
	const char *suffix; /* of its agent files */
};
/* TEAM_CLAUDE to TEAM_CODEX. */
const struct team_row *launch_team(enum guard_team t);
extern const char launch_team_marker[]; /* inside a team folder */
extern const char launch_team_switch[];
extern const char launch_team_not_agent[]; /* a file that never counts as an agent */

/* ---- names of a git repository ---- */

enum git_level {
	GIT_LEVEL_HOOKS = 1, /* executed as they are */
	GIT_LEVEL_CONFIG,    /* name programs that git executes */
};
struct git_row {
	const char *id;
	enum git_level level;
	const char *path; /* below the git folder; "modules/" + '*' stands for each submodule */
	const char *reason;
};
const struct git_row *launch_git(size_t *ret_n);

/* Keys of a git configuration that name a program or another configuration: section and key folded,
 * '*' for any subsection. True if section.key is one. */
bool launch_git_key_runs(struct view section, struct view key, struct view value);

/* ---- parts of /run that stay visible, read-only ---- */

struct run_row {
	const char *id;
	const char *path;
	bool host_only; /* only with --egress host */
	const char *reason;
};
const struct run_row *launch_run_paths(size_t *ret_n);

/* ---- environment ---- */

extern const char *const launch_env_default[]; /* NULL-ended; passed through when set */
extern const char *const launch_env_shells[];  /* values that SHELL may have */
/* A name that a loader, a language runtime or a client of a host service obeys (file 10, 18.6). */
bool launch_env_is_dangerous(struct view name);
/* Letters, digits, underscore; doesn't start with a digit; not empty. */
bool launch_env_name_ok(struct view name);

/* ---- system calls ---- */

enum sys_action {
	SYS_EPERM = 1, /* refused */
	SYS_ENOSYS,    /* looks unimplemented, so that libraries fall back */
	SYS_ALLOW,
};
enum sys_set_use {
	SET_DENY = 1, /* refused under both presets */
	SET_DEBUG,    /* like SET_DENY, but --allow-debug opens it */
	SET_ALLOW,    /* the command preset's allow list */
};
struct sys_set {
	const char *id;
	enum sys_set_use use;
	enum sys_action action;
	const char *name;
	const char *calls; /* names separated by blanks; "=NUMBER" after a name for calls that an
			      old libseccomp doesn't know (the same on every 64-bit architecture) */
	const char *reason;
};
const struct sys_set *launch_sys_sets(size_t *ret_n);

/* Conditions on arguments, always on (file 10, 18.9). The low 32 bits of argument `arg`, masked,
 * are compared with value; when `cmp` holds the call ends in `action`. */
enum sys_cmp { CMP_MASKED_EQ = 1, CMP_NE_ALL, CMP_ALWAYS };
enum arg_when { WHEN_ALWAYS = 1, WHEN_NO_UNIX, WHEN_EXEC_LIST };
struct arg_rule {
	const char *id;
	enum arg_when when;
	const char *call;
	unsigned arg;
	enum sys_cmp cmp;
	uint64_t mask, value;
	int err; /* errno of the refusal */
	const char *reason;
};
const struct arg_rule *launch_arg_rules(size_t *ret_n);
/* Socket families that stay open; everything else is refused with EAFNOSUPPORT. AF_UNIX depends on
 * the mode. */
extern const int launch_socket_families[];
size_t launch_socket_families_count(void);

/* ---- presets (file 10, 18.3; file 00, D20) ---- */

enum launch_preset { PRESET_AGENT = 1, PRESET_COMMAND };
enum launch_egress { EGRESS_DENY = 1, EGRESS_PROXY, EGRESS_HOST };
enum launch_home { HOME_RO = 1, HOME_PRIVATE };
enum launch_sockets { SOCKETS_NONE = 1, SOCKETS_PRIVATE, SOCKETS_HOST };
enum launch_git_protect { GIT_PROTECT_ON = 1, GIT_PROTECT_HOOKS, GIT_PROTECT_OFF };
struct preset_row {
	const char *id;
	const char *name;
	enum launch_preset preset;
	enum launch_egress egress;
	enum launch_home home;
	enum launch_sockets sockets;
	enum launch_git_protect git;
	bool allow_list;     /* seccomp: allow list instead of deny list */
	bool relay;	     /* terminal relay when stdin is a terminal */
	unsigned nproc_max;  /* 0: none */
	unsigned nofile_max; /* 0: none */
};
const struct preset_row *launch_preset(enum launch_preset p);
const struct preset_row *launch_preset_by_name(struct view name); /* NULL: unknown */

/* Every table as text, for the golden file and for reviewers. */
void launch_dump_text(policy_sink sink, void *arg);

#endif
