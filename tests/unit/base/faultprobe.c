/* SPDX-License-Identifier: MIT */
/* Started by t_fault: puts "new" under the name "f" of the folder argv[1]; prints the error code's
 * name. */
#include "base/base.h"

#include "base/atomicfile.h"
#include "base/pathfd.h"

int main(int argc, char **argv)
{
	struct errctx e = {0};
	int dir_fd = -1, code;

	if (argc != 2 || pathfd_open_root(argv[1], &dir_fd, &e) != 0)
		return 99;
	code = atomicfile_put(dir_fd, "f", VIEW("new"), 0600, COMMIT_REPLACE, &e);
	(void)close(dir_fd);
	return code == 0 ? 0 : 10 - code;
}
