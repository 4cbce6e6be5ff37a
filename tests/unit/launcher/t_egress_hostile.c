/* SPDX-License-Identifier: MIT */
/*
 * Hostile request heads: smuggling, disguised hosts, broken grammar. Each must be refused, with the
 * status that is named, however it is cut into pieces; beside each family stands one that is fine.
 */
#include "base/base.h"

#include "launcher/egress_http.h"

#include <criterion/criterion.h>

struct hostile {
	int status; /* 0: this one is fine */
	struct view text;
};
#define HEAD(status, literal)                                                                      \
	{                                                                                          \
		status, VIEW(literal)                                                              \
	}
#define A "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n"
#define P "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\n"
#define C "CONNECT a.example:443 HTTP/1.1\r\n"

static const struct hostile heads[] = {
	/* line ends */
	HEAD(0, A "\r\n"),
	HEAD(400, "GET http://a.example/ HTTP/1.1\nHost: a.example\n\n"),
	HEAD(400, A "X: y\n\r\n"),
	HEAD(400, A "\n"),
	HEAD(400, A "X: y\rZ: w\r\n\r\n"),
	HEAD(400, A "X: y\r\r\n\r\n"),
	HEAD(400, "GET http://a.example/\r HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "\r\n" A "\r\n"),
	HEAD(400, "\n" A "\r\n"),
	HEAD(400, A "X: a\0b\r\n\r\n"),
	HEAD(400, "GET http://a.example/\0 HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "\0GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	/* request line */
	HEAD(400, "GET  http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/  HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/ HTTP/1.1 \r\nHost: a.example\r\n\r\n"),
	HEAD(400, " GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET\thttp://a.example/\tHTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/ x HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET\r\n\r\n"),
	HEAD(400, "HTTP/1.1 200 OK\r\n\r\n"),
	HEAD(400, "G(T http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHI http://a.example/ HTTP/1.1\r\nHost: "
		  "a.example\r\n\r\n"),
	HEAD(505, "GET http://a.example/ HTTP/1.2\r\nHost: a.example\r\n\r\n"),
	HEAD(505, "GET http://a.example/ HTTP/2.0\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "PRI * HTTP/2\r\n\r\nSM\r\n\r\n"),
	HEAD(400, "GET http://a.example/ http/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/ HTTP/1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/ HTTP/01.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/ HTTPS/1.1\r\nHost: a.example\r\n\r\n"),
	/* target */
	HEAD(400, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET * HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET a.example HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET //a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET https://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET ftp://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET file:///etc/passwd HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET gopher://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET unix:/run/docker.sock HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http:/a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http:///x HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://user@a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://user:pass@a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://b.example@a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example:80@b.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n"),
	HEAD(400, "GET http://a.example#b.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/#x HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example\\@b.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example:0/ HTTP/1.1\r\nHost: a.example:0\r\n\r\n"),
	HEAD(400, "GET http://a.example:/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example:65616/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example:80:443/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example:8o/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.exam\xc3\xa9ple/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/\xc3\xa9 HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/\x7f HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/\x01 HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	/* addresses in disguise */
	HEAD(400, "GET http://2130706433/ HTTP/1.1\r\nHost: 2130706433\r\n\r\n"),
	HEAD(400, "GET http://0x7f000001/ HTTP/1.1\r\nHost: 0x7f000001\r\n\r\n"),
	HEAD(400, "GET http://0177.0.0.1/ HTTP/1.1\r\nHost: 0177.0.0.1\r\n\r\n"),
	HEAD(400, "GET http://127.1/ HTTP/1.1\r\nHost: 127.1\r\n\r\n"),
	HEAD(400, "GET http://127.0.0.1./ HTTP/1.1\r\nHost: 127.0.0.1.\r\n\r\n"),
	HEAD(400, "GET http://a.example.1/ HTTP/1.1\r\nHost: a.example.1\r\n\r\n"),
	HEAD(400, "GET http://[::1/ HTTP/1.1\r\nHost: [::1\r\n\r\n"),
	HEAD(400, "GET http://[fe80::1%25eth0]/ HTTP/1.1\r\nHost: [fe80::1%25eth0]\r\n\r\n"),
	HEAD(400, "GET http://[127.0.0.1]/ HTTP/1.1\r\nHost: [127.0.0.1]\r\n\r\n"),
	HEAD(400, "GET http://%61.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "GET http://a..example/ HTTP/1.1\r\nHost: a..example\r\n\r\n"),
	HEAD(400, "GET http://./ HTTP/1.1\r\nHost: .\r\n\r\n"),
	/* Host */
	HEAD(400, "GET http://a.example/ HTTP/1.1\r\n\r\n"),
	HEAD(0, "GET http://a.example/ HTTP/1.0\r\n\r\n"),
	HEAD(400, "GET http://a.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/ HTTP/1.1\r\nHost: a.example:8080\r\n\r\n"),
	HEAD(400, "GET http://a.example:8080/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(0, "GET http://a.example:80/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, A "Host: a.example\r\n\r\n"),
	HEAD(400, A "Host: b.example\r\n\r\n"),
	HEAD(400, A "hOsT: b.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/ HTTP/1.1\r\nHost: a.example, b.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/ HTTP/1.1\r\nHost: a.example b.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/ HTTP/1.1\r\nHost:\r\n\r\n"),
	HEAD(400, "GET http://a.example/ HTTP/1.1\r\nHost : a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/ HTTP/1.1\r\n Host: a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/ HTTP/1.1\r\nHost: a.example/\r\n\r\n"),
	HEAD(400, "GET http://a.example/ HTTP/1.1\r\nHost: user@a.example\r\n\r\n"),
	HEAD(400, "GET http://a.example/ HTTP/1.0\r\nHost: b.example\r\n\r\n"),
	/* header lines */
	HEAD(400, A "X: y\r\n z\r\n\r\n"),
	HEAD(400, A "X: y\r\n\tz\r\n\r\n"),
	HEAD(400, A "X\r\n\r\n"),
	HEAD(400, A ": y\r\n\r\n"),
	HEAD(400, A "X : y\r\n\r\n"),
	HEAD(400, A "X\t: y\r\n\r\n"),
	HEAD(400, A "X Y: z\r\n\r\n"),
	HEAD(400, A "X(: z\r\n\r\n"),
	HEAD(400, A "X\x80: z\r\n\r\n"),
	HEAD(400, A "X: \x01\r\n\r\n"),
	HEAD(400, A "X: \x0b\r\n\r\n"),
	HEAD(400, A "X: \x7f\r\n\r\n"),
	HEAD(0, A "X: caf\xe9\r\n\r\n"),
	HEAD(0, A "X:\r\n\r\n"),
	/* lengths */
	HEAD(0, P "Content-Length: 5\r\n\r\n"),
	HEAD(0, P "Transfer-Encoding: chunked\r\n\r\n"),
	HEAD(400, P "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
	HEAD(400, P "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"),
	HEAD(400, P "Content-Length: 5\r\nContent-Length: 5\r\n\r\n"),
	HEAD(400, P "Content-Length: 5\r\ncontent-length: 6\r\n\r\n"),
	HEAD(400, P "Content-Length: 5, 5\r\n\r\n"),
	HEAD(400, P "Content-Length: +5\r\n\r\n"),
	HEAD(400, P "Content-Length: -1\r\n\r\n"),
	HEAD(400, P "Content-Length: 0x5\r\n\r\n"),
	HEAD(400, P "Content-Length: 5 5\r\n\r\n"),
	HEAD(400, P "Content-Length: 5.0\r\n\r\n"),
	HEAD(400, P "Content-Length:\r\n\r\n"),
	HEAD(400, P "Content-Length: 18446744073709551621\r\n\r\n"),
	HEAD(400, P "Content-Length: 1000000000000000000\r\n\r\n"),
	HEAD(400, P "Content-Length : 5\r\n\r\n"),
	HEAD(400, P "Content-Length\x0b: 5\r\n\r\n"),
	HEAD(501, P "Transfer-Encoding: gzip\r\n\r\n"),
	HEAD(501, P "Transfer-Encoding: gzip, chunked\r\n\r\n"),
	HEAD(501, P "Transfer-Encoding: chunked, identity\r\n\r\n"),
	HEAD(501, P "Transfer-Encoding: identity\r\n\r\n"),
	HEAD(501, P "Transfer-Encoding: xchunked\r\n\r\n"),
	HEAD(501, P "Transfer-Encoding: chunked;q=1\r\n\r\n"),
	HEAD(501, P "Transfer-Encoding: \"chunked\"\r\n\r\n"),
	HEAD(501, P "Transfer-Encoding:\r\n\r\n"),
	HEAD(400, P "Transfer-Encoding: \x0b"
		    "chunked\r\n\r\n"),
	HEAD(400, P "Transfer-Encoding : chunked\r\n\r\n"),
	HEAD(400, P "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
	HEAD(400, P "Transfer-Encoding: identity\r\nTransfer-encoding: chunked\r\n\r\n"),
	HEAD(400, P "Transfer-Encoding:\r\n chunked\r\n\r\n"),
	HEAD(400, "POST http://a.example/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
	/* Connection */
	HEAD(0, A "Connection: close, X-Thing\r\nX-Thing: 1\r\n\r\n"),
	HEAD(400, A "Connection: Host\r\n\r\n"),
	HEAD(400, P "Connection: close, content-LENGTH\r\nContent-Length: 5\r\n\r\n"),
	HEAD(400, P "Connection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n\r\n"),
	HEAD(400, A "Connection: authorization\r\n\r\n"),
	HEAD(400, A "Proxy-Connection: cookie\r\n\r\n"),
	HEAD(400, A "Connection: a b\r\n\r\n"),
	HEAD(400, A "Proxy-Authorization: Basic eDp5\r\nProxy-Authorization: Basic eDp6\r\n\r\n"),
	/* CONNECT */
	HEAD(0, C "Host: a.example:443\r\n\r\n"),
	HEAD(400, C "Host: b.example:443\r\n\r\n"),
	HEAD(400, C "Host: a.example:444\r\n\r\n"),
	HEAD(400, C "\r\n"),
	HEAD(400, C "Host: a.example:443\r\nContent-Length: 5\r\n\r\nhello"),
	HEAD(400, C "Host: a.example:443\r\nTransfer-Encoding: chunked\r\n\r\n"),
	HEAD(400, "CONNECT a.example HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "CONNECT a.example: HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "CONNECT :443 HTTP/1.1\r\nHost: a.example\r\n\r\n"),
	HEAD(400, "CONNECT a.example:443/ HTTP/1.1\r\nHost: a.example:443\r\n\r\n"),
	HEAD(400, "CONNECT http://a.example:443/ HTTP/1.1\r\nHost: a.example:443\r\n\r\n"),
	HEAD(400, "CONNECT user@a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n"),
	HEAD(400, "CONNECT a.example:99999 HTTP/1.1\r\nHost: a.example:99999\r\n\r\n"),
	HEAD(400, "CONNECT a.example:443,b.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n"),
	HEAD(400, "CONNECT 127.1:80 HTTP/1.1\r\nHost: 127.1:80\r\n\r\n"),
	HEAD(400, "CONNECT ::1:80 HTTP/1.1\r\nHost: ::1:80\r\n\r\n"),
	HEAD(400, "connect a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n"),
	HEAD(400, "Connect http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n"),
};

Test(egress_hostile, there_are_at_least_a_hundred)
{
	size_t refused = 0;

	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		refused += heads[i].status != 0;
	cr_assert_geq(refused, 100, "%zu", refused);
}

Test(egress_hostile, each_is_refused_and_its_honest_twin_is_not)
{
	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		struct egress_http_head h;
		struct egress_refusal why = {0, ""};
		enum egress_parse p = egress_http_parse(heads[i].text, HTTP_FORM_PROXY, &h, &why);

		if (heads[i].status == 0) {
			cr_assert_eq(p, EGRESS_DONE, "refused (%s): %s", why.reason,
				     heads[i].text.ptr);
			continue;
		}
		cr_assert_eq(p, EGRESS_BAD, "accepted: %s", heads[i].text.ptr);
		cr_assert_eq(why.status, heads[i].status, "%d (%s): %s", why.status, why.reason,
			     heads[i].text.ptr);
		cr_assert_neq(why.reason[0], 0);
	}
}

/* A reader that decides differently when bytes come one by one can be played. */
Test(egress_hostile, pieces_decide_like_the_whole)
{
	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		enum egress_parse p = EGRESS_MORE;
		size_t n = 0;

		while (p == EGRESS_MORE && n < heads[i].text.len) {
			struct egress_http_head h;
			struct egress_refusal why;

			p = egress_http_parse((struct view){heads[i].text.ptr, ++n},
					      HTTP_FORM_PROXY, &h, &why);
		}
		cr_assert_eq(p, heads[i].status ? EGRESS_BAD : EGRESS_DONE, "%s",
			     heads[i].text.ptr);
	}
}
