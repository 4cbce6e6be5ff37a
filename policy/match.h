/* SPDX-License-Identifier: MIT */
/* The only matching primitives of policy/. Pure. */
#ifndef POLICY_MATCH_H
#define POLICY_MATCH_H

#include "policy/row.h"

#include "base/limits.h"

/* One component in the two spellings that rules are held against. */
struct folded {
	char bytes[MAX_NAME_BYTES];
	struct view whole; /* folded */
	struct view bare;  /* the same without what match_strips() lists */
};

/* False if the component is longer than any name may be: the caller refuses. */
bool match_fold(struct view component, struct folded *ret) must_check;

/* Does the text (folded) match one spelling? For MATCH_SEQUENCE and MATCH_FILE see below. */
bool match_spelling(enum match_kind kind, struct view text, struct view spelling);

/* Either spelling. */
bool match_component(enum match_kind kind, struct view text, const struct folded *f);

/* Do the components of text ("a/b") begin the path, one for one? Folds both sides; "." in the path
 * is skipped. *ret_end: offset in path just behind the last of them. */
bool match_leading(struct view text, struct view path, size_t *ret_end);

/* pathstr_next without "." components. */
bool match_next(struct view *rest, struct view *component);

#endif
