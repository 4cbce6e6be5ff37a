/* SPDX-License-Identifier: MIT */
/* Words: literal runs, quotes, and the places where expansions begin. Test: t_parse, t_bash. */
#include "base/base.h"

#include "gate/parse_priv.h"

#include "base/err.h"
#include "base/utf8.h"

enum {
	C_META = 1,  /* ends an unquoted word */
	C_QUOTE = 2, /* \ ' " $ ` : starts something else */
	C_SHAPE = 4, /* * ? [ { ~ : the word can't be taken as it stands */
};

static const unsigned char class_of[256] = {
	[' '] = C_META,	  ['\t'] = C_META,  ['\n'] = C_META, [';'] = C_META,  ['&'] = C_META,
	['|'] = C_META,	  ['<'] = C_META,   ['>'] = C_META,  ['('] = C_META,  [')'] = C_META,
	['\\'] = C_QUOTE, ['\''] = C_QUOTE, ['"'] = C_QUOTE, ['$'] = C_QUOTE, ['`'] = C_QUOTE,
	['*'] = C_SHAPE,  ['?'] = C_SHAPE,  ['['] = C_SHAPE, ['{'] = C_SHAPE, ['~'] = C_SHAPE,
};

struct piece *piece_new(struct parser *p, enum piece_kind kind, size_t off)
{
	struct piece *x = ARENA_NEW(p->a, struct piece);

	x->kind = (uint8_t)kind;
	x->off = (uint32_t)off;
	return x;
}

static struct piece *lit(struct parser *p, struct view text, bool quoted, size_t off)
{
	struct piece *x = piece_new(p, P_LIT, off);

	x->text = text;
	x->quoted = quoted;
	x->len = (uint32_t)(p->i - off);
	return x;
}

static struct view since(const struct parser *p, size_t from)
{
	return (struct view){p->s + from, p->i - from};
}

/* At a single quote: takes it, the text and the closing one. */
static struct piece *parse_squote(struct parser *p)
{
	size_t off = p->i++;
	const char *end = p->i < p->n ? memchr(p->s + p->i, '\'', p->n - p->i) : NULL;
	struct view text;
	struct piece *x;

	if (!end) {
		text = (struct view){p->s + p->i, p->n - p->i};
		p->i = p->n;
		parser_fail(p, E_SYNTAX, "a single quote that doesn't end");
		return lit(p, text, true, off);
	}
	text = (struct view){p->s + p->i, (size_t)(end - (p->s + p->i))};
	p->i = (size_t)(end - p->s) + 1;
	x = lit(p, text, true, off);
	return x;
}

static int hex_value(int c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Up to max digits of a base; -1 if there is none. */
static int32_t digits(struct parser *p, unsigned base, unsigned max)
{
	int32_t v = 0;
	unsigned n = 0;

	while (n < max && p->i < p->n) {
		int d = hex_value((unsigned char)p->s[p->i]);

		if (d < 0 || (unsigned)d >= base)
			break;
		v = (int32_t)((uint32_t)v * base + (uint32_t)d);
		p->i++;
		n++;
	}
	return n ? v : -1;
}

static void put_utf8(struct text *t, uint32_t cp)
{
	if (cp < 0x80) {
		text_putc(t, (char)cp);
	} else if (cp < 0x800) {
		text_putc(t, (char)(0xc0 | cp >> 6));
		text_putc(t, (char)(0x80 | (cp & 0x3f)));
	} else if (cp < 0x10000) {
		text_putc(t, (char)(0xe0 | cp >> 12));
		text_putc(t, (char)(0x80 | (cp >> 6 & 0x3f)));
		text_putc(t, (char)(0x80 | (cp & 0x3f)));
	} else {
		text_putc(t, (char)(0xf0 | (cp >> 18 & 7)));
		text_putc(t, (char)(0x80 | (cp >> 12 & 0x3f)));
		text_putc(t, (char)(0x80 | (cp >> 6 & 0x3f)));
		text_putc(t, (char)(0x80 | (cp & 0x3f)));
	}
}

/* One escape of $'...' after the backslash. Returns false when it makes a NUL, which ends the text.
 */
static bool ansi_escape(struct parser *p, struct text *t)
{
	static const char from[] = "abeEfnrtv\\'\"?";
	static const char to[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	int c = (unsigned char)p->s[p->i];
	const char *at = memchr(from, c, sizeof(from) - 1);
	int32_t v;

	if (at) {
		text_putc(t, to[at - from]);
		p->i++;
		return true;
	}
	if (c >= '0' && c <= '7') {
		v = digits(p, 8, 3) & 0xff;
	} else if (c == 'x' || c == 'u' || c == 'U') {
		p->i++;
		v = digits(p, 16, c == 'x' ? 2 : c == 'u' ? 4 : 8);
		if (v < 0 && v == -1) {
			text_putc(t, '\\');
			text_putc(t, (char)c);
			return true;
		}
		if (c != 'x' && v != 0) {
			put_utf8(t, (uint32_t)v & 0x1fffff);
			return true;
		}
	} else if (c == 'c' && p->i + 1 < p->n) {
		p->i++;
		v = p->s[p->i++] & 0x1f;
	} else {
		text_putc(t, '\\');
		text_putc(t, (char)c);
		p->i++;
		return true;
	}
	if (v == 0)
		return false;
	text_putc(t, (char)v);
	return true;
}

struct view parse_ansi(struct parser *p)
{
	struct text t;
	bool open = true, ended = false;

	text_init(&t, p->a);
	while (p->i < p->n) {
		char c = p->s[p->i];
		size_t before = t.len;

		if (c == '\'') {
			p->i++;
			open = false;
			break;
		}
		p->i++;
		if (c == '\\' && p->i < p->n) {
			if (!ansi_escape(p, &t))
				ended = true;
		} else {
			text_putc(&t, c);
		}
		if (ended)
			t.len = before;
	}
	if (open)
		parser_fail(p, E_SYNTAX, "a $'...' quote that doesn't end");
	return text_view(&t);
}

/* At a double quote. */
static struct piece *parse_dquote(struct parser *p, struct piece ***tail)
{
	size_t off = p->i++;
	struct word *w = parse_pieces(p, UNTIL_DQUOTE, true);
	struct piece *empty;

	if (p->i < p->n)
		p->i++;
	else
		parser_fail(p, E_SYNTAX, "a double quote that doesn't end");
	/* An empty quoted piece first: "" is a word, and "$x" is never dropped. */
	empty = lit(p, VIEW(""), true, off);
	LIST_ADD(*tail, empty);
	**tail = w->pieces;
	while (**tail)
		*tail = &(**tail)->next;
	return empty;
}

static void add_run(struct parser *p, struct piece ***tail, size_t *from, bool quoted)
{
	struct piece *x;

	if (p->i > *from) {
		x = lit(p, since(p, *from), quoted, *from);
		LIST_ADD(*tail, x);
	}
}

static struct piece *parse_extglob(struct parser *p)
{
	size_t off = p->i++; /* the sign before "(" was the last byte of the run before */
	struct piece *x = piece_new(p, P_GLOB, off);

	if (!parser_enter(p))
		return x;
	x->arg = parse_pieces(p, UNTIL_PAREN, false);
	p->depth--;
	if (peek(p) == ')')
		p->i++;
	else
		parser_fail(p, E_SYNTAX, "a pattern that doesn't end");
	x->len = (uint32_t)(p->i - off);
	return x;
}

static bool extglob_sign(char c)
{
	return c == '@' || c == '?' || c == '*' || c == '+' || c == '!';
}

/* After =~ : one word up to a blank outside parentheses. */
static bool regex_byte(char c, unsigned *parens)
{
	if (c == '(')
		(*parens)++;
	else if (c == ')' && *parens)
		(*parens)--;
	else if (c == ')')
		return false;
	else if (is_blank(c) || c == '\n')
		return *parens > 0;
	else if (c == '&' || c == ';')
		return *parens > 0;
	return true;
}

/* At a byte that quotes or begins an expansion: takes what it begins. */
static void quoted_part(struct parser *p, char c, struct word *w, struct piece ***tail)
{
	struct piece *x;

	if (c == '\\') {
		if (p->i + 1 < p->n && p->s[p->i + 1] == '\n') {
			p->i += 2;
		} else if (p->i + 1 < p->n) {
			p->i += 2;
			x = lit(p, (struct view){p->s + p->i - 1, 1}, true, p->i - 2);
			LIST_ADD(*tail, x);
			w->quoted = true;
		} else {
			p->i++; /* a last lone backslash stands for itself */
			x = lit(p, VIEW("\\"), true, p->i - 1);
			LIST_ADD(*tail, x);
		}
	} else if (c == '\'') {
		x = parse_squote(p);
		LIST_ADD(*tail, x);
		w->quoted = true;
	} else if (c == '"') {
		(void)parse_dquote(p, tail);
		w->quoted = true;
	} else if (c == '`') {
		x = parse_backquote(p, false);
		LIST_ADD(*tail, x);
	} else {
		size_t at = p->i;

		w->quoted |= p->i + 1 < p->n && (p->s[p->i + 1] == '\'' || p->s[p->i + 1] == '"');
		x = parse_dollar(p, false);
		if (!x)
			x = lit(p, VIEW("$"), false, at);
		LIST_ADD(*tail, x);
		while (**tail)
			*tail = &(**tail)->next;
	}
}

struct word *parse_word(struct parser *p, enum word_mode mode)
{
	struct word *w = ARENA_NEW(p->a, struct word);
	struct piece **tail = &w->pieces, *x;
	size_t off, from;
	unsigned parens = 0;
	bool shaped = false;

	(void)peek(p);
	off = from = p->i;
	for (;;) {
		unsigned char c, k;

		while (p->i < p->n && !class_of[(unsigned char)p->s[p->i]])
			p->i++;
		if (p->i >= p->n)
			break;
		c = (unsigned char)p->s[p->i];
		k = class_of[c];
		if (k == C_SHAPE) {
			shaped = true;
			w->brace |= c == '{';
			p->i++;
			continue;
		}
		if (k == C_META) {
			if (mode == WORD_REGEX && regex_byte((char)c, &parens)) {
				p->i++;
				shaped = true;
				continue;
			}
			if (mode == WORD_PLAIN && c == '(' && p->i > from &&
			    extglob_sign(p->s[p->i - 1])) {
				add_run(p, &tail, &from, false);
				x = parse_extglob(p);
				LIST_ADD(tail, x);
				from = p->i;
				continue;
			}
			if ((c == '<' || c == '>') && p->i + 1 < p->n && p->s[p->i + 1] == '(' &&
			    mode == WORD_PLAIN) {
				add_run(p, &tail, &from, false);
				x = parse_process(p);
				LIST_ADD(tail, x);
				from = p->i;
				continue;
			}
			break;
		}
		if (p->error)
			break;
		add_run(p, &tail, &from, false);
		quoted_part(p, (char)c, w, &tail);
		from = p->i;
	}
	w->off = (uint32_t)off;
	w->len = (uint32_t)(p->i - off);
	if (!w->pieces && !shaped) {
		w->text = since(p, from);
		return w;
	}
	add_run(p, &tail, &from, false);
	return w;
}

/* Whether byte c ends pieces of this kind. */
static bool ends(struct parser *p, enum until until, char c, unsigned *nest)
{
	switch (until) {
	case UNTIL_DQUOTE:
		return c == '"';
	case UNTIL_BRACE:
		return c == '}';
	case UNTIL_SLASH:
		return c == '}' || c == '/';
	case UNTIL_COLON:
		if (c == '(')
			(*nest)++;
		else if (c == ')' && *nest)
			(*nest)--;
		else if (c == '?')
			(*nest) += 1; /* the ternary's own colon */
		else if (c == ':' && *nest) {
			(*nest)--;
			return false;
		}
		return c == '}' || c == ':';
	case UNTIL_BRACKET:
		if (c == '[')
			(*nest)++;
		else if (c == ']' && *nest) {
			(*nest)--;
			return false;
		}
		return c == ']';
	case UNTIL_PAREN:
		if (c == '(')
			(*nest)++;
		else if (c == ')' && *nest) {
			(*nest)--;
			return false;
		}
		return c == ')';
	case UNTIL_SEMI:
		if (c == ';' && *nest == 0)
			return true;
		fall_through;
	case UNTIL_ARITH:
		if (c == '(')
			(*nest)++;
		else if (c == ')' && *nest) {
			(*nest)--;
			return false;
		}
		return c == ')' && p->i + 1 < p->n && p->s[p->i + 1] == ')';
	case UNTIL_END:
		return false;
	}
	return true;
}

/* A backslash inside pieces: what it makes depends on the kind of quote around. */
static struct piece *piece_backslash(struct parser *p, enum until until, bool in_dquote)
{
	char c = p->i + 1 < p->n ? p->s[p->i + 1] : 0;
	size_t off = p->i;

	if (p->i + 1 >= p->n) {
		p->i++;
		return lit(p, VIEW("\\"), true, off);
	}
	if (c == '\n') {
		p->i += 2;
		return NULL;
	}
	p->i += 2;
	if (!in_dquote || c == '$' || c == '`' || c == '\\' || (c == '"' && until != UNTIL_END) ||
	    (c == '}' && until == UNTIL_BRACE))
		return lit(p, (struct view){p->s + p->i - 1, 1}, true, off);
	return lit(p, (struct view){p->s + off, 2}, true, off);
}

struct word *parse_pieces(struct parser *p, enum until until, bool in_dquote)
{
	struct word *w = ARENA_NEW(p->a, struct word);
	struct piece **tail = &w->pieces, *x;
	size_t from = p->i, off = p->i;
	unsigned nest = 0;
	bool squote =
		!in_dquote && until != UNTIL_END && until != UNTIL_ARITH && until != UNTIL_SEMI;

	while (p->i < p->n && !p->error) {
		char c = p->s[p->i];

		if (ends(p, until, c, &nest))
			break;
		if (class_of[(unsigned char)c] != C_QUOTE || (c == '\'' && !squote) ||
		    (c == '"' &&
		     (until == UNTIL_END || until == UNTIL_ARITH || until == UNTIL_SEMI))) {
			w->brace |= c == '{' && !in_dquote;
			p->i++;
			continue;
		}
		add_run(p, &tail, &from, in_dquote);
		if (c == '\\') {
			x = piece_backslash(p, until, in_dquote);
			if (x)
				LIST_ADD(tail, x);
		} else if (c == '\'') {
			x = parse_squote(p);
			LIST_ADD(tail, x);
		} else if (c == '"') {
			if (parser_enter(p)) {
				(void)parse_dquote(p, &tail);
				p->depth--;
			}
		} else if (c == '`') {
			x = parse_backquote(p, in_dquote);
			LIST_ADD(tail, x);
		} else {
			size_t at = p->i;

			x = parse_dollar(p, in_dquote);
			if (!x)
				x = lit(p, VIEW("$"), in_dquote, at);
			LIST_ADD(tail, x);
			while (*tail)
				tail = &(*tail)->next;
		}
		from = p->i;
	}
	add_run(p, &tail, &from, in_dquote);
	w->off = (uint32_t)off;
	w->len = (uint32_t)(p->i - off);
	return w;
}
