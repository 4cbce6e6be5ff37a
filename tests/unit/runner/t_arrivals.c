/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "runner/arrivals.h"

#include <criterion/criterion.h>
#include <stdio.h>

static void add(struct arrivals *a, enum channel c, unsigned id, int64_t when)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "%032x.json", id);
	arrivals_add(a, c, name, when);
}

Test(arrivals, only_names_of_requests_count)
{
	cr_assert(arrivals_is_request("00112233445566778899aabbccddeeff.json"));
	cr_assert(!arrivals_is_request("not-an-id.json"));
	cr_assert(!arrivals_is_request(".00112233445566778899aabbccddeeff.tmp"));
	cr_assert(!arrivals_is_request("00112233445566778899aabbccddeef.json"));
	cr_assert(!arrivals_is_request("00112233445566778899AABBCCDDEEFF.json"));
	cr_assert(!arrivals_is_request("00112233445566778899aabbccddeeff.json\n"));
	cr_assert(!arrivals_is_request("00112233445566778899aabbccddeeff"));
}

Test(arrivals, by_time_then_by_name_over_both_channels)
{
	struct arrivals *a = arrivals_new();

	add(a, CHANNEL_MCP, 9, 20);
	add(a, CHANNEL_ORCHESTRATOR, 1, 30);
	add(a, CHANNEL_MCP, 3, 10);
	add(a, CHANNEL_MCP, 2, 10);
	arrivals_sort(a);
	cr_assert_eq(arrivals_count(a), 4);
	cr_assert_eq(arrivals_at(a, 0)->name[31], '2');
	cr_assert_eq(arrivals_at(a, 1)->name[31], '3');
	cr_assert_eq(arrivals_at(a, 2)->name[31], '9');
	cr_assert_eq(arrivals_at(a, 3)->channel, CHANNEL_ORCHESTRATOR);
	cr_assert(!arrivals_is_full(a));
	arrivals_free(a);
}

/* A flood on one channel: the oldest of it are kept, and the other channel's one request too. */
Test(arrivals, a_flood_keeps_the_oldest_and_starves_nobody)
{
	struct arrivals *a = arrivals_new();

	for (unsigned i = 0; i < 20000; i++)
		add(a, CHANNEL_MCP, i, (i * 7919) % 20000);
	add(a, CHANNEL_ORCHESTRATOR, 1, 50000);
	arrivals_sort(a);
	cr_assert(arrivals_is_full(a));
	cr_assert_eq(arrivals_count(a), QUEUE_BATCH + 1);
	for (size_t i = 0; i < QUEUE_BATCH; i++)
		cr_assert_eq(arrivals_at(a, i)->changed_ns, (int64_t)i);
	cr_assert_eq(arrivals_at(a, QUEUE_BATCH)->channel, CHANNEL_ORCHESTRATOR);
	arrivals_free(a);
}

/* The second look finds what the first one missed, and leaves what came after it to the next pass.
 */
Test(arrivals, a_second_look_takes_nothing_newer)
{
	struct arrivals *a = arrivals_new();

	add(a, CHANNEL_MCP, 2, 20);
	arrivals_look_again(a);
	add(a, CHANNEL_MCP, 3, 30);
	add(a, CHANNEL_MCP, 2, 20);
	add(a, CHANNEL_MCP, 1, 10);
	arrivals_sort(a);
	cr_assert_eq(arrivals_count(a), 2);
	cr_assert_eq(arrivals_at(a, 0)->changed_ns, 10);
	cr_assert_eq(arrivals_at(a, 1)->changed_ns, 20);
	cr_assert(arrivals_is_full(a), "the rest is looked at again");
	arrivals_free(a);
}
