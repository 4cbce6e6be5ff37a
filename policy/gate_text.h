/* SPDX-License-Identifier: MIT */
/* Where a command holds another: wrappers, options with program text, the environment, names in
 * other languages. Part of policy/gate.h. Pure. */
#ifndef POLICY_GATE_TEXT_H
#define POLICY_GATE_TEXT_H

#include "policy/gate_program.h"

/* ---- wrappers: programs that run the rest of their words ---- */

enum gate_inner {
	INNER_REST = 1, /* the remaining words are the command */
	INNER_TEXT,	/* the remaining words, joined by blanks, are shell text */
	INNER_ONE_TEXT, /* one remaining word: shell text; several: the command */
	INNER_OPTION,	/* only the text of an option */
	INNER_NONE,
};
struct gate_wrapper {
	const char *id;
	const char *name;   /* program; several, blank-separated */
	const char *sub;    /* words that must come first ("" none) */
	const char *flags;  /* letters without value */
	const char *valued; /* letters with value */
	const char *longs;  /* long options without value; "*" any */
	const char *vlongs; /* long options with value */
	const char *text;   /* options whose value is shell text */
	uint8_t skip;	    /* operands before the command */
	bool assigns;	    /* NAME=value words may come first */
	enum gate_inner inner;
	enum gate_class cls; /* finding that the wrapper itself makes; GATE_NONE: none */
	const char *where;   /* "on another machine", ...: added to the reason; NULL */
};
const struct gate_wrapper *gate_wrapper(struct view name, struct view first_operand);
const struct gate_wrapper *gate_wrappers(size_t *ret_n);

/* ---- options and settings whose value is a command ---- */

enum gate_form {
	FORM_SHELL = 1, /* the value is shell text */
	FORM_EXEC,	/* "exec=" and shell text (tar) */
	FORM_BANG,	/* shell text after "!" (vim, less) */
	FORM_LANG,	/* text of `lang` */
	FORM_PROGRAM,	/* a program, possibly with words */
	FORM_SSH,	/* Name=value where the name makes a command */
};
struct gate_script {
	const char *id;
	const char *family;
	const char *sub;    /* first operand, "" any */
	const char *option; /* "-c", "--eval", "+" (a word beginning with it), "N" (Nth operand),
			       "*" (all) */
	enum gate_form form;
	enum gate_lang lang;
};

const struct gate_script *gate_scripts(size_t *ret_n);

/* Keys of git's configuration whose value runs. */
bool gate_git_key_runs(struct view key, bool *ret_bang_only);
bool gate_git_key_guards(struct view key); /* core.hooksPath */

/* ---- the environment ---- */

enum gate_env_kind {
	ENV_SEARCH = 1, /* a search path: folders in the workspace are the danger */
	ENV_LOAD,	/* code is loaded from it */
	ENV_COMMAND,	/* a command that runs */
	ENV_OPTIONS,	/* options: dangerous only with these words */
	ENV_TEMP,	/* code path: dangerous where others can write */
	ENV_PROMPT,	/* text in which substitutions run */
};
struct gate_env {
	const char *id;
	const char *name; /* a trailing '*' is a prefix */
	enum gate_env_kind kind;
	const char *words; /* ENV_OPTIONS: what makes it dangerous */
};
const struct gate_env *gate_env(struct view name);
const struct gate_env *gate_envs(size_t *ret_n);
/* Programs that are fine as a pager, editor or transport. */
bool gate_env_harmless(struct view program);
/* Commands whose output is made to be evaluated ("ssh-agent -s"): program and first words. */
bool gate_eval_safe(struct view program, struct view first, struct view second);
/* Developer's tools that npx and its like run from the project. */
bool gate_dev_tool(struct view name);

/* ---- other languages: names that delete, run, send ---- */

enum gate_call_kind {
	CALL_DELETE = 1,
	CALL_RUN,     /* starts a program: literal arguments are judged, others are opaque */
	CALL_DYNAMIC, /* evaluates text or finds names at run time */
	CALL_WRITE,
};
struct gate_call {
	enum gate_lang lang; /* LANG_NONE: all */
	const char *name;    /* last part of the called name; "a.b": its last parts; "=a": the whole
				name */
	enum gate_call_kind kind;
};
const struct gate_call *gate_calls(size_t *ret_n);

#endif
