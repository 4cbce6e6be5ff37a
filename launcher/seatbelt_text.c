/* SPDX-License-Identifier: MIT */
/* Rules as text, and the one check of paths that may stand in them. Pure. Tested by
 * tests/unit/launcher/t_seatbelt_text.c. */
#include "base/base.h"

#include "launcher/seatbelt_text.h"

#include "base/pathstr.h"
#include "base/utf8.h"
#include "launcher/seatbelt.h"

const char seatbelt_unverified[] =
	"macOS: UNVERIFIED on this machine until sandbox/mac-escape-tests.sh has passed on it";

const char *const seatbelt_probe_argv[] = {SEATBELT_EXEC, "-p", "(version 1)(allow default)",
					   "/usr/bin/true", NULL};

int seatbelt_check_path(const char *path, struct errctx *e)
{
	static const char *const links[] = {"/tmp", "/var", "/etc"};
	struct view v = view_of(path), rest = v, part;

	if (v.len == 0 || path[0] != '/' || v.len == 1)
		return err_set(e, E_SYNTAX,
			       "\"%s\": a profile names absolute paths, and never \"/\" alone",
			       v.len ? path : "");
	if (!utf8_valid(v, NULL))
		return err_set(e, E_UTF8, "\"%s\": invalid UTF-8 can't stand in a profile", path);
	for (size_t i = 0; i < v.len; i++) {
		unsigned char c = (unsigned char)path[i];

		if (c < 0x20 || c == 0x7f || c == '"' || c == '\\')
			return err_set(e, E_SYNTAX,
				       "\"%s\": a quote, a backslash or a control character could "
				       "end the rule",
				       path);
	}
	if (path[v.len - 1] == '/' || strstr(path, "//"))
		return err_set(e, E_SYNTAX, "\"%s\": a doubled or trailing slash matches nothing",
			       path);
	while (pathstr_next(&rest, &part))
		if (view_is(part, ".") || view_is(part, ".."))
			return err_set(e, E_SYNTAX, "\"%s\": \".\" and \"..\" match nothing", path);
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		if (pathstr_beneath(v, view_of(links[i])))
			return err_set(e, E_LINK,
				       "\"%s\": %s is a link on macOS, rules need /private%s", path,
				       links[i], links[i]);
	return 0;
}

void seatbelt_comment(struct buf *out, const char *text)
{
	(void)buf_printf(out, "; %s\n", text);
}

void seatbelt_plain(struct buf *out, const char *action, const char *operation)
{
	(void)buf_printf(out, "(%s %s)\n", action, operation);
}

void seatbelt_open(struct seatbelt_rule *r, struct buf *out, const char *action,
		   const char *operations)
{
	r->out = out;
	r->filters = 0;
	(void)buf_printf(out, "(%s %s", action, operations);
}

void seatbelt_path(struct seatbelt_rule *r, const char *kind, const char *path)
{
	r->filters++;
	(void)buf_printf(r->out, "\n    (%s \"%s\")", kind, path);
}

void seatbelt_param(struct seatbelt_rule *r, const char *kind, const char *param, const char *rest)
{
	r->filters++;
	if (rest[0])
		(void)buf_printf(r->out, "\n    (%s (string-append (param \"%s\") \"%s\"))", kind,
				 param, rest);
	else
		(void)buf_printf(r->out, "\n    (%s (param \"%s\"))", kind, param);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Path bytes as an extended regular expression. */
static void put_pattern(struct buf *out, const char *text, size_t any_case_from)
{
	for (size_t i = 0; text[i]; i++) {
		char c = text[i];

		if (is_letter(c) && i >= any_case_from)
			(void)buf_printf(out, "[%c%c]", c | 0x20, c & ~0x20);
		else if (strchr(".^$*+?()[]{}|", c))
			(void)buf_printf(
				out, "[%c]",
				c); /* a class needs no backslash, of which readers disagree */
		else
			(void)buf_putc(out, c);
	}
}

void seatbelt_any_case(struct seatbelt_rule *r, const char *path, size_t from)
{
	r->filters++;
	(void)buf_puts(r->out, "\n    (regex #\"^");
	put_pattern(r->out, path, from);
	(void)buf_puts(r->out, "(/|$)\")");
}

void seatbelt_any_case_below(struct seatbelt_rule *r, const char *folder, const char *rest)
{
	r->filters++;
	(void)buf_puts(r->out, "\n    (regex #\"^");
	put_pattern(r->out, folder, SIZE_MAX);
	put_pattern(r->out, rest, 0);
	(void)buf_puts(r->out, "(/|$)\")");
}

void seatbelt_component(struct seatbelt_rule *r, const char *name)
{
	r->filters++;
	(void)buf_puts(r->out, "\n    (regex #\"/");
	put_pattern(r->out, name, 0);
	(void)buf_puts(r->out, "(/|$)\")");
}

void seatbelt_remote(struct seatbelt_rule *r, unsigned port)
{
	r->filters++;
	(void)buf_printf(r->out, "\n    (remote ip \"localhost:%u\")", port);
}

void seatbelt_close(struct seatbelt_rule *r)
{
	(void)buf_puts(r->out, ")\n");
	if (r->filters == 0)
		r->out->error = E_INTERNAL;
}

int seatbelt_names_add(struct seatbelt_names *s, const char *bytes, size_t len)
{
	char *name;
	size_t at = 0;

	while (at < s->n) {
		int order = strncmp(s->v[at], bytes, len);

		if (order == 0 && s->v[at][len] == 0)
			return 0;
		if (order >= 0)
			break;
		at++;
	}
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 16;
		char **grown = reallocarray(s->v, cap, sizeof(*grown));

		if (!grown)
			return E_NOMEM;
		s->v = grown;
		s->cap = cap;
	}
	name = strndup(bytes, len);
	if (!name)
		return E_NOMEM;
	memmove(s->v + at + 1, s->v + at, (s->n - at) * sizeof(*s->v));
	s->v[at] = name;
	s->n++;
	return 0;
}

void seatbelt_names_release(struct seatbelt_names *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	*s = (struct seatbelt_names){NULL, 0, 0};
}
