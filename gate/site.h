/* SPDX-License-Identifier: MIT */
/* Parts of the judgement of one site; for gate/site.c and its neighbours only. */
#ifndef GATE_SITE_H
#define GATE_SITE_H

#include "gate/eval.h"

struct opts;

/* A place where something runs. */
struct site {
	struct run *r;
	struct field *argv;
	uint32_t argc;
	const struct assign *assigns;
	struct redir_value *redirs;
	struct flow in;
	struct span span;
	unsigned peeled;
	const struct gate_program *prog;
	struct view name; /* normalised */
	struct flow *out;
	bool piped_args; /* xargs and its like: more operands come from input */
};

void judge_site(struct site *s);
/* What redirections do: out is what the command writes; empties: it writes nothing. */
void judge_redirs(struct run *r, struct redir_value *redirs, const struct flow *out, bool empties);

/* Last path component without version and .exe; what the table calls it. */
struct view program_name(struct view word, const struct gate_program **ret);

/* Wrappers (peel.c): true if the command is one and its inner command was judged. */
bool peel(struct site *s, const struct opts *o);
/* The shell's own commands that change what is known (builtin.c): true if nothing is left to judge.
 */
bool judge_builtin(struct site *s);
/* Interpreters, options with program text, standard input as program (script.c). */
void judge_scripts(struct site *s, const struct opts *o);
/* Text of another language (lang.c). */
void judge_lang(struct site *s, enum gate_lang lang, struct view text, uint8_t taint,
		struct span span);
/* Text that comes as input and is run. lang: LANG_SHELL or another. */
void judge_flow(struct site *s, const struct flow *f, enum gate_lang lang, struct span span);
/* SQL (sqltext.c). */
void judge_sql(struct site *s, struct view text, uint8_t taint, struct span span);
/* Requests to a forge (http.c). */
void judge_http(struct site *s, const struct opts *o);
void judge_route(struct run *r, struct view url, bool writes, bool deletes, struct span span,
		 struct view what);
void judge_graphql(struct run *r, struct view text, struct span span, struct view what);
/* Environment (envrule.c). */
void judge_env(struct run *r, struct view name, struct view value, uint8_t taint, struct span span);
/* What the command writes to its output (output.c). */
void output_of(struct site *s, const struct opts *o, struct flow *ret);
/* A command inside this one: argv from k on. */
void judge_inner(struct site *s, uint32_t k, const char *where);
void judge_argv(struct site *s, struct field *argv, uint32_t argc, const char *where);
/* Text for a shell inside this command; the rest of argv are its parameters. */
void judge_inner_text(struct site *s, struct field text, const char *where,
		      const struct fields *params, bool child);
bool where_is_elsewhere(const char *where);

#endif
