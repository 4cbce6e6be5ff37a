/* SPDX-License-Identifier: MIT */
/* Rules files: a refusal names its place, and what is accepted never lets an address through that
 * isn't public. */
#include "base/base.h"

#include "base/limits.h"
#include "launcher/egress.h"
#include "launcher/egress_addr.h"
#include "tests/fuzz/fuzz.h"

static const char *const hosts[] = {"a.example", "b.a.example",	    "example",	"127.0.0.1",
				    "10.0.0.1",	 "169.254.169.254", "::1",	"fd00::1",
				    "8.8.8.8",	 "2606:2800::1",    "localhost"};
static const unsigned ports[] = {1, 22, 80, 443, 8080, 65535};

static void require_decision(const struct egress_rules *r, const struct egress_host *h,
			     unsigned port)
{
	struct egress_decision d = egress_decide(r, h, port);
	size_t len = h->kind == EGRESS_HOST_IPV4 ? 4 : 16;

	FUZZ_REQUIRE(d.verdict == VERDICT_ALLOW || d.verdict == VERDICT_DENY);
	FUZZ_REQUIRE(d.rule <= egress_rules_count(r));
	FUZZ_REQUIRE(d.rule || d.verdict == VERDICT_DENY);
	FUZZ_REQUIRE((d.rule == 0) == (d.line == 0) && (d.rule == 0) == (d.text.len == 0));
	if (d.verdict == VERDICT_ALLOW && h->kind != EGRESS_HOST_NAME)
		FUZZ_REQUIRE(egress_addr_class(h->addr, len) == EGRESS_ADDR_PUBLIC);
	FUZZ_REQUIRE(egress_decide(r, h, 0).verdict == VERDICT_DENY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view text = {(const char *)data, size};
	struct egress_rules *r = NULL;
	struct errctx e = {0};
	struct egress_host h;
	int rc = egress_rules_parse(text, &r, &e);

	if (rc) {
		unsigned line = 0;
		size_t column = 0;

		FUZZ_REQUIRE(!r && e.code == rc);
		FUZZ_REQUIRE(size > MAX_OPERATOR_FILE_BYTES ||
			     (sscanf(e.text, "line %u, column %zu:", &line, &column) == 2 && line &&
			      column));
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		FUZZ_REQUIRE(egress_host_parse(view_of(hosts[i]), &h) == 0);
		for (size_t k = 0; k < ARRAY_LEN(ports); k++)
			require_decision(r, &h, ports[k]);
	}
	egress_rules_free(r);
	return 0;
}
