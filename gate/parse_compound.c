/* SPDX-License-Identifier: MIT */
/* Compound commands: groups, subshells, if, loops, case, functions, [[ ]], (( )), coproc.
 * Test: t_parse, t_bash. */
#include "base/base.h"

#include "gate/parse_priv.h"

#include "base/err.h"

static void expect(struct parser *p, const char *word, const char *why)
{
	skip_newlines(p);
	if (!p->error && !take_reserved(p, word))
		parser_fail(p, E_SYNTAX, why);
}

/* do ... done, or { ... } where bash allows it. */
static struct node *loop_body(struct parser *p)
{
	struct node *body;

	skip_newlines(p);
	if (peek(p) == ';') {
		p->i++;
		skip_newlines(p);
	}
	if (take_reserved(p, "{")) {
		body = parse_list(p);
		expect(p, "}", "a loop that doesn't end");
		return body;
	}
	expect(p, "do", "a loop without do");
	body = parse_list(p);
	expect(p, "done", "a loop that doesn't end");
	return body;
}

static struct node *parse_if(struct parser *p, size_t off)
{
	struct node *n = node_new(p, N_IF, off);

	n->cond = parse_list(p);
	expect(p, "then", "an if without then");
	n->body = parse_list(p);
	skip_newlines(p);
	if (take_reserved(p, "elif")) {
		if (parser_enter(p)) {
			n->other = parse_if(p, p->i);
			p->depth--;
		}
		n->len = (uint32_t)(p->i - off);
		return n;
	}
	if (take_reserved(p, "else"))
		n->other = parse_list(p);
	expect(p, "fi", "an if that doesn't end");
	n->len = (uint32_t)(p->i - off);
	return n;
}

static struct node *parse_while(struct parser *p, size_t off)
{
	struct node *n = node_new(p, N_LOOP, off);

	n->cond = parse_list(p);
	n->body = loop_body(p);
	return n;
}

/* The three expressions of for (( ; ; )), or the one of (( )). */
static void arith_words(struct parser *p, struct node *n, unsigned parts)
{
	struct word **tail = &n->words;

	for (unsigned k = 0; k < parts; k++) {
		struct word *w = parse_pieces(p, k + 1 < parts ? UNTIL_SEMI : UNTIL_ARITH, true);

		LIST_ADD(tail, w);
		if (k + 1 < parts) {
			if (p->i < p->n && p->s[p->i] == ';')
				p->i++;
			else
				parser_fail(p, E_SYNTAX, "a for (( )) without three parts");
		}
	}
	if (!p->error && p->i + 1 < p->n)
		p->i += 2;
	else
		parser_fail(p, E_SYNTAX, "an arithmetic command that doesn't end");
}

static struct node *parse_for(struct parser *p, size_t off, enum node_kind kind)
{
	struct node *n = node_new(p, kind, off);
	struct word **tail = &n->words, *w;

	skip_blanks(p);
	if (peek(p) == '(' && peek2(p) == '(') {
		n->kind = N_CFOR;
		p->i++;
		(void)peek(p);
		p->i++;
		arith_words(p, n, 3);
		n->body = loop_body(p);
		return n;
	}
	w = parse_word(p, WORD_PLAIN);
	if (w->pieces || !is_name(w->text)) {
		parser_fail(p, E_SYNTAX, "a loop without a variable");
		return n;
	}
	n->name = w->text;
	skip_newlines(p);
	if (take_reserved(p, "in")) {
		n->has_in = true;
		for (;;) {
			skip_blanks(p);
			if (p->error || (is_meta(peek(p)) &&
					 !((peek(p) == '<' || peek(p) == '>') && peek2(p) == '(')))
				break;
			w = parse_word(p, WORD_PLAIN);
			if (w->len == 0)
				break;
			LIST_ADD(tail, w);
			n->n_words++;
		}
		if (peek(p) == '\n')
			take_newline(p);
		else if (peek(p) == ';')
			p->i++;
		else
			parser_fail(p, E_SYNTAX, "an operator in the list of a loop");
	}
	n->body = loop_body(p);
	return n;
}

static struct node *parse_case(struct parser *p, size_t off)
{
	struct node *n = node_new(p, N_CASE, off);
	struct case_item **tail = &n->items;

	skip_blanks(p);
	n->words = parse_word(p, WORD_PLAIN);
	expect(p, "in", "a case without in");
	for (;;) {
		struct case_item *it;
		struct word **ptail, *w;

		skip_newlines(p);
		if (p->error || peek(p) == -1 || take_reserved(p, "esac"))
			break;
		it = ARENA_NEW(p->a, struct case_item);
		ptail = &it->patterns;
		if (peek(p) == '(')
			p->i++;
		for (;;) {
			skip_blanks(p);
			w = parse_word(p, WORD_PLAIN);
			LIST_ADD(ptail, w);
			skip_blanks(p);
			if (p->error || peek(p) != '|')
				break;
			p->i++;
		}
		if (peek(p) != ')') {
			parser_fail(p, E_SYNTAX, "a case pattern that doesn't end");
			return n;
		}
		p->i++;
		it->body = parse_list(p);
		LIST_ADD(tail, it);
		skip_newlines(p);
		if (peek(p) == ';') { /* ;; ;& ;;& */
			p->i++;
			if (peek(p) == ';')
				p->i++;
			if (peek(p) == '&')
				p->i++;
		} else if (!at_reserved(p, "esac")) {
			parser_fail(p, E_SYNTAX, "a case that doesn't end");
			return n;
		} else {
			continue;
		}
	}
	if (!p->error && (p->i < 4 || memcmp(p->s + p->i - 4, "esac", 4) != 0))
		parser_fail(p, E_SYNTAX, "a case that doesn't end");
	return n;
}

static bool cond_operator(struct parser *p)
{
	int c = peek(p), d = peek2(p);

	if ((c == '&' || c == '|') && c == d) {
		p->i++;
		(void)peek(p);
		p->i++;
		return true;
	}
	if (c == '(' || c == ')' || ((c == '<' || c == '>') && d != '(')) {
		p->i++;
		return true;
	}
	return false;
}

static struct node *parse_cond(struct parser *p, size_t off)
{
	struct node *n = node_new(p, N_COND, off);
	struct word **tail = &n->words;
	bool regex = false;

	for (;;) {
		struct word *w;

		skip_newlines(p);
		if (p->error)
			return n;
		if (take_reserved(p, "]]"))
			return n;
		if (peek(p) == -1 || peek(p) == ';') {
			parser_fail(p, E_SYNTAX, "a [[ that doesn't end");
			return n;
		}
		if (!regex && cond_operator(p))
			continue;
		w = parse_word(p, regex ? WORD_REGEX : WORD_PLAIN);
		if (w->len == 0) {
			parser_fail(p, E_SYNTAX, "an operator inside [[ ]]");
			return n;
		}
		regex = w->len == 2 && memcmp(p->s + w->off, "=~", 2) == 0;
		LIST_ADD(tail, w);
		n->n_words++;
	}
}

struct node *parse_function_body(struct parser *p, struct view name, size_t off)
{
	struct node *n = node_new(p, N_FUNC, off);
	bool is = false;

	n->name = name;
	p->a->keep = true; /* the body is looked at when the function is called */
	skip_newlines(p);
	if (!parser_enter(p))
		return n;
	n->body = parse_compound(p, &is);
	p->depth--;
	if (!is)
		parser_fail(p, E_SYNTAX, "a function without a body");
	n->len = (uint32_t)(p->i - off);
	return n;
}

static struct node *parse_function(struct parser *p, size_t off)
{
	struct word *w;

	skip_blanks(p);
	w = parse_word(p, WORD_PLAIN);
	skip_blanks(p);
	if (peek(p) == '(') {
		p->i++;
		skip_blanks(p);
		if (peek(p) != ')')
			parser_fail(p, E_SYNTAX, "a function without a body");
		else
			p->i++;
	}
	return parse_function_body(p, (struct view){p->s + w->off, w->len}, off);
}

static bool compound_starts(struct parser *p)
{
	static const char *const words[] = {"{",   "if",   "while",  "until",
					    "for", "case", "select", "[["};

	if (peek(p) == '(')
		return true;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (at_reserved(p, words[i]))
			return true;
	return false;
}

static struct node *parse_coproc(struct parser *p, size_t off)
{
	struct node *n = node_new(p, N_COPROC, off);
	size_t at;

	skip_blanks(p);
	at = p->i;
	while (p->i < p->n &&
	       (is_name_start((unsigned char)p->s[p->i]) || is_digit((unsigned char)p->s[p->i])))
		p->i++;
	skip_blanks(p);
	if (at == p->i || !compound_starts(p))
		p->i = at;
	n->body = parse_command(p);
	return n;
}

/* Parenthesis at the cursor: (( )) when it closes as arithmetic, else a subshell. */
static struct node *parse_paren(struct parser *p, size_t off)
{
	struct node *n;

	if (p->i + 1 < p->n && p->s[p->i + 1] == '(' && arith_closes(p, p->i)) {
		n = node_new(p, N_ARITH, off);
		p->i += 2;
		arith_words(p, n, 1);
		return n;
	}
	n = node_new(p, N_SUBSHELL, off);
	p->i++;
	n->body = parse_list(p);
	skip_newlines(p);
	if (!p->error && peek(p) == ')')
		p->i++;
	else
		parser_fail(p, E_SYNTAX, "a subshell that doesn't end");
	return n;
}

static struct node *compound(struct parser *p)
{
	size_t off;
	struct node *n;

	(void)peek(p);
	off = p->i;
	switch (peek(p)) {
	case '(':
		return parse_paren(p, off);
	case '{':
		if (!take_reserved(p, "{"))
			return NULL;
		n = node_new(p, N_GROUP, off);
		n->body = parse_list(p);
		expect(p, "}", "a group that doesn't end");
		return n;
	case 'i':
		return take_reserved(p, "if") ? parse_if(p, off) : NULL;
	case 'w':
		return take_reserved(p, "while") ? parse_while(p, off) : NULL;
	case 'u':
		return take_reserved(p, "until") ? parse_while(p, off) : NULL;
	case 'f':
		if (take_reserved(p, "for"))
			return parse_for(p, off, N_FOR);
		return take_reserved(p, "function") ? parse_function(p, off) : NULL;
	case 's':
		return take_reserved(p, "select") ? parse_for(p, off, N_SELECT) : NULL;
	case 'c':
		if (take_reserved(p, "case"))
			return parse_case(p, off);
		return take_reserved(p, "coproc") ? parse_coproc(p, off) : NULL;
	case '[':
		return take_reserved(p, "[[") ? parse_cond(p, off) : NULL;
	default:
		return NULL;
	}
}

struct node *parse_compound(struct parser *p, bool *ret_is)
{
	struct redir **tail;
	struct node *n;

	if (!parser_enter(p)) {
		*ret_is = true;
		return node_new(p, N_GROUP, p->i);
	}
	n = compound(p);
	p->depth--;
	*ret_is = n != NULL;
	if (!n)
		return NULL;
	if (n->kind != N_FUNC && n->kind != N_COPROC) {
		tail = &n->redirs;
		while (*tail)
			tail = &(*tail)->next;
		parse_redirs(p, &tail);
	}
	n->len = (uint32_t)(p->i - n->off);
	return n;
}
