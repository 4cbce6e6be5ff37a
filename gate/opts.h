/* SPDX-License-Identifier: MIT */
/* Options and operands of a command, read with the program's own grammar (policy/gate_grammar.c),
 * and rule conditions held against them (policy/gate.h, struct gate_rule). Pure. */
#ifndef GATE_OPTS_H
#define GATE_OPTS_H

#include "gate/site.h"

struct opt {
	struct view name; /* with its hyphens: "-f", "--force" */
	struct view val;
	bool has_val;
	uint32_t idx, val_idx; /* in argv */
};
struct opts {
	struct opt *v;
	uint32_t n, cap;
	struct field *operands;
	uint32_t *operand_idx;
	uint32_t n_operands;
	bool help;	   /* --help, or -h where that is help, or --version first */
	bool maybe_option; /* an unknown, unquoted word that could be an option */
	unsigned flags;	   /* of the program */
	struct view family;
};

enum { OPTS_UNKNOWN = 1 << 30 }; /* flag: the program isn't in the tables */

void opts_parse(struct run *r, const struct field *argv, uint32_t argc, struct view family,
		unsigned flags, struct opts *ret);
/* An option by any spelling the program accepts; NULL: absent. Blank-separated names. */
const struct opt *opts_find(const struct opts *o, const char *names);

/* Holds every rule of the site's program against it and adds what it finds. */
void match_rules(struct site *s, const struct opts *o);
/* One list of conditions ("when" of a rule or writer); from: the first remaining operand. */
bool conditions_hold(struct site *s, const struct opts *o, const char *terms, uint32_t from);
bool test_by_name(struct site *s, const struct opts *o, const char *name, uint32_t from);
/* Words a sub-command pattern uses up; -1: it doesn't match; -2: a word that decides isn't known.
 */
int sub_matches(const struct opts *o, const char *sub);

#endif
