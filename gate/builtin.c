/* SPDX-License-Identifier: MIT */
/* The shell's own commands: those that change what is known (cd, set, export, alias, read ...) and
 * those that run text or other commands (eval, source, trap, exec, command). Test: the case files.
 */
#include "base/base.h"

#include "gate/opts.h"
#include "gate/paths.h"
#include "gate/site.h"

static struct view alt_or_any(const struct field *f)
{
	return f->multi ? (struct view){"\0", 1} : f->v;
}

static void do_cd(struct site *s)
{
	struct run *r = s->r;
	struct view to = r->ctx->home, now = cwd_of(r);
	uint32_t i = 1;

	while (i < s->argc && s->argv[i].v.len > 1 && s->argv[i].v.ptr[0] == '-')
		i++;
	if (i < s->argc)
		to = view_is(s->argv[i].v, "-") ? (struct view){"\0", 1} : alt_or_any(&s->argv[i]);
	if (to.len == 0)
		to = (struct view){"\0", 1};
	env_set(r, VIEW("OLDPWD"), value_scalar(r, now, 0));
	env_set(r, VIEW("\1cwd"), value_scalar(r, path_clean(r->tmp, now, to), 0));
}

static struct field kept(struct run *r, struct field f)
{
	f.v = keep_view(r, f.v);
	f.proc = NULL;
	return f;
}

static void do_set(struct site *s)
{
	struct run *r = s->r;
	struct fields *p;
	uint32_t i = 1;

	for (; i < s->argc; i++) {
		struct view w = s->argv[i].v;

		if (view_is(w, "--")) {
			i++;
			break;
		}
		if (w.len < 2 || (w.ptr[0] != '-' && w.ptr[0] != '+'))
			break;
		if (view_is(w, "-o") || view_is(w, "+o") || view_ends(w, "o"))
			i++;
	}
	if (i >= s->argc && !(s->argc > 1 && view_is(s->argv[s->argc - 1].v, "--")))
		return;
	p = ARENA_NEW(r->a, struct fields);
	for (; i < s->argc; i++)
		fields_add(r->a, p, kept(r, s->argv[i]));
	r->params = p;
}

static void do_shift(struct site *s)
{
	struct run *r = s->r;
	struct fields *p;
	uint32_t n = 1;

	if (!r->params)
		return;
	if (s->argc > 1)
		n = s->argv[1].v.len == 1 && s->argv[1].v.ptr[0] >= '0' &&
				    s->argv[1].v.ptr[0] <= '9'
			    ? (uint32_t)(s->argv[1].v.ptr[0] - '0')
			    : UINT32_MAX;
	if (n == UINT32_MAX || (r->params->n && r->params->v[0].multi)) {
		r->params = NULL;
		return;
	}
	p = ARENA_NEW(r->a, struct fields);
	for (uint32_t i = n; i < r->params->n; i++)
		fields_add(r->a, p, kept(r, r->params->v[i]));
	r->params = p;
}

/* export, declare, local, readonly, typeset: NAME=value words. */
static void do_declare(struct site *s)
{
	struct run *r = s->r;

	for (uint32_t i = 1; i < s->argc; i++) {
		struct field *f = &s->argv[i];
		const char *eq = view_chr(f->v, '=');
		struct view name;

		if (!eq || f->v.ptr[0] == '-')
			continue;
		name = (struct view){f->v.ptr, (size_t)(eq - f->v.ptr)};
		if (name.len && name.ptr[name.len - 1] == '+')
			name.len--;
		if (!is_name(name))
			continue;
		env_set(r, name,
			f->multi || name.len + 1 != (size_t)(eq - f->v.ptr) + 1
				? value_unknown(r, f->taint)
				: value_scalar(r, view_sub(f->v, name.len + 1), f->taint));
		if (gate_env(name))
			judge_env(r, name, view_sub(f->v, (size_t)(eq - f->v.ptr) + 1), f->taint,
				  f->span);
	}
}

static void do_alias(struct site *s)
{
	struct run *r = s->r;

	for (uint32_t i = 1; i < s->argc; i++) {
		struct field *f = &s->argv[i];
		const char *eq = view_chr(f->v, '=');
		struct named_text *a;
		struct var *v;
		struct field text = *f;
		struct flow none = {0};

		if (!eq)
			continue;
		a = ARENA_NEW(r->a, struct named_text);
		a->name = keep_view(r, (struct view){f->v.ptr, (size_t)(eq - f->v.ptr)});
		a->text = keep_view(r, view_sub(f->v, a->name.len + 1));
		a->span = f->span;
		v = env_find(r, a->name, true);
		a->next = v->alias;
		v->alias = a;
		r->has_aliases = true;
		text.v = a->text;
		judge_text(r, text.v, text.taint, text.span, NULL, &none, &none);
	}
}

static void set_unknown(struct run *r, struct view name, uint8_t taint)
{
	if (is_name(name))
		env_set(r, name, value_unknown(r, taint));
}

/* read, mapfile, getopts: names that get input. */
static void do_read(struct site *s)
{
	uint8_t taint = (uint8_t)(s->in.taint | TAINT_READ);
	bool named = false;

	for (uint32_t i = 1; i < s->argc; i++) {
		struct view w = s->argv[i].v;

		if (w.len > 1 && w.ptr[0] == '-') {
			if (w.len == 2 && strchr("dinNptuaC", w.ptr[1]) && i + 1 < s->argc) {
				i++;
				if (w.ptr[1] == 'a')
					set_unknown(s->r, s->argv[i].v, taint);
			}
			continue;
		}
		set_unknown(s->r, w, taint);
		named = true;
	}
	if (!named)
		set_unknown(s->r, VIEW("REPLY"), taint);
}

static void do_printf_v(struct site *s)
{
	if (s->argc < 4 || !view_is(s->argv[1].v, "-v"))
		return;
	if (s->argc == 4 && known(s->argv[3].v) && !view_chr(s->argv[3].v, '%') &&
	    is_name(s->argv[2].v))
		env_set(s->r, s->argv[2].v, value_scalar(s->r, s->argv[3].v, s->argv[3].taint));
	else if (s->argc == 5 && view_is(s->argv[3].v, "%s") && is_name(s->argv[2].v))
		env_set(s->r, s->argv[2].v, value_scalar(s->r, s->argv[4].v, s->argv[4].taint));
	else
		set_unknown(s->r, s->argv[2].v, TAINT_READ);
}

static void do_unset(struct site *s)
{
	for (uint32_t i = 1; i < s->argc; i++)
		if (is_name(s->argv[i].v))
			env_set(s->r, s->argv[i].v, value_scalar(s->r, VIEW(""), 0));
}

static void do_eval(struct site *s)
{
	struct field all;
	uint32_t from = 1;

	if (s->argc > 1 && view_is(s->argv[1].v, "--"))
		from = 2;
	if (from >= s->argc)
		return;
	all = fields_join(s->r->tmp, s->argv + from, s->argc - from);
	judge_inner_text(s, all, NULL, NULL, false);
}

static void do_source(struct site *s)
{
	struct fields params = {0};
	struct file_fact *fact;
	const struct fields *saved = s->r->params;

	if (s->argc < 2)
		return;
	for (uint32_t i = 2; i < s->argc; i++)
		fields_add(s->r->tmp, &params, s->argv[i]);
	if (params.n)
		s->r->params = &params;
	if (s->argv[1].proc) {
		judge_flow(s, s->argv[1].proc, LANG_SHELL, s->argv[1].span);
	} else if (view_is(s->argv[1].v, "/dev/stdin") || view_is(s->argv[1].v, "/dev/fd/0")) {
		judge_flow(s, &s->in, LANG_SHELL, s->argv[1].span);
	} else if ((fact = file_find(s->r, s->argv[1].v))) {
		for (; fact; fact = fact->next)
			judge_flow(s, &fact->content, LANG_SHELL, s->argv[1].span);
	} else if (s->argv[1].taint & (TAINT_NET | TAINT_DECODED | TAINT_READ)) {
		finding_own(s->r, "GATE_0009", s->argv[1].span, s->argv[1].v);
	}
	s->r->params = saved;
}

static void do_trap(struct site *s)
{
	uint32_t i = 1;

	while (i < s->argc && view_starts(s->argv[i].v, "-"))
		i++;
	if (i + 1 < s->argc && s->argv[i].v.len)
		judge_inner_text(s, s->argv[i], NULL, NULL, false);
}

/* exec, command, builtin: the rest is the command. */
static bool do_prefix(struct site *s)
{
	bool is_exec = view_is(s->name, "exec"), is_command = view_is(s->name, "command");
	uint32_t i = 1;

	for (; i < s->argc; i++) {
		struct view w = s->argv[i].v;

		if (view_is(w, "--")) {
			i++;
			break;
		}
		if (w.len < 2 || w.ptr[0] != '-')
			break;
		if (is_command && (view_chr(w, 'v') || view_chr(w, 'V')))
			return true; /* only asks */
		if (is_exec && w.ptr[w.len - 1] == 'a')
			i++;
	}
	judge_inner(s, i, NULL);
	return true;
}

static void do_subscripts(struct site *s)
{
	/* test -v, -eq and unset evaluate a subscript; let evaluates everything */
	for (uint32_t i = 1; i < s->argc; i++)
		if (view_has(s->argv[i].v, "[") &&
		    (view_has(s->argv[i].v, "$(") || view_has(s->argv[i].v, "`"))) {
			struct origin o = {false, s->argv[i].span.off, s->argv[i].span.len};
			struct origin saved = s->r->origin;

			s->r->origin = o;
			visit_word(s->r,
				   parse_quoted(s->r->a, s->argv[i].v, o, s->r->parse_depth + 1));
			s->r->origin = saved;
		}
}

bool judge_builtin(struct site *s)
{
	struct view f = view_of(s->prog->family);

	if (gate_in_list("[ unset let declare read", f))
		do_subscripts(s);
	if (gate_in_list("cd pushd popd", f))
		do_cd(s);
	else if (view_is(f, "set"))
		do_set(s);
	else if (view_is(f, "shift"))
		do_shift(s);
	else if (view_is(f, "declare"))
		do_declare(s);
	else if (view_is(f, "alias"))
		do_alias(s);
	else if (gate_in_list("read mapfile getopts", f)) {
		do_read(s);
		return view_is(f, "read"); /* mapfile -C has a row */
	} else if (view_is(f, "printf"))
		do_printf_v(s);
	else if (view_is(f, "unset"))
		do_unset(s);
	else if (view_is(f, "eval"))
		do_eval(s);
	else if (view_is(f, "source"))
		do_source(s);
	else if (view_is(f, "trap"))
		do_trap(s);
	else if (gate_in_list("exec builtin", f)) /* command too */
		return do_prefix(s);
	else
		return gate_in_list(
			"true false [ help history pwd type break wait ulimit unalias shopt let",
			f);
	return true;
}
