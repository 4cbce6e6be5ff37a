/* SPDX-License-Identifier: MIT */
/* A token scan of program text in other languages: names that delete, start programs or compute
 * what they call; comments and plain strings are data (file 40, section 12.8). Never complete.
 * Test: the case files, groups G and X260 on. */
#include "base/base.h"

#include "gate/langtok.h"
#include "gate/opts.h"
#include "gate/paths.h"
#include "gate/site.h"

#include "base/limits.h"

struct scan {
	struct site *s;
	enum gate_lang lang;
	struct tok *t;
	size_t n;
	uint8_t taint;
	struct span span;
	struct view text;
	bool child_process;
	size_t first_row; /* the language's rows stand together */
};

static bool is_punct(const struct scan *c, size_t i, char p)
{
	return i < c->n && c->t[i].kind == TOK_PUNCT && c->t[i].v.ptr[0] == p;
}

/* Languages where a call needs no parentheses. */
static bool bare_calls(enum gate_lang l)
{
	return l == LANG_PERL || l == LANG_RUBY || l == LANG_POWERSHELL || l == LANG_ELISP ||
	       l == LANG_APPLE || l == LANG_TCL || l == LANG_AWK;
}

static bool name_fits(const struct gate_call *c, struct view id)
{
	struct view want = view_of(c->name);
	bool fold = c->lang == LANG_POWERSHELL;

	if (want.ptr[0] == '=')
		return view_eq(id, view_sub(want, 1));
	if (want.ptr[0] == '.')
		return id.len >= want.len && view_eq(view_sub(id, id.len - want.len), want);
	if (fold)
		return gate_glob(c->name, id, true);
	if (id.len < want.len || !view_eq(view_sub(id, id.len - want.len), want))
		return false;
	return id.len == want.len || id.ptr[id.len - want.len - 1] == '.' ||
	       id.ptr[id.len - want.len - 1] == ':' || id.ptr[id.len - want.len - 1] == '>';
}

static const struct gate_call *call_of(const struct scan *c, struct view id)
{
	size_t n;
	const struct gate_call *rows = gate_calls(&n);
	static const struct gate_call child = {LANG_NODE, "exec", CALL_RUN};

	for (size_t i = c->first_row; i < n && rows[i].lang == c->lang; i++)
		if (name_fits(&rows[i], id))
			return &rows[i];
	if (c->lang == LANG_NODE && c->child_process && name_fits(&child, id))
		return &child;
	return NULL;
}

static void delete_finding(struct scan *c, struct view what)
{
	finding_own(c->s->r, "GATE_0013", c->span, what);
}

static void opaque_finding(struct scan *c, struct view what)
{
	finding_own(c->s->r, "GATE_0012", c->span, what);
}

static void run_text(struct scan *c, struct view text)
{
	struct field f = {.v = text, .span = c->span, .taint = 0};

	if (text.len == 0)
		return;
	if (text.ptr[0] == ANY) {
		opaque_finding(c, text);
		return;
	}
	judge_inner_text(c->s, f, NULL, NULL, true);
}

/* ["git", "log", x]: a vector; p stands behind the bracket. */
static void run_vector(struct scan *c, size_t p, char close)
{
	struct fields argv = {0};

	for (; p < c->n && !is_punct(c, p, close); p++) {
		struct field f = {.span = c->span, .quoted = true};
		bool whole = true;

		f.v = c->t[p].kind == TOK_STR ? c->t[p].v : (struct view){"\0", 1};
		if (is_punct(c, p, ','))
			continue;
		while (p + 1 < c->n && !is_punct(c, p + 1, ',') && !is_punct(c, p + 1, close)) {
			p++;
			whole = false;
		}
		if (!whole)
			f.v = (struct view){"\0", 1};
		fields_add(c->s->r->tmp, &argv, f);
	}
	if (argv.n && argv.v[0].v.ptr[0] != ANY)
		judge_argv(c->s, argv.v, argv.n, NULL);
	else
		opaque_finding(c, c->text);
}

/* A call that starts a program; at: the token behind the name. */
static void run_call(struct scan *c, size_t at)
{
	struct text t;
	size_t nest = 0, parts = 0;
	struct fields argv = {0};
	bool parens = is_punct(c, at, '(');

	if (parens)
		at++;
	if (is_punct(c, at, '[') || is_punct(c, at, '(')) {
		run_vector(c, at + 1, c->t[at].v.ptr[0] == '[' ? ']' : ')');
		return;
	}
	text_init(&t, c->s->r->tmp);
	for (; at < c->n; at++) {
		const struct tok *k = &c->t[at];

		if (k->kind == TOK_PUNCT) {
			char p = k->v.ptr[0];

			if (p == '(' || p == '[' || p == '{')
				nest++;
			if ((p == ')' || p == ']' || p == '}') && nest-- == 0)
				break;
			if ((p == ';' || p == '\n') && nest == 0 && (!parens || p == ';'))
				break;
			if (p == ',' && nest == 0) {
				struct field f = {
					.v = text_view(&t), .span = c->span, .quoted = true};

				fields_add(c->s->r->tmp, &argv, f);
				text_init(&t, c->s->r->tmp);
				parts = 0;
				if (is_punct(c, at + 1, '[')) { /* spawn("git", ["branch", ...]) */
					for (at += 2; at < c->n && !is_punct(c, at, ']'); at++) {
						f.v = c->t[at].kind == TOK_STR
							      ? c->t[at].v
							      : (struct view){"\0", 1};
						if (!is_punct(c, at, ','))
							fields_add(c->s->r->tmp, &argv, f);
					}
					break;
				}
			}
			continue;
		}
		if (k->kind == TOK_STR)
			text_put(&t, k->v);
		else if (parts == 0 || t.len == 0 || t.ptr[t.len - 1] != ANY)
			text_putc(&t, ANY);
		parts++;
	}
	if (t.len) {
		struct field f = {.v = text_view(&t), .span = c->span, .quoted = true};

		fields_add(c->s->r->tmp, &argv, f);
	}
	if (argv.n == 0)
		return;
	if (argv.n == 1 || c->lang == LANG_AWK || c->lang == LANG_PHP || c->lang == LANG_LUA ||
	    c->lang == LANG_NODE) {
		run_text(c, argv.v[0].v);
		if (argv.n > 1 && c->lang == LANG_NODE && argv.v[0].v.len &&
		    argv.v[0].v.ptr[0] != ANY)
			judge_argv(c->s, argv.v, argv.n, NULL);
		return;
	}
	run_text(c, argv.v[0].v);
	if (argv.v[0].v.len && argv.v[0].v.ptr[0] != ANY)
		judge_argv(c->s, argv.v, argv.n, NULL);
}

/* getattr(x, "name") with one literal is a plain call; computed ones are opaque. */
static void dynamic_call(struct scan *c, size_t i)
{
	if (view_is(c->t[i].v, "getattr") && is_punct(c, i + 1, '(')) {
		size_t p = i + 2;

		while (p < c->n && !is_punct(c, p, ','))
			p++;
		if (p + 2 < c->n && c->t[p + 1].kind == TOK_STR && !c->t[p + 1].joined &&
		    (is_punct(c, p + 2, ')') || is_punct(c, p + 2, ','))) {
			const struct gate_call *g = call_of(c, c->t[p + 1].v);

			if (g && g->kind == CALL_DELETE)
				delete_finding(c, c->text);
			else if (g)
				opaque_finding(c, c->text);
			return;
		}
	}
	opaque_finding(c, c->text);
}

/* A function handed on as a value: map(os.remove, names), forEach(fs.unlinkSync). */
static void handed_on(struct scan *c, size_t i, const struct gate_call *g)
{
	if (!view_chr(c->t[i].v, '.') || i + 1 >= c->n ||
	    !(is_punct(c, i + 1, ',') || is_punct(c, i + 1, ')') || is_punct(c, i + 1, ']')))
		return;
	if (g->kind == CALL_DELETE)
		delete_finding(c, c->text);
	else if (g->kind == CALL_RUN)
		opaque_finding(c, c->text);
}

/* x["name"](...): the name may be put together. */
static void computed_member(struct scan *c, size_t i)
{
	const struct gate_call *g;

	if (!is_punct(c, i, '[') || i + 3 >= c->n || c->t[i + 1].kind != TOK_STR ||
	    !is_punct(c, i + 2, ']') || !is_punct(c, i + 3, '('))
		return;
	g = call_of(c, c->t[i + 1].v);
	if (g && g->kind == CALL_DELETE)
		delete_finding(c, c->text);
	else if (g || c->t[i + 1].joined)
		opaque_finding(c, c->text);
}

/* Perl's open: "|command", "command|", and the modes "|-" and "-|" with words. */
static void perl_open(struct scan *c, size_t i)
{
	for (i++; i < c->n && !is_punct(c, i, ';'); i++) {
		struct view v = c->t[i].v;

		if (c->t[i].kind != TOK_STR || v.len == 0)
			continue;
		if (view_is(v, "-|") || view_is(v, "|-")) {
			while (i < c->n && !is_punct(c, i, ','))
				i++;
			run_call(c, i + 1);
			return;
		}
		if (v.ptr[0] == '|') {
			run_text(c, view_sub(v, 1));
		} else if (v.ptr[v.len - 1] == '|') {
			v.len--;
			run_text(c, v);
		}
	}
}

static void calls(struct scan *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct gate_call *g;
		bool called;

		arena_step(c->s->r->a, 8);
		if (c->t[i].kind == TOK_SHELL) {
			run_text(c, c->t[i].v);
			continue;
		}
		if (c->lang == LANG_NODE)
			computed_member(c, i);
		if (c->t[i].kind != TOK_NAME)
			continue;
		if (c->lang == LANG_PERL && view_is(c->t[i].v, "open"))
			perl_open(c, i);
		called = is_punct(c, i + 1, '(') || bare_calls(c->lang) ||
			 (i + 1 < c->n && c->t[i + 1].kind == TOK_STR && c->lang == LANG_LUA);
		g = call_of(c, c->t[i].v);
		if (!g)
			continue;
		if (!called && g->kind == CALL_DELETE && i && c->t[i - 1].kind == TOK_NAME &&
		    view_is(c->t[i - 1].v, "import"))
			called = true;
		if (!called)
			handed_on(c, i, g);
		/* map("unlink", ...) and array_map("unlink", ...) name it as text: see below */
		if (!called && !(g->kind == CALL_DYNAMIC && view_starts(c->t[i].v, "__")))
			continue;
		if (g->kind == CALL_DELETE)
			delete_finding(c, c->text);
		else if (g->kind == CALL_RUN)
			run_call(c, i + 1);
		else
			dynamic_call(c, i);
	}
}

/* A function named by a string: PHP's array_map("unlink", ...), Perl's &{"unlink"}. */
static void named_by_text(struct scan *c)
{
	if (c->lang != LANG_PHP)
		return;
	for (size_t i = 0; i + 1 < c->n; i++)
		if (c->t[i].kind == TOK_STR && is_punct(c, i + 1, ',') && i &&
		    is_punct(c, i - 1, '(')) {
			const struct gate_call *g = call_of(c, c->t[i].v);

			if (g && g->kind == CALL_DELETE)
				delete_finding(c, c->text);
			else if (g)
				opaque_finding(c, c->text);
		}
}

static bool any_name(const struct scan *c, const char *list)
{
	for (size_t i = 0; i < c->n; i++) {
		struct view v = c->t[i].v;
		const char *dot = view_rchr(v, '.');

		if (c->t[i].kind != TOK_NAME)
			continue;
		if (dot)
			v = view_sub(v, (size_t)(dot - v.ptr) + 1);
		if (gate_in_list(list, v))
			return true;
	}
	return false;
}

static bool any_text(const struct scan *c, const char *list)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->t[i].kind == TOK_STR && gate_in_list(list, c->t[i].v))
			return true;
	return false;
}

static void requests(struct scan *c)
{
	bool writes = any_text(c, "PUT POST PATCH put post patch") || any_name(c, "put post patch");
	bool deletes = any_text(c, "DELETE delete") || any_name(c, "delete Delete");

	for (size_t i = 0; i < c->n; i++) {
		if (c->t[i].kind != TOK_STR)
			continue;
		if (view_has(c->t[i].v, "://") || view_has(c->t[i].v, "/pulls/"))
			judge_route(c->s->r, c->t[i].v, writes, deletes, c->span, c->text);
		if (view_has(c->t[i].v, "mutation"))
			judge_graphql(c->s->r, c->t[i].v, c->span, c->text);
	}
}

static void writes_files(struct scan *c)
{
	bool writes =
		any_text(c, "w a x w+ a+ r+ wb ab wt > >> +<") ||
		any_name(
			c,
			"write writeFile writeFileSync writeSync write_text write_bytes appendFile "
			"appendFileSync append rename renames replace renameSync copyfile copy "
			"copy2 "
			"copyFileSync copyFile cp move symlink symlinkSync link linkSync chmod "
			"chmodSync "
			"truncate createWriteStream file_put_contents fputs fwrite touch binwrite "
			"dump "
			"outputFile outputFileSync writeTextFile writeTextFileSync spit mv cp_r "
			"rmtree unlink remove");

	bool moves = any_name(c, "rename renames renameSync replace move mv rmtree");

	if (!writes && !moves)
		return;
	for (size_t i = 0; i < c->n; i++) {
		struct view v = c->t[i].v;
		size_t plain = 0;

		if (c->t[i].kind != TOK_STR || v.len >= 512 ||
		    !(view_chr(v, '/') || view_starts(v, ".") || view_starts(v, "~")))
			continue;
		path_judge(c->s->r, v, USE_WRITE, c->span);
		while (plain < v.len && strchr("./~", v.ptr[plain] ? v.ptr[plain] : 'x'))
			plain++;
		/* a folder that holds guarded files; where something is moved to is "." or "/" */
		if (moves && plain < v.len)
			path_judge(c->s->r, v, USE_REMOVE, c->span);
	}
}

/* awk: "cmd" | getline, print | "cmd", print > "file". */
static void awk_pipes(struct scan *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->t[i].kind != TOK_STR)
			continue;
		if ((i && is_punct(c, i - 1, '|') && !(i > 1 && is_punct(c, i - 2, '|'))) ||
		    (is_punct(c, i + 1, '|') && i + 2 < c->n && view_is(c->t[i + 2].v, "getline")))
			run_text(c, c->t[i].v);
		if (i && is_punct(c, i - 1, '>') && c->t[i].v.len)
			path_judge(c->s->r, c->t[i].v, USE_WRITE, c->span);
	}
	for (size_t i = 0; i + 1 < c->n; i++)
		if (is_punct(c, i, '|') && c->t[i + 1].kind == TOK_NAME &&
		    !(i && is_punct(c, i - 1, '|')) && !view_is(c->t[i + 1].v, "getline"))
			opaque_finding(c, c->text); /* print | cmd */
}

void judge_lang(struct site *s, enum gate_lang lang, struct view text, uint8_t taint,
		struct span span)
{
	struct scan c = {.s = s, .lang = lang, .taint = taint, .span = span, .text = text};
	const struct gate_call *rows;
	size_t n_rows;

	if (text.len == 0)
		return;
	if (!known(text)) {
		if (taint & (TAINT_NET | TAINT_DECODED)) {
			finding_own(s->r, "GATE_0008", span, text);
			return;
		}
		if ((taint & (TAINT_RUN | TAINT_READ)) || is_any(text)) {
			if (!s->r->quiet)
				finding_own(s->r, "GATE_0009", span, text);
			if (is_any(text))
				return;
		}
	}
	if (s->r->script_depth >= MAX_GATE_SCRIPT_DEPTH) {
		finding_own(s->r, "GATE_0006", span, text);
		return;
	}
	rows = gate_calls(&n_rows);
	while (c.first_row < n_rows && rows[c.first_row].lang != lang)
		c.first_row++;
	s->r->script_depth++;
	if (lang_lines(s, lang, text, taint, span)) {
		s->r->script_depth--;
		return;
	}
	lang_tokens(s->r->tmp, lang, text, &c.t, &c.n);
	lang_aliases(s->r->tmp, lang, c.t, c.n);
	c.child_process = any_text(&c, "child_process node:child_process");
	calls(&c);
	named_by_text(&c);
	requests(&c);
	writes_files(&c);
	if (lang == LANG_AWK)
		awk_pipes(&c);
	s->r->script_depth--;
}
