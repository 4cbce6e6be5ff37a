/* SPDX-License-Identifier: MIT */
/* An open connection: what may pass, in which order, and that nothing is lost. */
#include "base/base.h"

#include "tests/unit/launcher/egress_rig.h"

Test(egress_flow, a_tunnel_passes_bytes_only_after_the_name_was_seen)
{
	struct rig *r = rig_new();
	uint8_t h[512];
	size_t n = hello("A.EXAMPLE", h);

	say(r, CONNECT("a.example:443"));
	cr_assert_eq(r->c.state, CONN_RESOLVING);
	cr_assert_eq(r->c.to_client.len, 0);
	cr_assert_eq(r->log.lines.len, 0);
	open_it(r);
	cr_assert_str_eq(client_got(r), "HTTP/1.1 200 Connection established\r\n\r\n");
	cr_assert_eq(r->c.state, CONN_TUNNEL_FIRST);
	cr_assert_not(egress_conn_reads_server(&r->c));
	feed(r, h, n - 1);
	cr_assert_eq(r->c.to_server.len, 0, "nothing before the whole hello");
	feed(r, h + n - 1, 1);
	cr_assert_eq(r->c.state, CONN_TUNNEL);
	cr_assert_eq(r->c.to_server.len, n);
	cr_assert_eq(memcmp(lane_view(&r->c.to_server).ptr, h, n), 0, "the very bytes");
	(void)server_got(r);
	serve(r, "server says");
	cr_assert_str_eq(client_got(r), "server says");
	say(r, "client says");
	cr_assert_str_eq(server_got(r), "client says");
	r->c.client_eof = true;
	egress_conn_step(&r->c, &r->env);
	cr_assert(r->c.shut_server);
	cr_assert_not(r->c.shut_client, "the other direction goes on");
	serve(r, "last words");
	cr_assert_str_eq(client_got(r), "last words");
	r->c.server_eof = true;
	r->env.now_ms += 250;
	egress_conn_step(&r->c, &r->env);
	cr_assert_eq(r->c.state, CONN_CLOSED);
	cr_assert_str_eq(
		log_text(r),
		"{\"event\":\"egress\",\"time\":\"2027-01-15T08:00:00+00:00\",\"id\":7,\"via\":"
		"\"connect\","
		"\"host\":\"a.example\",\"port\":443,\"verdict\":\"allow\",\"rule\":1,\"line\":1,"
		"\"address\":\"93.184.216.34\",\"reason\":null}\n"
		"{\"event\":\"egress-end\",\"time\":\"2027-01-15T08:00:00+00:00\",\"id\":7,\"via\":"
		"\"connect\","
		"\"host\":\"a.example\",\"port\":443,\"verdict\":\"allow\",\"rule\":1,\"line\":1,"
		"\"address\":null,\"reason\":\"closed\",\"up\":81,\"down\":21,\"ms\":250}\n");
	rig_free(r);
}

/* ---- what goes through a tunnel ---- */

Test(egress_flow, another_name_in_the_hello_closes_the_tunnel_with_an_alert)
{
	uint8_t h[512];
	size_t n = hello("b.example", h);
	struct rig *r = tunnel_to(CONNECT("a.example:443"));

	feed(r, h, n);
	cr_assert_eq(r->c.state, CONN_REFUSED);
	cr_assert_eq(r->c.to_server.len, 0);
	cr_assert_str_eq(client_got(r), "\x15\x03\x03"
					"0\x02\x02\x31");
	cr_assert(logged(r, "\"event\":\"egress-end\""));
	cr_assert(logged(r, "\"verdict\":\"deny\",\"rule\":1,\"line\":1,\"address\":null,"
			    "\"reason\":\"the TLS server name "
			    "isn't the host of the request\",\"up\":0,\"down\":0"));
	rig_free(r);
}

Test(egress_flow, a_tunnel_that_is_neither_tls_nor_http_needs_a_rule_that_says_so)
{
	struct rig *r = tunnel_to(CONNECT("a.example:443"));

	say(r, "SSH-2.0-OpenSSH_9\r\n");
	cr_assert_eq(r->c.state, CONN_REFUSED);
	cr_assert_eq(r->c.to_server.len, 0);
	cr_assert(logged(r, "no-sni"));
	rig_free(r);

	r = tunnel_to(CONNECT("ssh.example:22"));
	cr_assert_eq(r->c.state, CONN_TUNNEL);
	serve(r, "SSH-2.0-server\r\n");
	cr_assert_str_eq(client_got(r), "SSH-2.0-server\r\n");
	say(r, "SSH-2.0-OpenSSH_9\r\n");
	cr_assert_str_eq(server_got(r), "SSH-2.0-OpenSSH_9\r\n");
	rig_free(r);
}

Test(egress_flow, bytes_sent_together_with_the_request_are_judged_too)
{
	struct rig *r = rig_new();
	uint8_t h[512];
	size_t n = hello("a.example", h);

	cr_assert(lane_put(&r->c.in_client, VIEW(CONNECT("a.example:443"))));
	feed(r, h, n);
	open_it(r);
	cr_assert_eq(r->c.state, CONN_TUNNEL);
	cr_assert_eq(r->c.to_server.len, n);
	rig_free(r);
}

Test(egress_flow, an_address_may_be_called_by_an_allowed_name_or_by_none)
{
	uint8_t h[512];
	size_t n = hello("www.example", h);
	struct rig *r = tunnel_to(CONNECT("93.184.216.34:443"));

	feed(r, h, n);
	cr_assert_eq(r->c.state, CONN_TUNNEL, "allowed by rule 4");
	rig_free(r);
	r = tunnel_to(CONNECT("93.184.216.34:443"));
	n = hello("x.bad.example", h);
	feed(r, h, n);
	cr_assert_eq(r->c.state, CONN_REFUSED);
	rig_free(r);
}

Test(egress_flow, plain_http_in_a_tunnel_is_one_checked_request)
{
	struct rig *r = tunnel_to("CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n\r\n");

	say(r, "GET /x HTTP/1.1\r\nHost: a.exam");
	cr_assert_eq(r->c.to_server.len, 0);
	say(r,
	    "ple\r\nConnection: keep-alive\r\n\r\nGET /second HTTP/1.1\r\nHost: evil.test\r\n\r\n");
	cr_assert_str_eq(server_got(r),
			 "GET /x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n");
	serve(r, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	cr_assert_str_eq(client_got(r),
			 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
	say(r, "GET /third HTTP/1.1\r\nHost: evil.test\r\n\r\n");
	cr_assert_eq(r->c.to_server.len, 0);
	rig_free(r);

	r = tunnel_to("CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n\r\n");
	say(r, "GET /x HTTP/1.1\r\nHost: evil.test\r\n\r\n");
	cr_assert(starts(client_got(r), "HTTP/1.1 403 "));
	cr_assert_eq(r->c.to_server.len, 0);
	rig_free(r);
}

/* ---- HTTP ---- */

Test(egress_flow, a_request_and_its_answer)
{
	struct rig *r = rig_new();

	say(r, "POST http://a.example/p HTTP/1.1\r\nHost: a.example\r\nContent-Length: "
	       "4\r\nProxy-Connection: x\r\n\r\nab");
	open_it(r);
	cr_assert_eq(r->c.state, CONN_EXCHANGE);
	cr_assert_eq(r->c.to_client.len, 0, "no word of our own");
	cr_assert_str_eq(server_got(r), "POST /p HTTP/1.1\r\nHost: a.example\r\nContent-Length: "
					"4\r\nConnection: close\r\n\r\nab");
	serve(r, "HTTP/1.1 100 Continue\r\n\r\n");
	cr_assert_str_eq(client_got(r), "HTTP/1.1 100 Continue\r\n\r\n");
	say(r, "cdPOST http://evil.test/ HTTP/1.1\r\n");
	cr_assert_str_eq(server_got(r), "cd");
	serve(r, "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\nbo");
	serve(r, "dy");
	cr_assert_str_eq(client_got(r), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbody");
	r->c.server_eof = true;
	egress_conn_step(&r->c, &r->env);
	cr_assert_eq(r->c.state, CONN_CLOSED);
	cr_assert(logged(r, "\"reason\":\"closed\",\"up\":"));
	rig_free(r);
}

Test(egress_flow, a_body_that_breaks_its_framing_ends_the_exchange)
{
	struct rig *r = rig_new();

	say(r, "POST http://a.example/p HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: "
	       "chunked\r\n\r\n2\r\nab\r\n");
	open_it(r);
	(void)server_got(r);
	say(r, "0\r\nX-Smuggled: 1\r\n\r\n");
	cr_assert_eq(r->c.state, CONN_REFUSED);
	cr_assert(starts(client_got(r), "HTTP/1.1 400 "));
	rig_free(r);
}

Test(egress_flow, a_server_that_answers_nonsense_or_nothing)
{
	struct rig *r = rig_new();

	say(r, "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n");
	open_it(r);
	serve(r, "SSH-2.0-x\r\n\r\n");
	cr_assert_eq(r->c.state, CONN_REFUSED);
	cr_assert(starts(client_got(r), "HTTP/1.1 502 "));
	rig_free(r);

	r = rig_new();
	say(r, "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n");
	open_it(r);
	r->c.server_eof = true;
	egress_conn_step(&r->c, &r->env);
	cr_assert(starts(client_got(r), "HTTP/1.1 502 "));
	rig_free(r);
}

Test(egress_flow, full_lanes_hold_back_and_lose_nothing)
{
	struct rig *r = tunnel_to(CONNECT("ssh.example:22"));
	static char block[1000];
	size_t sent = 0, got = 0;
	unsigned round = 0;

	while (got < 1000000) {
		for (size_t i = 0; i < sizeof(block); i++)
			block[i] = (char)((sent + i) % 251);
		if (egress_conn_reads_client(&r->c) && sent < 1000000 &&
		    lane_put(&r->c.in_client, (struct view){block, 1000}))
			sent += 1000;
		egress_conn_step(&r->c, &r->env);
		if (round++ % 3 == 0) { /* the server reads slowly, in odd pieces */
			struct view v = lane_view(&r->c.to_server);
			size_t n = v.len < 777 * (round % 5) ? v.len : 777 * (round % 5);

			for (size_t i = 0; i < n; i++)
				cr_assert_eq(v.ptr[i], (char)((got + i) % 251));
			got += n;
			lane_drop(&r->c.to_server, n);
			if (sent == 1000000 && r->c.in_client.len == 0 && r->c.to_server.len == 0)
				break;
		}
	}
	cr_assert_eq(got, sent);
	rig_free(r);
}
