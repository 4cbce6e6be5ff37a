/* SPDX-License-Identifier: MIT */
/*
 * Where grants and the keys that verify them lie (file 24, section 2), custody, and rewriting the
 * operator's files. System.
 */
#ifndef RUNNER_GRANT_FILE_H
#define RUNNER_GRANT_FILE_H

#include "runner/grant.h"

/* ~/.config/agentteams/mcp-grants/<name>-<12 hex>.json of a project. */
int grant_file_path(struct view root_path, struct buf *out, struct errctx *e) must_check;

/* Which public keys are trusted: those of SYSCONFDIR/agentteams/verify-keys, where root's folder
 * exists, and no others; else those of ~/.config/agentteams/verify-keys whose fingerprint stands in
 * ~/.config/agentteams/trusted-keys, or, when the runner was given some, among those. */
struct grant_keys {
	const char *const *pinned; /* --trust-key: fingerprints, n_pinned of them */
	size_t n_pinned;
	const char *system_dir; /* NULL: the configured one; tests have another */
};
/* The key source of a grant_context; arg is a struct grant_keys. E_DENIED: not trusted. */
int grant_key_load(void *arg, struct view key_id, uint8_t ret[SIGN_PUBLIC_BYTES],
		   char ret_fingerprint[SHA256_HEX + 1], struct errctx *e) must_check;
/* The same without the question of trust; *ret_path (may be NULL) says where it lies. */
int grant_key_read(const struct grant_keys *k, struct view key_id, uint8_t ret[SIGN_PUBLIC_BYTES],
		   char ret_fingerprint[SHA256_HEX + 1], bool *ret_system,
		   struct errctx *e) must_check;
bool grant_is_fingerprint(const char *text);
/* Adds the key's public half to verify-keys: E_EXISTS if another one has its id. */
int grant_key_install(struct view key_id, const uint8_t key[SIGN_PUBLIC_BYTES],
		      struct errctx *e) must_check;
/* Adds a fingerprint to trusted-keys; one that stands there already is fine. */
int grant_key_trust(struct view key_id, const uint8_t key[SIGN_PUBLIC_BYTES],
		    struct errctx *e) must_check;

/* Reads the project's grants; no file gives an empty set. */
int grant_file_load(const char *path, int root_fd, const struct grant_context *c,
		    struct grant_set *ret, struct errctx *e) must_check;

/* Takes the agent's records out and puts add in (NULL: none), under a lock, atomically. *ret_n: how
 * many were taken out. Nothing is written when nothing changes. */
int grant_file_change(const char *path, int root_fd, struct view agent, const struct json *add,
		      size_t *ret_n, struct errctx *e) must_check;

/* ~/.config/agentteams/<folder>, made with mode 0700 when missing, checked, open. */
int grant_folder_open(const char *folder, int *ret_fd, struct errctx *e) must_check;

#endif
