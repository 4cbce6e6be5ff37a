/* SPDX-License-Identifier: MIT */
/*
 * The five MCP tools and their arguments: names, annotations, bounds and the words a model reads.
 * Pure. The server writes its schemas from these rows and checks arguments against the same rows.
 * Tests: tests/unit/policy/t_tools.c, tests/golden/policy.txt.
 */
#include "base/base.h"

#include "policy/policy.h"

#include "base/limits.h"

/* Canonical order (file 20, section 2). Annotations say what a call does by itself (file 00, D24):
 * write_file only stages, so it destroys nothing; the other two ask for something that can. */
static const struct tool_row tools[] = {
	[TOOL_WRITE_FILE] = {.id = "TOOL_01", .name = "write_file", .queues = true},
	[TOOL_DELETE_FILE] = {.id = "TOOL_02",
			      .name = "delete_file",
			      .destructive = true,
			      .queues = true},
	[TOOL_RUN_COMMAND] = {.id = "TOOL_03",
			      .name = "run_command",
			      .destructive = true,
			      .queues = true},
	[TOOL_REQUEST_STATUS] = {.id = "TOOL_04",
				 .name = "request_status",
				 .read_only = true,
				 .idempotent = true},
	[TOOL_READ_FILE_HASHED] = {.id = "TOOL_05",
				   .name = "read_file_hashed",
				   .read_only = true,
				   .idempotent = true},
};
_Static_assert(ARRAY_LEN(tools) == N_TOOLS, "one row for each enum tool");

/* Words that several tools share. */
#define DISPATCH_TEXT                                                                              \
	"Dispatch nonce that the orchestrator put in your task: 32 lower-case hex digits. Copy "   \
	"it "                                                                                      \
	"exactly."
#define BASE_TEXT "base_sha256 from your latest read_file_hashed of this path"

/* In the order of the tools, each tool's arguments in the order of file 20, section 6. */
static const struct param_row params[] = {
	{TOOL_WRITE_FILE, "PARAM_01", "dispatch", PARAM_STRING, FORM_TOKEN, true, 32, 32, 32, 0, 0,
	 DISPATCH_TEXT},
	{TOOL_WRITE_FILE, "PARAM_02", "path", PARAM_STRING, FORM_PATH, true, 1, MAX_PATH_BYTES,
	 MAX_PATH_BYTES, 0, 0, "File to write, relative to the project root, without \"..\"."},
	{TOOL_WRITE_FILE, "PARAM_03", "content", PARAM_STRING, FORM_ANY, true, 0, MAX_CONTENT_BYTES,
	 MAX_CONTENT_BYTES, 0, 0,
	 "The complete new text of the file, not a patch; at most 262144 bytes of UTF-8."},
	{TOOL_WRITE_FILE, "PARAM_04", "base_sha256", PARAM_STRING, FORM_BASE, true, 6, 64, 64, 0, 0,
	 BASE_TEXT ", or \"absent\" for a file that doesn't exist."},
	{TOOL_WRITE_FILE, "PARAM_05", "rationale", PARAM_STRING, FORM_ANY, true, 1,
	 MAX_RATIONALE_CHARS, 0, 0, 0,
	 "Why this change is right, for the person who reviews it; the ledger keeps the first 300 "
	 "characters."},
	{TOOL_WRITE_FILE, "PARAM_06", "gates", PARAM_STRINGS, FORM_GATE, false, 1, MAX_SLUG_BYTES,
	 MAX_SLUG_BYTES, 0, MAX_GATES,
	 "Names of further gates (checking programs of the team's brief) to run on the content."},

	{TOOL_DELETE_FILE, "PARAM_07", "dispatch", PARAM_STRING, FORM_TOKEN, true, 32, 32, 32, 0, 0,
	 DISPATCH_TEXT},
	{TOOL_DELETE_FILE, "PARAM_08", "path", PARAM_STRING, FORM_PATH, true, 1, MAX_PATH_BYTES,
	 MAX_PATH_BYTES, 0, 0, "File to delete, relative to the project root, without \"..\"."},
	{TOOL_DELETE_FILE, "PARAM_09", "base_sha256", PARAM_STRING, FORM_BASE, true, 6, 64, 64, 0,
	 0, BASE_TEXT "."},
	{TOOL_DELETE_FILE, "PARAM_10", "rationale", PARAM_STRING, FORM_ANY, true, 1,
	 MAX_RATIONALE_CHARS, 0, 0, 0,
	 "Why the file should go, for the person who reviews it; the ledger keeps the first 300 "
	 "characters."},

	{TOOL_RUN_COMMAND, "PARAM_11", "dispatch", PARAM_STRING, FORM_TOKEN, true, 32, 32, 32, 0, 0,
	 DISPATCH_TEXT},
	{TOOL_RUN_COMMAND, "PARAM_12", "argv", PARAM_STRINGS, FORM_ANY, true, 0, MAX_ARG_BYTES,
	 MAX_ARG_BYTES, 1, MAX_ARGV_ITEMS,
	 "Program and arguments, one item each; no shell reads them, so no quoting, pipes or "
	 "variables."},
	{TOOL_RUN_COMMAND, "PARAM_13", "purpose", PARAM_STRING, FORM_ANY, true, 1,
	 MAX_RATIONALE_CHARS, 0, 0, 0,
	 "What the command is for; the ledger keeps the first 300 characters."},
	{TOOL_RUN_COMMAND, "PARAM_14", "cwd", PARAM_STRING, FORM_PATH, false, 1, MAX_PATH_BYTES,
	 MAX_PATH_BYTES, 0, 0,
	 "Working folder, relative to the project root; must be the one that the allowlist names "
	 "for this command."},
	{TOOL_RUN_COMMAND, "PARAM_15", "expected_writes", PARAM_STRINGS, FORM_PATH, false, 1,
	 MAX_PATH_BYTES, MAX_PATH_BYTES, 0, MAX_EXPECTED_WRITES,
	 "Every file the command may change, relative to the project root. A write that isn't "
	 "listed doesn't land."},
	{TOOL_RUN_COMMAND, "PARAM_16", "stdin_path", PARAM_STRING, FORM_PATH, false, 1,
	 MAX_PATH_BYTES, MAX_PATH_BYTES, 0, 0,
	 "Path under which the gates judge stdin_content; give both or neither."},
	{TOOL_RUN_COMMAND, "PARAM_17", "stdin_content", PARAM_STRING, FORM_ANY, false, 0,
	 MAX_CONTENT_BYTES, MAX_CONTENT_BYTES, 0, 0,
	 "Text for the command's standard input, at most 262144 bytes of UTF-8."},

	{TOOL_REQUEST_STATUS, "PARAM_18", "request_id", PARAM_STRING, FORM_TOKEN, true, 32, 32, 32,
	 0, 0, "The request_id that an earlier call returned: 32 lower-case hex digits."},

	{TOOL_READ_FILE_HASHED, "PARAM_19", "path", PARAM_STRING, FORM_PATH, true, 1,
	 MAX_PATH_BYTES, MAX_PATH_BYTES, 0, 0,
	 "File to read, relative to the project root, without \"..\"."},
	/* No file that may be read has more lines than bytes. */
	{TOOL_READ_FILE_HASHED, "PARAM_20", "start_line", PARAM_INTEGER, FORM_ANY, false, 1,
	 MAX_READ_FILE_BYTES, 0, 0, 0, "First line to return, counted from 1; default 1."},
	{TOOL_READ_FILE_HASHED, "PARAM_21", "max_lines", PARAM_INTEGER, FORM_ANY, false, 1,
	 MAX_READ_FILE_BYTES, 0, 0, 0,
	 "Most lines to return; default: as many whole lines as fit in one page."},
};
/* The sizes that the texts above spell out. */
_Static_assert(MAX_CONTENT_BYTES == 262144, "the descriptions of content and stdin_content say so");

const struct tool_row *policy_tool(enum tool t)
{
	return (unsigned)t < N_TOOLS ? &tools[t] : NULL;
}

int policy_tool_by_name(struct view name)
{
	for (int i = 0; i < N_TOOLS; i++)
		if (view_is(name, tools[i].name))
			return i;
	return -1;
}

const struct param_row *policy_params(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(params);
	return params;
}
