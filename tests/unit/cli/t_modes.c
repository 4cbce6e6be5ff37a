/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "cli/modes.h"

#include <criterion/criterion.h>

enum { MAX_ARGS = 12 };

static enum mode_result find(const char *words, const struct mode_row **m, const char **word)
{
	static char copy[512];
	char *argv[MAX_ARGS] = {(char *)(uintptr_t) "agentteams"}, *save = NULL;
	int argc = 1;

	(void)snprintf(copy, sizeof(copy), "%s", words);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	*m = NULL;
	*word = NULL;
	return mode_find(argc, argv, m, word);
}

Test(modes, one_mode_wherever_it_stands)
{
	static const struct {
		const char *words, *mode;
	} rows[] = {
		{"--list-staged", "--list-staged"},
		{"--project /p --list-staged", "--list-staged"},
		{"--list-staged --project /p", "--list-staged"},
		{"--project --review --list-staged", "--list-staged"},
		{"--reject-staged X --reject-reason --review", "--reject-staged"},
		{"--show-staged --review", "--show-staged"},
		{"--show-staged=X", "--show-staged"},
		{"--apply-staged A B C", "--apply-staged"},
		{"--list-staged --list-staged", "--list-staged"},
		{"--list-staged -- --review", "--list-staged"},
		{"--list-staged --help", "--list-staged"},
		{"--list-staged --unheard-of", "--list-staged"},
		{"--unheard-of --list-staged", "--list-staged"},
		{"policy dump", "policy"},
		{"policy --review", "policy"},
		{"gate explain --list-staged", "gate"},
		{"--help", "--help"},
		{"--version", "--version"},
	};
	const struct mode_row *m;
	const char *word;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cr_assert_eq(find(rows[i].words, &m, &word), MODE_FOUND, "%s", rows[i].words);
		cr_assert_str_eq(m->word, rows[i].mode, "%s", rows[i].words);
	}
}

Test(modes, everything_else)
{
	static const struct {
		const char *words;
		enum mode_result want;
		const char *word;
	} rows[] = {
		{"", MODE_MISSING, NULL},
		{"--json", MODE_MISSING, NULL},
		{"--project /p", MODE_MISSING, NULL},
		{"--project", MODE_MISSING, NULL},
		{"-- --list-staged", MODE_MISSING, NULL},
		{"--description b.json", MODE_GENERATE, NULL},
		{"--description b.json --framework claude --output o --new", MODE_GENERATE,
		 "--new"},
		{"--list-stage", MODE_UNKNOWN, "--list-stage"},
		{"--list-stagedx", MODE_UNKNOWN, "--list-stagedx"},
		{"list-staged", MODE_UNKNOWN, "list-staged"},
		{"x policy", MODE_UNKNOWN, "x"},
		{"--json policy dump", MODE_UNKNOWN, "policy"},
		{"--list-staged --review", MODE_TWO, "--review"},
		{"--list-grants --list-mcp-direct-grants", MODE_TWO, "--list-mcp-direct-grants"},
		{"--help --review", MODE_TWO, "--review"},
	};
	const struct mode_row *m;
	const char *word;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cr_assert_eq(find(rows[i].words, &m, &word), rows[i].want, "%s", rows[i].words);
		if (rows[i].word == NULL)
			cr_assert_null(word, "%s", rows[i].words);
		else
			cr_assert_str_eq(word, rows[i].word, "%s", rows[i].words);
	}
}

Test(modes, words_are_unique_and_every_one_has_help_or_is_an_older_name)
{
	size_t n, n_options;
	const struct mode_row *m = mode_rows(&n);
	const struct option_row *o = mode_options(&n_options);

	cr_assert_not_null(m[0].help);
	for (size_t i = 0; i < n; i++) {
		cr_assert_lt((unsigned)m[i].program, N_PROGRAMS);
		for (size_t k = 0; k < i; k++)
			cr_assert_str_neq(m[i].word, m[k].word);
		for (size_t k = 0; k < n_options; k++)
			cr_assert_str_neq(m[i].word, o[k].word);
	}
}
