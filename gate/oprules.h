/* SPDX-License-Identifier: MIT */
/*
 * The operator's additions, ~/.config/agentteams/gate.rules: may add asks and denies and protected
 * paths, may turn an ask of named rules into silence for an exact argument vector, never a denial.
 *
 *   # comment
 *   deny  WORDS          a command that begins with these words ("*" and "?" are wild in each)
 *   ask   WORDS
 *   deny  @CLASS|@RULE   what this class or rule asks about is refused
 *   pass  RULE[,RULE] -- WORDS     exactly this command, in the project's folder
 *   protect PATH         writing or removing this path or what is below it is refused
 *
 * Words are split at blanks; single and double quotes keep blanks. Pure.
 */
#ifndef GATE_OPRULES_H
#define GATE_OPRULES_H

#include "gate/arena.h"
#include "policy/gate.h"

enum op_kind { OP_DENY = 1, OP_ASK, OP_PASS, OP_RAISE, OP_PROTECT };
struct op_rule {
	struct op_rule *next;
	enum op_kind kind;
	unsigned line;
	struct view *words;
	size_t n_words;
	struct view *ids; /* OP_PASS: rules; OP_RAISE: one class or rule */
	size_t n_ids;
};
struct op_rules {
	struct op_rule *first;
	size_t n;
};
struct op_error {
	unsigned line, column; /* 1-based; 0: none */
	const char *why;
};

/* False and *ret_error for the first bad line; nothing of such a file is used. */
bool oprules_parse(struct arena *a, struct view text, struct op_rules *ret,
		   struct op_error *ret_error) must_check;

struct site;
struct run;
struct finding;
/* Adds what the operator's rules say about this command. */
void oprules_judge(struct site *s);
/* True if an ask of this rule is silenced for the command that is judged now. */
bool oprules_silences(const struct run *r, const char *rule, enum gate_class cls);
/* True if an ask of this rule or class is to be a denial. */
bool oprules_raises(const struct run *r, const char *rule, enum gate_class cls);
/* True if a resolved path equals a protected one or lies below it (above: or holds one). */
bool oprules_protects(const struct run *r, struct view path, bool above);

#endif
