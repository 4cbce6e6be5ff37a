/* SPDX-License-Identifier: MIT */
/* The two starters, as the supervisor keeps them: one for the command at work, one for gates, which
 * are judged meanwhile. System. */
#ifndef RUNNER_STARTERS_H
#define RUNNER_STARTERS_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "runner/brief.h"
#include "runner/exec.h"

enum { STARTER_COMMANDS, STARTER_GATES, N_STARTERS };

struct starters {
	pid_t pid[N_STARTERS];	    /* -1: none */
	int run_dir_fd[N_STARTERS]; /* where overlays lie; -1: none, nothing is ever started */
	struct buf run_path[N_STARTERS];
	enum starter_way way; /* found once; the same for every start of the starters */
	char why[384];	      /* why no better one */
};

void starters_init(struct starters *s);
void starters_release(struct starters *s);

/* Opens the folders, in the user's cache: overlays may be large and must not be in the project.
 * Without them the service works but starts nothing; that is said once. */
void starters_open(struct starters *s, struct view root_path);

/* Tries what this host gives, and says so once where it isn't everything. */
void starters_try(struct starters *s, int root_fd, const char *root_path,
		  const struct brief *brief);

/* Forks them. fd: the engine's ends; -1 where there is no folder. The children never return. */
int starters_start(struct starters *s, int root_fd, const char *root_path,
		   const struct brief *brief, int fd[N_STARTERS], struct errctx *e) must_check;
bool starters_are(struct starters *s, pid_t pid); /* a child that ended; forgets it */

#endif
