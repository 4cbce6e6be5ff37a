/* SPDX-License-Identifier: MIT */
/* Reading of an event. Claude Code, Codex and goose share a shape, Copilot and Gemini differ in
 * names (file 50, sections 5 to 8). Test: tests/e2e/t0400-gate-event.tap. */
#include "base/base.h"

#include "gate/event.h"

#include "base/limits.h"

#include <errno.h>

/* Follows strings and brackets: where the first value ends. */
struct balance {
	size_t at;
	unsigned depth;
	bool string, escape, begun, done;
};

static int follow(struct balance *b, const char *s, size_t n, struct errctx *e)
{
	for (; b->at < n && !b->done; b->at++) {
		char c = s[b->at];

		if (b->string) {
			if (b->escape)
				b->escape = false;
			else if (c == '\\')
				b->escape = true;
			else if (c == '"')
				b->string = false;
			continue;
		}
		if (!b->begun) {
			if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
				continue;
			if (c != '{')
				return err_set(e, E_SYNTAX, "the event is no JSON object");
			b->begun = true;
		}
		if (c == '"')
			b->string = true;
		else if (c == '{' || c == '[')
			b->depth++;
		else if ((c == '}' || c == ']') && --b->depth == 0)
			b->done = true;
	}
	return 0;
}

int event_read(int fd, struct buf *out, struct errctx *e)
{
	struct balance b = {0};

	while (!b.done) {
		size_t room = buf_view(out).len < 65536 ? 65536 : 1048576;
		char *p;
		ssize_t n;
		int r;

		if (buf_view(out).len > MAX_GATE_EVENT_BYTES)
			return err_set(e, E_TOOBIG, "the event is larger than %d bytes",
				       MAX_GATE_EVENT_BYTES);
		p = buf_reserve(out, room);
		if (!p)
			return err_set(e, E_NOMEM, "no memory for the event");
		n = read(fd, p, room);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read the event");
		if (n == 0)
			return err_set(e, E_SYNTAX,
				       buf_view(out).len ? "the event ends before it is complete"
							 : "there is no event on standard input");
		buf_added(out, (size_t)n);
		r = follow(&b, buf_text(out), buf_view(out).len, e);
		if (r)
			return r;
	}
	if (buf_view(out).len > MAX_GATE_EVENT_BYTES)
		return err_set(e, E_TOOBIG, "the event is larger than %d bytes",
			       MAX_GATE_EVENT_BYTES);
	return 0;
}

/* A string member by either of two names; absent is fine. */
static int text(const struct json *j, const char *name, const char *other, struct view *ret,
		struct errctx *e)
{
	const struct json *m = json_member(j, name);

	if (!m && other)
		m = json_member(j, other);
	if (!m || json_is(m, JSON_NULL))
		return 0;
	if (json_get_str(m, ret) != 0)
		return err_set(e, E_TYPE, "the event's member \"%s\" is no text", name);
	return 0;
}

int event_load(const struct json *j, struct event *ret, struct errctx *e)
{
	struct event v = {.can_ask = true};
	struct view name = {0}, agent = {0}, turn = {0};
	const struct json *input;
	int r;

	if (!json_is(j, JSON_OBJECT))
		return err_set(e, E_TYPE, "the event is no JSON object");
	if ((r = text(j, "hook_event_name", "event", &name, e)) ||
	    (r = text(j, "session_id", "sessionId", &v.session, e)) ||
	    (r = text(j, "tool_use_id", "tool_call_id", &v.call, e)) ||
	    (r = text(j, "cwd", "working_dir", &v.cwd, e)) ||
	    (r = text(j, "permission_mode", NULL, &v.mode, e)) ||
	    (r = text(j, "agent_id", NULL, &agent, e)) ||
	    (r = text(j, "turn_id", NULL, &turn, e)) ||
	    (r = text(j, "tool_name", "toolName", &v.tool, e)))
		return r;
	if (name.len && !view_is(name, "PreToolUse") && !view_is(name, "preToolUse") &&
	    !view_is(name, "BeforeTool"))
		return err_set(e, E_UNKNOWN,
			       "wired to the event \"%.64s\", not to one before a tool call",
			       name.ptr);
	if (v.tool.len == 0)
		return err_set(e, E_MISSING, "the event names no tool");
	input = json_member(j, "tool_input");
	if (!input)
		input = json_member(j, "toolArgs");
	if (input && !json_is(input, JSON_NULL)) {
		if (!json_is(input, JSON_OBJECT))
			return err_set(e, E_TYPE, "the tool's arguments are no object");
		v.input = input;
	}
	v.agent = agent.len > 0;
	/* Only Claude Code puts a hook's question to a person: Codex marks its events with a turn,
	 * goose calls the member "event", Copilot writes toolName, Gemini calls the event
	 * BeforeTool. */
	if (turn.len || !json_member(j, "hook_event_name") || !json_member(j, "tool_name") ||
	    view_is(name, "BeforeTool"))
		v.can_ask = json_member(j, "hook_event_name") == NULL &&
			    json_member(j, "event") == NULL && json_member(j, "toolName") == NULL &&
			    !turn.len;
	if (view_is(v.mode, "dontAsk") || view_is(v.mode, "bypassPermissions"))
		v.can_ask = false;
	*ret = v;
	return 0;
}
