/* SPDX-License-Identifier: MIT */
/* Command line of the server. Pure. Tested by tests/unit/mcp/t_options.c. */
#include "base/base.h"

#include "mcp/options.h"

#include "base/limits.h"

#include <math.h>

const char mcp_usage[] =
	"usage: agentteams-runner-mcp --agent SLUG --tools LIST [--wait SECONDS]\n"
	"           [--page-bytes N] [--root DIR] [--debug]\n"
	"       agentteams-runner-mcp --help | --version\n"
	"\n"
	"MCP server on standard input and output for one agent of a team. It reads project\n"
	"files and queues writes and commands for agentteams-runner; it can do neither itself.\n"
	"\n"
	"  --agent SLUG      agent served: lower-case letters, digits, '-'\n"
	"  --tools LIST      granted tools, comma-separated: write_file, delete_file,\n"
	"                    run_command, request_status, read_file_hashed\n"
	"  --wait SECONDS    how long a call waits for the runner before it is answered\n"
	"                    \"queued\": 0 to 120, default 20\n"
	"  --page-bytes N    most file content in one reply: 1024 to 262144, default 65536\n"
	"  --root DIR        project, in place of the one the program is installed in\n"
	"  --debug           say more on standard error\n"
	"  --approval MODE   accepted for old launch lines (staged or direct); changes nothing\n"
	"  --help, --version\n";

static bool is_slug(const char *s)
{
	size_t n = strlen(s);

	if (n == 0 || n > MAX_SLUG_BYTES || s[0] == '-')
		return false;
	return strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}

static int parse_agent(const char *value, struct mcp_options *o, struct errctx *e)
{
	if (!is_slug(value))
		return err_set(e, E_USAGE,
			       "--agent: \"%s\" is no agent name (at most %d lower-case letters, "
			       "digits and '-', not starting with '-')",
			       value, MAX_SLUG_BYTES);
	o->agent = value;
	return 0;
}

static int parse_tools(const char *value, struct mcp_options *o, struct errctx *e)
{
	bool any = false;

	memset(o->tools, 0, sizeof(o->tools));
	for (const char *p = value; *p;) {
		size_t n = strcspn(p, ",");

		if (n > 0) {
			int tool = policy_tool_by_name((struct view){p, n});

			if (tool < 0)
				return err_set(e, E_USAGE, "--tools: unknown tool \"%.*s\"",
					       (int)(n > 64 ? 64 : n), p);
			o->tools[tool] = true;
			any = true;
		}
		p += n + (p[n] == ',');
	}
	if (!any)
		return err_set(e, E_USAGE, "--tools: names no tool");
	return 0;
}

static int parse_approval(const char *value, struct mcp_options *o unused_arg, struct errctx *e)
{
	if (strcmp(value, "staged") != 0 && strcmp(value, "direct") != 0)
		return err_set(e, E_USAGE, "--approval: \"%s\" is neither staged nor direct",
			       value);
	return 0;
}

static int parse_wait(const char *value, struct mcp_options *o, struct errctx *e)
{
	char *end;
	double seconds = strtod(value, &end);

	if (end == value || *end)
		return err_set(e, E_USAGE, "--wait: \"%s\" is no number of seconds", value);
	if (isnan(seconds) || seconds < 0) /* compat: file 20, section 3 */
		seconds = 0;
	if (seconds > MAX_WAIT_SECONDS)
		seconds = MAX_WAIT_SECONDS;
	o->wait_ms = (int64_t)(seconds * 1000);
	return 0;
}

static int parse_page_bytes(const char *value, struct mcp_options *o, struct errctx *e)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (value[0] < '0' || value[0] > '9' || *end || n < MIN_PAGE_BYTES || n > MAX_PAGE_BYTES)
		return err_set(e, E_USAGE, "--page-bytes: \"%s\" is no number from %d to %d", value,
			       MIN_PAGE_BYTES, MAX_PAGE_BYTES);
	o->page_bytes = n;
	return 0;
}

static int parse_root(const char *value, struct mcp_options *o, struct errctx *e unused_arg)
{
	o->root = *value ? value : NULL; /* an empty value counts as absent */
	return 0;
}

static const struct {
	const char *name;
	int (*parse)(const char *value, struct mcp_options *o, struct errctx *e);
} with_value[] = {
	{"--agent", parse_agent},	    {"--tools", parse_tools},
	{"--approval", parse_approval},	    {"--wait", parse_wait},
	{"--page-bytes", parse_page_bytes}, {"--root", parse_root},
};

/* Consumes one option at argv[*i]. */
static int parse_one(int argc, char *const *argv, int *i, struct mcp_options *o, struct errctx *e)
{
	const char *word = argv[*i];

	for (size_t k = 0; k < ARRAY_LEN(with_value); k++) {
		size_t n = strlen(with_value[k].name);

		if (strncmp(word, with_value[k].name, n) != 0)
			continue;
		if (word[n] == '=')
			return with_value[k].parse(word + n + 1, o, e);
		if (word[n])
			continue;
		if (*i + 1 >= argc)
			return err_set(e, E_USAGE, "%s: needs a value", word);
		return with_value[k].parse(argv[++*i], o, e);
	}
	if (strcmp(word, "--debug") == 0)
		o->debug = true;
	else if (strcmp(word, "--help") == 0)
		o->action = MCP_HELP;
	else if (strcmp(word, "--version") == 0)
		o->action = MCP_VERSION;
	else
		return err_set(e, E_USAGE, "unknown option or argument \"%s\"", word);
	return 0;
}

int mcp_options_parse(int argc, char *const *argv, struct mcp_options *ret, struct errctx *e)
{
	struct mcp_options o = {
		.action = MCP_SERVE, .wait_ms = 20000, .page_bytes = DEFAULT_PAGE_BYTES};
	bool any_tool = false;

	for (int i = 1; i < argc; i++) {
		int err = parse_one(argc, argv, &i, &o, e);

		if (err)
			return err;
		if (o.action != MCP_SERVE) {
			*ret = o;
			return 0;
		}
	}
	for (int t = 0; t < N_TOOLS; t++)
		any_tool |= o.tools[t];
	if (!o.agent)
		return err_set(e, E_USAGE, "--agent: missing");
	if (!any_tool)
		return err_set(e, E_USAGE, "--tools: missing");
	*ret = o;
	return 0;
}
