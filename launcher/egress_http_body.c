/* SPDX-License-Identifier: MIT */
/*
 * Where a request's body ends, and what is written to the other side: heads for the server, heads
 * for the client. Pure. Tested by tests/unit/launcher/t_egress_http.c and
 * tests/fuzz/fuzz_egress_http.c.
 */
#include "base/base.h"

#include "launcher/egress_http.h"

#include "launcher/egress_http_token.h"

enum { HTTP_PORT = 80, MAX_CHUNK_DIGITS = 8 };

/* Is the field named by a Connection field? Those are for this hop only. */
static bool is_named(const struct egress_http_field *fields, size_t n, struct view name)
{
	for (size_t i = 0; i < n; i++) {
		struct view rest = fields[i].value, item;

		if (!http_is(fields[i].name, "connection") &&
		    !http_is(fields[i].name, "proxy-connection"))
			continue;
		while (http_next_item(&rest, &item)) {
			if (item.len != name.len)
				continue;
			for (size_t k = 0;
			     k < item.len && (item.ptr[k] | 0x20) == (name.ptr[k] | 0x20); k++)
				if (k + 1 == item.len)
					return true;
		}
	}
	return false;
}

static void put_field(struct buf *out, const struct egress_http_field *f)
{
	(void)buf_put_view(out, f->name);
	(void)buf_puts(out, ": ");
	(void)buf_put_view(out, f->value);
	(void)buf_puts(out, "\r\n");
}

static void put_target(const struct egress_http_head *h, struct buf *out)
{
	/* "OPTIONS http://host" asks about the server as a whole (RFC 9112, section 3.2.4). */
	if (h->target.len == 0)
		(void)buf_putc(out, view_is(h->method, "OPTIONS") ? '*' : '/');
	else if (h->target.ptr[0] == '?')
		(void)buf_putc(out, '/');
	(void)buf_put_view(out, h->target);
}

void egress_http_emit(const struct egress_http_head *h, struct buf *out)
{
	(void)buf_put_view(out, h->method);
	(void)buf_putc(out, ' ');
	put_target(h, out);
	/* The client's own version: an old one must not get an answer in chunks. */
	(void)buf_printf(out, " HTTP/1.%u\r\nHost: ", h->minor);
	if (h->host.kind == EGRESS_HOST_IPV6)
		(void)buf_printf(out, "[%s]", h->host.text);
	else
		(void)buf_puts(out, h->host.text);
	if (h->port != HTTP_PORT)
		(void)buf_printf(out, ":%u", h->port);
	(void)buf_puts(out, "\r\n");
	for (size_t i = 0; i < h->n_fields; i++) {
		const struct egress_http_field *f = &h->fields[i];

		if (http_is(f->name, "host") || http_is_hop_by_hop(f->name) ||
		    is_named(h->fields, h->n_fields, f->name))
			continue;
		put_field(out, f);
	}
	(void)buf_puts(out, "Connection: close\r\n\r\n");
}

enum chunk_state {
	CHUNK_SIZE = 0, /* no digit yet */
	CHUNK_DIGITS,
	CHUNK_SIZE_LF,
	CHUNK_DATA,
	CHUNK_DATA_CR,
	CHUNK_DATA_LF,
	CHUNK_END_CR,
	CHUNK_END_LF,
};

void egress_http_framing_init(struct egress_http_framing *f, const struct egress_http_head *h)
{
	*f = (struct egress_http_framing){.body = h->body, .state = CHUNK_SIZE};
	if (h->body == HTTP_BODY_LENGTH)
		f->left = h->length;
	f->done = h->body == HTTP_BODY_NONE;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* One byte of framing; false if it may not stand here. */
static bool chunk_step(struct egress_http_framing *f, char c)
{
	int digit = hex_digit(c);

	switch ((enum chunk_state)f->state) {
	case CHUNK_SIZE:
		f->left = 0;
		f->state = CHUNK_DIGITS;
		return digit >= 0 && (f->left = (uint64_t)digit, true);
	case CHUNK_DIGITS:
		if (digit >= 0) {
			/* 8 digits hold more than anybody sends in one chunk. */
			if (f->left >> (4 * (MAX_CHUNK_DIGITS - 1)))
				return false;
			f->left = f->left << 4 | (uint64_t)digit;
			return true;
		}
		f->state = CHUNK_SIZE_LF;
		return c == '\r';
	case CHUNK_SIZE_LF:
		f->state = f->left ? CHUNK_DATA : CHUNK_END_CR;
		return c == '\n';
	case CHUNK_DATA_CR:
		f->state = CHUNK_DATA_LF;
		return c == '\r';
	case CHUNK_DATA_LF:
		f->state = CHUNK_SIZE;
		return c == '\n';
	case CHUNK_END_CR:
		f->state = CHUNK_END_LF;
		return c == '\r';
	case CHUNK_END_LF:
		f->done = true;
		return c == '\n';
	case CHUNK_DATA:
	default:
		return false;
	}
}

static size_t take_data(struct egress_http_framing *f, size_t have)
{
	size_t n = have < f->left ? have : (size_t)f->left;

	f->left -= n;
	return n;
}

enum egress_parse egress_http_framing_take(struct egress_http_framing *f, struct view in,
					   size_t *ret_n)
{
	size_t n = 0;

	*ret_n = 0;
	if (f->body == HTTP_BODY_LENGTH && !f->done) {
		n = take_data(f, in.len);
		f->done = f->left == 0;
	}
	while (f->body == HTTP_BODY_CHUNKED && !f->done && n < in.len) {
		if (f->state == CHUNK_DATA) {
			n += take_data(f, in.len - n);
			if (f->left == 0)
				f->state = CHUNK_DATA_CR;
			continue;
		}
		if (!chunk_step(f, in.ptr[n]))
			return EGRESS_BAD;
		n++;
	}
	*ret_n = n;
	return f->done ? EGRESS_DONE : EGRESS_MORE;
}

/* Servers are many and old: a line may end with a line feed alone here. What is passed on has one
 * form. */
static enum egress_parse take_answer_line(struct view *rest, struct view *ret)
{
	const char *end = view_chr(*rest, '\n');
	size_t n;

	if (!end)
		return EGRESS_MORE;
	n = (size_t)(end - rest->ptr);
	*ret = (struct view){rest->ptr, n && rest->ptr[n - 1] == '\r' ? n - 1 : n};
	*rest = (struct view){end + 1, rest->len - n - 1};
	return EGRESS_DONE;
}

/* "HTTP/1.x NNN text" */
static int answer_status(struct view line)
{
	int status = 0;

	if (line.len < 12 || memcmp(line.ptr, "HTTP/1.", 7) != 0 ||
	    (line.ptr[7] != '0' && line.ptr[7] != '1') || line.ptr[8] != ' ' ||
	    (line.len > 12 && line.ptr[12] != ' ') || !http_is_value(line))
		return -1;
	for (size_t i = 9; i < 12; i++) {
		if (line.ptr[i] < '0' || line.ptr[i] > '9')
			return -1;
		status = status * 10 + (line.ptr[i] - '0');
	}
	return status >= 100 ? status : -1;
}

static bool parse_answer_field(struct view line, struct egress_http_field *ret)
{
	const char *colon = view_chr(line, ':');

	if (!colon || !http_is_value(line))
		return false;
	ret->name = (struct view){line.ptr, (size_t)(colon - line.ptr)};
	ret->value = http_trim((struct view){colon + 1, line.len - ret->name.len - 1});
	return http_is_token(ret->name);
}

static bool parse_answer_fields(struct view *rest, struct egress_http_field *fields, size_t *ret_n)
{
	struct view line;

	*ret_n = 0;
	while (take_answer_line(rest, &line) == EGRESS_DONE) {
		if (line.len == 0)
			return true;
		if (*ret_n == MAX_EGRESS_FIELDS || !parse_answer_field(line, &fields[*ret_n]))
			return false;
		++*ret_n;
	}
	return false;
}

static bool has_whole_head(struct view in)
{
	struct view line;

	while (take_answer_line(&in, &line) == EGRESS_DONE)
		if (line.len == 0)
			return true;
	return false;
}

enum egress_parse egress_http_answer(struct view in, struct buf *out, size_t *ret_bytes,
				     bool *ret_final)
{
	struct egress_http_field fields[MAX_EGRESS_FIELDS];
	struct view rest = in, line;
	size_t n;
	int status;

	if (rest.len > MAX_EGRESS_REPLY_HEAD_BYTES)
		rest.len = MAX_EGRESS_REPLY_HEAD_BYTES;
	if (!has_whole_head(rest))
		return rest.len == MAX_EGRESS_REPLY_HEAD_BYTES ? EGRESS_BAD : EGRESS_MORE;
	if (take_answer_line(&rest, &line) != EGRESS_DONE)
		return EGRESS_BAD;
	status = answer_status(line);
	/* 101 would hand the connection to another protocol, for which nobody asked: Upgrade was
	 * dropped. */
	if (status < 0 || status == 101 || !parse_answer_fields(&rest, fields, &n))
		return EGRESS_BAD;
	*ret_final = status >= 200;
	(void)buf_put_view(out, line);
	(void)buf_puts(out, "\r\n");
	for (size_t i = 0; i < n; i++)
		if (!http_is_hop_by_hop(fields[i].name) && !is_named(fields, n, fields[i].name))
			put_field(out, &fields[i]);
	(void)buf_puts(out, *ret_final ? "Connection: close\r\n\r\n" : "\r\n");
	*ret_bytes = (size_t)(rest.ptr - in.ptr);
	return EGRESS_DONE;
}
