/* SPDX-License-Identifier: MIT */
/* The operator's verbs about direct grants (file 24, sections 8 and 9). Each returns the exit
 * status. */
#ifndef RUNNER_GRANT_VERBS_H
#define RUNNER_GRANT_VERBS_H

#include "runner/options.h"

int verb_grant_keygen(const struct options *o);
int verb_grant_trust(const struct options *o);
int verb_grant_draft(const struct options *o);
int verb_grant_sign(const struct options *o); /* a draft, or at once */
int verb_grant_list(const struct options *o);
int verb_grant_revoke(const struct options *o);

#endif
