/* SPDX-License-Identifier: MIT */
/* Landlock for guests (file 10, 18.10): second layer for writes, and the program allowlist. System.
 */
#ifndef LAUNCHER_LANDLOCK_H
#define LAUNCHER_LANDLOCK_H

#include "base/err.h"

/* Newest ABI the kernel offers, 0 for none. */
int landlock_abi(void);

enum landlock_use {
	LANDLOCK_WRITE = 1, /* every write-class right beneath a folder, or on a file */
	LANDLOCK_DEVICE,    /* write and ioctl on a device node, or on those beneath a folder */
	LANDLOCK_EXECUTE,
};

/* A ruleset that handles every write-class right that the ABI knows (and execution, with
 * exec_list). E_UNSUPPORTED, E_SYS. */
int landlock_begin(int abi, bool exec_list, int *ret_fd, struct errctx *e) must_check;
/* path is opened here; a missing one is E_NOENT. */
int landlock_allow(int ruleset_fd, int abi, const char *path, enum landlock_use use,
		   struct errctx *e) must_check;
/* Applies it to the calling process; it needs no_new_privs. */
int landlock_apply(int ruleset_fd, struct errctx *e) must_check;

/* One more domain for the calling process: no signals to, and no abstract sockets of, processes
 * outside it. Does nothing (0) below ABI 6. */
int landlock_scope(int abi, struct errctx *e) must_check;

#endif
