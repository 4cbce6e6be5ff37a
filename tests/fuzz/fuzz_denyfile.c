/* SPDX-License-Identifier: MIT */
/*
 * The operator's deny.list. Whatever the bytes: no more entries than asked for, each a piece of the
 * text, and each denies something: a name made from the entry itself.
 */
#include "base/base.h"

#include "base/limits.h"
#include "base/pathstr.h"
#include "policy/policy.h"
#include "tests/fuzz/fuzz.h"

static struct deny_entry entries[MAX_DENY_LIST_ENTRIES];

/* An entry that stands in the file and denies nothing would be a false comfort. */
static void require_effect(const struct deny_entry *x)
{
	char name[MAX_PATH_BYTES + 8];
	size_t head = x->match == DENY_SUFFIX || x->match == DENY_INFIX ? 1 : 0;
	struct path_query q = {.extra = x, .n_extra = 1};
	struct decision d;

	if (x->text.len + 2 > sizeof(name))
		return;
	name[0] = 'x';
	memcpy(name + head, x->text.ptr, x->text.len);
	q.requested = (struct view){name, head + x->text.len};
	if (pathstr_check_relative(q.requested) != 0)
		return; /* "..*" and the like deny longer names */
	d = policy_path_read(&q);
	FUZZ_REQUIRE(d.verdict == VERDICT_DENY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view text = {(const char *)data, size};
	const char *why = NULL;
	size_t n = 0;
	unsigned last = 0, line = policy_deny_parse(text, entries, ARRAY_LEN(entries), &n, &why);

	FUZZ_REQUIRE((line == 0) == (why == NULL));
	FUZZ_REQUIRE(line == 0 || n == 0);
	FUZZ_REQUIRE(n <= ARRAY_LEN(entries) && line <= size + 1);
	for (size_t i = 0; i < n; i++) {
		FUZZ_REQUIRE(entries[i].text.len > 0 && entries[i].line > last);
		FUZZ_REQUIRE(entries[i].text.ptr >= text.ptr &&
			     entries[i].text.ptr + entries[i].text.len <= text.ptr + size);
		last = entries[i].line;
		require_effect(&entries[i]);
	}
	return 0;
}
