/* SPDX-License-Identifier: MIT */
/* Options of agentteams-runner: one mode flag and what goes with it (file 21, section 24). */
#ifndef RUNNER_OPTIONS_H
#define RUNNER_OPTIONS_H

#include "base/err.h"
#include "base/limits.h"

enum mode {
	MODE_NONE = 0,
	MODE_HELP,
	MODE_VERSION,
	MODE_SERVE,
	MODE_KEYGEN,
	MODE_VERIFY_LEDGER,
	MODE_RUNNER_STATUS,
	MODE_ISSUE_DISPATCH,
	MODE_APPLY_PROPOSAL,
	MODE_RUN_REQUEST,
	MODE_LIST_STAGED,
	MODE_SHOW_STAGED,
	MODE_APPLY_STAGED,
	MODE_REJECT_STAGED,
	MODE_REVIEW,
	MODE_WAIT_RESULT,
	MODE_CONFINED_PATH,
	MODE_INSTALL_CONFINED,
	MODE_GRANT_KEYGEN,
	MODE_GRANT_TRUST,
	MODE_GRANT_DRAFT,
	MODE_GRANT_SIGN,
	MODE_GRANT_AT_ONCE, /* --sign-mcp-direct-grant: draft and signature in one */
	MODE_LIST_GRANTS,
	MODE_REVOKE_GRANT,
	N_MODES,
};

enum { MAX_IDS = 1024 };

struct options {
	enum mode mode;
	const char *project; /* "." by default */
	const char *description;
	const char *agent;
	const char *file;    /* --apply-proposal, --run-request, --install-confined, --grant-sign */
	const char *confirm; /* --confirm-review-sha256 */
	const char *reason;  /* --reject-reason */
	const char *ids[MAX_IDS];
	size_t n_ids;
	bool all, json, dry_run, once, color, no_color, follow;
	double wait_s;
	bool log_json, log_syslog, quiet;
	size_t max_staged_agent, max_staged_all;
	int64_t max_queue_age_s;
	/* Grants. */
	const char *key_id, *output, *payload, *signature_file, *passphrase_file;
	size_t passphrase_fd; /* 0: none */
	size_t grant_days, max_writes;
	bool no_passphrase, allow_checkout;
	const char *trust[MAX_TRUSTED_KEYS]; /* --trust-key of the service */
	size_t n_trust;
};

/* E_USAGE: the context names the option. Later flags of one kind win; two different modes are
 * refused, except the staged ones (file 23, section 10: list, show, apply, reject in this order).
 */
int options_parse(int argc, char **argv, struct options *ret, struct errctx *e) must_check;
void options_help(void);
const char *mode_flag(enum mode m);

#endif
