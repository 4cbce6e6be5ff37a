/* SPDX-License-Identifier: MIT */
/* What main.c calls: the few things that agentteams does by itself. Each returns an exit status. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/base.h"

enum cli_exit {
	CLI_OK = 0,
	CLI_REFUSED = 1, /* the thing looked at isn't as it should be, or output failed */
	CLI_USAGE = 2,
};

int cli_help(void);
int cli_version(void);

/* argv[0] is the word "policy". */
int cli_policy(int argc, char *const *argv);

/* argv[0] is the word "check-deny". */
int cli_check_deny(int argc, char *const *argv);

/* Flushes standard output; CLI_REFUSED (with a message) if anything could not be written. */
int cli_finish_output(void);

#endif
