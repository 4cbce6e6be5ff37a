/* SPDX-License-Identifier: MIT */
/*
 * Argument patterns of a brief (file 22, 4.8; file 00, D15): PCRE2, anchored at both ends, UTF,
 * with match and depth limits. What runs into a limit doesn't match: a pattern can refuse, never
 * hang.
 */
#ifndef RUNNER_PATTERN_H
#define RUNNER_PATTERN_H

#include "base/err.h"
#include "base/view.h"

struct pattern;

/* Compiles text; E_SYNTAX names the offset and the reason. */
int pattern_compile(struct view text, struct pattern **ret, struct errctx *e) must_check;
void pattern_free(struct pattern *p); /* NULL is fine */

/* Does the whole text match? Texts over MAX_PATTERN_TEXT_BYTES and matches that run into a limit
 * are "no". */
bool pattern_matches(const struct pattern *p, struct view text);

/* True if the pattern is plain text without any special character: an argument spelled out. */
bool pattern_is_literal(const struct pattern *p);

/* The breadth probe of 4.8: E_RANGE if the pattern admits an option, a parent step, an absolute or
 * a home path. */
int pattern_probe(const struct pattern *p, struct errctx *e) must_check;

#endif
