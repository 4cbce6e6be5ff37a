/* SPDX-License-Identifier: MIT */
/* --version: what was built, and what this host can enforce now. No dates, no host names. */
#include "base/base.h"

#include "cli/cli.h"

#include "cli/hostinfo.h"

#include <stdio.h>

static void print_line(const char *name, const char *finding)
{
	printf("  %-18s %s\n", name, finding);
}

int cli_version(void)
{
	printf("%s\n\nThis build\n", PACKAGE_STRING);
	print_line("compiler", __VERSION__);
#ifdef SANITIZED
	print_line("sanitizers", "yes: programs don't confine themselves; not for use");
#else
	print_line("sanitizers", "no");
#endif
#ifdef FAULT_HOOKS
	print_line("fault hooks", "yes: single checks can be switched off; not for use");
#else
	print_line("fault hooks", "no");
#endif
	print_line("programs", LIBEXECDIR);
	printf("\nThis host can enforce, for this user, right now\n");
	(void)fflush(stdout); /* the probe forks */
	hostinfo_report(print_line);
	return cli_finish_output();
}
