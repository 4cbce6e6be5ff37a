/* SPDX-License-Identifier: MIT */
/*
 * What a run leaves and doesn't leave on the host (file 10, 18.7): placeholders, the overlay's
 * private folder, the after-run audit, and what earlier runs created. System.
 */
#ifndef LAUNCHER_AFTER_H
#define LAUNCHER_AFTER_H

#include "launcher/launch.h"

/* Before: refuses when something that an earlier run created wasn't confirmed; notes what is there;
 * makes placeholders and, for an overlay without --overlay-upper, a private folder; starts the
 * janitor that clears both should this process be killed. *work is the folder of the overlay (fd -1
 * without one). The plan is made anew when placeholders came in. */
int before_run(struct launch *l, struct object *work, int *ret_janitor_fd,
	       struct errctx *e) must_check;

/* After: removes what before_run made, lists what appeared and remembers it. With --changes prints
 * what the overlay holds, if the command was started. */
int after_run(struct launch *l, bool started, int janitor_fd, struct strings *appeared,
	      struct errctx *e) must_check;

/* Only removes what before_run made: nothing ran. */
void clear_run(struct launch *l, int janitor_fd);

/* ---- audit.c ---- */

/* Every trusted name that is there now, wanted or not. Sorted as found. */
int audit_list(const struct launch *l, struct strings *ret, struct errctx *e) must_check;

/* ---- audit_state.c: names that earlier runs created ---- */
extern const char audit_state_dir[]; /* below the home folder */
int audit_state_check(const struct launch *l, struct errctx *e) must_check;
int audit_state_remember(const struct launch *l, const struct strings *appeared,
			 struct errctx *e) must_check;

/* ---- placeholder.c ---- */
int placeholder_make(struct launch *l, struct errctx *e) must_check;
void placeholder_remove(struct launch *l);
/* Forks the janitor: when the returned descriptor closes without a byte, it removes the
 * placeholders and the private folder. */
int janitor_start(const struct launch *l, const char *private_dir, int *ret_fd,
		  struct errctx *e) must_check;
void janitor_tell_init(int fd, pid_t pid); /* stage 2, whose end it has to wait for */
void janitor_dismiss(int fd);

#endif
