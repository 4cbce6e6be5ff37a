/* SPDX-License-Identifier: MIT */
/* What was refused, by which layer and rule: --explain. System. */
#ifndef LAUNCHER_EXPLAIN_H
#define LAUNCHER_EXPLAIN_H

#include "base/base.h"

struct run;

/* Numbers of the calls that are watched; returns how many were written. */
size_t explain_calls(int *out, size_t max);

/* One notification of the observer: looks at what the call names, and lets it go on. */
void explain_serve(struct run *r);

/* After a run that failed: prints the refusals that were seen, and what can't be known. */
void explain_run(struct run *r);

#endif
