/* SPDX-License-Identifier: MIT */
/*
 * The connection's state machine under any order of bytes and events. The input is a script: one
 * byte says what happens, further ones carry it. What must hold: nothing reaches a server before a
 * rule allowed it and its address was public, lanes stay within their size, a closed connection
 * stays closed, and the report is one or two lines of JSON.
 */
#include "base/base.h"

#include "base/json.h"
#include "launcher/egress_conn.h"
#include "tests/fuzz/fuzz.h"

static const char rules_text[] = "allow a.example 443,80\n"
				 "allow b.example 22 no-sni\n"
				 "deny *.bad.example\n"
				 "allow *.example 443\n"
				 "allow 93.184.216.34 443,80\n";

struct script {
	const uint8_t *p;
	size_t left;
};

static unsigned next(struct script *s)
{
	if (s->left == 0)
		return 0;
	s->left--;
	return *s->p++;
}

static struct view piece(struct script *s)
{
	size_t n = next(s);
	struct view v;

	if (n == 255)
		n += 4 * next(s);
	if (n > s->left)
		n = s->left;
	v = (struct view){(const char *)s->p, n};
	s->p += n;
	s->left -= n;
	return v;
}

static void event_resolved(struct script *s, struct egress_conn *c, struct egress_env *env)
{
	struct egress_addr a[MAX_EGRESS_ADDRESSES] = {{.len = 4}};
	size_t n = next(s) % (MAX_EGRESS_ADDRESSES + 1);

	for (size_t i = 0; i < n; i++) {
		a[i].len = next(s) & 1 ? 4 : 16;
		for (size_t k = 0; k < a[i].len; k++)
			a[i].bytes[k] = (uint8_t)next(s);
	}
	if (c->state != CONN_RESOLVING)
		return;
	FUZZ_REQUIRE(c->decision.verdict == VERDICT_ALLOW);
	egress_conn_resolved(c, env, a, n);
	for (size_t i = 0; c->state == CONN_CONNECTING && i < c->n_addrs; i++)
		FUZZ_REQUIRE(egress_addr_class(c->addrs[i].bytes, c->addrs[i].len) ==
			     EGRESS_ADDR_PUBLIC);
}

static void event_connect(struct script *s, struct egress_conn *c, struct egress_env *env)
{
	unsigned how = next(s);

	if (c->state != CONN_CONNECTING || !egress_conn_address(c, env))
		return;
	if (how & 1)
		egress_conn_connected(c, env);
	else
		egress_conn_address_failed(c, env, (int)(how >> 1));
}

static void happen(struct script *s, struct egress_conn *c, struct egress_env *env)
{
	unsigned what = next(s);
	struct view v;

	env->now_ms += what >> 4;
	switch (what & 15) {
	case 0:
	case 1:
	case 2:
		v = piece(s);
		if (egress_conn_reads_client(c))
			(void)lane_put(&c->in_client, v);
		egress_conn_step(c, env);
		break;
	case 3:
	case 4:
		v = piece(s);
		if (egress_conn_reads_server(c) && lane_put(&c->in_server, v))
			egress_conn_count(c, env, 0, v.len);
		egress_conn_step(c, env);
		break;
	case 5:
	case 6:
		event_resolved(s, c, env);
		break;
	case 7:
	case 8:
		event_connect(s, c, env);
		break;
	case 9:
		lane_drop(&c->to_client, c->to_client.len);
		egress_conn_step(c, env);
		break;
	case 10:
		lane_drop(&c->to_server, c->to_server.len / 2);
		egress_conn_step(c, env);
		break;
	case 11:
		lane_drop(&c->to_server, c->to_server.len);
		egress_conn_step(c, env);
		break;
	case 12:
		c->client_eof = true;
		egress_conn_step(c, env);
		break;
	case 13:
		c->server_eof = egress_conn_reads_server(c) || c->server_eof;
		egress_conn_step(c, env);
		break;
	case 14:
		egress_conn_timeout(c, env);
		break;
	default:
		egress_conn_abort(c, env, "the run has ended");
		break;
	}
}

static void require_lane(const struct egress_lane *l)
{
	FUZZ_REQUIRE(l->at + l->len <= MAX_EGRESS_LANE_BYTES);
}

static void require_sane(const struct egress_conn *c)
{
	require_lane(&c->in_client);
	require_lane(&c->to_server);
	require_lane(&c->in_server);
	require_lane(&c->to_client);
	FUZZ_REQUIRE(c->at_addr <= c->n_addrs && c->n_addrs <= MAX_EGRESS_ADDRESSES);
	if (c->to_server.len && c->state != CONN_CLOSED && c->state != CONN_HTTP_HEAD)
		FUZZ_REQUIRE(c->decision.verdict == VERDICT_ALLOW);
	if (c->state == CONN_TUNNEL || c->state == CONN_EXCHANGE)
		FUZZ_REQUIRE(c->n_addrs > 0 && c->logged);
	FUZZ_REQUIRE(c->state == CONN_TUNNEL || c->state == CONN_EXCHANGE ||
		     c->in_server.len == 0 || c->state == CONN_CLOSED || c->state == CONN_REFUSED);
}

static void require_report(const struct egress_log *log)
{
	struct view rest = buf_view(&log->lines);
	size_t lines = 0;

	while (rest.len) {
		const char *end = memchr(rest.ptr, '\n', rest.len);
		struct view line;

		FUZZ_REQUIRE(end);
		line = (struct view){rest.ptr, (size_t)(end - rest.ptr)};
		FUZZ_REQUIRE(json_check(line, NULL) == 0);
		rest = (struct view){end + 1, rest.len - line.len - 1};
		lines++;
	}
	FUZZ_REQUIRE(lines <= 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct egress_rules *rules;
	struct script s = {data, size};
	struct egress_log log;
	struct egress_env env = {.log = &log, .now_ms = 1000};
	struct egress_conn c;

	if (!rules)
		FUZZ_REQUIRE(egress_rules_parse(view_of(rules_text), &rules, NULL) == 0);
	env.rules = rules;
	egress_log_init(&log, false);
	FUZZ_REQUIRE(egress_conn_init(&c, &env, 1) == 0);
	if (size && data[0] & 0x80) {
		env.limited = true;
		env.budget = 64;
	}
	while (s.left) {
		bool was_closed = c.state == CONN_CLOSED;

		happen(&s, &c, &env);
		require_sane(&c);
		FUZZ_REQUIRE(!was_closed || c.state == CONN_CLOSED);
	}
	egress_conn_abort(&c, &env, "the run has ended");
	require_report(&log);
	egress_conn_release(&c);
	egress_log_release(&log);
	return 0;
}
