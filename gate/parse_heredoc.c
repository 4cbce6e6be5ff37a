/* SPDX-License-Identifier: MIT */
/* Bodies of here-documents: read after the line that announces them. Test: t_parse, t_bash. */
#include "base/base.h"

#include "gate/parse_priv.h"

#include "base/err.h"

/* Whether a line of an unquoted body goes on in the next one. */
static bool continues(struct view line)
{
	size_t n = 0;

	while (n < line.len && line.ptr[line.len - 1 - n] == '\\')
		n++;
	return n % 2 == 1;
}

static struct word *literal(struct parser *p, struct view body, size_t off)
{
	struct word *w = ARENA_NEW(p->a, struct word);
	struct piece *x = piece_new(p, P_LIT, off);

	x->text = body;
	x->quoted = true;
	x->len = (uint32_t)body.len;
	w->pieces = x;
	w->off = (uint32_t)off;
	w->len = (uint32_t)body.len;
	return w;
}

/* The body's expansions, parsed in place when its bytes stand together in the text. */
static struct word *expansions(struct parser *p, struct view body, size_t off, bool copied)
{
	struct parser in = *p;
	struct word *w;

	if (copied) {
		struct span s = origin_span(p->origin, (uint32_t)off, (uint32_t)(p->i - off));

		in.s = body.ptr;
		in.n = body.len;
		in.i = 0;
		in.origin = (struct origin){false, s.off, s.len};
	} else {
		in.n = off + body.len;
		in.i = off;
	}
	in.n_pending = 0;
	w = parse_pieces(&in, UNTIL_END, true);
	if (in.error && !p->error)
		parser_fail(p, in.error, in.why);
	w->off = (uint32_t)off;
	w->len = (uint32_t)(p->i - off);
	return w;
}

static void read_body(struct parser *p, struct redir *r)
{
	bool tabs = r->op == R_HERETABS, joined = false, found = false;
	size_t start = p->i, end = p->i;
	struct text t;

	text_init(&t, p->a);
	while (p->i < p->n) {
		size_t from = p->i;
		const char *nl = memchr(p->s + from, '\n', p->n - from);
		size_t to = nl ? (size_t)(nl - p->s) : p->n;
		struct view line;

		p->i = nl ? to + 1 : p->n;
		if (tabs && !joined)
			while (from < to && p->s[from] == '\t')
				from++;
		line = (struct view){p->s + from, to - from};
		if (!joined && view_eq(line, r->delim)) {
			found = true;
			break;
		}
		if (tabs) {
			text_put(&t, line);
			if (nl)
				text_putc(&t, '\n');
		}
		end = p->i;
		joined = !r->literal && continues(line);
	}
	if (!found) {
		p->heredocs_open++;
		end = p->n;
	}
	{
		struct view body = tabs ? text_view(&t) : (struct view){p->s + start, end - start};

		r->target = r->literal ? literal(p, body, start) : expansions(p, body, start, tabs);
	}
}

void heredoc_read(struct parser *p)
{
	unsigned n = p->n_pending;

	p->n_pending = 0;
	for (unsigned k = 0; k < n; k++)
		read_body(p, p->pending[k]);
}
