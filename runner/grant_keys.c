/* SPDX-License-Identifier: MIT */
/*
 * Public keys that may sign grants, and which of them are trusted (file 24, 2.1 and 12.6). System.
 * Failure rule: a key that can't be read, or isn't trusted, verifies nothing. Tests:
 * tests/unit/runner/t_grant.c, tests/e2e/runner-grants.tap.
 */
#include "base/base.h"

#include "runner/grant_file.h"

#include "base/atomicfile.h"
#include "base/custody.h"
#include "base/hex.h"
#include "runner/key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#define KEYS	"verify-keys"
#define TRUSTED "trusted-keys"
#ifndef SYSCONFDIR
#define SYSCONFDIR "/etc"
#endif

bool grant_is_fingerprint(const char *text)
{
	return hex_is_lower(view_of(text), SHA256_HEX);
}

/* Root's folder decides alone where it exists. 0 with *ret false: there is none. */
static int look_for_system(const struct grant_keys *k, const char **ret_dir, bool *ret,
			   struct errctx *e)
{
	auto_fd int fd = -1;
	struct errctx why = {0};
	struct stat st;
	int rc;

	*ret_dir = k->system_dir ? k->system_dir : SYSCONFDIR "/agentteams/" KEYS;
	*ret = false;
	rc = custody_open_dir(*ret_dir, CUSTODY_OPTIONAL, &fd, &why);
	if (rc == E_NOENT)
		return 0;
	/* A folder above it that others may write is no fault of a host without such keys. */
	if (rc != 0 && lstat(*ret_dir, &st) != 0 && errno == ENOENT)
		return 0;
	if (rc != 0)
		return err_set(e, rc, "%s", why.text);
	if (fstat(fd, &st) != 0)
		return err_sys(e, "%s", *ret_dir);
	if (st.st_uid != 0)
		return err_set(e, E_OWNER, "%s doesn't belong to root", *ret_dir);
	*ret = true;
	return 0;
}

int grant_key_read(const struct grant_keys *k, struct view key_id, uint8_t ret[SIGN_PUBLIC_BYTES],
		   char ret_fingerprint[SHA256_HEX + 1], bool *ret_system, struct errctx *e)
{
	auto_buf struct buf path = {0}, pem = {0};
	struct errctx why = {0};
	const char *dir;
	int rc = look_for_system(k, &dir, ret_system, e);

	if (rc != 0)
		return rc;
	if (!grant_is_key_id(key_id))
		return err_set(e, E_SYNTAX, "the key id is malformed");
	buf_init(&path, MAX_PATH_BYTES);
	buf_init(&pem, MAX_KEY_FILE_BYTES + 1);
	if (*ret_system)
		rc = buf_puts(&path, dir);
	else
		rc = key_operator_path("/" KEYS, &path, e);
	if (rc == 0)
		rc = buf_printf(&path, "/%.*s.pub.pem", (int)key_id.len, key_id.ptr);
	if (rc != 0)
		return err_set(e, rc, "the public key's path is too long");
	rc = custody_read(buf_text(&path), 0, MAX_KEY_FILE_BYTES, -1, &pem, &why);
	if (rc == E_NOENT)
		return err_set(e, rc, "there is no public key %.*s", (int)key_id.len, key_id.ptr);
	if (rc != 0) {
		/* Without the whole path before it: a row of the ledger has 200 characters. */
		const char *rule = strstr(why.text, "\": ");

		return err_set(e, rc, "public key %.*s: %s", (int)key_id.len, key_id.ptr,
			       rule ? rule + 3 : why.text);
	}
	rc = sign_public_parse(buf_view(&pem), ret, &why);
	if (rc != 0)
		return err_set(e, rc, "public key %.*s: %s", (int)key_id.len, key_id.ptr, why.text);
	sha256_hex(buf_view(&pem), ret_fingerprint);
	return 0;
}

static int read_trusted(struct buf *out, struct errctx *e)
{
	auto_buf struct buf path;
	int rc;

	buf_init(&path, MAX_PATH_BYTES);
	rc = key_operator_path("/" TRUSTED, &path, e);
	if (rc == 0)
		rc = custody_read(buf_text(&path), CUSTODY_OPTIONAL, MAX_OPERATOR_FILE_BYTES, -1,
				  out, e);
	return rc == E_NOENT ? 0 : rc;
}

/* One fingerprint at the start of each line; what follows a blank is for people. E_SYNTAX names the
 * line. */
static int is_listed(struct view text, const char *fingerprint, bool *ret, struct errctx *e)
{
	unsigned line = 0, keys = 0;

	*ret = false;
	while (text.len) {
		const char *end = view_chr(text, '\n');
		struct view row = {text.ptr, end ? (size_t)(end - text.ptr) : text.len};

		text = (struct view){row.ptr + row.len + (end ? 1 : 0),
				     text.len - row.len - (end ? 1 : 0)};
		line++;
		if (row.len == 0 || row.ptr[0] == '#')
			continue;
		if (row.len < SHA256_HEX || !hex_is_lower((struct view){row.ptr, SHA256_HEX}, 64) ||
		    (row.len > SHA256_HEX && row.ptr[SHA256_HEX] != ' '))
			return err_set(e, E_SYNTAX,
				       TRUSTED ": line %u doesn't begin with 64 lower-case hex "
					       "digits",
				       line);
		if (++keys > MAX_TRUSTED_KEYS)
			return err_set(e, E_TOOBIG, TRUSTED ": more than %d keys",
				       MAX_TRUSTED_KEYS);
		if (memcmp(row.ptr, fingerprint, SHA256_HEX) == 0)
			*ret = true;
	}
	return 0;
}

int grant_key_load(void *arg, struct view key_id, uint8_t ret[SIGN_PUBLIC_BYTES],
		   char ret_fingerprint[SHA256_HEX + 1], struct errctx *e)
{
	const struct grant_keys *k = arg;
	auto_buf struct buf text = {0};
	char fingerprint[SHA256_HEX + 1];
	uint8_t key[SIGN_PUBLIC_BYTES];
	bool by_root, trusted = false;
	int rc = grant_key_read(k, key_id, key, ret_fingerprint, &by_root, e);

	if (rc != 0)
		return rc;
	sign_fingerprint(key, fingerprint);
	for (size_t i = 0; i < k->n_pinned; i++)
		trusted = trusted || strcmp(k->pinned[i], fingerprint) == 0;
	buf_init(&text, MAX_OPERATOR_FILE_BYTES + 1);
	if (k->n_pinned == 0 && by_root)
		trusted = true;
	if (k->n_pinned == 0 && !by_root) {
		rc = read_trusted(&text, e);
		if (rc == 0)
			rc = is_listed(buf_view(&text), fingerprint, &trusted, e);
		if (rc != 0)
			return rc;
	}
	if (!trusted)
		return err_set(e, E_DENIED,
			       "unknown signer: key %.*s (%.12s) isn't trusted; see %s",
			       (int)key_id.len, key_id.ptr, fingerprint,
			       k->n_pinned ? "--trust-key" : "--grant-trust");
	memcpy(ret, key, sizeof(key));
	return 0;
}

int grant_key_install(struct view key_id, const uint8_t key[SIGN_PUBLIC_BYTES], struct errctx *e)
{
	auto_buf struct buf pem = {0};
	auto_fd int dir_fd = -1;
	char name[MAX_KEY_ID_BYTES + 16];
	int rc = grant_folder_open(KEYS, &dir_fd, e);

	if (rc != 0)
		return rc;
	buf_init(&pem, MAX_KEY_FILE_BYTES);
	rc = sign_public_emit(key, &pem);
	if (rc != 0)
		return err_set(e, rc, "the public key can't be written as PEM");
	(void)snprintf(name, sizeof(name), "%.*s.pub.pem", (int)key_id.len, key_id.ptr);
	rc = atomicfile_put(dir_fd, name, buf_view(&pem), 0644, COMMIT_NEW, e);
	if (rc == E_EXISTS)
		return err_set(e, rc, "there is a public key %s already", name);
	return rc;
}

int grant_key_trust(struct view key_id, const uint8_t key[SIGN_PUBLIC_BYTES], struct errctx *e)
{
	auto_buf struct buf text;
	auto_fd int dir_fd = -1;
	char fingerprint[SHA256_HEX + 1];
	bool listed;
	int rc;

	buf_init(&text, MAX_OPERATOR_FILE_BYTES);
	sign_fingerprint(key, fingerprint);
	rc = grant_folder_open("", &dir_fd, e);
	if (rc == 0)
		rc = read_trusted(&text, e);
	if (rc == 0)
		rc = is_listed(buf_view(&text), fingerprint, &listed, e);
	if (rc != 0 || listed)
		return rc;
	if (text.len && text.data[text.len - 1] != '\n')
		(void)buf_putc(&text, '\n');
	(void)buf_printf(&text, "%s %.*s\n", fingerprint, (int)key_id.len, key_id.ptr);
	if (buf_error(&text))
		return err_set(e, buf_error(&text), TRUSTED " would be too long");
	/* Read back as the runner will: a file that it refuses must not come to be. */
	rc = is_listed(buf_view(&text), fingerprint, &listed, e);
	return rc ? rc : atomicfile_put(dir_fd, TRUSTED, buf_view(&text), 0600, COMMIT_REPLACE, e);
}
