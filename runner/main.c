/* SPDX-License-Identifier: MIT */
/* agentteams-runner: one mode each time. System. Tests: tests/e2e/runner-client.tap. */
#include "base/base.h"

#include "base/io.h"
#include "base/log.h"
#include "runner/confined_file.h"
#include "runner/grant_verbs.h"
#include "runner/serve.h"
#include "runner/verbs.h"

#include <stdio.h>

static int no_client(struct client *c)
{
	(void)c;
	return 2;
}

static int (*const verbs[N_MODES])(struct client *) = {
	[MODE_VERIFY_LEDGER] = verb_verify, [MODE_RUNNER_STATUS] = verb_status,
	[MODE_ISSUE_DISPATCH] = verb_issue, [MODE_APPLY_PROPOSAL] = verb_proposal,
	[MODE_RUN_REQUEST] = verb_proposal, [MODE_LIST_STAGED] = verb_list,
	[MODE_SHOW_STAGED] = verb_show,	    [MODE_APPLY_STAGED] = verb_apply,
	[MODE_REJECT_STAGED] = verb_reject, [MODE_REVIEW] = verb_review,
	[MODE_WAIT_RESULT] = verb_wait,	    [MODE_NONE] = no_client,
};

static int run(const struct options *o)
{
	struct client c;
	struct errctx e = {0};
	int code;

	switch (o->mode) {
	case MODE_HELP:
		options_help();
		return 0;
	case MODE_VERSION:
		puts(PACKAGE_STRING);
		return 0;
	case MODE_SERVE:
		return serve_requests(o);
	case MODE_KEYGEN:
		return verb_keygen(o);
	case MODE_CONFINED_PATH:
		return verb_confined_path(o);
	case MODE_INSTALL_CONFINED:
		return verb_install_confined(o);
	case MODE_GRANT_KEYGEN:
		return verb_grant_keygen(o);
	case MODE_GRANT_TRUST:
		return verb_grant_trust(o);
	case MODE_GRANT_DRAFT:
		return verb_grant_draft(o);
	case MODE_GRANT_SIGN:
	case MODE_GRANT_AT_ONCE:
		return verb_grant_sign(o);
	case MODE_LIST_GRANTS:
		return verb_grant_list(o);
	case MODE_REVOKE_GRANT:
		return verb_grant_revoke(o);
	case MODE_NONE:
	case MODE_VERIFY_LEDGER:
	case MODE_RUNNER_STATUS:
	case MODE_ISSUE_DISPATCH:
	case MODE_APPLY_PROPOSAL:
	case MODE_RUN_REQUEST:
	case MODE_LIST_STAGED:
	case MODE_SHOW_STAGED:
	case MODE_APPLY_STAGED:
	case MODE_REJECT_STAGED:
	case MODE_REVIEW:
	case MODE_WAIT_RESULT:
	case N_MODES:
		break;
	}
	code = client_open(&c, o, &e) == 0 ? verbs[o->mode](&c) : verb_fail(&e);
	client_close(&c);
	return code;
}

int main(int argc, char **argv)
{
	struct options o;
	struct errctx e = {0};
	int code;

	if (io_guard_std_fds() != 0)
		return 1;
	log_init("agentteams-runner", LOG_INFO_LEVEL);
	if (options_parse(argc, argv, &o, &e) != 0) {
		log_error("%s", e.text);
		return 2;
	}
	code = run(&o);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		log_error("standard output can't be written");
		return code ? code : 1;
	}
	return code;
}
