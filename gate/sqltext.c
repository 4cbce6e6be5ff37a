/* SPDX-License-Identifier: MIT */
/* SQL and the clients' own commands: statements that delete, outside strings and comments, and
 * escapes to the shell. Test: the case files, X060 to X085. */
#include "base/base.h"

#include "gate/opts.h"
#include "gate/paths.h"
#include "gate/site.h"

enum { MAX_WORD = 24 };

struct sql {
	struct site *s;
	struct view t;
	size_t i;
	char word[MAX_WORD], prev[MAX_WORD];
	bool start; /* the next word begins a statement */
	bool begun; /* the present word began one */
	struct span span;
	bool hit;
};

static void found(struct sql *q)
{
	if (!q->hit)
		finding_own(q->s->r, "GATE_0019", q->span, q->t);
	q->hit = true;
}

static void skip_to(struct sql *q, const char *end, size_t n)
{
	const char *at = memmem(q->t.ptr + q->i, q->t.len - q->i, end, n);

	q->i = at ? (size_t)(at - q->t.ptr) + n : q->t.len;
}

static void skip_string(struct sql *q, char quote)
{
	q->i++;
	while (q->i < q->t.len) {
		char c = q->t.ptr[q->i++];

		if (c == '\\' && quote == '\'' && q->i < q->t.len && q->t.ptr[q->i] != '\'')
			q->i++;
		else if (c == quote) {
			if (q->i < q->t.len && q->t.ptr[q->i] == quote)
				q->i++;
			else
				return;
		}
	}
}

static struct view line_rest(struct sql *q)
{
	const char *nl = memchr(q->t.ptr + q->i, '\n', q->t.len - q->i);
	struct view v = {q->t.ptr + q->i, nl ? (size_t)(nl - q->t.ptr) - q->i : q->t.len - q->i};

	q->i += v.len;
	return v;
}

/* psql's and mysql's backslash commands, sqlite's dot commands. */
static void client_command(struct sql *q)
{
	struct view line = line_rest(q);
	struct field f = {.span = q->span};
	size_t skip = 0;

	if (view_starts(line, "\\!"))
		skip = 2;
	else if (view_starts(line, ".shell") || view_starts(line, "system "))
		skip = 6;
	else if (view_starts(line, ".system"))
		skip = 7;
	else if (view_starts(line, "\\o |") || view_starts(line, "\\g |"))
		skip = 4;
	if (skip) {
		f.v = view_sub(line, skip);
		judge_inner_text(q->s, f, NULL, NULL, true);
	} else if (view_starts(line, "\\copy") && view_has(line, "program")) {
		finding_own(q->s->r, "GATE_0012", q->span, line);
	} else if (view_starts(line, ".read |") || view_starts(line, ".import |") ||
		   view_starts(line, ".output |") || view_starts(line, ".load")) {
		finding_own(q->s->r, "GATE_0012", q->span, line);
	} else if (view_starts(line, ".output ") || view_starts(line, ".once ") ||
		   view_starts(line, ".backup ") || view_starts(line, ".save ")) {
		const char *blank = view_chr(line, ' ');

		path_judge(q->s->r, view_sub(line, (size_t)(blank - line.ptr) + 1), USE_WRITE,
			   q->span);
	}
}

static bool is(const char *word, const char *upper)
{
	return strcmp(word, upper) == 0;
}

static void judge_word(struct sql *q)
{
	const char *w = q->word, *p = q->prev;

	if (is(p, "DROP") && !is(w, "DEFAULT") && !is(w, "NOT"))
		found(q);
	if (is(p, "TRUNCATE"))
		found(q);
	if (is(w, "FROM") && is(p, "DELETE"))
		found(q);
	if (is(w, "DELETE") && q->begun)
		found(q);
	if (is(w, "DROPDATABASE") || is(w, "DELETEMANY") || is(w, "DELETEONE") ||
	    is(w, "DROPCOLLECTION") || is(w, "FINDONEANDDELETE") || is(w, "DROPINDEXES") ||
	    is(w, "DROPUSER") || is(w, "BULKDELETE"))
		found(q);
	if (is(w, "PROGRAM") && (is(p, "TO") || is(p, "FROM")))
		finding_own(q->s->r, "GATE_0012", q->span, q->t);
	if (is(w, "DUMPFILE") || (is(w, "OUTFILE") && is(p, "INTO")))
		finding_own(q->s->r, "GATE_0012", q->span, q->t);
	memcpy(q->prev, q->word, sizeof(q->prev));
}

static void take_word(struct sql *q)
{
	size_t n = 0;
	size_t from = q->i;

	while (q->i < q->t.len) {
		char c = q->t.ptr[q->i];

		if (!isalnum((unsigned char)c) && c != '_' && (unsigned char)c < 0x80 && c != ANY)
			break;
		if (n + 1 < sizeof(q->word))
			q->word[n++] = (char)(c >= 'a' && c <= 'z' ? c - 32 : c);
		q->i++;
	}
	q->word[n] = 0;
	/* db.users.drop( and .remove( of the document stores */
	if (from && q->t.ptr[from - 1] == '.' && q->i < q->t.len && q->t.ptr[q->i] == '(' &&
	    (is(q->word, "DROP") || is(q->word, "REMOVE")))
		found(q);
	q->begun = q->start;
	q->start = false;
	judge_word(q);
}

void judge_sql(struct site *s, struct view text, uint8_t taint, struct span span)
{
	struct sql q = {.s = s, .t = text, .span = span, .start = true};

	if (is_any(text)) {
		finding_own(s->r, taint & (TAINT_NET | TAINT_DECODED) ? "GATE_0009" : "GATE_0034",
			    span, text);
		return;
	}
	while (q.i < text.len) {
		char c = text.ptr[q.i], d = q.i + 1 < text.len ? text.ptr[q.i + 1] : 0;

		arena_step(s->r->a, 1);
		if (c == '\'' || c == '"' || c == '`') {
			skip_string(&q, c);
			q.prev[0] = c == '\'' ? 0 : q.prev[0];
			if (c != '\'' && is(q.prev, "DROP")) /* DROP "x" is no statement */
				q.prev[0] = 0;
			q.start = false;
		} else if (c == '-' && d == '-') {
			(void)line_rest(&q);
		} else if (c == '/' && d == '*') {
			q.i += 2;
			skip_to(&q, "*/", 2);
		} else if (c == '$' && d == '$') {
			q.i += 2;
			skip_to(&q, "$$", 2);
		} else if ((c == '\\' && d) ||
			   (c == '.' && (q.i == 0 || text.ptr[q.i - 1] == '\n'))) {
			client_command(&q);
		} else if (isalpha((unsigned char)c) || c == '_') {
			if (q.start && view_starts(view_sub(text, q.i), "system "))
				client_command(&q);
			else
				take_word(&q);
		} else {
			if (c == ';')
				q.start = true;
			if (c == ';' || (c == '(' && is(q.prev, "TRUNCATE")))
				q.prev[0] = 0;
			q.i++;
		}
	}
	if (is(q.prev, "FLUSHALL") || is(q.prev, "FLUSHDB"))
		found(&q);
}
