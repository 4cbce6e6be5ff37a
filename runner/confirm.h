/* SPDX-License-Identifier: MIT */
/* How an operator says yes: a hash that was reviewed, or an answer at a terminal; and passphrases.
 * System. */
#ifndef RUNNER_CONFIRM_H
#define RUNNER_CONFIRM_H

#include "base/err.h"
#include "base/view.h"
#include "runner/options.h"

/* The hash as people paste it: surrounding blanks and letter case don't matter. */
bool confirm_is_hash(const char *given, const char *hash);

/* 0: --confirm-review-sha256 is the hash, or there is none and a person said y at a terminal (both
 * input and output are one). E_CHANGED: another hash. E_DENIED: no, or nobody to ask. */
int confirm_ask(const struct options *o, const char *hash, const char *question,
		struct errctx *e) must_check;

/* A passphrase into guarded memory of its own (sign_secret_free): from --passphrase-file or
 * --passphrase-fd, else from the terminal, without echo; twice when it is new. Never from the
 * command line or the environment. E_USAGE, E_RANGE, E_DENIED (cancelled), errors of custody. */
int confirm_passphrase(const struct options *o, bool fresh, char **ret, struct view *ret_text,
		       struct errctx *e) must_check;

#endif
