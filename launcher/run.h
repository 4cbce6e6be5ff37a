/* SPDX-License-Identifier: MIT */
/* The life of one sandbox after the checks: build, run, end, report (file 10, 18.4, states).
 * System. */
#ifndef LAUNCHER_RUN_H
#define LAUNCHER_RUN_H

#include "launcher/launch.h"

/* Nothing was started, said or reported: a socket that was to be hidden is gone by now, and with it
 * the place of its mask. The checks have to be made again. */
#define RUN_AGAIN (-1)

/* Returns the exit status of confine-run; messages and report lines are written. Or RUN_AGAIN.
 * command_umask: what the command gets. */
int run_command(struct launch *l, mode_t command_umask);

#endif
