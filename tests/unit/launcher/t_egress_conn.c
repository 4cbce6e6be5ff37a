/* SPDX-License-Identifier: MIT */
/* From the first byte to an open connection: what is asked, refused, said and logged, and how long
 * it may take. */
#include "base/base.h"

#include "tests/unit/launcher/egress_rig.h"

#include <errno.h>

static const struct {
	const char *request;
	const char *status, *body, *in_log;
} refused[] = {
	{CONNECT("x.bad.example:443"), "HTTP/1.1 403 ",
	 "confine-run: x.bad.example:443: blocked: rule 3 (line 3): deny *.bad.example\n",
	 "\"verdict\":\"deny\",\"rule\":3,\"line\":3,\"address\":null,\"reason\":\"denied by a "
	 "rule\""},
	{CONNECT("elsewhere.test:443"), "HTTP/1.1 403 ",
	 "no egress rule allows it (the narrowest that would: \"allow elsewhere.test\")\n",
	 "\"host\":\"elsewhere.test\",\"port\":443,\"verdict\":\"deny\",\"rule\":0"},
	{CONNECT("a.example:8443"), "HTTP/1.1 403 ", "\"allow a.example 8443\"",
	 "\"port\":8443,\"verdict\":\"deny\""},
	{CONNECT("1.1.1.1:443"), "HTTP/1.1 403 ", "no egress rule", "\"host\":\"1.1.1.1\""},
	{CONNECT("127.0.0.1:443"), "HTTP/1.1 403 ", "no egress rule", "\"verdict\":\"deny\""},
	{CONNECT("[::1]:443"), "HTTP/1.1 403 ", "confine-run: [::1]:443: blocked",
	 "\"host\":\"::1\""},
	{"GET http://b.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n", "HTTP/1.1 403 ",
	 "b.example:80: blocked",
	 "\"via\":\"http\",\"host\":\"b.example\",\"port\":80,\"verdict\":\"deny\""},
	{"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", "HTTP/1.1 400 ",
	 "neither CONNECT nor an http:// address",
	 "\"via\":null,\"host\":null,\"port\":0,\"verdict\":\"deny\""},
	{"GET http://a.example/ HTTP/1.1\nHost: a.example\n\n", "HTTP/1.1 400 ",
	 "line feed without", "\"host\":null"},
};

Test(egress_conn, a_refused_client_is_told_why_and_it_is_logged_once)
{
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		struct rig *r = rig_new();
		const char *got;

		say(r, refused[i].request);
		cr_assert_eq(r->c.state, CONN_REFUSED, "%s", refused[i].request);
		got = client_got(r);
		cr_assert(starts(got, refused[i].status), "%s", got);
		cr_assert_not_null(strstr(got, refused[i].body), "%s", got);
		cr_assert_not_null(strstr(got, "Connection: close\r\n"));
		cr_assert(logged(r, refused[i].in_log), "%s", log_text(r));
		cr_assert_null(strchr(strchr(log_text(r), '\n') + 1, '\n'), "one line: %s",
			       log_text(r));
		cr_assert(r->c.shut_client);
		say(r, "more that nobody reads");
		cr_assert_eq(r->c.in_client.len, 0);
		cr_assert_eq(r->c.to_server.len, 0);
		r->c.client_eof = true;
		egress_conn_step(&r->c, &r->env);
		cr_assert_eq(r->c.state, CONN_CLOSED);
		rig_free(r);
	}
}

static const struct {
	const char *addr;
	bool open;
	const char *said;
} answers[] = {
	{"93.184.216.34", true, NULL},
	{"2606:2800::1", true, NULL},
	{"64:ff9b::8.8.8.8", true, NULL},
	{"127.0.0.1", false, "it leads to 127.0.0.1 (loopback), and only public addresses"},
	{"10.0.0.1", false, "(private)"},
	{"169.254.169.254", false, "(cloud metadata)"},
	{"100.64.0.1", false, "(shared (100.64.0.0/10))"},
	{"0.0.0.0", false, "(unspecified)"},
	{"::1", false, "(loopback)"},
	{"::ffff:93.184.216.34", false, "(translated)"},
	{"64:ff9b::10.0.0.1", false, "(private)"},
	{"fd00::1", false, "(private)"},
	{"fe80::1", false, "(link-local)"},
	{"ff02::1", false, "(multicast)"},
};

Test(egress_conn, what_an_allowed_name_leads_to_is_looked_at)
{
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		struct rig *r = rig_new();

		say(r, CONNECT("a.example:443"));
		resolve(r, answers[i].addr);
		cr_assert_eq(r->c.state, answers[i].open ? CONN_CONNECTING : CONN_REFUSED, "%s",
			     answers[i].addr);
		if (!answers[i].open) {
			const char *got = client_got(r);

			cr_assert(starts(got, "HTTP/1.1 403 "));
			cr_assert_not_null(strstr(got, answers[i].said), "%s", got);
			cr_assert(logged(r, "\"verdict\":\"deny\",\"rule\":1"));
		}
		rig_free(r);
	}
}

Test(egress_conn, of_many_addresses_only_public_ones_are_tried)
{
	struct rig *r = rig_new();
	struct egress_addr a[] = {addr("10.0.0.1"), addr("93.184.216.34"), addr("127.0.0.1"),
				  addr("2606:2800::1"), addr("::1")};
	const struct egress_addr *got;

	say(r, CONNECT("a.example:443"));
	egress_conn_resolved(&r->c, &r->env, a, ARRAY_LEN(a));
	got = egress_conn_address(&r->c, &r->env);
	cr_assert_eq(memcmp(got, &a[1], sizeof(*got)), 0);
	cr_assert_eq(r->c.deadline_ms, 1000 + EGRESS_CONNECT_EACH_MS);
	egress_conn_address_failed(&r->c, &r->env, ECONNREFUSED);
	cr_assert_eq(r->c.state, CONN_CONNECTING);
	got = egress_conn_address(&r->c, &r->env);
	cr_assert_eq(memcmp(got, &a[3], sizeof(*got)), 0);
	cr_assert_eq(r->c.deadline_ms, 1000 + EGRESS_CONNECT_MS);
	egress_conn_address_failed(&r->c, &r->env, ENETUNREACH);
	cr_assert_eq(r->c.state, CONN_REFUSED);
	cr_assert(starts(client_got(r), "HTTP/1.1 502 "));
	cr_assert(logged(r, "\"verdict\":\"allow\",\"rule\":1,\"line\":1,\"address\":null,"
			    "\"reason\":\"network unreachable\""));
	rig_free(r);
}

Test(egress_conn, an_address_of_this_host_itself_is_refused)
{
	struct rig *r = rig_new();

	say(r, CONNECT("a.example:443"));
	resolve(r, "93.184.216.34");
	cr_assert_not_null(egress_conn_address(&r->c, &r->env));
	egress_conn_address_failed(&r->c, &r->env, 0);
	cr_assert_not_null(strstr(client_got(r), "(this host's own)"));
	cr_assert(logged(r, "\"verdict\":\"deny\""));
	rig_free(r);
}

Test(egress_conn, a_name_that_does_not_resolve)
{
	struct rig *r = rig_new();

	say(r, CONNECT("a.example:443"));
	egress_conn_resolved(&r->c, &r->env, NULL, 0);
	cr_assert(starts(client_got(r), "HTTP/1.1 502 "));
	cr_assert(logged(r, "\"reason\":\"name doesn't resolve\""));
	rig_free(r);
}

/* ---- SOCKS ---- */

Test(egress_conn, socks_with_a_name)
{
	struct rig *r = rig_new();
	uint8_t h[512];
	size_t n = hello("a.example", h);

	feed(r, "\5\1\0", 3);
	cr_assert_str_eq(client_got(r), "\5"
					"0");
	feed(r,
	     "\5\1\0\3\x09"
	     "a.example\x01\xbb",
	     16);
	open_it(r);
	cr_assert_str_eq(client_got(r), "\5"
					"00"
					"\1"
					"000000");
	feed(r, h, n);
	cr_assert_eq(r->c.state, CONN_TUNNEL);
	cr_assert(logged(r, "\"via\":\"socks5\",\"host\":\"a.example\""));
	rig_free(r);
}

static const struct {
	struct view request;
	unsigned char code;
} socks_refused[] = {
	{VIEW("\5\1\0\3\x0d"
	      "x.bad.example\x01\xbb"),
	 2},
	{VIEW("\5\1\0\1\x7f\0\0\1\x01\xbb"), 2},
	{VIEW("\5\2\0\3\x09"
	      "a.example\x01\xbb"),
	 7},
	{VIEW("\5\1\0\5\x09"
	      "a.example\x01\xbb"),
	 8},
	{VIEW("\5\1\0\3\x05"
	      "127.1\x01\xbb"),
	 1},
};

Test(egress_conn, socks_refusals_have_their_codes)
{
	for (size_t i = 0; i < ARRAY_LEN(socks_refused); i++) {
		struct rig *r = rig_new();

		feed(r, "\5\1\0", 3);
		(void)client_got(r);
		feed(r, socks_refused[i].request.ptr, socks_refused[i].request.len);
		cr_assert_eq(r->c.state, CONN_REFUSED, "%zu", i);
		cr_assert_eq((unsigned char)client_got(r)[1], socks_refused[i].code, "%zu", i);
		cr_assert(logged(r, "\"verdict\":\"deny\""));
		rig_free(r);
	}
}

Test(egress_conn, other_first_bytes_get_the_answer_they_understand)
{
	struct rig *r = rig_new();

	feed(r, "\4\1\0\x50\x5d\xb8\xd8\x22\0", 9);
	cr_assert_str_eq(client_got(r), "0\x5b"
					"000000");
	cr_assert(logged(r, "\"event\":\"egress\""));
	rig_free(r);
	r = rig_new();
	feed(r, "\x16\3\1\0\5", 5);
	cr_assert_str_eq(client_got(r), "\x15\x03\x03"
					"0\x02\x02\x31");
	cr_assert(logged(r, "\"event\":\"egress\""));
	cr_assert(logged(r, "\"reason\":\"TLS to the proxy itself\""));
	rig_free(r);
}

/* ---- credentials ---- */

Test(egress_conn, where_a_credential_is_asked_for_nothing_happens_without)
{
	struct rig *r = rig_new();
	const char *got;

	r->env.credential = "confine:s3cret";
	say(r, CONNECT("a.example:443"));
	got = client_got(r);
	cr_assert(starts(got, "HTTP/1.1 407 "));
	cr_assert_not_null(strstr(got, "Proxy-Authenticate: Basic"));
	rig_free(r);

	r = rig_new();
	r->env.credential = "confine:s3cret";
	say(r, "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n"
	       "Proxy-Authorization: Basic Y29uZmluZTpzM2NyZXQ=\r\n\r\n");
	cr_assert_eq(r->c.state, CONN_RESOLVING);
	rig_free(r);

	r = rig_new();
	r->env.credential = "confine:s3cret";
	feed(r, "\5\1\0", 3);
	cr_assert_str_eq(client_got(r), "\5\xff");
	cr_assert_eq(r->c.state, CONN_REFUSED);
	rig_free(r);

	r = rig_new();
	r->env.credential = "confine:s3cret";
	feed(r, "\5\2\0\2", 4);
	cr_assert_str_eq(client_got(r), "\5\2");
	feed(r, "\1\7confine\6s3creT", 16);
	cr_assert_str_eq(client_got(r), "\1\1");
	cr_assert_eq(r->c.state, CONN_REFUSED);
	rig_free(r);

	r = rig_new();
	r->env.credential = "confine:s3cret";
	feed(r,
	     "\5\2\0\2\1\7confine\6s3cret\5\1\0\3\x09"
	     "a.example\x01\xbb",
	     4 + 16 + 16);
	cr_assert_eq(r->c.state, CONN_RESOLVING, "all of it in one piece");
	rig_free(r);
}

/* ---- time and amount ---- */

Test(egress_conn, each_state_has_its_deadline)
{
	struct rig *r = rig_new();

	cr_assert_eq(r->c.deadline_ms, 1000 + EGRESS_HEAD_MS);
	egress_conn_timeout(&r->c, &r->env);
	cr_assert_eq(r->c.state, CONN_CLOSED, "nothing was said: nothing to say");
	cr_assert_eq(r->log.lines.len, 0);
	rig_free(r);

	r = rig_new();
	say(r, "CONNECT a.exam");
	r->env.now_ms += 5000;
	say(r, "ple:443 HTTP/1.1\r\n");
	cr_assert_eq(r->c.deadline_ms, 1000 + EGRESS_HEAD_MS, "drops of bytes buy no time");
	egress_conn_timeout(&r->c, &r->env);
	cr_assert(starts(client_got(r), "HTTP/1.1 408 "));
	egress_conn_timeout(&r->c, &r->env);
	cr_assert_eq(r->c.state, CONN_CLOSED);
	rig_free(r);

	r = rig_new();
	say(r, CONNECT("a.example:443"));
	cr_assert_eq(r->c.deadline_ms, 1000 + EGRESS_RESOLVE_MS);
	egress_conn_timeout(&r->c, &r->env);
	cr_assert(starts(client_got(r), "HTTP/1.1 504 "));
	rig_free(r);

	r = rig_new();
	say(r, CONNECT("a.example:443"));
	resolve(r, "93.184.216.34");
	cr_assert_not_null(egress_conn_address(&r->c, &r->env));
	egress_conn_timeout(&r->c, &r->env);
	cr_assert(starts(client_got(r), "HTTP/1.1 504 "));
	rig_free(r);

	r = tunnel_to(CONNECT("a.example:443"));
	cr_assert_eq(r->c.deadline_ms, 1000 + EGRESS_HEAD_MS);
	egress_conn_timeout(&r->c, &r->env);
	cr_assert_eq(r->c.state, CONN_REFUSED);
	cr_assert(logged(r, "no TLS hello came"));
	rig_free(r);

	r = tunnel_to(CONNECT("ssh.example:22"));
	cr_assert_eq(r->c.deadline_ms, 1000 + EGRESS_IDLE_MS);
	r->env.now_ms += 1000;
	say(r, "x");
	cr_assert_eq(r->c.deadline_ms, 2000 + EGRESS_IDLE_MS, "each byte starts the time again");
	egress_conn_timeout(&r->c, &r->env);
	cr_assert_eq(r->c.state, CONN_CLOSED);
	cr_assert(logged(r, "\"reason\":\"idle\""));
	rig_free(r);
}

Test(egress_conn, a_request_cut_short_is_refused_and_a_look_is_not_logged)
{
	struct rig *r = rig_new();

	say(r, "CONNECT a.example:443 HTTP/1.1\r\n");
	r->c.client_eof = true;
	egress_conn_step(&r->c, &r->env);
	cr_assert_eq(r->c.state, CONN_REFUSED);
	(void)client_got(r);
	cr_assert_eq(r->c.state, CONN_CLOSED);
	cr_assert(logged(r, "ends too early"));
	rig_free(r);

	r = rig_new();
	r->c.client_eof = true;
	egress_conn_step(&r->c, &r->env);
	cr_assert_eq(r->c.state, CONN_CLOSED);
	cr_assert_eq(r->log.lines.len, 0);
	rig_free(r);
}

Test(egress_conn, a_budget_ends_the_connection_and_every_later_one)
{
	struct rig *r = rig_new();

	r->env.limited = true;
	r->env.budget = 20;
	say(r, CONNECT("ssh.example:22"));
	open_it(r);
	(void)client_got(r);
	serve(r, "0123456789");
	cr_assert_eq(r->c.state, CONN_TUNNEL);
	serve(r, "0123456789");
	cr_assert_eq(r->c.state, CONN_CLOSED);
	cr_assert(logged(r, "\"reason\":\"the byte budget of the run is used up\""));
	egress_conn_release(&r->c);
	cr_assert_eq(egress_conn_init(&r->c, &r->env, 8), 0);
	say(r, CONNECT("ssh.example:22"));
	cr_assert(starts(client_got(r), "HTTP/1.1 403 "));
	rig_free(r);
}

Test(egress_conn, what_was_under_way_at_the_end_of_the_run_is_in_the_log)
{
	struct rig *r = rig_new();

	say(r, CONNECT("a.example:443"));
	egress_conn_abort(&r->c, &r->env, "the run has ended");
	cr_assert(logged(r, "\"event\":\"egress\""));
	cr_assert(logged(r, "\"reason\":\"the run has ended\""));
	rig_free(r);
	r = tunnel_to(CONNECT("ssh.example:22"));
	egress_conn_abort(&r->c, &r->env, "the run has ended");
	cr_assert(logged(r, "\"event\":\"egress-end\""));
	rig_free(r);
}

Test(egress_conn, proxy_variables_come_in_both_cases_and_nothing_goes_around)
{
	char text[128];
	size_t n = 0;

	while (egress_environment(n, 3128, text, sizeof(text))) {
		bool none = starts(text, "NO_PROXY=") || starts(text, "no_proxy=");

		cr_assert(none ? strstr(text, "=localhost,127.0.0.1") != NULL
			       : strstr(text, "=http://127.0.0.1:3128") != NULL,
			  "%s", text);
		n++;
	}
	cr_assert_eq(n, 8);
}
