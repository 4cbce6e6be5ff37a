/* SPDX-License-Identifier: MIT */
/*
 * Asks the kernel with a file that is root's on every host. Reads two files of /proc; answers 0 on
 * any doubt. Tested by tests/unit/base/t_custody.c.
 */
#include "base/base.h"

#include "base/rootid.h"

#include "base/io.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

enum { MAX_TEXT = 64 }; /* of these files, a line or two */

static bool read_small(const char *path, char text[MAX_TEXT], uid_t *ret_owner)
{
	auto_fd int fd = io_retry(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	n = io_retry(read(fd, text, MAX_TEXT - 1));
	if (n <= 0 || n == MAX_TEXT - 1)
		return false;
	text[n] = 0;
	*ret_owner = st.st_uid;
	return true;
}

/* One line that maps one id: what the kernel lets an ordinary user write. With more of them the
 * overflow id may be a user of this namespace. */
static bool maps_one_id(const char *map)
{
	size_t n = strlen(map);

	return n >= 3 && memcmp(map + n - 3, " 1\n", 3) == 0 && strchr(map, '\n') == map + n - 1;
}

uid_t rootid_shown(void)
{
	char text[MAX_TEXT], wanted[MAX_TEXT];
	uid_t owner, self;

	if (!read_small("/proc/sys/kernel/overflowuid", text, &owner) || owner == 0)
		return 0;
	(void)snprintf(wanted, sizeof(wanted), "%u\n", (unsigned)owner);
	if (strcmp(text, wanted) != 0)
		return 0;
	return read_small("/proc/self/uid_map", text, &self) && maps_one_id(text) ? owner : 0;
}
