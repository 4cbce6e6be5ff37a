/* SPDX-License-Identifier: MIT */
/* What egress_start tells the proxy process, and what that says back. Both ends are this
 * executable. */
#ifndef LAUNCHER_EGRESS_WIRE_H
#define LAUNCHER_EGRESS_WIRE_H

#include "base/err.h"

enum {
	EGRESS_FD_START =
		3, /* sealed memory file: a struct egress_start_head, the credential, the rules */
	EGRESS_FD_CONTROL = 4,
	EGRESS_FD_REPORT = 5, /* absent without a report */
};

struct egress_start_head {
	char magic[8]; /* EGRESS_MAGIC */
	uint64_t byte_budget;
	uint32_t credential_len; /* 0: none */
	uint32_t rules_len;
	uint32_t has_report;
	uint32_t without_landlock;
};
#define EGRESS_MAGIC "egress1"

/* First message on the control socket: 0 for "confined and ready". */
struct egress_ready {
	int32_t code;
	char text[sizeof(((struct errctx *)0)->text)];
};

#endif
