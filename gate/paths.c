/* SPDX-License-Identifier: MIT */
/* Protected paths, vital folders, files that the call itself makes. Comparison folds case, as deny
 * lists do everywhere. Test: the case files, X001 to X057. */
#include "base/base.h"

#include "gate/oprules.h"
#include "gate/paths.h"

#include "base/limits.h"
#include "base/pathstr.h"

enum { MAX_COMPONENTS = 64 };

static size_t split(struct view path, struct view *out)
{
	struct view rest = path, c;
	size_t n = 0;

	while (n < MAX_COMPONENTS && pathstr_next(&rest, &c))
		out[n++] = c;
	return n;
}

struct view path_clean(struct arena *a, struct view base, struct view v)
{
	struct view parts[MAX_COMPONENTS * 2], c, rest;
	size_t n = 0;
	struct text t;
	bool absolute = v.len && v.ptr[0] == '/';

	if (!absolute && v.len && v.ptr[0] == ANY)
		base = VIEW(""); /* it may be absolute itself */
	if (!absolute)
		n = split(base, parts);
	rest = v;
	while (pathstr_next(&rest, &c)) {
		if (view_is(c, "."))
			continue;
		if (view_is(c, "..")) {
			if (n && is_any(parts[n - 1]))
				continue; /* somewhere above something unknown */
			if (n)
				n--;
			continue;
		}
		if (n == ARRAY_LEN(parts))
			break;
		parts[n++] = c;
	}
	text_init(&t, a);
	for (size_t i = 0; i < n; i++) {
		if (i || parts[0].ptr[0] != ANY)
			text_putc(&t, '/');
		text_put(&t, parts[i]);
	}
	if (n == 0)
		text_putc(&t, '/');
	return text_view(&t);
}

struct view path_resolve(struct run *r, struct view v)
{
	arena_step(r->a, v.len / 8 + 1);
	return path_clean(r->tmp, cwd_of(r), v);
}

/* Whether a component of a command fits one of a rule; exact: without any unknown part. */
static bool fits(struct view rule, struct view have, bool *ret_exact)
{
	char t[64];

	if (rule.len >= sizeof(t))
		return false;
	memcpy(t, rule.ptr, rule.len);
	t[rule.len] = 0;
	if (known(have)) {
		*ret_exact = gate_glob(t, have, true);
		return *ret_exact;
	}
	*ret_exact = false;
	return value_may_match(t, have, true);
}

/* rule components from the end of `have` on, or with more of `have` behind them (tree), or with
 * `have` ending before them (a folder above, which matters for removal). */
static bool match_at(const struct view *rule, size_t n_rule, const struct view *have, size_t n_have,
		     bool tree, bool above)
{
	bool some_exact = false;
	size_t n = n_rule < n_have ? n_rule : n_have;

	if (n_have < n_rule && !above)
		return false;
	if (n_have > n_rule && !tree)
		return false;
	for (size_t i = 0; i < n; i++) {
		bool exact = false;

		if (!fits(rule[i], have[i], &exact))
			return false;
		some_exact |= exact;
	}
	return some_exact;
}

static bool anywhere(const struct view *rule, size_t n_rule, const struct view *have, size_t n_have,
		     bool tree, bool above)
{
	size_t first = tree || n_have < n_rule ? 0 : n_have - n_rule;

	for (size_t at = first; at < n_have; at++) {
		size_t left = n_have - at;

		if (!tree && left > n_rule)
			continue;
		if (left < n_rule && !above)
			break;
		if (match_at(rule, n_rule, have + at, left, tree, above && left < n_rule))
			return true;
	}
	return false;
}

static unsigned char folded(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static void mark_first(uint64_t *set, struct view c)
{
	unsigned char f = folded(c.ptr[0]);

	set[f >> 6] |= (uint64_t)1 << (f & 63);
}

/* A byte that isn't known could be any. */
static bool has_first(const uint64_t *set, char c)
{
	unsigned char f = folded(c);

	return (set[f >> 6] >> (f & 63) & 1) || (set[0] & 3);
}

static bool could_begin(struct view c, char f)
{
	return folded(c.ptr[0]) == folded(f) || c.ptr[0] == ANY || c.ptr[0] == GLOB;
}

const struct gate_path *path_rule(const struct gate_context *ctx, struct view resolved,
				  enum gate_path_use use)
{
	struct view have[MAX_COMPONENTS], home[MAX_COMPONENTS], rule[16];
	size_t n_have = split(resolved, have), n_home = split(ctx->home, home), n_rows, n_rule;
	const struct gate_path *rows = gate_paths(&n_rows);
	bool above = use == USE_REMOVE || use == USE_REPLACE || use == USE_SWEEP,
	     in_home = n_have > n_home;
	uint64_t firsts[4] = {0}; /* first bytes of the components, folded: most rows can't fit */

	if (n_have == 0)
		return NULL;
	for (size_t k = 0; k < n_have; k++)
		mark_first(firsts, have[k]);
	for (size_t k = 0; k < n_home && in_home; k++)
		in_home = view_eq(have[k], home[k]);
	if (ctx->home.len == 0) {
		in_home = view_is(have[0], "~") && n_have > 1;
		n_home = 1;
	}
	for (size_t i = 0; i < n_rows; i++) {
		struct view pattern = view_of(rows[i].pattern);
		bool hit;

		if (pattern.ptr[0] == '~') {
			if (!in_home || !could_begin(have[n_home], pattern.ptr[2]))
				continue;
			n_rule = split(view_sub(pattern, 2), rule);
			hit = match_at(rule, n_rule, have + n_home, n_have - n_home, rows[i].tree,
				       above);
		} else if (pattern.ptr[0] == '/') {
			if (!could_begin(have[0], pattern.ptr[1]))
				continue;
			n_rule = split(pattern, rule);
			hit = match_at(rule, n_rule, have, n_have, rows[i].tree, false);
		} else {
			if (!has_first(firsts, pattern.ptr[0]))
				continue;
			n_rule = split(pattern, rule);
			hit = anywhere(rule, n_rule, have, n_have, rows[i].tree, above);
		}
		if (hit)
			return &rows[i];
	}
	return NULL;
}

bool path_is_vital(struct run *r, struct view p, bool sweep)
{
	const struct gate_context *c = r->ctx;
	struct view plain = p, parts[MAX_COMPONENTS];
	size_t n;

	/* a pattern for everything in a folder is the folder itself for this purpose */
	if (p.len >= 2 && p.ptr[p.len - 1] == GLOB && p.ptr[p.len - 2] == '/') {
		plain.len = p.len == 2 ? 1 : p.len - 2;
		if (view_eq(plain, c->project) || view_is(pathstr_base(plain), ".git"))
			return false; /* asked about, not denied */
	}
	if (!known(plain))
		return false;
	if (gate_system_folder(plain))
		return true;
	if (c->home.len && (view_eq(plain, c->home) || pathstr_beneath(c->home, plain)))
		return true;
	if (view_is(plain, "/~"))
		return true;
	if (c->project.len && view_eq(plain, c->project))
		return !sweep;
	if (c->project.len && pathstr_beneath(c->project, plain))
		return true;
	n = split(plain, parts);
	return n && view_is(parts[n - 1], ".git");
}

void path_judge(struct run *r, struct view v, enum gate_path_use use, struct span span)
{
	struct view p;
	const struct gate_path *row;

	if (r->elsewhere || v.len == 0)
		return;
	p = path_resolve(r, v);
	row = path_rule(r->ctx, p, use);
	if (row && (use != USE_MODE || row->cls == GATE_TAMPER))
		finding_add(r, row->id, row->cls, row->verdict,
			    row->cls == GATE_TAMPER ? NULL
						    : "writes a file that is run or trusted later",
			    span, v);
	if (oprules_protects(r, p, use == USE_REMOVE || use == USE_REPLACE || use == USE_SWEEP))
		finding_own(r, "GATE_0036", span, v);
	if ((use == USE_REMOVE || use == USE_SWEEP) && path_is_vital(r, p, use == USE_SWEEP))
		finding_own(r, "GATE_0016", span, v);
}

bool path_outside(struct run *r, struct view v)
{
	struct view p = path_resolve(r, v);

	if (!known(p))
		return p.ptr[0] == ANY;
	if (r->ctx->project.len == 0)
		return false;
	if (pathstr_beneath(p, r->ctx->project))
		return false;
	return true;
}

/* ---- what programs write ---- */

static void write_options(struct site *s, const struct opts *o, const char *list)
{
	if (view_is(view_of(list), "of=")) {
		for (uint32_t i = 0; i < o->n_operands; i++)
			if (view_starts(o->operands[i].v, "of="))
				path_judge(s->r, view_sub(o->operands[i].v, 3), USE_WRITE,
					   o->operands[i].span);
		return;
	}
	for (uint32_t i = 0; i < o->n; i++) {
		struct opts one = {.v = &o->v[i], .n = 1, .flags = o->flags};

		/* it may be a folder: anything below may change */
		if (o->v[i].has_val && opts_find(&one, list))
			path_judge(s->r, o->v[i].val, USE_REPLACE, s->argv[o->v[i].val_idx].span);
	}
}

static void write_operand(struct site *s, const struct opts *o, uint32_t i, enum gate_path_use use)
{
	path_judge(s->r, o->operands[i].v, use, o->operands[i].span);
}

/* cp, mv and their like: where the last operand, or -t, is a folder, the names of the others are
 * written in it. Only folders that hold guarded files are of interest, so that a copy of one of
 * them elsewhere isn't taken for it. */
static void into_folder(struct site *s, const struct opts *o, uint32_t from)
{
	const struct opt *t = opts_find(o, "-t --target-directory");
	bool whole = opts_find(o, "-r -R -a --recursive --archive") ||
		     gate_in_list("mv ln", view_of(s->prog->family));
	uint32_t n = o->n_operands;
	struct view to, resolved;

	if (!gate_in_list("cp mv ln install rsync scp", view_of(s->prog->family)))
		return;
	if (t && t->has_val)
		to = t->val;
	else if (n >= from + 2)
		to = o->operands[--n].v;
	else
		return;
	resolved = path_resolve(s->r, to);
	if (s->r->elsewhere ||
	    (!path_rule(s->r->ctx, resolved, USE_REPLACE) && !view_eq(resolved, s->r->ctx->home)))
		return;
	for (uint32_t i = from; i < n; i++) {
		struct view v = o->operands[i].v, name = pathstr_base(v);
		/* rsync a/ b, cp -r a/. b */
		bool contents = name.len == 0 || view_is(name, ".") ||
				(view_is(view_of(s->prog->family), "rsync") && view_ends(v, "/"));

		if (contents) {
			path_judge(s->r, to, USE_REPLACE, o->operands[i].span);
			continue;
		}
		path_judge(s->r, view_cat(s->r->tmp, view_cat(s->r->tmp, to, VIEW("/")), name),
			   whole ? USE_REPLACE : USE_WRITE, o->operands[i].span);
	}
}

static void writer(struct site *s, const struct opts *o, const struct gate_writer *w, uint32_t from)
{
	bool to_option = w->options[0] && opts_find(o, w->options);
	uint32_t n = o->n_operands;

	write_options(s, o, w->options);
	if (w->writes == WRITES_LAST || w->writes == WRITES_MOVE)
		into_folder(s, o, from);
	switch (w->writes) {
	case WRITES_ALL:
		for (uint32_t i = from; i < n; i++)
			write_operand(s, o, i, USE_WRITE);
		break;
	case WRITES_REST:
		for (uint32_t i = from + 1; i < n; i++)
			write_operand(s, o, i, USE_WRITE);
		break;
	case WRITES_REPLACE:
	case WRITES_SWEEP:
		for (uint32_t i = from; i < n; i++)
			write_operand(s, o, i, w->writes == WRITES_SWEEP ? USE_SWEEP : USE_REPLACE);
		break;
	case WRITES_MODE:
		for (uint32_t i = from + 1; i < n; i++)
			write_operand(s, o, i, USE_MODE);
		break;
	case WRITES_FIRST:
		if (from < n)
			write_operand(s, o, from, USE_WRITE);
		break;
	case WRITES_REMOVE:
		for (uint32_t i = from; i < n; i++)
			write_operand(s, o, i, USE_REMOVE);
		break;
	case WRITES_LAST:
		if (n > from && !to_option)
			write_operand(s, o, n - 1, USE_WRITE);
		break;
	case WRITES_MOVE:
		for (uint32_t i = from; i < n; i++)
			write_operand(s, o, i, i + 1 == n && !to_option ? USE_WRITE : USE_REMOVE);
		break;
	case WRITES_OPTION:
		break;
	}
}

void writers_judge(struct site *s, const struct opts *o)
{
	size_t n;
	const struct gate_writer *w = gate_writers(&n);

	if (o->help)
		return;
	for (size_t i = 0; i < n; i++) {
		int from;

		if (strcmp(w[i].family, s->prog->family) != 0)
			continue;
		from = sub_matches(o, w[i].sub);
		if (from < 0 || !conditions_hold(s, o, w[i].when, (uint32_t)from))
			continue;
		writer(s, o, &w[i], (uint32_t)from);
	}
}

/* ---- files that the call makes ---- */

struct file_fact *file_find(struct run *r, struct view path)
{
	struct var *v;

	if (!r->has_files)
		return NULL;
	v = env_find(r, view_cat(r->tmp, VIEW("\2"), path_resolve(r, path)), false);
	return v ? v->file : NULL;
}

void file_add(struct run *r, struct view path, enum file_kind kind, const struct flow *content,
	      struct view copy_of)
{
	struct file_fact *f;
	struct var *v;

	if (path.len == 0 || view_starts(path, "/dev/") || r->elsewhere)
		return;
	f = ARENA_NEW(r->a, struct file_fact);
	v = env_find(r, view_cat(r->tmp, VIEW("\2"), path_resolve(r, path)), true);
	f->kind = kind;
	if (content)
		f->content = *content;
	f->content.cap = 0;
	f->content.text = keep_view(r, f->content.text);
	f->copy_of = keep_view(r, copy_of);
	f->next = v->file;
	v->file = f;
	r->has_files = true;
}
