/* SPDX-License-Identifier: MIT */
/* HTTP/1 tokens. Pure. Tested by tests/unit/launcher/t_egress_http.c. */
#include "base/base.h"

#include "launcher/egress_http_token.h"

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

bool http_starts_nocase(struct view v, const char *lower)
{
	size_t n = strlen(lower);

	if (v.len < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (fold(v.ptr[i]) != lower[i])
			return false;
	return true;
}

bool http_is(struct view v, const char *lower)
{
	return v.len == strlen(lower) && http_starts_nocase(v, lower);
}

bool http_is_token(struct view v)
{
	for (size_t i = 0; i < v.len; i++) {
		char c = fold(v.ptr[i]);

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			continue;
		if (c == 0 || !strchr("!#$%&'*+-.^_`|~", c))
			return false;
	}
	return v.len > 0;
}

bool http_is_value(struct view v)
{
	for (size_t i = 0; i < v.len; i++) {
		unsigned char c = (unsigned char)v.ptr[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct view http_trim(struct view v)
{
	while (v.len && is_blank(v.ptr[0]))
		v = (struct view){v.ptr + 1, v.len - 1};
	while (v.len && is_blank(v.ptr[v.len - 1]))
		v.len--;
	return v;
}

bool http_next_item(struct view *rest, struct view *ret)
{
	while (rest->len) {
		const char *comma = view_chr(*rest, ',');
		struct view item = *rest;

		if (comma) {
			item.len = (size_t)(comma - rest->ptr);
			*rest = (struct view){comma + 1, rest->len - item.len - 1};
		} else {
			*rest = (struct view){rest->ptr + rest->len, 0};
		}
		*ret = http_trim(item);
		if (ret->len)
			return true;
	}
	return false;
}

bool http_is_hop_by_hop(struct view name)
{
	static const char *const names[] = {
		"connection",
		"keep-alive",
		"proxy-authenticate",
		"proxy-authorization",
		"proxy-connection",
		"te",
		"trailer",
		"upgrade",
		"http2-settings",
		"proxy-status",
		"alt-svc",
		"proxy-authentication-info",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (http_is(name, names[i]))
			return true;
	return false;
}
