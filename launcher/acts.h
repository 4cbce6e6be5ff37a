/* SPDX-License-Identifier: MIT */
/*
 * Forbidden acts, one by one: selftest and the tests in tests/escape/ try each outside (where it
 * has to work, or the test proves nothing) and inside (where it has to fail). System.
 */
#ifndef LAUNCHER_ACTS_H
#define LAUNCHER_ACTS_H

#include "base/base.h"

/* "confine-run selftest-act NAME [ARG]..." */
#define ACT_MODE "selftest-act"

enum act_status {
	ACT_DONE = 0,	 /* the act worked */
	ACT_REFUSED = 1, /* it failed; the reason is on standard output */
	ACT_USAGE = 2,
	ACT_ABSENT = 3, /* this kernel doesn't offer it at all */
};

/* argv[1] is the mode word, argv[2] the act. Returns an act_status; a filter may kill instead. */
int acts_main(int argc, char **argv);

/* One act by name; prints "NAME: done" or "NAME: refused (text)". */
int act_try(const char *name, int argc, char **argv);

#endif
