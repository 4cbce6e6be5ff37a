/* SPDX-License-Identifier: MIT */
/*
 * tools/call: an unknown tool or a malformed call is a protocol error; arguments that break the
 * schema are a result with isError, which a model sees and can mend (file 50, section 4). Tested by
 * the transcripts.
 */
#include "base/base.h"

#include "mcp/server.h"

#include "mcp/params.h"

void call_serve(struct server *s, const struct caller *to, const struct json *params)
{
	const struct json *arguments = json_member(params, "arguments");
	struct errctx e = {0};
	struct view name;
	char why[128];
	int tool;

	if (json_get_str(json_member(params, "name"), &name) != 0)
		return reply_error(s, to, RPC_INVALID_PARAMS,
				   "member \"name\" of params must be a string", (struct view){0});
	tool = policy_tool_by_name(name);
	if (tool < 0 || !s->options->tools[tool]) {
		(void)snprintf(why, sizeof(why), "unknown tool \"%.*s\"",
			       (int)(name.len > 64 ? 64 : name.len), name.ptr);
		return reply_error(s, to, RPC_INVALID_PARAMS, why, (struct view){0});
	}
	if (json_is(arguments, JSON_NULL))
		arguments = NULL;
	if (arguments && !json_is(arguments, JSON_OBJECT))
		return reply_error(s, to, RPC_INVALID_PARAMS,
				   "member \"arguments\" of params must be an object",
				   (struct view){0});
	if (params_check((enum tool)tool, arguments, &e) != 0)
		return reply_tool_refusal(s, to, "%s", e.text);
	switch ((enum tool)tool) {
	case TOOL_READ_FILE_HASHED:
		return tool_read(s, to, arguments);
	case TOOL_REQUEST_STATUS:
		return tool_status(s, to, arguments);
	case TOOL_WRITE_FILE:
	case TOOL_DELETE_FILE:
	case TOOL_RUN_COMMAND:
		return tool_queue(s, to, (enum tool)tool, arguments);
	case N_TOOLS:
		break;
	}
	reply_error(s, to, RPC_INTERNAL_ERROR, "no handler for this tool", (struct view){0});
}
