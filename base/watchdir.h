/* SPDX-License-Identifier: MIT */
/* Watching a folder that is held open. Linux (inotify); header only. */
#ifndef BASE_WATCHDIR_H
#define BASE_WATCHDIR_H

#include "base/base.h"

#include <stdio.h>
#include <sys/inotify.h>

/* inotify_add_watch of the folder itself: by its name, another could stand there by now. Returns
 * the watch, or -1 with errno. */
static inline int watchdir_add(int inotify_fd, int dir_fd, uint32_t events)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", dir_fd);
	return inotify_add_watch(inotify_fd, path, events | IN_ONLYDIR);
}

#endif
