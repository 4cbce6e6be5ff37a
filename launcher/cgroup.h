/* SPDX-License-Identifier: MIT */
/*
 * Limits for everything inside together (file 10, 18.11): a cgroup v2 below our own, where the host
 * delegates that. Otherwise an honest refusal; never a silent no-op. System.
 */
#ifndef LAUNCHER_CGROUP_H
#define LAUNCHER_CGROUP_H

#include <sys/types.h>

#include "base/err.h"

/* memory_bytes, pids: 0 for none. *ret_fd: the new group's folder. E_UNSUPPORTED with the reason
 * and what to do. */
int cgroup_make(uint64_t memory_bytes, uint64_t pids, int *ret_fd, struct errctx *e) must_check;
/* Moves bubblewrap and (by its pid descriptor) stage 2 into it. */
int cgroup_enter(int fd, pid_t bwrap, int init_pid_fd, struct errctx *e) must_check;
/* Removes the group (its processes are gone) and closes fd. */
void cgroup_remove(int fd);

/* For preflight: what stands in the way; NULL when limits can be set. Static text. */
const char *cgroup_blocked_by(void);

#endif
