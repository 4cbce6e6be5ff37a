/* SPDX-License-Identifier: MIT */
/* Ed25519 keys: vectors of RFC 8032 and of file 24, PEM forms, passphrases. */
#include "base/base.h"

#include "runner/key_sign.h"

#include "base/hex.h"
#include "base/limits.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define PUBLIC_PEM                                                                                 \
	"-----BEGIN PUBLIC KEY-----\n"                                                             \
	"MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=\n"                           \
	"-----END PUBLIC KEY-----\n"
/* The bytes 00 to 1f. */
#define PRIVATE_PEM                                                                                \
	"-----BEGIN PRIVATE KEY-----\n"                                                            \
	"MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n"                       \
	"-----END PRIVATE KEY-----\n"
#define PUBLIC_HEX "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"

static struct errctx e;
static uint8_t key[SIGN_PUBLIC_BYTES];

Test(sign, rfc8032_vectors)
{
	static const struct {
		const char *key, *message, *signature;
	} v[] = {
		{"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
		 "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc"
		 "61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
		{"3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "\x72",
		 "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e4"
		 "58f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
		{"fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "\xaf\x82",
		 "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290a"
		 "e67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"},
	};

	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		uint8_t other[SIGN_PUBLIC_BYTES];

		cr_assert_eq(hex_decode(view_of(v[i].key), key, sizeof(key)), 0);
		cr_assert(sign_verify_hex(view_of(v[i].signature), view_of(v[i].message), key));
		cr_assert_not(sign_verify_hex(view_of(v[i].signature), VIEW("other"), key));
		memcpy(other, key, sizeof(other));
		other[3] ^= 1;
		cr_assert_not(
			sign_verify_hex(view_of(v[i].signature), view_of(v[i].message), other));
	}
}

Test(sign, what_is_no_good_signature)
{
	static const char good[] = "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e0652249015"
				   "55fb8821590a33bacc61e3970"
				   "1cf9b46bd25bf5f0595bbe24655141438e7a100b";
	char text[SIGN_HEX + 16];
	uint8_t raw[SIGN_BYTES], zero[SIGN_PUBLIC_BYTES] = {0};
	unsigned carry = 0;
	/* The group's order, little endian: S plus it is the same number, not reduced. */
	static const uint8_t order[32] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,
					  0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
					  0,	0,    0,    0,	  0,	0,    0,    0,
					  0,	0,    0,    0,	  0,	0,    0,    0x10};

	cr_assert_eq(hex_decode(VIEW("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707"
				     "511a"),
				key, sizeof(key)),
		     0);
	(void)snprintf(text, sizeof(text), " \t%s\r\n", good);
	cr_assert(sign_verify_hex(view_of(text), VIEW(""), key), "blanks around it");
	for (size_t i = 0; text[i]; i++)
		text[i] = text[i] >= 'a' && text[i] <= 'f' ? (char)(text[i] - 32) : text[i];
	cr_assert(sign_verify_hex(view_of(text), VIEW(""), key), "capitals");
	cr_assert_not(sign_verify_hex(VIEW(""), VIEW(""), key));
	cr_assert_not(sign_verify_hex((struct view){good, SIGN_HEX - 1}, VIEW(""), key));
	text[20] = 'g';
	cr_assert_not(sign_verify_hex(view_of(text), VIEW(""), key), "no hex");
	cr_assert_eq(hex_decode(view_of(good), raw, sizeof(raw)), 0);
	for (size_t i = 0; i < 32; i++) {
		carry += (unsigned)raw[32 + i] + order[i];
		raw[32 + i] = (uint8_t)carry;
		carry >>= 8;
	}
	cr_assert_not(sign_verify(raw, VIEW(""), key), "S that isn't reduced");
	memset(raw, 0, sizeof(raw));
	raw[0] =
		1; /* the neutral point and S = 0: holds for a key of small order, unless refused */
	zero[0] = 1;
	cr_assert_not(sign_verify(raw, VIEW("x"), zero), "a degenerate key");
}

Test(sign, pem_of_a_public_key)
{
	static const char *const bad[] = {
		"", "x", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n",
		/* another type, one byte too few, too many, trailing text, no end */
		"-----BEGIN PUBLIC "
		"KEY-----\nMCowBQYDK2VuAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=\n"
		"-----END PUBLIC KEY-----\n",
		"-----BEGIN PUBLIC "
		"KEY-----\nMCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMQ==\n"
		"-----END PUBLIC KEY-----\n",
		"-----BEGIN PUBLIC "
		"KEY-----\nMCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbgA\n"
		"-----END PUBLIC KEY-----\n",
		PUBLIC_PEM "more", "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2Vw",
		/* a point of small order */
		"-----BEGIN PUBLIC "
		"KEY-----\nMCowBQYDK2VwAyEAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
		"-----END PUBLIC KEY-----\n",
		PRIVATE_PEM};
	char hex[SHA256_HEX + 1];
	struct buf out;

	cr_assert_eq(sign_public_parse(VIEW(PUBLIC_PEM), key, &e), 0, "%s", e.text);
	hex_encode(hex, key, sizeof(key));
	cr_assert_str_eq(hex, PUBLIC_HEX);
	buf_init(&out, 4096);
	cr_assert_eq(sign_public_emit(key, &out), 0);
	cr_assert_str_eq(buf_text(&out), PUBLIC_PEM);
	sha256_hex(buf_view(&out), hex);
	cr_assert_str_eq(hex, "f0ff50dacf109dea7f716d7c03eb7a821aa3a283fd3fa02f4c14dbba7d3c3322");
	buf_release(&out);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_assert_neq(sign_public_parse(view_of(bad[i]), key, &e), 0, "%zu", i);
}

Test(sign, a_plain_private_key)
{
	struct sign_key *k = NULL;
	char text[SIGN_HEX + 1], hex[SHA256_HEX + 1];

	cr_assert_not(sign_key_is_encrypted(VIEW(PRIVATE_PEM)));
	cr_assert_eq(sign_key_parse(VIEW(PRIVATE_PEM), (struct view){0}, &k, &e), 0, "%s", e.text);
	hex_encode(hex, sign_key_public(k), SIGN_PUBLIC_BYTES);
	cr_assert_str_eq(hex, PUBLIC_HEX);
	sign_with(k, VIEW("hello"), text);
	cr_assert(sign_verify_hex(view_of(text), VIEW("hello"), sign_key_public(k)));
	sign_key_free(k);
	k = NULL;
	cr_assert_neq(sign_key_parse(VIEW(PUBLIC_PEM), (struct view){0}, &k, &e), 0);
	cr_assert_neq(sign_key_parse(VIEW("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n"
					  "-----END ENCRYPTED PRIVATE KEY-----\n"),
				     (struct view){0}, &k, &e),
		      0);
	cr_assert_null(k);
}

Test(sign, an_encrypted_private_key)
{
	struct sign_key *k = NULL;
	struct buf pem;
	char *damaged;

	buf_init(&pem, MAX_KEY_FILE_BYTES);
	cr_assert_eq(sign_key_make(VIEW("correct horse"), &pem, key, &e), 0, "%s", e.text);
	cr_assert(sign_key_is_encrypted(buf_view(&pem)));
	cr_assert_eq(sign_key_parse(buf_view(&pem), VIEW("correct horse"), &k, &e), 0, "%s",
		     e.text);
	cr_assert_eq(memcmp(sign_key_public(k), key, sizeof(key)), 0);
	sign_key_free(k);
	k = NULL;
	cr_assert_eq(sign_key_parse(buf_view(&pem), VIEW("wrong horse"), &k, &e), E_DENIED);
	cr_assert_null(k);
	damaged = strdup(buf_text(&pem));
	damaged[120] = damaged[120] == 'A' ? 'B' : 'A';
	cr_assert_neq(sign_key_parse(view_of(damaged), VIEW("correct horse"), &k, &e), 0);
	/* A file that asks for 4 GiB is refused before any work. */
	memcpy(damaged, buf_text(&pem), pem.len);
	memcpy(damaged + strlen("-----BEGIN AGENTTEAMS ENCRYPTED PRIVATE KEY-----\n") + 6,
	       "////////", 8);
	cr_assert_eq(sign_key_parse(view_of(damaged), VIEW("correct horse"), &k, &e), E_RANGE, "%s",
		     e.text);
	free(damaged);
	buf_release(&pem);
}
