/* SPDX-License-Identifier: MIT */
/* The verdict table itself is tests/cases/denylist.cases; here stand the properties. */
#include "base/base.h"

#include "policy/policy.h"

#include "policy/row.h"

#include <criterion/criterion.h>

static enum verdict read_verdict(const char *requested)
{
	struct path_query q = {.requested = view_of(requested)};

	return policy_path_read(&q).verdict;
}

Test(pathread, nothing_given_is_an_internal_refusal)
{
	struct path_query q = {0};
	struct decision d = policy_path_read(&q);

	cr_assert_eq(d.verdict, VERDICT_DENY);
	cr_assert_str_eq(d.rule, "internal");
	q = (struct path_query){.requested = VIEW("a"), .n_extra = 1};
	d = policy_path_read(&q);
	cr_assert_eq(d.verdict, VERDICT_DENY);
	cr_assert_str_eq(d.rule, "internal");
}

Test(pathread, an_addition_that_cannot_be_compared_denies)
{
	static const struct deny_entry broken[] = {
		{.match = (enum deny_match)0, .text = {"x", 1}},
		{.match = (enum deny_match)77, .text = {"x", 1}},
		{.match = DENY_EQUALS, .text = {"", 0}},
		{.match = DENY_INFIX, .text = {"", 0}},
	};

	for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
		struct path_query q = {
			.requested = VIEW("src/a.c"), .extra = &broken[i], .n_extra = 1};
		struct decision d = policy_path_read(&q);

		cr_assert_eq(d.verdict, VERDICT_DENY, "entry %zu", i);
		cr_assert_str_eq(d.rule, "DENY_OPERATOR");
	}
}

/* Random paths of pieces that lie near the rules' edges, held against four properties. */
static const char *const pieces[] = {
	".env",	       ".git", "a",  "b.c",	   ".key", "server",   "~",  ".bak",
	"/",	       "/",    "/",  ".config",	   "gh",   "\xc5\xbf", "sh", ".s",
	"credentials", ".",    "..", "kubeconfig", "#",	   " ",	       "x",  ".example",
};

static size_t random_path(unsigned *seed, char *out, size_t size)
{
	size_t n = 0;

	for (int count = 1 + rand_r(seed) % 8; count > 0; count--) {
		const char *p = pieces[(size_t)rand_r(seed) % ARRAY_LEN(pieces)];

		n += (size_t)snprintf(out + n, size - n, "%s", p);
	}
	return n;
}

Test(pathread, an_addition_never_widens_a_verdict)
{
	unsigned seed = 20261006;
	size_t denied = 0, allowed = 0, narrowed = 0;

	for (int round = 0; round < 200000; round++) {
		char path[128], other[128], entry[128];
		struct deny_entry x;
		const char *why;
		size_t n = 0;
		struct path_query q = {.requested = {path, random_path(&seed, path, sizeof(path))}};
		struct decision without, with;

		if (rand_r(&seed) % 2)
			q.resolved = (struct view){other, random_path(&seed, other, sizeof(other))};
		without = policy_path_read(&q);
		if (policy_deny_parse(
			    (struct view){entry, random_path(&seed, entry, sizeof(entry))}, &x, 1,
			    &n, &why) != 0)
			continue;
		q.extra = &x;
		q.n_extra = n;
		with = policy_path_read(&q);
		cr_assert(without.verdict == VERDICT_ALLOW || without.verdict == VERDICT_DENY);
		if (without.verdict == VERDICT_DENY)
			cr_assert_eq(with.verdict, VERDICT_DENY, "\"%s\" with \"%s\"", path, entry);
		denied += without.verdict == VERDICT_DENY;
		allowed += with.verdict == VERDICT_ALLOW;
		narrowed += without.verdict == VERDICT_ALLOW && with.verdict == VERDICT_DENY;
	}
	/* The rounds must have been worth something. */
	cr_assert_gt(denied, 1000u);
	cr_assert_gt(allowed, 1000u);
	cr_assert_gt(narrowed, 200u);
}

Test(pathread, a_folder_above_never_excuses)
{
	unsigned seed = 7;
	size_t denied = 0;

	for (int round = 0; round < 50000; round++) {
		char path[128], below[160];

		(void)random_path(&seed, path, sizeof(path));
		if (read_verdict(path) == VERDICT_ALLOW || path[0] == '/' || path[0] == '~')
			continue;
		(void)snprintf(below, sizeof(below), "a/.env.example/%s", path);
		cr_assert_eq(read_verdict(below), VERDICT_DENY, "%s", below);
		denied++;
	}
	cr_assert_gt(denied, 1000u);
}

Test(pathread, every_row_denies_its_own_text_in_upper_case_too)
{
	size_t n;
	const struct deny_row *rows = denylist_rows(&n);

	for (size_t i = 0; i < n; i++) {
		char text[128];

		(void)snprintf(text, sizeof(text), "%s", rows[i].text);
		cr_assert_eq(read_verdict(text), VERDICT_DENY, "%s", text);
		for (char *p = text; *p; p++) {
			if (*p == '*')
				*p = 'x';
			if (*p >= 'a' && *p <= 'z')
				*p = (char)(*p - 'a' + 'A');
		}
		cr_assert_eq(read_verdict(text), VERDICT_DENY, "%s", text);
	}
}
