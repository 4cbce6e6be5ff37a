/* SPDX-License-Identifier: MIT */
/* SOCKS messages: read the same in pieces, never beyond their end, and no address passes as a name.
 */
#include "base/base.h"

#include "launcher/egress_socks.h"
#include "tests/fuzz/fuzz.h"

#include <arpa/inet.h>

static enum egress_parse request(struct view in, size_t *n, struct egress_host *h, unsigned *port)
{
	enum socks_reply reply = SOCKS_OK;
	const char *why = NULL;
	enum egress_parse p = egress_socks_request(in, n, h, port, &reply, &why);

	if (p == EGRESS_BAD)
		FUZZ_REQUIRE(reply != SOCKS_OK && why && why[0]);
	return p;
}

static void require_request(struct view in)
{
	struct egress_host h, cut;
	size_t n = 0, m;
	unsigned port = 0, port2;
	enum egress_parse p = request(in, &n, &h, &port), q = EGRESS_MORE;
	uint8_t addr[16];

	for (size_t i = 0; i <= in.len && q == EGRESS_MORE; i++)
		q = request((struct view){in.ptr, i}, &m, &cut, &port2);
	FUZZ_REQUIRE(p == q);
	if (p != EGRESS_DONE)
		return;
	FUZZ_REQUIRE(n <= in.len && port >= 1 && port <= 65535 && h.text[0]);
	if (h.kind == EGRESS_HOST_NAME)
		FUZZ_REQUIRE(inet_aton(h.text, (struct in_addr *)addr) == 0 &&
			     inet_pton(AF_INET6, h.text, addr) != 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view in = {(const char *)data, size};
	enum socks_method method = SOCKS_METHOD_REFUSED;
	bool good = false;
	size_t n = 0;

	if (egress_socks_greeting(in, SOCKS_METHOD_NONE, &n, &method) == EGRESS_DONE)
		FUZZ_REQUIRE(n >= 3 && n <= size &&
			     (method == SOCKS_METHOD_NONE || method == SOCKS_METHOD_REFUSED));
	if (egress_socks_password(in, "confine:s3cret", &n, &good) == EGRESS_DONE) {
		FUZZ_REQUIRE(n >= 3 && n <= size);
		FUZZ_REQUIRE(good == (n == 16 && memcmp(data, "\1\7confine\6s3cret", 16) == 0));
	}
	require_request(in);
	return 0;
}
