/* SPDX-License-Identifier: MIT */
/* Drives a connection's state machine without a socket. */
#ifndef TESTS_EGRESS_RIG_H
#define TESTS_EGRESS_RIG_H

#include "base/base.h"

#include "launcher/egress_conn.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>

struct rig {
	struct egress_rules *rules;
	struct egress_log log;
	struct egress_env env;
	struct egress_conn c;
	char client[MAX_EGRESS_LANE_BYTES + 1]; /* what the client got, as text */
	char server[MAX_EGRESS_LANE_BYTES + 1];
};

static const char rules_text[] = "allow a.example 443,80\n"
				 "allow ssh.example 22 no-sni\n"
				 "deny *.bad.example\n"
				 "allow *.example 443\n"
				 "allow 93.184.216.34 443,80\n"
				 "allow [2606:2800::1]\n";

static inline int64_t fixed_time(void)
{
	return 1800000000;
}

static inline struct rig *rig_new_at(const char *rules)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct errctx e = {0};

	cr_assert_not_null(r);
	cr_assert_eq(egress_rules_parse(view_of(rules), &r->rules, &e), 0, "%s", e.text);
	egress_log_init(&r->log, false);
	r->log.wall_s = fixed_time;
	r->env = (struct egress_env){.rules = r->rules, .log = &r->log, .now_ms = 1000};
	cr_assert_eq(egress_conn_init(&r->c, &r->env, 7), 0);
	return r;
}

static inline struct rig *rig_new(void)
{
	return rig_new_at(rules_text);
}

static inline void rig_free(struct rig *r)
{
	egress_conn_release(&r->c);
	egress_log_release(&r->log);
	egress_rules_free(r->rules);
	free(r);
}

static inline void feed(struct rig *r, const void *bytes, size_t n)
{
	cr_assert(lane_put(&r->c.in_client, (struct view){bytes, n}));
	egress_conn_step(&r->c, &r->env);
}

static inline void say(struct rig *r, const char *text)
{
	feed(r, text, strlen(text));
}

static inline void serve(struct rig *r, const char *text)
{
	cr_assert(lane_put(&r->c.in_server, view_of(text)));
	egress_conn_count(&r->c, &r->env, 0, strlen(text));
	egress_conn_step(&r->c, &r->env);
}

/* Takes what waits for one side, as the loop does; NULs become '0' so that it reads as text. */
static inline const char *take(struct egress_lane *l, char *out, struct rig *r)
{
	struct view v = lane_view(l);

	for (size_t i = 0; i < v.len; i++)
		out[i] = v.ptr[i] ? v.ptr[i] : '0';
	out[v.len] = 0;
	lane_drop(l, v.len);
	egress_conn_step(&r->c, &r->env);
	return out;
}

static inline const char *client_got(struct rig *r)
{
	return take(&r->c.to_client, r->client, r);
}

static inline const char *server_got(struct rig *r)
{
	size_t n = r->c.to_server.len;

	if (n)
		egress_conn_count(&r->c, &r->env, n, 0);
	return take(&r->c.to_server, r->server, r);
}

static inline struct egress_addr addr(const char *text)
{
	struct egress_addr a = {.len = 4};

	if (inet_pton(AF_INET, text, a.bytes) == 1)
		return a;
	a.len = 16;
	cr_assert_eq(inet_pton(AF_INET6, text, a.bytes), 1);
	return a;
}

static inline void resolve(struct rig *r, const char *text)
{
	struct egress_addr a = addr(text);

	cr_assert_eq(r->c.state, CONN_RESOLVING);
	egress_conn_resolved(&r->c, &r->env, &a, 1);
}

/* From a request to an open connection. */
static inline void open_it(struct rig *r)
{
	if (r->c.state == CONN_RESOLVING)
		resolve(r, "93.184.216.34");
	cr_assert_eq(r->c.state, CONN_CONNECTING);
	cr_assert_not_null(egress_conn_address(&r->c, &r->env));
	egress_conn_connected(&r->c, &r->env);
}

static inline const char *log_text(struct rig *r)
{
	return buf_text(&r->log.lines);
}

static inline bool logged(struct rig *r, const char *piece)
{
	return strstr(log_text(r), piece) != NULL;
}

static inline bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

#define CONNECT(host) "CONNECT " host " HTTP/1.1\r\nHost: " host "\r\n\r\n"

/* A ClientHello with one server name. */
static inline size_t hello(const char *name, uint8_t *out)
{
	size_t n = strlen(name), at = 0, ext = n + 9, body = 2 + 32 + 1 + 4 + 2 + 2 + ext;

	out[at++] = 22;
	out[at++] = 3;
	out[at++] = 1;
	out[at++] = (uint8_t)((body + 4) >> 8);
	out[at++] = (uint8_t)(body + 4);
	out[at++] = 1;
	out[at++] = 0;
	out[at++] = (uint8_t)(body >> 8);
	out[at++] = (uint8_t)body;
	out[at++] = 3;
	out[at++] = 3;
	memset(out + at, 0x55, 32);
	at += 32;
	memcpy(out + at, "\0\0\2\x13\1\1\0", 7);
	at += 7;
	out[at++] = (uint8_t)(ext >> 8);
	out[at++] = (uint8_t)ext;
	out[at++] = 0;
	out[at++] = 0;
	out[at++] = (uint8_t)((n + 5) >> 8);
	out[at++] = (uint8_t)(n + 5);
	out[at++] = (uint8_t)((n + 3) >> 8);
	out[at++] = (uint8_t)(n + 3);
	out[at++] = 0;
	out[at++] = (uint8_t)(n >> 8);
	out[at++] = (uint8_t)n;
	memcpy(out + at, name, n);
	return at + n;
}

/* An open tunnel whose 200 the client has read. */
static inline struct rig *tunnel_to(const char *request)
{
	struct rig *r = rig_new();

	say(r, request);
	open_it(r);
	(void)client_got(r);
	return r;
}

#endif
