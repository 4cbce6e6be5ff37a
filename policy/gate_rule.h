/* SPDX-License-Identifier: MIT */
/* Rules: what a program must be told to make a person look. Part of policy/gate.h. Pure. */
#ifndef POLICY_GATE_RULE_H
#define POLICY_GATE_RULE_H

#include "policy/policy.h"

/* ---- rules ---- */

/*
 * sub: words that must stand first among the operands, blank-separated, alternatives with '|'; "*"
 *   is any one word, "**" any number. Matched words are used up.
 * when, unless: terms, blank-separated, all must hold; alternatives with '|'. Atoms:
 *   -x --long       option present (clusters, --long=value, abbreviations)
 *   --opt=glob      option with a matching value (case-insensitive; "*" and "?" are wild)
 *   =glob           some remaining operand matches      N=glob  the Nth one does
 *   n>=N n=N        number of remaining operands        ?       an unknown operand may be an option
 *   @name           a test in code (gate/tests.c)       !atom   it doesn't hold
 */
struct gate_rule {
	const char *id;
	const char *family;
	const char *sub;
	const char *when;
	const char *unless;
	enum gate_class cls;
	enum verdict verdict; /* 0: the class's */
	const char *does;     /* NULL: the class's words */
};

size_t gate_rule_tables(void);
const struct gate_rule *gate_rule_table(size_t i, size_t *ret_n);
/* Ids that code uses without a row of its own (see gate_own_rules). */
struct gate_own_rule {
	const char *id;
	enum gate_class cls;
	enum verdict verdict;
	const char *does;
};
const struct gate_own_rule *gate_own_rule(const char *id);
const struct gate_own_rule *gate_own_rules(size_t *ret_n);
bool gate_rule_exists(struct view id, enum gate_class *ret_cls, enum verdict *ret_verdict);

/* The tables by subject, for policy/ itself. */
const struct gate_rule *gate_rule_git(size_t *ret_n); /* git, forges */
const struct gate_rule *gate_rule_files(
	size_t *ret_n); /* files, permissions, rights, what runs later */
const struct gate_rule *gate_rule_package(size_t *ret_n); /* package managers, publishing */
const struct gate_rule *gate_rule_infra(size_t *ret_n);	  /* clouds, containers, databases */

#endif
