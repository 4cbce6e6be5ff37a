/* SPDX-License-Identifier: MIT */
/* Tests that a rule names with "@" and that need more than a pattern. Test: the case files. */
#include "base/base.h"

#include "gate/opts.h"
#include "gate/paths.h"
#include "gate/site.h"

#include "base/pathstr.h"

typedef bool test_fn(struct site *s, const struct opts *o, uint32_t from);

/* checkout of paths: behind "--", a second operand, or a first one that can only be a path. */
static bool checkout_paths(struct site *s, const struct opts *o, uint32_t from)
{
	struct view v;
	const char *dot;
	uint32_t n = o->n_operands - from;

	if (opts_find(o, "-b -B --orphan --detach --track -t"))
		return false;
	for (uint32_t i = 1; i < s->argc; i++)
		if (view_is(s->argv[i].v, "--"))
			return n > 0;
	if (n >= 2)
		return true;
	if (n == 0)
		return false;
	v = o->operands[from].v;
	if (view_is(v, ".") || view_starts(v, "./") || view_starts(v, "../") ||
	    view_starts(v, ":") || view_ends(v, "/") || view_chr(v, GLOB))
		return true;
	dot = view_rchr(v, '.');
	/* an extension of letters is a file name; a number is a version */
	return dot && dot > v.ptr && dot[-1] != '/' && dot + 1 < v.ptr + v.len &&
	       dot + 8 > v.ptr + v.len &&
	       ((dot[1] >= 'a' && dot[1] <= 'z') || (dot[1] >= 'A' && dot[1] <= 'Z'));
}

static bool protected_branch(struct site *s, const struct opts *o, uint32_t from)
{
	(void)s;
	for (uint32_t i = from + 1; i < o->n_operands; i++) {
		struct view v = o->operands[i].v;
		const char *colon = view_rchr(v, ':');

		if (v.len && v.ptr[0] == '+')
			v = view_sub(v, 1);
		/* the same name on both sides written out is the reference's plain update */
		if (colon) {
			struct view src = {v.ptr, (size_t)(colon - v.ptr)};
			struct view dst = view_sub(v, src.len + 1);

			if (gate_branch_protected(dst) && !view_eq(src, dst))
				return true;
			continue;
		}
		if (gate_branch_protected(v))
			return true;
	}
	return false;
}

/* git's own option, before the sub-command; an abbreviation would be another one's behind it. */
static bool exec_path(struct site *s, const struct opts *o, uint32_t from)
{
	(void)s;
	(void)from;
	for (uint32_t i = 0; i < o->n; i++)
		if (view_is(o->v[i].name, "--exec-path") && o->v[i].val.len)
			return true;
	return false;
}

static bool dd_target(struct site *s, const struct opts *o, uint32_t from)
{
	(void)s;
	for (uint32_t i = from; i < o->n_operands; i++)
		if (view_starts(o->operands[i].v, "of=") &&
		    !view_is(o->operands[i].v, "of=/dev/null") &&
		    !view_is(o->operands[i].v, "of=/dev/stdout"))
			return true;
	return false;
}

static bool last_is_null(struct site *s, const struct opts *o, uint32_t from)
{
	(void)s;
	return o->n_operands > from && view_is(o->operands[o->n_operands - 1].v, "/dev/null");
}

static bool stdin_is_null(struct site *s, const struct opts *o, uint32_t from)
{
	(void)o;
	(void)from;
	return (s->in.kind == FLOW_FILE && view_is(s->in.text, "/dev/null")) ||
	       (s->in.kind == FLOW_TEXT && s->in.text.len == 0);
}

/* sed -i with a script that deletes every line. */
static bool sed_empties(struct site *s, const struct opts *o, uint32_t from)
{
	const struct opt *e = opts_find(o, "-e --expression");
	struct view script;

	(void)s;
	if (!opts_find(o, "-i --in-place"))
		return false;
	if (e)
		script = e->val;
	else if (from < o->n_operands)
		script = o->operands[from].v;
	else
		return false;
	return gate_in_list("d 1,$d 0,$d 1,$!d", script) || view_is(script, "/.*/d") ||
	       view_is(script, "1~1d") || view_is(script, "/^/d") || view_is(script, "//d") ||
	       view_is(script, "D");
}

static bool leaves_project(struct site *s, const struct opts *o, uint32_t from)
{
	struct view target;
	const struct opt *t = opts_find(o, "-t --target-directory");

	if (t && t->has_val)
		target = t->val;
	else if (o->n_operands - from >= 2)
		target = o->operands[o->n_operands - 1].v;
	else
		return false;
	if (!path_outside(s->r, target) || is_any(target))
		return false;
	for (uint32_t i = from; i < o->n_operands - (t ? 0 : 1); i++)
		if (!path_outside(s->r, o->operands[i].v))
			return true;
	return false;
}

/* ---- modes ---- */

static bool octal(struct view v, unsigned *ret)
{
	unsigned m = 0;

	if (v.len < 3 || v.len > 5)
		return false;
	for (size_t i = 0; i < v.len; i++) {
		if (v.ptr[i] < '0' || v.ptr[i] > '7')
			return false;
		m = m * 8 + (unsigned)(v.ptr[i] - '0');
	}
	*ret = m;
	return true;
}

/* One symbolic clause, "go+w": gives write to others; sets an id bit. */
static void clause(struct view c, bool *others, bool *set_id)
{
	size_t i = 0;
	bool o = false, u = false, g = false, any = false;

	for (; i < c.len && strchr("ugoa", c.ptr[i] ? c.ptr[i] : 'x'); i++) {
		any = true;
		o |= c.ptr[i] == 'o' || c.ptr[i] == 'a';
		u |= c.ptr[i] == 'u' || c.ptr[i] == 'a';
		g |= c.ptr[i] == 'g' || c.ptr[i] == 'a';
	}
	while (i < c.len) {
		char op = c.ptr[i++];

		if (op != '+' && op != '=')
			while (i < c.len && !strchr("+=", c.ptr[i] ? c.ptr[i] : 'x'))
				i++;
		for (; i < c.len && !strchr("+-=", c.ptr[i] ? c.ptr[i] : 'x'); i++) {
			*others |= c.ptr[i] == 'w' && o;
			*set_id |= c.ptr[i] == 's' && (u || g || !any);
		}
	}
}

static void mode_of(struct view v, bool *others, bool *set_id)
{
	unsigned m = 0;

	if (octal(v, &m)) {
		*others |= (m & 2) && !(m & 01000);
		*set_id |= (m & 06000) != 0;
		return;
	}
	while (v.len) {
		const char *comma = view_chr(v, ',');
		struct view one = comma ? (struct view){v.ptr, (size_t)(comma - v.ptr)} : v;

		clause(one, others, set_id);
		v = comma ? view_sub(v, one.len + 1) : VIEW("");
	}
}

static void chmod_modes(const struct opts *o, uint32_t from, bool *others, bool *set_id)
{
	if (from < o->n_operands)
		mode_of(o->operands[from].v, others, set_id);
}

static bool others_write(struct site *s, const struct opts *o, uint32_t from)
{
	bool others = false, set_id = false;

	(void)s;
	chmod_modes(o, from, &others, &set_id);
	return others;
}

static bool set_id_bit(struct site *s, const struct opts *o, uint32_t from)
{
	bool others = false, set_id = false;

	(void)s;
	chmod_modes(o, from, &others, &set_id);
	return set_id;
}

static bool mode_option(struct site *s, const struct opts *o, uint32_t from)
{
	const struct opt *m = opts_find(o, "-m --mode");
	bool others = false, set_id = false;

	(void)s;
	(void)from;
	if (m && m->has_val)
		mode_of(m->val, &others, &set_id);
	return others || set_id;
}

static bool umask_open(struct site *s, const struct opts *o, uint32_t from)
{
	struct view v;

	(void)s;
	if (from >= o->n_operands)
		return false;
	v = o->operands[from].v;
	return v.len && v.ptr[v.len - 1] >= '0' && v.ptr[v.len - 1] <= '7' &&
	       !((v.ptr[v.len - 1] - '0') & 2);
}

static bool reaches_outside(struct site *s, const struct opts *o, uint32_t from)
{
	for (uint32_t i = from + 1; i < o->n_operands; i++)
		if (path_outside(s->r, o->operands[i].v))
			return true;
	return false;
}

static bool owner_root(struct site *s, const struct opts *o, uint32_t from)
{
	(void)s;
	return from < o->n_operands &&
	       (view_is(o->operands[from].v, "root") || view_starts(o->operands[from].v, "root:") ||
		view_is(o->operands[from].v, "0") || view_starts(o->operands[from].v, "0:"));
}

static bool mounts_root(struct site *s, const struct opts *o, uint32_t from)
{
	(void)from;
	for (uint32_t i = 0; i < o->n; i++) {
		struct opts one = {
			.v = (struct opt *)(uintptr_t)&o->v[i], .n = 1, .flags = o->flags};
		struct view v = o->v[i].val;
		const char *colon;

		if (!o->v[i].has_val || !opts_find(&one, "-v --volume --mount"))
			continue;
		if (view_has(v, "docker.sock") || view_has(v, "containerd.sock"))
			return true;
		if (view_has(v, "source=/,") || view_has(v, "src=/,") ||
		    view_has(v, "source=/etc") || view_has(v, "src=/etc"))
			return true;
		colon = view_chr(v, ':');
		if (colon) {
			struct view host = {v.ptr, (size_t)(colon - v.ptr)};

			if (host.len && host.ptr[0] == '/' &&
			    gate_system_folder(path_resolve(s->r, host)))
				return true;
		}
	}
	return false;
}

/* ---- others ---- */

static bool pacman_query(struct site *s, const struct opts *o, uint32_t from)
{
	(void)from;
	(void)s;
	for (uint32_t i = 0; i < o->n; i++)
		if (view_is(o->v[i].name, "-S") || view_is(o->v[i].name, "--sync"))
			return opts_find(
				       o,
				       "-s -i -l -g -p --search --info --list --groups --print") !=
			       NULL;
	return false;
}

/* npx and npm exec: a tool of the project by its exact name, without a version or -y. */
static bool not_dev_tool(struct site *s, const struct opts *o, uint32_t from)
{
	struct view v;

	(void)s;
	for (uint32_t i = 0; i < o->n; i++) {
		struct opts one = {
			.v = (struct opt *)(uintptr_t)&o->v[i], .n = 1, .flags = o->flags};

		if ((from >= o->n_operands || o->v[i].idx < o->operand_idx[from]) &&
		    opts_find(&one, "-y --yes -p --package"))
			return true;
	}
	if (from >= o->n_operands)
		return opts_find(o, "-c --call") == NULL && o->n_operands > 0;
	v = o->operands[from].v;
	return !gate_dev_tool(v);
}

static bool last_is_registry(struct site *s, const struct opts *o, uint32_t from)
{
	(void)s;
	return o->n_operands > from && view_starts(o->operands[o->n_operands - 1].v, "docker://");
}

static bool redis_deletes(struct site *s, const struct opts *o, uint32_t from)
{
	static const char *const verbs[] = {
		"flushall", "flushdb", "del",	 "unlink", "shutdown", "swapdb", "debug", "restore",
		"rename",   "xtrim",   "config", "script", "hdel",     "srem",	 "zrem",  "ltrim"};

	(void)s;
	if (from >= o->n_operands)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		if (gate_glob(verbs[i], o->operands[from].v, true))
			return !(gate_glob("config", o->operands[from].v, true) &&
				 from + 1 < o->n_operands &&
				 gate_glob("get", o->operands[from + 1].v, true));
	return false;
}

static bool has_prefix_option(const struct opts *o, const char *prefix)
{
	for (uint32_t i = 0; i < o->n; i++)
		if (view_starts(o->v[i].name, prefix))
			return true;
	return false;
}

/* The project's own branch tool: the two modes with --apply, abbreviated as its parser allows. */
static bool branch_apply(struct site *s, const struct opts *o, uint32_t from)
{
	(void)s;
	(void)from;
	return (has_prefix_option(o, "--branch-c") || has_prefix_option(o, "--branch-p")) &&
	       has_prefix_option(o, "--appl");
}

static const struct {
	const char *name;
	test_fn *fn;
} tests[] = {
	{"checkout-paths", checkout_paths},
	{"protected-branch", protected_branch},
	{"exec-path", exec_path},
	{"dd-target", dd_target},
	{"last-is-null", last_is_null},
	{"stdin-is-null", stdin_is_null},
	{"sed-empties", sed_empties},
	{"leaves-project", leaves_project},
	{"others-write", others_write},
	{"set-id", set_id_bit},
	{"mode-option", mode_option},
	{"umask-open", umask_open},
	{"reaches-outside", reaches_outside},
	{"owner-root", owner_root},
	{"mounts-root", mounts_root},
	{"pacman-query", pacman_query},
	{"not-dev-tool", not_dev_tool},
	{"last-is-registry", last_is_registry},
	{"redis-deletes", redis_deletes},
	{"branch-apply", branch_apply},
};

bool test_by_name(struct site *s, const struct opts *o, const char *name, uint32_t from)
{
	for (size_t i = 0; i < ARRAY_LEN(tests); i++)
		if (strcmp(tests[i].name, name) == 0)
			return tests[i].fn(s, o, from);
	return true; /* an unknown test must not switch a rule off; t_tables finds it */
}
