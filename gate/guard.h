/* SPDX-License-Identifier: MIT */
/*
 * How the hook ends when something goes wrong: by the fail mode, whatever happened (file 40,
 * section 12.2). Closed: exit 2, which blocks the call in every client. Open: exit 0 with a
 * message, so that the call runs. Limits on memory and time are set here; fatal signals end the
 * same way. System.
 */
#ifndef GATE_GUARD_H
#define GATE_GUARD_H

#include "base/base.h"

enum fail_mode { FAIL_CLOSED, FAIL_OPEN };

enum { EXIT_PASS = 0, EXIT_BLOCK = 2 };

/* Limits, an alternate stack, handlers. Before anything is read. */
void guard_start(enum fail_mode mode);
/* From here on the decision's own time counts: less than a tenth of a second of processor time. */
void guard_decide(void);
/* Leaves by the mode. One line on standard error, escaped; what (may be NULL) names the thing. */
noreturn_fn void guard_fail(const char *why, const char *what);
/* A filter on system calls: read, write and memory only. No new files, sockets, programs. Does
 * nothing where the kernel can't, and in instrumented builds. */
void guard_lockdown(void);

#endif
