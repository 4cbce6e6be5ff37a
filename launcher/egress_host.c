/* SPDX-License-Identifier: MIT */
/* Host names, addresses and ports in one canonical form. Pure. Tested by
 * tests/unit/launcher/t_egress_host.c. */
#include "base/base.h"

#include "launcher/egress_host.h"

#include "base/err.h"

#include <arpa/inet.h>

enum { MAX_NAME = 253, MAX_LABEL = 63, MAX_ADDR_TEXT = 45 };

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_label_char(char c)
{
	return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_';
}

/* Would a resolver take a name with this last label for a number? (The URL standard's "ends in a
 * number".) */
static bool is_number_label(const char *label, size_t n)
{
	size_t i = 0;

	if (n >= 2 && label[0] == '0' && label[1] == 'x') {
		for (i = 2; i < n; i++)
			if (!is_digit(label[i]) && !(label[i] >= 'a' && label[i] <= 'f'))
				return false;
		return true;
	}
	for (; i < n; i++)
		if (!is_digit(label[i]))
			return false;
	return true;
}

static int check_name(const char *text, size_t len)
{
	size_t start = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && text[i] != '.') {
			if (!is_label_char(text[i]))
				return E_SYNTAX;
			continue;
		}
		if (i == start)
			return E_SYNTAX;
		if (i - start > MAX_LABEL)
			return E_TOOBIG;
		if (text[start] == '-' || text[i - 1] == '-')
			return E_SYNTAX;
		if (i == len && is_number_label(text + start, i - start))
			return E_SYNTAX;
		start = i + 1;
	}
	return 0;
}

void egress_host_of_addr(const void *addr, size_t len, struct egress_host *ret)
{
	struct egress_host h = {0};

	h.kind = len == 4 ? EGRESS_HOST_IPV4 : EGRESS_HOST_IPV6;
	memcpy(h.addr, addr, len == 4 ? 4 : 16);
	if (!inet_ntop(len == 4 ? AF_INET : AF_INET6, h.addr, h.text, sizeof(h.text)))
		h.text[0] = 0; /* can't happen: the buffer is large enough for both families */
	*ret = h;
}

static bool parse_addr(const char *text, struct egress_host *ret)
{
	uint8_t addr[16] = {0};

	if (inet_pton(AF_INET, text, addr) == 1) {
		egress_host_of_addr(addr, 4, ret);
		return true;
	}
	if (inet_pton(AF_INET6, text, addr) == 1) {
		egress_host_of_addr(addr, 16, ret);
		return true;
	}
	return false;
}

int egress_host_parse(struct view v, struct egress_host *ret)
{
	struct egress_host h = {0};
	size_t len = v.len;
	int rc;

	if (len > MAX_NAME + 1)
		return E_TOOBIG;
	if (memchr(v.ptr, 0, len))
		return E_SYNTAX;
	for (size_t i = 0; i < len; i++)
		h.text[i] = fold(v.ptr[i]);
	if (len <= MAX_ADDR_TEXT && parse_addr(h.text, ret))
		return 0;
	if (len && h.text[len - 1] == '.')
		h.text[--len] = 0;
	if (len == 0)
		return E_SYNTAX;
	if (len > MAX_NAME)
		return E_TOOBIG;
	rc = check_name(h.text, len);
	if (rc)
		return rc;
	h.kind = EGRESS_HOST_NAME;
	*ret = h;
	return 0;
}

int egress_port_parse(struct view v, unsigned *ret)
{
	unsigned port = 0;

	if (v.len == 0 || v.ptr[0] == '0')
		return E_SYNTAX;
	for (size_t i = 0; i < v.len; i++)
		if (!is_digit(v.ptr[i]))
			return E_SYNTAX;
	if (v.len > 5)
		return E_RANGE;
	for (size_t i = 0; i < v.len; i++)
		port = port * 10 + (unsigned)(v.ptr[i] - '0');
	if (port > 65535)
		return E_RANGE;
	*ret = port;
	return 0;
}

int egress_authority_parse(struct view v, unsigned default_port, struct egress_host *ret_host,
			   unsigned *ret_port)
{
	struct egress_host host;
	unsigned port = default_port;
	struct view name = v;
	const char *colon;
	bool bracketed = v.len > 0 && v.ptr[0] == '[';
	int rc;

	if (bracketed) {
		const char *end = view_chr(v, ']');

		if (!end)
			return E_SYNTAX;
		name = (struct view){v.ptr + 1, (size_t)(end - v.ptr) - 1};
		v = (struct view){end + 1, v.len - name.len - 2};
		if (v.len && v.ptr[0] != ':')
			return E_SYNTAX;
	}
	colon = view_chr(v, ':');
	if (colon) {
		if (!bracketed)
			name.len = (size_t)(colon - v.ptr);
		rc = egress_port_parse(
			(struct view){colon + 1, (size_t)(v.ptr + v.len - colon) - 1}, &port);
		if (rc)
			return rc;
	}
	if (port == 0)
		return E_SYNTAX;
	rc = egress_host_parse(name, &host);
	if (rc)
		return rc;
	if (bracketed != (host.kind == EGRESS_HOST_IPV6))
		return E_SYNTAX;
	*ret_host = host;
	*ret_port = port;
	return 0;
}

bool egress_host_same(const struct egress_host *a, const struct egress_host *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == EGRESS_HOST_NAME)
		return strcmp(a->text, b->text) == 0;
	return memcmp(a->addr, b->addr, sizeof(a->addr)) == 0;
}

bool egress_host_beneath(const struct egress_host *name, const char *suffix)
{
	size_t n = strlen(name->text), s = strlen(suffix);

	return name->kind == EGRESS_HOST_NAME && n > s + 1 && name->text[n - s - 1] == '.' &&
	       memcmp(name->text + n - s, suffix, s) == 0;
}
