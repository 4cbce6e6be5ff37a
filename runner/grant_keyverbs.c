/* SPDX-License-Identifier: MIT */
/*
 * --grant-keygen and --grant-trust: the operator's signing keys (file 24, 12.6 and 12.16). System.
 * Failure rule: no key is replaced, none is trusted unseen. Tests: tests/e2e/runner-grants.tap.
 */
#include "base/base.h"

#include "runner/grant_verbs.h"

#include "base/atomicfile.h"
#include "runner/confirm.h"
#include "runner/grant_file.h"
#include "runner/key.h"
#include "runner/verbs.h"

#include <stdio.h>

static int check_id(const struct options *o, struct errctx *e)
{
	if (grant_is_key_id(view_of(o->key_id)))
		return 0;
	return err_set(e, E_USAGE,
		       "%s: 1 to 64 letters, digits, '.', '_' and '-', the first a letter or digit",
		       mode_flag(o->mode));
}

static void print_fingerprints(const uint8_t key[SIGN_PUBLIC_BYTES])
{
	auto_buf struct buf pem;
	char raw[SHA256_HEX + 1], text[SHA256_HEX + 1];

	buf_init(&pem, MAX_KEY_FILE_BYTES);
	sign_fingerprint(key, raw);
	printf("fingerprint      %s\n", raw);
	if (sign_public_emit(key, &pem) == 0) {
		sha256_hex(buf_view(&pem), text);
		printf("of its PEM file  %s\n", text);
	}
}

/* Where the private key goes, private to its user. */
static int put_private(const char *id, struct view pem, struct errctx *e)
{
	char name[MAX_KEY_ID_BYTES + 8];
	auto_fd int dir_fd = -1;
	int rc = grant_folder_open("keys", &dir_fd, e);

	(void)snprintf(name, sizeof(name), "%.64s.pem", id);
	if (rc == 0)
		rc = atomicfile_put(dir_fd, name, pem, 0600, COMMIT_NEW, e);
	return rc == E_EXISTS ? err_set(e, rc,
					"there is a private key %s already; it is never "
					"replaced",
					name)
			      : rc;
}

int verb_grant_keygen(const struct options *o)
{
	struct errctx e = {0};
	struct view passphrase = {0};
	uint8_t key[SIGN_PUBLIC_BYTES];
	char *secret = NULL;
	struct buf pem;
	int rc = check_id(o, &e);

	buf_init(&pem, MAX_KEY_FILE_BYTES);
	if (rc == 0)
		rc = key_seal_process(&e);
	/* Room for all of it at once: a buffer that grows would leave copies behind. */
	if (rc == 0 && !buf_reserve(&pem, MAX_KEY_FILE_BYTES))
		rc = err_set(&e, E_NOMEM, "out of memory");
	if (rc == 0 && !o->no_passphrase)
		rc = confirm_passphrase(o, true, &secret, &passphrase, &e);
	if (rc == 0)
		rc = sign_key_make(passphrase, &pem, key, &e);
	if (rc == 0)
		rc = put_private(o->key_id, buf_view(&pem), &e);
	if (rc == 0)
		rc = grant_key_install(view_of(o->key_id), key, &e);
	if (pem.data)
		explicit_bzero(pem.data, pem.cap);
	buf_release(&pem);
	if (secret)
		sign_secret_free(secret);
	if (rc != 0)
		return verb_fail(&e);
	printf("created %s%s\n", o->key_id, o->no_passphrase ? ", without a passphrase" : "");
	print_fingerprints(key);
	fprintf(stderr, "No runner trusts it yet: --grant-trust %s does that.\n", o->key_id);
	return 0;
}

int verb_grant_trust(const struct options *o)
{
	static const struct grant_keys keys;
	char unused[SHA256_HEX + 1], raw[SHA256_HEX + 1];
	uint8_t key[SIGN_PUBLIC_BYTES];
	struct errctx e = {0};
	bool by_root = false;
	int rc = check_id(o, &e);

	if (rc == 0)
		rc = grant_key_read(&keys, view_of(o->key_id), key, unused, &by_root, &e);
	if (rc == 0 && by_root)
		rc = err_set(&e, E_DENIED,
			     "root's folder of keys decides on this host; a user "
			     "can't trust more");
	if (rc != 0)
		return verb_fail(&e);
	sign_fingerprint(key, raw);
	printf("key              %s\n", o->key_id);
	print_fingerprints(key);
	rc = confirm_ask(o, raw, "Trust this key to let agents write without a review?", &e);
	if (rc == 0)
		rc = grant_key_trust(view_of(o->key_id), key, &e);
	if (rc != 0)
		return verb_fail(&e);
	puts("trusted");
	return 0;
}
