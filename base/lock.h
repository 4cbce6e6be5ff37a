/* SPDX-License-Identifier: MIT */
/*
 * Lock files: flock on an inode that is never replaced or removed (file 21, section 7). The
 * kernel's lock decides, never the content. System.
 *
 * A probe holds a shared lock for an instant. Taking therefore waits, up to MAX_LOCK_PROBED_MS,
 * while none but shared locks are in its way; a holder makes it busy at once. System calls: openat,
 * fstat (newfstatat), flock, newfstatat, close; clock_nanosleep while waiting.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include "base/err.h"

/* Opens (creates 0600, no-follow, close-on-exec) name, one component, in dir_fd and takes an
 * exclusive lock without waiting for another holder: it is held until *ret_fd is closed. E_BUSY,
 * E_LINK, E_NOTREG, E_SYS. After locking it checks that the name still leads to the locked inode;
 * if not, once more from the start, then E_CHANGED. */
int lock_take(int dir_fd, const char *name, int *ret_fd, struct errctx *e) must_check;

/* The same, waiting up to timeout_ms (file 22's dispatches.lock): E_TIMEOUT. */
int lock_wait(int dir_fd, const char *name, int timeout_ms, int *ret_fd,
	      struct errctx *e) must_check;

/* Is somebody holding it? Opens read-only and tries a shared lock: *ret_held. A missing file is
 * "not held". E_LINK, E_NOTREG, E_SYS. */
int lock_probe(int dir_fd, const char *name, bool *ret_held, struct errctx *e) must_check;

#endif
