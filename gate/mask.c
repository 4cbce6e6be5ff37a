/* SPDX-License-Identifier: MIT */
/* The decision text never echoes secrets: tokens by their form, values by the name before them,
 * user and password in addresses, key material. Test: t0400-gate-event.tap. */
#include "base/base.h"

#include "gate/mask.h"

#include "base/limits.h"

static bool token_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-' || c == '.' || c == '/' || c == '+' || c == '=';
}

static size_t token_length(struct view v)
{
	size_t n = 0;

	while (n < v.len && token_char(v.ptr[n]))
		n++;
	return n;
}

size_t secret_at(struct view v, const char **ret_what)
{
	size_t n_rows;
	const struct gate_secret *rows = gate_secrets(&n_rows);

	for (size_t i = 0; i < n_rows; i++) {
		size_t p = strlen(rows[i].prefix), n;

		if (v.len < p + rows[i].min || v.ptr[0] != rows[i].prefix[0] ||
		    memcmp(v.ptr, rows[i].prefix, p) != 0)
			continue;
		n = token_length(v);
		if (n >= p + rows[i].min) {
			*ret_what = rows[i].what;
			return n;
		}
	}
	if (view_starts(v, "-----BEGIN ")) {
		*ret_what = "key material";
		return v.len;
	}
	return 0;
}

/* "Bearer x", "Basic x", "token x": the length of the word in front, or 0. */
static size_t scheme_at(struct view v)
{
	static const char *const words[] = {"Bearer ", "bearer ", "Basic ",
					    "basic ",  "token ",  "Token "};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (view_starts(v, words[i]))
			return strlen(words[i]);
	return 0;
}

/* name= or name: with a telling name: the length up to the value, or 0. */
static size_t label_at(struct view v)
{
	size_t n = 0;

	while (n < v.len && (token_char(v.ptr[n]) && v.ptr[n] != '=' && v.ptr[n] != '/'))
		n++;
	if (n == 0 || n + 1 >= v.len || n > 64 || (v.ptr[n] != '=' && v.ptr[n] != ':'))
		return 0;
	if (!gate_secret_word((struct view){v.ptr, n}))
		return 0;
	n++;
	while (n < v.len && (v.ptr[n] == ' ' || v.ptr[n] == '"' || v.ptr[n] == '\''))
		n++;
	return n;
}

/* scheme://user:password@ : offset and length of the password. */
static bool password_in_url(struct view v, size_t *ret_from, size_t *ret_len)
{
	const char *sep = view_find(v, VIEW("://")), *at, *colon;
	struct view rest;

	if (!sep)
		return false;
	rest = view_sub(v, (size_t)(sep - v.ptr) + 3);
	at = view_chr(rest, '@');
	colon = view_chr(rest, ':');
	if (!at || !colon || colon > at || memchr(rest.ptr, '/', (size_t)(at - rest.ptr)))
		return false;
	*ret_from = (size_t)(colon + 1 - v.ptr);
	*ret_len = (size_t)(at - colon - 1);
	return *ret_len > 0;
}

static void put_char(struct text *t, char c)
{
	if (c == ANY) {
		text_put(t, VIEW("<unknown>"));
	} else if (c == GLOB) {
		text_putc(t, '*');
	} else {
		text_putc(t, c); /* control and hidden characters are escaped when it is printed */
	}
}

void mask_text(struct text *t, struct view v)
{
	size_t from = 0, len = 0, i = 0;
	bool url = password_in_url(v, &from, &len);
	bool start = true;

	while (i < v.len) {
		struct view rest = view_sub(v, i);
		const char *what;
		size_t n;

		if (url && i == from) {
			text_put(t, VIEW("<secret>"));
			i += len;
			continue;
		}
		if (start && (n = secret_at(rest, &what))) {
			text_put(t, VIEW("<secret>"));
			i += n;
			continue;
		}
		if (start && ((n = scheme_at(rest)) || (n = label_at(rest)))) {
			size_t m = 0;
			struct view value = view_sub(rest, n);

			text_put(t, (struct view){rest.ptr, n});
			if ((m = scheme_at(value)) > 0)
				text_put(t, (struct view){value.ptr, m});
			while (m < value.len && value.ptr[m] != ' ' && value.ptr[m] != '"' &&
			       value.ptr[m] != '\'' && value.ptr[m] != '&' && value.ptr[m] != ',')
				m++;
			if (m > 0 && value.ptr[0] != ANY)
				text_put(t, VIEW("<secret>"));
			i += n + m;
			continue;
		}
		start = !token_char(v.ptr[i]) || v.ptr[i] == '=' || v.ptr[i] == '/' ||
			v.ptr[i] == '-';
		put_char(t, v.ptr[i++]);
	}
}

static bool needs_quotes(struct view v)
{
	if (v.len == 0)
		return true;
	for (size_t i = 0; i < v.len; i++)
		if (!token_char(v.ptr[i]) && !strchr(":,@%^~{}", v.ptr[i] ? v.ptr[i] : 'x') &&
		    v.ptr[i] != ANY && v.ptr[i] != GLOB)
			return true;
	return false;
}

/* -p, --password, -u user:password and their like before the word. */
static bool option_hides(struct view before)
{
	struct view name = before;

	if (before.len < 2 || before.ptr[0] != '-')
		return false;
	while (name.len && name.ptr[0] == '-')
		name = view_sub(name, 1);
	return before.ptr[1] == '-' && !view_chr(before, '=') && gate_secret_word(name);
}

void mask_word(struct text *t, struct view before, struct view word)
{
	struct view shown = word;
	bool quote;

	if (option_hides(before)) {
		text_put(t, VIEW("<secret>"));
		return;
	}
	if (view_is(before, "-u") || view_is(before, "--user")) {
		const char *colon = view_chr(word, ':');

		if (colon) {
			text_put(t, (struct view){word.ptr, (size_t)(colon - word.ptr) + 1});
			text_put(t, VIEW("<secret>"));
			return;
		}
	}
	if (shown.len > MAX_GATE_ARG_SHOWN)
		shown.len = MAX_GATE_ARG_SHOWN;
	/* a token that is cut must not be shown in part */
	quote = needs_quotes(shown);
	if (quote)
		text_putc(t, '\'');
	mask_text(t, shown.len < word.len && token_length(word) > shown.len
			     ? (struct view){word.ptr, token_length(word)}
			     : shown);
	if (shown.len < word.len)
		text_put(t, VIEW("..."));
	if (quote)
		text_putc(t, '\'');
}
