/* SPDX-License-Identifier: MIT */
/* Options and operands. A word that takes a value is known from the grammar; any other long option
 * has its value behind "=" or none. Test: the case files. */
#include "base/base.h"

#include "gate/opts.h"

static void add(struct run *r, struct opts *o, struct opt x)
{
	if (o->n == o->cap) {
		uint32_t cap = o->cap ? o->cap * 2 : 8;
		struct opt *v = arena_alloc(r->tmp, cap * sizeof(*v));

		if (o->n)
			memcpy(v, o->v, o->n * sizeof(*v));
		o->v = v;
		o->cap = cap;
	}
	o->v[o->n++] = x;
}

static bool takes_value(const struct gate_grammar *a, const struct gate_grammar *b,
			struct view name)
{
	struct view longer = name;

	if (name.len > 2 && name.ptr[0] == '-' && name.ptr[1] != '-') { /* -long */
		static const char dash = '-';
		char t[64];

		if (name.len + 1 > sizeof(t))
			return false;
		t[0] = dash;
		memcpy(t + 1, name.ptr, name.len);
		longer = (struct view){t, name.len + 1};
		return (a && gate_in_list(a->longs, longer)) ||
		       (b && gate_in_list(b->longs, longer)) ||
		       (a && gate_in_list(a->longs, name)) || (b && gate_in_list(b->longs, name));
	}
	return (a && gate_in_list(a->longs, name)) || (b && gate_in_list(b->longs, name));
}

/* An abbreviation of an option that takes a value: "--gi" for "--git-dir". */
static bool abbreviates_valued(const struct gate_grammar *g, struct view name)
{
	const char *p = g ? g->longs : "";

	while (*p) {
		size_t n = strcspn(p, " ");

		if (n > name.len && name.len > 3 && memcmp(p, name.ptr, name.len) == 0)
			return true;
		p += n;
		while (*p == ' ')
			p++;
	}
	return false;
}

struct state {
	struct run *r;
	const struct field *argv;
	uint32_t argc, i;
	struct opts *o;
	const struct gate_grammar *own, *sub;
};

static void long_option(struct state *s, struct view w)
{
	const char *eq = view_chr(w, '=');
	struct opt x = {.name = w, .idx = s->i, .val_idx = s->i};

	if (eq) {
		x.name = (struct view){w.ptr, (size_t)(eq - w.ptr)};
		x.val = view_sub(w, x.name.len + 1);
		x.has_val = true;
	} else if ((takes_value(s->sub, s->own, w) ||
		    ((s->o->flags & GP_ABBREV) &&
		     (abbreviates_valued(s->sub, w) || abbreviates_valued(s->own, w)))) &&
		   s->i + 1 < s->argc) {
		s->i++;
		x.val = s->argv[s->i].v;
		x.has_val = true;
		x.val_idx = s->i;
	}
	if (view_is(x.name, "--help") || view_is(x.name, "-help"))
		s->o->help = true;
	if (view_is(x.name, "--version") && x.idx == 1 && !x.has_val)
		s->o->help = true;
	add(s->r, s->o, x);
}

static bool short_takes(const struct gate_grammar *g, char c)
{
	return g && c && strchr(g->shorts, c) != NULL;
}

static void cluster(struct state *s, struct view w)
{
	for (size_t k = 1; k < w.len; k++) {
		char *name = arena_text(s->r->tmp, 2);
		struct opt x = {.idx = s->i, .val_idx = s->i};

		name[0] = '-';
		name[1] = w.ptr[k];
		x.name = (struct view){name, 2};
		if (short_takes(s->sub, w.ptr[k]) || (!s->sub && short_takes(s->own, w.ptr[k])) ||
		    (s->sub && s->sub != s->own && s->sub->shorts[0] == 0 &&
		     short_takes(s->own, w.ptr[k]))) {
			if (k + 1 < w.len) {
				x.val = view_sub(w, k + 1);
				if (x.val.len > 1 && x.val.ptr[0] == '=')
					x.val = view_sub(x.val, 1);
				x.has_val = true;
			} else if (s->i + 1 < s->argc) {
				s->i++;
				x.val = s->argv[s->i].v;
				x.has_val = true;
				x.val_idx = s->i;
			}
			k = w.len;
		} else if (k == 1 && w.len > 2) {
			/* what could be a glued value is kept too (sed -i.bak, gh -XDELETE) */
			x.val = view_sub(w, 2);
			x.has_val = false;
		}
		if (w.len == 2 && w.ptr[1] == 'h' && (s->o->flags & GP_HELP_H))
			s->o->help = true;
		add(s->r, s->o, x);
	}
}

void opts_parse(struct run *r, const struct field *argv, uint32_t argc, struct view family,
		unsigned flags, struct opts *ret)
{
	struct state s = {.r = r, .argv = argv, .argc = argc, .i = 1, .o = ret};

	memset(ret, 0, sizeof(*ret));
	ret->flags = flags;
	ret->family = family;
	ret->operands = arena_raw(r->tmp, (argc + 1) * sizeof(*ret->operands));
	ret->operand_idx = arena_raw(r->tmp, (argc + 1) * sizeof(*ret->operand_idx));
	/* a program that no table knows has no grammar */
	s.own = flags & OPTS_UNKNOWN ? NULL : gate_grammar(family, VIEW(""));
	arena_step(r->a, argc);
	for (; s.i < argc; s.i++) {
		struct view w = argv[s.i].v;

		if (s.i == 1 && w.len && w.ptr[0] != '-' && view_is(family, "tar")) /* tar xf */
			w = view_cat(r->tmp, VIEW("-"), w);
		if (w.len >= 2 && w.ptr[0] == '-' && w.ptr[1] != GLOB) {
			if (w.len == 2 && w.ptr[1] == '-') {
				s.i++;
				break;
			}
			if (w.ptr[1] == '-')
				long_option(&s, w);
			else if ((flags & GP_SINGLE) || (w.len > 2 && takes_value(s.sub, s.own, w)))
				long_option(&s, w);
			else
				cluster(&s, w);
			continue;
		}
		if (w.len && w.ptr[0] == ANY && !argv[s.i].quoted && argv[s.i].multi)
			ret->maybe_option = true;
		ret->operand_idx[ret->n_operands] = s.i;
		ret->operands[ret->n_operands++] = argv[s.i];
		if (ret->n_operands == 1 && s.own)
			s.sub = gate_grammar(family, w);
	}
	for (; s.i < argc; s.i++) {
		ret->operand_idx[ret->n_operands] = s.i;
		ret->operands[ret->n_operands++] = argv[s.i];
	}
}

/* One spelling of an option against the one looked for. */
static bool names(const struct opts *o, struct view have, const char *want, size_t n)
{
	if (have.len == n && memcmp(have.ptr, want, n) == 0)
		return true;
	if (n < 3 || want[0] != '-')
		return false;
	if ((o->flags & GP_SINGLE) && want[1] == '-' && have.len == n - 1 &&
	    memcmp(have.ptr, want + 1, n - 1) == 0)
		return true;
	if ((o->flags & GP_SINGLE) && want[1] != '-' && have.len == n + 1 && have.ptr[0] == '-' &&
	    memcmp(have.ptr + 1, want, n) == 0)
		return true;
	return (o->flags & GP_ABBREV) && want[1] == '-' && have.len > 2 && have.len < n &&
	       have.ptr[1] == '-' && memcmp(have.ptr, want, have.len) == 0;
}

const struct opt *opts_find(const struct opts *o, const char *list)
{
	for (; *list; list += strspn(list, " ")) {
		size_t n = strcspn(list, " ");

		for (uint32_t i = 0; i < o->n; i++)
			if (names(o, o->v[i].name, list, n))
				return &o->v[i];
		list += n;
	}
	return NULL;
}
