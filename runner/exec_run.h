/* SPDX-License-Identifier: MIT */
/* What a run in the boundary and one without share; private to exec_run.c and exec_bare.c. */
#ifndef RUNNER_EXEC_RUN_H
#define RUNNER_EXEC_RUN_H

#include "base/limits.h"
#include "runner/exec.h"

enum { WATCH_MS = 200, N_ENV = 12 };

struct env_texts {
	char room[N_ENV][MAX_PATH_BYTES + 32];
	char *env[N_ENV + 1]; /* NULL-ended */
	size_t n;
};
void exec_add_env(struct env_texts *t, const char *name, const char *value);
void exec_fill_env(struct env_texts *t, const struct exec_plan *p);

/* The words to execute, a gate's with its candidate and path in place; NULL: no memory. */
char **exec_words(const struct starter_request *q, const struct exec_plan *p, const char *candidate,
		  struct errctx *e) must_check;
void exec_words_free(char **argv);
/* The content as a sealed file: read as often as wanted, changed by nobody. */
int exec_stdin(struct view content, int *ret_fd, struct errctx *e) must_check;
/* Two pipes; [0] read ends. */
int exec_pipes(int out[2], int err[2], struct errctx *e) must_check;
void exec_take_output(int *fd, struct capture *c); /* closes it at its end */
bool exec_disk_is_full(const struct starter_config *c);

/* exec_bare.c: without a boundary, for the opt-out alone. candidate: "" for a command. */
int exec_bare(const struct starter_config *c, const struct starter_request *q,
	      const struct exec_plan *p, const char *candidate, struct exec_done *ret,
	      struct errctx *e) must_check;

#endif
