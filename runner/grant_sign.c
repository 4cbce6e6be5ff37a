/* SPDX-License-Identifier: MIT */
/*
 * --grant-draft, --grant-sign and both at once (file 24, section 8). The private key is read after
 * everything else held and a person confirmed; what is saved was verified as the runner will.
 * System. Failure rule: nothing is saved. Tests: tests/e2e/runner-grants.tap.
 */
#include "base/base.h"

#include "runner/grant_desk.h"
#include "runner/grant_verbs.h"

#include "base/atomicfile.h"
#include "base/custody.h"
#include "base/hex.h"
#include "base/io.h"
#include "base/log.h"
#include "base/pathfd.h"
#include "policy/grant.h"
#include "runner/confirm.h"
#include "runner/key.h"
#include "runner/pins.h"
#include "runner/verbs.h"

#include <stdio.h>

/* ---- the draft ---- */

static int save_new(const char *flag, const char *path, const struct buf *text, struct errctx *e)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char folder[MAX_PATH_BYTES + 1] = ".";
	auto_fd int dir_fd = -1;
	int rc;

	if (strlen(path) > MAX_PATH_BYTES)
		return err_set(e, E_USAGE, "%s: the path is too long", flag);
	if (slash)
		(void)snprintf(folder, sizeof(folder), "%.*s",
			       slash == path ? 1 : (int)(slash - path), path);
	rc = pathfd_open_root(folder, &dir_fd, e);
	if (rc != 0)
		return rc;
	rc = atomicfile_put(dir_fd, name, buf_view(text), 0600, COMMIT_NEW, e);
	return rc == E_EXISTS ? err_set(e, rc, "%s exists already; it is never replaced", path)
			      : rc;
}

static int digest_of(const struct grant_desk *d, const struct grant *g, char ret[SHA256_HEX + 1],
		     struct errctx *e)
{
	int rc = grant_review_digest(g, buf_view(&d->root), ret);

	return rc ? err_set(e, rc, "the review digest can't be taken: %s", err_name(rc)) : 0;
}

static int read_draft(struct view text, struct json **ret_json, struct grant *ret, struct errctx *e)
{
	int rc = json_parse(text, ret_json, e);

	return rc ? rc : grant_parse(*ret_json, false, ret, e);
}

static int payload_of(const struct grant *g, struct buf *ret, struct errctx *e)
{
	int rc;

	buf_init(ret, MAX_GRANTS_FILE_BYTES);
	rc = grant_payload(g, ret);
	return rc ? err_set(e, rc, "the bytes to sign can't be made: %s", err_name(rc)) : 0;
}

/* What whoever holds the key elsewhere signs. */
static int save_payload(const char *path, const struct grant *g, struct errctx *e)
{
	auto_buf struct buf payload = {0};
	int rc = payload_of(g, &payload, e);

	return rc ? rc : save_new("--payload", path, &payload, e);
}

int verb_grant_draft(const struct options *o)
{
	auto_buf struct buf text;
	auto_json struct json *j = NULL;
	char digest[SHA256_HEX + 1], name[MAX_SLUG_BYTES + 32];
	const char *path = o->output ? o->output : name;
	struct grant_desk d;
	struct errctx e = {0};
	struct grant g;
	int rc;

	buf_init(&text, MAX_GRANTS_FILE_BYTES);
	rc = grant_desk_open(&d, o, true, &e);
	if (rc == 0)
		rc = grant_desk_draft(&d, &text, &e);
	if (rc == 0)
		rc = read_draft(buf_view(&text), &j, &g, &e);
	if (rc == 0)
		rc = grant_check_display(&g, &e);
	if (rc == 0)
		rc = digest_of(&d, &g, digest, &e);
	if (rc == 0 && o->payload)
		rc = save_payload(o->payload, &g, &e);
	if (rc == 0) {
		(void)snprintf(name, sizeof(name), "%.64s.grant-draft.json", o->agent);
		rc = save_new("--output", path, &text, &e);
	}
	if (rc == 0)
		rc = grant_desk_show(&g, &e);
	if (rc == 0) {
		printf("draft            %s\nsha256           %s\n", path, digest);
		if (o->payload)
			printf("bytes to sign    %s\n", o->payload);
		fprintf(stderr,
			"Nothing was signed. Read the above; --grant-sign with this file and "
			"--confirm-review-sha256\nwith this hash signs exactly that.\n");
	}
	grant_desk_release(&d);
	return rc == 0 ? 0 : verb_fail(&e);
}

/* ---- signing ---- */

/* Everything that can be said with the key unread; *ret_fd is its file, or -1 when the signature
 * was made elsewhere. */
static int preflight(struct grant_desk *d, const struct grant *g, int *ret_fd, struct stat *ret_st,
		     uint8_t trusted[SIGN_PUBLIC_BYTES], struct errctx *e)
{
	const struct grant_query q = {.issued = g->issued,
				      .expires = g->expires,
				      .max_writes = g->max_writes,
				      .now = d->context.now};
	auto_buf struct buf path = {0}, keys = {0};
	char fingerprint[SHA256_HEX + 1];
	struct decision dec = policy_grant_times(&q);
	int rc;

	if (d->o->key_id && !view_is(g->key_id, d->o->key_id))
		return err_set(e, E_CHANGED, "the draft is for the key %.*s, not for %s",
			       (int)g->key_id.len, g->key_id.ptr, d->o->key_id);
	if (dec.verdict != VERDICT_ALLOW)
		return err_set(e, E_DENIED, "%s (%s)", dec.reason ? dec.reason : "internal",
			       dec.rule ? dec.rule : "internal");
	rc = grant_check_binding(g, &d->brief, view_of(d->server_sha256), e);
	if (rc == 0)
		rc = grant_check_display(g, e);
	if (rc == 0)
		rc = grant_key_load(&d->keys, g->key_id, trusted, fingerprint, e);
	if (rc == 0)
		rc = grant_desk_check_place(d, e);
	if (rc != 0 || d->o->signature_file)
		return rc;
	buf_init(&path, MAX_PATH_BYTES);
	buf_init(&keys, MAX_PATH_BYTES);
	rc = grant_desk_key_path(g->key_id, &path, e);
	if (rc == 0)
		rc = key_operator_path("/keys/", &keys, e);
	if (rc == 0 && strncmp(buf_text(&path), buf_text(&keys), keys.len) != 0)
		log_warn("the private key %s lies outside %s, which sessions can't read",
			 buf_text(&path), buf_text(&keys));
	if (rc == 0)
		rc = custody_open(buf_text(&path), CUSTODY_PRIVATE | CUSTODY_ONE_NAME,
				  MAX_KEY_FILE_BYTES, d->root_fd, ret_fd, ret_st, e);
	return rc;
}

static int load_key(const struct options *o, int fd, const struct stat *st, struct sign_key **ret,
		    struct errctx *e)
{
	char *pem = sign_secret_new((size_t)st->st_size + 1), *secret = NULL;
	struct view passphrase = {0};
	ssize_t n;
	int rc;

	if (!pem)
		return err_set(e, E_NOMEM, "no guarded memory for the private key");
	n = io_retry(pread(fd, pem, (size_t)st->st_size, 0));
	rc = n == st->st_size ? custody_recheck(fd, st, e)
			      : err_set(e, E_CHANGED, "the private key can't be read whole");
	if (rc == 0 && sign_key_is_encrypted((struct view){pem, (size_t)n}))
		rc = confirm_passphrase(o, false, &secret, &passphrase, e);
	if (rc == 0)
		rc = sign_key_parse((struct view){pem, (size_t)n}, passphrase, ret, e);
	if (secret)
		sign_secret_free(secret);
	sign_secret_free(pem);
	return rc;
}

static int make_signature(const struct options *o, const struct grant *g, int fd,
			  const struct stat *st, const uint8_t trusted[SIGN_PUBLIC_BYTES],
			  char ret[SIGN_HEX + 1], struct errctx *e)
{
	auto_sign_key struct sign_key *k = NULL;
	auto_buf struct buf payload = {0};
	int rc = payload_of(g, &payload, e);

	if (rc == 0)
		rc = load_key(o, fd, st, &k, e);
	if (rc != 0)
		return rc;
	if (memcmp(sign_key_public(k), trusted, SIGN_PUBLIC_BYTES) != 0)
		return err_set(e, E_CHANGED,
			       "the private key isn't the other half of the public key %.*s",
			       (int)g->key_id.len, g->key_id.ptr);
	sign_with(k, buf_view(&payload), ret);
	return 0;
}

/* Raw or in hex; whether it is a signature, and of this draft, install() finds out. */
static int read_signature(const char *path, char ret[SIGN_HEX + 1], struct errctx *e)
{
	auto_buf struct buf text;
	struct stat st;
	struct view v;
	int rc;

	buf_init(&text, MAX_SIGNATURE_FILE_BYTES + 1);
	rc = pins_read_file(path, MAX_SIGNATURE_FILE_BYTES, &text, &st, e);
	if (rc != 0)
		return rc;
	v = buf_view(&text);
	if (v.len == SIGN_BYTES) {
		hex_encode(ret, (const uint8_t *)v.ptr, SIGN_BYTES);
		return 0;
	}
	while (v.len && strchr(" \t\r\n", v.ptr[v.len - 1]))
		v.len--;
	if (!hex_is_lower(v, SIGN_HEX))
		return err_set(e, E_SYNTAX,
			       "%s holds no signature: neither %d bytes nor %d lower-case hex "
			       "digits",
			       path, SIGN_BYTES, SIGN_HEX);
	memcpy(ret, v.ptr, SIGN_HEX);
	ret[SIGN_HEX] = '\0';
	return 0;
}

static int install(struct grant_desk *d, const struct grant *g, const char *signature,
		   struct errctx *e)
{
	auto_json struct json *sealed = NULL;
	struct grant again;
	size_t replaced;
	int rc = grant_seal(g, signature, &sealed, e);

	if (rc == 0)
		rc = grant_parse(sealed, true, &again, e);
	if (rc == 0)
		rc = grant_verify(&again, &d->context, NULL, e);
	if (rc == 0)
		rc = grant_file_change(buf_text(&d->path), d->root_fd, g->agent, sealed, &replaced,
				       e);
	if (rc == 0)
		printf("installed %s%s; start the runner again\n", buf_text(&d->path),
		       replaced ? " (in place of an earlier grant)" : "");
	return rc;
}

static int sign(struct grant_desk *d, struct view text, struct errctx *e)
{
	auto_json struct json *j = NULL;
	auto_fd int fd = -1;
	uint8_t trusted[SIGN_PUBLIC_BYTES];
	char digest[SHA256_HEX + 1], signature[SIGN_HEX + 1];
	struct stat st;
	struct grant g;
	int rc = key_seal_process(e);

	if (rc == 0)
		rc = read_draft(text, &j, &g, e);
	if (rc == 0)
		rc = preflight(d, &g, &fd, &st, trusted, e);
	if (rc == 0)
		rc = grant_desk_show(&g, e);
	if (rc == 0)
		rc = digest_of(d, &g, digest, e);
	if (rc != 0)
		return rc;
	printf("project          ");
	(void)print_text(buf_view(&d->root), false);
	printf("\nsha256           %s\n", digest);
	rc = confirm_ask(d->o, digest,
			 "Let this agent's changes land without a review, within these bounds?", e);
	if (rc == 0 && d->o->signature_file)
		rc = read_signature(d->o->signature_file, signature, e);
	else if (rc == 0)
		rc = make_signature(d->o, &g, fd, &st, trusted, signature, e);
	return rc ? rc : install(d, &g, signature, e);
}

int verb_grant_sign(const struct options *o)
{
	auto_buf struct buf text;
	struct grant_desk d;
	struct errctx e = {0};
	struct stat st;
	int rc = grant_desk_open(&d, o, true, &e);

	buf_init(&text, MAX_GRANTS_FILE_BYTES + 1);
	if (rc == 0 && o->mode == MODE_GRANT_AT_ONCE)
		rc = grant_desk_draft(&d, &text, &e);
	else if (rc == 0)
		rc = pins_read_file(o->file, MAX_GRANTS_FILE_BYTES, &text, &st, &e);
	if (rc == 0)
		rc = sign(&d, buf_view(&text), &e);
	grant_desk_release(&d);
	return rc == 0 ? 0 : verb_fail(&e);
}
