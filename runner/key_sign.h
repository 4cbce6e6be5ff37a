/* SPDX-License-Identifier: MIT */
/*
 * Ed25519 keys of operators (file 24, section 4): public and private keys as PEM with their fixed
 * DER prefixes, private ones also under a passphrase (Argon2id and secretbox), in guarded memory.
 * Allocates and draws random bytes; opens no file.
 */
#ifndef RUNNER_KEY_SIGN_H
#define RUNNER_KEY_SIGN_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

enum { SIGN_PUBLIC_BYTES = 32, SIGN_BYTES = 64, SIGN_HEX = 128 };

/* Pure Ed25519 (RFC 8032). False as well for a small-order key and for an S that isn't reduced. */
bool sign_verify(const uint8_t signature[SIGN_BYTES], struct view message,
		 const uint8_t key[SIGN_PUBLIC_BYTES]);
/* The same for 128 hex digits; blanks around them and capitals are fine, anything else is false. */
bool sign_verify_hex(struct view signature, struct view message,
		     const uint8_t key[SIGN_PUBLIC_BYTES]);

/* "PUBLIC KEY" with exactly the 44 bytes of an Ed25519 key. E_SYNTAX; E_UNSUPPORTED: a key of
 * another kind; E_RANGE: a point of small order. */
int sign_public_parse(struct view pem, uint8_t ret[SIGN_PUBLIC_BYTES], struct errctx *e) must_check;
int sign_public_emit(const uint8_t key[SIGN_PUBLIC_BYTES], struct buf *out) must_check;
/* SHA-256 of the raw key: what trusted-keys holds. */
void sign_fingerprint(const uint8_t key[SIGN_PUBLIC_BYTES], char out[SHA256_HEX + 1]);

/* A private key in guarded memory: locked, between guard pages, absent from core dumps. */
struct sign_key;
bool sign_key_is_encrypted(struct view pem);
/* passphrase: only looked at for an encrypted key. E_SYNTAX; E_UNSUPPORTED; E_DENIED: the
 * passphrase is wrong or the file was changed; E_NOMEM. */
int sign_key_parse(struct view pem, struct view passphrase, struct sign_key **ret,
		   struct errctx *e) must_check;
void sign_key_free(struct sign_key *k); /* wipes; NULL is fine */
const uint8_t *sign_key_public(const struct sign_key *k);
void sign_with(const struct sign_key *k, struct view message, char out[SIGN_HEX + 1]);

/* A fresh pair: the private key's PEM (encrypted, unless passphrase.ptr is NULL), and the public
 * key. out has to have room already (buf_reserve): a buffer that grows would leave copies. */
int sign_key_make(struct view passphrase, struct buf *out, uint8_t ret_public[SIGN_PUBLIC_BYTES],
		  struct errctx *e) must_check;

/* Memory for a passphrase, guarded like a key; NULL: there is none. */
char *sign_secret_new(size_t n) must_check;
void sign_secret_free(char *secret);

static inline void cleanup_sign_key(struct sign_key **k)
{
	sign_key_free(*k);
}
#define auto_sign_key __attribute__((cleanup(cleanup_sign_key)))

#endif
