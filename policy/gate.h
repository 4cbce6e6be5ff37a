/* SPDX-License-Identifier: MIT */
/*
 * Tables of the gate hook: which programs and words make a command one that a person has to see
 * (file 40, sections 12.6 to 12.14). Rows only; gate/ reads commands and holds them against these
 * rows. Pure: no input or output, no allocation, no clock, no locale. Every row that decides has a
 * stable id and its cases in tests/cases/gate-*.cases. Others include this header alone; it brings
 * the parts: programs and rules, program texts, paths and tools.
 */
#ifndef POLICY_GATE_H
#define POLICY_GATE_H

#include "base/view.h"
#include "policy/policy.h"

/* ---- classes ---- */

enum gate_class {
	GATE_NONE,
	GATE_PRIVILEGE,
	GATE_PIPE_TO_SHELL,
	GATE_PERSISTENCE,
	GATE_PKG_INSTALL,
	GATE_PUBLISH,
	GATE_PERMISSIONS,
	GATE_GIT_HISTORY,
	GATE_GIT_DISCARD,
	GATE_REF_DELETE,
	GATE_PROTECTED_PUSH,
	GATE_GH_DELETE,
	GATE_PR_MERGE,
	GATE_FS_DELETE,
	GATE_FS_TRUNCATE,
	GATE_INFRA_DELETE,
	GATE_DB_DELETE,
	GATE_INTERP_DELETE,
	GATE_ENV_EXEC,
	GATE_TAMPER,
	GATE_HIDDEN_CHAR,
	GATE_OPAQUE,
	GATE_SANDBOX_OFF,
	GATE_CONTENT,
	GATE_SHRINK,
	GATE_TOOL,
	GATE_EVENT,
	GATE_OPERATOR,
	N_GATE_CLASSES,
};
struct gate_class_row {
	const char *name;     /* "fs-delete" */
	enum verdict verdict; /* of its rules, unless a row says deny */
	const char *does;     /* completes "this command ..." */
	const char *instead;  /* what would be allowed; one sentence without its full stop */
};
const struct gate_class_row *gate_class(enum gate_class c);
/* GATE_NONE for an unknown name. */
enum gate_class gate_class_by_name(struct view name);

/* "*" and "?" are wild; folds ASCII case if asked. Linear: one pass with one point to go back to.
 */
bool gate_glob(const char *pattern, struct view v, bool fold);
/* True if v is one of the blank-separated words of list. */
bool gate_in_list(const char *list, struct view v);

#include "policy/gate_program.h"
#include "policy/gate_rule.h"
#include "policy/gate_text.h"
#include "policy/gate_path.h"

#endif
