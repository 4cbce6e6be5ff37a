/* SPDX-License-Identifier: MIT */
/*
 * HTTP/1 as the egress proxy speaks it: request heads (CONNECT, absolute form, and origin form
 * inside a tunnel), body framing, and the head of an answer. Strict, because two readers of one
 * message must not disagree about where it ends or whom it is for (RFC 9112, sections 3.2, 6
 * and 11.2): one spelling of everything, no folding, no bare line feed, one length, one host. Pure;
 * no allocation but for struct buf.
 */
#ifndef LAUNCHER_EGRESS_HTTP_H
#define LAUNCHER_EGRESS_HTTP_H

#include "base/buf.h"
#include "base/limits.h"
#include "launcher/egress_host.h"

enum egress_parse {
	EGRESS_MORE = 0, /* bytes are missing */
	EGRESS_DONE,
	EGRESS_BAD,
};

struct egress_refusal {
	int status;	    /* HTTP status for the client: 400, 403, 405, 407, 431, 501, 505 */
	const char *reason; /* static text */
};

enum egress_http_form {
	HTTP_FORM_PROXY = 1, /* from a client that speaks to a proxy: CONNECT or http:// */
	HTTP_FORM_ORIGIN,    /* inside a tunnel: a path, and a Host */
};

enum egress_http_body {
	HTTP_BODY_NONE = 1,
	HTTP_BODY_LENGTH,
	HTTP_BODY_CHUNKED,
};

struct egress_http_field {
	struct view name, value; /* borrowed; the value without blanks around it */
};

struct egress_http_head {
	size_t bytes; /* of the head with its empty line */
	bool connect;
	struct view method;
	struct egress_host host; /* whom it is for */
	unsigned port;
	struct view target; /* what follows the authority, to be sent to the server; "" stands for
			       "/" */
	unsigned minor;	    /* HTTP/1.minor of the client */
	enum egress_http_body body;
	uint64_t length;
	struct view credentials; /* Proxy-Authorization, or empty */
	struct egress_http_field fields[MAX_EGRESS_FIELDS];
	size_t n_fields;
};

/* Reads one head from the start of in. With EGRESS_BAD *ret_why is filled and the connection is of
 * no further use. Views point into in. EGRESS_MORE only while a longer input could still be good.
 */
enum egress_parse egress_http_parse(struct view in, enum egress_http_form form,
				    struct egress_http_head *ret,
				    struct egress_refusal *ret_why) must_check;

/* Writes the head for the server: origin form, our own Host, "Connection: close", hop-by-hop fields
 * dropped. The buffer's error says whether it fitted. */
void egress_http_emit(const struct egress_http_head *h, struct buf *out);

/* Does Proxy-Authorization show exactly this "user:secret"? Takes the same time for every wrong
 * one. */
bool egress_http_authorized(const struct egress_http_head *h, const char *credential);

/* Where a request's body ends. */
struct egress_http_framing {
	enum egress_http_body body;
	uint64_t left; /* of the body, or of the present chunk */
	int state;
	bool done;
};
void egress_http_framing_init(struct egress_http_framing *f, const struct egress_http_head *h);
/* How many of the bytes in `in` belong to the request (they are to be sent as they are); sets done.
 * EGRESS_BAD at the first byte that doesn't follow the grammar: chunk extensions and trailers are
 * refused. */
enum egress_parse egress_http_framing_take(struct egress_http_framing *f, struct view in,
					   size_t *ret_n) must_check;

/* Reads one head of an answer from the start of in and appends it to out, as the client gets it:
 * hop-by-hop fields dropped and, for a final answer, "Connection: close" added. *ret_bytes:
 * consumed; *ret_final: no interim answer (1xx). EGRESS_BAD: nothing that may be passed on, nothing
 * was appended. */
enum egress_parse egress_http_answer(struct view in, struct buf *out, size_t *ret_bytes,
				     bool *ret_final) must_check;

/* Could these first bytes of a tunnel be an HTTP/1 request (a method name in capitals and a blank)?
 */
enum egress_parse egress_http_looks(struct view in) must_check;

#endif
