/* SPDX-License-Identifier: MIT */
/* The role gate for Codex (file 41, section 9): the session's own agent may do what its policy
 * allows, spawned agents may use the read server's tools only. Exit 0 or 2, never another. Test:
 * tests/e2e/t0403-gate-explain.tap. */
#include "base/base.h"

#include "gate/gate_cmd.h"

#include "base/limits.h"
#include "gate/event.h"

static int deny(const char *why)
{
	struct buf b;

	buf_init(&b, 512);
	(void)buf_printf(&b, "agentteams-gate: codex-role: %s; the call is blocked\n", why);
	if (write(STDERR_FILENO, buf_text(&b), buf_view(&b).len) < 0)
		return EXIT_BLOCK;
	return EXIT_BLOCK;
}

/* Absent, null or an empty text. */
static bool empty(const struct json *m)
{
	struct view v;

	return !m || json_is(m, JSON_NULL) || (json_get_str(m, &v) == 0 && v.len == 0);
}

int codex_role_cmd(void)
{
	static const char *const tools[] = {
		"mcp__agentteams_readfs__read_file", "mcp__agentteams_readfs__list_dir",
		"mcp__agentteams_readfs__find", "mcp__agentteams_readfs__grep",
		"mcp__agentteams_readfs__stat"};
	const char *confined = getenv("AGENTTEAMS_CODEX_CONFINED");
	struct buf input;
	struct json *j = NULL;
	struct errctx e = {0};
	struct view name, tool;

	guard_start(FAIL_CLOSED);
	guard_lockdown();
	buf_init(&input, MAX_GATE_EVENT_BYTES + 2 * 1048576);
	if (event_read(STDIN_FILENO, &input, &e) != 0 || json_parse(buf_view(&input), &j, &e) != 0)
		return deny(e.text);
	guard_decide();
	if (!confined || strcmp(confined, "1") != 0)
		return deny("the session isn't confined");
	if (!json_is(j, JSON_OBJECT))
		return deny("the event is no JSON object");
	if (json_get_str(json_member(j, "hook_event_name"), &name) != 0 ||
	    !view_is(name, "PreToolUse"))
		return deny("the event isn't PreToolUse");
	if (empty(json_member(j, "agent_type")) && empty(json_member(j, "agent_id")))
		return EXIT_PASS;
	if (json_get_str(json_member(j, "tool_name"), &tool) == 0)
		for (size_t i = 0; i < ARRAY_LEN(tools); i++)
			if (view_is(tool, tools[i]))
				return EXIT_PASS;
	return deny("a spawned agent may only use the read server's tools");
}
