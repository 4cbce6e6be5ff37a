/* SPDX-License-Identifier: MIT */
/* Parsing of a staged record's bytes; pure. Reading is in store.h. */
#ifndef RUNNER_RECORD_H
#define RUNNER_RECORD_H

#include "runner/brief_parts.h"
#include "runner/store.h"

/* r is zeroed before; release it in every case. E_SYNTAX, E_FORGED (it contradicts itself),
 * E_NOMEM. Views borrow from the tree. */
int record_parse(struct view text, const char *sid, struct record *r, struct errctx *e) must_check;

#endif
