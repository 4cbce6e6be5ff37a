/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "base/clock.h"
#include "base/err.h"

#include <criterion/criterion.h>
#include <string.h>

static int64_t fixed(void)
{
	return 1234567890123456789;
}

Test(clock, the_source_can_be_replaced_and_restored)
{
	struct clock_source both = {fixed, fixed}, wall = {NULL, fixed};
	int64_t before = clock_mono_ns();

	clock_set_source(&both);
	cr_expect_eq(clock_mono_ms(), 1234567890123);
	cr_expect_eq(clock_wall_s(), 1234567890);
	cr_expect_lt(clock_kernel_mono_ms(), 1234567890123, "real waits keep the kernel's clock");
	clock_set_source(&wall);
	cr_expect_geq(clock_mono_ns(), before);
	cr_expect_eq(clock_wall_s(), 1234567890);
	clock_set_source(NULL);
	cr_expect_gt(clock_wall_s(), 1234567890);
	cr_expect_geq(clock_mono_ns(), before);
}

static const struct {
	int64_t s;
	const char *text;
} times[] = {
	{0, "1970-01-01T00:00:00+00:00"},
	{-1, "1969-12-31T23:59:59+00:00"},
	{1791288000, "2026-10-06T12:00:00+00:00"},
	{951782400, "2000-02-29T00:00:00+00:00"},
	{951868799, "2000-02-29T23:59:59+00:00"},
	{951868800, "2000-03-01T00:00:00+00:00"},
	{4107542400, "2100-03-01T00:00:00+00:00"},
	{2147483648, "2038-01-19T03:14:08+00:00"},
	{-62135596800, "0001-01-01T00:00:00+00:00"},
	{253402300799, "9999-12-31T23:59:59+00:00"},
};

Test(clock, iso8601_both_ways)
{
	char text[26];
	int64_t s;

	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		s = 7;
		cr_expect_eq(clock_parse_iso8601(times[i].text, &s), 0, "%s", times[i].text);
		cr_expect_eq(s, times[i].s, "%s: %lld", times[i].text, (long long)s);
		clock_iso8601(times[i].s, text);
		cr_expect_str_eq(text, times[i].text);
	}
}

Test(clock, iso8601_round_trip_over_all_days)
{
	char text[26];
	int64_t back;

	for (int64_t s = -62135596800; s <= 253402300799; s += 86400 * 13 + 7919) {
		clock_iso8601(s, text);
		cr_assert_eq(clock_parse_iso8601(text, &back), 0, "%s", text);
		cr_assert_eq(back, s, "%s", text);
	}
}

Test(clock, iso8601_out_of_range_has_a_fixed_text_that_does_not_parse)
{
	static const int64_t far[] = {253402300800, -62167219201 - 86400LL * 366 * 2, INT64_MAX,
				      INT64_MIN};
	char text[26];
	int64_t s;

	for (size_t i = 0; i < ARRAY_LEN(far); i++) {
		clock_iso8601(far[i], text);
		cr_expect_eq(strlen(text), 25);
		cr_expect_str_eq(text, "0000-00-00T00:00:00+00:00");
		cr_expect_eq(clock_parse_iso8601(text, &s), E_SYNTAX);
	}
}

Test(clock, iso8601_parse_is_strict)
{
	static const char *const bad[] = {
		"",
		"2026-10-06",
		"2026-10-06T12:00:00",
		"2026-10-06T12:00:00Z",
		"2026-10-06T12:00:00+00:0",
		"2026-10-06T12:00:00+00:000",
		"2026-10-06T12:00:00+00:00 ",
		" 2026-10-06T12:00:00+00:00",
		"2026-10-06T12:00:00-00:00",
		"2026-10-06T12:00:00+01:00",
		"2026-10-06t12:00:00+00:00",
		"2026-10-06 12:00:00+00:00",
		"2026-1a-06T12:00:00+00:00",
		"2026-00-06T12:00:00+00:00",
		"2026-13-06T12:00:00+00:00",
		"2026-10-00T12:00:00+00:00",
		"2026-10-32T12:00:00+00:00",
		"2026-09-31T12:00:00+00:00",
		"2026-02-29T12:00:00+00:00",
		"1900-02-29T12:00:00+00:00",
		"2026-10-06T24:00:00+00:00",
		"2026-10-06T12:60:00+00:00",
		"2026-12-31T23:59:60+00:00",
		"0000-01-01T00:00:00+00:00",
		"-001-01-01T00:00:00+00:00",
		"2026-10-06T12:00:00.000+00:00",
	};
	int64_t s = 7;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_expect_eq(clock_parse_iso8601(bad[i], &s), E_SYNTAX, "\"%s\"", bad[i]);
	cr_expect_eq(s, 7);
}
