/* SPDX-License-Identifier: MIT */
/* The operator's confined file (file 21, 17.3): --confined-path and --install-confined. System. */
#ifndef RUNNER_CONFINED_FILE_H
#define RUNNER_CONFINED_FILE_H

#include "base/err.h"
#include "runner/options.h"

/* Each returns the exit status. */
int verb_confined_path(const struct options *o);
int verb_install_confined(const struct options *o);
/* After a start that failed because the file is out of date: the command that renews it. */
void confined_hint(const struct options *o, const struct errctx *why);

#endif
