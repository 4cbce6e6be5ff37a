/* SPDX-License-Identifier: MIT */
/*
 * The first half of a connection: from its first byte to the moment it is open. Pure but for the
 * memory of its lanes and the log's buffer. Tested by tests/unit/launcher/t_egress_conn.c and
 * tests/fuzz/fuzz_egress_conn.c.
 */
#include "base/base.h"

#include "launcher/egress_conn.h"

#include <errno.h>

int egress_conn_init(struct egress_conn *c, const struct egress_env *env, uint64_t id)
{
	struct egress_lane *lanes[] = {&c->in_client, &c->to_server, &c->in_server, &c->to_client};

	memset(c, 0, sizeof(*c));
	c->memory = malloc(ARRAY_LEN(lanes) * MAX_EGRESS_LANE_BYTES);
	if (!c->memory)
		return E_NOMEM;
	for (size_t i = 0; i < ARRAY_LEN(lanes); i++)
		lanes[i]->data = c->memory + i * MAX_EGRESS_LANE_BYTES;
	c->id = id;
	c->state = CONN_FIRST;
	c->decision.text = VIEW("");
	c->began_ms = env->now_ms;
	c->deadline_ms = env->now_ms + EGRESS_HEAD_MS;
	return 0;
}

void egress_conn_release(struct egress_conn *c)
{
	free(c->memory);
	c->memory = NULL;
	c->state = CONN_CLOSED;
}

static void refuse_by_rule(struct egress_conn *c, struct egress_env *env)
{
	struct egress_no no = {403, SOCKS_NOT_ALLOWED, "no rule allows it", false};
	auto_buf struct buf text = {0};

	buf_init(&text, MAX_EGRESS_HEAD_BYTES / 4);
	if (c->decision.rule) {
		no.reason = "denied by a rule";
		(void)buf_printf(&text, "rule %u (line %u): %.*s", c->decision.rule,
				 c->decision.line,
				 (int)(c->decision.text.len > 512 ? 512 : c->decision.text.len),
				 c->decision.text.ptr);
	} else if (c->port == 443) {
		(void)buf_printf(
			&text, "no egress rule allows it (the narrowest that would: \"allow %s\")",
			c->host.text);
	} else {
		(void)buf_printf(
			&text,
			"no egress rule allows it (the narrowest that would: \"allow %s %u\")",
			c->host.text, c->port);
	}
	egress_conn_refuse(c, env, &no, buf_error(&text) ? NULL : buf_text(&text));
}

static void refuse_address(struct egress_conn *c, struct egress_env *env,
			   const struct egress_addr *a, enum egress_addr_class class)
{
	struct egress_no no = {403, SOCKS_NOT_ALLOWED, egress_addr_class_name(class), false};
	struct egress_host shown;
	char text[512];

	egress_host_of_addr(a->bytes, a->len, &shown);
	(void)snprintf(text, sizeof(text),
		       "it leads to %s (%s), and only public addresses are connected to",
		       shown.text, egress_addr_class_name(class));
	egress_conn_refuse(c, env, &no, text);
}

/* Host and port are known. Nothing is resolved before a rule has allowed the name: names carry
 * data. */
static void decide(struct egress_conn *c, struct egress_env *env)
{
	static const struct egress_no budget = {403, SOCKS_NOT_ALLOWED,
						"the byte budget of the run is used up", false};

	if (env->limited && env->budget == 0) {
		egress_conn_refuse(c, env, &budget, NULL);
		return;
	}
	c->decision = egress_decide(env->rules, &c->host, c->port);
	if (c->decision.verdict != VERDICT_ALLOW) {
		refuse_by_rule(c, env);
		return;
	}
	if (c->host.kind == EGRESS_HOST_NAME) {
		c->state = CONN_RESOLVING;
		c->deadline_ms = env->now_ms + EGRESS_RESOLVE_MS;
		return;
	}
	{
		struct egress_addr a = {.len = c->host.kind == EGRESS_HOST_IPV4 ? 4 : 16};

		memcpy(a.bytes, c->host.addr, a.len);
		egress_conn_resolved(c, env, &a, 1);
	}
}

void egress_conn_resolved(struct egress_conn *c, struct egress_env *env,
			  const struct egress_addr *addrs, size_t n)
{
	static const struct egress_no unknown = {502, SOCKS_HOST_UNREACHABLE,
						 "name doesn't resolve", true};

	c->n_addrs = 0;
	c->at_addr = 0;
	if (n == 0) {
		egress_conn_refuse(c, env, &unknown, NULL);
		return;
	}
	for (size_t i = 0; i < n && c->n_addrs < MAX_EGRESS_ADDRESSES; i++)
		if (egress_addr_class(addrs[i].bytes, addrs[i].len) == EGRESS_ADDR_PUBLIC)
			c->addrs[c->n_addrs++] = addrs[i];
	if (c->n_addrs == 0) {
		refuse_address(c, env, &addrs[0], egress_addr_class(addrs[0].bytes, addrs[0].len));
		return;
	}
	c->state = CONN_CONNECTING;
	c->connect_deadline_ms = env->now_ms + EGRESS_CONNECT_MS;
}

const struct egress_addr *egress_conn_address(struct egress_conn *c, struct egress_env *env)
{
	static const struct egress_no none = {502, SOCKS_HOST_UNREACHABLE,
					      "no address could be reached", true};
	int64_t until = c->connect_deadline_ms;

	if (c->at_addr == c->n_addrs) {
		egress_conn_refuse(c, env, &none, NULL);
		return NULL;
	}
	/* One that doesn't answer must not use up the time of the others. */
	if (c->at_addr + 1 < c->n_addrs && env->now_ms + EGRESS_CONNECT_EACH_MS < until)
		until = env->now_ms + EGRESS_CONNECT_EACH_MS;
	c->deadline_ms = until;
	return &c->addrs[c->at_addr++];
}

static const struct egress_no *no_of_errno(int error)
{
	static const struct egress_no refused = {502, SOCKS_REFUSED, "connection refused", true},
				      network = {502, SOCKS_NET_UNREACHABLE, "network unreachable",
						 true},
				      host = {502, SOCKS_HOST_UNREACHABLE, "host unreachable",
					      true},
				      late = {504, SOCKS_TIMED_OUT, "connection timed out", true},
				      other = {502, SOCKS_FAILED, "connection failed", true};

	switch (error) {
	case ECONNREFUSED:
		return &refused;
	case ENETUNREACH:
	case EADDRNOTAVAIL:
	case EAFNOSUPPORT:
		return &network;
	case EHOSTUNREACH:
		return &host;
	case ETIMEDOUT:
		return &late;
	default:
		return &other;
	}
}

void egress_conn_address_failed(struct egress_conn *c, struct egress_env *env, int error)
{
	if (c->at_addr < c->n_addrs && env->now_ms < c->connect_deadline_ms)
		return;
	if (error)
		egress_conn_refuse(c, env, no_of_errno(error), NULL);
	else
		refuse_address(c, env, &c->addrs[c->at_addr - 1], EGRESS_ADDR_OWN);
}

static void log_allowed(struct egress_conn *c, struct egress_env *env)
{
	const struct egress_addr *a = &c->addrs[c->at_addr - 1];
	struct egress_host shown;
	struct egress_record r = {
		.event = "egress",
		.id = c->id,
		.via = c->via,
		.host = &c->host,
		.port = c->port,
		.verdict = VERDICT_ALLOW,
		.rule = c->decision.rule,
		.line = c->decision.line,
	};

	egress_host_of_addr(a->bytes, a->len, &shown);
	r.address = shown.text;
	c->logged = true;
	egress_log_add(env->log, &r);
}

void egress_conn_connected(struct egress_conn *c, struct egress_env *env)
{
	log_allowed(c, env);
	if (c->via == EGRESS_VIA_HTTP) {
		c->state = CONN_EXCHANGE;
		c->deadline_ms = env->now_ms + EGRESS_IDLE_MS;
	} else {
		uint8_t reply[SOCKS_REPLY_BYTES];

		egress_socks_reply(SOCKS_OK, reply);
		(void)lane_put(&c->to_client,
			       c->via == EGRESS_VIA_SOCKS
				       ? (struct view){(const char *)reply, sizeof(reply)}
				       : VIEW("HTTP/1.1 200 Connection established\r\n\r\n"));
		c->state = c->decision.any_tls ? CONN_TUNNEL : CONN_TUNNEL_FIRST;
		c->deadline_ms =
			env->now_ms + (c->decision.any_tls ? EGRESS_IDLE_MS : EGRESS_HEAD_MS);
	}
	egress_conn_step(c, env);
}

static bool step_first(struct egress_conn *c, struct egress_env *env)
{
	static const struct egress_no tls = {400, SOCKS_FAILED, "TLS to the proxy itself", false},
				      old = {400, SOCKS_FAILED, "SOCKS 4", false};

	if (c->in_client.len == 0) {
		if (c->client_eof)
			egress_conn_close(c, env,
					  "closed"); /* somebody looked whether we are there */
		return false;
	}
	switch (lane_view(&c->in_client).ptr[0]) {
	case 5:
		c->state = CONN_SOCKS_GREETING;
		return true;
	case 4:
		(void)lane_put(&c->to_client, (struct view){"\0\x5b\0\0\0\0\0\0", 8});
		c->state = CONN_SOCKS_GREETING; /* no other answer */
		egress_conn_refuse(c, env, &old, NULL);
		return false;
	case 0x16:
		/* An alert is what such a client understands. */
		(void)lane_put(&c->to_client, VIEW(EGRESS_TLS_ALERT));
		c->state = CONN_SOCKS_GREETING; /* no other answer */
		egress_conn_refuse(c, env, &tls, NULL);
		return false;
	default:
		c->state = CONN_HTTP_HEAD;
		return true;
	}
}

static void refuse_head(struct egress_conn *c, struct egress_env *env,
			const struct egress_refusal *why)
{
	struct egress_no no = {why->status, SOCKS_FAILED, why->reason, false};

	egress_conn_refuse(c, env, &no, NULL);
}

static bool step_http_head(struct egress_conn *c, struct egress_env *env)
{
	static const struct egress_no credential = {
		407, SOCKS_NOT_ALLOWED, "the proxy's credentials are missing or wrong", false};
	struct egress_http_head h;
	struct egress_refusal why;
	enum egress_parse p =
		egress_http_parse(lane_view(&c->in_client), HTTP_FORM_PROXY, &h, &why);

	if (p == EGRESS_BAD)
		refuse_head(c, env, &why);
	if (p != EGRESS_DONE)
		return false;
	c->via = h.connect ? EGRESS_VIA_CONNECT : EGRESS_VIA_HTTP;
	c->host = h.host;
	c->port = h.port;
	if (env->credential && !egress_http_authorized(&h, env->credential)) {
		egress_conn_refuse(c, env, &credential, NULL);
		return false;
	}
	if (!h.connect) {
		auto_buf struct buf out = {0};

		/* Written now, sent once connected: the head's views die with the lane's bytes. */
		buf_init(&out, 2 * MAX_EGRESS_HEAD_BYTES);
		egress_http_emit(&h, &out);
		if (buf_error(&out) || !lane_put(&c->to_server, buf_view(&out))) {
			egress_conn_abort(c, env, "out of memory");
			return false;
		}
		egress_http_framing_init(&c->framing, &h);
	}
	lane_drop(&c->in_client, h.bytes);
	decide(c, env);
	return true;
}

static bool step_greeting(struct egress_conn *c, struct egress_env *env)
{
	static const struct egress_no bad = {400, SOCKS_FAILED, "bad SOCKS greeting", false},
				      none = {407, SOCKS_NOT_ALLOWED, "no acceptable SOCKS method",
					      false};
	enum socks_method want = env->credential ? SOCKS_METHOD_PASSWORD : SOCKS_METHOD_NONE,
			  method;
	enum egress_parse p;
	char answer[2] = {5, 0};
	size_t n;

	c->via = EGRESS_VIA_SOCKS;
	p = egress_socks_greeting(lane_view(&c->in_client), want, &n, &method);
	if (p == EGRESS_BAD)
		egress_conn_refuse(c, env, &bad, NULL);
	if (p != EGRESS_DONE)
		return false;
	answer[1] = (char)method;
	(void)lane_put(&c->to_client, (struct view){answer, sizeof(answer)});
	if (method == SOCKS_METHOD_REFUSED) {
		egress_conn_refuse(c, env, &none, NULL);
		return false;
	}
	lane_drop(&c->in_client, n);
	c->state = want == SOCKS_METHOD_PASSWORD ? CONN_SOCKS_PASSWORD : CONN_SOCKS_REQUEST;
	return true;
}

static bool step_password(struct egress_conn *c, struct egress_env *env)
{
	static const struct egress_no bad = {407, SOCKS_NOT_ALLOWED,
					     "the proxy's credentials are missing or wrong", false};
	bool good = false;
	size_t n = 0;
	enum egress_parse p =
		egress_socks_password(lane_view(&c->in_client), env->credential, &n, &good);

	if (p == EGRESS_MORE)
		return false;
	if (p == EGRESS_DONE)
		(void)lane_put(&c->to_client, good ? VIEW("\1\0") : VIEW("\1\1"));
	if (p == EGRESS_BAD || !good) {
		egress_conn_refuse(c, env, &bad, NULL);
		return false;
	}
	lane_drop(&c->in_client, n);
	c->state = CONN_SOCKS_REQUEST;
	return true;
}

static bool step_socks_request(struct egress_conn *c, struct egress_env *env)
{
	struct egress_no no = {400, SOCKS_FAILED, "", false};
	size_t n;
	enum egress_parse p = egress_socks_request(lane_view(&c->in_client), &n, &c->host, &c->port,
						   &no.socks, &no.reason);

	if (p == EGRESS_BAD) {
		c->port = 0;
		egress_conn_refuse(c, env, &no, NULL);
	}
	if (p != EGRESS_DONE)
		return false;
	lane_drop(&c->in_client, n);
	decide(c, env);
	return true;
}

static bool step_once(struct egress_conn *c, struct egress_env *env)
{
	switch (c->state) {
	case CONN_FIRST:
		return step_first(c, env);
	case CONN_HTTP_HEAD:
		return step_http_head(c, env);
	case CONN_SOCKS_GREETING:
		return step_greeting(c, env);
	case CONN_SOCKS_PASSWORD:
		return step_password(c, env);
	case CONN_SOCKS_REQUEST:
		return step_socks_request(c, env);
	case CONN_TUNNEL_FIRST:
	case CONN_TUNNEL_HEAD:
	case CONN_TUNNEL:
	case CONN_EXCHANGE:
		return egress_flow_step(c, env);
	case CONN_REFUSED:
		lane_drop(&c->in_client, c->in_client.len);
		return false;
	case CONN_RESOLVING:
	case CONN_CONNECTING:
	case CONN_CLOSED:
		return false;
	}
	return false;
}

static bool is_request_state(enum egress_state s)
{
	return s == CONN_FIRST || s == CONN_HTTP_HEAD || s == CONN_SOCKS_GREETING ||
	       s == CONN_SOCKS_PASSWORD || s == CONN_SOCKS_REQUEST;
}

void egress_conn_step(struct egress_conn *c, struct egress_env *env)
{
	static const struct egress_no cut = {400, SOCKS_FAILED, "the request ends too early",
					     false};

	while (step_once(c, env))
		;
	if (c->client_eof && is_request_state(c->state))
		egress_conn_refuse(c, env, &cut, NULL);
	if (c->state == CONN_REFUSED && c->client_eof && c->to_client.len == 0)
		egress_conn_close(c, env, c->why);
}

void egress_conn_timeout(struct egress_conn *c, struct egress_env *env)
{
	static const struct egress_no head = {408, SOCKS_TIMED_OUT, "the request took too long",
					      false},
				      name = {504, SOCKS_TIMED_OUT, "the name server didn't answer",
					      true},
				      hello = {408, SOCKS_TIMED_OUT, "no TLS hello came", false};

	switch (c->state) {
	case CONN_FIRST:
		egress_conn_close(c, env, "idle");
		return;
	case CONN_HTTP_HEAD:
	case CONN_SOCKS_GREETING:
	case CONN_SOCKS_PASSWORD:
	case CONN_SOCKS_REQUEST:
		egress_conn_refuse(c, env, &head, NULL);
		return;
	case CONN_RESOLVING:
		egress_conn_refuse(c, env, &name, NULL);
		return;
	case CONN_CONNECTING:
		egress_conn_address_failed(c, env, ETIMEDOUT);
		return;
	case CONN_TUNNEL_FIRST:
	case CONN_TUNNEL_HEAD:
		egress_conn_refuse(c, env, &hello, NULL);
		return;
	case CONN_TUNNEL:
	case CONN_EXCHANGE:
		egress_conn_close(c, env, "idle");
		return;
	case CONN_REFUSED:
	case CONN_CLOSED:
		egress_conn_close(c, env, c->why);
		return;
	}
}

void egress_conn_abort(struct egress_conn *c, struct egress_env *env, const char *why)
{
	const struct egress_no no = {502, SOCKS_FAILED, why, c->decision.verdict == VERDICT_ALLOW};

	/* What was asked for and not yet answered for in the log must not get lost. */
	if (c->port && !c->logged) {
		struct egress_record r = {
			.event = "egress",
			.id = c->id,
			.via = c->via,
			.host = &c->host,
			.port = c->port,
			.verdict = no.network ? VERDICT_ALLOW : VERDICT_DENY,
			.rule = c->decision.rule,
			.line = c->decision.line,
			.reason = why,
		};

		c->logged = true;
		egress_log_add(env->log, &r);
	}
	egress_conn_close(c, env, why);
}

void egress_conn_count(struct egress_conn *c, struct egress_env *env, size_t up, size_t down)
{
	uint64_t n = up + down;

	c->up += up;
	c->down += down;
	if (!env->limited)
		return;
	env->budget = n < env->budget ? env->budget - n : 0;
	if (env->budget == 0)
		egress_conn_abort(c, env, "the byte budget of the run is used up");
}

bool egress_conn_reads_client(const struct egress_conn *c)
{
	if (c->client_eof || c->state == CONN_CLOSED)
		return false;
	return c->in_client.len < MAX_EGRESS_LANE_BYTES;
}

bool egress_conn_reads_server(const struct egress_conn *c)
{
	if (c->server_eof || (c->state != CONN_TUNNEL && c->state != CONN_EXCHANGE))
		return false;
	return c->in_server.len < MAX_EGRESS_LANE_BYTES;
}
