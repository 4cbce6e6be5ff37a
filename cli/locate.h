/* SPDX-License-Identifier: MIT */
/*
 * Finds the program that serves a mode: in the folder fixed at configure time, or, for a copy of
 * agentteams that doesn't stand in its installed place, beside it. Never by PATH, the working
 * folder or the environment. System.
 */
#ifndef CLI_LOCATE_H
#define CLI_LOCATE_H

#include "base/err.h"
#include "cli/modes.h"

/*
 * Opens the program's file (O_PATH) for execution by descriptor. It must be a regular file that
 * belongs to root or to the owner of agentteams itself, in a folder of which the same is true, and
 * nobody may be able to write either who couldn't also replace agentteams: else E_OWNER, E_MODE,
 * E_NOTREG, E_LINK. E_NOENT: it isn't part of this build.
 */
int locate_program(enum program p, int *ret_fd, struct errctx *e) must_check;

#endif
