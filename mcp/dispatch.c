/* SPDX-License-Identifier: MIT */
/*
 * One message in. Finds its kind, its era and its method; every request gets exactly one reply, now
 * or from pending.c. Tested by the transcripts and fuzz_rpc.
 */
#include "base/base.h"

#include "mcp/server.h"

#include "base/jsonw.h"
#include "base/log.h"

#define META_VERSION	  "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"

static const struct caller nobody = {.revision = REV_NONE};

void dispatch_too_long(struct server *s)
{
	char why[96];

	(void)snprintf(why, sizeof(why), "a message may have at most %d bytes", MAX_LINE_BYTES);
	reply_error(s, &nobody, RPC_PARSE_ERROR, why, (struct view){0});
}

static void unsupported_version(struct server *s, const struct caller *to, struct view asked)
{
	struct buf data;
	struct jsonw w;

	buf_init(&data, 8192);
	jsonw_init(&w, &data, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_key(&w, "supported");
	jsonw_arr(&w);
	jsonw_cstr(&w, REV_STATELESS_TEXT);
	jsonw_arr_end(&w);
	jsonw_kv_str(&w, "requested",
		     (struct view){asked.ptr, asked.len <= MAX_RPC_ID_BYTES ? asked.len : 0});
	jsonw_obj_end(&w);
	reply_error(s, to, RPC_UNSUPPORTED_VERSION, "unsupported protocol version",
		    buf_error(&data) ? (struct view){0} : buf_view(&data));
	buf_release(&data);
}

/*
 * A request that names a protocol version in its own _meta is stateless, whatever came before; else
 * it belongs to what initialize agreed on. Returns false when the request has been refused.
 */
static bool find_era(struct server *s, const struct rpc_message *m, struct caller *to)
{
	const struct json *meta = json_member(m->params, "_meta");
	const struct json *version = json_member(meta, META_VERSION);
	const struct json *capabilities = json_member(meta, META_CAPABILITIES);
	struct view asked;

	to->revision = s->agreed;
	if (meta && !json_is(meta, JSON_OBJECT)) {
		reply_error(s, to, RPC_INVALID_PARAMS,
			    "member \"_meta\" of params must be an object", (struct view){0});
		return false;
	}
	if (version || capabilities) {
		if (json_get_str(version, &asked) != 0) {
			reply_error(s, to, RPC_INVALID_PARAMS,
				    "params._meta must name " META_VERSION " as a string",
				    (struct view){0});
			return false;
		}
		if (!view_is(asked, REV_STATELESS_TEXT)) {
			unsupported_version(s, to, asked);
			return false;
		}
		if (!json_is(capabilities, JSON_OBJECT)) {
			reply_error(s, to, RPC_INVALID_PARAMS,
				    "params._meta must hold " META_CAPABILITIES " as an object",
				    (struct view){0});
			return false;
		}
		to->revision = REV_2026_07_28;
		return true;
	}
	if (s->agreed != REV_NONE || view_is(m->method, "initialize") || view_is(m->method, "ping"))
		return true;
	reply_error(s, to, RPC_INVALID_PARAMS,
		    "send initialize first, or name " META_VERSION " in params._meta",
		    (struct view){0});
	return false;
}

static void serve_request(struct server *s, const struct rpc_message *m, struct view text,
			  struct batch *batch)
{
	struct caller to = {.id = m->id, .batch = batch, .revision = s->agreed};
	struct view raw;
	char why[128];

	if (m->bad_params)
		return reply_error(s, &to, RPC_INVALID_PARAMS,
				   "member \"params\" must be an object", (struct view){0});
	if (pending_has_id(s, m->id))
		return reply_error(s, &to, RPC_INVALID_REQUEST,
				   "a request with this id is still open", (struct view){0});
	if (batch && view_is(m->method, "initialize"))
		return reply_error(s, &to, RPC_INVALID_REQUEST,
				   "initialize may not be part of a batch", (struct view){0});
	if (!find_era(s, m, &to))
		return;
	/* The token's own spelling, for the same reason as the id's. */
	if (json_raw_member(text, "params", &raw) == 0 &&
	    json_raw_member(raw, "_meta", &raw) == 0 &&
	    json_raw_member(raw, "progressToken", &raw) == 0 && rpc_id_is_valid(raw))
		to.progress_token = raw;
	if (methods_serve(s, &to, m))
		return;
	(void)snprintf(why, sizeof(why), "unknown method \"%.*s\"",
		       (int)(m->method.len > 64 ? 64 : m->method.len), m->method.ptr);
	reply_error(s, &to, RPC_METHOD_NOT_FOUND, why, (struct view){0});
}

static void serve_notification(struct server *s, const struct rpc_message *m, struct view text)
{
	struct view raw;

	if (!view_is(m->method, "notifications/cancelled"))
		return;
	if (json_raw_member(text, "params", &raw) == 0 &&
	    json_raw_member(raw, "requestId", &raw) == 0 && rpc_id_is_valid(raw))
		pending_cancel(s, raw);
}

/* text: one message that is no batch. */
static void serve_message(struct server *s, struct view text, const struct rpc_message *m,
			  struct batch *batch)
{
	struct caller to = {.id = m->id, .batch = batch};

	switch (m->kind) {
	case RPC_REQUEST:
		serve_request(s, m, text, batch);
		break;
	case RPC_NOTIFICATION:
		serve_notification(s, m, text);
		break;
	case RPC_RESPONSE:
		log_debug("ignored a response: this server asks nothing");
		break;
	case RPC_BATCH: /* an array inside a batch */
		reply_error(s, &to, RPC_INVALID_REQUEST, "a message must be a JSON object",
			    (struct view){0});
		break;
	case RPC_INVALID:
		reply_error(s, &to, m->code, m->why, (struct view){0});
		break;
	}
}

struct batch_walk {
	struct server *s;
	struct batch *batch;
	const struct json *next;
};

static int serve_element(struct view element, void *arg)
{
	struct batch_walk *walk = arg;
	struct rpc_message m;

	rpc_classify(element, walk->next, &m);
	serve_message(walk->s, element, &m, walk->batch);
	walk->next = json_next(walk->next);
	return 0;
}

static void serve_batch(struct server *s, struct view line, const struct json *root)
{
	struct batch_walk walk = {.s = s, .next = json_first(root)};

	if (!revision_has_batches(s->agreed))
		return reply_error(s, &nobody, RPC_INVALID_REQUEST,
				   "batches belong to protocol revision 2025-03-26 alone",
				   (struct view){0});
	if (!walk.next)
		return reply_error(s, &nobody, RPC_INVALID_REQUEST, "an empty batch",
				   (struct view){0});
	if (json_count(root) > MAX_BATCH_MESSAGES)
		return reply_error(s, &nobody, RPC_INVALID_REQUEST,
				   "a batch may have at most 64 messages", (struct view){0});
	walk.batch = batch_new();
	if (!walk.batch)
		return reply_error(s, &nobody, RPC_INTERNAL_ERROR, "out of memory",
				   (struct view){0});
	if (json_raw_elements(line, serve_element, &walk) != 0)
		log_error("a batch that was parsed can't be walked");
	walk.batch->complete = true;
	batch_settle(s, walk.batch);
}

static struct view trim(struct view v)
{
	while (v.len > 0 && strchr(" \t\r", v.ptr[0]) && v.ptr[0]) {
		v.ptr++;
		v.len--;
	}
	while (v.len > 0 && strchr(" \t\r", v.ptr[v.len - 1]) && v.ptr[v.len - 1])
		v.len--;
	return v;
}

void dispatch_line(struct server *s, struct view line)
{
	auto_json struct json *root = NULL;
	struct errctx e = {0};
	struct rpc_message m;
	int err;

	if (!s->seen_input && line.len >= 3 && memcmp(line.ptr, "\xef\xbb\xbf", 3) == 0)
		line = (struct view){line.ptr + 3,
				     line.len - 3}; /* a byte order mark at the very start */
	s->seen_input = true;
	line = trim(line);
	if (line.len == 0)
		return;
	err = json_parse(line, &root, &e);
	if (err)
		rpc_classify_unread(line, err, &e, &m);
	else
		rpc_classify(line, root, &m);
	if (m.kind == RPC_BATCH)
		serve_batch(s, line, root);
	else
		serve_message(s, line, &m, NULL);
}
