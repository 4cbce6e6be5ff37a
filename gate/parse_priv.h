/* SPDX-License-Identifier: MIT */
/* Shared by the parser's sources only: parse.c (lists, commands), parse_compound.c, parse_word.c,
 * parse_expansion.c, parse_heredoc.c. */
#ifndef GATE_PARSE_PRIV_H
#define GATE_PARSE_PRIV_H

#include "gate/parse.h"

enum { MAX_PENDING_HEREDOCS = 64 };

struct parser {
	struct arena *a;
	const char *s;
	size_t n, i;
	struct origin origin;
	unsigned depth;
	int error;
	uint32_t error_off;
	const char *why;
	struct redir
		*pending[MAX_PENDING_HEREDOCS]; /* here-documents whose body comes after the line */
	unsigned n_pending;
	unsigned heredocs_open;
};

/* Appending to singly linked lists. */
#define LIST_ADD(tail, item)                                                                       \
	do {                                                                                       \
		*(tail) = (item);                                                                  \
		(tail) = &(item)->next;                                                            \
	} while (0)

void parser_fail(struct parser *p, int code, const char *why);
bool parser_enter(struct parser *p); /* false: too deep */

/* The next byte without moving, backslash-newline taken out; -1 at the end. */
static inline int peek(struct parser *p)
{
	while (p->i + 1 < p->n && p->s[p->i] == '\\' && p->s[p->i + 1] == '\n')
		p->i += 2;
	return p->i < p->n ? (unsigned char)p->s[p->i] : -1;
}
/* The byte after the next one (same rule); -1 at the end. */
int peek2(struct parser *p);

static inline bool is_blank(int c)
{
	return c == ' ' || c == '\t';
}
static inline bool is_meta(int c)
{
	return c == -1 || c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '&' || c == '|' ||
	       c == '<' || c == '>' || c == '(' || c == ')';
}
static inline bool is_name_start(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static inline bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

void skip_blanks(struct parser *p);   /* and comments */
void skip_newlines(struct parser *p); /* blanks, comments, newlines; reads here-documents */
void take_newline(struct parser *p);  /* the next byte is a newline */

enum word_mode {
	WORD_PLAIN,
	WORD_REGEX, /* after =~ : parentheses and bars belong to it */
};
struct word *parse_word(struct parser *p, enum word_mode mode);

/* Pieces up to an unquoted end byte (not taken). */
enum until {
	UNTIL_DQUOTE,  /* " */
	UNTIL_BRACE,   /* } of ${...} */
	UNTIL_SLASH,   /* / or } */
	UNTIL_COLON,   /* : or } */
	UNTIL_BRACKET, /* ] of a subscript */
	UNTIL_PAREN,   /* ) of an extended pattern */
	UNTIL_ARITH,   /* )) */
	UNTIL_SEMI,    /* ; or )) */
	UNTIL_END,     /* the whole text: here-document, or text expanded twice */
};
struct word *parse_pieces(struct parser *p, enum until until, bool in_dquote);
struct piece *parse_dollar(struct parser *p,
			   bool in_dquote); /* at $; NULL: a literal dollar, taken */
struct piece *parse_backquote(struct parser *p, bool in_dquote);
struct piece *parse_process(struct parser *p); /* at <( or >( */
struct view parse_ansi(struct parser *p);      /* after $' */
/* If a (( at position `at` (of the first parenthesis) closes as arithmetic: true. */
bool arith_closes(const struct parser *p, size_t at);

struct piece *piece_new(struct parser *p, enum piece_kind kind, size_t off);

struct node *parse_command(struct parser *p);
struct node *parse_list(struct parser *p); /* up to a closing word, ), ;; or the end */
struct node *parse_compound(struct parser *p, bool *ret_is); /* NULL and *ret_is false: none here */
struct node *parse_function_body(struct parser *p, struct view name, size_t off);
void parse_redirs(struct parser *p, struct redir ***tail);
bool parse_redir(struct parser *p, struct redir ***tail); /* false: no redirection here */
bool take_reserved(struct parser *p, const char *word);	  /* takes it if it stands here as a word */
bool at_reserved(struct parser *p, const char *word);
struct node *node_new(struct parser *p, enum node_kind kind, size_t off);

void heredoc_read(struct parser *p); /* after a newline: reads the pending bodies */

#endif
