/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "policy/policy.h"

#include "base/limits.h"

#include <criterion/criterion.h>

Test(tools, canonical_order_and_lookup)
{
	static const char *const names[N_TOOLS] = {"write_file", "delete_file", "run_command",
						   "request_status", "read_file_hashed"};

	for (int i = 0; i < N_TOOLS; i++) {
		cr_assert_str_eq(policy_tool((enum tool)i)->name, names[i]);
		cr_assert_eq(policy_tool_by_name(view_of(names[i])), i);
	}
	cr_assert_null(policy_tool(N_TOOLS));
	cr_assert_null(policy_tool((enum tool) - 1));
}

Test(tools, names_match_whole_and_with_case)
{
	static const char *const none[] = {"",		 "write_fil", "write_file2",
					   "WRITE_FILE", "shell",     "*"};

	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		cr_assert_eq(policy_tool_by_name(view_of(none[i])), -1, "%s", none[i]);
	cr_assert_eq(policy_tool_by_name((struct view){"write_file\0x", 12}), -1);
}

Test(tools, a_tool_that_only_reads_neither_destroys_nor_queues)
{
	for (int i = 0; i < N_TOOLS; i++) {
		const struct tool_row *t = policy_tool((enum tool)i);

		cr_assert_neq(t->read_only, t->queues, "%s", t->name);
		if (t->read_only)
			cr_assert(!t->destructive && t->idempotent, "%s", t->name);
	}
	cr_assert_not(policy_tool(TOOL_WRITE_FILE)->destructive);
	cr_assert(policy_tool(TOOL_DELETE_FILE)->destructive);
	cr_assert(policy_tool(TOOL_RUN_COMMAND)->destructive);
}

Test(tools, parameters_are_grouped_by_tool_unique_and_bounded)
{
	size_t n;
	const struct param_row *p = policy_params(&n);
	int seen[N_TOOLS] = {0};

	for (size_t i = 0; i < n; i++) {
		cr_assert_lt((unsigned)p[i].tool, N_TOOLS);
		seen[p[i].tool]++;
		if (i)
			cr_assert_geq(p[i].tool, p[i - 1].tool);
		for (size_t k = 0; k < i; k++)
			cr_assert(p[k].tool != p[i].tool || strcmp(p[k].name, p[i].name) != 0);
		cr_assert_leq(p[i].min, p[i].max);
		cr_assert_gt(p[i].max, 0);
		if (p[i].type == PARAM_STRINGS)
			cr_assert(p[i].max_items > 0 && p[i].min_items <= p[i].max_items);
		else
			cr_assert(p[i].max_items == 0 && p[i].min_items == 0);
		cr_assert_gt(strlen(p[i].description), 20u);
	}
	for (int i = 0; i < N_TOOLS; i++)
		cr_assert_gt(seen[i], 0);
}

/* The largest legal call must fit the queue's request limit, or agents would learn of a bound that
 * no schema shows. argv, expected_writes and the like can exceed it together; the runner's client
 * says so. */
Test(tools, one_content_of_the_largest_size_fits_a_request)
{
	/* Every byte may need six characters as an escape. */
	cr_assert_lt((long)MAX_CONTENT_BYTES * 6 + 65536, (long)MAX_REQUEST_BYTES);
}
