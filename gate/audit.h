/* SPDX-License-Identifier: MIT */
/* One line of JSON for each ask and denial, appended to the operator's log. System. */
#ifndef GATE_AUDIT_H
#define GATE_AUDIT_H

#include "gate/decide.h"
#include "gate/event.h"

/* Opens the log (absolute path) for appending: a regular file of the user or root, no link. E_LINK,
 * E_NOTREG, E_OWNER, E_SYS. */
int audit_open(const char *path, int *ret_fd, struct errctx *e) must_check;
/* Appends the line in one write; E_SYS, E_NOMEM. */
int audit_write(int fd, int64_t now, const struct event *ev, struct view command,
		const struct answer *a, struct errctx *e) must_check;

#endif
