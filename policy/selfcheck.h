/* SPDX-License-Identifier: MIT */
/* Pieces of the self-check that tests hold against broken rows. Each returns NULL, or what is wrong
 * (static text). Pure. */
#ifndef POLICY_SELFCHECK_H
#define POLICY_SELFCHECK_H

#include "policy/row.h"

/* Not empty, printable ASCII. */
const char *selfcheck_text(const char *s) must_check;
/* id is a text and comes after the one before it (NULL: it is the first). */
const char *selfcheck_order(const char *before, const char *id) must_check;
/* Text and kind fit each other, the text is folded and can stand in a path. */
const char *selfcheck_deny(const struct deny_row *r) must_check;

#endif
