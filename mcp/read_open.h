/* SPDX-License-Identifier: MIT */
/*
 * The path check of read_file_hashed: from a requested path to an open descriptor that may be read,
 * or a refusal (file 20, section 7; file 00, D3). Requested, resolved and opened name are each held
 * against the deny list.
 */
#ifndef MCP_READ_OPEN_H
#define MCP_READ_OPEN_H

#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/view.h"
#include "policy/policy.h"

struct read_root {
	int fd;
	const struct deny_entry *extra; /* the operator's own entries */
	size_t n_extra;
	struct buf name; /* what the kernel called fd when it was last asked; may be empty */
};

/* path: NUL-ended, passed pathstr_check_relative. 0 and an open regular file with what fstat said
 * of it; E_NOENT: no such file, and it would be readable if it existed; E_DENIED: a rule refused,
 * named in the context; E_OUTSIDE, E_LINK, E_NOTREG, E_HARDLINK, E_CHANGED, E_SYS ... The context
 * never holds anything of the file. */
int read_open(struct read_root *root, struct view path, int *ret_fd, struct stat *ret_stat,
	      struct errctx *e) must_check;

#endif
