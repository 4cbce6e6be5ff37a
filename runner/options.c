/* SPDX-License-Identifier: MIT */
/* Command line of agentteams-runner: one table of options. Failure rule: E_USAGE, exit 2. Tests:
 * tests/e2e/runner-client.tap. */
#include "base/base.h"

#include "runner/options.h"

#include "base/limits.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum arg {
	ARG_NONE = 0,
	ARG_TEXT,  /* one value */
	ARG_COUNT, /* a positive integer */
	ARG_SECONDS,
	ARG_IDS, /* one or more values, up to the next option */
};

enum take {
	TAKE_MODE,
	TAKE_FLAG,
	TAKE_TEXT,
	TAKE_COUNT,
	TAKE_SECONDS,
	TAKE_FORMAT,
	TAKE_TARGET,
	TAKE_TRUST,
};

#define AT(field) offsetof(struct options, field)

static const struct option_row {
	const char *flag;
	enum arg arg;
	enum take take;
	enum mode mode;
	size_t at;
	const char *value;
	const char *help;
} rows[] = {
	{"--help", ARG_NONE, TAKE_MODE, MODE_HELP, 0, NULL, "print this help"},
	{"--version", ARG_NONE, TAKE_MODE, MODE_VERSION, 0, NULL, "print the version"},
	{"--serve-requests", ARG_NONE, TAKE_MODE, MODE_SERVE, 0, NULL,
	 "serve the queue; needs --description"},
	{"--keygen", ARG_NONE, TAKE_MODE, MODE_KEYGEN, 0, NULL, "create the ledger key"},
	{"--verify-proposal-ledger", ARG_NONE, TAKE_MODE, MODE_VERIFY_LEDGER, 0, NULL,
	 "verify the ledger: through the runner, or with the key when none runs"},
	{"--runner-status", ARG_NONE, TAKE_MODE, MODE_RUNNER_STATUS, 0, NULL,
	 "say whether a runner serves, what it does and what it enforces"},
	{"--issue-dispatch", ARG_NONE, TAKE_MODE, MODE_ISSUE_DISPATCH, 0, NULL,
	 "issue a dispatch nonce; needs --agent"},
	{"--apply-proposal", ARG_TEXT, TAKE_MODE, MODE_APPLY_PROPOSAL, AT(file), "FILE",
	 "apply a change or delete proposal"},
	{"--run-request", ARG_TEXT, TAKE_MODE, MODE_RUN_REQUEST, AT(file), "FILE",
	 "send a command request"},
	{"--list-staged", ARG_NONE, TAKE_MODE, MODE_LIST_STAGED, 0, NULL,
	 "list what waits for approval"},
	{"--show-staged", ARG_IDS, TAKE_MODE, MODE_SHOW_STAGED, 0, "SID...",
	 "show staged changes as diffs"},
	{"--apply-staged", ARG_IDS, TAKE_MODE, MODE_APPLY_STAGED, 0, "SID[:HASH]...",
	 "approve staged changes, or --all"},
	{"--reject-staged", ARG_IDS, TAKE_MODE, MODE_REJECT_STAGED, 0, "SID...",
	 "reject staged changes, or --all"},
	{"--review", ARG_NONE, TAKE_MODE, MODE_REVIEW, 0, NULL,
	 "step through all staged changes in a terminal"},
	{"--wait-result", ARG_TEXT, TAKE_MODE, MODE_WAIT_RESULT, AT(file), "ID",
	 "wait for the result of an earlier request"},
	{"--confined-path", ARG_NONE, TAKE_MODE, MODE_CONFINED_PATH, 0, NULL,
	 "print where the operator's confined file lies, and whether it is there"},
	{"--install-confined", ARG_TEXT, TAKE_MODE, MODE_INSTALL_CONFINED, AT(file), "FILE",
	 "install the confined file in two steps; needs --description"},
	{"--grant-keygen", ARG_TEXT, TAKE_MODE, MODE_GRANT_KEYGEN, AT(key_id), "ID",
	 "create a key for signing grants, under a passphrase"},
	{"--grant-trust", ARG_TEXT, TAKE_MODE, MODE_GRANT_TRUST, AT(key_id), "ID",
	 "trust a public key of verify-keys to verify grants"},
	{"--grant-draft", ARG_TEXT, TAKE_MODE, MODE_GRANT_DRAFT, AT(agent), "AGENT",
	 "write the grant that the brief asks for, unsigned; needs --key-id, --description"},
	{"--grant-sign", ARG_TEXT, TAKE_MODE, MODE_GRANT_SIGN, AT(file), "FILE",
	 "show, sign and install exactly that draft; needs --description"},
	{"--sign-mcp-direct-grant", ARG_TEXT, TAKE_MODE, MODE_GRANT_AT_ONCE, AT(agent), "AGENT",
	 "both at once, at a terminal; needs --key-id, --description"},
	{"--list-grants", ARG_NONE, TAKE_MODE, MODE_LIST_GRANTS, 0, NULL,
	 "list direct grants, and why one isn't valid; needs --description"},
	{"--list-mcp-direct-grants", ARG_NONE, TAKE_MODE, MODE_LIST_GRANTS, 0, NULL, "the same"},
	{"--revoke-grant", ARG_TEXT, TAKE_MODE, MODE_REVOKE_GRANT, AT(agent), "AGENT",
	 "take the agent's direct grants away; stops the runner"},
	{"--revoke-mcp-direct-grant", ARG_TEXT, TAKE_MODE, MODE_REVOKE_GRANT, AT(agent), "AGENT",
	 "the same"},
	{"--key-id", ARG_TEXT, TAKE_TEXT, 0, AT(key_id), "ID", "name of the signing key"},
	{"--grant-days", ARG_COUNT, TAKE_COUNT, 0, AT(grant_days), "N",
	 "days that a grant lasts, 1 to 30 (default: 7)"},
	{"--max-writes", ARG_COUNT, TAKE_COUNT, 0, AT(max_writes), "N",
	 "writes that it allows, 1 to 500 (default: 50)"},
	{"--output", ARG_TEXT, TAKE_TEXT, 0, AT(output), "FILE",
	 "where the draft goes (default: AGENT.grant-draft.json)"},
	{"--payload", ARG_TEXT, TAKE_TEXT, 0, AT(payload), "FILE",
	 "of a draft: write the bytes to sign, too, for signing elsewhere"},
	{"--signature-file", ARG_TEXT, TAKE_TEXT, 0, AT(signature_file), "FILE",
	 "the draft was signed elsewhere: 64 bytes, or 128 hex digits"},
	{"--passphrase-file", ARG_TEXT, TAKE_TEXT, 0, AT(passphrase_file), "FILE",
	 "the passphrase is the first line of this file (0600)"},
	{"--passphrase-fd", ARG_COUNT, TAKE_COUNT, 0, AT(passphrase_fd), "N",
	 "the passphrase is the next line of this open descriptor"},
	{"--no-passphrase", ARG_NONE, TAKE_FLAG, 0, AT(no_passphrase), NULL,
	 "leave the new signing key unprotected"},
	{"--allow-checkout-signing", ARG_NONE, TAKE_FLAG, 0, AT(allow_checkout), NULL,
	 "sign although this program lies in a checkout or in the project"},
	{"--trust-key", ARG_TEXT, TAKE_TRUST, 0, 0, "FINGERPRINT",
	 "of the service: trust this signing key and no unnamed one; repeatable"},
	{"--confirm-review-sha256", ARG_TEXT, TAKE_TEXT, 0, AT(confirm), "HASH",
	 "the hash of what was reviewed"},
	{"--project", ARG_TEXT, TAKE_TEXT, 0, AT(project), "DIR", "project root (default: .)"},
	{"--description", ARG_TEXT, TAKE_TEXT, 0, AT(description), "BRIEF", "the brief"},
	{"--agent", ARG_TEXT, TAKE_TEXT, 0, AT(agent), "SLUG", "agent of a dispatch"},
	{"--reject-reason", ARG_TEXT, TAKE_TEXT, 0, AT(reason), "TEXT", "why it is rejected"},
	{"--all", ARG_NONE, TAKE_FLAG, 0, AT(all), NULL, "all staged changes"},
	{"--wait-timeout", ARG_SECONDS, TAKE_SECONDS, 0, AT(wait_s), "SECONDS",
	 "how long to wait for the runner (default: 120)"},
	{"--dry-run", ARG_NONE, TAKE_FLAG, 0, AT(dry_run), NULL, "check, change nothing"},
	{"--json", ARG_NONE, TAKE_FLAG, 0, AT(json), NULL, "output for machines"},
	{"--color", ARG_NONE, TAKE_FLAG, 0, AT(color), NULL, "colour even when not a terminal"},
	{"--no-color", ARG_NONE, TAKE_FLAG, 0, AT(no_color), NULL, "no colour"},
	{"--quiet", ARG_NONE, TAKE_FLAG, 0, AT(quiet), NULL, "no progress on standard error"},
	{"--once", ARG_NONE, TAKE_FLAG, 0, AT(once), NULL, "serve what is queued, then end"},
	{"--log-format", ARG_TEXT, TAKE_FORMAT, 0, 0, "text|json", "one line a request"},
	{"--log-target", ARG_TEXT, TAKE_TARGET, 0, 0, "stderr|syslog", "where the log goes"},
	{"--max-queue-age", ARG_COUNT, TAKE_COUNT, 0, AT(max_queue_age_s), "SECONDS",
	 "older requests are refused (default: 600)"},
	{"--max-staged-agent", ARG_COUNT, TAKE_COUNT, 0, AT(max_staged_agent), "N",
	 "staged changes of one agent (default: 50)"},
	{"--max-staged", ARG_COUNT, TAKE_COUNT, 0, AT(max_staged_all), "N",
	 "staged changes of all agents (default: 200)"},
};

const char *mode_flag(enum mode m)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].take == TAKE_MODE && rows[i].mode == m)
			return rows[i].flag;
	}
	return "";
}

void options_help(void)
{
	printf("usage: agentteams-runner MODE [options]\n\n");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char left[48];

		(void)snprintf(left, sizeof(left), "%s%s%s", rows[i].flag, rows[i].value ? " " : "",
			       rows[i].value ? rows[i].value : "");
		printf("  %-32s %s\n", left, rows[i].help);
	}
	printf("\nExit status: 0 done, 1 refused or not served, 2 usage, 3 undeclared writes.\n"
	       "See agentteams-runner(8).\n");
}

static const struct option_row *find(const char *text, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (strlen(rows[i].flag) == n && memcmp(rows[i].flag, text, n) == 0)
			return &rows[i];
	}
	return NULL;
}

/* The staged modes have an order of precedence; any other pair is a mistake. */
static bool is_staged(enum mode m)
{
	return m == MODE_LIST_STAGED || m == MODE_SHOW_STAGED || m == MODE_APPLY_STAGED ||
	       m == MODE_REJECT_STAGED;
}

static int take_mode(struct options *o, enum mode m, const struct option_row *row, struct errctx *e)
{
	if (o->mode == MODE_NONE || o->mode == m || m == MODE_HELP) {
		o->mode = m;
		return 0;
	}
	if (o->mode == MODE_HELP)
		return 0;
	if (is_staged(o->mode) && is_staged(m)) {
		o->mode = o->mode < m ? o->mode : m;
		return 0;
	}
	return err_set(e, E_USAGE, "%s and %s don't go together", mode_flag(o->mode), row->flag);
}

static int take_count(const char *text, const struct option_row *row, void *at, struct errctx *e)
{
	char *end = NULL;
	long long n;

	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno || end == text || *end || n < 1 || n > 1000000000)
		return err_set(e, E_USAGE, "%s: \"%s\" is no number from 1 to 1000000000",
			       row->flag, text);
	if (row->at == AT(max_queue_age_s))
		*(int64_t *)at = n;
	else
		*(size_t *)at = (size_t)n;
	return 0;
}

static int take_seconds(const char *text, const struct option_row *row, double *at,
			struct errctx *e)
{
	char *end = NULL;
	double n;

	errno = 0;
	n = strtod(text, &end);
	if (errno || end == text || *end || !isfinite(n) || n < 0 || n > 86400 * 365.0)
		return err_set(e, E_USAGE, "%s: \"%s\" is no number of seconds", row->flag, text);
	*at = n;
	return 0;
}

static int take_value(struct options *o, const struct option_row *row, const char *value,
		      struct errctx *e)
{
	void *at = (char *)o + row->at;

	switch (row->take) {
	case TAKE_MODE:
		if (row->arg == ARG_TEXT)
			*(const char **)at = value;
		return take_mode(o, row->mode, row, e);
	case TAKE_FLAG:
		*(bool *)at = true;
		return 0;
	case TAKE_TEXT:
		*(const char **)at = value;
		return 0;
	case TAKE_COUNT:
		return take_count(value, row, at, e);
	case TAKE_SECONDS:
		return take_seconds(value, row, at, e);
	case TAKE_TRUST:
		if (strlen(value) != 64 || strspn(value, "0123456789abcdef") != 64)
			return err_set(e, E_USAGE,
				       "--trust-key: no fingerprint of 64 lower-case hex digits");
		if (o->n_trust == MAX_TRUSTED_KEYS)
			return err_set(e, E_USAGE, "more than %d --trust-key", MAX_TRUSTED_KEYS);
		o->trust[o->n_trust++] = value;
		return 0;
	case TAKE_FORMAT:
		if (strcmp(value, "text") != 0 && strcmp(value, "json") != 0)
			return err_set(e, E_USAGE, "--log-format: neither text nor json");
		o->log_json = strcmp(value, "json") == 0;
		return 0;
	case TAKE_TARGET:
		if (strcmp(value, "stderr") != 0 && strcmp(value, "syslog") != 0)
			return err_set(e, E_USAGE, "--log-target: neither stderr nor syslog");
		o->log_syslog = strcmp(value, "syslog") == 0;
		return 0;
	}
	return E_INTERNAL;
}

static int add_id(struct options *o, const char *text, struct errctx *e)
{
	if (o->n_ids == MAX_IDS)
		return err_set(e, E_USAGE, "more than %d ids", MAX_IDS);
	o->ids[o->n_ids++] = text;
	return 0;
}

static int check_grant(const struct options *o, struct errctx *e)
{
	if (o->grant_days > MAX_GRANT_DAYS)
		return err_set(e, E_USAGE, "--grant-days: at most %d", MAX_GRANT_DAYS);
	if (o->max_writes > MAX_GRANT_WRITES)
		return err_set(e, E_USAGE, "--max-writes: at most %d", MAX_GRANT_WRITES);
	if (o->n_trust && o->mode != MODE_SERVE)
		return err_set(e, E_USAGE, "--trust-key goes with --serve-requests only");
	if (o->passphrase_file && o->passphrase_fd)
		return err_set(e, E_USAGE,
			       "--passphrase-file and --passphrase-fd don't go together");
	if (o->payload && o->mode != MODE_GRANT_DRAFT)
		return err_set(e, E_USAGE, "--payload goes with --grant-draft only");
	if (o->signature_file && o->mode != MODE_GRANT_SIGN)
		return err_set(e, E_USAGE, "--signature-file goes with --grant-sign only");
	if (o->signature_file && (o->passphrase_file || o->passphrase_fd))
		return err_set(
			e, E_USAGE,
			"--signature-file: no private key is read, so there is no passphrase");
	return 0;
}

static int check(const struct options *o, struct errctx *e)
{
	switch (o->mode) {
	case MODE_NONE:
		return err_set(e, E_USAGE, "no mode given; see --help");
	case MODE_SERVE:
		if (!o->description)
			return err_set(e, E_USAGE, "--serve-requests needs --description BRIEF");
		break;
	case MODE_INSTALL_CONFINED:
		if (!o->description)
			return err_set(e, E_USAGE, "--install-confined needs --description BRIEF");
		break;
	case MODE_GRANT_DRAFT:
	case MODE_GRANT_AT_ONCE:
		if (!o->key_id)
			return err_set(e, E_USAGE, "%s needs --key-id ID", mode_flag(o->mode));
		if (!o->description)
			return err_set(e, E_USAGE, "%s needs --description BRIEF",
				       mode_flag(o->mode));
		break;
	case MODE_GRANT_SIGN:
	case MODE_LIST_GRANTS:
		if (!o->description)
			return err_set(e, E_USAGE, "%s needs --description BRIEF",
				       mode_flag(o->mode));
		break;
	case MODE_ISSUE_DISPATCH:
		if (!o->agent)
			return err_set(e, E_USAGE, "--issue-dispatch needs --agent SLUG");
		break;
	case MODE_SHOW_STAGED:
	case MODE_APPLY_STAGED:
	case MODE_REJECT_STAGED:
		if (!o->n_ids && !o->all)
			return err_set(e, E_USAGE, "%s needs an id or --all", mode_flag(o->mode));
		if (o->n_ids && o->all)
			return err_set(e, E_USAGE, "%s: ids and --all don't go together",
				       mode_flag(o->mode));
		break;
	case MODE_HELP:
	case MODE_VERSION:
	case MODE_KEYGEN:
	case MODE_VERIFY_LEDGER:
	case MODE_RUNNER_STATUS:
	case MODE_APPLY_PROPOSAL:
	case MODE_RUN_REQUEST:
	case MODE_LIST_STAGED:
	case MODE_REVIEW:
	case MODE_WAIT_RESULT:
	case MODE_CONFINED_PATH:
	case MODE_GRANT_KEYGEN:
	case MODE_GRANT_TRUST:
	case MODE_REVOKE_GRANT:
	case N_MODES:
		break;
	}
	if (o->confirm && o->mode != MODE_INSTALL_CONFINED && o->mode != MODE_GRANT_SIGN &&
	    o->mode != MODE_GRANT_TRUST)
		return err_set(e, E_USAGE, "--confirm-review-sha256 doesn't go with %s%s",
			       mode_flag(o->mode),
			       o->mode == MODE_GRANT_AT_ONCE
				       ? ": each call makes another grant; use --grant-draft, then "
					 "--grant-sign"
				       : "");
	if (o->once && o->mode != MODE_SERVE)
		return err_set(e, E_USAGE, "--once goes with --serve-requests only");
	if (o->color && o->no_color)
		return err_set(e, E_USAGE, "--color and --no-color don't go together");
	return check_grant(o, e);
}

int options_parse(int argc, char **argv, struct options *ret, struct errctx *e)
{
	struct options o = {
		.project = ".",
		.wait_s = DEFAULT_WAIT_SECONDS,
		.max_staged_agent = MAX_STAGED_AGENT,
		.max_staged_all = MAX_STAGED_ALL,
		.max_queue_age_s = MAX_QUEUE_AGE_SECONDS,
		.grant_days = DEFAULT_GRANT_DAYS,
		.max_writes = DEFAULT_GRANT_WRITES,
	};
	const struct option_row *ids_of = NULL;

	for (int i = 1; i < argc; i++) {
		const char *text = argv[i], *equals = strchr(text, '=');
		const struct option_row *row;
		int rc;

		if (strncmp(text, "--", 2) != 0) {
			if (!ids_of)
				return err_set(e, E_USAGE, "unexpected argument \"%s\"", text);
			rc = add_id(&o, text, e);
			if (rc != 0)
				return rc;
			continue;
		}
		row = find(text, equals ? (size_t)(equals - text) : strlen(text));
		if (!row)
			return err_set(e, E_USAGE, "unknown option \"%s\"", text);
		if (equals && (row->arg == ARG_NONE))
			return err_set(e, E_USAGE, "%s takes no value", row->flag);
		ids_of = row->arg == ARG_IDS ? row : NULL;
		if (row->arg == ARG_TEXT || row->arg == ARG_COUNT || row->arg == ARG_SECONDS) {
			if (!equals && i + 1 >= argc)
				return err_set(e, E_USAGE, "%s needs a value", row->flag);
			text = equals ? equals + 1 : argv[++i];
		} else if (equals) {
			rc = add_id(&o, equals + 1, e);
			if (rc != 0)
				return rc;
		}
		rc = take_value(&o, row, text, e);
		if (rc != 0)
			return rc;
	}
	*ret = o;
	return o.mode == MODE_HELP || o.mode == MODE_VERSION ? 0 : check(&o, e);
}
