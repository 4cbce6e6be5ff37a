/* SPDX-License-Identifier: MIT */
/* Programs that the gate knows and how each reads its options. Part of policy/gate.h. Pure. */
#ifndef POLICY_GATE_PROGRAM_H
#define POLICY_GATE_PROGRAM_H

#include "base/view.h"

/* ---- programs ---- */

enum gate_program_flags {
	GP_READS = 1 << 0,	/* only reads: its operands are data */
	GP_FILTER = 1 << 1,	/* copies standard input or files to its output, changed or not */
	GP_NET = 1 << 2,	/* its output comes from elsewhere */
	GP_DECODE = 1 << 3,	/* its output is text that nobody could read in the command */
	GP_SHELL = 1 << 4,	/* interprets shell text */
	GP_LANG = 1 << 5,	/* interprets another language (lang) */
	GP_HELP_H = 1 << 6,	/* -h is help */
	GP_ABBREV = 1 << 7,	/* long options may be abbreviated */
	GP_SINGLE = 1 << 8,	/* long options are written with one hyphen too */
	GP_MULTI = 1 << 9,	/* first operand is the program (busybox) */
	GP_SQL = 1 << 10,	/* SQL reaches it by option, operand or standard input */
	GP_BUILTIN = 1 << 11,	/* the shell's own; handled by name */
	GP_PASS = 1 << 12,	/* output equals input (cat, tee) */
	GP_NOCLUSTER = 1 << 13, /* -abc is one option */
	GP_WRAPS = 1 << 14,	/* runs the rest of its words: policy/gate_wrap.c, or by name in
				   gate/peel.c */
};
enum gate_lang {
	LANG_NONE,
	LANG_SHELL,
	LANG_PYTHON,
	LANG_PERL,
	LANG_RUBY,
	LANG_NODE,
	LANG_PHP,
	LANG_LUA,
	LANG_R,
	LANG_AWK,
	LANG_SED,
	LANG_SQL,
	LANG_APPLE,
	LANG_ELISP,
	LANG_TCL,
	LANG_VIM,
	LANG_ED,
	LANG_GDB,
	LANG_MAKE,
	LANG_POWERSHELL,
};
struct gate_program {
	const char *name;   /* normalised: last path component, no version, no .exe */
	const char *family; /* what rules and grammars are listed under */
	unsigned flags;
	enum gate_lang lang;
};
/* NULL: a program of no interest. */
const struct gate_program *gate_program(struct view name);
/* All of them, sorted by name: the ith, NULL behind the last; and where a name stands. */
size_t gate_program_count(void);
const struct gate_program *gate_program_at(size_t i);
bool gate_program_find(struct view name, size_t *ret);
/* The two halves of the table, for policy/ itself. */
const struct gate_program *gate_program_al(size_t *ret_n);
const struct gate_program *gate_program_mz(size_t *ret_n);

/* ---- option grammars ---- */

struct gate_grammar {
	const char *family;
	const char *sub;    /* first operand; "" for the program's own options */
	const char *shorts; /* letters that take a value */
	const char *longs;  /* blank-separated long options that take a value as the next word */
};
/* Rows of a family stand together. NULL: none. */
const struct gate_grammar *gate_grammar(struct view family, struct view sub);
const struct gate_grammar *gate_grammars(size_t *ret_n);

#endif
