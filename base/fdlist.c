/* SPDX-License-Identifier: MIT */
/* Lists the process's own descriptors. Reads /proc/self/fd. Tested by tests/unit/base/t_io.c and
 * t_proc.c. */
#include "base/base.h"

#include "base/fdlist.h"

#include "base/limits.h"

#include <fcntl.h>
#include <limits.h>
#ifdef __linux__
#include <dirent.h>
#include <sys/syscall.h>
#endif

#ifdef __linux__
/* "123" of a folder entry, or -1. */
static int number_of(const char *name)
{
	int n = 0;

	if (!*name)
		return -1;
	for (; *name; name++) {
		if (*name < '0' || *name > '9' || n > INT_MAX / 10 - 1)
			return -1;
		n = n * 10 + (*name - '0');
	}
	return n;
}

int fdlist_each(bool (*each)(int fd, void *arg), void *arg)
{
	auto_fd int list_fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOCTTY);
	union {
		char bytes[2048];
		struct dirent64 align;
	} block;
	int count = 0;

	if (list_fd < 0)
		return -1;
	for (;;) {
		long got = syscall(SYS_getdents64, list_fd, block.bytes, sizeof(block.bytes));

		if (got <= 0)
			return got < 0 ? -1 : count;
		for (long at = 0; at < got;) {
			const struct dirent64 *d = (const void *)(block.bytes + at);
			int fd = number_of(d->d_name);

			at += d->d_reclen;
			if (fd >= 0 && fd != list_fd && each(fd, arg))
				count++;
		}
	}
}
#else
int fdlist_each(bool (*each)(int fd, void *arg) unused_arg, void *arg unused_arg)
{
	return -1;
}
#endif

int fdlist_limit(void)
{
	long limit = sysconf(_SC_OPEN_MAX);

	return limit < 0 || limit > MAX_FD_SWEEP ? MAX_FD_SWEEP : (int)limit;
}
