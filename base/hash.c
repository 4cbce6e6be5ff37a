/* SPDX-License-Identifier: MIT */
/* SHA-256 and HMAC over libsodium, whose functions used here need no sodium_init() and do no work
 * at start. Pure. Tested by tests/unit/base/t_hash.c. */
#include "base/base.h"

#include "base/hash.h"
#include "base/hex.h"

#include <sodium.h>

_Static_assert((int)SHA256_BYTES == (int)crypto_hash_sha256_BYTES, "digest size");
_Static_assert((int)SHA256_BYTES == (int)crypto_auth_hmacsha256_BYTES, "MAC size");
_Static_assert(sizeof(struct sha256) >= sizeof(crypto_hash_sha256_state), "state fits");
_Static_assert(_Alignof(struct sha256) >= _Alignof(crypto_hash_sha256_state), "state is aligned");

static crypto_hash_sha256_state *state_of(struct sha256 *h)
{
	return (crypto_hash_sha256_state *)(void *)h->state;
}

/* libsodium may hand the pointer to memcpy, which takes no NULL, even for no bytes. */
static const unsigned char *bytes_of(const void *bytes, size_t n)
{
	return n ? bytes : (const unsigned char *)"";
}

/* The three below return 0 always; libsodium declares int so that other hashes could fail. */
void sha256_init(struct sha256 *h)
{
	(void)crypto_hash_sha256_init(state_of(h));
}

void sha256_update(struct sha256 *h, const void *bytes, size_t n)
{
	(void)crypto_hash_sha256_update(state_of(h), bytes_of(bytes, n), n);
}

void sha256_final(struct sha256 *h, uint8_t out[SHA256_BYTES])
{
	(void)crypto_hash_sha256_final(state_of(h), out);
}

void sha256_of(struct view v, uint8_t out[SHA256_BYTES])
{
	(void)crypto_hash_sha256(out, bytes_of(v.ptr, v.len), v.len);
}

void sha256_hex(struct view v, char out[SHA256_HEX + 1])
{
	uint8_t digest[SHA256_BYTES];

	sha256_of(v, digest);
	hex_encode(out, digest, sizeof(digest));
}

void hmac_sha256(struct view key, struct view message, uint8_t out[SHA256_BYTES])
{
	crypto_auth_hmacsha256_state state;

	(void)crypto_auth_hmacsha256_init(&state, bytes_of(key.ptr, key.len), key.len);
	(void)crypto_auth_hmacsha256_update(&state, bytes_of(message.ptr, message.len),
					    message.len);
	(void)crypto_auth_hmacsha256_final(&state, out);
	sodium_memzero(&state, sizeof(state)); /* it holds the padded key */
}

bool hash_equal(const void *a, const void *b, size_t n)
{
	return sodium_memcmp(a, b, n) == 0;
}
