/* SPDX-License-Identifier: MIT */
#include "bash_gen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static unsigned rnd(struct gen *g, unsigned n)
{
	g->state ^= g->state << 13;
	g->state ^= g->state >> 7;
	g->state ^= g->state << 17;
	return (unsigned)((g->state >> 11) % n);
}

static void put(struct gen *g, const char *s)
{
	size_t n = strlen(s);

	if (g->len + n + 1 >= g->size)
		return;
	memcpy(g->out + g->len, s, n + 1);
	g->len += n;
}

__attribute__((format(printf, 2, 3))) static void putf(struct gen *g, const char *format, ...)
{
	char t[256];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(t, sizeof(t), format, ap);
	va_end(ap);
	put(g, t);
}

static void putch(struct gen *g, char c)
{
	char t[2] = {c, 0};

	put(g, t);
}

static const char plain[] = "abcxyzABC0123456789_./:@%+,-";
static const char odd[] = "abc xyz\t;&|<>()*?[]{}#~!=,'\"\\$`%^+.:/0189";

static void plain_text(struct gen *g, unsigned most)
{
	unsigned n = 1 + rnd(g, most);

	while (n--)
		putch(g, plain[rnd(g, sizeof(plain) - 1)]);
}

static void single(struct gen *g)
{
	unsigned n = rnd(g, 8);

	putch(g, '\'');
	while (n--) {
		char c = odd[rnd(g, sizeof(odd) - 1)];

		putch(g, c == '\'' ? '"' : c);
	}
	if (!rnd(g, 12))
		put(g, "\\\n x");
	putch(g, '\'');
}

static void ansi(struct gen *g)
{
	static const char *const parts[] = {"\\x41", "\\101", "\\u0042", "\\'",	  "\\\\", "\\t",
					    "\\n",   "a b",   "$x",	 "`",	  "\\\"", "\\e",
					    "\\cB",  "\\x7",  "\\7z",	 "{a,b}", "\\q",  "\\U43"};
	unsigned n = rnd(g, 5);

	put(g, "$'");
	while (n--)
		put(g, parts[rnd(g, sizeof(parts) / sizeof(parts[0]))]);
	putch(g, '\'');
}

static void expansion(struct gen *g, int quoted);

static void dquoted(struct gen *g)
{
	unsigned n = rnd(g, 6);

	putch(g, '"');
	while (n--) {
		switch (rnd(g, 8)) {
		case 0:
			put(g, "\\\"");
			break;
		case 1:
			put(g, "\\$x");
			break;
		case 2:
			put(g, "\\\\");
			break;
		case 3:
			put(g, rnd(g, 2) ? "\\a" : "\\\n");
			break;
		case 4:
			put(g, " '* ?[x] {a,b} ~ # ");
			break;
		case 5:
			expansion(g, 1);
			break;
		default:
			plain_text(g, 4);
		}
	}
	putch(g, '"');
}

static void escaped(struct gen *g)
{
	char c = odd[rnd(g, sizeof(odd) - 1)];

	putch(g, '\\');
	putch(g, c);
}

static void word(struct gen *g);

/* Expansions whose value is known: variables of this program, substitutions of plain output. */
static void expansion(struct gen *g, int quoted)
{
	unsigned v = g->vars ? rnd(g, g->vars) : 0;

	if (g->depth > 4) {
		plain_text(g, 3);
		return;
	}
	g->depth++;
	switch (rnd(g, 3) && g->vars ? 4 + rnd(g, 14) : g->forks ? rnd(g, 8) : 3 + rnd(g, 5)) {
	case 0:
		put(g, "$(echo ");
		plain_text(g, 5);
		put(g, ")");
		break;
	case 1:
		put(g, "$(printf '%s' ");
		if (rnd(g, 2))
			dquoted(g);
		else
			plain_text(g, 6);
		put(g, ")");
		break;
	case 2:
		put(g, "`echo ");
		plain_text(g, 5);
		put(g, "`");
		break;
	case 3:
	case 4:
	case 5:
		putf(g, "${u%u:-", g->id);
		plain_text(g, 4);
		put(g, "}");
		break;
	case 6:
	case 7:
		if (g->vars)
			putf(g, "${v%u_%u}", g->id, v);
		else
			plain_text(g, 3);
		break;
	case 8:
		putf(g, "$v%u_%u", g->id, v);
		if (!quoted)
			put(g, "''");
		else
			put(g, "/");
		break;
	case 9:
		putf(g, "${v%u_%u#x}", g->id, v);
		break;
	case 10:
		putf(g, "${v%u_%u%%a}", g->id, v);
		break;
	case 11:
		putf(g, "${v%u_%u/a/b}", g->id, v);
		break;
	case 12:
		putf(g, "${v%u_%u//a/bb}", g->id, v);
		break;
	case 13:
		putf(g, rnd(g, 2) ? "${v%u_%u^^}" : "${v%u_%u,,}", g->id, v);
		break;
	case 14:
		putf(g, "${v%u_%u:%u}", g->id, v, rnd(g, 3));
		break;
	case 15:
		putf(g, "${v%u_%u:%u:%u}", g->id, v, rnd(g, 2), rnd(g, 4));
		break;
	case 16:
		putf(g, "${#v%u_%u}", g->id, v);
		break;
	default:
		putf(g, "${v%u_%u:+", g->id, v);
		plain_text(g, 3);
		put(g, "}");
	}
	g->depth--;
}

static void brace(struct gen *g)
{
	switch (rnd(g, 5)) {
	case 0:
		put(g, "{a,b}");
		break;
	case 1:
		put(g, "{1..3}");
		break;
	case 2:
		put(g, "x{a,{b,c}d,}y");
		break;
	case 3:
		put(g, "{a}{b,c}");
		break;
	default:
		put(g, "{03..1}");
	}
}

static void word(struct gen *g)
{
	unsigned n = 1 + rnd(g, 3);

	if (!rnd(g, 14)) {
		brace(g);
		return;
	}
	if (!rnd(g, 25)) {
		put(g, rnd(g, 2) ? "~" : "~/x");
		return;
	}
	while (n--) {
		switch (rnd(g, 12)) {
		case 0:
		case 1:
			single(g);
			break;
		case 2:
		case 3:
			dquoted(g);
			break;
		case 4:
			ansi(g);
			break;
		case 5:
			escaped(g);
			break;
		case 6:
		case 7:
			expansion(g, 0);
			break;
		case 8:
			put(g, "\\\n");
			plain_text(g, 2);
			break;
		default:
			plain_text(g, 6);
		}
	}
}

/* A command name, spelled in some way. */
static void name(struct gen *g, int dead)
{
	char c = dead ? 'd' : 'c';
	unsigned k = rnd(g, 10);

	switch (rnd(g, 9)) {
	case 0:
		putf(g, "\\%c%u", c, k);
		break;
	case 1:
		putf(g, "'%c%u'", c, k);
		break;
	case 2:
		putf(g, "\"%c\"%u", c, k);
		break;
	case 3:
		putf(g, "$'\\x%02x%u'", (unsigned)c, k);
		break;
	case 4:
		putf(g, "%c''%u", c, k);
		break;
	case 5:
		putf(g, "%c\\\n%u", c, k);
		break;
	default:
		putf(g, "%c%u", c, k);
	}
}

static void redirection(struct gen *g, int dead)
{
	switch (rnd(g, 8)) {
	case 0:
		put(g, " >/dev/null");
		break;
	case 1:
		put(g, " 2>&1");
		break;
	case 2:
		put(g, " </dev/null");
		break;
	case 3:
		put(g, " <<< ");
		word(g);
		break;
	case 4:
		put(g, " 2>/dev/null >&2");
		break;
	case 5:
		put(g, " &>/dev/null");
		break;
	default:
		if (g->here < 4 && g->depth < 2) {
			unsigned h = g->here++;

			g->here_quoted[h] = (int)rnd(g, 2);
			g->here_tabs[h] = (int)rnd(g, 2);
			g->here_dead[h] = dead;
			(void)snprintf(g->here_name[h], sizeof(g->here_name[h]), "E%u", h);
			putf(g, g->here_quoted[h] ? " <<%s'%s'" : " <<%s%s",
			     g->here_tabs[h] ? "-" : "", g->here_name[h]);
		}
	}
}

/* The end of a line: pending here-documents follow it. */
static void newline(struct gen *g)
{
	if (!rnd(g, 12))
		put(g, " # c0 'not a command");
	put(g, "\n");
	for (unsigned h = 0; h < g->here; h++) {
		unsigned n = rnd(g, 3);

		while (n--) {
			if (g->here_tabs[h])
				put(g, "\t");
			if (g->here_quoted[h])
				put(g, "c1 $(d0) `d1` \\");
			else
				putf(g, "c1 'x \" \\$(d0) \\`d1\\` %s",
				     g->here_dead[h] || !g->forks || rnd(g, 3) ? "$"
									       : "$(c2 inner)");
			put(g, "\n");
		}
		if (g->here_tabs[h])
			put(g, "\t\t");
		put(g, g->here_name[h]);
		put(g, "\n");
	}
	g->here = 0;
}

static void simple(struct gen *g, int dead)
{
	unsigned n = rnd(g, 4);

	if (!rnd(g, 10))
		putf(g, "A%u=%u ", g->id, rnd(g, 9));
	if (!rnd(g, 14)) {
		redirection(g, dead);
		put(g, " ");
	}
	name(g, dead);
	while (n--) {
		put(g, rnd(g, 10) ? " " : "\t ");
		word(g);
		if (!rnd(g, 12))
			redirection(g, dead);
	}
}

static void assignment(struct gen *g)
{
	putf(g, "v%u_%u=", g->id, g->vars);
	switch (rnd(g, 4)) {
	case 0:
		plain_text(g, 6);
		break;
	case 1:
		put(g, "'x a  b a'");
		break;
	case 2:
		dquoted(g);
		break;
	default:
		single(g);
	}
	g->vars++;
}

static void list(struct gen *g, unsigned n, int dead);

static void compound(struct gen *g, int dead)
{
	unsigned h;

	g->depth++;
	switch (rnd(g, 12)) {
	case 0:
		put(g, "{ ");
		list(g, 2, dead);
		put(g, "}");
		break;
	case 1:
		put(g, g->forks ? "( " : "{ ");
		list(g, 2, dead);
		put(g, g->forks ? ")" : "}");
		break;
	case 2:
		put(g, dead ? "if d9; then\n" : "if c9; then\n");
		list(g, 2, dead);
		put(g, "else\n");
		list(g, 1, 1);
		put(g, "fi");
		break;
	case 3:
		putf(g, "for f%u in one 'two w' {3..4}; do\n", g->id);
		put(g, dead ? "d1 " : "c1 ");
		putf(g, "\"$f%u\" $f%u\n", g->id, g->id);
		list(g, 1, dead);
		put(g, "done");
		break;
	case 4:
		put(g, "case x in (y) ");
		list(g, 1, 1);
		put(g, ";; x|'z') ");
		list(g, 1, dead);
		put(g, ";; esac");
		break;
	case 5:
		put(g, "[[ a = 'a' && ! ( x == y ) ]] && ");
		simple(g, dead);
		break;
	case 6:
		put(g, "(( 1 + (2 * 3) )) && ");
		simple(g, dead);
		break;
	case 7:
		h = rnd(g, 100000);
		putf(g, "fn%u_%u() {\n", g->id, h);
		putf(g, "%s \"$1\" \"$@\"\n", dead ? "d2" : "c2");
		putf(g, "}\nfn%u_%u ", g->id, h);
		word(g);
		break;
	case 8:
		putf(g, "set -- ");
		word(g);
		put(g, " 'p 2'\n");
		put(g, dead ? "d3 \"$@\"" : "c3 \"$@\"");
		break;
	case 9:
		putf(g, "a%u=(one 'two w' ", g->id);
		word(g);
		put(g, ")\n");
		putf(g,
		     dead ? "d4 \"${a%u[@]}\" ${a%u[1]} \"${a%u[0]}\""
			  : "c4 \"${a%u[@]}\" ${a%u[1]} \"${a%u[0]}\"",
		     g->id, g->id, g->id);
		break;
	case 10:
		put(g, dead ? "while ! d8; do " : "while ! c8; do ");
		list(g, 1, 1);
		put(g, "done");
		break;
	default:
		if (g->depth > 1) { /* in a loop it could change any variable */
			simple(g, dead);
			break;
		}
		put(g, "eval ");
		put(g, dead ? "'d5 \"a b\"' " : "'c5 \"a b\"' ");
		plain_text(g, 4);
	}
	g->depth--;
}

static void command(struct gen *g, int dead)
{
	unsigned k = rnd(g, 20);

	if (k < 4 && g->depth < 3) {
		compound(g, dead);
		return;
	}
	if (k < 7) {
		assignment(g);
		return;
	}
	if (k == 7)
		put(g, "! ");
	simple(g, dead);
	if (k == 8 && g->forks) {
		put(g, " | ");
		simple(g, dead);
	} else if (k == 9) {
		put(g, " && ");
		simple(g, dead);
	} else if (k == 10) {
		put(g, " || ");
		simple(g, 1);
	} else if (k == 11 && g->forks) {
		put(g, " |& ");
		simple(g, dead);
	}
}

static void list(struct gen *g, unsigned n, int dead)
{
	unsigned count = 1 + rnd(g, n);

	while (count--) {
		unsigned vars = g->vars;

		command(g, dead);
		if (g->depth)
			g->vars = vars; /* what a branch or subshell sets isn't used after it */
		if (g->here || rnd(g, 2)) {
			newline(g);
		} else {
			put(g, "; ");
		}
	}
}

size_t gen_program(uint64_t seed, unsigned id, char *buf, size_t size)
{
	struct gen g = {
		.state = seed * 0x9e3779b97f4a7c15u + id + 1, .out = buf, .size = size, .id = id};

	buf[0] = 0;
	g.forks = id % 8 == 0;
	for (int i = 0; i < 8; i++)
		(void)rnd(&g, 2);
	list(&g, 4, 0);
	if (g.here)
		newline(&g);
	return g.len;
}
