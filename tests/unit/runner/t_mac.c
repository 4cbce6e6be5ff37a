/* SPDX-License-Identifier: MIT */
/* Vectors of file 22, section 18: the key is 64 times "k". */
#include "base/base.h"

#include "runner/mac.h"

#include <criterion/criterion.h>

#define K8 "kkkkkkkk"
static const struct view secret = {K8 K8 K8 K8 K8 K8 K8 K8, 64};

static const char row1[] =
	"{\"action\": \"issue-dispatch\", \"agent\": \"producer\", \"id\": \"2ce6e79cf740\", "
	"\"mac\": "
	"\"9dc25ed3f9d3e45caed82e9ff55a1f2cc27c48d3b2c6ec005a97607b1fbfa32f\", \"prev\": \"\", "
	"\"time\": \"2026-10-06T12:00:00+00:00\"}";
static const char head[] =
	"{\"count\": 2, \"last\": "
	"\"0ead61d40b9d3b35e10bab698f623bafb8f3685ddd9e43006044dca1cc4b310c\", "
	"\"mac\": \"4bb2adb85a400d8bf23b570e3fb1edcc9c99304d599f0f4c4de7f516904eff6e\"}";

static struct mac_key key_of(struct view text)
{
	struct mac_key k;

	mac_key_init(&k, text);
	return k;
}

Test(mac, is_hmac_sha256_for_keys_of_every_length)
{
	char long_key[200];

	memset(long_key, 'q', sizeof(long_key));
	for (size_t n = 0; n <= sizeof(long_key); n++) {
		struct mac_key k = key_of((struct view){long_key, n});
		uint8_t have[SHA256_BYTES], want[SHA256_BYTES];

		mac_of(&k, VIEW("one "), VIEW("text"), have);
		hmac_sha256((struct view){long_key, n}, VIEW("one text"), want);
		cr_assert_arr_eq(have, want, sizeof(want), "%zu", n);
	}
}

Test(mac, the_vectors_verify)
{
	struct mac_key k = key_of(secret),
		       other = key_of(VIEW("another key of enough length....."));

	cr_assert_eq(mac_verify(&k, view_of(row1)), 0);
	cr_assert_eq(mac_verify(&k, view_of(head)), 0);
	cr_assert_eq(mac_verify(&other, view_of(row1)), E_FORGED);
}

Test(mac, each_changed_byte_is_seen)
{
	struct mac_key k = key_of(secret);
	char text[sizeof(row1)];

	for (size_t i = 0; i + 1 < sizeof(row1); i++) {
		memcpy(text, row1, sizeof(row1));
		text[i] ^= 1;
		cr_assert_eq(mac_verify(&k, view_of(text)), E_FORGED, "byte %zu", i);
	}
	for (size_t n = 0; n + 1 < sizeof(row1); n++)
		cr_assert_eq(mac_verify(&k, (struct view){row1, n}), E_FORGED, "cut at %zu", n);
}

Test(mac, sealing_puts_the_member_at_its_place)
{
	struct mac_key k = key_of(secret);
	auto_buf struct buf b;

	buf_init(&b, 1000);
	(void)buf_puts(&b, "{\"count\": 2, \"last\": "
			   "\"0ead61d40b9d3b35e10bab698f623bafb8f3685ddd9e43006044dca1cc4b310c\"}");
	cr_assert_eq(mac_seal(&k, &b, b.len - 1), 0);
	cr_assert_str_eq(buf_text(&b), head);
	/* As the first member: the comma goes behind it. */
	buf_clear(&b);
	(void)buf_puts(&b, "{\"use\": "
			   "\"2ce6e79cf740cab17f654a680bd4056df1711856604b95616d03224f3515643f\"}");
	cr_assert_eq(mac_seal(&k, &b, 1), 0);
	cr_assert_str_eq(
		buf_text(&b),
		"{\"mac\": "
		"\"d1a75d3957cd91c4ae694f2f858c70b762be3479503b0883a6d650ce29b44b0d\", \"use\": "
		"\"2ce6e79cf740cab17f654a680bd4056df1711856604b95616d03224f3515643f\"}");
	cr_assert_eq(mac_verify(&k, buf_view(&b)), 0);
}

Test(mac, members_are_found_by_their_raw_spelling_only)
{
	static const char line[] =
		"{\"note\": \"say \\\"path\\\": \\\"x\\\"\", \"path\": \"a\\u00e9\", "
		"\"n\": 42}";
	struct view v;
	int64_t n;

	cr_assert_eq(mac_line_str(view_of(line), "path", &v), 0);
	cr_assert(view_is(v, "a\\u00e9"));
	cr_assert_eq(mac_line_int(view_of(line), "n", &n), 0);
	cr_assert_eq(n, 42);
	cr_assert_eq(mac_line_str(view_of(line), "n", &v), E_MISSING);
	cr_assert_eq(mac_line_str(view_of(line), "absent", &v), E_MISSING);
	cr_assert_eq(mac_line_str(VIEW("{\"path\": \"open"), "path", &v), E_MISSING);
}
