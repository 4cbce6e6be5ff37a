/* SPDX-License-Identifier: MIT */
/*
 * agentteams: looks at the mode and executes the program that serves it. No logic of its own.
 * Usage errors end with 2. Order: guard standard descriptors, find the mode, act or execute.
 */
#include "base/base.h"

#include "cli/cli.h"

#include "base/io.h"
#include "base/log.h"
#include "cli/locate.h"
#include "cli/modes.h"

#include <errno.h>
#include <stdio.h>

int cli_finish_output(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return CLI_OK;
	log_error("standard output: %s", strerror(errno));
	return CLI_REFUSED;
}

/* Executes the file that was checked, by its descriptor, with the arguments as they are. A verb is
 * taken off, a mode flag stays: the program reads it. */
static int execute(enum program p, const char *word, char **argv)
{
	bool verb = word[0] != '-';
	char *name = (char *)(uintptr_t)program_row(p)->name; /* execve doesn't write to it */
	struct errctx e = {0};
	auto_fd int fd = -1;
	int code = locate_program(p, &fd, &e);

	if (code == E_NOENT) {
		log_error("%s: this build has no %s", word, program_row(p)->name);
		return CLI_USAGE;
	}
	if (code != 0) {
		log_error("%s: %s refused: %s", word, program_row(p)->name, e.text);
		return CLI_REFUSED;
	}
	if (verb)
		argv++;
	argv[0] = name;
	(void)fexecve(fd, argv, environ);
	log_error("%s: execute %s: %s", word, program_row(p)->name, strerror(errno));
	return CLI_REFUSED;
}

static int run_self(const struct mode_row *m, int argc, char **argv)
{
	if (strcmp(m->word, "policy") == 0)
		return cli_policy(argc - 1, argv + 1);
	if (argc > 2) {
		log_error("%s: unexpected argument \"%s\"", m->word,
			  strcmp(argv[1], m->word) == 0 ? argv[2] : argv[1]);
		return CLI_USAGE;
	}
	if (strcmp(m->word, "--help") == 0)
		return cli_help();
	return cli_version();
}

int main(int argc, char **argv)
{
	const struct mode_row *m = NULL;
	const char *word = NULL;

	log_init("agentteams", LOG_INFO_LEVEL);
	if (io_guard_std_fds() != 0)
		return CLI_REFUSED;
	switch (mode_find(argc, argv, &m, &word)) {
	case MODE_FOUND:
		break;
	case MODE_GENERATE:
		return execute(PROGRAM_GENERATE, "--description", argv);
	case MODE_MISSING:
		log_error("no mode was given; see agentteams --help");
		return CLI_USAGE;
	case MODE_UNKNOWN:
		log_error("unknown mode or option \"%s\"; see agentteams --help", word);
		return CLI_USAGE;
	case MODE_TWO:
		log_error("%s and %s are two modes; give one", m->word, word);
		return CLI_USAGE;
	}
	if (m->program == PROGRAM_SELF)
		return run_self(m, argc, argv);
	return execute(m->program, m->word, argv);
}
