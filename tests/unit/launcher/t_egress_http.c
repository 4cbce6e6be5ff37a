/* SPDX-License-Identifier: MIT */
/* HTTP heads that are fine, what is made of them, where bodies end, and the heads of answers. */
#include "base/base.h"

#include "launcher/egress_http.h"

#include <criterion/criterion.h>

static struct egress_http_head head;
static struct egress_refusal why;

static enum egress_parse parse(const char *text, enum egress_http_form form)
{
	why = (struct egress_refusal){0, ""};
	return egress_http_parse(view_of(text), form, &head, &why);
}

static const char *emitted(void)
{
	static char text[2 * MAX_EGRESS_HEAD_BYTES];
	auto_buf struct buf b = {0};

	buf_init(&b, sizeof(text) - 1);
	egress_http_emit(&head, &b);
	cr_assert_eq(buf_error(&b), 0);
	memcpy(text, buf_text(&b), b.len + 1);
	return text;
}

Test(egress_http, connect)
{
	const char *text = "CONNECT Example.com:443 HTTP/1.1\r\nHost: "
			   "example.com:443\r\nUser-Agent: curl/8\r\n\r\nrest";

	cr_assert_eq(parse(text, HTTP_FORM_PROXY), EGRESS_DONE, "%s", why.reason);
	cr_assert(head.connect);
	cr_assert_str_eq(head.host.text, "example.com");
	cr_assert_eq(head.port, 443);
	cr_assert_eq(head.bytes, strlen(text) - 4);
	cr_assert_eq(head.body, HTTP_BODY_NONE);
}

static const char *const good_connects[] = {
	"CONNECT a.example:22 HTTP/1.0\r\n\r\n", /* what old tunnels send */
	"CONNECT a.example:443 HTTP/1.0\r\nProxy-Connection: keep-alive\r\n\r\n",
	"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n", /* Host without the port */
	"CONNECT a.example:443 HTTP/1.1\r\nhost:A.EXAMPLE.:443\r\n\r\n",
	"CONNECT [2606:2800:220:1::1]:443 HTTP/1.1\r\nHost: [2606:2800:220:1::1]:443\r\n\r\n",
	"CONNECT 93.184.216.34:443 HTTP/1.1\r\nHost: 93.184.216.34:443\r\n\r\n",
	"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\nContent-Length: 0\r\n\r\n",
};

Test(egress_http, connects_of_real_clients)
{
	for (size_t i = 0; i < ARRAY_LEN(good_connects); i++) {
		cr_assert_eq(parse(good_connects[i], HTTP_FORM_PROXY), EGRESS_DONE, "%s: %s",
			     good_connects[i], why.reason);
		cr_assert(head.connect);
	}
}

Test(egress_http, absolute_form_becomes_origin_form)
{
	const char *text = "GET http://User.Example:8080/a/b?c=d HTTP/1.1\r\n"
			   "Host: user.example:8080\r\n"
			   "Proxy-Connection: Keep-Alive\r\n"
			   "Connection: close, X-Private\r\n"
			   "X-Private: 1\r\n"
			   "Proxy-Authorization: Basic eDp5\r\n"
			   "Keep-Alive: 300\r\n"
			   "TE: trailers\r\n"
			   "Upgrade: websocket\r\n"
			   "X-Kept:  two  words\t\r\n"
			   "Accept: */*\r\n\r\n";

	cr_assert_eq(parse(text, HTTP_FORM_PROXY), EGRESS_DONE, "%s", why.reason);
	cr_assert_not(head.connect);
	cr_assert_eq(head.port, 8080);
	cr_assert_str_eq(emitted(), "GET /a/b?c=d HTTP/1.1\r\n"
				    "Host: user.example:8080\r\n"
				    "X-Kept: two  words\r\n"
				    "Accept: */*\r\n"
				    "Connection: close\r\n\r\n");
}

static const struct {
	const char *line, *want;
} targets[] = {
	{"GET http://a.example/ HTTP/1.1", "GET / HTTP/1.1\r\nHost: a.example\r\n"},
	{"GET http://a.example HTTP/1.1", "GET / HTTP/1.1\r\nHost: a.example\r\n"},
	{"GET HTTP://A.example:80/x HTTP/1.1", "GET /x HTTP/1.1\r\nHost: a.example\r\n"},
	{"GET http://a.example?q HTTP/1.1", "GET /?q HTTP/1.1\r\nHost: a.example\r\n"},
	{"GET http://a.example/?u=http://b/@c HTTP/1.1",
	 "GET /?u=http://b/@c HTTP/1.1\r\nHost: a.example\r\n"},
	{"OPTIONS http://a.example HTTP/1.1", "OPTIONS * HTTP/1.1\r\nHost: a.example\r\n"},
	{"OPTIONS http://a.example/ HTTP/1.1", "OPTIONS / HTTP/1.1\r\nHost: a.example\r\n"},
	{"GET http://a.example/ HTTP/1.0", "GET / HTTP/1.0\r\nHost: a.example\r\n"},
	{"PROPFIND http://a.example/d HTTP/1.1", "PROPFIND /d HTTP/1.1\r\nHost: a.example\r\n"},
	{"GET http://[2606:2800::1]/ HTTP/1.1", "GET / HTTP/1.1\r\nHost: [2606:2800::1]\r\n"},
};

Test(egress_http, targets)
{
	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		char text[256];
		bool v6 = strchr(targets[i].line, '[') != NULL;

		(void)snprintf(text, sizeof(text), "%s\r\nHost: %s\r\n\r\n", targets[i].line,
			       v6 ? "[2606:2800::1]" : "a.example");
		cr_assert_eq(parse(text, HTTP_FORM_PROXY), EGRESS_DONE, "%s: %s", targets[i].line,
			     why.reason);
		cr_assert_eq(strncmp(emitted(), targets[i].want, strlen(targets[i].want)), 0, "%s",
			     emitted());
	}
}

Test(egress_http, origin_form_inside_a_tunnel)
{
	cr_assert_eq(parse("GET /x HTTP/1.1\r\nHost: a.example:8080\r\n\r\n", HTTP_FORM_ORIGIN),
		     EGRESS_DONE);
	cr_assert_str_eq(head.host.text, "a.example");
	cr_assert_eq(head.port, 8080);
	cr_assert_str_eq(emitted(),
			 "GET /x HTTP/1.1\r\nHost: a.example:8080\r\nConnection: close\r\n\r\n");
	cr_assert_eq(parse("OPTIONS * HTTP/1.1\r\nHost: a.example\r\n\r\n", HTTP_FORM_ORIGIN),
		     EGRESS_DONE);
	cr_assert_eq(head.port, 80);
	cr_assert_eq(parse("GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
			   HTTP_FORM_ORIGIN),
		     EGRESS_BAD);
	cr_assert_eq(parse("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n",
			   HTTP_FORM_ORIGIN),
		     EGRESS_BAD);
	cr_assert_eq(parse("GET /x HTTP/1.0\r\n\r\n", HTTP_FORM_ORIGIN), EGRESS_BAD,
		     "without Host nobody knows whose");
	cr_assert_eq(parse("GET /x HTTP/1.1\r\n\r\n", HTTP_FORM_ORIGIN), EGRESS_BAD);
}

Test(egress_http, a_head_may_come_byte_by_byte)
{
	const char *text =
		"POST http://a.example/x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\n\r\n";

	for (size_t n = 0; n < strlen(text); n++)
		cr_assert_eq(
			egress_http_parse((struct view){text, n}, HTTP_FORM_PROXY, &head, &why),
			EGRESS_MORE, "at %zu: %s", n, why.reason);
	cr_assert_eq(parse(text, HTTP_FORM_PROXY), EGRESS_DONE);
	cr_assert_eq(head.body, HTTP_BODY_LENGTH);
	cr_assert_eq(head.length, 5);
}

Test(egress_http, lengths_are_bounded)
{
	static char text[MAX_EGRESS_HEAD_BYTES + 100];
	size_t n = (size_t)snprintf(text, sizeof(text),
				    "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nX: ");

	memset(text + n, 'x', sizeof(text) - n);
	cr_assert_eq(egress_http_parse((struct view){text, MAX_EGRESS_HEAD_BYTES - 1},
				       HTTP_FORM_PROXY, &head, &why),
		     EGRESS_MORE);
	cr_assert_eq(egress_http_parse((struct view){text, MAX_EGRESS_HEAD_BYTES}, HTTP_FORM_PROXY,
				       &head, &why),
		     EGRESS_BAD);
	cr_assert_eq(why.status, 431);
	memcpy(text + MAX_EGRESS_HEAD_BYTES - 4, "\r\n\r\n", 4);
	cr_assert_eq(
		egress_http_parse((struct view){text, sizeof(text)}, HTTP_FORM_PROXY, &head, &why),
		EGRESS_DONE);
	cr_assert_eq(head.bytes, MAX_EGRESS_HEAD_BYTES);
	memcpy(text + MAX_EGRESS_HEAD_BYTES - 4, "xxx\r\n\r\n", 7);
	cr_assert_eq(
		egress_http_parse((struct view){text, sizeof(text)}, HTTP_FORM_PROXY, &head, &why),
		EGRESS_BAD);
}

Test(egress_http, header_lines_are_bounded)
{
	static char text[MAX_EGRESS_HEAD_BYTES];
	size_t n = (size_t)snprintf(text, sizeof(text),
				    "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n");

	for (int i = 1; i < MAX_EGRESS_FIELDS; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "A%d: 1\r\n", i);
	(void)snprintf(text + n, sizeof(text) - n, "\r\n");
	cr_assert_eq(parse(text, HTTP_FORM_PROXY), EGRESS_DONE, "%s", why.reason);
	(void)snprintf(text + n, sizeof(text) - n, "B: 1\r\n\r\n");
	cr_assert_eq(parse(text, HTTP_FORM_PROXY), EGRESS_BAD);
	cr_assert_eq(why.status, 431);
}

Test(egress_http, credentials)
{
	cr_assert_eq(parse("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n"
			   "Proxy-Authorization: Basic Y29uZmluZTpzM2NyZXQ=\r\n\r\n",
			   HTTP_FORM_PROXY),
		     EGRESS_DONE);
	cr_assert(egress_http_authorized(&head, "confine:s3cret"));
	cr_assert_not(egress_http_authorized(&head, "confine:s3creT"));
	cr_assert_not(egress_http_authorized(&head, "confine:s3cre"));
	cr_assert_eq(
		parse("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n", HTTP_FORM_PROXY),
		EGRESS_DONE);
	cr_assert_not(egress_http_authorized(&head, "confine:s3cret"));
	cr_assert_not(egress_http_authorized(&head, ""));
	cr_assert_eq(parse("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n"
			   "Proxy-Authorization: Bearer Y29uZmluZTpzM2NyZXQ=\r\n\r\n",
			   HTTP_FORM_PROXY),
		     EGRESS_DONE);
	cr_assert_not(egress_http_authorized(&head, "confine:s3cret"));
}

/* ---- bodies ---- */

static struct egress_http_framing framing(const char *fields)
{
	struct egress_http_framing f;
	char text[256];

	(void)snprintf(text, sizeof(text),
		       "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\n%s\r\n", fields);
	cr_assert_eq(parse(text, HTTP_FORM_PROXY), EGRESS_DONE, "%s", why.reason);
	egress_http_framing_init(&f, &head);
	return f;
}

Test(egress_http, a_body_of_known_length_ends_there)
{
	struct egress_http_framing f = framing("Content-Length: 10\r\n");
	size_t n;

	cr_assert_not(f.done);
	cr_assert_eq(egress_http_framing_take(&f, VIEW("0123"), &n), EGRESS_MORE);
	cr_assert_eq(n, 4);
	cr_assert_eq(egress_http_framing_take(&f, VIEW("456789GET / HTTP/1.1\r\n"), &n),
		     EGRESS_DONE);
	cr_assert_eq(n, 6, "what follows is no part of this request");
	cr_assert_eq(egress_http_framing_take(&f, VIEW("more"), &n), EGRESS_DONE);
	cr_assert_eq(n, 0);
	f = framing("");
	cr_assert(f.done);
	cr_assert_eq(egress_http_framing_take(&f, VIEW("more"), &n), EGRESS_DONE);
	cr_assert_eq(n, 0);
	f = framing("Content-Length: 0\r\n");
	cr_assert(f.done);
}

Test(egress_http, chunks_end_with_the_empty_one_however_they_arrive)
{
	static const char body[] = "4\r\nWiki\r\n00A\r\n0123456789\r\n0\r\n\r\n";

	for (size_t step = 1; step <= sizeof(body); step++) {
		struct egress_http_framing f = framing("Transfer-Encoding: chunked\r\n");
		char all[64] = "";
		size_t at = 0, n, len = sizeof(body) - 1;

		(void)snprintf(all, sizeof(all), "%sGET ", body);
		while (!f.done) {
			size_t have = at + step < len + 4 ? step : len + 4 - at;

			cr_assert_neq(
				egress_http_framing_take(&f, (struct view){all + at, have}, &n),
				EGRESS_BAD);
			cr_assert(n == have || f.done);
			at += n;
		}
		cr_assert_eq(at, len);
	}
}

Test(egress_http, bad_chunks_are_refused)
{
	static const char *const bad[] = {
		"\r\n",		  "g\r\n",	    "4;ext=1\r\nWiki\r\n",
		"4 \r\nWiki\r\n", " 4\r\nWiki\r\n", "4\nWiki\r\n",
		"4\rWiki",	  "4\r\nWikiX",	    "4\r\nWiki\nX",
		"4\r\nWiki\rX",	  "0x4\r\nWiki",    "-4\r\n",
		"+4\r\n",	  "123456789\r\n",  "0\r\nTrailer: x\r\n\r\n",
		"0\r\nX",	  "0\r\n\rX",	    "0\n\n",
		"4\t\r\n",	  "FFFFFFFFF\r\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct egress_http_framing f = framing("Transfer-Encoding: CHUNKED\r\n");
		size_t n;

		cr_assert_eq(egress_http_framing_take(&f, view_of(bad[i]), &n), EGRESS_BAD,
			     "accepted: %s", bad[i]);
	}
}

/* ---- answers ---- */

static const char *answer(const char *text, enum egress_parse want, size_t body, bool want_final)
{
	static char out[4096];
	auto_buf struct buf b = {0};
	size_t n = 0;
	bool final = false;

	buf_init(&b, sizeof(out) - 1);
	cr_assert_eq(egress_http_answer(view_of(text), &b, &n, &final), want, "%s", text);
	if (want == EGRESS_DONE) {
		cr_assert_eq(n, strlen(text) - body);
		cr_assert_eq(final, want_final);
	} else {
		cr_assert_eq(b.len, 0);
	}
	memcpy(out, buf_text(&b), b.len + 1);
	return out;
}

Test(egress_http, answers_lose_what_belongs_to_one_hop)
{
	cr_assert_str_eq(
		answer("HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Hop\r\nX-Hop: "
		       "1\r\nKeep-Alive: timeout=5\r\n"
		       "Content-Length: 3\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\nabc",
		       EGRESS_DONE, 3, true),
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n"
		"Connection: close\r\n\r\n");
	cr_assert_str_eq(
		answer("HTTP/1.0 404 Not Found\nServer: old\n\nbody", EGRESS_DONE, 4, true),
		"HTTP/1.0 404 Not Found\r\nServer: old\r\nConnection: close\r\n\r\n");
	cr_assert_str_eq(
		answer("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200", EGRESS_DONE, 12, false),
		"HTTP/1.1 100 Continue\r\n\r\n");
	cr_assert_str_eq(answer("HTTP/1.1 204\r\n\r\n", EGRESS_DONE, 0, true),
			 "HTTP/1.1 204\r\nConnection: close\r\n\r\n");
}

Test(egress_http, answers_that_cannot_be_read_are_not_passed_on)
{
	static const char *const bad[] = {
		"HTTP/2 200 OK\r\n\r\n",
		"ICY 200 OK\r\n\r\n",
		"HTTP/1.1 20 OK\r\n\r\n",
		"HTTP/1.1 2000 OK\r\n\r\n",
		"HTTP/1.1 099 No\r\n\r\n",
		"HTTP/1.1 101 Switching Protocols\r\n\r\n",
		"HTTP/1.1 200 OK\r\n folded: x\r\n\r\n",
		"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX : blank before colon\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n",
		"HTTP/1.1 200 OK\x1b[2K\r\n\r\n",
		"\r\nHTTP/1.1 200 OK\r\n\r\n",
		"hello\n\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		(void)answer(bad[i], EGRESS_BAD, 0, false);
	(void)answer("HTTP/1.1 200 OK\r\nX: y\r\n", EGRESS_MORE, 0, false);
	(void)answer("", EGRESS_MORE, 0, false);
}

Test(egress_http, an_endless_answer_head_is_given_up)
{
	static char text[MAX_EGRESS_REPLY_HEAD_BYTES + 1];
	auto_buf struct buf b = {0};
	size_t n = (size_t)snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\nX: ");
	bool final;

	buf_init(&b, 2 * sizeof(text));
	memset(text + n, 'x', sizeof(text) - n);
	cr_assert_eq(egress_http_answer((struct view){text, MAX_EGRESS_REPLY_HEAD_BYTES - 1}, &b,
					&n, &final),
		     EGRESS_MORE);
	cr_assert_eq(egress_http_answer((struct view){text, MAX_EGRESS_REPLY_HEAD_BYTES}, &b, &n,
					&final),
		     EGRESS_BAD);
}

Test(egress_http, what_looks_like_a_request)
{
	cr_assert_eq(egress_http_looks(VIEW("GET /")), EGRESS_DONE);
	cr_assert_eq(egress_http_looks(VIEW("M-SEARCH * ")), EGRESS_DONE);
	cr_assert_eq(egress_http_looks(VIEW("GE")), EGRESS_MORE);
	cr_assert_eq(egress_http_looks(VIEW("")), EGRESS_MORE);
	cr_assert_eq(egress_http_looks(VIEW("SSH-2.0-OpenSSH")), EGRESS_BAD);
	cr_assert_eq(egress_http_looks(VIEW("get /")), EGRESS_BAD);
	cr_assert_eq(egress_http_looks(VIEW(" GET")), EGRESS_BAD);
	cr_assert_eq(egress_http_looks(VIEW("\x16\x03\x01")), EGRESS_BAD);
	cr_assert_eq(egress_http_looks(VIEW("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJ")), EGRESS_BAD);
}
