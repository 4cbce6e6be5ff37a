/* SPDX-License-Identifier: MIT */
/*
 * ClientHello reader. Every length must fit exactly; anything left over or given twice refuses.
 * Pure. Tested by tests/unit/launcher/t_egress_tls.c and tests/fuzz/fuzz_egress_tls.c.
 */
#include "base/base.h"

#include "launcher/egress_tls.h"

enum {
	RECORD_HEADER = 5,
	RECORD_HANDSHAKE = 22,
	RECORD_MAX = 16384, /* plain text of one record */
	CLIENT_HELLO = 1,
	EXT_SERVER_NAME = 0,
	EXT_ENCRYPTED_HELLO = 0xfe0d,
	NAME_TYPE_HOST = 0,
	MAX_EXTENSIONS = 128, /* browsers send about 20; bounds the search for duplicates */
};

struct reader {
	const uint8_t *p;
	size_t left;
	bool bad; /* a length didn't fit; everything after is zero */
};

static uint32_t take_number(struct reader *r, size_t bytes)
{
	uint32_t n = 0;

	if (r->bad || r->left < bytes) {
		r->bad = true;
		return 0;
	}
	for (size_t i = 0; i < bytes; i++)
		n = n << 8 | r->p[i];
	r->p += bytes;
	r->left -= bytes;
	return n;
}

/* A vector with a length of that many bytes in front. */
static struct reader take_vector(struct reader *r, size_t length_bytes)
{
	size_t n = take_number(r, length_bytes);
	struct reader v = {.p = r->p, .left = n};

	if (r->bad || r->left < n) {
		r->bad = true;
		return (struct reader){.bad = true};
	}
	r->p += n;
	r->left -= n;
	return v;
}

static enum egress_parse refuse(const char **why, const char *text)
{
	*why = text;
	return EGRESS_BAD;
}

static enum egress_parse read_server_name(struct reader ext, struct egress_hello *h,
					  const char **why)
{
	struct reader list = take_vector(&ext, 2), name;
	uint32_t type;

	if (ext.bad || ext.left || list.left == 0)
		return refuse(why, "bad server name extension");
	type = take_number(&list, 1);
	name = take_vector(&list, 2);
	/* The list has room for other kinds of names, of which none was ever defined, and for one
	 * of each. */
	if (list.bad || list.left || type != NAME_TYPE_HOST)
		return refuse(why, "bad server name extension");
	if (egress_host_parse((struct view){(const char *)name.p, name.left}, &h->name) ||
	    h->name.kind != EGRESS_HOST_NAME)
		return refuse(why, "server name is not a host name");
	h->has_name = true;
	return EGRESS_DONE;
}

static enum egress_parse read_extensions(struct reader all, struct egress_hello *h,
					 const char **why)
{
	uint32_t seen[MAX_EXTENSIONS];
	size_t n = 0;

	while (all.left) {
		uint32_t type = take_number(&all, 2);
		struct reader ext = take_vector(&all, 2);

		if (all.bad)
			return refuse(why, "bad extensions");
		for (size_t i = 0; i < n; i++)
			if (seen[i] == type)
				return refuse(why, "an extension is given twice");
		if (n == MAX_EXTENSIONS)
			return refuse(why, "too many extensions");
		seen[n++] = type;
		if (type == EXT_ENCRYPTED_HELLO)
			h->encrypted = true;
		if (type == EXT_SERVER_NAME && read_server_name(ext, h, why) != EGRESS_DONE)
			return EGRESS_BAD;
	}
	return EGRESS_DONE;
}

static enum egress_parse read_hello(struct reader r, struct egress_hello *h, const char **why)
{
	struct reader session, suites, compression, extensions;
	uint32_t version = take_number(&r, 2);

	if (version >> 8 != 3)
		return refuse(why, "not TLS");
	for (int i = 0; i < 8; i++)
		(void)take_number(&r, 4); /* random */
	session = take_vector(&r, 1);
	suites = take_vector(&r, 2);
	compression = take_vector(&r, 1);
	if (r.bad || session.left > 32 || suites.left == 0 || suites.left % 2 ||
	    compression.left == 0)
		return refuse(why, "bad ClientHello");
	if (r.left == 0)
		return EGRESS_DONE; /* an old client without extensions: no name */
	extensions = take_vector(&r, 2);
	if (r.bad || r.left)
		return refuse(why, "bad ClientHello");
	return read_extensions(extensions, h, why);
}

/* The handshake message as its records put it together. */
struct message {
	uint8_t body[MAX_EGRESS_HELLO_BYTES];
	size_t have;
};

/* Says how long the message is, once that is known; 0 before. */
static size_t message_size(const struct message *m)
{
	if (m->have < 4)
		return 0;
	return 4 + ((size_t)m->body[1] << 16 | (size_t)m->body[2] << 8 | m->body[3]);
}

/* Adds the record at the start of in. Each byte is judged as soon as it is there, so that no wrong
 * start is waited for. EGRESS_DONE: the record is complete and *ret_bytes long. */
static enum egress_parse add_record(struct message *m, struct view in, size_t *ret_bytes,
				    const char **why)
{
	const uint8_t *rec = (const uint8_t *)in.ptr;
	size_t len, part, size;

	if (in.len >= 1 && rec[0] != RECORD_HANDSHAKE)
		return refuse(why, "not a TLS handshake");
	if (in.len >= 2 && rec[1] != 3)
		return refuse(why, "not TLS");
	if (in.len < RECORD_HEADER)
		return EGRESS_MORE;
	len = (size_t)rec[3] << 8 | rec[4];
	if (len == 0 || len > RECORD_MAX)
		return refuse(why, "bad TLS record");
	if (m->have + len > sizeof(m->body))
		return refuse(why, "the ClientHello is too long");
	part = in.len - RECORD_HEADER < len ? in.len - RECORD_HEADER : len;
	memcpy(m->body + m->have, rec + RECORD_HEADER, part);
	m->have += part;
	if (m->have >= 1 && m->body[0] != CLIENT_HELLO)
		return refuse(why, "not a ClientHello");
	size = message_size(m);
	if (size > sizeof(m->body))
		return refuse(why, "the ClientHello is too long");
	if (size && m->have + (len - part) > size)
		return refuse(why, "more than a ClientHello in one record");
	*ret_bytes = RECORD_HEADER + len;
	return part == len ? EGRESS_DONE : EGRESS_MORE;
}

enum egress_parse egress_tls_hello(struct view in, struct egress_hello *ret, const char **ret_why)
{
	struct message m = {.have = 0};
	struct view rest = in;
	enum egress_parse p = EGRESS_DONE;

	do {
		size_t n = 0;

		p = add_record(&m, rest, &n, ret_why);
		if (p == EGRESS_DONE)
			rest = (struct view){rest.ptr + n, rest.len - n};
	} while (p == EGRESS_DONE && (message_size(&m) == 0 || m.have < message_size(&m)));
	if (p == EGRESS_MORE && in.len >= MAX_EGRESS_HELLO_BYTES)
		return refuse(ret_why, "the ClientHello is too long");
	if (p == EGRESS_DONE) {
		struct egress_hello h = {0};

		p = read_hello((struct reader){.p = m.body + 4, .left = m.have - 4}, &h, ret_why);
		if (p == EGRESS_DONE)
			*ret = h;
	}
	return p;
}
