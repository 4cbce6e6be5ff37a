/* SPDX-License-Identifier: MIT */
/* Redirections, and the announcement of here-documents. Test: t_parse, t_bash. */
#include "base/base.h"

#include "gate/parse_priv.h"

#include "base/err.h"

/* Raw delimiter word of a here-document: quotes are taken off, nothing is expanded. */
static void take_delimiter(struct parser *p, struct redir *r)
{
	struct text t;
	char quote = 0;

	text_init(&t, p->a);
	skip_blanks(p);
	while (p->i < p->n) {
		char c = p->s[p->i];

		if (!quote && is_meta((unsigned char)c))
			break;
		p->i++;
		if (quote && c == quote) {
			quote = 0;
		} else if (!quote && (c == '\'' || c == '"')) {
			quote = c;
			r->literal = true;
		} else if (c == '\\' && quote != '\'' && p->i < p->n) {
			if (p->s[p->i] != '\n') {
				r->literal = true;
				text_putc(&t, p->s[p->i]);
			}
			p->i++;
		} else if (c == '$' && !quote && p->i < p->n &&
			   (p->s[p->i] == '\'' || p->s[p->i] == '"')) {
			r->literal = true;
		} else {
			text_putc(&t, c);
		}
	}
	if (quote)
		parser_fail(p, E_SYNTAX, "a here-document's name that doesn't end");
	r->delim = text_view(&t);
}

static bool redir_operator(struct parser *p, struct redir *r)
{
	int c = peek(p), d = peek2(p);

	if (c == '&' && d == '>') {
		p->i++;
		(void)peek(p);
		p->i++;
		r->op = R_BOTH;
		if (peek(p) == '>') {
			p->i++;
			r->op = R_BOTHAPP;
		}
		return true;
	}
	if (c != '<' && c != '>')
		return false;
	if (d == '(')
		return false; /* process substitution: a word */
	p->i++;
	(void)peek(p);
	if (c == '>') {
		r->op = d == '>' ? R_APPEND : d == '|' ? R_CLOBBER : d == '&' ? R_DUPOUT : R_OUT;
		if (r->op != R_OUT)
			p->i++;
		return true;
	}
	r->op = d == '<' ? R_HERE : d == '>' ? R_RDWR : d == '&' ? R_DUPIN : R_IN;
	if (r->op != R_IN)
		p->i++;
	if (r->op == R_HERE) {
		c = peek(p);
		if (c == '<' || c == '-') {
			r->op = c == '<' ? R_HERESTR : R_HERETABS;
			p->i++;
		}
	}
	return true;
}

bool parse_redir(struct parser *p, struct redir ***tail)
{
	size_t off, i;
	struct redir head = {.fd = -1}, *r;

	(void)peek(p);
	off = i = p->i;
	while (i < p->n && is_digit((unsigned char)p->s[i]))
		i++;
	if (i > off && i < p->n && (p->s[i] == '<' || p->s[i] == '>')) {
		head.fd = 0;
		for (size_t k = off; k < i; k++)
			head.fd = head.fd < 10000 ? head.fd * 10 + (p->s[k] - '0') : head.fd;
		p->i = i;
	} else if (p->i < p->n && p->s[p->i] == '{' && p->i + 1 < p->n &&
		   is_name_start((unsigned char)p->s[p->i + 1])) {
		i = p->i + 1;
		while (i < p->n &&
		       (is_name_start((unsigned char)p->s[i]) || is_digit((unsigned char)p->s[i])))
			i++;
		if (i + 1 < p->n && p->s[i] == '}' && (p->s[i + 1] == '<' || p->s[i + 1] == '>')) {
			head.fd = -2;
			p->i = i + 1;
		}
	}
	if (!redir_operator(p, &head)) {
		p->i = off;
		return false;
	}
	r = ARENA_NEW(p->a, struct redir);
	*r = head;
	r->off = (uint32_t)off;
	if (r->op == R_HERE || r->op == R_HERETABS) {
		take_delimiter(p, r);
		if (p->n_pending == MAX_PENDING_HEREDOCS)
			parser_fail(p, E_DEPTH, "too many here-documents on one line");
		else
			p->pending[p->n_pending++] = r;
	} else {
		skip_blanks(p);
		r->target = parse_word(p, WORD_PLAIN);
		if (r->target->len == 0)
			parser_fail(p, E_SYNTAX, "a redirection without a target");
	}
	r->len = (uint32_t)(p->i - off);
	LIST_ADD(*tail, r);
	return true;
}

void parse_redirs(struct parser *p, struct redir ***tail)
{
	for (;;) {
		skip_blanks(p);
		if (p->error || !parse_redir(p, tail))
			return;
	}
}
