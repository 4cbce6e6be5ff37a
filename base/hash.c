/* SPDX-License-Identifier: MIT */
/* SHA-256 and HMAC over libsodium, whose functions used here need no sodium_init() and do no work
 * at start. Pure. Tested by tests/unit/base/t_hash.c. */
#include "base/base.h"

#include "base/hash.h"
#include "base/hex.h"
#include "base/sha256_x86.h"

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

/* The same state as libsodium's, fed to the processor's instructions where it has them: a state may
 * change hands between the two at any time. count is in bits. */
static void update_x86(crypto_hash_sha256_state *s, const uint8_t *bytes, size_t n)
{
	size_t have = (size_t)(s->count >> 3) & 63;

	s->count += (uint64_t)n << 3;
	if (have + n < sizeof(s->buf)) {
		memcpy(s->buf + have, bytes, n);
		return;
	}
	if (have > 0) {
		size_t missing = sizeof(s->buf) - have;

		memcpy(s->buf + have, bytes, missing);
		sha256_x86_blocks(s->state, s->buf, 1);
		bytes += missing;
		n -= missing;
	}
	sha256_x86_blocks(s->state, bytes, n / sizeof(s->buf));
	memcpy(s->buf, bytes + n / sizeof(s->buf) * sizeof(s->buf), n % sizeof(s->buf));
}

static void final_x86(crypto_hash_sha256_state *s, uint8_t out[SHA256_BYTES])
{
	uint8_t last[2 * sizeof(s->buf)] = {0};
	size_t have = (size_t)(s->count >> 3) & 63;
	size_t blocks = have < sizeof(s->buf) - 8 ? 1 : 2;

	memcpy(last, s->buf, have);
	last[have] = 0x80;
	for (size_t i = 0; i < 8; i++)
		last[blocks * sizeof(s->buf) - 1 - i] = (uint8_t)(s->count >> (8 * i));
	sha256_x86_blocks(s->state, last, blocks);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		out[i] = (uint8_t)(s->state[i / 4] >> (24 - 8 * (i % 4)));
	sodium_memzero(s, sizeof(*s)); /* as libsodium does */
}

void sha256_update(struct sha256 *h, const void *bytes, size_t n)
{
	if (sha256_x86_has())
		update_x86(state_of(h), bytes_of(bytes, n), n);
	else
		(void)crypto_hash_sha256_update(state_of(h), bytes_of(bytes, n), n);
}

void sha256_final(struct sha256 *h, uint8_t out[SHA256_BYTES])
{
	if (sha256_x86_has())
		final_x86(state_of(h), out);
	else
		(void)crypto_hash_sha256_final(state_of(h), out);
}

void sha256_of(struct view v, uint8_t out[SHA256_BYTES])
{
	struct sha256 h;

	sha256_init(&h);
	sha256_update(&h, v.ptr, v.len);
	sha256_final(&h, out);
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
