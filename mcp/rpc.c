/* SPDX-License-Identifier: MIT */
/* JSON-RPC envelope. Pure. Tested by tests/unit/mcp/t_rpc.c, the transcripts and fuzz_rpc. */
#include "base/base.h"

#include "mcp/rpc.h"

#include "base/jsonw.h"
#include "base/limits.h"
#include "base/utf8.h"

bool rpc_id_is_valid(struct view raw)
{
	size_t i = 0;

	if (raw.len == 0 || raw.len > MAX_RPC_ID_BYTES || json_check(raw, NULL) != 0)
		return false;
	if (raw.ptr[0] == '"')
		return true;
	if (raw.ptr[0] == '-')
		i++;
	if (i == raw.len)
		return false;
	for (; i < raw.len; i++)
		if (raw.ptr[i] < '0' || raw.ptr[i] > '9')
			return false;
	return true;
}

static void invalid(struct rpc_message *m, int code, const char *why)
{
	size_t n = strlen(why);

	if (n >= sizeof(m->why))
		n = sizeof(m->why) - 1;
	m->kind = RPC_INVALID;
	m->code = code;
	memcpy(m->why, why, n);
	m->why[n] = 0;
}

static void classify_object(const struct json *root, bool has_id, struct rpc_message *m)
{
	const struct json *method = json_member(root, "method");
	const struct json *params = json_member(root, "params");
	struct view version = {0};

	if (json_get_str(json_member(root, "jsonrpc"), &version) != 0 || !view_is(version, "2.0"))
		return invalid(m, RPC_INVALID_REQUEST, "member \"jsonrpc\" must be \"2.0\"");
	if (!method && (json_member(root, "result") || json_member(root, "error"))) {
		m->kind = RPC_RESPONSE;
		return;
	}
	if (json_get_str(method, &m->method) != 0)
		return invalid(m, RPC_INVALID_REQUEST, "member \"method\" must be a string");
	if (params && !json_is(params, JSON_NULL)) {
		m->bad_params = !json_is(params, JSON_OBJECT);
		m->params = m->bad_params ? NULL : params;
	}
	m->kind = has_id ? RPC_REQUEST : RPC_NOTIFICATION;
}

void rpc_classify(struct view text, const struct json *root, struct rpc_message *ret)
{
	struct rpc_message m = {0};
	struct view id = {0};
	bool has_id;

	if (json_is(root, JSON_ARRAY)) {
		m.kind = RPC_BATCH;
	} else if (!json_is(root, JSON_OBJECT)) {
		invalid(&m, RPC_INVALID_REQUEST, "a message must be a JSON object");
	} else {
		has_id = json_member(root, "id") != NULL;
		if (has_id && json_raw_member(text, "id", &id) == 0 && rpc_id_is_valid(id))
			m.id = id;
		classify_object(root, has_id, &m);
		/* A response's id is its own affair: nothing here answers one. */
		if (has_id && m.id.len == 0 && m.kind != RPC_RESPONSE)
			invalid(&m, RPC_INVALID_REQUEST,
				"member \"id\" must be a string or an integer of at most 1024 "
				"bytes");
	}
	*ret = m;
}

void rpc_classify_unread(struct view text, int err, const struct errctx *e, struct rpc_message *ret)
{
	struct rpc_message m = {0};
	struct view id = {0};

	if (err == E_NOMEM) {
		invalid(&m, RPC_INTERNAL_ERROR, "out of memory");
	} else if (json_error_is_syntax(err)) {
		invalid(&m, RPC_PARSE_ERROR, e->text);
	} else {
		invalid(&m, RPC_INVALID_REQUEST, e->text);
		if (json_raw_member(text, "id", &id) == 0 && rpc_id_is_valid(id))
			m.id = id;
	}
	*ret = m;
}

static void put_id(struct buf *out, struct view id)
{
	if (id.len > 0)
		(void)buf_put_view(out, id);
	else
		(void)buf_puts(out, "null");
}

void rpc_put_error(struct buf *out, struct view id, int code, const char *message, struct view data)
{
	struct buf text;
	struct jsonw w;

	buf_init(&text, 2048);
	(void)utf8_print(&text, view_of(message), UTF8_PRINT_ASCII);
	jsonw_init(&w, out, JSONW_COMPACT);
	(void)buf_puts(out, "{\"jsonrpc\":\"2.0\",\"id\":");
	put_id(out, id);
	(void)buf_puts(out, ",\"error\":");
	jsonw_obj(&w);
	jsonw_kv_int(&w, "code", code);
	jsonw_kv_str(&w, "message", buf_view(&text));
	if (data.len > 0) {
		jsonw_key(&w, "data");
		jsonw_raw(&w, data);
	}
	jsonw_obj_end(&w);
	(void)buf_putc(out, '}');
	buf_release(&text);
}

void rpc_put_result(struct buf *out, struct view id)
{
	(void)buf_puts(out, "{\"jsonrpc\":\"2.0\",\"id\":");
	put_id(out, id);
	(void)buf_puts(out, ",\"result\":");
}

void rpc_put_end(struct buf *out)
{
	(void)buf_putc(out, '}');
}
