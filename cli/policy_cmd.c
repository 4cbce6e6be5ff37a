/* SPDX-License-Identifier: MIT */
/* agentteams policy VERB. Tests: tests/e2e/t0002-policy.tap. */
#include "base/base.h"

#include "cli/cli.h"

#include "base/log.h"
#include "policy/policy.h"

#include <stdio.h>

static void to_stdout(void *arg, const char *bytes, size_t n)
{
	(void)arg;
	(void)fwrite(bytes, 1, n, stdout); /* cli_finish_output looks at the stream's error */
}

static int dump(int argc, char *const *argv)
{
	bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
	const char *wrong = policy_selfcheck();

	if (argc > 1 + json) {
		log_error("policy dump: unknown option \"%s\"", argv[1 + json]);
		return CLI_USAGE;
	}
	if (wrong != NULL) {
		log_error("the rule tables contradict themselves: %s", wrong);
		return CLI_REFUSED;
	}
	if (json)
		policy_dump_json(to_stdout, NULL);
	else
		policy_dump_text(to_stdout, NULL);
	return cli_finish_output();
}

int cli_policy(int argc, char *const *argv)
{
	if (argc > 1 && strcmp(argv[1], "dump") == 0)
		return dump(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "check-deny") == 0)
		return cli_check_deny(argc - 1, argv + 1);
	if (argc > 1)
		log_error("policy: unknown verb \"%s\"; there are \"dump\" and \"check-deny\"",
			  argv[1]);
	else
		log_error("policy: a verb is missing: \"dump\" or \"check-deny\"");
	return CLI_USAGE;
}
