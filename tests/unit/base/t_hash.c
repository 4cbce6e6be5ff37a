/* SPDX-License-Identifier: MIT */
/* Never calls sodium_init(): the functions have to work without it. */
#include "base/base.h"

#include "base/hash.h"
#include "base/hex.h"

#include <criterion/criterion.h>

static const char *hex(const uint8_t digest[SHA256_BYTES])
{
	static char text[SHA256_HEX + 1];

	hex_encode(text, digest, SHA256_BYTES);
	return text;
}

/* FIPS 180-2, appendix B. */
Test(hash, sha256_vectors)
{
	char text[SHA256_HEX + 1];

	sha256_hex(VIEW(""), text);
	cr_assert_str_eq(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	sha256_hex(view_of(NULL), text);
	cr_assert_str_eq(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	sha256_hex(VIEW("abc"), text);
	cr_assert_str_eq(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256_hex(VIEW("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), text);
	cr_assert_str_eq(text, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

Test(hash, pieces_give_the_same_digest)
{
	uint8_t whole[SHA256_BYTES], pieces[SHA256_BYTES], bytes[300];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	sha256_of((struct view){(const char *)bytes, sizeof(bytes)}, whole);
	for (size_t step = 1; step < sizeof(bytes); step += 13) {
		struct sha256 h;

		sha256_init(&h);
		sha256_update(&h, NULL, 0);
		for (size_t at = 0; at < sizeof(bytes); at += step)
			sha256_update(&h, bytes + at,
				      at + step < sizeof(bytes) ? step : sizeof(bytes) - at);
		sha256_final(&h, pieces);
		cr_assert_eq(memcmp(whole, pieces, sizeof(whole)), 0, "step %zu", step);
	}
}

/* RFC 4231, cases 1, 2, 3, 6 (key longer than a block). */
Test(hash, hmac_vectors)
{
	uint8_t mac[SHA256_BYTES];
	char key[131], data[50];

	memset(key, 0x0b, 20);
	hmac_sha256((struct view){key, 20}, VIEW("Hi There"), mac);
	cr_assert_str_eq(hex(mac),
			 "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	hmac_sha256(VIEW("Jefe"), VIEW("what do ya want for nothing?"), mac);
	cr_assert_str_eq(hex(mac),
			 "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, sizeof(key));
	memset(data, 0xdd, sizeof(data));
	hmac_sha256((struct view){key, 20}, (struct view){data, sizeof(data)}, mac);
	cr_assert_str_eq(hex(mac),
			 "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
	hmac_sha256((struct view){key, sizeof(key)},
		    VIEW("Test Using Larger Than Block-Size Key - Hash Key First"), mac);
	cr_assert_str_eq(hex(mac),
			 "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

Test(hash, hmac_of_nothing_with_no_key)
{
	uint8_t mac[SHA256_BYTES];

	hmac_sha256(view_of(NULL), view_of(NULL), mac);
	cr_assert_str_eq(hex(mac),
			 "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

Test(hash, equal)
{
	cr_assert(hash_equal("abc", "abc", 3));
	cr_assert_not(hash_equal("abc", "abd", 3));
	cr_assert_not(hash_equal("abc", "Abc", 3));
	cr_assert(hash_equal("abc", "abd", 2));
	cr_assert(hash_equal("", "", 0));
}

/* File 22, section 18: key of 64 times "k"; 4.6: the operator's file of the root /srv/demo. */
Test(hash, vectors_of_the_format)
{
	uint8_t mac[SHA256_BYTES];
	char key[64], text[SHA256_HEX + 1];

	memset(key, 'k', sizeof(key));
	hmac_sha256((struct view){key, sizeof(key)},
		    VIEW("dispatch:00112233445566778899aabbccddeeff"), mac);
	cr_assert_str_eq(hex(mac),
			 "2ce6e79cf740cab17f654a680bd4056df1711856604b95616d03224f3515643f");
	sha256_hex(VIEW("/srv/demo"), text);
	cr_assert_eq(strncmp(text, "926574b4279e", 12), 0);
}

/* HMAC is libsodium's own code, SHA-256 may be the processor's: both have to agree for every length
 * and every cut. HMAC with an empty key over m is H(opad || H(ipad || m)). */
Test(hash, every_length_agrees_with_libsodium)
{
	uint8_t bytes[700], ipad[64], opad[64], inner[SHA256_BYTES], have[SHA256_BYTES],
		want[SHA256_BYTES];

	memset(ipad, 0x36, sizeof(ipad));
	memset(opad, 0x5c, sizeof(opad));
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 31 + 7);
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		struct sha256 h;
		size_t cut = n * 2 / 3;

		sha256_init(&h);
		sha256_update(&h, ipad, sizeof(ipad));
		sha256_update(&h, bytes, cut);
		sha256_update(&h, bytes + cut, n - cut);
		sha256_final(&h, inner);
		sha256_init(&h);
		sha256_update(&h, opad, sizeof(opad));
		sha256_update(&h, inner, sizeof(inner));
		sha256_final(&h, have);
		hmac_sha256(VIEW(""), (struct view){(const char *)bytes, n}, want);
		cr_assert_arr_eq(have, want, sizeof(want), "%zu", n);
	}
}
