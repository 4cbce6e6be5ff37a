/* SPDX-License-Identifier: MIT */
/*
 * A host as rules and requests name it: a name in one canonical spelling, or an address. Everything
 * that some resolver would read as an address in disguise ("2130706433", "0x7f.1", "127.1") is
 * refused, so that a name is always a name. Pure.
 */
#ifndef LAUNCHER_EGRESS_HOST_H
#define LAUNCHER_EGRESS_HOST_H

#include "base/view.h"

enum egress_host_kind {
	EGRESS_HOST_NAME = 1,
	EGRESS_HOST_IPV4,
	EGRESS_HOST_IPV6,
};

struct egress_host {
	enum egress_host_kind kind;
	char text[256];	  /* name: lower case, without a final dot; address: canonical, without
			     brackets */
	uint8_t addr[16]; /* network order, 4 or 16 bytes; zero for a name */
};

/* Letters, digits, hyphen and underscore in labels of 1 to 63, at most 253 in all; one final dot is
 * dropped. IPv4 only as four decimal numbers without leading zeros, IPv6 without a zone; brackets
 * are not part of v. E_SYNTAX, E_TOOBIG; *ret untouched then. */
int egress_host_parse(struct view v, struct egress_host *ret) must_check;

/* An address in network order (4 or 16 bytes). */
void egress_host_of_addr(const void *addr, size_t len, struct egress_host *ret);

/* "host", "host:port", "[v6]:port" as in a URL or a CONNECT request. A missing port becomes
 * default_port; with default_port 0 it is required. E_SYNTAX, E_TOOBIG, E_RANGE (port). */
int egress_authority_parse(struct view v, unsigned default_port, struct egress_host *ret_host,
			   unsigned *ret_port) must_check;

/* Decimal, 1 to 65535, no sign, no leading zero: E_SYNTAX, E_RANGE. */
int egress_port_parse(struct view v, unsigned *ret) must_check;

bool egress_host_same(const struct egress_host *a, const struct egress_host *b);

/* True if name is a proper subdomain of suffix ("a.b.c" of "b.c", never "b.c" itself). */
bool egress_host_beneath(const struct egress_host *name, const char *suffix);

#endif
