/* SPDX-License-Identifier: MIT */
/*
 * The rules file: parser and matcher (file 10, section 18.12; confine-run-egress(5)). Pure
 * (allocates). Any doubt about a line refuses the whole file. Tested by
 * tests/unit/launcher/t_egress_rules.c and tests/fuzz/fuzz_egress_rules.c.
 */
#include "base/base.h"

#include "launcher/egress.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "launcher/egress_addr.h"

#include <stdarg.h>

enum pattern {
	PATTERN_ANY = 1, /* "*": every name */
	PATTERN_BENEATH, /* "*.suffix" */
	PATTERN_HOST,	 /* one name or one address */
};

struct port_range {
	unsigned low, high;
};

struct rule {
	enum verdict verdict;
	enum pattern pattern;
	struct egress_host host; /* of PATTERN_BENEATH: the suffix */
	struct port_range ports[MAX_EGRESS_PORTS];
	size_t n_ports;
	bool any_tls;
	unsigned line;
	struct view text;
};

struct egress_rules {
	char *text; /* own copy; the rules' texts point into it */
	struct rule *rules;
	size_t n, cap;
};

struct cursor {
	struct view line;
	unsigned number;
	size_t at;	/* next byte */
	size_t word_at; /* where the last word began */
	struct errctx *e;
};

#define REFUSE(c, code, ...) refuse_at((c), (c)->word_at, (code), __VA_ARGS__)

static int refuse_at(struct cursor *c, size_t at, int code, const char *format, ...)
	printf_like(4, 5);
static int refuse_at(struct cursor *c, size_t at, int code, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return err_set(c->e, code, "line %u, column %zu: %s", c->number, at + 1, text);
}

/* Next word of the line; empty at its end or at a comment. */
static struct view next_word(struct cursor *c)
{
	const char *p = c->line.ptr;
	size_t end;

	while (c->at < c->line.len && (p[c->at] == ' ' || p[c->at] == '\t'))
		c->at++;
	c->word_at = c->at;
	for (end = c->at; end < c->line.len && p[end] != ' ' && p[end] != '\t' && p[end] != '#';)
		end++;
	c->at = end;
	return (struct view){p + c->word_at, end - c->word_at};
}

static int parse_verdict(struct cursor *c, struct view word, struct rule *r)
{
	if (view_is(word, "allow"))
		r->verdict = VERDICT_ALLOW;
	else if (view_is(word, "deny"))
		r->verdict = VERDICT_DENY;
	else
		return REFUSE(c, E_UNKNOWN, "\"%.*s\" is neither \"allow\" nor \"deny\"",
			      (int)(word.len > 40 ? 40 : word.len), word.ptr);
	return 0;
}

static int parse_address(struct cursor *c, struct view word, struct rule *r)
{
	size_t len = r->host.kind == EGRESS_HOST_IPV4 ? 4 : 16;
	enum egress_addr_class class = egress_addr_class(r->host.addr, len);

	if (r->verdict == VERDICT_ALLOW && class != EGRESS_ADDR_PUBLIC)
		return REFUSE(c, E_DENIED, "%.*s is a %s address, which is never connected to",
			      (int)word.len, word.ptr, egress_addr_class_name(class));
	return 0;
}

static int parse_host(struct cursor *c, struct view word, struct rule *r)
{
	int rc;

	if (word.len == 0)
		return REFUSE(c, E_MISSING, "a host is missing");
	if (view_is(word, "*")) {
		r->pattern = PATTERN_ANY;
		return 0;
	}
	r->pattern = PATTERN_HOST;
	if (word.len > 2 && word.ptr[0] == '*' && word.ptr[1] == '.') {
		r->pattern = PATTERN_BENEATH;
		word = (struct view){word.ptr + 2, word.len - 2};
	}
	if (view_chr(word, '*'))
		return REFUSE(c, E_SYNTAX, "\"*\" stands alone or as \"*.\" before a name");
	if (word.len > 2 && word.ptr[0] == '[' && word.ptr[word.len - 1] == ']') {
		word = (struct view){word.ptr + 1, word.len - 2};
		if (!view_chr(word, ':'))
			return REFUSE(c, E_SYNTAX, "brackets are for IPv6 addresses");
	}
	rc = egress_host_parse(word, &r->host);
	if (rc)
		return REFUSE(c, rc, "not a host name or address");
	if (r->host.kind == EGRESS_HOST_NAME)
		return 0;
	if (r->pattern == PATTERN_BENEATH)
		return REFUSE(c, E_SYNTAX, "an address has no subdomains");
	return parse_address(c, word, r);
}

static int parse_range(struct cursor *c, struct view item, struct port_range *ret)
{
	const char *dash = view_chr(item, '-');
	struct view low = item, high = item;
	int rc;

	if (dash) {
		low.len = (size_t)(dash - item.ptr);
		high = (struct view){dash + 1, item.len - low.len - 1};
	}
	rc = egress_port_parse(low, &ret->low);
	if (!rc)
		rc = egress_port_parse(high, &ret->high);
	if (rc)
		return REFUSE(c, rc, "a port is a number from 1 to 65535");
	if (ret->low > ret->high)
		return REFUSE(c, E_RANGE, "this range of ports is empty");
	return 0;
}

static bool ranges_meet(const struct port_range *a, const struct port_range *b)
{
	return a->low <= b->high && b->low <= a->high;
}

static int parse_ports(struct cursor *c, struct view word, struct rule *r)
{
	size_t start = 0;

	if (view_is(word, "*")) {
		r->ports[r->n_ports++] = (struct port_range){1, 65535};
		return 0;
	}
	for (size_t i = 0; i <= word.len; i++) {
		struct port_range range;
		int rc;

		if (i < word.len && word.ptr[i] != ',')
			continue;
		if (r->n_ports == MAX_EGRESS_PORTS)
			return REFUSE(c, E_TOOBIG, "more than %d ports or ranges",
				      MAX_EGRESS_PORTS);
		rc = parse_range(c, (struct view){word.ptr + start, i - start}, &range);
		if (rc)
			return rc;
		for (size_t k = 0; k < r->n_ports; k++)
			if (ranges_meet(&range, &r->ports[k]))
				return REFUSE(c, E_DUPLICATE, "a port is named twice");
		r->ports[r->n_ports++] = range;
		start = i + 1;
	}
	return 0;
}

static int parse_options(struct cursor *c, struct rule *r)
{
	for (;;) {
		struct view word = next_word(c);

		if (word.len == 0)
			return 0;
		if (!view_is(word, "no-sni"))
			return REFUSE(c, E_UNKNOWN, "unknown option (\"no-sni\" is the only one)");
		if (r->verdict != VERDICT_ALLOW)
			return REFUSE(c, E_SYNTAX, "\"no-sni\" has no meaning in a deny rule");
		if (r->any_tls)
			return REFUSE(c, E_DUPLICATE, "\"no-sni\" is given twice");
		r->any_tls = true;
	}
}

static bool same_pattern(const struct rule *a, const struct rule *b)
{
	if (a->pattern != b->pattern)
		return false;
	return a->pattern == PATTERN_ANY || egress_host_same(&a->host, &b->host);
}

/* The first match wins, so a second rule for the same host and port would never be looked at:
 * somebody who edits that one would think that it counts. */
static int check_twice(struct cursor *c, const struct egress_rules *all, const struct rule *r)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct rule *old = &all->rules[i];

		if (!same_pattern(old, r))
			continue;
		for (size_t a = 0; a < old->n_ports; a++)
			for (size_t b = 0; b < r->n_ports; b++)
				if (ranges_meet(&old->ports[a], &r->ports[b]))
					return refuse_at(
						c, 0, E_DUPLICATE,
						"line %u already decides about this host and port",
						old->line);
	}
	return 0;
}

static int add_rule(struct egress_rules *all, const struct rule *r)
{
	if (all->n == all->cap) {
		size_t cap = all->cap ? all->cap * 2 : 16;
		struct rule *grown = reallocarray(all->rules, cap, sizeof(*grown));

		if (!grown)
			return E_NOMEM;
		all->rules = grown;
		all->cap = cap;
	}
	all->rules[all->n++] = *r;
	return 0;
}

static int parse_line(struct cursor *c, struct egress_rules *all)
{
	struct rule r = {.line = c->number};
	struct view word = next_word(c);
	size_t first = c->word_at;
	int rc;

	if (word.len == 0)
		return 0;
	rc = parse_verdict(c, word, &r);
	if (!rc)
		rc = parse_host(c, next_word(c), &r);
	if (rc)
		return rc;
	word = next_word(c);
	if (word.len)
		rc = parse_ports(c, word, &r);
	else /* an allow opens as little as it can, a deny closes as much as it can */
		r.ports[r.n_ports++] = r.verdict == VERDICT_ALLOW ? (struct port_range){443, 443}
								  : (struct port_range){1, 65535};
	if (!rc)
		rc = parse_options(c, &r);
	if (!rc)
		rc = check_twice(c, all, &r);
	if (rc)
		return rc;
	if (all->n == MAX_EGRESS_RULES)
		return refuse_at(c, first, E_TOOBIG, "more than %d rules", MAX_EGRESS_RULES);
	r.text = (struct view){c->line.ptr + first, c->word_at - first};
	while (r.text.len &&
	       (r.text.ptr[r.text.len - 1] == ' ' || r.text.ptr[r.text.len - 1] == '\t'))
		r.text.len--;
	return add_rule(all, &r);
}

static int check_bytes(struct cursor *c)
{
	size_t bad;

	for (size_t i = 0; i < c->line.len; i++) {
		unsigned char b = (unsigned char)c->line.ptr[i];

		if (b == 0)
			return refuse_at(c, i, E_NUL, "NUL character");
		if (b == '\r')
			return refuse_at(c, i, E_SYNTAX,
					 "carriage return: lines end with a line feed alone");
		if ((b < 0x20 && b != '\t') || b == 0x7f)
			return refuse_at(c, i, E_SYNTAX, "control character");
	}
	if (!utf8_valid(c->line, &bad))
		return refuse_at(c, bad, E_UTF8, "invalid UTF-8");
	return 0;
}

static int parse_all(struct egress_rules *all, size_t len, struct errctx *e)
{
	struct cursor c = {.e = e};
	size_t start = 0;

	for (size_t i = 0; i <= len; i++) {
		int rc;

		if (i < len && all->text[i] != '\n')
			continue;
		c = (struct cursor){
			.line = {all->text + start, i - start}, .number = c.number + 1, .e = e};
		rc = check_bytes(&c);
		if (!rc)
			rc = parse_line(&c, all);
		if (rc)
			return rc;
		start = i + 1;
	}
	return 0;
}

int egress_rules_parse(struct view text, struct egress_rules **ret, struct errctx *e)
{
	auto_egress_rules struct egress_rules *all = NULL;
	int rc;

	if (text.len > MAX_OPERATOR_FILE_BYTES)
		return err_set(e, E_TOOBIG, "rules: more than %d bytes", MAX_OPERATOR_FILE_BYTES);
	all = calloc(1, sizeof(*all));
	if (!all)
		return err_set(e, E_NOMEM, "rules: out of memory");
	all->text = malloc(text.len + 1);
	if (!all->text)
		return err_set(e, E_NOMEM, "rules: out of memory");
	if (text.len)
		memcpy(all->text, text.ptr, text.len);
	all->text[text.len] = 0;
	rc = parse_all(all, text.len, e);
	if (rc == E_NOMEM)
		return err_set(e, E_NOMEM, "rules: out of memory");
	if (rc)
		return rc;
	*ret = steal_ptr(&all);
	return 0;
}

void egress_rules_free(struct egress_rules *r)
{
	if (!r)
		return;
	free(r->rules);
	free(r->text);
	free(r);
}

size_t egress_rules_count(const struct egress_rules *r)
{
	return r->n;
}

static bool host_matches(const struct rule *r, const struct egress_host *host)
{
	switch (r->pattern) {
	case PATTERN_ANY:
		return host->kind == EGRESS_HOST_NAME;
	case PATTERN_BENEATH:
		return egress_host_beneath(host, r->host.text);
	case PATTERN_HOST:
		return egress_host_same(host, &r->host);
	default:
		return false;
	}
}

static bool port_matches(const struct rule *r, unsigned port)
{
	for (size_t i = 0; i < r->n_ports; i++)
		if (port >= r->ports[i].low && port <= r->ports[i].high)
			return true;
	return false;
}

struct egress_decision egress_decide(const struct egress_rules *all, const struct egress_host *host,
				     unsigned port)
{
	struct egress_decision d = {.verdict = VERDICT_DENY, .text = VIEW("")};

	for (size_t i = 0; i < all->n; i++) {
		const struct rule *r = &all->rules[i];

		if (!port_matches(r, port) || !host_matches(r, host))
			continue;
		d.verdict = r->verdict == VERDICT_ALLOW ? VERDICT_ALLOW : VERDICT_DENY;
		d.rule = (unsigned)i + 1;
		d.line = r->line;
		d.any_tls = r->any_tls;
		d.text = r->text;
		return d;
	}
	return d;
}
