/* SPDX-License-Identifier: MIT */
/*
 * SOCKS 5 as the egress proxy speaks it (RFC 1928, RFC 1929): CONNECT only, to names and addresses.
 * Each reader takes one message from the start of its input; EGRESS_MORE only while a longer input
 * could still be good. Pure.
 */
#ifndef LAUNCHER_EGRESS_SOCKS_H
#define LAUNCHER_EGRESS_SOCKS_H

#include "launcher/egress_http.h"

enum socks_method {
	SOCKS_METHOD_NONE = 0x00, /* no authentication */
	SOCKS_METHOD_PASSWORD = 0x02,
	SOCKS_METHOD_REFUSED = 0xff,
};

enum socks_reply {
	SOCKS_OK = 0,
	SOCKS_FAILED = 1,
	SOCKS_NOT_ALLOWED = 2, /* by a rule, or an address that is never connected to */
	SOCKS_NET_UNREACHABLE = 3,
	SOCKS_HOST_UNREACHABLE = 4, /* the name doesn't resolve, too */
	SOCKS_REFUSED = 5,
	SOCKS_TIMED_OUT = 6, /* "TTL expired" is the nearest that there is */
	SOCKS_BAD_COMMAND = 7,
	SOCKS_BAD_ADDRESS = 8,
};

/* The greeting: is `want` among the methods that the client offers? Then *ret_method is it, else
 * SOCKS_METHOD_REFUSED. */
enum egress_parse egress_socks_greeting(struct view in, enum socks_method want, size_t *ret_bytes,
					enum socks_method *ret_method) must_check;

/* User name and password: do they make this "user:secret"? */
enum egress_parse egress_socks_password(struct view in, const char *credential, size_t *ret_bytes,
					bool *ret_good) must_check;

/* The request. With EGRESS_BAD, *ret_reply says what to answer and *ret_why why. */
enum egress_parse egress_socks_request(struct view in, size_t *ret_bytes,
				       struct egress_host *ret_host, unsigned *ret_port,
				       enum socks_reply *ret_reply,
				       const char **ret_why) must_check;

/* Answer to a request: ten bytes; the address in it is always 0.0.0.0:0, where we connected from is
 * nobody's business inside. */
enum { SOCKS_REPLY_BYTES = 10 };
void egress_socks_reply(enum socks_reply reply, uint8_t out[SOCKS_REPLY_BYTES]);

#endif
