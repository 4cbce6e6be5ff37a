/* SPDX-License-Identifier: MIT */
/* The proxy's event loop. System. */
#ifndef LAUNCHER_EGRESS_LOOP_H
#define LAUNCHER_EGRESS_LOOP_H

#include "launcher/egress_conn.h"

struct egress_loop_start {
	const struct egress_rules *rules;
	const char *credential; /* NULL: none */
	uint64_t byte_budget;	/* 0: none */
	int control_fd;		/* listeners come in here; its end is the end of the run */
	int report_fd;		/* -1: no report */
	int resolver_fd;
};

/* Serves until the control socket ends: 0. E_CLOSED: the report's reader is gone; E_SYS, E_SYNTAX
 * (a resolver or the control socket talks nonsense), E_NOMEM. Owns none of the descriptors. */
int egress_loop_run(const struct egress_loop_start *start, struct errctx *e) must_check;

#endif
