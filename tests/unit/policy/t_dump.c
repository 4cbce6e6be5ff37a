/* SPDX-License-Identifier: MIT */
/* What the dump says is pinned by tests/golden/; here stands how it is written. */
#include "base/base.h"

#include "policy/dump.h"

#include <criterion/criterion.h>

struct text {
	char bytes[1024];
	size_t n;
};

static void collect(void *arg, const char *bytes, size_t n)
{
	struct text *t = arg;

	cr_assert_leq(t->n + n, sizeof(t->bytes));
	memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
}

static void write_some(struct dump *d)
{
	dump_table(d, "one", "about one");
	dump_row(d, "R_1");
	dump_str(d, "s", "a\"b\\c");
	dump_int(d, "i", INT64_MIN);
	dump_bool(d, "b", true);
	dump_row(d, "R_2");
	dump_int(d, "i", 0);
	dump_table_end(d);
	dump_table(d, "none", "no rows");
	dump_table_end(d);
}

Test(dump, text_form)
{
	struct text t = {.n = 0};
	struct dump d = {.sink = collect, .arg = &t};

	write_some(&d);
	cr_assert(
		view_is((struct view){t.bytes, t.n},
			"\n# one: about one\nR_1 s=\"a\\\"b\\\\c\" i=-9223372036854775808 b=true\n"
			"R_2 i=0\n\n# none: no rows\n"));
}

Test(dump, json_form)
{
	struct text t = {.n = 0};
	struct dump d = {.sink = collect, .arg = &t, .json = true};

	write_some(&d);
	cr_assert(view_is(
		(struct view){t.bytes, t.n},
		"\n  \"one\": [\n    {\"id\": \"R_1\", \"s\": \"a\\\"b\\\\c\", \"i\": "
		"-9223372036854775808, \"b\": true},\n    {\"id\": \"R_2\", \"i\": 0}\n  ],\n"
		"  \"none\": [\n  ]"));
}

static void count(void *arg, const char *bytes, size_t n)
{
	size_t *total = arg;

	for (size_t i = 0; i < n; i++)
		cr_assert(bytes[i] == '\n' || (bytes[i] >= ' ' && bytes[i] <= '~'));
	*total += n;
}

Test(dump, both_forms_are_printable_and_the_same_each_time)
{
	size_t text[2] = {0}, json[2] = {0};

	for (int i = 0; i < 2; i++) {
		policy_dump_text(count, &text[i]);
		policy_dump_json(count, &json[i]);
	}
	cr_assert_gt(text[0], 10000u);
	cr_assert_eq(text[0], text[1]);
	cr_assert_eq(json[0], json[1]);
}
