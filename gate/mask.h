/* SPDX-License-Identifier: MIT */
/* Words for the decision text: secrets masked, unknown parts shown as such, shortened. Pure. */
#ifndef GATE_MASK_H
#define GATE_MASK_H

#include "gate/eval.h"

/* Appends the word; before: the word in front of it (an option may make it a secret). */
void mask_word(struct text *t, struct view before, struct view word);
/* The same for free text: every part that looks like a secret is masked. */
void mask_text(struct text *t, struct view text);
/* Length of a secret that starts at v, 0: none. */
size_t secret_at(struct view v, const char **ret_what);

#endif
