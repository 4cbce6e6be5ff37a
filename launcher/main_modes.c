/* SPDX-License-Identifier: MIT */
/* --help, --version and --print-rules of confine-run. System (standard output). */
#include "base/base.h"
#include "launcher/main_modes.h"

#include "launcher/launch.h"
#include "launcher/options.h"
#include "policy/launch.h"

#include "base/log.h"

#include <errno.h>
#include <stdio.h>

int main_unwritten(void)
{
	log_error("standard output can't be written: %s", strerror(errno));
	return EXIT_NOT_BUILT;
}

static int flushed(void)
{
	return fflush(stdout) == 0 ? 0 : main_unwritten();
}

int main_help(void)
{
	size_t n;
	const struct option_row *rows = option_rows(&n);

	(void)printf("usage: confine-run [OPTION]... -- COMMAND [ARG]...\n"
		     "       confine-run --overlay DIR --overlay-upper DIR --changes\n"
		     "       confine-run preflight [--json]\n"
		     "       confine-run selftest [--json]\n"
		     "\n"
		     "Runs COMMAND where it can write only what you name, read no credentials, and "
		     "reach\n"
		     "no network unless you say so. Status: the command's own; 2 refused; 124 "
		     "timed out;\n"
		     "125 no boundary; 126, 127 not executable, not found; 128 + n killed by "
		     "signal n.\n\n");
	for (size_t i = 0; i < n; i++)
		(void)printf("  %s%s%s\n      %s\n", rows[i].name, rows[i].value ? " " : "",
			     rows[i].value ? rows[i].value : "", rows[i].help);
	return flushed();
}

int main_version(void)
{
	(void)printf("confine-run (%s) %s\n", PACKAGE_NAME, PACKAGE_VERSION);
	return flushed();
}

static void put(void *arg, const char *bytes, size_t n)
{
	(void)arg;
	(void)fwrite(bytes, 1, n, stdout);
}

int main_rules(void)
{
	launch_dump_text(put, NULL);
	return flushed();
}
