/* SPDX-License-Identifier: MIT */
/* The methods but tools/call: a table of name, eras and handler. Tested by the transcripts. */
#include "base/base.h"

#include "mcp/server.h"

#include "base/jsonw.h"
#include "mcp/toolset.h"

/* The list and the answer to server/discover hold as long as the process does. */
enum { CACHE_MS = 300000 };

static void begin(struct server *s, const struct caller *to, struct jsonw *w)
{
	buf_clear(&s->reply);
	rpc_put_result(&s->reply, to->id);
	jsonw_init(w, &s->reply, JSONW_COMPACT);
	jsonw_obj(w);
}

static void end(struct server *s, const struct caller *to, struct jsonw *w)
{
	reply_emit_era(w, to->revision);
	jsonw_obj_end(w);
	rpc_put_end(&s->reply);
	reply_send(s, to);
}

static void emit_capabilities(struct jsonw *w)
{
	jsonw_key(w, "capabilities");
	jsonw_obj(w);
	jsonw_key(w, "tools");
	jsonw_obj(w);
	jsonw_obj_end(w);
	jsonw_obj_end(w);
}

static void emit_caching(struct jsonw *w, const struct caller *to)
{
	if (!revision_is_stateless(to->revision))
		return;
	jsonw_kv_int(w, "ttlMs", CACHE_MS);
	jsonw_kv_cstr(w, "cacheScope", "private"); /* another agent has other tools */
}

static void serve_initialize(struct server *s, const struct caller *to, const struct json *params)
{
	struct view asked = {0};
	struct caller agreed = *to;
	struct jsonw w;

	if (json_get_str(json_member(params, "protocolVersion"), &asked) != 0)
		asked = (struct view){0};
	s->agreed = agreed.revision = revision_agree(asked);
	begin(s, &agreed, &w);
	jsonw_kv_cstr(&w, "protocolVersion", revision_text(s->agreed));
	emit_capabilities(&w);
	jsonw_key(&w, "serverInfo");
	toolset_emit_identity(&w, s->agreed);
	jsonw_kv_cstr(&w, "instructions", toolset_instructions);
	end(s, &agreed, &w);
}

static void serve_ping(struct server *s, const struct caller *to,
		       const struct json *params unused_arg)
{
	struct jsonw w;

	begin(s, to, &w);
	end(s, to, &w);
}

static void serve_discover(struct server *s, const struct caller *to,
			   const struct json *params unused_arg)
{
	struct jsonw w;

	begin(s, to, &w);
	jsonw_key(&w, "supportedVersions");
	jsonw_arr(&w);
	jsonw_cstr(&w, REV_STATELESS_TEXT);
	jsonw_arr_end(&w);
	emit_capabilities(&w);
	jsonw_kv_cstr(&w, "instructions", toolset_instructions);
	emit_caching(&w, to);
	end(s, to, &w);
}

static void serve_list(struct server *s, const struct caller *to, const struct json *params)
{
	const struct json *cursor = json_member(params, "cursor");
	struct jsonw w;

	if (cursor && !json_is(cursor, JSON_NULL))
		return reply_error(s, to, RPC_INVALID_PARAMS,
				   "member \"cursor\": this list has one page", (struct view){0});
	begin(s, to, &w);
	jsonw_key(&w, "tools");
	toolset_emit(&w, s->options->tools, to->revision);
	emit_caching(&w, to);
	end(s, to, &w);
}

enum era {
	HANDSHAKE = 1 << 0,
	STATELESS = 1 << 1,
};

static const struct {
	const char *name;
	unsigned eras;
	void (*serve)(struct server *s, const struct caller *to, const struct json *params);
} methods[] = {
	{"tools/call", HANDSHAKE | STATELESS, call_serve},
	{"tools/list", HANDSHAKE | STATELESS, serve_list},
	{"initialize", HANDSHAKE, serve_initialize},
	{"ping", HANDSHAKE, serve_ping},
	{"server/discover", STATELESS, serve_discover},
};

bool methods_serve(struct server *s, const struct caller *to, const struct rpc_message *m)
{
	unsigned era = revision_is_stateless(to->revision) ? STATELESS : HANDSHAKE;

	for (size_t i = 0; i < ARRAY_LEN(methods); i++)
		if ((methods[i].eras & era) && view_is(m->method, methods[i].name)) {
			methods[i].serve(s, to, m->params);
			return true;
		}
	return false;
}
