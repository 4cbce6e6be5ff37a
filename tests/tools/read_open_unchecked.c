/* SPDX-License-Identifier: MIT */
/* read_open without any check: linked in its place into a test build of the server, it shows what
 * the kernel alone refuses. */
#include "base/base.h"

#include "mcp/read_open.h"

#include <fcntl.h>

int read_open(struct read_root *root, struct view path, int *ret_fd, struct stat *ret_stat,
	      struct errctx *e)
{
	int fd = openat(root->fd, path.ptr, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, ret_stat) < 0)
		return err_sys(e, "open");
	*ret_fd = fd;
	return 0;
}
