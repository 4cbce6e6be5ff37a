/* SPDX-License-Identifier: MIT */
/* SOCKS 5 messages, whole and in pieces. */
#include "base/base.h"

#include "launcher/egress_socks.h"

#include <criterion/criterion.h>

static const struct {
	struct view in;
	enum egress_parse want;
	size_t bytes;
	enum socks_method method;
} greetings[] = {
	{VIEW("\5\1\0"), EGRESS_DONE, 3, SOCKS_METHOD_NONE},
	{VIEW("\5\2\2\0"), EGRESS_DONE, 4, SOCKS_METHOD_NONE},
	{VIEW("\5\3\0\1\2\5\1"), EGRESS_DONE, 5, SOCKS_METHOD_NONE},
	{VIEW("\5\1\2"), EGRESS_DONE, 3, SOCKS_METHOD_REFUSED},
	{VIEW("\5\1"), EGRESS_MORE, 0, SOCKS_METHOD_NONE},
	{VIEW("\5"), EGRESS_MORE, 0, SOCKS_METHOD_NONE},
	{VIEW(""), EGRESS_MORE, 0, SOCKS_METHOD_NONE},
	{VIEW("\5\0"), EGRESS_BAD, 0, SOCKS_METHOD_NONE},
	{VIEW("\4\1"), EGRESS_BAD, 0, SOCKS_METHOD_NONE},
	{VIEW("G"), EGRESS_BAD, 0, SOCKS_METHOD_NONE},
};

Test(egress_socks, greetings)
{
	for (size_t i = 0; i < ARRAY_LEN(greetings); i++) {
		enum socks_method m = SOCKS_METHOD_PASSWORD;
		size_t n = 0;

		cr_assert_eq(egress_socks_greeting(greetings[i].in, SOCKS_METHOD_NONE, &n, &m),
			     greetings[i].want, "%zu", i);
		if (greetings[i].want != EGRESS_DONE)
			continue;
		cr_assert_eq(n, greetings[i].bytes);
		cr_assert_eq(m, greetings[i].method);
	}
}

Test(egress_socks, where_a_password_is_wanted_none_will_not_do)
{
	enum socks_method m;
	size_t n;

	cr_assert_eq(egress_socks_greeting(VIEW("\5\1\0"), SOCKS_METHOD_PASSWORD, &n, &m),
		     EGRESS_DONE);
	cr_assert_eq(m, SOCKS_METHOD_REFUSED);
	cr_assert_eq(egress_socks_greeting(VIEW("\5\2\0\2"), SOCKS_METHOD_PASSWORD, &n, &m),
		     EGRESS_DONE);
	cr_assert_eq(m, SOCKS_METHOD_PASSWORD);
}

Test(egress_socks, passwords)
{
	size_t n = 0;
	bool good = true;
	static const char wrong[][16] = {"\1\1x\2pv", "\1\1x\1p", "\1\1y\2pw", "\1\2xx\2pw",
					 "\1\2x:\1p"};

	cr_assert_eq(egress_socks_password(VIEW("\1\1x\2pwREST"), "x:pw", &n, &good), EGRESS_DONE);
	cr_assert(good);
	cr_assert_eq(n, 6);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		cr_assert_eq(egress_socks_password(view_of(wrong[i]), "x:pw", &n, &good),
			     EGRESS_DONE);
		cr_assert_not(good, "%zu", i);
	}
	for (size_t k = 0; k < 6; k++)
		cr_assert_eq(
			egress_socks_password((struct view){"\1\1x\2pw", k}, "x:pw", &n, &good),
			EGRESS_MORE);
	cr_assert_eq(egress_socks_password(VIEW("\5\1x\2pw"), "x:pw", &n, &good), EGRESS_BAD);
	cr_assert_eq(egress_socks_password(VIEW("\1\0\0"), "x:pw", &n, &good), EGRESS_DONE);
	cr_assert_not(good);
}

static const struct {
	struct view in;
	enum egress_parse want;
	enum socks_reply reply;
	const char *host;
	unsigned port;
} requests[] = {
	{VIEW("\5\1\0\3\x0b"
	      "example.com\x01\xbb"),
	 EGRESS_DONE, SOCKS_OK, "example.com", 443},
	{VIEW("\5\1\0\3\x0c"
	      "EXAMPLE.com.\0\x50"),
	 EGRESS_DONE, SOCKS_OK, "example.com", 80},
	{VIEW("\5\1\0\1\x5d\xb8\xd8\x22\x01\xbb"), EGRESS_DONE, SOCKS_OK, "93.184.216.34", 443},
	{VIEW("\5\1\0\1\x7f\0\0\1\0\x50"), EGRESS_DONE, SOCKS_OK, "127.0.0.1", 80},
	{VIEW("\5\1\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\x50"), EGRESS_DONE, SOCKS_OK, "::1", 80},
	{VIEW("\5\1\0\3\x0d"
	      "93.184.216.34\x01\xbb"),
	 EGRESS_DONE, SOCKS_OK, "93.184.216.34", 443},
	{VIEW("\5\1\0\3\x09"
	      "127.0.0.1\0\x50"),
	 EGRESS_DONE, SOCKS_OK, "127.0.0.1", 80},
	{VIEW("\5\2\0\1\x5d\xb8\xd8\x22\x01\xbb"), EGRESS_BAD, SOCKS_BAD_COMMAND, 0, 0},
	{VIEW("\5\3\0\1\x5d\xb8\xd8\x22\x01\xbb"), EGRESS_BAD, SOCKS_BAD_COMMAND, 0, 0},
	{VIEW("\5\0\0\1\x5d\xb8\xd8\x22\x01\xbb"), EGRESS_BAD, SOCKS_BAD_COMMAND, 0, 0},
	{VIEW("\4\1\0\x50\x5d\xb8\xd8\x22\0"), EGRESS_BAD, SOCKS_FAILED, 0, 0},
	{VIEW("\5\1\1\1\x5d\xb8\xd8\x22\x01\xbb"), EGRESS_BAD, SOCKS_FAILED, 0, 0},
	{VIEW("\5\1\0\2\x5d\xb8\xd8\x22\x01\xbb"), EGRESS_BAD, SOCKS_BAD_ADDRESS, 0, 0},
	{VIEW("\5\1\0\0\x5d\xb8\xd8\x22\x01\xbb"), EGRESS_BAD, SOCKS_BAD_ADDRESS, 0, 0},
	{VIEW("\5\1\0\1\x5d\xb8\xd8\x22\0\0"), EGRESS_BAD, SOCKS_FAILED, 0, 0},
	{VIEW("\5\1\0\3\0\x01\xbb"), EGRESS_BAD, SOCKS_FAILED, 0, 0},
	{VIEW("\5\1\0\3\x04"
	      "a\0.b\x01\xbb"),
	 EGRESS_BAD, SOCKS_FAILED, 0, 0},
	{VIEW("\5\1\0\3\x05"
	      "127.1\0\x50"),
	 EGRESS_BAD, SOCKS_FAILED, 0, 0},
	{VIEW("\5\1\0\3\x0a"
	      "2130706433\0\x50"),
	 EGRESS_BAD, SOCKS_FAILED, 0, 0},
	{VIEW("\5\1\0\3\x05"
	      "[::1]\0\x50"),
	 EGRESS_BAD, SOCKS_FAILED, 0, 0},
	{VIEW("\5\1\0\3\x05"
	      "a b.c\0\x50"),
	 EGRESS_BAD, SOCKS_FAILED, 0, 0},
	{VIEW("\5\1\0\3\x08"
	      "a.b\r\nX:y\0\x50"),
	 EGRESS_BAD, SOCKS_FAILED, 0, 0},
};

Test(egress_socks, requests)
{
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		struct egress_host h = {.text = ""};
		enum socks_reply reply = SOCKS_OK;
		const char *why = "";
		unsigned port = 0;
		size_t n = 0;

		cr_assert_eq(egress_socks_request(requests[i].in, &n, &h, &port, &reply, &why),
			     requests[i].want, "%zu %s", i, why);
		cr_assert_eq(reply, requests[i].reply, "%zu", i);
		if (requests[i].want != EGRESS_DONE)
			continue;
		cr_assert_eq(n, requests[i].in.len);
		cr_assert_str_eq(h.text, requests[i].host);
		cr_assert_eq(port, requests[i].port);
	}
}

Test(egress_socks, pieces_of_a_good_request_wait_for_more)
{
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		if (requests[i].want != EGRESS_DONE)
			continue;
		for (size_t k = 0; k < requests[i].in.len; k++) {
			struct egress_host h;
			enum socks_reply reply;
			const char *why;
			unsigned port;
			size_t n;

			cr_assert_eq(egress_socks_request((struct view){requests[i].in.ptr, k}, &n,
							  &h, &port, &reply, &why),
				     EGRESS_MORE, "%zu at %zu", i, k);
		}
	}
}

Test(egress_socks, a_reply_tells_nothing_but_its_code)
{
	uint8_t out[SOCKS_REPLY_BYTES];

	egress_socks_reply(SOCKS_NOT_ALLOWED, out);
	cr_assert_eq(memcmp(out, "\5\2\0\1\0\0\0\0\0\0", 10), 0);
	egress_socks_reply(SOCKS_OK, out);
	cr_assert_eq(memcmp(out, "\5\0\0\1\0\0\0\0\0\0", 10), 0);
}
