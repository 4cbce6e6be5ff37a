/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "base/buf.h"
#include "base/err.h"

#include <criterion/criterion.h>

Test(buf, empty_is_usable_text_and_view)
{
	auto_buf struct buf b;

	buf_init(&b, 10);
	cr_assert_str_eq(buf_text(&b), "");
	cr_assert_not_null(buf_view(&b).ptr);
	cr_assert_eq(buf_view(&b).len, 0);
	cr_assert_null(buf_steal(&b));
}

Test(buf, appends_and_stays_nul_ended)
{
	auto_buf struct buf b;

	buf_init(&b, 1000);
	cr_assert_eq(buf_puts(&b, "ab"), 0);
	cr_assert_eq(buf_putc(&b, 'c'), 0);
	cr_assert_eq(buf_put(&b, "d\0e", 3), 0);
	cr_assert_eq(buf_put_view(&b, VIEW("f")), 0);
	cr_assert_eq(buf_put_view(&b, view_of(NULL)), 0);
	cr_assert_eq(buf_printf(&b, "%d-%s", 42, "x"), 0);
	cr_assert(view_eq(buf_view(&b), VIEW("abcd\0ef42-x")));
	cr_assert_eq(b.data[b.len], 0);
}

Test(buf, exactly_the_maximum_fits_one_more_does_not)
{
	auto_buf struct buf b;

	buf_init(&b, 5);
	cr_assert_eq(buf_puts(&b, "12345"), 0);
	cr_assert_eq(buf_putc(&b, '6'), E_TOOBIG);
	cr_assert_str_eq(buf_text(&b), "12345");
	cr_assert_leq(b.cap, 6);
}

Test(buf, first_failure_sticks_until_clear)
{
	auto_buf struct buf b;

	buf_init(&b, 3);
	cr_assert_eq(buf_puts(&b, "toolong"), E_TOOBIG);
	cr_assert_eq(buf_putc(&b, 'x'), E_TOOBIG);
	cr_assert_eq(buf_printf(&b, "x"), E_TOOBIG);
	cr_assert_null(buf_reserve(&b, 1));
	cr_assert_eq(buf_fail(&b, E_UTF8), E_TOOBIG, "a later error doesn't replace the first");
	cr_assert_eq(b.len, 0);
	buf_clear(&b);
	cr_assert_eq(buf_error(&b), 0);
	cr_assert_eq(buf_puts(&b, "abc"), 0);
}

Test(buf, error_is_never_handed_out_as_text)
{
	auto_buf struct buf b;

	buf_init(&b, 4);
	buf_puts(&b, "abcd");
	buf_puts(&b, "e");
	cr_assert_null(buf_steal(&b));
	cr_assert_eq(buf_error(&b), E_TOOBIG);
}

Test(buf, printf_over_every_room_is_whole_or_absent)
{
	char big[301];

	memset(big, 'y', 300);
	big[300] = 0;
	for (size_t before = 0; before <= 130; before++) {
		auto_buf struct buf b;

		buf_init(&b, 430);
		for (size_t i = 0; i < before; i++)
			buf_putc(&b, 'x');
		cr_assert_eq(buf_printf(&b, "%s", big), 0, "before %zu", before);
		cr_assert_eq(b.len, before + 300);
		cr_assert_eq(b.data[b.len], 0);
		cr_assert_eq(b.data[b.len - 1], 'y');
		b.max = b.len + 299;
		cr_assert_eq(buf_printf(&b, "%s", big), E_TOOBIG);
		cr_assert_eq(b.len, before + 300);
		cr_assert_eq(strlen(b.data), b.len, "no trace of what didn't fit");
	}
}

Test(buf, growth_doubles_and_is_capped)
{
	auto_buf struct buf b;
	size_t grown = 0, cap = 0;

	buf_init(&b, 100000);
	for (size_t i = 0; i < 100000; i++) {
		cr_assert_eq(buf_putc(&b, (char)i), 0);
		grown += b.cap != cap;
		cap = b.cap;
	}
	cr_assert_leq(grown, 13);
	cr_assert_eq(b.cap, 100001);
	cr_assert_eq(buf_putc(&b, 'x'), E_TOOBIG);
}

Test(buf, huge_requests_do_not_wrap)
{
	const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, (size_t)PTRDIFF_MAX};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		auto_buf struct buf b;

		buf_init(&b, SIZE_MAX);
		buf_puts(&b, "abc");
		cr_assert_null(buf_reserve(&b, sizes[i]));
		cr_assert_eq(buf_error(&b), E_TOOBIG, "size %zu", sizes[i]);
		cr_assert_str_eq(buf_text(&b), "abc");
	}
}

Test(buf, reserve_then_added)
{
	auto_buf struct buf b;
	char *room;

	buf_init(&b, 200);
	room = buf_reserve(&b, 100);
	cr_assert_not_null(room);
	memset(room, 'r', 100);
	buf_added(&b, 7);
	cr_assert_str_eq(buf_text(&b), "rrrrrrr");
	cr_assert_not_null(buf_reserve(&b, 0));
	buf_added(&b, 100000);
	cr_assert_eq(buf_error(&b), E_INTERNAL);
	cr_assert_str_eq(buf_text(&b), "rrrrrrr");
}

Test(buf, drop_front)
{
	auto_buf struct buf b;

	buf_init(&b, 100);
	buf_drop_front(&b, 3);
	buf_puts(&b, "abcdef");
	buf_drop_front(&b, 2);
	cr_assert_str_eq(buf_text(&b), "cdef");
	buf_drop_front(&b, 0);
	cr_assert_str_eq(buf_text(&b), "cdef");
	buf_drop_front(&b, 99);
	cr_assert_str_eq(buf_text(&b), "");
	cr_assert_eq(b.len, 0);
}

Test(buf, trim_gives_memory_back)
{
	auto_buf struct buf b;

	buf_init(&b, 1 << 20);
	cr_assert_not_null(buf_reserve(&b, 1 << 20));
	buf_puts(&b, "kept");
	buf_trim(&b, 2);
	cr_assert_eq(b.cap, 5, "never below what it holds");
	cr_assert_str_eq(buf_text(&b), "kept");
	cr_assert_not_null(buf_reserve(&b, 1 << 19));
	buf_clear(&b);
	buf_trim(&b, 4096);
	cr_assert_eq(b.cap, 4096);
	cr_assert_str_eq(buf_text(&b), "");
	buf_trim(&b, 5000);
	cr_assert_eq(b.cap, 4096);
	buf_trim(&b, 0);
	cr_assert_eq(b.cap, 0);
	cr_assert_null(b.data);
	cr_assert_eq(buf_puts(&b, "again"), 0);
}

Test(buf, steal_hands_the_bytes_over)
{
	auto_buf struct buf b;
	auto_free char *text = NULL;

	buf_init(&b, 10);
	buf_puts(&b, "mine");
	text = buf_steal(&b);
	cr_assert_str_eq(text, "mine");
	cr_assert_eq(b.len, 0);
	cr_assert_eq(buf_puts(&b, "1234567890"), 0);
	cr_assert_eq(buf_puts(&b, "1"), E_TOOBIG, "the maximum stays");
}

Test(buf, release_may_be_repeated)
{
	struct buf b;

	buf_init(&b, 10);
	buf_puts(&b, "x");
	buf_release(&b);
	buf_release(&b);
	cr_assert_eq(b.max, 10);
	cr_assert_eq(buf_puts(&b, "y"), 0);
	buf_release(&b);
}
