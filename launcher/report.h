/* SPDX-License-Identifier: MIT */
/* JSON lines on --report-fd (file 10, 18.14). A report that can't be written ends the run: the
 * caller relies on it. System. */
#ifndef LAUNCHER_REPORT_H
#define LAUNCHER_REPORT_H

#include "launcher/launch.h"

struct report_ready {
	int landlock_abi;
	unsigned seccomp_filters;
	const char *egress, *preset;
	size_t mounts;
};

struct report_exit {
	int status; /* of confine-run */
	int signal; /* 0: none */
	bool timed_out;
	bool started;
	unsigned survivors;
	const struct strings *appeared;
	const struct strings *denials; /* JSON objects */
};

/* fd -1: everything is a no-op. E_SYS, E_CLOSED. */
int report_refused(int fd, const char *event, const struct errctx *why) must_check;
int report_ready(int fd, const struct report_ready *r) must_check;
int report_exit(int fd, const struct report_exit *r) must_check;
int report_line(int fd, struct view line) must_check; /* a line made elsewhere, e.g. by the proxy */

#endif
