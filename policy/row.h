/* SPDX-License-Identifier: MIT */
/*
 * Row types that the tables of policy/ share with matching, dump, self-check and tests. Private to
 * policy/ and tests/; other folders see policy.h only.
 */
#ifndef POLICY_ROW_H
#define POLICY_ROW_H

#include "base/view.h"

/* How a row's text meets a path. Every kind compares folded text (pathstr_fold). */
enum match_kind {
	MATCH_EQUALS = 1, /* a component equals the text */
	MATCH_PREFIX,	  /* a component starts with it */
	MATCH_SUFFIX,	  /* a component ends with it */
	MATCH_INFIX,	  /* a component contains it */
	MATCH_AROUND,	  /* "a*b": a component starts with a and ends with b */
	MATCH_FILE,	  /* the last component equals it */
	MATCH_SEQUENCE,	  /* "a/b": these components follow one another anywhere in the path */
	N_MATCH_KINDS,
};

/* One refusal of the deny list, or (in the second table) one name that the list doesn't mean. */
struct deny_row {
	const char *id; /* stable, never reused */
	enum match_kind kind;
	const char *text; /* already folded */
	const char *reason;
	const char *reference;
};
const struct deny_row *denylist_rows(size_t *ret_n);
const struct deny_row *denylist_exceptions(size_t *ret_n);

/* What editors and file systems hang on a name without changing what is inside: compared without
 * it as well. */
struct strip_row {
	const char *id;
	bool at_start;
	const char *text;
	const char *reason;
};
const struct strip_row *match_strips(size_t *ret_n);

/* Refusals of a requested path for its form; code is what pathstr_check_relative returns. */
struct form_row {
	const char *id;
	int code;
	const char *reason;
};
const struct form_row *pathread_forms(size_t *ret_n);

/* A maximum of base/limits.h that decides what a caller may ask. */
struct limit_row {
	const char *name;
	int64_t value;
	const char *reason;
};
const struct limit_row *limit_rows(size_t *ret_n);

#endif
