/* SPDX-License-Identifier: MIT */
/*
 * write_file, delete_file, run_command and request_status: turning a call into a queued artifact
 * (file 20, sections 6.6 and 8.2), and the runner's answer into a reply. Tested by
 * tests/e2e/mcp-queue.tap.
 */
#include "base/base.h"

#include "mcp/server.h"

#include "base/clock.h"
#include "base/hex.h"
#include "base/jsonw.h"
#include "mcp/params.h"
#include "mcp/queue.h"
#include "mcp/text.h"

static void copy_member(struct jsonw *w, const struct json *arguments, const char *name)
{
	const struct json *value = json_member(arguments, name);

	if (!value)
		return;
	jsonw_key(w, name);
	jsonw_value(w, value);
}

static void emit_artifact(struct jsonw *w, enum tool tool, const struct json *arguments)
{
	static const char *const kinds[N_TOOLS] = {
		[TOOL_WRITE_FILE] = "change-proposal",
		[TOOL_DELETE_FILE] = "delete-proposal",
		[TOOL_RUN_COMMAND] = "command-request",
	};
	/* In the order of file 20, section 6.6; absent ones are left out. */
	static const char *const members[] = {
		"dispatch", "path", "content", "base_sha256", "rationale",
		"gates",    "argv", "purpose", "cwd",	      "expected_writes"};
	struct view path = params_str(arguments, "stdin_path");
	struct view content = params_str(arguments, "stdin_content");

	jsonw_obj(w);
	jsonw_kv_cstr(w, "kind", kinds[tool]);
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		copy_member(w, arguments, members[i]);
	if (path.ptr && content.ptr) {
		jsonw_key(w, "stdin_from_content");
		jsonw_obj(w);
		jsonw_kv_str(w, "path", path);
		jsonw_kv_str(w, "content", content);
		jsonw_obj_end(w);
	}
	jsonw_obj_end(w);
}

static void emit_request(struct server *s, struct buf *out, enum tool tool,
			 const struct json *arguments)
{
	struct jsonw w;

	jsonw_init(&w, out, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "kind", tool == TOOL_RUN_COMMAND ? "run-request" : "stage-proposal");
	jsonw_key(&w, "artifact");
	emit_artifact(&w, tool, arguments);
	jsonw_kv_cstr(&w, "via_agent", s->options->agent);
	jsonw_obj_end(&w);
}

void tool_queue(struct server *s, const struct caller *to, enum tool tool,
		const struct json *arguments)
{
	struct queue_runner runner;
	struct errctx e = {0};
	struct buf request;
	char id[ID_HEX + 1];
	int err;

	if (!params_str(arguments, "stdin_path").ptr != !params_str(arguments, "stdin_content").ptr)
		return reply_tool_refusal(
			s, to, "arguments \"stdin_path\" and \"stdin_content\" go together");
	if (s->n_pending == MAX_PENDING_CALLS)
		return reply_tool_refusal(s, to,
					  "%d calls of this agent wait for the runner already; "
					  "nothing was queued, try again when one is answered",
					  MAX_PENDING_CALLS);
	queue_look_for_runner(s->root.fd, &runner);
	if (!runner.alive)
		return reply_tool_refusal(
			s, to,
			"no runner is serving this project; nothing was queued. The "
			"operator has to start agentteams --serve-requests.");
	buf_init(&request, (size_t)MAX_REQUEST_BYTES * 6);
	emit_request(s, &request, tool, arguments);
	err = buf_error(&request);
	if (err)
		(void)err_set(&e, err, "can't write the request out: %s", err_name(err));
	else
		err = queue_put(s->root.fd, buf_view(&request), id, &e);
	buf_release(&request);
	if (err)
		return reply_tool_refusal(s, to, "nothing was queued: %s", e.text);
	track_add(s, id);
	if (s->queued)
		s->queued(s);
	if (s->options->wait_ms == 0 || pending_add(s, to, id) != 0)
		tool_answer_queued(s, to, id);
}

void tool_answer_queued(struct server *s, const struct caller *to, const char *request)
{
	struct queue_runner runner;
	char note[256];
	size_t ahead = 0;
	enum queue_place place = queue_place_of(s->root.fd, request, &ahead);
	struct jsonw w;

	if (place == QUEUE_WAITING)
		(void)snprintf(note, sizeof(note),
			       "No answer yet: %zu request%s ahead in the queue. ", ahead,
			       ahead == 1 ? "" : "s");
	else
		(void)snprintf(note, sizeof(note), "No answer yet: the runner works on it. ");
	queue_look_for_runner(s->root.fd, &runner);
	if (runner.alive && runner.beat_age_s >= HEARTBEAT_STALE_SECONDS)
		(void)snprintf(note + strlen(note), sizeof(note) - strlen(note),
			       "The runner hasn't shown a sign of life for %lld s. ",
			       (long long)runner.beat_age_s);
	(void)snprintf(note + strlen(note), sizeof(note) - strlen(note),
		       "Ask request_status with this request_id; don't send the request again.");
	buf_clear(&s->json);
	jsonw_init(&w, &s->json, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "request_id", request);
	jsonw_kv_cstr(&w, "status", "queued");
	jsonw_kv_cstr(&w, "note", note);
	jsonw_obj_end(&w);
	reply_tool_result(s, to, false);
}

/* Copies a value of the runner's with every deceptive character made visible; cut: streams to their
 * first 16 Ki. */
static void emit_visible(struct jsonw *w, struct view key, const struct json *value, bool cut)
{
	struct view text;
	struct buf shown;

	if (json_is(value, JSON_OBJECT)) {
		jsonw_obj(w);
		for (const struct json *m = json_first(value); m; m = json_next(m)) {
			jsonw_key_view(w, json_key(m));
			emit_visible(w, json_key(m), m, cut);
		}
		jsonw_obj_end(w);
	} else if (json_is(value, JSON_ARRAY)) {
		jsonw_arr(w);
		for (const struct json *m = json_first(value); m; m = json_next(m))
			emit_visible(w, (struct view){0}, m, cut);
		jsonw_arr_end(w);
	} else if (json_get_str(value, &text) == 0) {
		bool stream = view_is(key, "stdout") || view_is(key, "stderr");

		if (cut && stream && text.len > 16384) {
			text.len = 16384;
			while (text.len > 0 && ((unsigned char)text.ptr[text.len] & 0xc0) == 0x80)
				text.len--;
		}
		buf_init(&shown, MAX_OUTPUT_QUEUE_BYTES);
		(void)text_put_visible(&shown, text);
		if (buf_error(&shown))
			w->out->error = buf_error(&shown);
		jsonw_str(w, buf_view(&shown));
		buf_release(&shown);
	} else {
		jsonw_value(w, value);
	}
}

/* One structured value from what the runner wrote (file 20, section 8.6) and what this server
 * knows. */
static void emit_result(struct server *s, const char *request, const struct json *result, bool ok,
			const char *ack_error, bool cut)
{
	struct jsonw w;

	buf_clear(&s->json);
	jsonw_init(&w, &s->json, JSONW_COMPACT);
	w.utf8 = true;
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "request_id", request);
	jsonw_kv_cstr(&w, "status", ok ? "done" : "refused");
	for (const struct json *m = json_first(result); m; m = json_next(m)) {
		struct view key = json_key(m);

		if (view_is(key, "ack_token") || view_is(key, "request_id") ||
		    view_is(key, "status") || view_is(key, "ack_error") ||
		    (cut && view_is(key, "result_cut")))
			continue;
		jsonw_key_view(&w, key);
		emit_visible(&w, key, m, cut);
	}
	if (cut)
		jsonw_kv_bool(&w, "result_cut", true);
	if (ack_error)
		jsonw_kv_cstr(&w, "ack_error", ack_error);
	jsonw_obj_end(&w);
}

/* Why the result isn't one of ours, or NULL. */
static const char *check_result(const struct json *result, const char *request)
{
	struct view id;
	bool ok;

	if (!json_is(result, JSON_OBJECT))
		return "it is no JSON object";
	if (json_get_str(json_member(result, "id"), &id) != 0 || !view_is(id, request))
		return "it belongs to another request";
	if (json_get_bool(json_member(result, "ok"), &ok) != 0)
		return "it doesn't say whether the request was done";
	return NULL;
}

/* A receipt of the staging store: the runner writes this result again when the change is decided.
 */
static bool is_staged(const struct json *result)
{
	bool staged = false;

	return json_get_bool(json_member(json_member(result, "result"), "staged"), &staged) == 0 &&
	       staged;
}

void tool_answer_result(struct server *s, const struct caller *to, const char *request,
			struct view raw)
{
	auto_json struct json *result = NULL;
	struct errctx e = {0};
	struct view token = {0};
	const char *why;
	bool ok = false;
	int ack;

	if (json_parse(raw, &result, &e) != 0)
		return reply_tool_refusal(s, to,
					  "request %s was served, but its result isn't valid JSON: "
					  "%s. The orchestrator should look in the ledger.",
					  request, e.text);
	why = check_result(result, request);
	if (why)
		return reply_tool_refusal(
			s, to,
			"request %s was served, but its result can't be used: %s. "
			"The orchestrator should look in the ledger.",
			request, why);
	if (json_get_str(json_member(result, "ack_token"), &token) != 0 ||
	    !hex_is_lower(token, ID_HEX))
		token = (struct view){0};
	e.text[0] = 0;
	ack = queue_acknowledge(s->root.fd, request, token, &e);
	ok = json_get_bool(json_member(result, "ok"), &ok) == 0 && ok;
	emit_result(s, request, result, ok, ack ? e.text : NULL, false);
	if (s->json.len > MAX_REPLY_JSON_BYTES)
		emit_result(s, request, result, ok, ack ? e.text : NULL, true);
	if (is_staged(result))
		track_staged(s, request); /* a decision follows under the same id */
	else
		track_forget(s, request);
	reply_tool_result(s, to, !ok);
}

/* A staged change that nobody has decided yet. */
static void answer_staged(struct server *s, const struct caller *to, const char *request)
{
	struct jsonw w;

	buf_clear(&s->json);
	jsonw_init(&w, &s->json, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "request_id", request);
	jsonw_kv_cstr(&w, "status", "staged");
	jsonw_kv_cstr(
		&w, "note",
		"The change waits for the orchestrator's approval. Go on with other work; ask "
		"again later to learn what became of it.");
	jsonw_obj_end(&w);
	reply_tool_result(s, to, false);
}

void tool_status(struct server *s, const struct caller *to, const struct json *arguments)
{
	struct view request = params_str(arguments, "request_id");
	struct tracked *t = track_find(s, request);
	struct queue_runner runner;
	struct errctx e = {0};
	char id[ID_HEX + 1];
	struct buf raw;
	int err;

	if (!t)
		return reply_tool_refusal(s, to,
					  "unknown request_id: this server didn't queue it, or has "
					  "handed out its answer already");
	memcpy(id, t->request, sizeof(id));
	buf_init(&raw, MAX_RESULT_READ_BYTES + 1);
	err = queue_read_result(s->root.fd, id, &raw, &e);
	if (!err)
		tool_answer_result(s, to, id, buf_view(&raw));
	buf_release(&raw);
	if (!err)
		return;
	if (err != E_NOENT)
		return reply_tool_refusal(s, to, "the result of request %s can't be read: %s", id,
					  e.text);
	if (t->staged)
		return answer_staged(s, to, id);
	queue_look_for_runner(s->root.fd, &runner);
	if (!runner.alive)
		return reply_tool_refusal(
			s, to,
			"no runner is serving this project now; request %s has no "
			"result yet. Ask again when the operator has started one.",
			id);
	/* As long as the request lies there or the runner has it, it isn't lost, however long that
	 * takes. */
	if (queue_place_of(s->root.fd, id, NULL) == QUEUE_GONE &&
	    clock_mono_ms() - t->queued_ms > (int64_t)LOST_AFTER_SECONDS * 1000) {
		t->used = false;
		return reply_tool_refusal(
			s, to,
			"the result of request %s is lost; it may have run. The "
			"orchestrator should look in the ledger before anything is "
			"tried again.",
			id);
	}
	tool_answer_queued(s, to, id);
}
