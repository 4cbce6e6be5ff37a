/* SPDX-License-Identifier: MIT */
/* The life of one sandbox after the checks: build, run, end, report (file 10, 18.4, states).
 * System. */
#ifndef LAUNCHER_RUN_H
#define LAUNCHER_RUN_H

#include "launcher/launch.h"

/* Returns the exit status of confine-run; messages and report lines are written. command_umask:
 * what the command gets. */
int run_command(struct launch *l, mode_t command_umask);

#endif
