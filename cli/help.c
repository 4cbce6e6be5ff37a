/* SPDX-License-Identifier: MIT */
/* --help, written from the tables of modes.c. Tests: tests/e2e/t0001-cli.tap. */
#include "base/base.h"

#include "cli/cli.h"

#include "cli/locate.h"
#include "cli/modes.h"

#include <stdio.h>

static void line(const char *word, const char *argument, const char *help)
{
	char left[64];

	(void)snprintf(left, sizeof(left), "%s%s%s", word, argument ? " " : "",
		       argument ? argument : "");
	printf("  %-34s %s\n", left, help);
}

static void group(enum program p)
{
	size_t n;
	const struct mode_row *m = mode_rows(&n);
	int fd = -1;
	bool here = p == PROGRAM_SELF || locate_program(p, &fd, NULL) == 0;

	cleanup_fd(&fd);
	printf("\n%s%s\n", program_row(p)->purpose, here ? "" : " (not in this build)");
	for (size_t i = 0; i < n; i++)
		if (m[i].program == p)
			line(m[i].word, m[i].argument,
			     m[i].help ? m[i].help : "older name of the line above");
}

int cli_help(void)
{
	size_t n;
	const struct option_row *o = mode_options(&n);

	printf("Usage: agentteams MODE [OPTION]...\n"
	       "       agentteams --description BRIEF --framework NAME --output DIR [OPTION]...\n"
	       "\n"
	       "Lets coding agents work in a project without letting them do what they like. One "
	       "MODE\n"
	       "each time; without one, example configurations are generated from the brief.\n");
	for (int p = 0; p < N_PROGRAMS; p++)
		group((enum program)p);
	printf("\nOptions of the modes\n");
	for (size_t i = 0; i < n; i++)
		line(o[i].word, o[i].argument, o[i].help);
	printf("\nExit status: 0 done, 1 refused, 2 usage. Manual: agentteams(1).\n");
	return cli_finish_output();
}
