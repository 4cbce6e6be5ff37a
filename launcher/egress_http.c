/* SPDX-License-Identifier: MIT */
/*
 * Request heads: the strict reader. Pure. Tested by tests/unit/launcher/t_egress_http.c and
 * tests/fuzz/fuzz_egress_http.c.
 */
#include "base/base.h"

#include "launcher/egress_http.h"

#include "base/base64.h"
#include "base/err.h"
#include "base/hash.h"
#include "launcher/egress_http_token.h"

enum { MAX_METHOD = 32, HTTP_PORT = 80 };

static enum egress_parse refuse(struct egress_refusal *why, int status, const char *reason)
{
	*why = (struct egress_refusal){status, reason};
	return EGRESS_BAD;
}

/* Cuts one line off the front; EGRESS_MORE if its end isn't there yet. */
static enum egress_parse take_line(struct view *rest, struct view *ret, struct egress_refusal *why)
{
	for (size_t i = 0; i < rest->len; i++) {
		char c = rest->ptr[i];

		if (c == '\n')
			return refuse(why, 400, "line feed without carriage return");
		if (c == 0)
			return refuse(why, 400, "NUL character in the head");
		if (c != '\r')
			continue;
		if (i + 1 == rest->len)
			return EGRESS_MORE;
		if (rest->ptr[i + 1] != '\n')
			return refuse(why, 400, "carriage return without line feed");
		*ret = (struct view){rest->ptr, i};
		*rest = (struct view){rest->ptr + i + 2, rest->len - i - 2};
		return EGRESS_DONE;
	}
	return EGRESS_MORE;
}

static struct view cut_at_blank(struct view *rest)
{
	const char *blank = view_chr(*rest, ' ');
	struct view word = *rest;

	if (blank) {
		word.len = (size_t)(blank - rest->ptr);
		*rest = (struct view){blank + 1, rest->len - word.len - 1};
	} else {
		*rest = (struct view){rest->ptr + rest->len, 0};
	}
	return word;
}

/* http://authority[/path][?query] */
static enum egress_parse parse_absolute(struct view target, struct egress_http_head *h,
					struct egress_refusal *why)
{
	struct view authority;
	size_t end = 7;

	if (http_starts_nocase(target, "https://"))
		return refuse(why, 400,
			      "https:// is reached with CONNECT, not with a request to the proxy");
	if (!http_starts_nocase(target, "http://"))
		return refuse(why, 400, "neither CONNECT nor an http:// address");
	while (end < target.len && target.ptr[end] != '/' && target.ptr[end] != '?')
		end++;
	authority = (struct view){target.ptr + 7, end - 7};
	if (view_chr(authority, '@'))
		return refuse(why, 400, "user name in the address");
	if (egress_authority_parse(authority, HTTP_PORT, &h->host, &h->port))
		return refuse(why, 400, "bad host or port in the address");
	h->target = (struct view){target.ptr + end, target.len - end};
	return EGRESS_DONE;
}

static enum egress_parse parse_target(struct view target, enum egress_http_form form,
				      struct egress_http_head *h, struct egress_refusal *why)
{
	for (size_t i = 0; i < target.len; i++)
		if (target.ptr[i] <= 0x20 || target.ptr[i] >= 0x7f || target.ptr[i] == '#')
			return refuse(why, 400, "character that no address may hold");
	if (form == HTTP_FORM_PROXY) {
		if (!h->connect)
			return parse_absolute(target, h, why);
		if (egress_authority_parse(target, 0, &h->host, &h->port))
			return refuse(why, 400, "CONNECT needs host:port");
		return EGRESS_DONE;
	}
	if (h->connect)
		return refuse(why, 400, "CONNECT inside a tunnel");
	if (target.len == 0 || (target.ptr[0] != '/' && !view_is(target, "*")))
		return refuse(why, 400, "a path was expected inside the tunnel");
	h->target = target;
	return EGRESS_DONE;
}

static enum egress_parse parse_request_line(struct view line, enum egress_http_form form,
					    struct egress_http_head *h, struct egress_refusal *why)
{
	struct view target;

	h->method = cut_at_blank(&line);
	target = cut_at_blank(&line);
	if (h->method.len == 0 || h->method.len > MAX_METHOD || !http_is_token(h->method))
		return refuse(why, 400, "bad method");
	if (view_is(line, "HTTP/1.1"))
		h->minor = 1;
	else if (view_is(line, "HTTP/1.0"))
		h->minor = 0;
	else if (line.len == 8 && memcmp(line.ptr, "HTTP/", 5) == 0)
		return refuse(why, 505, "only HTTP/1.0 and HTTP/1.1");
	else
		return refuse(why, 400, "bad request line");
	/* A method is compared with case: "connect" is another one, and none that anybody needs. */
	h->connect = view_is(h->method, "CONNECT");
	if (!h->connect && http_is(h->method, "connect"))
		return refuse(why, 400, "bad method");
	return parse_target(target, form, h, why);
}

static enum egress_parse parse_field(struct view line, struct egress_http_head *h,
				     struct egress_refusal *why)
{
	const char *colon = view_chr(line, ':');
	struct egress_http_field f;

	if (line.ptr[0] == ' ' || line.ptr[0] == '\t')
		return refuse(why, 400, "folded header line");
	if (!colon)
		return refuse(why, 400, "header line without a colon");
	f.name = (struct view){line.ptr, (size_t)(colon - line.ptr)};
	f.value = http_trim((struct view){colon + 1, line.len - f.name.len - 1});
	if (f.name.len == 0 || !http_is_token(f.name))
		return refuse(why, 400, "bad header name");
	if (!http_is_value(f.value))
		return refuse(why, 400, "control character in a header");
	if (h->n_fields == MAX_EGRESS_FIELDS)
		return refuse(why, 431, "too many header lines");
	h->fields[h->n_fields++] = f;
	return EGRESS_DONE;
}

/* The one field of this name, or NULL; two of them refuse. */
static enum egress_parse the_only(const struct egress_http_head *h, const char *name,
				  const struct egress_http_field **ret, struct egress_refusal *why)
{
	*ret = NULL;
	for (size_t i = 0; i < h->n_fields; i++) {
		if (!http_is(h->fields[i].name, name))
			continue;
		if (*ret)
			return refuse(why, 400,
				      "Host, Content-Length, Transfer-Encoding or "
				      "Proxy-Authorization given twice");
		*ret = &h->fields[i];
	}
	return EGRESS_DONE;
}

static enum egress_parse check_host(struct egress_http_head *h, enum egress_http_form form,
				    struct egress_refusal *why)
{
	const struct egress_http_field *f;
	struct egress_host host;
	unsigned port;

	if (the_only(h, "host", &f, why) != EGRESS_DONE)
		return EGRESS_BAD;
	if (!f) {
		if (h->minor == 0 && form == HTTP_FORM_PROXY)
			return EGRESS_DONE;
		return refuse(why, 400, "Host is missing");
	}
	/* Without a port: of the scheme; for CONNECT clients leave out or spell the tunnel's own.
	 */
	if (egress_authority_parse(f->value, h->connect ? h->port : HTTP_PORT, &host, &port))
		return refuse(why, 400, "bad Host");
	if (form == HTTP_FORM_ORIGIN) {
		h->host = host;
		h->port = port;
		return EGRESS_DONE;
	}
	if (!egress_host_same(&host, &h->host) || port != h->port)
		return refuse(why, 400, "Host differs from the address");
	return EGRESS_DONE;
}

static enum egress_parse parse_length(struct view v, uint64_t *ret, struct egress_refusal *why)
{
	uint64_t n = 0;

	if (v.len == 0 || v.len > 18)
		return refuse(why, 400, "bad Content-Length");
	for (size_t i = 0; i < v.len; i++) {
		if (v.ptr[i] < '0' || v.ptr[i] > '9')
			return refuse(why, 400, "bad Content-Length");
		n = n * 10 + (uint64_t)(v.ptr[i] - '0');
	}
	*ret = n;
	return EGRESS_DONE;
}

static enum egress_parse check_body(struct egress_http_head *h, struct egress_refusal *why)
{
	const struct egress_http_field *length, *encoding;

	if (the_only(h, "content-length", &length, why) != EGRESS_DONE ||
	    the_only(h, "transfer-encoding", &encoding, why) != EGRESS_DONE)
		return EGRESS_BAD;
	h->body = HTTP_BODY_NONE;
	if (length && encoding)
		return refuse(why, 400, "both Content-Length and Transfer-Encoding");
	if (h->connect && (length || encoding)) {
		if (encoding || !view_is(length->value, "0"))
			return refuse(why, 400, "CONNECT with a body");
		return EGRESS_DONE;
	}
	if (encoding) {
		if (h->minor == 0)
			return refuse(why, 400, "Transfer-Encoding in HTTP/1.0");
		if (!http_is(encoding->value, "chunked"))
			return refuse(why, 501, "a Transfer-Encoding other than chunked");
		h->body = HTTP_BODY_CHUNKED;
	}
	if (length) {
		if (parse_length(length->value, &h->length, why) != EGRESS_DONE)
			return EGRESS_BAD;
		h->body = h->length ? HTTP_BODY_LENGTH : HTTP_BODY_NONE;
	}
	return EGRESS_DONE;
}

/* "Connection: host" would make the next reader drop what decides about the message. */
static enum egress_parse check_connection(const struct egress_http_head *h,
					  struct egress_refusal *why)
{
	static const char *const never[] = {
		"host",
		"content-length",
		"transfer-encoding",
		"authorization",
		"cookie",
		"content-type",
		"expect",
		"range",
		"cache-control",
		"x-forwarded-for",
		"content-range",
	};

	for (size_t i = 0; i < h->n_fields; i++) {
		struct view rest = h->fields[i].value, item;

		if (!http_is(h->fields[i].name, "connection") &&
		    !http_is(h->fields[i].name, "proxy-connection"))
			continue;
		while (http_next_item(&rest, &item)) {
			if (!http_is_token(item))
				return refuse(why, 400, "bad Connection header");
			for (size_t k = 0; k < ARRAY_LEN(never); k++)
				if (http_is(item, never[k]))
					return refuse(why, 400,
						      "Connection names a header that must arrive");
		}
	}
	return EGRESS_DONE;
}

static enum egress_parse check_fields(struct egress_http_head *h, enum egress_http_form form,
				      struct egress_refusal *why)
{
	const struct egress_http_field *f;

	if (check_host(h, form, why) != EGRESS_DONE || check_body(h, why) != EGRESS_DONE ||
	    check_connection(h, why) != EGRESS_DONE ||
	    the_only(h, "proxy-authorization", &f, why) != EGRESS_DONE)
		return EGRESS_BAD;
	if (f)
		h->credentials = f->value;
	return EGRESS_DONE;
}

enum egress_parse egress_http_parse(struct view in, enum egress_http_form form,
				    struct egress_http_head *ret, struct egress_refusal *ret_why)
{
	struct view rest = in, line;
	enum egress_parse p;
	bool first = true;

	if (rest.len > MAX_EGRESS_HEAD_BYTES)
		rest.len = MAX_EGRESS_HEAD_BYTES;
	memset(ret, 0, sizeof(*ret));
	for (;;) {
		p = take_line(&rest, &line, ret_why);
		if (p == EGRESS_MORE && in.len >= MAX_EGRESS_HEAD_BYTES)
			return refuse(ret_why, 431, "the request's head is too long");
		if (p != EGRESS_DONE)
			return p;
		if (!first && line.len == 0)
			break;
		p = first ? parse_request_line(line, form, ret, ret_why)
			  : parse_field(line, ret, ret_why);
		if (p != EGRESS_DONE)
			return p;
		first = false;
	}
	ret->bytes = (size_t)(rest.ptr - in.ptr);
	return check_fields(ret, form, ret_why);
}

bool egress_http_authorized(const struct egress_http_head *h, const char *credential)
{
	auto_buf struct buf want = {0};
	uint8_t a[SHA256_BYTES], b[SHA256_BYTES];

	buf_init(&want, MAX_EGRESS_HEAD_BYTES);
	(void)base64_put(&want, view_of(credential));
	if (buf_error(&want) || h->credentials.len < 6 ||
	    !http_starts_nocase(h->credentials, "basic "))
		return false;
	sha256_of((struct view){h->credentials.ptr + 6, h->credentials.len - 6}, a);
	sha256_of(buf_view(&want), b);
	return hash_equal(a, b, sizeof(a));
}

enum egress_parse egress_http_looks(struct view in)
{
	for (size_t i = 0; i < in.len; i++) {
		char c = in.ptr[i];

		if (c == ' ')
			return i > 0 ? EGRESS_DONE : EGRESS_BAD;
		if (i == MAX_METHOD || !((c >= 'A' && c <= 'Z') || c == '-'))
			return EGRESS_BAD;
	}
	return EGRESS_MORE;
}
