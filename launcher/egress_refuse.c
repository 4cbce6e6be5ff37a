/* SPDX-License-Identifier: MIT */
/*
 * What a refused client is told, in the protocol that it speaks: an HTTP answer with the rule, a
 * SOCKS code, a TLS alert. Pure but for the log's buffer. Tested by
 * tests/unit/launcher/t_egress_conn.c.
 */
#include "base/base.h"

#include "launcher/egress_conn.h"

static const struct {
	int status;
	const char *phrase;
} phrases[] = {
	{400, "Bad Request"},
	{403, "Forbidden"},
	{407, "Proxy Authentication Required"},
	{408, "Request Timeout"},
	{431, "Request Header Fields Too Large"},
	{501, "Not Implemented"},
	{502, "Bad Gateway"},
	{504, "Gateway Timeout"},
	{505, "HTTP Version Not Supported"},
};

static const char *phrase_of(int status)
{
	for (size_t i = 0; i < ARRAY_LEN(phrases); i++)
		if (phrases[i].status == status)
			return phrases[i].phrase;
	return "Refused";
}

static void put_http(struct egress_conn *c, int status, struct view text)
{
	auto_buf struct buf head = {0};

	buf_init(&head, MAX_EGRESS_HEAD_BYTES);
	(void)buf_printf(&head,
			 "HTTP/1.1 %d %s\r\nContent-Type: text/plain; "
			 "charset=us-ascii\r\nContent-Length: %zu\r\n"
			 "Cache-Control: no-store\r\n",
			 status, phrase_of(status), text.len);
	if (status == 407)
		(void)buf_puts(&head, "Proxy-Authenticate: Basic realm=\"confine-run\"\r\n");
	(void)buf_puts(&head, "Connection: close\r\n\r\n");
	(void)buf_put_view(&head, text);
	if (!buf_error(&head))
		(void)lane_put(&c->to_client,
			       buf_view(&head)); /* a full lane: the client isn't reading anyway */
}

static void put_reason(const struct egress_conn *c, const struct egress_no *no, const char *detail,
		       struct buf *out)
{
	bool v6 = c->host.kind == EGRESS_HOST_IPV6;

	(void)buf_puts(out, "confine-run: ");
	if (c->port)
		(void)buf_printf(out, "%s%s%s:%u: ", v6 ? "[" : "", c->host.text, v6 ? "]" : "",
				 c->port);
	(void)buf_puts(out, no->http == 403 ? "blocked: " : "");
	(void)buf_puts(out, detail ? detail : no->reason);
	(void)buf_putc(out, '\n');
}

static void put_answer(struct egress_conn *c, const struct egress_no *no, const char *detail)
{
	auto_buf struct buf text = {0};

	switch (c->state) {
	case CONN_TUNNEL_FIRST:
		if (c->in_client.len && lane_view(&c->in_client).ptr[0] == 0x16)
			(void)lane_put(&c->to_client, VIEW(EGRESS_TLS_ALERT));
		return;
	case CONN_EXCHANGE:
		if (c->answered)
			return; /* part of an answer is on its way: nothing can be said any more */
		break;
	case CONN_SOCKS_GREETING:
	case CONN_SOCKS_PASSWORD:
	case CONN_TUNNEL:
		return;
	case CONN_FIRST:
	case CONN_HTTP_HEAD:
	case CONN_SOCKS_REQUEST:
	case CONN_RESOLVING:
	case CONN_CONNECTING:
	case CONN_TUNNEL_HEAD:
	case CONN_REFUSED:
	case CONN_CLOSED:
		break;
	}
	if (c->via == EGRESS_VIA_SOCKS && c->state != CONN_TUNNEL_HEAD &&
	    c->state != CONN_EXCHANGE) {
		uint8_t reply[SOCKS_REPLY_BYTES];

		egress_socks_reply(no->socks, reply);
		(void)lane_put(&c->to_client, (struct view){(const char *)reply, sizeof(reply)});
		return;
	}
	buf_init(&text, MAX_EGRESS_HEAD_BYTES / 2);
	put_reason(c, no, detail, &text);
	put_http(c, no->http, buf_view(&text));
}

static void log_decision(struct egress_conn *c, struct egress_env *env, const struct egress_no *no)
{
	struct egress_record r = {
		.event = "egress",
		.id = c->id,
		.via = c->via,
		.host = c->port ? &c->host : NULL,
		.port = c->port,
		.verdict = no->network ? VERDICT_ALLOW : VERDICT_DENY,
		.rule = c->decision.rule,
		.line = c->decision.line,
		.reason = no->reason,
	};

	c->logged = true;
	egress_log_add(env->log, &r);
}

static void log_end(struct egress_conn *c, struct egress_env *env, enum verdict verdict)
{
	struct egress_record r = {
		.event = "egress-end",
		.id = c->id,
		.via = c->via,
		.host = &c->host,
		.port = c->port,
		.verdict = verdict,
		.rule = c->decision.rule,
		.line = c->decision.line,
		.reason = c->why,
		.ended = true,
		.up = c->up,
		.down = c->down,
		.ms = env->now_ms - c->began_ms,
	};

	egress_log_add(env->log, &r);
}

static bool was_open(enum egress_state s)
{
	return s == CONN_TUNNEL_FIRST || s == CONN_TUNNEL_HEAD || s == CONN_TUNNEL ||
	       s == CONN_EXCHANGE;
}

void egress_conn_refuse(struct egress_conn *c, struct egress_env *env, const struct egress_no *no,
			const char *detail)
{
	put_answer(c, no, detail);
	c->why = no->reason;
	if (was_open(c->state))
		log_end(c, env, no->network ? VERDICT_ALLOW : VERDICT_DENY);
	else if (!c->logged)
		log_decision(c, env, no);
	lane_drop(&c->in_client, c->in_client.len);
	lane_drop(&c->in_server, c->in_server.len);
	lane_drop(&c->to_server, c->to_server.len);
	c->state = CONN_REFUSED;
	c->shut_client = true;
	c->shut_server = true;
	c->deadline_ms = env->now_ms + EGRESS_LINGER_MS;
}

void egress_conn_close(struct egress_conn *c, struct egress_env *env, const char *why)
{
	if (c->state == CONN_CLOSED)
		return;
	c->why = why;
	if (was_open(c->state))
		log_end(c, env, VERDICT_ALLOW);
	c->state = CONN_CLOSED;
}
