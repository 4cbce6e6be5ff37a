/* SPDX-License-Identifier: MIT */
/*
 * Evaluation of a parsed command without running it: words become values as far as they can be
 * known, every place where something would run becomes a site that is judged (file 40,
 * sections 12.5 and 12.6). Pure; memory comes from the arena.
 */
#ifndef GATE_EVAL_H
#define GATE_EVAL_H

#include "gate/parse.h"
#include "gate/value.h"
#include "policy/gate.h"

/* A name of the call: as a variable, function, alias, and (behind a byte 2) as a file's path. */
struct var {
	struct var *next;
	struct view name;
	const struct value *value; /* NULL: not set in this call */
	struct func *func;
	struct named_text *alias;
	struct file_fact *file;
	uint32_t stamp, branches; /* work of env_collect and env_join */
};
struct change {
	struct var *var;
	const struct value *value;
};

struct func {
	struct func *next;
	struct view name;
	const struct node *body;
	struct origin origin;
	bool active;
};
struct named_text {
	struct named_text *next;
	struct view name, text;
	struct span span;
};
enum file_kind { FILE_TEXT = 1, FILE_NET, FILE_UNKNOWN, FILE_COPY };
struct file_fact {
	struct file_fact *next; /* written before, under the same name */
	enum file_kind kind;
	struct flow content;
	struct view copy_of;
};

struct finding {
	enum gate_class cls;
	enum verdict verdict;
	const char *rule, *does, *where;
	struct view what; /* the argument vector or text that decided, escaped and masked */
	struct span span;
};

struct choice {
	const void *key;
	uint32_t idx, n;
};

/* What the caller knows about the session. */
struct gate_context {
	struct view home, cwd, project; /* absolute; empty: not known */
	bool confined;
	const struct op_rules *rules; /* the operator's; NULL: none */
};

struct redir_value {
	struct redir_value *next;
	uint8_t op;
	int fd;
	struct field target; /* file, or text of a here-document */
};

enum { VAR_BUCKETS = 256, MAX_CHOICES = 8 };

struct run {
	struct arena *a;    /* what outlives a command */
	struct arena *tmp;  /* what doesn't: emptied after each */
	struct view source; /* the command of the call: views into it may be kept */
	const struct gate_context *ctx;
	struct origin origin;
	unsigned script_depth, parse_depth, call_depth;
	uint64_t call_steps, call_limit,
		call_base; /* work done in called functions, and how much may be */
	unsigned captured; /* output of what runs now is read by something */
	bool widened;	   /* work of env_widen: every variable is unknown already */
	bool quiet; /* body of a function that isn't called here: its parameters aren't known */
	bool stop;  /* the call was judged as a whole; go on no further */
	const struct site *site; /* being judged, for the operator's exact passes; NULL */
	const char *where;	 /* "inside a container" */
	bool elsewhere;		 /* another machine or container: our paths mean nothing there */
	bool child;		 /* inside a shell of its own */
	struct var *vars[VAR_BUCKETS];
	struct change *trail;
	uint32_t n_trail, cap_trail, stamp;
	bool has_funcs, has_aliases, has_files;
	struct choice choices[MAX_CHOICES];
	unsigned n_choices, product;
	const struct fields *params; /* NULL: not known */
	struct field arg0;
	struct finding *findings;
	uint32_t n_findings, cap_findings, n_sites;
	enum verdict verdict;
	const struct gate_rule ***rule_index; /* by program */
	void (*on_site)(void *arg, const struct fields *argv,
			struct span span); /* tests, explain */
	void *on_site_arg;
};

/* ---- variables (env.c) ---- */
const struct value *env_get(struct run *r, struct view name);
struct var *env_find(struct run *r, struct view name, bool make);
struct view keep_view(struct run *r, struct view v);
void env_set(struct run *r, struct view name, const struct value *value);
const struct value *value_scalar(struct run *r, struct view v, uint8_t taint);
const struct value *value_unknown(struct run *r, uint8_t taint);
const struct value *value_join(struct run *r, const struct value *x, const struct value *y);
uint32_t env_mark(struct run *r);
void env_rollback(struct run *r, uint32_t mark);
/* A branch that may or may not run: open, ..., close joins what it changed with what was before. */
void env_branch_close(struct run *r, uint32_t mark);
/* Several branches of which at most one runs: collect each (undoes it), then join all. With
 * `complete` one of them surely runs: what all of them set doesn't stay as it was. */
struct changes {
	struct change *v;
	uint32_t n, cap, branches;
};
void env_collect(struct run *r, uint32_t mark, struct changes *into);
void env_join(struct run *r, const struct changes *c, bool complete);
/* Makes every variable that the loop may assign hold all its values at once. */
void env_widen(struct run *r, const struct node *body);

/* ---- words (expand.c, brace.c, param.c) ---- */
void expand_words(struct run *r, const struct word *list, struct fields *out);
struct field expand_single(struct run *r, const struct word *w); /* no splitting; quotes removed */
struct field expand_pattern(struct run *r,
			    const struct word *w); /* unquoted patterns become GLOB */
const struct value *expand_value(struct run *r, const struct word *w);
void visit_word(struct run *r, const struct word *w); /* only what runs inside */
uint32_t choose(struct run *r, const void *key, uint32_t n);
bool choices_next(struct run *r, unsigned base);
struct builder;
void build_value(struct builder *b, struct view v, uint8_t taint, bool quoted, bool multi);
void build_break(struct builder *b);
void build_param(struct run *r, struct builder *b, const struct piece *p);
const struct word *brace_expand(struct run *r, const struct word *w, bool *ret_too_many);
struct view cwd_of(struct run *r);

/* ---- the tree (walk.c) ---- */
void walk_list(struct run *r, const struct node *list, const struct flow *in, struct flow *out);
void walk_script(struct run *r, const struct script *s, const struct flow *in, struct flow *out);
void call_function(struct run *r, struct func *f, const struct fields *argv, const struct flow *in,
		   struct flow *out);
struct flow run_substitution(struct run *r, const struct script *s, const struct flow *in);
void flow_add(struct run *r, struct flow *to, const struct flow *more);
/* Judges text that a shell would run. params: NULL keeps the present ones. */
void judge_text(struct run *r, struct view text, uint8_t taint, struct span span,
		const struct fields *params, const struct flow *in, struct flow *out);

/* ---- findings (findings.c) ---- */
void finding_add(struct run *r, const char *rule, enum gate_class cls, enum verdict verdict,
		 const char *does, struct span span, struct view what);
void finding_own(struct run *r, const char *id, struct span span, struct view what);
struct view argv_text(struct run *r, const struct field *argv, uint32_t argc);

#endif
