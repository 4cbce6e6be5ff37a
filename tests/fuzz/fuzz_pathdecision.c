/* SPDX-License-Identifier: MIT */
/*
 * The path decision. Input: requested, resolved, opened name and an operator's file, parted by NUL
 * (a missing part is not known). Whatever the bytes: a verdict that is one of two, a rule exactly
 * when denied, the same answer twice, and an addition never widens it.
 */
#include "base/base.h"

#include "base/pathstr.h"
#include "policy/policy.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_ENTRIES = 32 };

static struct view take(struct view *rest)
{
	const char *end = rest->len ? memchr(rest->ptr, 0, rest->len) : NULL;
	struct view part = *rest;

	if (rest->ptr == NULL)
		return part;
	if (end == NULL) {
		*rest = (struct view){NULL, 0};
		return part;
	}
	part.len = (size_t)(end - rest->ptr);
	*rest = (struct view){end + 1, rest->len - part.len - 1};
	return part;
}

static bool same(struct decision a, struct decision b)
{
	return a.verdict == b.verdict && a.rule == b.rule && a.reason == b.reason &&
	       a.which == b.which && a.match.ptr == b.match.ptr && a.match.len == b.match.len;
}

static bool inside(struct view part, struct view whole)
{
	return part.len == 0 || (whole.ptr != NULL && part.ptr >= whole.ptr &&
				 part.ptr + part.len <= whole.ptr + whole.len);
}

static void require_sound(const struct path_query *q, struct decision d)
{
	bool denied = d.verdict == VERDICT_DENY;

	FUZZ_REQUIRE(denied || d.verdict == VERDICT_ALLOW);
	FUZZ_REQUIRE(denied == (d.rule != NULL) && denied == (d.reason != NULL) &&
		     denied == (d.which != NULL));
	FUZZ_REQUIRE(denied || d.match.len == 0);
	FUZZ_REQUIRE(inside(d.match, q->requested) || inside(d.match, q->resolved) ||
		     inside(d.match, q->opened));
	FUZZ_REQUIRE(denied || pathstr_check_relative(q->requested) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view rest = {(const char *)data, size};
	struct path_query q = {.requested = take(&rest)};
	struct deny_entry extra[MAX_ENTRIES];
	struct decision plain, narrowed;
	const char *why;

	q.resolved = take(&rest);
	q.opened = take(&rest);
	plain = policy_path_read(&q);
	require_sound(&q, plain);
	FUZZ_REQUIRE(same(plain, policy_path_read(&q)));
	if (rest.ptr == NULL || policy_deny_parse(rest, extra, ARRAY_LEN(extra), &q.n_extra, &why))
		return 0;
	q.extra = extra;
	narrowed = policy_path_read(&q);
	require_sound(&q, narrowed);
	FUZZ_REQUIRE(plain.verdict == VERDICT_ALLOW || narrowed.verdict == VERDICT_DENY);
	if (q.n_extra == 0)
		FUZZ_REQUIRE(same(plain, narrowed));
	return 0;
}
