/* SPDX-License-Identifier: MIT */
/*
 * The second half of a connection: what may pass once it is open. Pure but for the log's buffer.
 * Tested by tests/unit/launcher/t_egress_conn.c and tests/fuzz/fuzz_egress_conn.c.
 */
#include "base/base.h"

#include "launcher/egress_conn.h"

#include "launcher/egress_tls.h"

static const struct egress_no
	bad_name = {403, SOCKS_NOT_ALLOWED, "the TLS server name isn't the host of the request",
		    false},
	no_name = {403, SOCKS_NOT_ALLOWED, "TLS without a server name", false},
	no_tls = {403, SOCKS_NOT_ALLOWED, "neither TLS nor HTTP: the rule needs \"no-sni\"", false},
	bad_host = {403, SOCKS_NOT_ALLOWED, "Host isn't the host of the tunnel", false},
	bad_body = {400, SOCKS_FAILED, "bad framing of the request's body", false},
	bad_answer = {502, SOCKS_FAILED, "the server's answer can't be read", false},
	no_answer = {502, SOCKS_FAILED, "the server closed without an answer", false};

/* A tunnel to an address may carry a name (clients that resolve by themselves): that name must be
 * allowed as well. */
static bool may_be_called(const struct egress_conn *c, const struct egress_env *env,
			  const struct egress_host *name)
{
	if (egress_host_same(name, &c->host))
		return true;
	return c->host.kind != EGRESS_HOST_NAME &&
	       egress_decide(env->rules, name, c->port).verdict == VERDICT_ALLOW;
}

static void open_tunnel(struct egress_conn *c, const struct egress_env *env)
{
	c->state = CONN_TUNNEL;
	c->deadline_ms = env->now_ms + EGRESS_IDLE_MS;
}

/* False, since nothing moved; a client that sends no more will never be judged. */
static bool more_to_come(struct egress_conn *c, struct egress_env *env)
{
	if (c->client_eof)
		egress_conn_close(c, env, "closed");
	return false;
}

static bool judge_tls(struct egress_conn *c, struct egress_env *env)
{
	struct egress_hello hello;
	struct egress_no no = {400, SOCKS_FAILED, "", false};
	enum egress_parse p = egress_tls_hello(lane_view(&c->in_client), &hello, &no.reason);

	if (p == EGRESS_MORE)
		return more_to_come(c, env);
	if (p == EGRESS_BAD)
		egress_conn_refuse(c, env, &no, NULL);
	else if (!hello.has_name && c->host.kind == EGRESS_HOST_NAME)
		egress_conn_refuse(c, env, &no_name, NULL);
	else if (hello.has_name && !may_be_called(c, env, &hello.name))
		egress_conn_refuse(c, env, &bad_name, NULL);
	else
		open_tunnel(c, env);
	return true;
}

static bool judge_first(struct egress_conn *c, struct egress_env *env)
{
	struct view in = lane_view(&c->in_client);
	enum egress_parse p;

	if (in.len == 0)
		return more_to_come(c, env);
	if (in.ptr[0] == 0x16)
		return judge_tls(c, env);
	p = egress_http_looks(in);
	if (p == EGRESS_MORE)
		return more_to_come(c, env);
	if (p == EGRESS_BAD) {
		egress_conn_refuse(c, env, &no_tls, NULL);
		return false;
	}
	c->state = CONN_TUNNEL_HEAD;
	return true;
}

static bool judge_head(struct egress_conn *c, struct egress_env *env)
{
	struct egress_http_head h;
	struct egress_refusal why;
	auto_buf struct buf out = {0};
	enum egress_parse p =
		egress_http_parse(lane_view(&c->in_client), HTTP_FORM_ORIGIN, &h, &why);

	if (p == EGRESS_MORE)
		return more_to_come(c, env);
	if (p == EGRESS_BAD) {
		struct egress_no no = {why.status, SOCKS_FAILED, why.reason, false};

		egress_conn_refuse(c, env, &no, NULL);
		return false;
	}
	if (h.port != c->port || !may_be_called(c, env, &h.host)) {
		egress_conn_refuse(c, env, &bad_host, NULL);
		return false;
	}
	buf_init(&out, 2 * MAX_EGRESS_HEAD_BYTES);
	egress_http_emit(&h, &out);
	if (buf_error(&out) || !lane_put(&c->to_server, buf_view(&out))) {
		egress_conn_abort(c, env, "out of memory");
		return false;
	}
	egress_http_framing_init(&c->framing, &h);
	lane_drop(&c->in_client, h.bytes);
	c->state = CONN_EXCHANGE;
	c->deadline_ms = env->now_ms + EGRESS_IDLE_MS;
	return true;
}

static bool step_tunnel(struct egress_conn *c, struct egress_env *env)
{
	size_t moved = 0;

	if (c->in_client.len)
		moved += lane_move(&c->to_server, &c->in_client, c->in_client.len);
	if (c->in_server.len)
		moved += lane_move(&c->to_client, &c->in_server, c->in_server.len);
	if (moved)
		c->deadline_ms = env->now_ms + EGRESS_IDLE_MS;
	c->shut_server = c->client_eof && c->in_client.len == 0;
	c->shut_client = c->server_eof && c->in_server.len == 0;
	if (c->shut_server && c->shut_client && c->to_server.len == 0 && c->to_client.len == 0)
		egress_conn_close(c, env, "closed");
	return false;
}

/* Sends on what belongs to the request; what follows it is thrown away, since the answer says
 * "close". */
static bool pass_body(struct egress_conn *c, struct egress_env *env)
{
	size_t n, room;
	enum egress_parse p = EGRESS_DONE;
	struct view in = lane_view(&c->in_client);

	if (!c->framing.done) {
		(void)lane_room(&c->to_server, &room);
		if (in.len > room)
			in.len = room;
		p = egress_http_framing_take(&c->framing, in, &n);
		if (n && lane_move(&c->to_server, &c->in_client, n) != n)
			p = EGRESS_BAD; /* can't happen: there was room */
		if (n)
			c->deadline_ms = env->now_ms + EGRESS_IDLE_MS;
	}
	if (p == EGRESS_BAD || (c->client_eof && !c->framing.done && c->in_client.len == 0)) {
		egress_conn_refuse(c, env, &bad_body, NULL);
		return false;
	}
	if (c->framing.done)
		lane_drop(&c->in_client, c->in_client.len);
	return true;
}

/* Heads of answers until the final one has passed. */
static bool pass_answer_head(struct egress_conn *c, struct egress_env *env)
{
	auto_buf struct buf out = {0};
	enum egress_parse p;
	size_t n, room;

	(void)lane_room(&c->to_client, &room);
	if (room < MAX_EGRESS_REPLY_HEAD_BYTES + 64)
		return false;
	buf_init(&out, MAX_EGRESS_REPLY_HEAD_BYTES + 64);
	p = egress_http_answer(lane_view(&c->in_server), &out, &n, &c->answered);
	if (p == EGRESS_BAD || (p == EGRESS_DONE && buf_error(&out))) {
		egress_conn_refuse(c, env, &bad_answer, NULL);
		return false;
	}
	if (p == EGRESS_MORE) {
		if (c->server_eof)
			egress_conn_refuse(c, env, &no_answer, NULL);
		return false;
	}
	(void)lane_put(&c->to_client, buf_view(&out)); /* fits: looked at above */
	lane_drop(&c->in_server, n);
	c->deadline_ms = env->now_ms + EGRESS_IDLE_MS;
	return true;
}

static bool step_exchange(struct egress_conn *c, struct egress_env *env)
{
	if (!pass_body(c, env))
		return false;
	if (!c->answered) {
		if (!pass_answer_head(c, env))
			return false;
		return true;
	}
	if (c->in_server.len && lane_move(&c->to_client, &c->in_server, c->in_server.len))
		c->deadline_ms = env->now_ms + EGRESS_IDLE_MS;
	c->shut_client = c->server_eof && c->in_server.len == 0;
	if (c->shut_client && c->to_client.len == 0)
		egress_conn_close(c, env, "closed");
	return false;
}

bool egress_flow_step(struct egress_conn *c, struct egress_env *env)
{
	switch (c->state) {
	case CONN_TUNNEL_FIRST:
		return judge_first(c, env);
	case CONN_TUNNEL_HEAD:
		return judge_head(c, env);
	case CONN_TUNNEL:
		return step_tunnel(c, env);
	case CONN_EXCHANGE:
		return step_exchange(c, env);
	case CONN_FIRST:
	case CONN_HTTP_HEAD:
	case CONN_SOCKS_GREETING:
	case CONN_SOCKS_PASSWORD:
	case CONN_SOCKS_REQUEST:
	case CONN_RESOLVING:
	case CONN_CONNECTING:
	case CONN_REFUSED:
	case CONN_CLOSED:
		return false;
	}
	return false;
}
