/* SPDX-License-Identifier: MIT */
/*
 * Ed25519 over libsodium, and the two PEM forms. No ASN.1 parser: each form has one length and one
 * prefix. Failure rule: an error is never a good signature. Tests: tests/unit/runner/t_sign.c.
 */
#include "base/base.h"

#include "runner/key_sign.h"

#include "base/hex.h"
#include "base/limits.h"
#include "base/rand.h"

#include <sodium.h>
#include <stdio.h>

#define PUBLIC_LABEL	"PUBLIC KEY"
#define PRIVATE_LABEL	"PRIVATE KEY"
#define ENCRYPTED_LABEL "AGENTTEAMS ENCRYPTED PRIVATE KEY"

enum { PREFIX_PUBLIC = 12, PREFIX_PRIVATE = 16, SEED = 32, MAGIC = 4, SALT = 16, NONCE = 24 };
/* "atk1", passes, KiB, salt, nonce, the seed with its authenticator. */
enum { BOX = SEED + 16, ENCRYPTED = MAGIC + 4 + 4 + SALT + NONCE + BOX };
_Static_assert(SALT == crypto_pwhash_SALTBYTES && NONCE == crypto_secretbox_NONCEBYTES &&
		       BOX == SEED + crypto_secretbox_MACBYTES && SEED == crypto_sign_SEEDBYTES,
	       "libsodium's sizes");

static const uint8_t public_prefix[PREFIX_PUBLIC] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
						     0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
static const uint8_t private_prefix[PREFIX_PRIVATE] = {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30,
						       0x05, 0x06, 0x03, 0x2b, 0x65, 0x70,
						       0x04, 0x22, 0x04, 0x20};
static const uint8_t magic[MAGIC] = {'a', 't', 'k', '1'};

struct sign_key {
	uint8_t secret[crypto_sign_SECRETKEYBYTES], key[SIGN_PUBLIC_BYTES];
};

static bool starts(struct view v, const char *text)
{
	size_t n = strlen(text);

	return v.len >= n && memcmp(v.ptr, text, n) == 0;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The text between the two lines with this label; false: it is another kind of file. */
static bool pem_body(struct view pem, const char *label, struct view *ret)
{
	char first[64], last[64];
	const char *end;
	int n1 = snprintf(first, sizeof(first), "-----BEGIN %s-----", label);
	int n2 = snprintf(last, sizeof(last), "-----END %s-----", label);

	while (pem.len && is_blank(pem.ptr[pem.len - 1]))
		pem.len--;
	if (!starts(pem, first) || pem.len < (size_t)n1 + (size_t)n2)
		return false;
	end = pem.ptr + pem.len - n2;
	if (memcmp(end, last, (size_t)n2) != 0)
		return false;
	*ret = (struct view){pem.ptr + n1, pem.len - (size_t)n1 - (size_t)n2};
	return true;
}

/* Exactly n bytes of base64, broken into lines anywhere. */
static int pem_decode(struct view pem, const char *label, uint8_t *out, size_t n)
{
	struct view body;
	size_t got = 0;
	const char *end = NULL;

	if (!pem_body(pem, label, &body))
		return E_SYNTAX;
	if (sodium_base642bin(out, n, body.ptr, body.len, "\r\n", &got, &end,
			      sodium_base64_VARIANT_ORIGINAL) != 0)
		return E_UNSUPPORTED;
	return end == body.ptr + body.len && got == n ? 0 : E_UNSUPPORTED;
}

static int pem_encode(const char *label, const uint8_t *bytes, size_t n, struct buf *out)
{
	char text[sodium_base64_ENCODED_LEN(ENCRYPTED, sodium_base64_VARIANT_ORIGINAL)];

	sodium_bin2base64(text, sizeof(text), bytes, n, sodium_base64_VARIANT_ORIGINAL);
	(void)buf_printf(out, "-----BEGIN %s-----\n", label);
	for (size_t at = 0; at < strlen(text); at += 64)
		(void)buf_printf(out, "%.64s\n", text + at);
	(void)buf_printf(out, "-----END %s-----\n", label);
	sodium_memzero(text, sizeof(text));
	return buf_error(out);
}

/* ---- public ---- */

bool sign_verify(const uint8_t signature[SIGN_BYTES], struct view message,
		 const uint8_t key[SIGN_PUBLIC_BYTES])
{
	return sodium_init() >= 0 &&
	       crypto_sign_verify_detached(signature, (const unsigned char *)message.ptr,
					   message.len, key) == 0;
}

bool sign_verify_hex(struct view signature, struct view message,
		     const uint8_t key[SIGN_PUBLIC_BYTES])
{
	uint8_t raw[SIGN_BYTES];
	char lower[SIGN_HEX];

	while (signature.len && is_blank(signature.ptr[0]))
		signature = (struct view){signature.ptr + 1, signature.len - 1};
	while (signature.len && is_blank(signature.ptr[signature.len - 1]))
		signature.len--;
	if (signature.len != SIGN_HEX)
		return false;
	for (size_t i = 0; i < SIGN_HEX; i++) {
		char c = signature.ptr[i];

		lower[i] = c >= 'A' && c <= 'F' ? (char)(c + 32) : c;
	}
	return hex_decode((struct view){lower, SIGN_HEX}, raw, sizeof(raw)) == 0 &&
	       sign_verify(raw, message, key);
}

int sign_public_parse(struct view pem, uint8_t ret[SIGN_PUBLIC_BYTES], struct errctx *e)
{
	uint8_t der[PREFIX_PUBLIC + SIGN_PUBLIC_BYTES];
	int rc = pem_decode(pem, PUBLIC_LABEL, der, sizeof(der));

	if (rc == E_SYNTAX)
		return err_set(e, rc, "it is no PEM file of a public key");
	if (rc != 0 || memcmp(der, public_prefix, PREFIX_PUBLIC) != 0)
		return err_set(e, E_UNSUPPORTED, "it is no Ed25519 key");
	if (sodium_init() < 0)
		return err_set(e, E_INTERNAL, "libsodium can't start");
	if (crypto_core_ed25519_is_valid_point(der + PREFIX_PUBLIC) != 1)
		return err_set(e, E_RANGE, "it is a degenerate Ed25519 key");
	memcpy(ret, der + PREFIX_PUBLIC, SIGN_PUBLIC_BYTES);
	return 0;
}

int sign_public_emit(const uint8_t key[SIGN_PUBLIC_BYTES], struct buf *out)
{
	uint8_t der[PREFIX_PUBLIC + SIGN_PUBLIC_BYTES];

	memcpy(der, public_prefix, PREFIX_PUBLIC);
	memcpy(der + PREFIX_PUBLIC, key, SIGN_PUBLIC_BYTES);
	return pem_encode(PUBLIC_LABEL, der, sizeof(der), out);
}

void sign_fingerprint(const uint8_t key[SIGN_PUBLIC_BYTES], char out[SHA256_HEX + 1])
{
	sha256_hex((struct view){(const char *)key, SIGN_PUBLIC_BYTES}, out);
}

/* ---- private ---- */

char *sign_secret_new(size_t n)
{
	return sodium_init() < 0 ? NULL : sodium_malloc(n);
}

void sign_secret_free(char *secret)
{
	sodium_free(secret); /* wipes */
}

static uint32_t get_u32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_u32(uint8_t *p, uint32_t n)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(n >> 8 * i);
}

static int stretch(struct view passphrase, const uint8_t salt[SALT], uint32_t passes, uint32_t kib,
		   uint8_t *ret_key, struct errctx *e)
{
	if (crypto_pwhash(ret_key, crypto_secretbox_KEYBYTES, passphrase.ptr, passphrase.len, salt,
			  passes, (size_t)kib * 1024, crypto_pwhash_ALG_ARGON2ID13) != 0)
		return err_set(e, E_NOMEM, "no memory (%u MiB) for the passphrase's key",
			       kib / 1024);
	return 0;
}

bool sign_key_is_encrypted(struct view pem)
{
	struct view body;

	return pem_body(pem, ENCRYPTED_LABEL, &body);
}

static int unlock(struct view pem, struct view passphrase, uint8_t seed[SEED], struct errctx *e)
{
	uint8_t file[ENCRYPTED], *key = NULL;
	const uint8_t *salt = file + MAGIC + 8;
	uint32_t passes, kib;
	int rc;

	if (pem_decode(pem, ENCRYPTED_LABEL, file, sizeof(file)) != 0 ||
	    memcmp(file, magic, MAGIC) != 0)
		return err_set(e, E_SYNTAX, "the encrypted private key is damaged");
	passes = get_u32(file + MAGIC);
	kib = get_u32(file + MAGIC + 4);
	if (passes < 1 || passes > MAX_PASSPHRASE_PASSES || kib < 8 ||
	    kib > 4 * PASSPHRASE_MEMORY_KIB)
		return err_set(e, E_RANGE,
			       "the encrypted private key asks for more work than any of ours");
	key = sodium_malloc(crypto_secretbox_KEYBYTES);
	if (!key)
		return err_set(e, E_NOMEM, "no guarded memory");
	rc = stretch(passphrase, salt, passes, kib, key, e);
	if (rc == 0 && crypto_secretbox_open_easy(seed, salt + SALT + NONCE, BOX, salt + SALT, key))
		rc = err_set(e, E_DENIED,
			     "the passphrase is wrong, or the private key's file was changed");
	sodium_free(key);
	return rc;
}

/* What a private key is made in, both guarded: the key, and the bytes of its file, which end in the
 * seed. Freed by the caller, whatever comes back. */
static int guarded(struct sign_key **ret_key, uint8_t **ret_der, struct errctx *e)
{
	if (sodium_init() < 0)
		return err_set(e, E_INTERNAL, "libsodium can't start");
	*ret_key = sodium_malloc(sizeof(**ret_key));
	*ret_der = sodium_malloc(PREFIX_PRIVATE + SEED);
	return *ret_key && *ret_der ? 0 : err_set(e, E_NOMEM, "no guarded memory");
}

int sign_key_parse(struct view pem, struct view passphrase, struct sign_key **ret, struct errctx *e)
{
	struct sign_key *k = NULL;
	uint8_t *der = NULL;
	int rc = guarded(&k, &der, e);

	if (rc != 0)
		goto out;
	if (sign_key_is_encrypted(pem)) {
		rc = unlock(pem, passphrase, der + PREFIX_PRIVATE, e);
	} else {
		rc = pem_decode(pem, PRIVATE_LABEL, der, PREFIX_PRIVATE + SEED);
		if (rc == E_SYNTAX)
			rc = err_set(e, rc, "it is no PEM file of a private key that is read here");
		else if (rc != 0 || memcmp(der, private_prefix, PREFIX_PRIVATE) != 0)
			rc = err_set(e, E_UNSUPPORTED, "it is no Ed25519 private key");
	}
	if (rc == 0) {
		(void)crypto_sign_seed_keypair(k->key, k->secret, der + PREFIX_PRIVATE);
		(void)sodium_mprotect_readonly(k); /* a guard more, not a condition */
		*ret = k;
		k = NULL;
	}
out:
	sodium_free(der);
	sodium_free(k);
	return rc;
}

void sign_key_free(struct sign_key *k)
{
	sodium_free(k);
}

const uint8_t *sign_key_public(const struct sign_key *k)
{
	return k->key;
}

void sign_with(const struct sign_key *k, struct view message, char out[SIGN_HEX + 1])
{
	uint8_t raw[SIGN_BYTES];

	(void)crypto_sign_detached(raw, NULL, (const unsigned char *)message.ptr, message.len,
				   k->secret);
	hex_encode(out, raw, sizeof(raw));
}

static int lock_seed(const uint8_t seed[SEED], struct view passphrase, struct buf *out,
		     struct errctx *e)
{
	uint8_t file[ENCRYPTED], *salt = file + MAGIC + 8;
	uint8_t *key = sodium_malloc(crypto_secretbox_KEYBYTES);
	int rc;

	if (!key)
		return err_set(e, E_NOMEM, "no guarded memory");
	memcpy(file, magic, MAGIC);
	put_u32(file + MAGIC, PASSPHRASE_PASSES);
	put_u32(file + MAGIC + 4, PASSPHRASE_MEMORY_KIB);
	rand_bytes(salt, SALT + NONCE);
	rc = stretch(passphrase, salt, PASSPHRASE_PASSES, PASSPHRASE_MEMORY_KIB, key, e);
	if (rc == 0) {
		(void)crypto_secretbox_easy(salt + SALT + NONCE, seed, SEED, salt + SALT, key);
		rc = pem_encode(ENCRYPTED_LABEL, file, sizeof(file), out);
	}
	sodium_free(key);
	return rc;
}

int sign_key_make(struct view passphrase, struct buf *out, uint8_t ret_public[SIGN_PUBLIC_BYTES],
		  struct errctx *e)
{
	struct sign_key *k = NULL;
	uint8_t *der = NULL;
	int rc = guarded(&k, &der, e);

	if (rc != 0)
		goto out;
	memcpy(der, private_prefix, PREFIX_PRIVATE);
	rand_bytes(der + PREFIX_PRIVATE, SEED);
	(void)crypto_sign_seed_keypair(k->key, k->secret, der + PREFIX_PRIVATE);
	memcpy(ret_public, k->key, SIGN_PUBLIC_BYTES);
	rc = passphrase.ptr ? lock_seed(der + PREFIX_PRIVATE, passphrase, out, e)
			    : pem_encode(PRIVATE_LABEL, der, PREFIX_PRIVATE + SEED, out);
out:
	sodium_free(der);
	sodium_free(k);
	return rc;
}
