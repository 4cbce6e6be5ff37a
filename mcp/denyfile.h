/* SPDX-License-Identifier: MIT */
/* The operator's additions to the deny list: ~/.config/agentteams/deny.list. System. */
#ifndef MCP_DENYFILE_H
#define MCP_DENYFILE_H

#include "base/buf.h"
#include "base/err.h"
#include "policy/policy.h"

struct denyfile {
	struct buf text; /* the entries borrow from it */
	struct deny_entry *entries;
	size_t n;
};

/* Reads and parses it with the custody checks of file 21, section 17.3; root_fd: the project, where
 * it may not lie. No such file: no entries. Any doubt is an error, since a rule that can't be read
 * can't be kept. */
int denyfile_load(int root_fd, struct denyfile *ret, struct errctx *e) must_check;

#endif
