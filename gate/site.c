/* SPDX-License-Identifier: MIT */
/* One place where something would run: which program it is, what it wraps, what its words mean
 * (file 40, section 12.6). Test: the case files. */
#include "base/base.h"

#include "gate/oprules.h"
#include "gate/opts.h"
#include "gate/paths.h"
#include "gate/site.h"

#include "base/limits.h"

static bool strip_exe(struct view *v)
{
	if (v->len > 4 && gate_glob("*.exe", *v, true)) {
		v->len -= 4;
		return true;
	}
	return false;
}

struct view program_name(struct view word, const struct gate_program **ret)
{
	struct view name = word, plain;
	const char *slash = view_rchr(name, '/');

	if (slash)
		name = view_sub(name, (size_t)(slash - name.ptr) + 1);
	(void)strip_exe(&name);
	*ret = gate_program(name);
	if (*ret || name.len == 0)
		return name;
	if (view_starts(name, "mkfs.") || view_starts(name, "mkfs_")) {
		*ret = gate_program(VIEW("mkfs"));
		return VIEW("mkfs");
	}
	if (view_chr(name, '-') && name.len < 40) { /* cmdlets are written in any case */
		char t[40];

		for (size_t i = 0; i < name.len; i++)
			t[i] = (char)(name.ptr[i] >= 'A' && name.ptr[i] <= 'Z' ? name.ptr[i] + 32
									       : name.ptr[i]);
		*ret = gate_program((struct view){t, name.len});
		if (*ret)
			return view_of((*ret)->name);
	}
	plain = name;
	while (plain.len > 1 &&
	       ((plain.ptr[plain.len - 1] >= '0' && plain.ptr[plain.len - 1] <= '9') ||
		plain.ptr[plain.len - 1] == '.' || plain.ptr[plain.len - 1] == '-'))
		plain.len--;
	if (plain.len < name.len && (*ret = gate_program(plain)))
		return plain;
	return name;
}

/* ---- characters that only look like others ---- */

static bool odd_blank(struct view v)
{
	return view_has(v, "\xc2\xa0") || view_has(v, "\xe3\x80\x80") ||
	       view_has(v, "\xe2\x80\xaf") || view_has(v, "\xe1\x9a\x80") ||
	       view_has(v, "\xe2\x81\x9f") || view_has(v, "\xc2\x85") ||
	       (view_has(v, "\xe2\x80") &&
		(view_has(v, "\xe2\x80\x80") || view_has(v, "\xe2\x80\x81") ||
		 view_has(v, "\xe2\x80\x82") || view_has(v, "\xe2\x80\x83") ||
		 view_has(v, "\xe2\x80\x84") || view_has(v, "\xe2\x80\x85") ||
		 view_has(v, "\xe2\x80\x86") || view_has(v, "\xe2\x80\x87") ||
		 view_has(v, "\xe2\x80\x88") || view_has(v, "\xe2\x80\x89") ||
		 view_has(v, "\xe2\x80\x8a")));
}

static bool ascii_only(struct view v)
{
	for (size_t i = 0; i < v.len; i++)
		if ((unsigned char)v.ptr[i] >= 0x80)
			return false;
	return true;
}

static void judge_letters(struct site *s)
{
	for (uint32_t i = 0; i < s->argc; i++) {
		struct view v = s->argv[i].v;
		bool option = v.len > 1 && v.ptr[0] == '-';
		const char *eq;

		if (ascii_only(v))
			continue;
		if (option && (eq = view_chr(v, '=')))
			v.len = (size_t)(eq - v.ptr);
		if (((i == 0 || option) && !ascii_only(v)) ||
		    (!s->argv[i].quoted &&
		     (odd_blank(v) || view_starts(v, "\xe2\x80\x90") ||
		      view_starts(v, "\xe2\x80\x91") || view_starts(v, "\xe2\x80\x92") ||
		      view_starts(v, "\xe2\x80\x93") || view_starts(v, "\xe2\x80\x94") ||
		      view_starts(v, "\xe2\x88\x92"))))
			finding_own(s->r, "GATE_0004", s->argv[i].span, s->argv[i].v);
	}
}

/* ---- the command word ---- */

/* The word is a shape: every program of the tables that fits is tried. */
static void judge_shape(struct site *s, struct view name)
{
	const struct gate_program *p;
	struct opts o;

	for (size_t i = 0; (p = gate_program_at(i)); i++) {
		if (!value_may_match(p->name, name, false) || (p->flags & GP_READS))
			continue;
		arena_step(s->r->a, 64);
		s->prog = p;
		opts_parse(s->r, s->argv, s->argc, view_of(p->family), p->flags, &o);
		match_rules(s, &o);
	}
	s->prog = NULL;
}

static void judge_unknown_word(struct site *s)
{
	struct field *f = &s->argv[0];
	const char *slash = view_rchr(f->v, '/');
	struct view name = slash ? view_sub(f->v, (size_t)(slash - f->v.ptr) + 1) : f->v;

	if (f->taint & (TAINT_NET | TAINT_DECODED))
		finding_own(s->r, "GATE_0008", f->span, argv_text(s->r, s->argv, s->argc));
	if (!is_any(name))
		judge_shape(s, name);
	if (view_chr(f->v, ANY) && !s->r->quiet)
		finding_own(s->r, "GATE_0001", f->span, argv_text(s->r, s->argv, s->argc));
}

/* ---- files of this call that are run ---- */

static enum gate_lang shebang(struct view text, enum gate_lang other)
{
	struct view line = text, name;
	const char *nl = view_chr(text, '\n');
	const struct gate_program *p;

	if (!view_starts(text, "#!"))
		return other;
	if (nl)
		line.len = (size_t)(nl - text.ptr);
	while (line.len && line.ptr[line.len - 1] == ' ')
		line.len--;
	name = line;
	for (size_t i = line.len; i-- > 2;)
		if (line.ptr[i] == ' ' && i + 1 < line.len && line.ptr[i + 1] != '-') {
			if (view_has((struct view){line.ptr, i}, "env"))
				name = view_sub(line, i + 1);
			else
				name = (struct view){line.ptr, i};
			break;
		}
	name = program_name(name, &p);
	if (!p)
		return other;
	return p->flags & GP_SHELL ? LANG_SHELL : p->flags & GP_LANG ? p->lang : other;
}

static bool judge_made_file(struct site *s)
{
	struct field *f = &s->argv[0];
	struct file_fact *fact;

	if (!view_chr(f->v, '/') || !(fact = file_find(s->r, f->v)))
		return false;
	for (; fact; fact = fact->next) {
		if (fact->kind == FILE_COPY) {
			struct field *argv = arena_alloc(s->r->tmp, s->argc * sizeof(*argv));

			finding_own(s->r, "GATE_0010", f->span, argv_text(s->r, s->argv, s->argc));
			memcpy(argv, s->argv, s->argc * sizeof(*argv));
			argv[0].v = fact->copy_of;
			if (view_chr(fact->copy_of, '/') && !file_find(s->r, fact->copy_of))
				judge_argv(s, argv, s->argc, NULL);
			continue;
		}
		if (fact->kind == FILE_TEXT || fact->kind == FILE_NET) {
			judge_flow(s, &fact->content, shebang(fact->content.text, LANG_SHELL),
				   f->span);
			continue;
		}
		finding_own(s->r, "GATE_0010", f->span, argv_text(s->r, s->argv, s->argc));
	}
	return true;
}

/* ---- aliases and functions ---- */

static bool judge_alias(struct site *s)
{
	struct run *r = s->r;
	struct var *v;
	struct text t;

	if (!r->has_aliases || s->argv[0].quoted)
		return false;
	v = env_find(r, s->argv[0].v, false);
	if (!v || !v->alias || s->peeled >= MAX_GATE_WRAPPERS)
		return false;
	/* The text takes the place of the word; the rest follows it. */
	text_init(&t, r->tmp);
	text_put(&t, v->alias->text);
	for (uint32_t i = 1; i < s->argc; i++) {
		text_putc(&t, ' ');
		text_putc(&t, '\'');
		for (size_t k = 0; k < s->argv[i].v.len; k++) {
			if (s->argv[i].v.ptr[k] == '\'')
				text_put(&t, VIEW("'\\'"));
			text_putc(&t, s->argv[i].v.ptr[k]);
		}
		text_putc(&t, '\'');
	}
	{
		struct named_text *alias = v->alias;
		struct flow out = {0};

		v->alias = NULL; /* not expanded again inside itself */
		judge_text(r, text_view(&t), s->argv[0].taint, s->span, NULL, &s->in, &out);
		v->alias = alias;
	}
	return true;
}

static void judge_functions(struct site *s)
{
	struct var *v;

	if (!s->r->has_funcs || !(v = env_find(s->r, s->argv[0].v, false)))
		return;
	for (struct func *f = v->func; f; f = f->next) {
		struct fields argv = {s->argv, s->argc, s->argc};
		struct flow out = {0};

		call_function(s->r, f, &argv, &s->in, &out);
		flow_add(s->r, s->out, &out);
	}
}

/* ---- all of it ---- */

/* git-push, and the applets of busybox: the words shift by one. */
static bool shift_words(struct site *s)
{
	struct field *argv;

	if (s->prog && (s->prog->flags & GP_MULTI) && s->argc > 1 && s->argv[1].v.len &&
	    s->argv[1].v.ptr[0] != '-') {
		judge_inner(s, 1, NULL);
		return true;
	}
	if (!s->prog && view_starts(s->name, "git-") && s->name.len > 4) {
		argv = arena_alloc(s->r->tmp, (s->argc + 1) * sizeof(*argv));
		memcpy(argv + 1, s->argv, s->argc * sizeof(*argv));
		argv[0] = argv[1];
		argv[0].v = VIEW("git");
		argv[1].v = view_sub(s->name, 4);
		judge_argv(s, argv, s->argc + 1, NULL);
		return true;
	}
	return false;
}

static bool makes_nothing(const struct site *s, const struct flow *out)
{
	if (s->prog && gate_in_list("true false", view_of(s->prog->family)))
		return true;
	return out->kind == FLOW_TEXT && out->text.len == 0 && s->prog &&
	       gate_in_list("echo printf cat", view_of(s->prog->family));
}

/* A mere wrapper's own options stand first: the rest is the inner command's. */
static uint32_t words_to_parse(const struct site *s)
{
	enum { OWN_WORDS = 64 };

	if (s->prog && (s->prog->flags & ~(unsigned)GP_READS) == GP_WRAPS && s->argc > OWN_WORDS &&
	    strcmp(s->prog->family, s->prog->name) == 0 &&
	    !gate_grammar(view_of(s->prog->family), VIEW("")))
		return OWN_WORDS;
	return s->argc;
}

static void judge_program(struct site *s)
{
	struct opts o;
	struct flow out = {0};
	bool wrapped;

	s->name = program_name(s->argv[0].v, &s->prog);
	oprules_judge(s);
	if (shift_words(s))
		return;
	opts_parse(s->r, s->argv, words_to_parse(s), s->prog ? view_of(s->prog->family) : s->name,
		   s->prog ? s->prog->flags : OPTS_UNKNOWN, &o);
	if (s->prog && (s->prog->flags & GP_BUILTIN) && judge_builtin(s)) {
		output_of(s, &o, &out);
		judge_redirs(s->r, s->redirs, &out, makes_nothing(s, &out));
		flow_add(s->r, s->out, &out);
		return;
	}
	wrapped = peel(s, &o);
	judge_scripts(s, &o);
	s->r->site = s;
	if (s->prog) {
		match_rules(s, &o);
		writers_judge(s, &o);
	}
	s->r->site = NULL;
	judge_http(s, &o);
	if (!wrapped) {
		output_of(s, &o, &out);
	} else {
		if (s->prog &&
		    (s->prog->flags & GP_NET)) { /* whatever ran there, it comes from there */
			struct flow net = {.kind = FLOW_UNKNOWN, .taint = TAINT_NET};

			flow_add(s->r, s->out, &net);
		}
		out = *s->out;
	}
	judge_redirs(s->r, s->redirs, &out, !wrapped && makes_nothing(s, &out));
	if (!wrapped)
		flow_add(s->r, s->out, &out);
}

void judge_site(struct site *s)
{
	struct run *r = s->r;

	for (const struct assign *a = s->assigns; a; a = a->next) {
		const struct value *v = env_get(r, a->name);

		if (!gate_env(a->name))
			continue;
		for (uint32_t i = 0; v && i < v->n; i++)
			judge_env(r, a->name, v->alt[i].v, v->alt[i].taint,
				  origin_span(r->origin, a->off, a->len));
	}
	if (s->argc == 0)
		return;
	r->n_sites++;
	if (r->on_site && s->peeled == 0 && !r->quiet) {
		struct fields f = {s->argv, s->argc, s->argc};

		r->on_site(r->on_site_arg, &f, s->span);
	}
	judge_letters(s);
	if (s->argv[0].v.len == 0)
		return;
	if (!known(s->argv[0].v)) {
		const char *slash = view_rchr(s->argv[0].v, '/');

		/* "$DIR/bin/tool" is tool wherever it lies */
		if (!slash ||
		    !known(view_sub(s->argv[0].v, (size_t)(slash - s->argv[0].v.ptr) + 1))) {
			struct flow unknown = {.kind = FLOW_UNKNOWN, .taint = s->in.taint};

			judge_unknown_word(s);
			judge_redirs(r, s->redirs, &unknown, false);
			flow_add(r, s->out, &unknown);
			return;
		}
	}
	if (judge_alias(s))
		return;
	judge_functions(s);
	if (judge_made_file(s))
		return;
	judge_program(s);
}

bool where_is_elsewhere(const char *where)
{
	return where && (strstr(where, "machine") || strstr(where, "container"));
}

void judge_argv(struct site *s, struct field *argv, uint32_t argc, const char *where)
{
	struct site in = *s;
	struct run *r = s->r;
	const char *saved = r->where;
	bool elsewhere = r->elsewhere;

	if (s->peeled + 1 > MAX_GATE_WRAPPERS) {
		finding_own(r, "GATE_0006", s->span, argv_text(r, s->argv, s->argc));
		return;
	}
	in.argv = argv;
	in.argc = argc;
	in.assigns = NULL;
	in.redirs = NULL;
	in.peeled++;
	in.prog = NULL;
	if (where) {
		r->where = where;
		r->elsewhere |= where_is_elsewhere(where);
	}
	judge_site(&in);
	r->where = saved;
	r->elsewhere = elsewhere;
}

void judge_inner(struct site *s, uint32_t k, const char *where)
{
	if (k < s->argc)
		judge_argv(s, s->argv + k, s->argc - k, where);
}

void judge_inner_text(struct site *s, struct field text, const char *where,
		      const struct fields *params, bool child)
{
	struct run *r = s->r;
	const char *saved = r->where;
	bool elsewhere = r->elsewhere, was_child = r->child;
	uint32_t mark = env_mark(r);

	if (where) {
		r->where = where;
		r->elsewhere |= where_is_elsewhere(where);
	}
	r->child |= child;
	judge_text(r, text.v, text.taint, text.span, params, &s->in, s->out);
	r->where = saved;
	r->elsewhere = elsewhere;
	r->child = was_child;
	if (child)
		env_rollback(r, mark);
}
