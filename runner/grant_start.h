/* SPDX-License-Identifier: MIT */
/* Direct grants at the runner's start (file 24, 6.1): read, verified, pinned. System. */
#ifndef RUNNER_GRANT_START_H
#define RUNNER_GRANT_START_H

#include "runner/grant.h"
#include "runner/options.h"
#include "runner/pins.h"

/* A file that can't be used refuses the start; a bad record stays inactive and says why. */
int grants_load(const struct options *o, const struct brief *b, struct view root_path,
		struct pins *p, struct grant_set *ret, struct errctx *e) must_check;

#endif
