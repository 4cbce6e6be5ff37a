/* SPDX-License-Identifier: MIT */
/*
 * The proxy's report: one JSON object a line (confine-run-egress(5)). "egress" says what was
 * decided, "egress-end" what an allowed connection carried. Pure: lines collect in a buffer that
 * the loop writes out.
 */
#ifndef LAUNCHER_EGRESS_LOG_H
#define LAUNCHER_EGRESS_LOG_H

#include "base/buf.h"
#include "launcher/egress_host.h"
#include "policy/policy.h"

enum egress_via {
	EGRESS_VIA_NONE = 0, /* not known: the request couldn't be read */
	EGRESS_VIA_HTTP,
	EGRESS_VIA_CONNECT,
	EGRESS_VIA_SOCKS,
};

struct egress_log {
	struct buf lines;
	int64_t (*wall_s)(void); /* NULL: the kernel's clock */
	bool off;		 /* nobody reads: nothing is collected */
};

struct egress_record {
	const char *event;
	uint64_t id;
	enum egress_via via;
	const struct egress_host *host; /* NULL: not known */
	unsigned port;
	enum verdict verdict;
	unsigned rule, line; /* 0: none */
	const char *address; /* NULL: none was connected to */
	const char *reason;  /* NULL: null */
	bool ended;	     /* the next three count */
	uint64_t up, down;
	int64_t ms;
};

void egress_log_init(struct egress_log *l, bool off);
void egress_log_release(struct egress_log *l);
/* Appends one line. A failure sticks in lines.error. */
void egress_log_add(struct egress_log *l, const struct egress_record *r);

#endif
