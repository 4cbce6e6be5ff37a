/* SPDX-License-Identifier: MIT */
/* What keeper and engine give up before they hear their first byte (file 00, D8): files by
 * Landlock, system calls by seccomp. System. */
#ifndef RUNNER_CONFINE_RUNNER_H
#define RUNNER_CONFINE_RUNNER_H

#include "runner/dirs.h"
#include "runner/pins.h"

/* Keeper: after its files are open. It may make files in the two folders and read nothing else; no
 * process, no socket, no program. */
int confine_keeper(int state_dir_fd, int anchor_dir_fd, struct errctx *e) must_check;

/* Engine: the project read-write, the folders of the pinned files and of the command's overlay
 * (run_dir_fd, -1: none) read-only; not the key folder, no
 * program, no network socket. *ret_full: files and calls are both confined (a kernel without
 * Landlock leaves the calls). */
int confine_engine(const struct dirs *d, const struct pins *p, int run_dir_fd, bool *ret_full,
		   struct errctx *e) must_check;

/* The installed MCP server, or the one beside this program in a build tree; NULL: none. The caller
 * frees it. */
char *installed_server(void);

#endif
