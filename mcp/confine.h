/* SPDX-License-Identifier: MIT */
/* What the server gives up before it reads its first byte (file 00, D6). System. */
#ifndef MCP_CONFINE_H
#define MCP_CONFINE_H

#include "base/err.h"

/* Confines this process to reading below root_fd and, if it queues, to creating files in the two
 * queue folders. Where those don't exist at this moment, creating is allowed below root_fd until
 * server_confine_narrow() finds them. Says on standard error what the kernel can't enforce. An
 * error means: don't serve. */
int server_confine(int root_fd, bool queues, struct errctx *e) must_check;

/* Narrows as soon as that is possible; cheap and harmless to call again. */
void server_confine_narrow(int root_fd);

#endif
