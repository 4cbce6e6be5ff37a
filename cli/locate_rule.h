/* SPDX-License-Identifier: MIT */
/* The rule about owners and modes, apart so that tests can hold it against made-up files. Pure. */
#ifndef CLI_LOCATE_RULE_H
#define CLI_LOCATE_RULE_H

#include <sys/stat.h>

#include "base/err.h"

/* own: agentteams itself; it: a program, or its folder. Group write is accepted only where the same
 * group can write agentteams too: that group could choose the program anyway. */
int locate_check(const struct stat *own, const struct stat *it, const char *name,
		 struct errctx *e) must_check;

#endif
