/* SPDX-License-Identifier: MIT */
/* The guests' system call filters as programs in memory files (file 10, 18.9). */
#ifndef LAUNCHER_SECCOMP_H
#define LAUNCHER_SECCOMP_H

#include "base/err.h"

struct seccomp_choice {
	bool allow_list;  /* command preset: everything unknown answers ENOSYS */
	bool allow_debug; /* ptrace and its kin */
	bool no_unix;	  /* AF_UNIX refused */
	bool exec_list;	  /* memory files must not be executable */
};

enum { SECCOMP_PROGRAMS = 2 };

/* The argument filter and the deny or allow list, each a sealed memory file ready for bubblewrap.
 * E_SYS. */
int seccomp_build(const struct seccomp_choice *c, int ret_fds[SECCOMP_PROGRAMS],
		  struct errctx *e) must_check;

enum { SECCOMP_MAX_OBSERVED = 64 };
/* A program that reports the given calls to a listener and lets everything else through. E_TOOBIG,
 * E_SYS. */
int seccomp_build_observer(const int *calls, size_t n, int *ret_fd, struct errctx *e) must_check;

#endif
