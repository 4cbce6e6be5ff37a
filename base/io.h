/* SPDX-License-Identifier: MIT */
/*
 * Whole reads and writes that survive EINTR and short counts. System.
 *
 * System calls: write; read; fcntl; io_guard_std_fds fcntl and openat; io_close_others close_range,
 * and only where that is missing openat, getdents64 and close.
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <errno.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"

/* The value of a call, made again while signals interrupt it; after MAX_INTERRUPTS in a row the
 * failure with EINTR stands. */
#define io_retry(call)                                                                             \
	__extension__({                                                                            \
		int left_ = MAX_INTERRUPTS;                                                        \
		__typeof__(call) result_;                                                          \
		do {                                                                               \
			result_ = (call);                                                          \
		} while (result_ < 0 && errno == EINTR && left_-- > 0);                            \
		result_;                                                                           \
	})

/* Writes all n bytes to a blocking descriptor: 0 or E_CLOSED (EPIPE), E_SYS. errno is set. The
 * caller ignores SIGPIPE. */
int io_write_all(int fd, const void *bytes, size_t n) must_check;

/* Appends the rest of fd to b, at most max bytes: E_TOOBIG when there is more (b then holds max
 * bytes), E_SYS (errno is set), E_NOMEM. */
int io_read_all(int fd, struct buf *b, size_t max) must_check;

int io_set_nonblock(int fd, bool on) must_check;

/* Points closed standard descriptors at /dev/null, so that no later open lands on 0, 1 or 2. E_SYS.
 */
int io_guard_std_fds(void) must_check;

/* Closes every descriptor of the process except 0, 1, 2 and those in keep (any order). */
void io_close_others(const int *keep, size_t n_keep);

#endif
