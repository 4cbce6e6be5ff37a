/* SPDX-License-Identifier: MIT */
/*
 * Key file to guarded memory, and the making of a key. System; includes libsodium for its guarded
 * allocation. Failure rule: no key, no service. Tests: tests/e2e/runner-start.tap.
 */
#include "base/base.h"

#include "runner/key.h"

#include "base/atomicfile.h"
#include "base/custody.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/pathfd.h"
#include "base/pathstr.h"
#include "base/rand.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/prctl.h>
#include <sys/resource.h>

int key_operator_path(const char *below, struct buf *out, struct errctx *e)
{
	int rc = custody_home(out, e);

	if (rc != 0)
		return rc;
	(void)buf_puts(out, "/.config/agentteams");
	(void)buf_puts(out, below);
	return buf_error(out) ? err_set(e, buf_error(out), "the home folder's path is too long")
			      : 0;
}

int key_file_path(struct buf *out, struct errctx *e)
{
	const char *given = getenv("AGENTTEAMS_PROPOSAL_LEDGER_KEY_FILE");
	auto_buf struct buf folder;
	char clean[MAX_PATH_BYTES + 1];
	struct view top;
	int rc, n;

	buf_init(&folder, MAX_PATH_BYTES);
	rc = key_operator_path("/keys", &folder, e);
	if (rc != 0)
		return rc;
	if (!given || !*given) {
		(void)buf_put_view(out, buf_view(&folder));
		return buf_puts(out, "/proposal-ledger.key");
	}
	if (given[0] == '~' && given[1] == '/') {
		rc = custody_home(out, e);
		if (rc != 0)
			return rc;
		given++;
	}
	if (buf_puts(out, given) != 0)
		return err_set(e, E_TOOBIG, "the key file's path is too long");
	n = pathstr_clean(buf_view(&folder), clean, sizeof(clean));
	top = (struct view){clean, n > 0 ? (size_t)n : 0};
	/* ".." is refused instead of folded: behind a link it would lead elsewhere. */
	if (strstr(buf_text(out), "/../") || !pathstr_beneath(buf_view(out), top) ||
	    view_eq(buf_view(out), top))
		return err_set(e, E_OUTSIDE, "the key file must lie in %s", buf_text(&folder));
	return 0;
}

int key_check_environment(struct errctx *e)
{
	static const char *const names[] = {"AGENTTEAMS_PROPOSAL_LEDGER_KEY",
					    "AGENTTEAMS_DECISION_SIGNING_KEY"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *v = getenv(names[i]);

		if (v && *v)
			return err_set(e, E_DENIED,
				       "%s is set: a confined command could read it in the "
				       "runner's environment; unset it and use the key file",
				       names[i]);
	}
	return 0;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct view trim(struct view v)
{
	while (v.len && is_space(v.ptr[0]))
		v = (struct view){v.ptr + 1, v.len - 1};
	while (v.len && is_space(v.ptr[v.len - 1]))
		v.len--;
	return v;
}

int key_load(const char *path, const struct mac_key **ret, struct errctx *e)
{
	auto_buf struct buf text = {0};
	struct mac_key *k = NULL;
	struct view secret;
	int rc;

	if (sodium_init() < 0)
		return err_set(e, E_INTERNAL, "libsodium can't start");
	buf_init(&text, MAX_KEY_FILE_BYTES + 1);
	/* Room for all of it at once: a buffer that grows would leave copies behind. */
	if (!buf_reserve(&text, MAX_KEY_FILE_BYTES))
		return err_set(e, E_NOMEM, "out of memory");
	rc = custody_read(path, CUSTODY_PRIVATE | CUSTODY_ONE_NAME, MAX_KEY_FILE_BYTES, -1, &text,
			  e);
	if (rc != 0)
		goto out;
	secret = trim(buf_view(&text));
	if (secret.len < MIN_KEY_BYTES) {
		rc = err_set(e, E_RANGE, "the key in %s has %zu bytes, at least %d are required",
			     path, secret.len, MIN_KEY_BYTES);
		goto out;
	}
	k = sodium_malloc(sizeof(*k));
	if (!k) {
		rc = err_set(e, E_NOMEM, "no guarded memory for the key");
		goto out;
	}
	mac_key_init(k, secret);
	(void)sodium_mprotect_readonly(k); /* a guard more, not a condition */
	*ret = k;
out:
	if (text.data)
		sodium_memzero(text.data, text.cap);
	return rc;
}

void key_free(const struct mac_key *k)
{
	sodium_free((void *)(uintptr_t)k); /* wipes */
}

int key_seal_process(struct errctx *e)
{
	static const struct rlimit none = {0, 0};

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return err_sys(e, "the process can't be made non-dumpable");
	if (setrlimit(RLIMIT_CORE, &none) != 0)
		return err_sys(e, "core dumps can't be switched off");
	return 0;
}

/* Folders below the home are made one by one; what exists passes custody_open_dir. */
static int make_folders(const char *folder, int *ret_fd, struct errctx *e)
{
	auto_buf struct buf home;
	auto_fd int home_fd = -1, made_fd = -1;
	int rc;

	buf_init(&home, MAX_PATH_BYTES);
	rc = custody_home(&home, e);
	if (rc == 0)
		rc = custody_open_dir(buf_text(&home), 0, &home_fd, e);
	if (rc != 0)
		return rc;
	if (strncmp(folder, buf_text(&home), home.len) != 0 || folder[home.len] != '/')
		return err_set(e, E_OUTSIDE, "the key folder isn't below the home folder");
	rc = pathfd_make_dirs(home_fd, folder + home.len + 1, 0700, &made_fd, e);
	if (rc != 0)
		return rc;
	return custody_open_dir(folder, CUSTODY_PRIVATE, ret_fd, e);
}

int key_generate(const char *path, struct errctx *e)
{
	uint8_t raw[MIN_KEY_BYTES];
	char text[2 * MIN_KEY_BYTES + 2], folder[MAX_PATH_BYTES + 1];
	struct view name = pathstr_base(view_of(path));
	auto_fd int dir_fd = -1;
	int rc;

	if (name.len == 0 || strlen(path) > MAX_PATH_BYTES)
		return err_set(e, E_RANGE, "no usable key path");
	memcpy(folder, path, strlen(path) + 1);
	folder[strlen(path) - name.len - 1] = '\0';
	rc = make_folders(folder, &dir_fd, e);
	if (rc != 0)
		return rc;
	rand_bytes(raw, sizeof(raw));
	hex_encode(text, raw, sizeof(raw));
	text[2 * sizeof(raw)] = '\n';
	rc = atomicfile_put(dir_fd, path + strlen(folder) + 1,
			    (struct view){text, 2 * sizeof(raw) + 1}, 0600, COMMIT_NEW, e);
	explicit_bzero(raw, sizeof(raw));
	explicit_bzero(text, sizeof(text));
	if (rc == E_EXISTS)
		return err_set(e, rc, "there is a key already: %s (it is never replaced)", path);
	return rc;
}
