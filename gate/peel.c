/* SPDX-License-Identifier: MIT */
/* Takes wrappers off (policy/gate_wrap.c) and judges what they run. An option that the row doesn't
 * know makes the site opaque: the inner command could begin elsewhere. Test: gate-dangerous.cases
 * group C. */
#include "base/base.h"

#include "gate/opts.h"
#include "gate/paths.h"
#include "gate/site.h"

#include "base/limits.h"

struct peeling {
	struct site *s;
	const struct gate_wrapper *w;
	uint32_t i; /* next word */
	bool unknown_option, script;
};

/* Words of "sub" are used up wherever they stand among the options before the command. */
static uint32_t after_sub(struct site *s, const struct gate_wrapper *w, const struct opts *o)
{
	int n;

	if (!w->sub[0])
		return 1;
	n = sub_matches(o, w->sub);
	if (n > 0)
		return o->operand_idx[n - 1] + 1;
	(void)s;
	return 2; /* the raw first word matched (gdb --args) */
}

static bool is_assignment(struct view v)
{
	const char *eq = view_chr(v, '=');

	return eq && is_name((struct view){v.ptr, (size_t)(eq - v.ptr)});
}

static void text_option(struct peeling *p, struct field value)
{
	struct site *s = p->s;

	p->script = true;
	if (view_is(view_of(p->w->name), "env")) { /* -S: split, and the other words follow */
		struct fields all = {0};

		fields_add(s->r->tmp, &all, value);
		for (; p->i < s->argc; p->i++)
			fields_add(s->r->tmp, &all, s->argv[p->i]);
		judge_inner_text(s, fields_join(s->r->tmp, all.v, all.n), p->w->where, NULL, true);
		return;
	}
	if (view_starts(view_of(p->w->name), "xterm") && p->i < s->argc) { /* -e and words */
		judge_argv(s, s->argv + p->i - 1, s->argc - p->i + 1, p->w->where);
		p->i = s->argc;
		return;
	}
	judge_inner_text(s, value, p->w->where, NULL, true);
}

/* One long option at p->i. */
static void long_option(struct peeling *p, struct view w)
{
	const struct gate_wrapper *row = p->w;
	const char *eq = view_chr(w, '=');
	struct view name = eq ? (struct view){w.ptr, (size_t)(eq - w.ptr)} : w;
	struct view bare = view_sub(name, name.len > 1 && name.ptr[1] == '-' ? 2 : 1);
	struct field value = p->s->argv[p->i];

	p->i++;
	if (gate_in_list(row->text, name)) {
		if (eq)
			value.v = view_sub(w, name.len + 1);
		else if (p->i < p->s->argc)
			value = p->s->argv[p->i++];
		text_option(p, value);
		return;
	}
	if (gate_in_list(row->vlongs, bare) ||
	    (row->vlongs[0] == '*' && !gate_in_list(row->longs, bare))) {
		if (!eq)
			p->i++;
		return;
	}
	if (row->longs[0] == '*' || gate_in_list(row->longs, bare))
		return;
	/* abbreviations of the row's own options */
	for (const char *l = row->longs; *l; l += strspn(l, " ")) {
		size_t n = strcspn(l, " ");

		if (bare.len >= 2 && n >= bare.len && memcmp(l, bare.ptr, bare.len) == 0)
			return;
		l += n;
	}
	p->unknown_option = true;
}

static bool short_text(const struct gate_wrapper *row, char c)
{
	char name[3] = {'-', c, 0};

	return gate_in_list(row->text, (struct view){name, 2});
}

static void short_options(struct peeling *p, struct view w)
{
	const struct gate_wrapper *row = p->w;
	struct field word = p->s->argv[p->i];

	p->i++;
	if (gate_in_list(row->text, w)) { /* a whole word such as -cmd */
		if (p->i < p->s->argc)
			text_option(p, p->s->argv[p->i++]);
		return;
	}
	for (size_t k = 1; k < w.len; k++) {
		char c = w.ptr[k];

		if (short_text(row, c)) {
			if (k + 1 < w.len)
				word.v = view_sub(w, k + 1);
			else if (p->i < p->s->argc)
				word = p->s->argv[p->i++];
			else
				return;
			text_option(p, word);
			return;
		}
		if (strchr(row->valued, c)) {
			if (k + 1 == w.len)
				p->i++;
			return;
		}
		if (!strchr(row->flags, c) && row->longs[0] != '*') {
			p->unknown_option = true;
			return;
		}
	}
}

/* Numbers such as "nice -10" and "timeout -1". */
static bool is_number(struct view v)
{
	for (size_t i = 1; i < v.len; i++)
		if (v.ptr[i] < '0' || v.ptr[i] > '9')
			return false;
	return v.len > 1;
}

static void take_options(struct peeling *p)
{
	struct site *s = p->s;
	uint8_t skip = p->w->skip;

	while (p->i < s->argc) {
		struct view w = s->argv[p->i].v;

		if (w.len >= 2 && w.ptr[0] == '-' && (w.ptr[1] != '-' || w.len > 2)) {
			if (w.ptr[1] == '-')
				long_option(p, w);
			else if (is_number(w))
				p->i++;
			else
				short_options(p, w);
			continue;
		}
		if (w.len == 2 && w.ptr[0] == '-' && w.ptr[1] == '-') {
			p->i++;
			if (!skip)
				return;
			continue;
		}
		if (w.len == 1 && w.ptr[0] == '-' &&
		    (p->w->assigns || p->w->cls == GATE_PRIVILEGE)) {
			p->i++;
			continue;
		}
		if (p->w->assigns && is_assignment(w)) {
			const char *eq = view_chr(w, '=');
			struct view name = {w.ptr, (size_t)(eq - w.ptr)};

			judge_env(s->r, name, view_sub(w, name.len + 1), s->argv[p->i].taint,
				  s->argv[p->i].span);
			p->i++;
			continue;
		}
		if (skip) {
			skip--;
			p->i++;
			continue;
		}
		return;
	}
}

/* parallel's ":::" ends the command. */
static uint32_t end_of_command(const struct site *s, uint32_t from)
{
	for (uint32_t k = from; k < s->argc; k++)
		if (view_starts(s->argv[k].v, ":::"))
			return k;
	return s->argc;
}

static bool only_stdin(const struct site *s, const char *names)
{
	return gate_in_list(names, s->name);
}

/* The string that xargs replaces (-I, -i, --replace); empty: words are added at the end. */
static struct view replaced(const struct site *s, uint32_t end)
{
	for (uint32_t k = 1; k < end; k++) {
		struct view w = s->argv[k].v;

		if (view_is(w, "-i") || view_is(w, "--replace"))
			return VIEW("{}");
		if (view_is(w, "-I") && k + 1 < end)
			return s->argv[k + 1].v;
		if (view_starts(w, "-I") || view_starts(w, "-i"))
			return view_sub(w, 2);
		if (view_starts(w, "--replace="))
			return view_sub(w, 10);
	}
	return VIEW("");
}

static struct view replace_all(struct run *r, struct view v, struct view mark)
{
	struct text t;
	const char *at;

	if (!view_find(v, mark))
		return v;
	text_init(&t, r->tmp);
	while ((at = view_find(v, mark))) {
		text_put(&t, (struct view){v.ptr, (size_t)(at - v.ptr)});
		text_putc(&t, ANY);
		v = view_sub(v, (size_t)(at - v.ptr) + mark.len);
	}
	text_put(&t, v);
	return text_view(&t);
}

static void run_xargs(struct peeling *p, uint32_t end)
{
	struct site *s = p->s;
	uint32_t n = end - p->i;
	struct field *argv = arena_alloc(s->r->tmp, (n + 1) * sizeof(*argv));
	struct field more = {.v = {"\0", 1}, .multi = true, .quoted = true};
	struct view mark = replaced(s, p->i);
	uint8_t taint = (uint8_t)(s->in.taint | TAINT_READ);

	memcpy(argv, s->argv + p->i, n * sizeof(*argv));
	for (uint32_t k = 0; k < n && mark.len; k++) {
		struct view v = replace_all(s->r, argv[k].v, mark);

		if (v.ptr != argv[k].v.ptr)
			argv[k].taint |= taint & (TAINT_NET | TAINT_DECODED);
		argv[k].v = v;
	}
	more.taint = taint;
	more.span = s->span;
	if (!mark.len)
		argv[n++] = more;
	judge_argv(s, argv, n, p->w->where);
}

static void run_inner(struct peeling *p)
{
	struct site *s = p->s;
	uint32_t end = end_of_command(s, p->i);
	const char *where = p->w->where;

	if (p->i >= end) {
		if (only_stdin(s, "parallel ssh mosh rsh su sudo doas") && !p->script &&
		    s->in.kind != FLOW_NONE) /* a shell that reads what is piped in */
			judge_flow(s, &s->in, LANG_SHELL, s->span);
		return;
	}
	switch (p->w->inner) {
	case INNER_REST:
		if (only_stdin(s, "xargs gxargs")) {
			run_xargs(p, end);
			return;
		}
		judge_argv(s, s->argv + p->i, end - p->i, where);
		return;
	case INNER_TEXT:
		if (only_stdin(s, "hyperfine concurrently")) {
			for (uint32_t k = p->i; k < end; k++)
				judge_inner_text(s, s->argv[k], where, NULL, true);
			return;
		}
		judge_inner_text(s, fields_join(s->r->tmp, s->argv + p->i, end - p->i), where, NULL,
				 true);
		return;
	case INNER_ONE_TEXT:
		if (end - p->i == 1)
			judge_inner_text(s, s->argv[p->i], where, NULL, true);
		else
			judge_argv(s, s->argv + p->i, end - p->i, where);
		return;
	case INNER_OPTION:
		if (p->i < s->argc &&
		    only_stdin(s, "xterm urxvt alacritty kitty gnome-terminal konsole "
				  "foot wezterm"))
			judge_inner(s, p->i, where);
		return;
	case INNER_NONE:
		return;
	}
}

/* find's own grammar: actions stand among the tests. */
static void peel_find(struct site *s)
{
	bool sweeps = false;

	for (uint32_t i = 1; i < s->argc; i++) {
		struct view w = s->argv[i].v;
		uint32_t end;

		if (view_is(w, "-fprint") || view_is(w, "-fprint0") || view_is(w, "-fls") ||
		    view_is(w, "-fprintf")) {
			if (i + 1 < s->argc)
				path_judge(s->r, s->argv[i + 1].v, USE_WRITE, s->argv[i + 1].span);
			continue;
		}
		if (!view_is(w, "-exec") && !view_is(w, "-execdir") && !view_is(w, "-ok") &&
		    !view_is(w, "-okdir"))
			continue;
		for (end = i + 1; end < s->argc; end++)
			if (view_is(s->argv[end].v, ";") ||
			    (view_is(s->argv[end].v, "+") && view_is(s->argv[end - 1].v, "{}")))
				break;
		if (end > i + 1) {
			struct field *argv = arena_alloc(s->r->tmp, (end - i) * sizeof(*argv));
			const struct gate_program *p;

			memcpy(argv, s->argv + i + 1, (end - i - 1) * sizeof(*argv));
			(void)program_name(argv[0].v, &p);
			sweeps |= p &&
				  gate_in_list("rm rmdir unlink shred trash", view_of(p->family));
			for (uint32_t k = 0; k < end - i - 1; k++)
				if (view_has(argv[k].v,
					     "{}")) { /* any path below the starting points */
					if (k == 0)
						argv[k].v = (struct view){"\0", 1};
					else if (view_is(argv[k].v, "{}"))
						argv[k].v = VIEW("./{}");
				}
			judge_argv(s, argv, end - i - 1, NULL);
		}
		i = end;
	}
	for (uint32_t k = 1;
	     sweeps && k < s->argc && s->argv[k].v.len && s->argv[k].v.ptr[0] != '-'; k++)
		path_judge(s->r, s->argv[k].v, USE_SWEEP, s->argv[k].span);
}

static void peel_fd(struct site *s)
{
	for (uint32_t i = 1; i + 1 < s->argc; i++) {
		struct view w = s->argv[i].v;

		if (view_is(w, "-x") || view_is(w, "-X") || view_is(w, "--exec") ||
		    view_is(w, "--exec-batch")) {
			uint32_t end = i + 1;

			while (end < s->argc && !view_is(s->argv[end].v, ";"))
				end++;
			judge_argv(s, s->argv + i + 1, end - i - 1, NULL);
			i = end;
		}
	}
}

bool peel(struct site *s, const struct opts *o)
{
	struct peeling p = {.s = s};
	struct view first = o->n_operands ? o->operands[0].v : VIEW("");

	if (!s->prog || !(s->prog->flags & GP_WRAPS))
		return false;
	if (view_is(s->name, "find") || view_is(s->name, "gfind")) {
		peel_find(s);
		return false;
	}
	if (view_is(s->name, "nix")) { /* nix develop .#x -c command */
		for (uint32_t k = 1; k + 1 < s->argc; k++)
			if (view_is(s->argv[k].v, "-c") || view_is(s->argv[k].v, "--command")) {
				judge_inner(s, k + 1, NULL);
				break;
			}
		return false;
	}
	if (view_is(s->name, "fd") || view_is(s->name, "fdfind")) {
		peel_fd(s);
		return false;
	}
	p.w = gate_wrapper(s->prog && gate_in_list("docker kubectl docker-compose npx uv",
						   view_of(s->prog->family))
				   ? view_of(s->prog->family)
				   : s->name,
			   first);
	if ((!p.w || (p.w->sub[0] == 0 && s->argc > 1)) && s->argc > 1) {
		const struct gate_wrapper *raw = gate_wrapper(s->name, s->argv[1].v);

		if (raw && raw->sub[0] == '-')
			p.w = raw;
	}
	if (!p.w)
		return false;
	if (p.w->sub[0] && p.w->sub[0] != '-' && p.w->sub[0] != '/' && sub_matches(o, p.w->sub) < 0)
		return false;
	if (o->help && o->v[0].idx == 1)
		return true;
	if (s->argc > 1 && p.w->cls == GATE_PRIVILEGE &&
	    gate_in_list("-V -h -v -k -K -l", s->argv[1].v) && s->argc == 2)
		return true;
	p.i = after_sub(s, p.w, o);
	if (p.w->cls != GATE_NONE)
		finding_add(s->r, p.w->id, p.w->cls, 0, NULL, s->span,
			    argv_text(s->r, s->argv, s->argc));
	if (gate_in_list("bwrap firejail valgrind confine-run", s->name)) {
		/* options with any number of values: the command is behind "--", or the first word
		 * that is no option and no option's value can't be told apart */
		for (uint32_t k = 1; k < s->argc; k++)
			if (view_is(s->argv[k].v, "--")) {
				judge_inner(s, k + 1, p.w->where);
				return true;
			}
		if (view_is(s->name, "bwrap")) {
			unsigned tried = 0;

			for (uint32_t k = 1; k < s->argc; k++) {
				if (s->argv[k].v.len == 0 || s->argv[k].v.ptr[0] == '-' ||
				    s->argv[k].v.ptr[0] == '/')
					continue;
				if (++tried > MAX_GATE_WRAPPERS) {
					finding_own(s->r, "GATE_0005", s->span,
						    argv_text(s->r, s->argv, s->argc));
					break;
				}
				judge_inner(s, k, p.w->where);
			}
			return true;
		}
	}
	take_options(&p);
	if (p.unknown_option)
		finding_own(s->r, "GATE_0005", s->span, argv_text(s->r, s->argv, s->argc));
	run_inner(&p);
	return true;
}
