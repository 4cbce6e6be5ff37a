/* SPDX-License-Identifier: MIT */
/*
 * Places where a test build can stop or fail (configure --enable-fault-hooks); nothing at all in
 * any other build. AGENTTEAMS_FAULT=NAME:N[:ACTION] acts on the Nth hit of the point NAME ("*": of
 * any point): kill (the default) ends the process with SIGKILL, eio and enospc make the step fail.
 * The variable is read once, before main runs, so that clearing the environment later doesn't
 * matter.
 */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include "base/base.h"

#ifdef FAULT_HOOKS
/* 0: go on. -1 with errno set: behave as if the step had failed that way. */
int fault_point(const char *name);
#else
static inline int fault_point(const char *name unused_arg)
{
	return 0;
}
#endif

#endif
