/* SPDX-License-Identifier: MIT */
/* The runner's service: start order, the two processes, and their supervisor. */
#ifndef RUNNER_SERVE_H
#define RUNNER_SERVE_H

#include "runner/options.h"

/* Serves until it is stopped; returns the exit status. */
int serve_requests(const struct options *o);

#endif
