/* SPDX-License-Identifier: MIT */
/* Expansions: $name, ${...}, $(...), $((...)), backquotes, <(...). Test: t_parse, t_bash. */
#include "base/base.h"

#include "gate/parse_priv.h"

#include "base/err.h"

static struct piece *finish(struct parser *p, struct piece *x, bool quoted)
{
	x->quoted = quoted;
	x->len = (uint32_t)(p->i - x->off);
	return x;
}

/* The inside of $(...), <(...): parsed in place, so that offsets stay exact. */
static struct script *nested(struct parser *p, int close, const char *why)
{
	struct script *s = ARENA_NEW(p->a, struct script);
	unsigned outer = p->n_pending;
	struct redir *saved[MAX_PENDING_HEREDOCS];

	s->origin = p->origin;
	s->text = (struct view){p->s, p->n};
	if (!parser_enter(p))
		return s;
	memcpy(saved, p->pending, outer * sizeof(saved[0]));
	p->n_pending = 0;
	s->list = parse_list(p);
	p->depth--;
	if (!p->error && peek(p) == close)
		p->i++;
	else
		parser_fail(p, E_SYNTAX, why);
	if (p->n_pending)
		parser_fail(p, E_SYNTAX, "a here-document without a body");
	memcpy(p->pending, saved, outer * sizeof(saved[0]));
	p->n_pending = outer;
	return s;
}

struct piece *parse_process(struct parser *p)
{
	struct piece *x = piece_new(p, P_PROC, p->i);

	x->out = p->s[p->i] == '>';
	p->i += 2;
	x->script = nested(p, ')', "a process substitution that doesn't end");
	return finish(p, x, true);
}

struct piece *parse_backquote(struct parser *p, bool in_dquote)
{
	struct piece *x = piece_new(p, P_CMD, p->i);
	struct origin o = {false, 0, 0};
	struct text t;
	struct span outer;

	text_init(&t, p->a);
	p->i++;
	while (p->i < p->n && p->s[p->i] != '`') {
		char c = p->s[p->i++];

		if (c == '\\' && p->i < p->n) {
			char d = p->s[p->i];

			if (d == '`' || d == '\\' || d == '$' || (d == '"' && in_dquote)) {
				c = d;
				p->i++;
			}
		}
		text_putc(&t, c);
	}
	if (p->i < p->n)
		p->i++;
	else
		parser_fail(p, E_SYNTAX, "a backquote that doesn't end");
	x->len = (uint32_t)(p->i - x->off);
	outer = origin_span(p->origin, x->off, x->len);
	o.off = outer.off;
	o.len = outer.len;
	x->script = parse_script(p->a, text_view(&t), o, p->depth + 1);
	if (x->script->error)
		parser_fail(p, x->script->error, x->script->error_why);
	return finish(p, x, in_dquote);
}

/* Walks to the parenthesis that closes the second one of "((" and looks whether another follows.
 * Quotes and backslashes are passed over. No parse, so that nesting costs one look per level. */
bool arith_closes(const struct parser *p, size_t at)
{
	size_t i = at + 2, depth = 1;

	arena_step(p->a, 1);
	while (i < p->n) {
		char c = p->s[i++];

		if (c == '\\') {
			i++;
		} else if (c == '\'' || c == '"' || c == '`') {
			while (i < p->n && p->s[i] != c)
				i += p->s[i] == '\\' && c != '\'' ? 2 : 1;
			i++;
		} else if (c == '(') {
			depth++;
		} else if (c == ')' && --depth == 0) {
			while (i + 1 < p->n && p->s[i] == '\\' && p->s[i + 1] == '\n')
				i += 2;
			return i < p->n && p->s[i] == ')';
		}
	}
	return false;
}

static struct piece *arith(struct parser *p, size_t skip, const char *why)
{
	struct piece *x = piece_new(p, P_ARITH, p->i);

	p->i += skip;
	if (!parser_enter(p))
		return x;
	x->arg = parse_pieces(p, skip == 2 ? UNTIL_BRACKET : UNTIL_ARITH, true);
	p->depth--;
	if (skip == 2 && p->i < p->n)
		p->i++;
	else if (skip == 3 && p->i + 1 < p->n)
		p->i += 2;
	else
		parser_fail(p, E_SYNTAX, why);
	return x;
}

static bool is_special_parameter(int c)
{
	return c == '@' || c == '*' || c == '#' || c == '?' || c == '-' || c == '$' || c == '!';
}

static struct view take_name(struct parser *p)
{
	size_t from = p->i;

	while (p->i < p->n && (is_name_start((unsigned char)p->s[p->i]) ||
			       (p->i > from && is_digit((unsigned char)p->s[p->i]))))
		p->i++;
	return (struct view){p->s + from, p->i - from};
}

static struct view take_digits(struct parser *p)
{
	size_t from = p->i;

	while (p->i < p->n && is_digit((unsigned char)p->s[p->i]))
		p->i++;
	return (struct view){p->s + from, p->i - from};
}

static void take_operand(struct parser *p, struct piece *x, bool in_dquote)
{
	bool literal_squote = in_dquote && (x->op == V_DEFAULT || x->op == V_ASSIGN ||
					    x->op == V_ERROR || x->op == V_ALT);

	if (x->op == V_REPLACE) {
		x->arg = parse_pieces(p, UNTIL_SLASH, false);
		if (p->i < p->n && p->s[p->i] == '/') {
			p->i++;
			x->arg2 = parse_pieces(p, UNTIL_BRACE, false);
		}
	} else if (x->op == V_SUBSTR) {
		x->arg = parse_pieces(p, UNTIL_COLON, false);
		if (p->i < p->n && p->s[p->i] == ':') {
			p->i++;
			x->arg2 = parse_pieces(p, UNTIL_BRACE, false);
		}
	} else {
		x->arg = parse_pieces(p, UNTIL_BRACE, literal_squote);
	}
}

/* The operator of ${name...}; p stands behind name and subscript. */
static void take_operator(struct parser *p, struct piece *x)
{
	int c = peek(p), d;

	if (c == ':') {
		d = peek2(p);
		if (d == '-' || d == '=' || d == '?' || d == '+') {
			x->colon = true;
			p->i++;
			c = peek(p);
		} else {
			p->i++;
			x->op = V_SUBSTR;
			return;
		}
	}
	switch (c) {
	case '-':
		x->op = V_DEFAULT;
		break;
	case '=':
		x->op = V_ASSIGN;
		break;
	case '?':
		x->op = V_ERROR;
		break;
	case '+':
		x->op = V_ALT;
		break;
	case '#':
		x->op = V_PREFIX;
		break;
	case '%':
		x->op = V_SUFFIX;
		break;
	case '/':
		x->op = V_REPLACE;
		break;
	case '^':
		x->op = V_UPPER;
		break;
	case ',':
		x->op = V_LOWER;
		break;
	case '~':
		x->op = V_TOGGLE;
		break;
	case '@':
		x->op = V_TRANSFORM;
		break;
	default:
		parser_fail(p, E_SYNTAX, "an expansion with an unknown operator");
		return;
	}
	p->i++;
	if (c == '#' || c == '%' || c == '^' || c == ',' || c == '~') {
		if (peek(p) == c) {
			p->i++;
			x->doubled = (char)c;
		}
	} else if (c == '/') {
		d = peek(p);
		if (d == '/' || d == '#' || d == '%') {
			p->i++;
			x->doubled = (char)d;
		}
	}
}

/* At the first byte after "${". */
static void braced(struct parser *p, struct piece *x, bool in_dquote)
{
	int c = peek(p), d = peek2(p);

	if (c == ' ' || c == '\n' || c == '\t' || c == '|') { /* ${ command; } */
		if (c == '|')
			p->i++;
		x->kind = P_CMD;
		x->script = ARENA_NEW(p->a, struct script);
		x->script->origin = p->origin;
		x->script->text = (struct view){p->s, p->n};
		x->script->list = parse_list(p);
		return;
	}
	if (c == '#' && d != '}' && d != ':' && d != '-' && d != '+' && d != '=' && d != '?' &&
	    d != '#' && d != '%' && d != '/') {
		x->op = V_LENGTH;
		p->i++;
	} else if (c == '!' &&
		   (is_name_start(d) || is_digit(d) || d == '#' || d == '@' || d == '*')) {
		x->op = V_INDIRECT;
		p->i++;
	}
	c = peek(p);
	if (is_name_start(c))
		x->text = take_name(p);
	else if (is_digit(c))
		x->text = take_digits(p);
	else if (is_special_parameter(c)) {
		x->text = (struct view){p->s + p->i, 1};
		p->i++;
	} else {
		parser_fail(p, E_SYNTAX, "an expansion without a name");
		return;
	}
	if (peek(p) == '[') {
		p->i++;
		x->index = parse_pieces(p, UNTIL_BRACKET, false);
		if (peek(p) == ']')
			p->i++;
	}
	c = peek(p);
	if (x->op == V_INDIRECT && (c == '@' || c == '*') && peek2(p) == '}') {
		x->op = V_NAMES;
		p->i++;
		return;
	}
	if (c == '}' || x->op == V_LENGTH)
		return;
	if (x->op == V_INDIRECT) {
		struct piece op = {0};

		take_operator(p, &op); /* the value is unknown anyway; its operand is visited */
		x->arg = parse_pieces(p, UNTIL_BRACE, in_dquote);
		return;
	}
	take_operator(p, x);
	if (!p->error)
		take_operand(p, x, in_dquote);
}

struct piece *parse_dollar(struct parser *p, bool in_dquote)
{
	size_t off = p->i++;
	int c = peek(p);
	struct piece *x;

	if (c == '(') {
		int d = peek2(p);

		p->i = off;
		x = piece_new(p, P_CMD, off);
		(void)peek(p);
		if (d == '(') {
			size_t at;

			p->i = off + 1;
			(void)peek(p);
			at = p->i;
			if (at + 1 < p->n && p->s[at + 1] == '(' && arith_closes(p, at)) {
				p->i = at - 1;
				x = arith(p, 3, "an arithmetic expansion that doesn't end");
				x->off = (uint32_t)off;
				return finish(p, x, in_dquote);
			}
		}
		p->i = off + 1;
		(void)peek(p);
		p->i++;
		x->script = nested(p, ')', "a command substitution that doesn't end");
		return finish(p, x, in_dquote);
	}
	if (c == '[') {
		size_t at = p->i;

		p->i = at - 1;
		x = arith(p, 2, "an arithmetic expansion that doesn't end");
		return finish(p, x, in_dquote);
	}
	if (c == '{') {
		p->i++;
		x = piece_new(p, P_VAR, off);
		if (parser_enter(p)) {
			braced(p, x, in_dquote);
			p->depth--;
		}
		if (!p->error && peek(p) == '}')
			p->i++;
		else
			parser_fail(p, E_SYNTAX, "an expansion that doesn't end");
		return finish(p, x, in_dquote);
	}
	if (c == '\'' && !in_dquote) {
		p->i++;
		x = piece_new(p, P_LIT, off);
		x->text = parse_ansi(p);
		return finish(p, x, true);
	}
	if (c == '"' && !in_dquote) {
		struct word *w;

		p->i++;
		x = piece_new(p, P_LIT, off);
		w = parse_pieces(p, UNTIL_DQUOTE, true);
		if (p->i < p->n)
			p->i++;
		else
			parser_fail(p, E_SYNTAX, "a double quote that doesn't end");
		x->next = w->pieces;
		return finish(p, x, true);
	}
	if (is_name_start(c)) {
		x = piece_new(p, P_VAR, off);
		x->text = take_name(p);
		return finish(p, x, in_dquote);
	}
	if (is_digit(c) || is_special_parameter(c)) {
		x = piece_new(p, P_VAR, off);
		x->text = (struct view){p->s + p->i, 1};
		p->i++;
		return finish(p, x, in_dquote);
	}
	return NULL;
}
