/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "base/err.h"
#include "base/hex.h"

#include <criterion/criterion.h>

Test(hex, round_trip_of_every_byte)
{
	uint8_t all[256], back[256];
	char text[513];

	for (size_t i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	hex_encode(text, all, sizeof(all));
	cr_assert_eq(strlen(text), 512);
	cr_assert_eq(strncmp(text, "000102", 6), 0);
	cr_assert_str_eq(text + 506, "fdfeff");
	cr_assert_eq(hex_decode(view_of(text), back, sizeof(back)), 0);
	cr_assert_eq(memcmp(all, back, sizeof(all)), 0);
}

Test(hex, nothing_is_nothing)
{
	char text[1] = {'x'};

	hex_encode(text, "", 0);
	cr_assert_str_eq(text, "");
	cr_assert(hex_is_lower(VIEW(""), 0));
	cr_assert_eq(hex_decode(VIEW(""), text, 0), 0);
}

Test(hex, only_lower_case_digits_of_the_exact_length)
{
	for (int c = 0; c < 256; c++) {
		char two[2] = {'a', (char)c};
		bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');

		cr_assert_eq(hex_is_lower((struct view){two, 2}, 2), good, "byte %d", c);
	}
	cr_assert_not(hex_is_lower(VIEW("abc"), 2));
	cr_assert_not(hex_is_lower(VIEW("a"), 2));
	cr_assert_not(hex_is_lower(VIEW("ab\n"), 2));
	cr_assert_not(hex_is_lower(VIEW("ab\0"), 2));
}

Test(hex, refusal_leaves_the_output_alone)
{
	uint8_t out[2] = {7, 7};

	cr_assert_eq(hex_decode(VIEW("00fG"), out, 2), E_SYNTAX);
	cr_assert_eq(hex_decode(VIEW("00FF"), out, 2), E_SYNTAX);
	cr_assert_eq(hex_decode(VIEW("00f"), out, 2), E_SYNTAX);
	cr_assert_eq(hex_decode(VIEW("00ff0"), out, 2), E_SYNTAX);
	cr_assert_eq(hex_decode(VIEW("00ff"), out, SIZE_MAX / 2 + 3), E_SYNTAX);
	cr_assert_eq(out[0], 7);
	cr_assert_eq(out[1], 7);
}
