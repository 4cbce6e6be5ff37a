/* SPDX-License-Identifier: MIT */
/* Privileges of the caller and the bubblewrap of the host. System. */
#ifndef LAUNCHER_HOST_H
#define LAUNCHER_HOST_H

#include "base/err.h"

struct host_bwrap {
	int fd;	      /* open program, to be executed as it was inspected */
	bool bind_fd; /* has --bind-fd and --ro-bind-fd */
	bool overlay; /* has overlay options of its own */
};

/* Drops every capability for good, the bounding set too where allowed. E_DENIED when real and
 * effective ids differ; E_SYS. */
int host_drop_capabilities(struct errctx *e) must_check;

/* E_NOENT (with an install hint), E_NOTREG, E_OWNER, E_UNSUPPORTED (too old, setuid, or another
 * program), E_TOOBIG, E_SYS. */
int host_inspect_bwrap(const char *path, struct host_bwrap *ret, struct errctx *e) must_check;

#endif
