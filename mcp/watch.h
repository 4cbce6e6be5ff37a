/* SPDX-License-Identifier: MIT */
/* Waking up when a result file appears (file 00, D4). Without it the loop polls. System. */
#ifndef MCP_WATCH_H
#define MCP_WATCH_H

#include "base/base.h"

struct watch {
	int fd;	      /* poll it for input; -1: this system has no such thing */
	int watching; /* -1: not watching now */
};

void watch_init(struct watch *w);
void watch_release(struct watch *w);

/* Begins to watch the result folder below root_fd, if it isn't watched already; no effect if that
 * is impossible. */
void watch_begin(struct watch *w, int root_fd);
void watch_end(struct watch *w);

/* Takes the events; a watched folder that was moved or removed is watched no longer. */
void watch_drain(struct watch *w);

#endif
