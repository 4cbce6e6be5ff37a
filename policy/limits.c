/* SPDX-License-Identifier: MIT */
/*
 * The maxima of base/limits.h that decide what an agent or an operator may hand in, for the dump:
 * a reviewer sees them change like any other rule. Pure data.
 */
#include "base/base.h"

#include "policy/row.h"

#include "base/limits.h"

#define LIMIT(name, reason)                                                                        \
	{                                                                                          \
#name, name, reason                                                                \
	}

static const struct limit_row limits[] = {
	LIMIT(MAX_LINE_BYTES, "one JSON-RPC message"),
	LIMIT(MAX_JSON_DEPTH, "nesting of JSON from outside"),
	LIMIT(MAX_PENDING_CALLS, "calls of one agent that wait for the runner"),
	LIMIT(MAX_REQUEST_BYTES, "one queued request"),
	LIMIT(MAX_CONTENT_BYTES, "content of a proposal"),
	LIMIT(MAX_READ_FILE_BYTES, "file that read_file_hashed returns"),
	LIMIT(MAX_PAGE_BYTES, "text in one result of read_file_hashed"),
	LIMIT(MAX_PATH_BYTES, "path"),
	LIMIT(MAX_NAME_BYTES, "one component of a path"),
	LIMIT(MAX_SYMLINKS, "links followed in one path"),
	LIMIT(MAX_RATIONALE_CHARS, "rationale and purpose"),
	LIMIT(MAX_ARGV_ITEMS, "arguments of a command"),
	LIMIT(MAX_ARG_BYTES, "one argument of a command"),
	LIMIT(MAX_EXPECTED_WRITES, "files that a command declares"),
	LIMIT(MAX_GATES, "gates that a proposal names"),
	LIMIT(MAX_OPERATOR_FILE_BYTES, "operator's deny.list and confined file"),
	LIMIT(MAX_DENY_LIST_ENTRIES, "entries of the operator's deny.list"),
};

const struct limit_row *limit_rows(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(limits);
	return limits;
}
