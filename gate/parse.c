/* SPDX-License-Identifier: MIT */
/* Lists, and-or chains, pipelines, simple commands. Test: t_parse, t_bash. */
#include "base/base.h"

#include "gate/parse_priv.h"

#include "base/err.h"
#include "base/limits.h"

void parser_fail(struct parser *p, int code, const char *why)
{
	if (p->error)
		return;
	p->error = code;
	p->error_off = (uint32_t)p->i;
	p->why = why;
}

bool parser_enter(struct parser *p)
{
	if (++p->depth <= MAX_GATE_DEPTH)
		return true;
	p->depth--;
	parser_fail(p, E_DEPTH, "nesting that is too deep");
	p->i = p->n;
	return false;
}

int peek2(struct parser *p)
{
	size_t i;

	if (peek(p) == -1)
		return -1;
	i = p->i + 1;
	while (i + 1 < p->n && p->s[i] == '\\' && p->s[i + 1] == '\n')
		i += 2;
	return i < p->n ? (unsigned char)p->s[i] : -1;
}

void skip_blanks(struct parser *p)
{
	int c;

	while (is_blank(c = peek(p)))
		p->i++;
	if (c == '#') { /* reached only where a word could start */
		const char *nl = memchr(p->s + p->i, '\n', p->n - p->i);

		p->i = nl ? (size_t)(nl - p->s) : p->n;
	}
}

void take_newline(struct parser *p)
{
	p->i++;
	if (p->n_pending)
		heredoc_read(p);
}

void skip_newlines(struct parser *p)
{
	for (;;) {
		skip_blanks(p);
		if (peek(p) != '\n')
			return;
		take_newline(p);
	}
}

struct node *node_new(struct parser *p, enum node_kind kind, size_t off)
{
	struct node *n = ARENA_NEW(p->a, struct node);

	n->kind = (uint8_t)kind;
	n->off = (uint32_t)off;
	return n;
}

static bool reserved_from(const struct parser *p, const char *word, size_t *ret_end)
{
	size_t i = p->i;

	for (; *word; word++, i++) {
		while (i + 1 < p->n && p->s[i] == '\\' && p->s[i + 1] == '\n')
			i += 2;
		if (i >= p->n || p->s[i] != *word)
			return false;
	}
	*ret_end = i;
	while (i + 1 < p->n && p->s[i] == '\\' && p->s[i + 1] == '\n')
		i += 2;
	return is_meta(i < p->n ? (unsigned char)p->s[i] : -1);
}

bool at_reserved(struct parser *p, const char *word)
{
	size_t end;

	(void)peek(p);
	return reserved_from(p, word, &end);
}

bool take_reserved(struct parser *p, const char *word)
{
	size_t end;

	(void)peek(p);
	if (!reserved_from(p, word, &end))
		return false;
	p->i = end;
	return true;
}

static bool at_closing(struct parser *p)
{
	static const char *const words[] = {"then", "else", "elif", "fi",
					    "do",   "done", "esac", "}"};
	int c = peek(p);

	if (c == -1 || c == ')')
		return true;
	if (c == ';')
		return peek2(p) == ';' || peek2(p) == '&';
	if (c != 't' && c != 'e' && c != 'f' && c != 'd' && c != '}')
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (at_reserved(p, words[i]))
			return true;
	return false;
}

/* NAME=, NAME+=, NAME[...]= at the cursor: fills the assignment up to the sign. */
static bool take_assign_head(struct parser *p, struct assign *a)
{
	size_t i = p->i, from = i, end, open = 0, close = 0;

	if (i >= p->n || !is_name_start((unsigned char)p->s[i]))
		return false;
	while (i < p->n &&
	       (is_name_start((unsigned char)p->s[i]) || is_digit((unsigned char)p->s[i])))
		i++;
	end = i;
	if (i < p->n && p->s[i] == '[') {
		unsigned nest = 1;

		open = ++i;
		while (i < p->n && i - open < MAX_GATE_SUBSCRIPT && nest) {
			char c = p->s[i++];

			if (c == '[')
				nest++;
			else if (c == ']')
				nest--;
			else if (c == '\n')
				return false;
		}
		if (nest)
			return false;
		close = i - 1;
	}
	while (i + 1 < p->n && p->s[i] == '\\' && p->s[i + 1] == '\n')
		i += 2;
	if (i < p->n && p->s[i] == '+' && i + 1 < p->n && p->s[i + 1] == '=') {
		a->append = true;
		i++;
	}
	if (i >= p->n || p->s[i] != '=')
		return false;
	a->name = (struct view){p->s + from, end - from};
	if (open) {
		struct parser in = *p;

		in.i = open;
		in.n = close;
		a->index = parse_pieces(&in, UNTIL_END, true);
		if (in.error)
			parser_fail(p, in.error, in.why);
	}
	p->i = i + 1;
	return true;
}

static void take_array(struct parser *p, struct assign *a)
{
	struct word **tail = &a->elems;

	a->array = true;
	p->i++;
	for (;;) {
		struct word *w;

		skip_newlines(p);
		if (p->error || peek(p) == -1 || peek(p) == ')')
			break;
		if (is_meta(peek(p)) && peek(p) != '<' && peek(p) != '>') {
			parser_fail(p, E_SYNTAX, "an operator inside an array");
			return;
		}
		w = parse_word(p, WORD_PLAIN);
		if (w->len == 0) {
			parser_fail(p, E_SYNTAX, "an operator inside an array");
			return;
		}
		LIST_ADD(tail, w);
	}
	if (peek(p) == ')')
		p->i++;
	else
		parser_fail(p, E_SYNTAX, "an array that doesn't end");
}

static struct assign *take_assign(struct parser *p, bool arrays_only)
{
	struct assign head = {0}, *a;
	size_t off = p->i;
	bool array;

	if (!take_assign_head(p, &head))
		return NULL;
	array = p->i < p->n && p->s[p->i] == '(';
	if (arrays_only && !array) {
		p->i = off;
		return NULL;
	}
	a = ARENA_NEW(p->a, struct assign);
	*a = head;
	a->off = (uint32_t)off;
	if (array)
		take_array(p, a);
	else if (!is_meta(peek(p)) || ((peek(p) == '<' || peek(p) == '>') && peek2(p) == '('))
		a->value = parse_word(p, WORD_PLAIN);
	a->len = (uint32_t)(p->i - off);
	return a;
}

static bool declares(struct view w)
{
	return view_is(w, "export") || view_is(w, "declare") || view_is(w, "local") ||
	       view_is(w, "readonly") || view_is(w, "typeset");
}

static struct node *parse_simple(struct parser *p)
{
	struct node *n;
	struct assign **atail, *a;
	struct word **wtail;
	struct redir **rtail;

	(void)peek(p);
	n = node_new(p, N_SIMPLE, p->i);
	atail = &n->assigns;
	wtail = &n->words;
	rtail = &n->redirs;
	for (;;) {
		struct word *w;
		int c;

		skip_blanks(p);
		if (p->error)
			break;
		if (parse_redir(p, &rtail))
			continue;
		c = peek(p);
		if (is_meta(c) && !((c == '<' || c == '>') && peek2(p) == '('))
			break;
		if ((n->n_words == 0 || (declares(n->words->text) && !n->words->pieces)) &&
		    (a = take_assign(p, n->n_words > 0))) {
			LIST_ADD(atail, a);
			continue;
		}
		w = parse_word(p, WORD_PLAIN);
		if (w->len == 0)
			break;
		LIST_ADD(wtail, w);
		n->n_words++;
		if (n->n_words == 1 && peek(p) == '(' && !n->assigns && !n->redirs) {
			struct view name =
				w->pieces ? (struct view){p->s + w->off, w->len} : w->text;

			p->i++;
			skip_blanks(p);
			if (peek(p) != ')') {
				parser_fail(p, E_SYNTAX, "an unexpected parenthesis");
				break;
			}
			p->i++;
			return parse_function_body(p, name, n->off);
		}
	}
	if (!p->error && n->n_words == 0 && !n->assigns && !n->redirs)
		parser_fail(p, E_SYNTAX, "an operator where a command should stand");
	n->len = (uint32_t)(p->i - n->off);
	/* The blanks before a terminator don't belong to the command. */
	while (n->len && is_blank((unsigned char)p->s[n->off + n->len - 1]))
		n->len--;
	return n;
}

struct node *parse_command(struct parser *p)
{
	bool is = false;
	struct node *n = parse_compound(p, &is);

	arena_step(p->a, 1);
	return is ? n : parse_simple(p);
}

static struct node *parse_pipeline(struct parser *p)
{
	struct node *first, *pipe, **tail;
	bool negated = false, timed = false;
	size_t off;

	for (;;) {
		skip_blanks(p);
		if (take_reserved(p, "!") || (peek(p) == '!' && peek2(p) == '(' && p->i++ < p->n)) {
			negated = !negated;
		} else if (take_reserved(p, "time")) {
			timed = true;
			skip_blanks(p);
			(void)take_reserved(p, "-p");
			skip_blanks(p);
			(void)take_reserved(p, "--");
		} else {
			break;
		}
	}
	off = p->i;
	if ((timed || negated) && (at_closing(p) || peek(p) == '\n' || peek(p) == ';')) {
		first = node_new(p, N_GROUP, off); /* "time" alone */
		return first;
	}
	first = parse_command(p);
	first->negated ^= negated;
	first->timed |= timed;
	skip_blanks(p);
	if (p->error || peek(p) != '|' || peek2(p) == '|')
		return first;
	pipe = node_new(p, N_PIPE, off);
	tail = &pipe->body;
	LIST_ADD(tail, first);
	while (!p->error && peek(p) == '|' && peek2(p) != '|') {
		struct node *stage;

		p->i++;
		if (peek(p) == '&') {
			p->i++;
			first->join = '&';
		}
		skip_newlines(p);
		stage = parse_command(p);
		LIST_ADD(tail, stage);
		first = stage;
		skip_blanks(p);
	}
	pipe->len = (uint32_t)(p->i - off);
	return pipe;
}

static struct node *parse_andor(struct parser *p)
{
	struct node *first, *chain, **tail;
	int c;

	first = parse_pipeline(p);
	c = peek(p);
	if (p->error || !((c == '&' || c == '|') && peek2(p) == c))
		return first;
	chain = node_new(p, N_ANDOR, first->off);
	tail = &chain->body;
	LIST_ADD(tail, first);
	while (!p->error && (c == '&' || c == '|') && peek2(p) == c) {
		struct node *next;

		p->i++;
		(void)peek(p);
		p->i++;
		skip_newlines(p);
		next = parse_pipeline(p);
		if (next->join == 0)
			next->join = (char)c;
		LIST_ADD(tail, next);
		c = peek(p);
	}
	chain->len = (uint32_t)(p->i - chain->off);
	return chain;
}

/* One item of a list with what separates it from the next; NULL: the list ends here. */
static struct node *list_item(struct parser *p, bool *ret_last)
{
	struct node *n;
	int c;

	*ret_last = true;
	skip_newlines(p);
	if (p->error || at_closing(p))
		return NULL;
	n = parse_andor(p);
	if (p->error)
		return n;
	skip_blanks(p);
	c = peek(p);
	*ret_last = false;
	if (c == '&') {
		n->background = true;
		p->i++;
	} else if (c == ';' && peek2(p) != ';' && peek2(p) != '&') {
		p->i++;
	} else if (c == '\n') {
		take_newline(p);
	} else {
		*ret_last = true; /* a closing token, or an error that the caller sees */
	}
	return n;
}

struct node *parse_list(struct parser *p)
{
	struct node *list = NULL, **tail = &list, *n;
	bool last = false;

	while (!last && (n = list_item(p, &last)))
		LIST_ADD(tail, n);
	return list;
}

struct span origin_span(struct origin o, uint32_t off, uint32_t len)
{
	if (o.exact)
		return (struct span){o.off + off, len};
	return (struct span){o.off, o.len};
}

bool is_name(struct view v)
{
	if (v.len == 0 || !is_name_start((unsigned char)v.ptr[0]))
		return false;
	for (size_t i = 1; i < v.len; i++)
		if (!is_name_start((unsigned char)v.ptr[i]) && !is_digit((unsigned char)v.ptr[i]))
			return false;
	return true;
}

static void parser_init(struct parser *p, struct arena *a, struct view text, struct origin origin,
			unsigned depth)
{
	memset(p, 0, sizeof(*p));
	p->a = a;
	p->s = text.ptr;
	p->n = text.len;
	p->origin = origin;
	p->depth = depth;
}

/* After the last item: what is left over, and here-documents without an end. */
static void finish(struct parser *p, struct script *s)
{
	if (!p->error && peek(p) != -1)
		parser_fail(p, E_SYNTAX, "a word or operator where none may stand");
	if (!p->error && p->n_pending)
		heredoc_read(p);
	if (!p->error && p->heredocs_open)
		parser_fail(p, E_SYNTAX, "a here-document that doesn't end");
	s->error = p->error;
	s->error_off = p->error_off;
	s->error_why = p->why;
	s->heredocs_open = p->heredocs_open;
}

struct script *parse_script(struct arena *a, struct view text, struct origin origin, unsigned depth)
{
	struct script *s = ARENA_NEW(a, struct script);
	struct parser p;

	parser_init(&p, a, text, origin, depth);
	s->text = text;
	s->origin = origin;
	if (depth > MAX_GATE_DEPTH)
		parser_fail(&p, E_DEPTH, "nesting that is too deep");
	else
		s->list = parse_list(&p);
	finish(&p, s);
	return s;
}

struct reader {
	struct parser p;
	struct script *script;
	bool last;
};

struct reader *reader_open(struct arena *a, struct arena *nodes, struct view text,
			   struct origin origin)
{
	struct reader *r = ARENA_NEW(a, struct reader);

	parser_init(&r->p, nodes, text, origin, 0);
	r->script = ARENA_NEW(a, struct script);
	r->script->text = text;
	r->script->origin = origin;
	return r;
}

struct script *reader_script(struct reader *r)
{
	return r->script;
}

struct node *reader_next(struct reader *r)
{
	struct node *list = NULL, **tail = &list, *n;

	/* a here-document's body stands behind the line: items go out when all of theirs are read
	 */
	while (!r->last && (n = list_item(&r->p, &r->last))) {
		LIST_ADD(tail, n);
		if (!r->p.n_pending)
			break;
	}
	if (r->last || !list)
		finish(&r->p, r->script);
	return list;
}

struct word *parse_quoted(struct arena *a, struct view text, struct origin origin, unsigned depth)
{
	struct parser p;

	parser_init(&p, a, text, origin, depth);
	return parse_pieces(&p, UNTIL_END, true);
}
