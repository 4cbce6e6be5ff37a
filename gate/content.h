/* SPDX-License-Identifier: MIT */
/* Text that a tool is about to store: credentials and instruction overrides (file 40, section 6.2).
 * Pure. */
#ifndef GATE_CONTENT_H
#define GATE_CONTENT_H

#include "gate/arena.h"

/* What the text holds that must not be stored ("a GitHub token"), and its line; NULL: nothing. */
const char *content_scan(struct arena *a, struct view text, unsigned *ret_line);

#endif
