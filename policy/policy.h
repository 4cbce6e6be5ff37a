/* SPDX-License-Identifier: MIT */
/*
 * The decisions that other folders may ask for. Pure: same input, same verdict, same rule id; no
 * input or output, no allocation, no clock, no locale. Callers pass every name of the thing they
 * mean (requested, resolved, opened); policy/ never looks at a file.
 */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H

#include "base/view.h"

/* Zero is no verdict and counts as a refusal; the values are far apart bit by bit. Compare with ==
 * VERDICT_ALLOW. */
enum verdict {
	VERDICT_NONE = 0,
	VERDICT_ALLOW = 0x2a5c93d1,
	VERDICT_ASK = 0x55c36a0e,
	VERDICT_DENY = 0x5da35c6b,
};
const char *verdict_name(enum verdict v); /* "allow", "ask", "deny", "none" */

/* Refuse beats ask beats allow; anything else counts as a refusal. */
enum verdict verdict_combine(enum verdict a, enum verdict b);

struct decision {
	enum verdict verdict;
	const char *rule; /* stable id, e.g. "DENY_0012"; "internal" on an internal error; NULL when
			     allowed */
	const char *reason; /* one static sentence; NULL when allowed */
	const char *which;  /* name that matched: "requested", "resolved" or "opened"; NULL when
			       allowed */
	struct view match;  /* component of the caller's path that matched; empty when allowed */
};

/* ---- the deny list (file 20, section 7, and its item 15.19) ---- */

/* One addition of the operator (~/.config/agentteams/deny.list). Additions can only deny. */
enum deny_match {
	DENY_EQUALS = 1, /* a component equals the text */
	DENY_PREFIX,	 /* a component starts with it */
	DENY_SUFFIX,	 /* a component ends with it */
	DENY_INFIX,	 /* a component contains it */
	DENY_PATH,	 /* the project-relative path itself and everything below it */
};
struct deny_entry {
	enum deny_match match;
	struct view text; /* borrowed from the parsed file; folded at compare time */
	unsigned line;	  /* in the operator's file; the rule id of a match is "DENY_OPERATOR" */
};

/* Parses the operator's file: one entry a line, '#' starts a comment line, blanks around an entry
 * are dropped. name      a component equals      name*     starts with       *name     ends with
 *   *name*    contains                a/b, a/   the path below the project and everything in it
 * Refused: '*' elsewhere, "?" or "[", an empty name, "..", a leading '/' or '~', control
 * characters, invalid UTF-8, more than max entries. Returns 0 and *ret_n, or the 1-based number of
 * the first bad line with *ret_why (static text). */
unsigned policy_deny_parse(struct view text, struct deny_entry *out, size_t max, size_t *ret_n,
			   const char **ret_why) must_check;

struct path_query {
	struct view requested; /* as the caller asked; always given */
	struct view resolved;  /* relative to the root; ptr NULL: not known */
	struct view opened; /* the kernel's name for the descriptor, relative to the root; ptr NULL:
			       nothing was opened */
	const struct deny_entry *extra;
	size_t n_extra;
};

/* May this path be read through read_file_hashed? Every component of every given name is held
 * against the deny list and the additions. requested is also held against pathstr_check_relative.
 * An empty resolved or opened name is the root itself and is allowed here (the caller refuses it as
 * no regular file). */
struct decision policy_path_read(const struct path_query *q);

/* ---- names shared by all programs ---- */

enum tool {
	TOOL_WRITE_FILE,
	TOOL_DELETE_FILE,
	TOOL_RUN_COMMAND,
	TOOL_REQUEST_STATUS,
	TOOL_READ_FILE_HASHED,
	N_TOOLS,
};
/* The five tools in canonical order (file 20, section 2). */
struct tool_row {
	const char *id; /* "TOOL_01" ... */
	const char *name;
	bool read_only, destructive, idempotent, open_world; /* MCP annotations (file 00, D24) */
	bool queues;					     /* goes through the runner */
};
const struct tool_row *policy_tool(enum tool t);
/* -1 for an unknown name. */
int policy_tool_by_name(struct view name);

enum param_type {
	PARAM_STRING = 1,
	PARAM_STRINGS, /* array of strings */
	PARAM_INTEGER,
};
enum param_form {
	FORM_ANY = 1, /* any text */
	FORM_PATH,    /* what pathstr_check_relative accepts */
	FORM_TOKEN,   /* 32 lower-case hex digits: nonces and request ids */
	FORM_BASE,    /* 64 lower-case hex digits, or "absent" */
	FORM_GATE,    /* a gate's name: letters, digits, dot, underscore, hyphen */
};
/* One argument of one tool. The advertised schema is written from these rows and arguments are
 * checked against the same rows, so the two can't differ. Lengths are in Unicode code points, as
 * JSON Schema counts; max_bytes is a second bound on UTF-8 bytes (0: none). */
struct param_row {
	enum tool tool;
	const char *id; /* "PARAM_01" ... */
	const char *name;
	enum param_type type;
	enum param_form form;
	bool required;
	int64_t min, max; /* length of the string or of each item; value of an integer */
	size_t max_bytes;
	size_t min_items, max_items; /* of an array */
	const char *description;
};
const struct param_row *policy_params(size_t *ret_n);

/* ---- system calls of the MCP server, once it has confined itself ---- */

enum syscall_action {
	SYSCALL_ALLOW = 1,
	SYSCALL_KILL, /* ends the process; every call without a row fails with EPERM */
};
struct syscall_row {
	const char *id;
	enum syscall_action action;
	const char *name; /* as libseccomp knows it; not every architecture has each */
	const char *reason;
};
const struct syscall_row *policy_server_syscalls(size_t *ret_n);

/* Writes every table as stable text (or JSON) through the caller's sink, piece by piece. */
typedef void (*policy_sink)(void *arg, const char *bytes, size_t n);
void policy_dump_text(policy_sink sink, void *arg);
void policy_dump_json(policy_sink sink, void *arg);

/* Invariants over all tables. NULL, or what is wrong with them (static text): a program that
 * decides refuses to start then. */
const char *policy_selfcheck(void) must_check;

#endif
