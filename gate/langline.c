/* SPDX-License-Identifier: MIT */
/* Languages of lines: sed, ed, vim, make, gdb, Tcl, AppleScript, PowerShell. Only what runs another
 * program or writes a file is looked for. Test: the case files, groups G and X220 on. */
#include "base/base.h"

#include "gate/langtok.h"
#include "gate/opts.h"
#include "gate/paths.h"
#include "gate/site.h"

struct ctx {
	struct site *s;
	uint8_t taint;
	struct span span;
};

static void run(struct ctx *c, struct view text)
{
	struct field f = {.v = text, .span = c->span, .taint = c->taint};

	if (text.len)
		judge_inner_text(c->s, f, NULL, NULL, true);
}

static void opaque(struct ctx *c, struct view text)
{
	finding_own(c->s->r, "GATE_0012", c->span, text);
}

static struct view trim(struct view v)
{
	while (v.len && (v.ptr[0] == ' ' || v.ptr[0] == '\t'))
		v = view_sub(v, 1);
	while (v.len && (v.ptr[v.len - 1] == ' ' || v.ptr[v.len - 1] == '\r'))
		v.len--;
	return v;
}

static struct view next_line(struct view *rest)
{
	const char *nl = view_chr(*rest, '\n');
	struct view line = nl ? (struct view){rest->ptr, (size_t)(nl - rest->ptr)} : *rest;

	*rest = nl ? view_sub(*rest, line.len + 1) : VIEW("");
	return line;
}

static struct view first_word(struct view v)
{
	size_t n = 0;

	while (n < v.len && v.ptr[n] != ' ' && v.ptr[n] != '\t')
		n++;
	return (struct view){v.ptr, n};
}

/* ---- sed ---- */

struct sed {
	const char *s;
	size_t n, i;
};

static void sed_delimited(struct sed *p, char d)
{
	while (p->i < p->n && p->s[p->i] != d)
		p->i += p->s[p->i] == '\\' ? 2 : 1;
	if (p->i < p->n)
		p->i++;
	else
		p->i = p->n;
}

static void sed_address(struct sed *p)
{
	for (;;) {
		char c = p->i < p->n ? p->s[p->i] : 0;

		if (c && strchr("0123456789$,+~! \t;\n{}", c)) {
			p->i++;
		} else if (c == '/') {
			p->i++;
			sed_delimited(p, '/');
			while (p->i < p->n && (p->s[p->i] == 'I' || p->s[p->i] == 'M'))
				p->i++;
		} else if (c == '\\' && p->i + 1 < p->n) {
			char d = p->s[p->i + 1];

			p->i += 2;
			sed_delimited(p, d);
		} else {
			return;
		}
	}
}

static struct view sed_line(struct sed *p)
{
	size_t from = p->i;

	while (p->i < p->n && p->s[p->i] != '\n')
		p->i++;
	return trim((struct view){p->s + from, p->i - from});
}

static void sed_substitute(struct ctx *c, struct sed *p)
{
	char d = p->i < p->n ? p->s[p->i++] : 0;
	size_t from;
	struct view with;

	if (!d)
		return;
	sed_delimited(p, d);
	from = p->i;
	sed_delimited(p, d);
	with = (struct view){p->s + from, p->i > from ? p->i - from - 1 : 0};
	while (p->i < p->n && !strchr(";\n}", p->s[p->i] ? p->s[p->i] : 'x')) {
		char f = p->s[p->i++];

		if (f == 'e') {
			if (with.len && !view_chr(with, '&') && !view_chr(with, '\\'))
				run(c, with);
			else
				opaque(c, (struct view){p->s, p->n});
		} else if (f == 'w') {
			path_judge(c->s->r, sed_line(p), USE_WRITE, c->span);
			return;
		} else if (f == '#') {
			(void)sed_line(p);
			return;
		}
	}
}

static void sed_script(struct ctx *c, struct view text)
{
	struct sed p = {text.ptr, text.len, 0};
	struct view rest;

	while (p.i < p.n) {
		char cmd;

		arena_step(c->s->r->a, 1);
		sed_address(&p);
		if (p.i >= p.n)
			return;
		cmd = p.s[p.i++];
		switch (cmd) {
		case 's':
			sed_substitute(c, &p);
			break;
		case 'y':
			if (p.i < p.n) {
				char d = p.s[p.i++];

				sed_delimited(&p, d);
				sed_delimited(&p, d);
			}
			break;
		case 'e':
			rest = sed_line(&p);
			if (rest.len)
				run(c, rest);
			else
				opaque(c, text);
			break;
		case 'w':
		case 'W':
			path_judge(c->s->r, sed_line(&p), USE_WRITE, c->span);
			break;
		case 'a':
		case 'i':
		case 'c':
		case 'r':
		case 'R':
		case '#':
			(void)sed_line(&p);
			break;
		case ':':
		case 'b':
		case 't':
		case 'T':
			while (p.i < p.n && !strchr(";\n}", p.s[p.i] ? p.s[p.i] : 'x'))
				p.i++;
			break;
		default:
			break;
		}
	}
}

/* ---- vim, ed ---- */

static void vim_command(struct ctx *c, struct view v)
{
	struct view w;

	v = trim(v);
	while (v.len && strchr(":0123456789%$.,;'<> ", v.ptr[0] ? v.ptr[0] : 'x'))
		v = view_sub(v, 1);
	if (v.len == 0)
		return;
	if (v.ptr[0] == '!') {
		run(c, view_sub(v, 1));
		return;
	}
	w = first_word(v);
	if (gate_in_list("silent silent! sil sil! noautocmd keepjumps", w)) {
		vim_command(c, view_sub(v, w.len));
		return;
	}
	if (gate_in_list("exe execute exec exe! source so py py3 python python3 pyx lua perl ruby "
			 "luafile norm "
			 "normal normal! feedkeys",
			 w)) {
		opaque(c, v);
		return;
	}
	if (view_has(v, "system(") || view_has(v, "systemlist(") || view_has(v, "job_start(") ||
	    view_has(v, "jobstart(") || view_has(v, "term_start(")) {
		judge_lang(c->s, LANG_PHP, v, c->taint, c->span); /* system("...") reads the same */
		return;
	}
	if (view_has(v, "delete(")) {
		finding_own(c->s->r, "GATE_0013", c->span, v);
		return;
	}
	if (gate_in_list("r read terminal term", w)) {
		struct view rest = trim(view_sub(v, w.len));

		if (rest.len && (rest.ptr[0] == '!' || w.ptr[0] == 't'))
			run(c, rest.ptr[0] == '!' ? view_sub(rest, 1) : rest);
		return;
	}
	if (gate_in_list("w w! wq wq! x write write! sav saveas up update", w)) {
		struct view rest = trim(view_sub(v, w.len));

		if (rest.len && rest.ptr[0] == '!')
			run(c, view_sub(rest, 1));
		else if (rest.len)
			path_judge(c->s->r, rest, USE_WRITE, c->span);
	}
}

static void each_line(struct ctx *c, struct view text, void (*fn)(struct ctx *, struct view))
{
	struct view rest = text;

	while (rest.len) {
		arena_step(c->s->r->a, 1);
		fn(c, next_line(&rest));
	}
}

/* ---- make ---- */

/* $(X) and $@ are make's own: not known here; $$ is the shell's dollar. */
static struct view make_expand(struct ctx *c, struct view v)
{
	struct text t;

	if (!v.len || !view_chr(v, '$'))
		return v;
	text_init(&t, c->s->r->tmp);
	for (size_t i = 0; i < v.len; i++) {
		char d = i + 1 < v.len ? v.ptr[i + 1] : 0;

		if (v.ptr[i] != '$') {
			text_putc(&t, v.ptr[i]);
			continue;
		}
		i++;
		if (d == '$') {
			text_putc(&t, '$');
		} else if (d == '(' || d == '{') {
			char close = d == '(' ? ')' : '}';
			size_t from = i + 1, nest = 0;

			for (i = from; i < v.len && (v.ptr[i] != close || nest); i++) {
				if (v.ptr[i] == d)
					nest++;
				else if (v.ptr[i] == close)
					nest--;
			}
			if (view_starts(view_sub(v, from), "shell "))
				run(c, (struct view){v.ptr + from + 6, i - from - 6});
			text_putc(&t, ANY);
		} else {
			text_putc(&t, ANY);
		}
	}
	return text_view(&t);
}

static void make_line(struct ctx *c, struct view line)
{
	const char *semi, *shell;

	if (line.len && line.ptr[0] == '\t') {
		struct view v = trim(line);

		while (v.len && strchr("@-+", v.ptr[0] ? v.ptr[0] : 'x'))
			v = view_sub(v, 1);
		if (v.len && v.ptr[0] != '#')
			run(c, make_expand(c, v));
		return;
	}
	(void)make_expand(c, line);
	semi = view_chr(line, ';'); /* target: ; recipe */
	if (semi && memchr(line.ptr, ':', (size_t)(semi - line.ptr)))
		run(c, make_expand(c, view_sub(line, (size_t)(semi - line.ptr) + 1)));
	if ((shell = view_find(line, VIEW("!="))))
		run(c, make_expand(c, view_sub(line, (size_t)(shell - line.ptr) + 2)));
}

/* ---- gdb, Tcl, AppleScript ---- */

static void gdb_line(struct ctx *c, struct view v)
{
	struct view w;

	v = trim(v);
	w = first_word(v);
	if (v.len && v.ptr[0] == '!')
		run(c, view_sub(v, 1));
	else if (view_starts(v, "platform shell ")) /* lldb */
		run(c, trim(view_sub(v, 15)));
	else if (gate_in_list("shell she pipe make", w))
		run(c, trim(view_sub(v, w.len)));
	else if (gate_in_list("python py pi python-interactive", w))
		judge_lang(c->s, LANG_PYTHON, trim(view_sub(v, w.len)), c->taint, c->span);
	else if (view_has(v, "system(") || view_has(v, "execl"))
		judge_lang(c->s, LANG_PHP, v, c->taint, c->span);
	else if (view_is(w, "source"))
		opaque(c, v);
}

static void tcl_line(struct ctx *c, struct view v)
{
	struct view w;

	v = trim(v);
	w = first_word(v);
	if (gate_in_list("spawn exec system", w)) {
		struct view rest = trim(view_sub(v, w.len));

		while (view_starts(rest, "-"))
			rest = trim(view_sub(rest, first_word(rest).len));
		if (rest.len > 1 && rest.ptr[0] == '"' && rest.ptr[rest.len - 1] == '"')
			rest = (struct view){rest.ptr + 1, rest.len - 2};
		run(c, rest);
	} else if (view_starts(v, "file delete")) {
		finding_own(c->s->r, "GATE_0013", c->span, v);
	} else if (gate_in_list("eval uplevel", w)) {
		opaque(c, v);
	}
}

static void apple_script(struct ctx *c, struct view text)
{
	struct view rest = text;
	const char *at;

	while (rest.len && (at = view_find(rest, VIEW("do shell script")))) {
		struct view tail = trim(view_sub(rest, (size_t)(at - rest.ptr) + 15));
		struct tok *t;
		size_t n;

		lang_tokens(c->s->r->tmp, LANG_APPLE, tail, &t, &n);
		if (n && t[0].kind == TOK_STR)
			run(c, t[0].v);
		else
			opaque(c, text);
		rest = tail;
	}
	if (view_has(text, "administrator privileges"))
		finding_own(c->s->r, "GATE_0030", c->span, text);
	if (view_has(text, "delete") || view_has(text, "empty trash") ||
	    view_has(text, "empty the trash"))
		finding_own(c->s->r, "GATE_0013", c->span, text);
	if (view_has(text, "run script"))
		opaque(c, text);
}

/* ---- PowerShell: verbs by name, other commands by the shared rules ---- */

static void powershell_command(struct ctx *c, struct view v)
{
	struct fields argv = {0};
	size_t i = 0;

	v = trim(v);
	while (v.len && strchr("&(.", v.ptr[0] ? v.ptr[0] : 'x'))
		v = trim(view_sub(v, 1));
	while (i < v.len) {
		char q = 0;
		struct text t;
		struct field f = {.span = c->span};

		while (i < v.len && (v.ptr[i] == ' ' || v.ptr[i] == '\t'))
			i++;
		if (i >= v.len || v.ptr[i] == '#')
			break;
		text_init(&t, c->s->r->tmp);
		for (; i < v.len && (q || (v.ptr[i] != ' ' && v.ptr[i] != '\t')); i++) {
			char b = v.ptr[i];

			if (q && b == q)
				q = 0;
			else if (!q && (b == '"' || b == '\''))
				q = b;
			else if (b == '`' && i + 1 < v.len)
				text_putc(&t, v.ptr[++i]);
			else if (b == '$' && q != '\'')
				text_putc(&t, ANY);
			else
				text_putc(&t, b);
		}
		f.v = text_view(&t);
		fields_add(c->s->r->tmp, &argv, f);
	}
	if (argv.n == 0)
		return;
	if (argv.v[0].v.len && !view_chr(argv.v[0].v, ANY) && !view_chr(argv.v[0].v, '='))
		judge_argv(c->s, argv.v, argv.n, NULL);
	if (gate_glob("*-item*", argv.v[0].v, true) ||
	    gate_glob("set-content", argv.v[0].v, true) ||
	    gate_glob("out-file", argv.v[0].v, true) || gate_glob("add-content", argv.v[0].v, true))
		for (uint32_t k = 1; k < argv.n; k++)
			path_judge(c->s->r, argv.v[k].v,
				   gate_glob("remove*", argv.v[0].v, true) ||
						   gate_glob("move*", argv.v[0].v, true)
					   ? USE_REMOVE
					   : USE_WRITE,
				   c->span);
}

static void powershell(struct ctx *c, struct view text)
{
	size_t from = 0;
	char q = 0;

	for (size_t i = 0; i <= text.len; i++) {
		char b = i < text.len ? text.ptr[i] : '\n';

		if (q) {
			if (b == q)
				q = 0;
			if (i < text.len)
				continue;
		} else if (b == '"' || b == '\'') {
			q = b;
			continue;
		}
		if (b == '\n' || b == ';' || b == '|' || b == '&' || b == '{' || b == '}') {
			powershell_command(c, (struct view){text.ptr + from, i - from});
			from = i + 1;
		}
	}
}

bool lang_lines(struct site *s, enum gate_lang lang, struct view text, uint8_t taint,
		struct span span)
{
	struct ctx c = {s, taint, span};

	switch (lang) {
	case LANG_SED:
		sed_script(&c, text);
		return true;
	case LANG_VIM:
	case LANG_ED:
		each_line(&c, text, vim_command);
		return true;
	case LANG_MAKE:
		each_line(&c, text, make_line);
		return true;
	case LANG_GDB:
		each_line(&c, text, gdb_line);
		return true;
	case LANG_TCL:
		each_line(&c, text, tcl_line);
		return true;
	case LANG_APPLE:
		apple_script(&c, text);
		return true;
	case LANG_POWERSHELL:
		powershell(&c, text);
		return false; /* the verbs by name too */
	case LANG_SHELL:
		judge_inner_text(s, (struct field){.v = text, .taint = taint, .span = span}, NULL,
				 NULL, true);
		return true;
	case LANG_SQL:
		judge_sql(s, text, taint, span);
		return true;
	case LANG_NONE:
	case LANG_PYTHON:
	case LANG_PERL:
	case LANG_RUBY:
	case LANG_NODE:
	case LANG_PHP:
	case LANG_LUA:
	case LANG_R:
	case LANG_AWK:
	case LANG_ELISP:
		break;
	}
	return false;
}
