/* SPDX-License-Identifier: MIT */
/* SHA-256, HMAC-SHA256 and constant-time compare over libsodium, without sodium_init(). Pure. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/view.h"

enum { SHA256_BYTES = 32, SHA256_HEX = 64 };

struct sha256 { /* opaque, big enough for crypto_hash_sha256_state (asserted in hash.c) */
	uint64_t state[16];
};

void sha256_init(struct sha256 *h);
void sha256_update(struct sha256 *h, const void *bytes, size_t n);
void sha256_final(struct sha256 *h, uint8_t out[SHA256_BYTES]);

void sha256_of(struct view v, uint8_t out[SHA256_BYTES]);
void sha256_hex(struct view v, char out[SHA256_HEX + 1]);

/* HMAC-SHA256 with a key of any length (RFC 2104). */
void hmac_sha256(struct view key, struct view message, uint8_t out[SHA256_BYTES]);

/* Constant time for equal lengths. */
bool hash_equal(const void *a, const void *b, size_t n);

#endif
