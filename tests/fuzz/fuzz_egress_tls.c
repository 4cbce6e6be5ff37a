/* SPDX-License-Identifier: MIT */
/* ClientHello: read the same in pieces, and the same however it is cut into records. */
#include "base/base.h"

#include "launcher/egress_tls.h"
#include "tests/fuzz/fuzz.h"

static enum egress_parse hello(struct view in, struct egress_hello *ret)
{
	const char *why = NULL;
	enum egress_parse p = egress_tls_hello(in, ret, &why);

	if (p == EGRESS_BAD)
		FUZZ_REQUIRE(why && why[0]);
	return p;
}

static bool same(const struct egress_hello *a, const struct egress_hello *b)
{
	return a->has_name == b->has_name && a->encrypted == b->encrypted &&
	       (!a->has_name || strcmp(a->name.text, b->name.text) == 0);
}

/* The same handshake message in records of one byte. */
static void require_same_in_small_records(struct view in, const struct egress_hello *want)
{
	static uint8_t body[MAX_EGRESS_HELLO_BYTES], out[6 * 2000];
	struct egress_hello got;
	size_t have = 0, at = 0, size;

	do {
		size_t len = (size_t)(uint8_t)in.ptr[at + 3] << 8 | (uint8_t)in.ptr[at + 4];

		memcpy(body + have, in.ptr + at + 5, len);
		have += len;
		at += 5 + len;
		size = have < 4 ? 4 : 4 + ((size_t)body[1] << 16 | (size_t)body[2] << 8 | body[3]);
	} while (have < size);
	if (have > 2000)
		return;
	for (size_t i = 0; i < have; i++)
		memcpy(out + 6 * i, (uint8_t[]){22, 3, 1, 0, 1, body[i]}, 6);
	FUZZ_REQUIRE(hello((struct view){(const char *)out, 6 * have}, &got) == EGRESS_DONE);
	FUZZ_REQUIRE(same(want, &got));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view in = {(const char *)data, size};
	struct egress_hello h, cut;
	enum egress_parse p = hello(in, &h), q = EGRESS_MORE;

	if (size > 2048)
		return 0;
	for (size_t n = 0; n <= size && q == EGRESS_MORE; n++)
		q = hello((struct view){in.ptr, n}, &cut);
	FUZZ_REQUIRE(p == q);
	if (p != EGRESS_DONE)
		return 0;
	FUZZ_REQUIRE(same(&h, &cut));
	FUZZ_REQUIRE(!h.has_name || h.name.kind == EGRESS_HOST_NAME);
	require_same_in_small_records(in, &h);
	return 0;
}
