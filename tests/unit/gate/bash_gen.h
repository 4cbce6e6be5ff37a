/* SPDX-License-Identifier: MIT */
/* Random programs of the supported grammar for t_bash.c. Harmless by construction: the only command
 * names are c0 to c9 (run) and d0 to d9 (never reached). */
#ifndef TESTS_BASH_GEN_H
#define TESTS_BASH_GEN_H

#include <stddef.h>
#include <stdint.h>

struct gen {
	uint64_t state;
	char *out; /* the program */
	size_t len, size;
	unsigned depth, id, vars, words, here;
	char here_name[16][16];
	int forks; /* substitutions, subshells and pipes may occur: each costs bash a process */
	int here_quoted[16], here_tabs[16], here_dead[16];
};

/* Writes one program into buf; id makes its variables and functions its own. Returns its length. */
size_t gen_program(uint64_t seed, unsigned id, char *buf, size_t size);

#endif
