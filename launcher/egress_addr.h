/* SPDX-License-Identifier: MIT */
/*
 * What kind of address a name resolved to. Only a public one is ever connected to, whatever the
 * rules say (file 10, section 18.12): everything else leads to this host, its neighbours, or the
 * machinery of a cloud. Pure.
 */
#ifndef LAUNCHER_EGRESS_ADDR_H
#define LAUNCHER_EGRESS_ADDR_H

#include "base/view.h"

enum egress_addr_class {
	EGRESS_ADDR_NONE = 0, /* not an address; counts as a refusal */
	EGRESS_ADDR_UNSPECIFIED,
	EGRESS_ADDR_LOOPBACK,
	EGRESS_ADDR_METADATA,
	EGRESS_ADDR_LINK_LOCAL,
	EGRESS_ADDR_PRIVATE,
	EGRESS_ADDR_SHARED,
	EGRESS_ADDR_MULTICAST,
	EGRESS_ADDR_DOCUMENTATION,
	EGRESS_ADDR_BENCHMARK,
	EGRESS_ADDR_TRANSLATED,
	EGRESS_ADDR_RESERVED,
	EGRESS_ADDR_OWN, /* of this host itself; found by asking the kernel for a route, never by
			    this table */
	EGRESS_ADDR_PUBLIC = 0x5a, /* the only one that may be connected to */
};

/* addr in network order, len 4 or 16. A NAT64 address of the well-known prefix has the class of the
 * address in it. */
enum egress_addr_class egress_addr_class(const void *addr, size_t len);

/* "private", "cloud metadata" ...; never NULL. */
const char *egress_addr_class_name(enum egress_addr_class c);

struct egress_addr_row {
	const char *id;	    /* "EADDR_01" ... */
	const char *prefix; /* text form */
	unsigned bits;
	enum egress_addr_class class;
	const char *reason;
};
/* The table, for tests and manuals; within a family the first match decides. */
const struct egress_addr_row *egress_addr_rows(size_t *ret_n);

#endif
