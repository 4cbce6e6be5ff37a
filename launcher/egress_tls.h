/* SPDX-License-Identifier: MIT */
/*
 * The server name of a TLS ClientHello (RFC 8446, section 4.1.2; RFC 6066, section 3), read before
 * anything of a tunnel is passed on. Bounded by MAX_EGRESS_HELLO_BYTES; a hello may be spread over
 * any number of records. Pure.
 */
#ifndef LAUNCHER_EGRESS_TLS_H
#define LAUNCHER_EGRESS_TLS_H

#include "launcher/egress_http.h"

struct egress_hello {
	bool has_name;
	struct egress_host name; /* always EGRESS_HOST_NAME */
	bool encrypted; /* carries an encrypted inner hello, or pretends to (draft-ietf-tls-esni):
			   the name that we see is then the outer one */
};

/* Reads the hello at the start of in. EGRESS_MORE only while a longer input could still be good.
 * EGRESS_BAD with *ret_why: no ClientHello, or one that two readers could read in two ways. */
enum egress_parse egress_tls_hello(struct view in, struct egress_hello *ret,
				   const char **ret_why) must_check;

#endif
