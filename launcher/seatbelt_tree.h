/* SPDX-License-Identifier: MIT */
/* A profile after reading: rules in order. Between parser, linter and evaluator only. */
#ifndef LAUNCHER_SEATBELT_TREE_H
#define LAUNCHER_SEATBELT_TREE_H

#include "base/err.h"
#include "base/view.h"

enum seatbelt_filter_kind {
	FILTER_SUBPATH = 1,
	FILTER_LITERAL,
	FILTER_REGEX,
	FILTER_REMOTE_IP,
};

struct seatbelt_filter {
	enum seatbelt_filter_kind kind;
	char *param; /* NULL: an absolute text */
	char *text;  /* unescaped; with param: what is appended */
	unsigned line;
};

enum { SEATBELT_MAX_OPERATIONS = 8 };

struct seatbelt_rule_node {
	bool allow;
	const char *operations[SEATBELT_MAX_OPERATIONS]; /* of the table of known ones */
	size_t n_operations;
	struct seatbelt_filter *filters;
	size_t n_filters;
	unsigned line;
};

struct seatbelt_profile {
	unsigned version;
	bool default_allow;
	struct seatbelt_rule_node *rules; /* without version and default */
	size_t n_rules;
};

/* A family or a single operation that profiles may name; NULL for an unknown word. Static text. */
const char *seatbelt_operation(struct view word);
/* Does a rule about `named` speak about the single operation? "file-write*" covers
 * "file-write-create". */
bool seatbelt_operation_covers(const char *named, const char *single);
/* Is it one that a question may be about? */
bool seatbelt_operation_is_single(const char *operation);

#endif
