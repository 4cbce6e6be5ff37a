/* SPDX-License-Identifier: MIT */
/* Modes of confine-run that confine nothing; each returns an exit status. System. */
#ifndef LAUNCHER_MAIN_MODES_H
#define LAUNCHER_MAIN_MODES_H

#include "base/base.h"

int main_help(void);
int main_version(void);
int main_rules(void);	       /* --print-rules */
int main_preflight(bool json); /* preflight.c */
int main_selftest(bool json);  /* selftest.c */

/* What a mode returns when its answer can't be printed (a full disk): says so, EXIT_NOT_BUILT. */
int main_unwritten(void);

#endif
