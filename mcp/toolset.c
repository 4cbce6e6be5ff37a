/* SPDX-License-Identifier: MIT */
/*
 * How the tools are advertised. Pure. The words are written for a model that has to use a tool
 * right the first time: what it does, what it needs, what comes back, what to do then. Tested by
 * the transcripts.
 */
#include "base/base.h"

#include "mcp/toolset.h"

#include "mcp/params.h"

const char toolset_instructions[] =
	"You may not write files or run commands yourself; this server asks the runner to do it, "
	"and a person or a rule decides. Read a file with read_file_hashed, change it with "
	"write_file (the complete new text and the base_sha256 you read), and put the dispatch "
	"nonce from your task into every request. A reply with status \"queued\" isn't done: ask "
	"request_status with its request_id, and don't send the request again. A staged write "
	"changes nothing until the operator applies it. When a call is refused, the text names "
	"the rule; fix that or report it, don't try another spelling.";

/* One schema for everything that goes through the runner: what it answered, or that it hasn't yet.
 */
#define QUEUED_SCHEMA                                                                              \
	"{\"type\":\"object\",\"properties\":{"                                                    \
	"\"request_id\":{\"type\":\"string\",\"pattern\":\"^[0-9a-f]{32}$\","                      \
	"\"description\":\"Name of the request, for request_status\"},"                            \
	"\"status\":{\"type\":\"string\",\"enum\":[\"queued\",\"staged\",\"done\",\"refused\"],"   \
	"\"description\":\"queued: no answer yet, ask request_status later; done: result holds "   \
	"it; refused: error says why\"},"                                                          \
	"\"note\":{\"type\":\"string\",\"description\":\"What to do next\"},"                      \
	"\"id\":{\"type\":\"string\",\"description\":\"The runner's name of the request, the "     \
	"same as request_id\"},"                                                                   \
	"\"ok\":{\"type\":\"boolean\",\"description\":\"Whether the runner did it\"},"             \
	"\"kind\":{\"type\":\"string\",\"description\":\"stage-proposal or run-request\"},"        \
	"\"result\":{\"type\":\"object\",\"description\":\"What came of it: a staging receipt "    \
	"(staged, sid, path, base_sha256, new_sha256, gates, expires), a written file, or a "      \
	"command's exit, stdout and stderr\"},"                                                    \
	"\"error\":{\"type\":\"string\",\"description\":\"Why it was refused, naming the rule\"}," \
	"\"exit\":{\"type\":\"integer\",\"description\":\"1: refused, 3: wrote something "         \
	"undeclared or timed out\"},"                                                              \
	"\"serve_ms\":{\"type\":\"integer\",\"description\":\"Milliseconds the runner took\"},"    \
	"\"result_cut\":{\"type\":\"boolean\",\"description\":\"Output was cut\"},"                \
	"\"ack_error\":{\"type\":\"string\",\"description\":\"The result couldn't be "             \
	"acknowledged; it is valid all the same\"}},"                                              \
	"\"required\":[\"request_id\",\"status\"]}"

static const struct {
	const char *title;
	const char *description;
	const char *output_schema;
} words[] = {
	[TOOL_WRITE_FILE] =
		{
			"Write a file (staged for review)",
			"Asks the runner to create or replace one text file of the project. Give "
			"the "
			"complete new content, not a patch, and the base_sha256 that "
			"read_file_hashed "
			"returned for the path (\"absent\" for a new file): if the file changed "
			"since, the "
			"request is refused and you read again. Normally the write is only staged: "
			"the "
			"reply carries a receipt with sid, and the file changes when the operator "
			"applies "
			"it. A reply with status \"queued\" means that no answer came in time; ask "
			"request_status later.",
			QUEUED_SCHEMA,
		},
	[TOOL_DELETE_FILE] =
		{
			"Delete a file (staged for review)",
			"Asks the runner to delete one file of the project. Give the base_sha256 "
			"that "
			"read_file_hashed returned for it. A deletion is always staged: the file "
			"goes "
			"when the operator applies it. A reply with status \"queued\" means that "
			"no answer "
			"came in time; ask request_status later.",
			QUEUED_SCHEMA,
		},
	[TOOL_RUN_COMMAND] =
		{
			"Run an allowed command (confined)",
			"Asks the runner to run one program of your allowlist in its sandbox. argv "
			"is a "
			"list of words, never a shell line: no pipes, quotes, variables or "
			"redirections. "
			"List in expected_writes every file that the command may change; a write "
			"that "
			"isn't listed doesn't land. The reply carries exit, stdout and stderr. A "
			"reply "
			"with status \"queued\" means that it hasn't finished; ask request_status "
			"later "
			"and don't send it again.",
			QUEUED_SCHEMA,
		},
	[TOOL_REQUEST_STATUS] =
		{
			"Ask for the answer to a queued request",
			"Returns the runner's answer to an earlier write_file, delete_file or "
			"run_command "
			"of yours, or status \"queued\" if there is none yet. Each answer is "
			"handed out "
			"once. Wait some seconds between two calls.",
			QUEUED_SCHEMA,
		},
	[TOOL_READ_FILE_HASHED] =
		{
			"Read a project file with its hash",
			"Reads one file of the project and returns its text with the SHA-256 of "
			"the whole "
			"file (base_sha256), which write_file and delete_file ask for. A file that "
			"doesn't "
			"exist gives exists false and base_sha256 \"absent\". Long files come in "
			"pages of "
			"whole lines: when next_start_line is there, call again with start_line "
			"set to it; "
			"the hash is always of the whole file. Credentials and control files are "
			"refused. "
			"A file that is no UTF-8 text comes as base64 if it is small.",
			"{\"type\":\"object\",\"properties\":{"
			"\"path\":{\"type\":\"string\",\"description\":\"The path as requested\"},"
			"\"exists\":{\"type\":\"boolean\",\"description\":\"Whether there is such "
			"a file\"},"
			"\"base_sha256\":{\"type\":\"string\",\"pattern\":\"^([0-9a-f]{64}|absent)$"
			"\","
			"\"description\":\"SHA-256 of the whole file's bytes, or absent\"},"
			"\"bytes\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"Size of "
			"the whole "
			"file\"},"
			"\"encoding\":{\"type\":\"string\",\"enum\":[\"utf-8\",\"base64\"],"
			"\"description\":\"How content is written\"},"
			"\"content\":{\"type\":\"string\",\"description\":\"The text, or this page "
			"of it\"},"
			"\"start_line\":{\"type\":\"integer\",\"minimum\":1,\"description\":"
			"\"First line of "
			"content\"},"
			"\"lines\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"Lines in "
			"content\"},"
			"\"total_lines\":{\"type\":\"integer\",\"minimum\":0,\"description\":"
			"\"Lines in the "
			"whole file\"},"
			"\"next_start_line\":{\"type\":\"integer\",\"minimum\":2,\"description\":"
			"\"There is "
			"more: start_line for the next call\"},"
			"\"line_truncated\":{\"type\":\"boolean\",\"description\":\"The only line "
			"of this "
			"page was longer than a page and is cut\"},"
			"\"escaped_characters\":{\"type\":\"integer\",\"minimum\":1,"
			"\"description\":\"Hidden "
			"characters in content that are shown as \\\\u{HEX}\"},"
			"\"note\":{\"type\":\"string\",\"description\":\"What to know about this "
			"reply\"}},"
			"\"required\":[\"path\",\"exists\",\"base_sha256\"],"
			"\"additionalProperties\":false}",
		},
};
_Static_assert(ARRAY_LEN(words) == N_TOOLS, "every tool has its words");

static void emit_annotations(struct jsonw *w, enum tool t)
{
	const struct tool_row *row = policy_tool(t);

	jsonw_key(w, "annotations");
	jsonw_obj(w);
	jsonw_kv_cstr(w, "title", words[t].title);
	jsonw_kv_bool(w, "readOnlyHint", row->read_only);
	jsonw_kv_bool(w, "destructiveHint", row->destructive);
	jsonw_kv_bool(w, "idempotentHint", row->idempotent);
	jsonw_kv_bool(w, "openWorldHint", row->open_world);
	jsonw_obj_end(w);
}

static void emit_tool(struct jsonw *w, enum tool t, enum revision r)
{
	jsonw_obj(w);
	jsonw_kv_cstr(w, "name", policy_tool(t)->name);
	if (revision_has_structure(r))
		jsonw_kv_cstr(w, "title", words[t].title);
	jsonw_kv_cstr(w, "description", words[t].description);
	jsonw_key(w, "inputSchema");
	params_emit_schema(w, t);
	if (revision_has_structure(r)) {
		jsonw_key(w, "outputSchema");
		jsonw_raw(w, view_of(words[t].output_schema));
	}
	if (revision_has_annotations(r))
		emit_annotations(w, t);
	if (revision_has_structure(r)) {
		/* Claude Code then shows the tool at once in place of hiding it behind a search
		 * (file 50, section 4). */
		jsonw_key(w, "_meta");
		jsonw_obj(w);
		jsonw_kv_bool(w, "anthropic/alwaysLoad", true);
		jsonw_obj_end(w);
	}
	jsonw_obj_end(w);
}

void toolset_emit(struct jsonw *w, const bool granted[N_TOOLS], enum revision r)
{
	jsonw_arr(w);
	for (int t = 0; t < N_TOOLS; t++)
		if (granted[t])
			emit_tool(w, (enum tool)t, r);
	jsonw_arr_end(w);
}

void toolset_emit_identity(struct jsonw *w, enum revision r)
{
	jsonw_obj(w);
	jsonw_kv_cstr(w, "name", SERVER_NAME);
	if (revision_has_structure(r))
		jsonw_kv_cstr(w, "title", "agentteams runner");
	jsonw_kv_cstr(w, "version", SERVER_VERSION);
	jsonw_obj_end(w);
}
