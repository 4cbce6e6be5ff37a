/* SPDX-License-Identifier: MIT */
/* Whole reads and writes, and care for the descriptor table. System. Tested by
 * tests/unit/base/t_io.c and t_errno.c. */
#include "base/base.h"

#include "base/io.h"

#include "base/fdlist.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>

enum { READ_CHUNK = 8192 };

int io_write_all(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n > 0) {
		ssize_t done = io_retry(write(fd, p, n));

		if (done < 0)
			return errno == EPIPE ? E_CLOSED : E_SYS;
		if (done == 0) { /* no file does that; going on might never end */
			errno = EIO;
			return E_SYS;
		}
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

/* Is there at least one byte left? 1, 0 or E_SYS. */
static int more_to_read(int fd)
{
	char byte;
	ssize_t got = io_retry(read(fd, &byte, 1));

	return got < 0 ? E_SYS : got > 0;
}

int io_read_all(int fd, struct buf *b, size_t max)
{
	size_t left = max;

	while (left > 0 && b->len < b->max) {
		size_t want = b->cap > b->len + 1 ? b->cap - b->len - 1 : READ_CHUNK;
		char *room;
		ssize_t got;

		if (want > left)
			want = left;
		if (want > b->max - b->len)
			want = b->max - b->len;
		room = buf_reserve(b, want);
		if (!room)
			return buf_error(b);
		got = io_retry(read(fd, room, want));
		if (got < 0)
			return E_SYS;
		if (got == 0)
			return 0;
		buf_added(b, (size_t)got);
		left -= (size_t)got;
	}
	switch (more_to_read(fd)) {
	case 0:
		return 0;
	case 1:
		return E_TOOBIG;
	default:
		return E_SYS;
	}
}

int io_set_nonblock(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return E_SYS;
	if (on == ((flags & O_NONBLOCK) != 0))
		return 0;
	flags = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
	return fcntl(fd, F_SETFL, flags) < 0 ? E_SYS : 0;
}

int io_guard_std_fds(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		int got;

		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (errno != EBADF)
			return E_SYS;
		/* The kernel gives the lowest free number, and all below are taken by now. */
		got = io_retry(open("/dev/null", O_RDWR | O_NOCTTY));
		if (got != fd) {
			if (got >= 0)
				(void)close(got);
			return E_SYS;
		}
	}
	return 0;
}

static bool is_kept(int fd, const int *keep, size_t n_keep)
{
	for (size_t i = 0; i < n_keep; i++)
		if (keep[i] == fd)
			return true;
	return fd <= 2;
}

/* Lowest kept descriptor at or above from; INT_MAX if there is none. */
static int next_kept(int from, const int *keep, size_t n_keep)
{
	int lowest = INT_MAX;

	for (size_t i = 0; i < n_keep; i++)
		if (keep[i] >= from && keep[i] < lowest)
			lowest = keep[i];
	return lowest;
}

/* close_range for each gap between kept descriptors. False where the kernel or a filter lacks it.
 */
static bool close_gaps(const int *keep, size_t n_keep)
{
#ifdef SYS_close_range
	int from = 3;

	for (;;) {
		int kept = next_kept(from, keep, n_keep);
		unsigned last = kept == INT_MAX ? ~0U : (unsigned)kept - 1;

		if ((unsigned)from <= last && syscall(SYS_close_range, (unsigned)from, last, 0) < 0)
			return false;
		if (kept == INT_MAX)
			return true;
		from = kept + 1;
	}
#else
	(void)keep;
	(void)n_keep;
	return false;
#endif
}

struct keep_list {
	const int *fds;
	size_t n;
};

static bool close_unless_kept(int fd, void *arg)
{
	const struct keep_list *keep = arg;

	if (is_kept(fd, keep->fds, keep->n))
		return false;
	(void)close(fd);
	return true;
}

void io_close_others(const int *keep, size_t n_keep)
{
	struct keep_list list = {keep, n_keep};
	int closed = 1;

	if (close_gaps(keep, n_keep))
		return;
	/* Closing while reading may hide entries from a pass: until one finds nothing. */
	for (int pass = 0; closed > 0 && pass < MAX_FD_SWEEP; pass++)
		closed = fdlist_each(close_unless_kept, &list);
	if (closed == 0)
		return;
	for (int fd = 3; fd < fdlist_limit(); fd++)
		(void)close_unless_kept(fd, &list);
}
