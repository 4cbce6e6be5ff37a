/* SPDX-License-Identifier: MIT */
/* Whole reads and writes, and care for the descriptor table. System. Tested by
 * tests/unit/base/t_io.c and t_errno.c. */
#include "base/base.h"

#include "base/io.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>
#ifdef __linux__
#include <dirent.h>
#endif

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

#ifdef __linux__
/* "123" of a folder entry, or -1. */
static int number_of(const char *name)
{
	long n = 0;

	if (!*name)
		return -1;
	for (; *name; name++) {
		if (*name < '0' || *name > '9' || n > INT_MAX / 10 - 1)
			return -1;
		n = n * 10 + (*name - '0');
	}
	return (int)n;
}

/* One pass over the list of open descriptors: closes what isn't kept. The number closed, -1 if the
 * list can't be read. */
static int close_listed(int list_fd, const int *keep, size_t n_keep)
{
	union {
		char bytes[4096];
		struct dirent64 align;
	} block;
	int closed = 0;

	if (lseek(list_fd, 0, SEEK_SET) < 0)
		return -1;
	for (;;) {
		long got = syscall(SYS_getdents64, list_fd, block.bytes, sizeof(block.bytes));

		if (got <= 0)
			return got < 0 ? -1 : closed;
		for (long at = 0; at < got;) {
			const struct dirent64 *d = (const void *)(block.bytes + at);
			int fd = number_of(d->d_name);

			at += d->d_reclen;
			if (fd < 0 || fd == list_fd || is_kept(fd, keep, n_keep))
				continue;
			(void)close(fd);
			closed++;
		}
	}
}

static bool close_by_list(const int *keep, size_t n_keep)
{
	auto_fd int list_fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOCTTY);
	int closed;

	if (list_fd < 0)
		return false;
	/* Closing while reading may hide entries from the pass: until one finds nothing. */
	for (int pass = 0; pass < MAX_FD_SWEEP; pass++) {
		closed = close_listed(list_fd, keep, n_keep);
		if (closed <= 0)
			return closed == 0;
	}
	return false;
}
#else
static bool close_by_list(const int *keep unused_arg, size_t n_keep unused_arg)
{
	return false;
}
#endif

void io_close_others(const int *keep, size_t n_keep)
{
	long limit;

	if (close_gaps(keep, n_keep) || close_by_list(keep, n_keep))
		return;
	limit = sysconf(_SC_OPEN_MAX);
	if (limit < 0 || limit > MAX_FD_SWEEP)
		limit = MAX_FD_SWEEP;
	for (int fd = 3; fd < limit; fd++)
		if (!is_kept(fd, keep, n_keep))
			(void)close(fd);
}
