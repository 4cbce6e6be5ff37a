/* SPDX-License-Identifier: MIT */
/* Files of direct grants: whatever is active was signed, which here is one record's bytes alone.
 * And public keys: what parses comes back from its own PEM. */
#include "base/base.h"

#include "runner/grant.h"

#include "base/clock.h"
#include "base/hex.h"
#include "tests/fuzz/fuzz.h"

#define BRIEF                                                                                      \
	"{\"proposal_gates\": {\"lint\": {\"argv\": [\"/usr/bin/true\", \"{file}\"], \"glob\": "   \
	"\"src/**.py\"}}, \"agent_policies\": {\"producer\": {\"write_scopes\": [\"src/\"]}}, "    \
	"\"mcp_grants\": {\"producer\": {\"tools\": [\"read_file_hashed\", \"write_file\"], "      \
	"\"approval\": \"direct\"}}}"
#define PAYLOAD_SHA256 "ea44f20bbf77ba5dc677ee950493642d3da47769ffa25a492e54935d43d7dd8c"

static int the_key(void *arg, struct view key_id, uint8_t ret[SIGN_PUBLIC_BYTES],
		   char fingerprint[SHA256_HEX + 1], struct errctx *e)
{
	(void)arg;
	(void)key_id; /* any: only the signature may decide */
	(void)e;
	fingerprint[0] = '\0';
	return hex_decode(VIEW("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"),
			  ret, SIGN_PUBLIC_BYTES);
}

static void look_at_payload(struct view text)
{
	auto_json struct json *j = NULL;
	auto_buf struct buf payload;
	char hex[SHA256_HEX + 1];
	struct grant g;

	FUZZ_REQUIRE(json_parse(text, &j, NULL) == 0);
	for (const struct json *c = json_first(j); c; c = json_next(c)) {
		if (grant_parse(c, true, &g, NULL) != 0 || !view_is(g.id, "0123456789abcdef"))
			continue;
		buf_init(&payload, MAX_GRANTS_FILE_BYTES);
		FUZZ_REQUIRE(grant_payload(&g, &payload) == 0);
		sha256_hex(buf_view(&payload), hex);
		buf_release(&payload);
		if (strcmp(hex, PAYLOAD_SHA256) == 0)
			return;
	}
	FUZZ_REQUIRE(!"active without a signature");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct brief brief;
	static struct grant_set set;
	struct brief_input in = {.text = VIEW(BRIEF)};
	struct grant_context c = {.brief = &brief, .key = the_key};
	struct view text = {(const char *)data, size};
	uint8_t key[SIGN_PUBLIC_BYTES], again[SIGN_PUBLIC_BYTES];
	struct errctx e = {0};

	if (!brief.json)
		FUZZ_REQUIRE(brief_parse(&in, &brief, &e) == 0);
	c.server_sha256 = VIEW("0000000000000000000000000000000000000000000000000000000000000000");
	FUZZ_REQUIRE(clock_parse_iso8601("2026-10-07T00:00:00+00:00", &c.now) == 0);
	if (grant_set_parse(text, &c, &set, &e) == 0) {
		for (size_t i = 0; i < set.n; i++) {
			FUZZ_REQUIRE(set.item[i].active == !set.item[i].why[0]);
			if (set.item[i].active)
				look_at_payload(text);
		}
	} else {
		FUZZ_REQUIRE(e.text[0]);
	}
	if (sign_public_parse(text, key, &e) == 0) {
		auto_buf struct buf pem;

		buf_init(&pem, 4096);
		FUZZ_REQUIRE(sign_public_emit(key, &pem) == 0);
		FUZZ_REQUIRE(sign_public_parse(buf_view(&pem), again, &e) == 0);
		FUZZ_REQUIRE(memcmp(key, again, sizeof(key)) == 0);
	}
	return 0;
}
