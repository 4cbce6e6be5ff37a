/* SPDX-License-Identifier: MIT */
/* Program text: shells and interpreters, options with commands in them, standard input that is run,
 * git's settings (file 40, section 12.8). Test: the case files. */
#include "base/base.h"

#include "gate/opts.h"
#include "gate/paths.h"
#include "gate/site.h"

#include "base/limits.h"

void judge_text(struct run *r, struct view text, uint8_t taint, struct span span,
		const struct fields *params, const struct flow *in, struct flow *out)
{
	struct origin o = {false, span.off, span.len};
	const struct fields *saved = r->params;
	struct script *script;
	struct view core = text;

	while (core.len && (core.ptr[core.len - 1] == '\n' || core.ptr[core.len - 1] == ' '))
		core.len--;
	if (core.len == 0)
		return;
	if (!known(text)) {
		if (taint & (TAINT_NET | TAINT_DECODED)) {
			finding_own(r, "GATE_0008", span, text);
			return;
		}
		if (taint & TAINT_SAFE && is_any(core))
			return;
		if (taint & (TAINT_RUN | TAINT_READ) || is_any(core)) {
			if (!r->quiet)
				finding_own(r, "GATE_0009", span, text);
			if (is_any(core))
				return;
		}
	}
	if (r->script_depth >= MAX_GATE_SCRIPT_DEPTH) {
		finding_own(r, "GATE_0006", span, text);
		return;
	}
	r->script_depth++;
	if (params)
		r->params = params;
	text = keep_view(r, text);
	script = parse_script(r->a, text, o, r->parse_depth + r->script_depth);
	walk_script(r, script, in, out);
	r->params = saved;
	r->script_depth--;
}

void judge_flow(struct site *s, const struct flow *f, enum gate_lang lang, struct span span)
{
	struct run *r = s->r;
	struct file_fact *fact;

	switch (f->kind) {
	case FLOW_TEXT:
		if (lang == LANG_SHELL || lang == LANG_NONE) {
			struct flow none = {0};
			uint32_t mark = env_mark(r);

			judge_text(r, f->text, f->taint, span, NULL, &none, s->out);
			env_rollback(r, mark);
		} else {
			judge_lang(s, lang, f->text, f->taint, span);
		}
		return;
	case FLOW_FILE:
		fact = file_find(r, f->text);
		for (; fact; fact = fact->next)
			judge_flow(s, &fact->content, lang, span);
		return;
	case FLOW_UNKNOWN:
		if (f->taint & (TAINT_NET | TAINT_DECODED))
			finding_own(r, "GATE_0008", span, argv_text(r, s->argv, s->argc));
		else if (!(f->taint & TAINT_SAFE))
			finding_own(r, "GATE_0009", span, argv_text(r, s->argv, s->argc));
		return;
	case FLOW_NONE:
	default:
		if (f->taint & TAINT_NET)
			finding_own(r, "GATE_0008", span, argv_text(r, s->argv, s->argc));
		return;
	}
}

/* A file that is run: what this call knows about it. */
static void judge_script_file(struct site *s, const struct field *f, enum gate_lang lang)
{
	struct file_fact *fact;

	if (f->proc) {
		judge_flow(s, f->proc, lang, f->span);
		return;
	}
	if (view_is(f->v, "-") || view_is(f->v, "/dev/stdin") || view_is(f->v, "/dev/fd/0") ||
	    view_is(f->v, "/proc/self/fd/0")) {
		judge_flow(s, &s->in, lang, f->span);
		return;
	}
	if (view_starts(f->v, "/dev/fd/") || view_starts(f->v, "/proc/self/fd/")) {
		int fd = f->v.ptr[f->v.len - 1] - '0';

		for (const struct redir_value *v = s->redirs; v; v = v->next)
			if (v->fd == fd && v->op >= R_HERE) {
				struct flow text = {.kind = FLOW_TEXT,
						    .text = v->target.v,
						    .taint = v->target.taint};

				judge_flow(s, &text, lang, f->span);
				return;
			} else if (v->fd == fd && v->target.proc) {
				judge_flow(s, v->target.proc, lang, f->span);
				return;
			}
		finding_own(s->r, "GATE_0009", f->span, argv_text(s->r, s->argv, s->argc));
		return;
	}
	fact = file_find(s->r, f->v);
	for (; fact; fact = fact->next)
		judge_flow(s, &fact->content, lang, f->span);
	if (f->taint & (TAINT_NET | TAINT_DECODED))
		finding_own(s->r, "GATE_0009", f->span, argv_text(s->r, s->argv, s->argc));
}

/* sh and its kin: options end at the first operand; -c anywhere among them. */
static void judge_shell(struct site *s)
{
	uint32_t i = 1;
	bool text = false, from_stdin = false;
	struct fields params = {0};

	for (; i < s->argc; i++) {
		struct view w = s->argv[i].v;

		if (view_is(w, "--") || view_is(w, "-")) {
			i++;
			break;
		}
		if (w.len < 2 || (w.ptr[0] != '-' && w.ptr[0] != '+'))
			break;
		if (w.ptr[1] == '-') {
			if (view_is(w, "--rcfile") || view_is(w, "--init-file")) {
				if (i + 1 < s->argc)
					judge_script_file(s, &s->argv[++i], LANG_SHELL);
			} else if (view_is(w, "--command")) {
				text = true;
			} else if (view_starts(w, "--command=")) {
				struct field f = s->argv[i];

				f.v = view_sub(w, 10);
				judge_inner_text(s, f, NULL, NULL, true);
				return;
			}
			continue;
		}
		if (view_chr(w, 'c') && w.ptr[0] == '-')
			text = true;
		if (view_chr(w, 's') && w.ptr[0] == '-')
			from_stdin = true;
		if ((w.ptr[w.len - 1] == 'o' || w.ptr[w.len - 1] == 'O') && i + 1 < s->argc)
			i++; /* -o option */
	}
	for (uint32_t k = i + (text ? 2 : from_stdin ? 0 : 1); k < s->argc; k++)
		fields_add(s->r->tmp, &params, s->argv[k]);
	if (text) {
		struct field saved = s->r->arg0;

		if (i >= s->argc)
			return;
		s->r->arg0 = i + 1 < s->argc ? s->argv[i + 1] : s->argv[0];
		judge_inner_text(s, s->argv[i], NULL, &params, true);
		s->r->arg0 = saved;
		return;
	}
	if (from_stdin || i >= s->argc) {
		if (s->in.kind != FLOW_NONE || s->in.taint)
			judge_flow(s, &s->in, LANG_SHELL, s->span);
		return;
	}
	judge_script_file(s, &s->argv[i], LANG_SHELL);
}

/* The option rows of the program, values found by the same grammar. */
static void judge_value(struct site *s, const struct gate_script *row, struct field f)
{
	struct view v = f.v;
	const char *eq;

	switch (row->form) {
	case FORM_SHELL:
		judge_inner_text(s, f, NULL, NULL, true);
		return;
	case FORM_EXEC:
		if (view_starts(v, "exec=")) {
			f.v = view_sub(v, 5);
			judge_inner_text(s, f, NULL, NULL, true);
		}
		return;
	case FORM_BANG:
		eq = view_chr(v, '!');
		if (eq) {
			f.v = view_sub(v, (size_t)(eq - v.ptr) + 1);
			judge_inner_text(s, f, NULL, NULL, true);
		}
		return;
	case FORM_LANG:
		if (row->lang == LANG_SQL)
			judge_sql(s, v, f.taint, f.span);
		else
			judge_lang(s, row->lang, v, f.taint, f.span);
		return;
	case FORM_PROGRAM:
		judge_inner_text(s, f, NULL, NULL, true);
		return;
	case FORM_SSH:
		eq = view_chr(v, '=');
		if (!eq)
			eq = view_chr(v, ' ');
		if (eq &&
		    (gate_glob("proxycommand*", v, true) || gate_glob("localcommand*", v, true) ||
		     gate_glob("knownhostscommand*", v, true) ||
		     gate_glob("pkcs11provider*", v, true) ||
		     gate_glob("remotecommand*", v, true))) {
			f.v = view_sub(v, (size_t)(eq - v.ptr) + 1);
			judge_inner_text(s, f, NULL, NULL, true);
		}
		return;
	}
}

static void judge_row(struct site *s, const struct opts *o, const struct gate_script *row)
{
	uint32_t base = row->sub[0] ? 1 : 0;

	for (const char *p = row->option; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");
		char name[48];

		if (n >= sizeof(name))
			return;
		memcpy(name, p, n);
		name[n] = 0;
		p += n;
		if (name[0] >= '1' && name[0] <= '9') {
			uint32_t k = (uint32_t)(name[0] - '1');

			/* sed and awk: the script is the first operand only without -e and -f */
			if (gate_in_list("sed awk", view_of(row->family)) &&
			    opts_find(o, "-e -f --expression --file --source"))
				continue;
			if (k < o->n_operands)
				judge_value(s, row, o->operands[k]);
			continue;
		}
		if (strcmp(name, "*") == 0) {
			for (uint32_t k = base; k < o->n_operands; k++)
				judge_value(s, row, o->operands[k]);
			continue;
		}
		if (strcmp(name, "+") == 0) {
			for (uint32_t k = 0; k < o->n_operands; k++)
				if (view_starts(o->operands[k].v, "+")) {
					struct field f = o->operands[k];

					f.v = view_sub(f.v, 1);
					judge_value(s, row, f);
				}
			continue;
		}
		for (uint32_t k = 0; k < o->n; k++) {
			struct opts one = {.v = &o->v[k], .n = 1, .flags = o->flags};
			struct field f;

			if (!opts_find(&one, name) || !(o->v[k].has_val || o->v[k].val.len))
				continue;
			f = s->argv[o->v[k].val_idx];
			f.v = o->v[k].val;
			judge_value(s, row, f);
		}
	}
}

/* NAME=value for make: the value may hold $(shell ...), be its shell, or hold options. */
static void judge_make_variable(struct site *s, struct field f)
{
	const char *eq = view_chr(f.v, '=');
	struct view name = {f.v.ptr, eq ? (size_t)(eq - f.v.ptr) : 0};
	const char *eval = view_find(f.v, VIEW("--eval="));
	const struct gate_program *p;

	if (!eq || eq == f.v.ptr)
		return;
	if (view_has(f.v, "$(shell") || view_has(f.v, "${shell"))
		judge_lang(s, LANG_MAKE, f.v, f.taint, f.span);
	if (gate_in_list("MAKEFLAGS GNUMAKEFLAGS MFLAGS", name) && eval)
		judge_lang(s, LANG_MAKE, view_sub(f.v, (size_t)(eval - f.v.ptr) + 7), f.taint,
			   f.span);
	if (!view_is(name, "SHELL"))
		return;
	f.v = view_sub(f.v, name.len + 1);
	(void)program_name(f.v, &p);
	if (!p || !(p->flags & GP_SHELL))
		judge_inner_text(s, f, NULL, NULL, true);
}

/* An interpreter without text in an option: a file, or standard input. */
static void judge_interpreter(struct site *s, const struct opts *o)
{
	static const char text_options[] =
		"-c -e -E -p -r -m --eval --print --version -V -v -h -R -B";
	const struct gate_program *p = s->prog;
	const struct opt *m;

	if (p->lang == LANG_AWK || p->lang == LANG_SED || p->lang == LANG_VIM) {
		const struct opt *f = opts_find(o, "-f --file");

		if (f && f->has_val && p->lang != LANG_VIM)
			judge_script_file(s, &s->argv[f->val_idx], p->lang);
		return;
	}
	if (p->lang == LANG_MAKE) {
		const struct opt *f = opts_find(o, "-f --file --makefile");

		if (f && f->has_val)
			judge_script_file(s, &s->argv[f->val_idx], LANG_MAKE);
		for (uint32_t k = 0; k < o->n_operands; k++)
			judge_make_variable(s, o->operands[k]);
		return;
	}
	if (p->lang == LANG_ED) {
		judge_flow(s, &s->in, LANG_ED, s->span);
		return;
	}
	if (p->lang == LANG_PYTHON && (m = opts_find(o, "-m")) && m->has_val) {
		struct field *argv = arena_alloc(s->r->tmp, s->argc * sizeof(*argv));
		uint32_t n = 0;

		argv[n] = s->argv[m->val_idx];
		argv[n++].v = m->val;
		for (uint32_t k = m->val_idx + 1; k < s->argc; k++)
			argv[n++] = s->argv[k];
		judge_argv(s, argv, n, NULL);
		return;
	}
	if (opts_find(o, text_options))
		return;
	if (o->n_operands && !o->operands[0].proc) {
		const struct gate_program *script;

		/* manage.py, artisan: scripts that are programs of their own */
		(void)program_name(o->operands[0].v, &script);
		if (script &&
		    gate_in_list(
			    "manage.py artisan rails agentteams drush wp sequelize knex prisma",
			    view_of(script->family)))
			judge_argv(s, s->argv + o->operand_idx[0], s->argc - o->operand_idx[0],
				   NULL);
	}
	if (o->n_operands && !view_is(o->operands[0].v, "-")) {
		if (gate_in_list("deno bun rails", view_of(p->family)))
			return;
		judge_script_file(s, &o->operands[0], p->lang);
		return;
	}
	if (s->in.kind != FLOW_NONE || s->in.taint)
		judge_flow(s, &s->in, p->lang, s->span);
}

static void judge_git_setting(struct site *s, struct view key, struct field value, bool sets)
{
	bool bang = false;
	struct flow none = {0};

	if (gate_git_key_guards(key) && sets)
		finding_own(s->r, "GATE_0028", value.span, key);
	if (!gate_git_key_runs(key, &bang))
		return;
	if (value.v.len && value.v.ptr[0] == '!') {
		value.v = view_sub(value.v, 1);
		if (gate_glob("alias.*", key, true)) { /* git adds the words of the call */
			value.v = view_cat(s->r->tmp, value.v, (struct view){" \0", 2});
			judge_inner_text(s, value, NULL, NULL, true);
			return;
		}
		judge_inner_text(s, value, NULL, NULL, true);
	} else if (gate_glob("alias.*", key, true)) { /* words of git itself */
		value.v = view_cat(s->r->tmp, VIEW("git "), value.v);
		judge_inner_text(s, value, NULL, NULL, true);
		return;
	}
	if (bang && value.v.len && value.v.ptr[0] != '!' && !view_starts(value.v, "/"))
		return;
	judge_env(s->r, VIEW("GIT_PAGER"), value.v, value.taint, value.span);
	(void)none;
}

static void judge_git(struct site *s, const struct opts *o)
{
	for (uint32_t i = 0; i < o->n; i++) {
		struct view v = o->v[i].val;
		const char *eq;
		struct field value;

		bool own = !o->n_operands || o->v[i].idx < o->operand_idx[0];
		bool clones = !own && view_is(o->operands[0].v, "clone");
		bool named = own && view_is(o->v[i].name, "--config-env");

		if (!o->v[i].has_val ||
		    !(named || ((own || clones) && view_is(o->v[i].name, "-c")) ||
		      (clones && view_is(o->v[i].name, "--config"))))
			continue;
		eq = view_chr(v, '=');
		if (!eq)
			continue;
		value = s->argv[o->v[i].val_idx];
		value.v = view_sub(v, (size_t)(eq - v.ptr) + 1);
		if (named) /* the value stands in a variable */
			value.v = (struct view){"\0", 1};
		judge_git_setting(s, (struct view){v.ptr, (size_t)(eq - v.ptr)}, value, true);
	}
	if (o->n_operands && view_is(o->operands[0].v, "config")) {
		uint32_t from = 1;

		if (o->n_operands > 1 && gate_in_list("set get unset list edit", o->operands[1].v))
			from = 2;
		if (from < o->n_operands) {
			struct field value = {0};
			bool sets = from + 1 < o->n_operands ||
				    opts_find(o, "--unset --unset-all --add --replace-all") ||
				    view_is(o->operands[1].v, "unset");

			if (opts_find(o, "--get --get-all --get-regexp -l --list --get-urlmatch") ||
			    view_is(o->operands[1].v, "get"))
				return;
			if (from + 1 < o->n_operands)
				value = o->operands[from + 1];
			else
				value.span = s->span;
			if (sets)
				judge_git_setting(s, o->operands[from].v, value, true);
		}
	}
	for (uint32_t i = 0; i < o->n_operands; i++) /* git's own transport that runs a command */
		if (view_starts(o->operands[i].v, "ext::")) {
			struct field f = o->operands[i];

			f.v = view_sub(f.v, 5);
			judge_inner_text(s, f, NULL, NULL, true);
		}
}

void judge_scripts(struct site *s, const struct opts *o)
{
	size_t n;
	const struct gate_script *rows = gate_scripts(&n);
	struct view sub = o->n_operands ? o->operands[0].v : VIEW("");

	if (!s->prog)
		return;
	if (s->prog->flags & GP_SHELL && !view_is(view_of(s->prog->family), "at")) {
		judge_shell(s);
		return;
	}
	if (view_is(view_of(s->prog->family), "at"))
		judge_flow(s, &s->in, LANG_SHELL, s->span);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(rows[i].family, s->prog->family) != 0)
			continue;
		if (rows[i].sub[0] && !view_is(sub, rows[i].sub))
			continue;
		judge_row(s, o, &rows[i]);
	}
	if (view_is(view_of(s->prog->family), "git"))
		judge_git(s, o);
	if (s->prog->flags & GP_LANG)
		judge_interpreter(s, o);
	if (s->prog->flags & GP_SQL) {
		const struct opt *f = opts_find(o, "-f --file --queries-file -i -init");

		if (s->in.kind == FLOW_TEXT)
			judge_sql(s, s->in.text, s->in.taint, s->in.span);
		if (s->in.kind == FLOW_FILE) {
			for (struct file_fact *x = file_find(s->r, s->in.text); x; x = x->next)
				if (x->content.kind == FLOW_TEXT)
					judge_sql(s, x->content.text, x->content.taint, s->span);
		}
		if (f && f->has_val)
			for (struct file_fact *x = file_find(s->r, f->val); x; x = x->next)
				if (x->content.kind == FLOW_TEXT)
					judge_sql(s, x->content.text, x->content.taint, s->span);
	}
}
