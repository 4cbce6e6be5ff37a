/* SPDX-License-Identifier: MIT */
/*
 * The path check of read_file_hashed: from a requested path to an open descriptor that may be read,
 * or a refusal (file 20, section 7; file 00, D3). Requested, resolved and opened name are each held
 * against the deny list.
 */
#ifndef MCP_READ_OPEN_H
#define MCP_READ_OPEN_H

#include <sys/stat.h>

#include "base/err.h"
#include "base/view.h"
#include "policy/policy.h"

/* path: NUL-ended, passed pathstr_check_relative. 0 and an open regular file with what fstat said
 * of it; E_NOENT: no such file, and it would be readable if it existed; E_DENIED: a rule refused,
 * named in the context; E_OUTSIDE, E_LINK, E_NOTREG, E_HARDLINK, E_CHANGED, E_SYS ... The context
 * never holds anything of the file. */
int read_open(int root_fd, struct view path, const struct deny_entry *extra, size_t n_extra,
	      int *ret_fd, struct stat *ret_stat, struct errctx *e) must_check;

#endif
