/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "base/base64.h"
#include "base/err.h"

#include <criterion/criterion.h>

/* RFC 4648, section 10. */
Test(base64, vectors)
{
	static const struct {
		const char *plain, *coded;
	} rows[] = {
		{"", ""},
		{"f", "Zg=="},
		{"fo", "Zm8="},
		{"foo", "Zm9v"},
		{"foob", "Zm9vYg=="},
		{"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"},
		{"\xfb\xff\xfe", "+//+"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_buf struct buf b;

		buf_init(&b, 100);
		cr_assert_eq(base64_put(&b, view_of(rows[i].plain)), 0);
		cr_assert_str_eq(buf_text(&b), rows[i].coded);
	}
}

Test(base64, appends)
{
	auto_buf struct buf b;

	buf_init(&b, 100);
	buf_puts(&b, "<");
	cr_assert_eq(base64_put(&b, VIEW("a\0b")), 0);
	cr_assert_eq(base64_put(&b, view_of(NULL)), 0);
	buf_puts(&b, ">");
	cr_assert_str_eq(buf_text(&b), "<YQBi>");
}

Test(base64, too_big_is_an_error_not_an_end)
{
	auto_buf struct buf b;

	buf_init(&b, 8);
	cr_assert_eq(base64_put(&b, VIEW("123456")), 0);
	cr_assert_eq(base64_put(&b, VIEW("1")), E_TOOBIG);
	cr_assert_eq(base64_put(&b, VIEW("")), E_TOOBIG, "sticky");
	buf_clear(&b);
	/* The size decides before a byte is read. */
	cr_assert_eq(base64_put(&b, (struct view){"x", SIZE_MAX}), E_TOOBIG);
	cr_assert_str_eq(buf_text(&b), "");
}
