/* SPDX-License-Identifier: MIT */
/*
 * agentteams-gate: the hook that a coding agent's client runs before each tool call. This file
 * reads the command line; the subcommands act. A usage error of a hook subcommand blocks (exit 2):
 * a hook that is wired wrongly must not look like one that has nothing to say.
 */
#include "base/base.h"

#include "gate/gate_cmd.h"

#include "base/io.h"

static const char usage[] =
	"usage: agentteams-gate pretooluse [--fail closed|open] [--confined] [--headless] "
	"[--project DIR]\n"
	"                                  [--rules FILE | --no-rules] [--log FILE]\n"
	"                                  [--approvals FILE --approval-key HEX]\n"
	"       agentteams-gate codex-role\n"
	"       agentteams-gate explain [--json] [--project DIR] [--rules FILE | --no-rules] "
	"COMMAND\n"
	"       agentteams-gate check-rules [FILE]\n"
	"       agentteams-gate --help | --version\n";

static int bad_usage(const char *why, const char *what)
{
	struct buf b;

	buf_init(&b, 4096);
	(void)buf_printf(&b, "agentteams-gate: %s \"%.200s\"\n%s", why, what, usage);
	if (write(STDERR_FILENO, buf_text(&b), buf_view(&b).len) < 0)
		return EXIT_USAGE;
	return EXIT_USAGE;
}

static int print(const char *text)
{
	return io_write_all(STDOUT_FILENO, text, strlen(text)) == 0 ? EXIT_OK : EXIT_REFUSED;
}

/* --name VALUE and --name=VALUE. True if argv[*i] is it. */
static bool valued(int argc, char **argv, int *i, const char *name, const char **ret, bool *ret_bad)
{
	size_t n = strlen(name);

	if (strncmp(argv[*i], name, n) != 0)
		return false;
	if (argv[*i][n] == '=') {
		*ret = argv[*i] + n + 1;
		return true;
	}
	if (argv[*i][n])
		return false;
	if (*i + 1 >= argc) {
		*ret_bad = true;
		return true;
	}
	*ret = argv[++*i];
	return true;
}

static bool flag(const char *arg, const char *name, bool *ret)
{
	if (strcmp(arg, name) != 0)
		return false;
	*ret = true;
	return true;
}

static int parse_options(int argc, char **argv, struct options *o)
{
	const char *fail = NULL;
	int i;

	for (i = 2; i < argc; i++) {
		bool bad = false;

		if (argv[i][0] != '-' || !argv[i][1])
			break;
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		if (!flag(argv[i], "--confined", &o->confined) &&
		    !flag(argv[i], "--headless", &o->headless) &&
		    !flag(argv[i], "--json", &o->json) &&
		    !flag(argv[i], "--no-rules", &o->no_rules) &&
		    !valued(argc, argv, &i, "--fail", &fail, &bad) &&
		    !valued(argc, argv, &i, "--project", &o->project, &bad) &&
		    !valued(argc, argv, &i, "--rules", &o->rules, &bad) &&
		    !valued(argc, argv, &i, "--approvals", &o->approvals, &bad) &&
		    !valued(argc, argv, &i, "--approval-key", &o->key, &bad) &&
		    !valued(argc, argv, &i, "--log", &o->log, &bad))
			return bad_usage("unknown option", argv[i]);
		if (bad)
			return bad_usage("a value is missing after", argv[i]);
	}
	o->rest = argv + i;
	o->n_rest = argc - i;
	if (fail && strcmp(fail, "open") == 0)
		o->fail = FAIL_OPEN;
	else if (fail && strcmp(fail, "closed") != 0)
		return bad_usage("--fail is closed or open, not", fail);
	if ((o->project && o->project[0] != '/') || (o->rules && o->rules[0] != '/') ||
	    (o->approvals && o->approvals[0] != '/') || (o->log && o->log[0] != '/'))
		return bad_usage("an option wants an absolute path",
				 "--project, --rules, --approvals, --log");
	return 0;
}

static int run(int argc, char **argv)
{
	struct options o = {.fail = FAIL_CLOSED};
	const char *verb = argc > 1 ? argv[1] : "";

	if (io_guard_std_fds() != 0)
		return EXIT_USAGE;
	if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0)
		return print(usage);
	if (strcmp(verb, "--version") == 0)
		return print(PACKAGE_STRING "\n");
	if (strcmp(verb, "codex-role") == 0)
		return argc == 2 ? codex_role_cmd()
				 : bad_usage("codex-role takes nothing, not", argv[2]);
	if (strcmp(verb, "pretooluse") != 0 && strcmp(verb, "explain") != 0 &&
	    strcmp(verb, "check-rules") != 0)
		return bad_usage("no such subcommand:", verb);
	if (parse_options(argc, argv, &o) != 0)
		return EXIT_USAGE;
	if (strcmp(verb, "explain") == 0)
		return explain_cmd(&o);
	if (strcmp(verb, "check-rules") == 0)
		return check_rules_cmd(&o);
	if (o.n_rest)
		return bad_usage("pretooluse takes options only, not", o.rest[0]);
	return pretooluse_cmd(&o);
}

int main(int argc, char **argv)
{
	int status = run(argc, argv);

	/* Nothing is given back piece by piece: the process ends here. */
	_exit(fflush(stdout) == 0 ? status : EXIT_BLOCK);
}
