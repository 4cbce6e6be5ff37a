/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "mcp/options.h"

#include "base/limits.h"

#include <criterion/criterion.h>

static int parse(struct mcp_options *o, struct errctx *e, const char *const *words)
{
	char *argv[16] = {(char *)"agentteams-runner-mcp"};
	int argc = 1;

	while (words[argc - 1]) {
		argv[argc] = (char *)words[argc - 1];
		argc++;
	}
	return mcp_options_parse(argc, argv, o, e);
}

#define PARSE(o, e, ...) parse(o, e, (const char *const[]){__VA_ARGS__, NULL})

Test(options, the_canonical_launch_line_parses)
{
	struct mcp_options o;
	struct errctx e = {0};

	cr_assert_eq(PARSE(&o, &e, "--agent", "docs-writer", "--approval", "staged", "--tools",
			   "read_file_hashed,write_file"),
		     0);
	cr_assert_str_eq(o.agent, "docs-writer");
	cr_assert(o.tools[TOOL_WRITE_FILE] && o.tools[TOOL_READ_FILE_HASHED]);
	cr_assert(!o.tools[TOOL_DELETE_FILE] && !o.tools[TOOL_RUN_COMMAND] &&
		  !o.tools[TOOL_REQUEST_STATUS]);
	cr_assert_eq(o.wait_ms, 20000);
	cr_assert_eq(o.page_bytes, 65536);
	cr_assert_null(o.root);
}

Test(options, empty_and_double_tools_are_harmless)
{
	struct mcp_options o;
	struct errctx e = {0};

	cr_assert_eq(PARSE(&o, &e, "--agent=a", "--tools=,write_file,,write_file,", "--root="), 0);
	cr_assert(o.tools[TOOL_WRITE_FILE]);
	cr_assert_null(o.root);
}

Test(options, wait_is_clamped)
{
	static const struct {
		const char *text;
		int64_t ms;
	} rows[] = {{"0", 0},	     {"-5", 0},	      {"nan", 0},     {"0.5", 500},
		    {"120", 120000}, {"1e9", 120000}, {"inf", 120000}};
	struct mcp_options o;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cr_assert_eq(PARSE(&o, NULL, "--agent", "a", "--tools", "write_file", "--wait",
				   rows[i].text),
			     0);
		cr_assert_eq(o.wait_ms, rows[i].ms, "%s", rows[i].text);
	}
}

Test(options, usage_errors_name_the_option)
{
	struct mcp_options o;
	struct errctx e = {0};
	static const struct {
		const char *words[8];
		const char *named;
	} rows[] = {
		{{"--tools", "write_file"}, "--agent"},
		{{"--agent", "a"}, "--tools"},
		{{"--agent", "A", "--tools", "write_file"}, "--agent"},
		{{"--agent", "", "--tools", "write_file"}, "--agent"},
		{{"--agent", "-a", "--tools", "write_file"}, "--agent"},
		{{"--agent", "a/b", "--tools", "write_file"}, "--agent"},
		{{"--agent", "a", "--tools", "shell"}, "shell"},
		{{"--agent", "a", "--tools", "*"}, "--tools"},
		{{"--agent", "a", "--tools", ","}, "--tools"},
		{{"--agent", "a", "--tools"}, "--tools"},
		{{"--agent", "a", "--tools", "write_file", "--approval", "auto"}, "--approval"},
		{{"--agent", "a", "--tools", "write_file", "--wait", "x"}, "--wait"},
		{{"--agent", "a", "--tools", "write_file", "--page-bytes", "1023"}, "--page-bytes"},
		{{"--agent", "a", "--tools", "write_file", "--page-bytes", "-1"}, "--page-bytes"},
		{{"--agent", "a", "--tools", "write_file", "--bogus"}, "--bogus"},
		{{"--agent", "a", "--tools", "write_file", "extra"}, "extra"},
		{{"--agentx", "a", "--tools", "write_file"}, "--agentx"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cr_assert_eq(parse(&o, &e, rows[i].words), E_USAGE, "row %zu", i);
		cr_assert(strstr(e.text, rows[i].named), "row %zu: %s", i, e.text);
	}
}
