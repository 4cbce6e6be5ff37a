/* SPDX-License-Identifier: MIT */
/*
 * Fault points of test builds. Kills its own process or makes one step fail, as the environment
 * says. Compiled only with --enable-fault-hooks. Tested by tests/unit/base/t_fault.c.
 */
#include "base/base.h"

#include "base/fault.h"

#include <errno.h>
#include <signal.h>

static struct {
	char name[64];
	unsigned long left; /* hits still to come before it acts; 0: off */
	int error;	    /* errno to fail with; 0: kill */
} fault;

/* A value that can't be read ends the program: a fault test that tests nothing must not pass. */
static noreturn_fn void refuse(void)
{
	static const char text[] = "AGENTTEAMS_FAULT: want NAME:N[:kill|:eio|:enospc]\n";

	(void)!write(2, text, sizeof(text) - 1);
	_exit(2);
}

static void read_environment(void) __attribute__((constructor));
static void read_environment(void)
{
	const char *text = getenv("AGENTTEAMS_FAULT");
	const char *colon = text ? strchr(text, ':') : NULL;
	char *end;

	if (!text || !*text)
		return;
	if (!colon || colon == text || (size_t)(colon - text) >= sizeof(fault.name))
		refuse();
	memcpy(fault.name, text, (size_t)(colon - text));
	fault.left = strtoul(colon + 1, &end, 10);
	if (end == colon + 1 || fault.left == 0)
		refuse();
	if (strcmp(end, ":eio") == 0)
		fault.error = EIO;
	else if (strcmp(end, ":enospc") == 0)
		fault.error = ENOSPC;
	else if (*end && strcmp(end, ":kill") != 0)
		refuse();
}

int fault_point(const char *name)
{
	if (!fault.left || (strcmp(fault.name, "*") != 0 && strcmp(fault.name, name) != 0))
		return 0;
	if (--fault.left > 0)
		return 0;
	if (fault.error) {
		errno = fault.error;
		return -1;
	}
	(void)raise(SIGKILL); /* by tgkill, which the filters of test builds let through */
	abort();
}
