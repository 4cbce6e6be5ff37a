/* SPDX-License-Identifier: MIT */
/*
 * Custody of the ledger key (file 22, section 6; file 21, section 14): where it lies, what the file
 * must look like, and guarded memory for the one process that holds it. System.
 */
#ifndef RUNNER_KEY_H
#define RUNNER_KEY_H

#include "base/buf.h"
#include "base/err.h"
#include "runner/mac.h"

/* Folders of the operator, absolute: "~/.config/agentteams" and what is appended ("/keys" ...). */
int key_operator_path(const char *below, struct buf *out, struct errctx *e) must_check;

/* The key file: AGENTTEAMS_PROPOSAL_LEDGER_KEY_FILE ("~/" allowed), else the default. E_OUTSIDE if
 * its folder isn't the key folder or below it. */
int key_file_path(struct buf *out, struct errctx *e) must_check;

/* Refuses (E_DENIED, naming it) a signing variable that is set and not empty (file 21, 6.6). */
int key_check_environment(struct errctx *e) must_check;

/* Reads the key into guarded memory: locked, between guard pages, read-only, absent from core
 * dumps. The text of the file is wiped. Errors of custody_read; E_RANGE for fewer than
 * MIN_KEY_BYTES. */
int key_load(const char *path, const struct mac_key **ret, struct errctx *e) must_check;
void key_free(const struct mac_key *k);

/* The process can't be traced or dumped by its own user any more (Linux: PR_SET_DUMPABLE 0). */
int key_seal_process(struct errctx *e) must_check;

/* Creates the key file: 32 random bytes as 64 hex digits and a line feed, exclusive, 0600, in
 * folders of the user with mode 0700 that are made when missing. E_EXISTS. */
int key_generate(const char *path, struct errctx *e) must_check;

#endif
