/* SPDX-License-Identifier: MIT */
/*
 * Reads the part of the profile language that ours are written in (file 11, section 9):
 * s-expressions with symbols, integers, strings, raw patterns and comments; two levels of meaning.
 * An unknown word refuses the profile: it would be a rule that nobody here understands. Pure
 * (allocates). Tested by tests/unit/launcher/t_seatbelt_parse.c, tests/fuzz/fuzz_seatbelt.c.
 */
#include "base/base.h"

#include "launcher/seatbelt.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "launcher/seatbelt_tree.h"

enum { MAX_PROFILE_BYTES = 1048576, MAX_RULES = 65536 };

enum token {
	TOKEN_END = 1,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_WORD,
	TOKEN_STRING,
	TOKEN_RAW,
	TOKEN_BAD
};

struct reader {
	struct view in;
	size_t at;
	unsigned line;
	size_t line_at;	  /* where the line began */
	enum token token; /* the present one */
	size_t token_at;
	struct view word;  /* of TOKEN_WORD and TOKEN_RAW: the text itself */
	struct buf string; /* of TOKEN_STRING: unescaped */
	struct errctx *e;
};

static int fail(struct reader *r, int code, const char *what)
{
	return err_set(r->e, code, "line %u, column %zu: %s", r->line, r->token_at - r->line_at + 1,
		       what);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(struct reader *r)
{
	while (r->at < r->in.len) {
		char c = r->in.ptr[r->at];

		if (c == ';') {
			while (r->at < r->in.len && r->in.ptr[r->at] != '\n')
				r->at++;
			continue;
		}
		if (!is_space(c))
			return;
		r->at++;
		if (c == '\n') {
			r->line++;
			r->line_at = r->at;
		}
	}
}

static enum token read_string(struct reader *r)
{
	buf_clear(&r->string);
	for (r->at++; r->at < r->in.len; r->at++) {
		char c = r->in.ptr[r->at];

		if (c == '"') {
			r->at++;
			return TOKEN_STRING;
		}
		if (c == '\\') {
			if (++r->at == r->in.len)
				return TOKEN_BAD;
			c = r->in.ptr[r->at];
			if (c != '"' && c != '\\')
				return TOKEN_BAD;
		} else if ((unsigned char)c < 0x20) {
			return TOKEN_BAD;
		}
		(void)buf_putc(&r->string, c);
	}
	return TOKEN_BAD;
}

static enum token read_raw(struct reader *r)
{
	size_t from = r->at + 2;

	for (r->at = from; r->at < r->in.len; r->at++) {
		char c = r->in.ptr[r->at];

		if ((unsigned char)c < 0x20)
			return TOKEN_BAD;
		if (c == '"') {
			r->word = (struct view){r->in.ptr + from, r->at - from};
			r->at++;
			return TOKEN_RAW;
		}
	}
	return TOKEN_BAD;
}

static void next(struct reader *r)
{
	size_t from;

	skip_space(r);
	r->token_at = from = r->at;
	if (r->at == r->in.len) {
		r->token = TOKEN_END;
		return;
	}
	switch (r->in.ptr[r->at]) {
	case '(':
		r->at++;
		r->token = TOKEN_OPEN;
		return;
	case ')':
		r->at++;
		r->token = TOKEN_CLOSE;
		return;
	case '"':
		r->token = read_string(r);
		return;
	case '#':
		r->token = r->at + 1 < r->in.len && r->in.ptr[r->at + 1] == '"' ? read_raw(r)
										: TOKEN_BAD;
		return;
	default:
		break;
	}
	while (r->at < r->in.len && !is_space(r->in.ptr[r->at]) &&
	       !strchr("()\";#", r->in.ptr[r->at]) && (unsigned char)r->in.ptr[r->at] > 0x20)
		r->at++;
	r->word = (struct view){r->in.ptr + from, r->at - from};
	r->token = r->at > from ? TOKEN_WORD : TOKEN_BAD;
}

static int expect(struct reader *r, enum token token, const char *what)
{
	if (r->token != token)
		return fail(r, E_SYNTAX, what);
	next(r);
	return 0;
}

static int take_word(struct reader *r, const char *word)
{
	if (r->token != TOKEN_WORD || !view_is(r->word, word))
		return fail(r, E_SYNTAX, "another word was expected here");
	next(r);
	return 0;
}

static int steal_string(struct reader *r, char **ret)
{
	if (r->token != TOKEN_STRING)
		return fail(r, E_SYNTAX, "a string was expected here");
	if (buf_error(&r->string) || memchr(buf_text(&r->string), 0, r->string.len))
		return fail(r, E_SYNTAX, "bad string");
	*ret = strndup(buf_text(&r->string), r->string.len);
	if (!*ret)
		return fail(r, E_NOMEM, "out of memory");
	next(r);
	return 0;
}

/* (param "NAME") with its opening bracket already taken */
static int read_param(struct reader *r, struct seatbelt_filter *f)
{
	int rc = take_word(r, "param");

	if (!rc)
		rc = steal_string(r, &f->param);
	return rc ? rc : expect(r, TOKEN_CLOSE, "\")\" was expected here");
}

/* "text", (param "NAME") or (string-append (param "NAME") "text") */
static int read_path(struct reader *r, struct seatbelt_filter *f)
{
	int rc;

	if (r->token == TOKEN_STRING)
		return steal_string(r, &f->text);
	rc = expect(r, TOKEN_OPEN, "a path was expected here");
	if (rc)
		return rc;
	if (r->token != TOKEN_WORD || !view_is(r->word, "string-append")) {
		rc = read_param(r, f);
		if (!rc && !(f->text = strdup("")))
			rc = fail(r, E_NOMEM, "out of memory");
		return rc;
	}
	next(r);
	rc = expect(r, TOKEN_OPEN, "string-append starts with a parameter");
	if (!rc)
		rc = read_param(r, f);
	if (!rc)
		rc = steal_string(r, &f->text);
	return rc ? rc : expect(r, TOKEN_CLOSE, "\")\" was expected here");
}

/* Counted repetition and back references can cost any amount of memory and time to a reader. Ours
 * never hold them; a brace of a path stands in a class of its own. */
static bool is_cheap_pattern(struct view v)
{
	if (v.len > 8 * (MAX_PATH_BYTES + 16) || view_chr(v, '\\'))
		return false;
	for (size_t i = 0; i < v.len; i++)
		if (v.ptr[i] == '{' && (i == 0 || v.ptr[i - 1] != '['))
			return false;
	return true;
}

static int read_regex(struct reader *r, struct seatbelt_filter *f)
{
	if (r->token != TOKEN_RAW)
		return fail(r, E_SYNTAX, "a raw pattern was expected here");
	if (!is_cheap_pattern(r->word))
		return fail(r, E_UNKNOWN, "a kind of pattern that isn't read here");
	f->text = strndup(r->word.ptr, r->word.len);
	if (!f->text)
		return fail(r, E_NOMEM, "out of memory");
	next(r);
	return 0;
}

static int read_filter_body(struct reader *r, struct seatbelt_filter *f)
{
	int rc;

	if (r->token != TOKEN_WORD)
		return fail(r, E_SYNTAX, "a filter was expected here");
	if (view_is(r->word, "subpath") || view_is(r->word, "literal")) {
		f->kind = view_is(r->word, "subpath") ? FILTER_SUBPATH : FILTER_LITERAL;
		next(r);
		return read_path(r, f);
	}
	if (view_is(r->word, "regex")) {
		f->kind = FILTER_REGEX;
		next(r);
		return read_regex(r, f);
	}
	if (!view_is(r->word, "remote"))
		return fail(r, E_UNKNOWN, "unknown filter");
	f->kind = FILTER_REMOTE_IP;
	next(r);
	rc = take_word(r, "ip");
	return rc ? rc : steal_string(r, &f->text);
}

static int read_filter(struct reader *r, struct seatbelt_rule_node *rule)
{
	struct seatbelt_filter *grown =
		reallocarray(rule->filters, rule->n_filters + 1, sizeof(*grown));
	int rc;

	if (!grown)
		return fail(r, E_NOMEM, "out of memory");
	rule->filters = grown;
	grown[rule->n_filters] = (struct seatbelt_filter){.line = r->line};
	rule->n_filters++;
	next(r);
	rc = read_filter_body(r, &grown[rule->n_filters - 1]);
	return rc ? rc : expect(r, TOKEN_CLOSE, "\")\" was expected here");
}

static int read_operations(struct reader *r, struct seatbelt_rule_node *rule)
{
	while (r->token == TOKEN_WORD) {
		const char *operation = seatbelt_operation(r->word);

		if (!operation)
			return fail(r, E_UNKNOWN, "unknown operation");
		if (rule->n_operations == SEATBELT_MAX_OPERATIONS)
			return fail(r, E_TOOBIG, "too many operations in one rule");
		rule->operations[rule->n_operations++] = operation;
		next(r);
	}
	return rule->n_operations ? 0 : fail(r, E_SYNTAX, "an operation was expected here");
}

static int read_rule(struct reader *r, struct seatbelt_profile *p, size_t *cap)
{
	struct seatbelt_rule_node *rule;
	int rc;

	if (p->n_rules == *cap) {
		size_t more = *cap ? 2 * *cap : 32;
		struct seatbelt_rule_node *grown = reallocarray(p->rules, more, sizeof(*grown));

		if (!grown)
			return fail(r, E_NOMEM, "out of memory");
		p->rules = grown;
		*cap = more;
	}
	if (p->n_rules == MAX_RULES)
		return fail(r, E_TOOBIG, "too many rules");
	rule = &p->rules[p->n_rules++];
	*rule = (struct seatbelt_rule_node){.line = r->line, .allow = view_is(r->word, "allow")};
	if (!rule->allow && !view_is(r->word, "deny"))
		return fail(r, E_UNKNOWN, "unknown action");
	next(r);
	rc = read_operations(r, rule);
	while (!rc && r->token == TOKEN_OPEN)
		rc = read_filter(r, rule);
	return rc ? rc : expect(r, TOKEN_CLOSE, "\")\" was expected here");
}

static int read_start(struct reader *r, struct seatbelt_profile *p)
{
	int rc = expect(r, TOKEN_OPEN, "a profile starts with its version");

	if (!rc)
		rc = take_word(r, "version");
	if (!rc)
		rc = take_word(r, "1");
	if (!rc)
		rc = expect(r, TOKEN_CLOSE, "\")\" was expected here");
	if (!rc)
		rc = expect(r, TOKEN_OPEN, "the default was expected here");
	if (rc)
		return rc;
	p->version = 1;
	p->default_allow = r->token == TOKEN_WORD && view_is(r->word, "allow");
	if (!p->default_allow && (r->token != TOKEN_WORD || !view_is(r->word, "deny")))
		return fail(r, E_SYNTAX, "the default was expected here");
	next(r);
	rc = take_word(r, "default");
	return rc ? rc : expect(r, TOKEN_CLOSE, "\")\" was expected here");
}

int seatbelt_parse(struct view text, struct seatbelt_profile **ret, struct errctx *e)
{
	auto_seatbelt_profile struct seatbelt_profile *p = calloc(1, sizeof(*p));
	struct reader r = {.in = text, .line = 1, .e = e};
	size_t cap = 0;
	int rc;

	if (!p)
		return err_set(e, E_NOMEM, "profile: out of memory");
	if (text.len > MAX_PROFILE_BYTES)
		return err_set(e, E_TOOBIG, "profile: more than %d bytes", MAX_PROFILE_BYTES);
	if (!utf8_valid(text, NULL))
		return err_set(e, E_UTF8, "profile: invalid UTF-8");
	buf_init(&r.string, MAX_PROFILE_BYTES);
	next(&r);
	rc = read_start(&r, p);
	while (!rc && r.token == TOKEN_OPEN) {
		next(&r);
		rc = r.token == TOKEN_WORD ? read_rule(&r, p, &cap)
					   : fail(&r, E_SYNTAX, "an action was expected here");
	}
	if (!rc && r.token != TOKEN_END)
		rc = fail(&r, E_SYNTAX, "a rule was expected here");
	buf_release(&r.string);
	if (!rc)
		*ret = steal_ptr(&p);
	return rc;
}

void seatbelt_profile_free(struct seatbelt_profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_rules; i++) {
		for (size_t k = 0; k < p->rules[i].n_filters; k++) {
			free(p->rules[i].filters[k].param);
			free(p->rules[i].filters[k].text);
		}
		free(p->rules[i].filters);
	}
	free(p->rules);
	free(p);
}

size_t seatbelt_profile_rules(const struct seatbelt_profile *p)
{
	return p->n_rules;
}
