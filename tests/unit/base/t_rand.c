/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "base/clock.h"
#include "base/hex.h"
#include "base/rand.h"
#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

Test(rand, bytes_fill_exactly_what_is_asked)
{
	uint8_t big[4096 + 2], or_all = 0;

	memset(big, 0, sizeof(big));
	rand_bytes(big + 1, 0);
	cr_expect_eq(big[1], 0);
	rand_bytes(big + 1, 4096);
	cr_expect_eq(big[0], 0);
	cr_expect_eq(big[4097], 0);
	for (size_t i = 1; i <= 4096; i++)
		or_all |= big[i];
	cr_expect_eq(or_all, 0xff);
}

Test(rand, tokens_are_hex_and_differ)
{
	char a[ID_HEX + 1], b[ID_HEX + 1];

	rand_token(a);
	rand_token(b);
	cr_expect_eq(strlen(a), 32);
	cr_expect(hex_is_lower(view_of(a), 32));
	cr_expect_str_neq(a, b);
}

static int64_t now_ns;
static int64_t fixed_wall(void)
{
	return now_ns;
}

Test(rand, ids_sort_by_time_across_milliseconds)
{
	struct clock_source source = {NULL, fixed_wall};
	char before[ID_HEX + 1] = "", id[ID_HEX + 1];

	clock_set_source(&source);
	now_ns = 1700000000000000000;
	for (int i = 0; i < 2000; i++, now_ns += 1000000) {
		rand_id(id);
		cr_assert(hex_is_lower(view_of(id), 32));
		cr_assert_lt(strcmp(before, id), 0);
		memcpy(before, id, sizeof(id));
	}
	clock_set_source(NULL);
}

Test(rand, id_holds_48_bits_of_milliseconds)
{
	struct clock_source source = {NULL, fixed_wall};
	char id[ID_HEX + 1], again[ID_HEX + 1];

	clock_set_source(&source);
	now_ns = 0x123456789abLL * 1000000 + 999999;
	rand_id(id);
	rand_id(again);
	cr_expect_eq(strncmp(id, "0123456789ab", 12), 0, "%s", id);
	cr_expect_str_neq(id, again);
	clock_set_source(NULL);
}

static void no_randomness(void *arg)
{
	char id[ID_HEX + 1];
	struct rlimit none = {0, 0};

	(void)setrlimit(RLIMIT_CORE, &none);
	deny_syscall(SYS_getrandom, *(int *)arg);
	rand_token(id);
}

Test(rand, the_process_ends_without_randomness)
{
	int numbers[] = {ENOSYS, EPERM, EIO};

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		cr_expect_not(in_child(no_randomness, &numbers[i]));
}
