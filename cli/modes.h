/* SPDX-License-Identifier: MIT */
/* Which program serves which mode of the command line. Data and look-ups; no effects. */
#ifndef CLI_MODES_H
#define CLI_MODES_H

#include "base/base.h"

enum program {
	PROGRAM_SELF, /* this one */
	PROGRAM_RUNNER,
	PROGRAM_GENERATE,
	PROGRAM_GATE,
	N_PROGRAMS,
};

struct program_row {
	const char *name;
	const char *folder;  /* in a build tree, beside cli/ */
	const char *purpose; /* heading in --help */
};
const struct program_row *program_row(enum program p);

struct mode_row {
	const char *word;     /* "--list-staged", or a verb without hyphens */
	const char *argument; /* name of the argument that follows; NULL: none */
	enum program program;
	const char *help; /* NULL: another name for the mode above it */
};
const struct mode_row *mode_rows(size_t *ret_n);

/* Options that several modes share. The value of one that takes a value is never looked at as a
 * mode. */
struct option_row {
	const char *word;
	const char *argument; /* NULL: none */
	const char *help;
};
const struct option_row *mode_options(size_t *ret_n);

enum mode_result {
	MODE_FOUND,
	MODE_GENERATE, /* no mode, but a brief: the generator's main job */
	MODE_MISSING,  /* only options that say nothing by themselves, or nothing at all */
	MODE_UNKNOWN,  /* *ret_word is no mode and no option that we know */
	MODE_TWO,      /* *ret and the mode *ret_word contradict each other */
};
/* Finds the one mode in argv[1..]. --help and --version behind another mode belong to that mode's
 * program. Options behind a mode aren't judged here: the program does that. */
enum mode_result mode_find(int argc, char *const *argv, const struct mode_row **ret,
			   const char **ret_word);

#endif
