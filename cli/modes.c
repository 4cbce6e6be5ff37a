/* SPDX-License-Identifier: MIT */
/*
 * The table of modes (file 21, section 24; files 24, 30 and 32) and the search for one in a command
 * line. No effects. A mode is served by the program of its row; whether that program is part of
 * this build is seen when it is started. Tests: tests/unit/cli/t_modes.c, tests/e2e/t0001-cli.tap.
 */
#include "base/base.h"

#include "cli/modes.h"

static const struct program_row programs[] = {
	[PROGRAM_SELF] = {"agentteams", "cli", "Rules"},
	[PROGRAM_RUNNER] = {"agentteams-runner", "runner", "Runner: queue, staging, ledger"},
	[PROGRAM_GENERATE] = {"agentteams-generate", "generator",
			      "Generator: brief to configuration"},
	[PROGRAM_GATE] = {"agentteams-gate", "gate", "Gate hook"},
};
_Static_assert(ARRAY_LEN(programs) == N_PROGRAMS, "one row for each enum program");

/* In the order of --help. */
static const struct mode_row modes[] = {
	{"policy", "dump|check-deny", PROGRAM_SELF,
	 "print the rules; check the operator's deny.list"},
	{"--help", NULL, PROGRAM_SELF, "this text"},
	{"--version", NULL, PROGRAM_SELF, "version, build, and what this host can enforce"},

	{"--serve-requests", NULL, PROGRAM_RUNNER, "serve the agents' requests"},
	{"--keygen", NULL, PROGRAM_RUNNER, "create the ledger's key"},
	{"--runner-status", NULL, PROGRAM_RUNNER, "what the runner is doing"},
	{"--issue-dispatch", NULL, PROGRAM_RUNNER, "nonce for one task of an agent (with --agent)"},
	{"--apply-proposal", "FILE", PROGRAM_RUNNER, "apply a proposal of the orchestrator"},
	{"--run-request", "FILE", PROGRAM_RUNNER, "run a command of the orchestrator"},
	{"--wait-result", "ID", PROGRAM_RUNNER, "wait for an earlier request"},
	{"--list-staged", NULL, PROGRAM_RUNNER, "staged changes"},
	{"--show-staged", "SID", PROGRAM_RUNNER, "one staged change as a diff"},
	{"--apply-staged", "SID", PROGRAM_RUNNER, "apply staged changes"},
	{"--reject-staged", "SID", PROGRAM_RUNNER, "reject staged changes"},
	{"--review", NULL, PROGRAM_RUNNER, "step through all staged changes"},
	{"--verify-proposal-ledger", NULL, PROGRAM_RUNNER, "verify the ledger"},
	{"--confined-path", NULL, PROGRAM_RUNNER, "where this project's confined file belongs"},
	{"--install-confined", "FILE", PROGRAM_RUNNER,
	 "install the confined file, reviewed by hash"},
	{"--grant-keygen", "ID", PROGRAM_RUNNER, "create a key for signing direct grants"},
	{"--grant-trust", "ID", PROGRAM_RUNNER, "trust a public key to verify them"},
	{"--grant-draft", "AGENT", PROGRAM_RUNNER, "draft a direct grant"},
	{"--grant-sign", "FILE", PROGRAM_RUNNER, "sign a direct grant"},
	{"--sign-mcp-direct-grant", "AGENT", PROGRAM_RUNNER, NULL},
	{"--list-grants", NULL, PROGRAM_RUNNER, "direct grants and what is left of them"},
	{"--list-mcp-direct-grants", NULL, PROGRAM_RUNNER, NULL},
	{"--revoke-grant", "AGENT", PROGRAM_RUNNER, "revoke an agent's direct grants"},
	{"--revoke-mcp-direct-grant", "AGENT", PROGRAM_RUNNER, NULL},

	{"--check-wiring", NULL, PROGRAM_GENERATE, "is what was generated in force?"},
	{"--write-integrity-manifest", NULL, PROGRAM_GENERATE, "record what must not change"},
	{"--verify-integrity", NULL, PROGRAM_GENERATE, "compare with that record"},

	{"gate", "VERB", PROGRAM_GATE, "explain a command's verdict; check gate.rules"},
};

static const struct option_row options[] = {
	{"--project", "DIR", "project root; default: the working folder"},
	{"--description", "BRIEF", "the team's brief"},
	{"--framework", "NAME", "framework to generate for or to check"},
	{"--output", "DIR", "folder of the agents' files; file of a draft"},
	{"--agent", "SLUG", "agent that the mode is about"},
	{"--json", NULL, "answer as JSON"},
	{"--dry-run", NULL, "say what would happen, do nothing"},
	{"--once", NULL, "serve one pass, then end"},
	{"--wait-timeout", "SECONDS", "how long to wait for a result"},
	{"--reject-reason", "TEXT", "reason for a rejection"},
	{"--confirm-review-sha256", "HASH", "hash of what you have reviewed"},
	{"--key-id", "ID", "signing key of a grant"},
	{"--grant-days", "N", "days that a grant lasts"},
	{"--max-writes", "N", "writes that a grant allows"},
	{"--passphrase-file", "FILE", "passphrase of a signing key, never asked for then"},
	{"--passphrase-fd", "N", "the same, from an open descriptor"},
	{"--trust-key", "FINGERPRINT", "signing key that a service trusts, and no unnamed one"},
	{"--log-format", "FORMAT", "text or json"},
};

const struct program_row *program_row(enum program p)
{
	return &programs[p];
}

const struct mode_row *mode_rows(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(modes);
	return modes;
}

const struct option_row *mode_options(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(options);
	return options;
}

static const struct option_row *option_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		if (strcmp(word, options[i].word) == 0)
			return &options[i];
	return NULL;
}

static bool is_verb(const struct mode_row *m)
{
	return m->word[0] != '-';
}

/* "--flag" or "--flag=value"; a verb counts only as the first word. */
static const struct mode_row *mode_of(const char *word, bool first)
{
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		size_t n = strlen(modes[i].word);

		if (is_verb(&modes[i])) {
			if (first && strcmp(word, modes[i].word) == 0)
				return &modes[i];
		} else if (strncmp(word, modes[i].word, n) == 0 &&
			   (word[n] == '\0' || word[n] == '=')) {
			return &modes[i];
		}
	}
	return NULL;
}

static bool is_info(const struct mode_row *m)
{
	return m->program == PROGRAM_SELF && !is_verb(m);
}

enum mode_result mode_find(int argc, char *const *argv, const struct mode_row **ret,
			   const char **ret_word)
{
	const struct mode_row *found = NULL;
	const char *unknown = NULL;
	bool brief = false;

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const struct mode_row *m = mode_of(argv[i], i == 1);
		const struct option_row *o = option_of(argv[i]);

		if (m != NULL && found != NULL && m != found && !is_info(m)) {
			*ret = found;
			*ret_word = m->word;
			return MODE_TWO;
		}
		if (m != NULL && found == NULL)
			found = m;
		/* What follows a verb belongs to its program. */
		if (m != NULL && is_verb(m))
			break;
		if (m != NULL)
			i += m->argument != NULL && strchr(argv[i], '=') == NULL;
		else if (o != NULL)
			i += o->argument != NULL;
		else if (unknown == NULL)
			unknown = argv[i];
		brief = brief || (o != NULL && strcmp(o->word, "--description") == 0);
	}
	*ret = found;
	*ret_word = unknown;
	if (found != NULL)
		return MODE_FOUND;
	if (brief)
		return MODE_GENERATE;
	return unknown != NULL ? MODE_UNKNOWN : MODE_MISSING;
}
