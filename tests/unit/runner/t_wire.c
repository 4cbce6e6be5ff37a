/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "runner/wire.h"

#include <criterion/criterion.h>
#include <sys/socket.h>

Test(wire, what_was_packed_comes_back_in_order)
{
	auto_buf struct buf b;
	struct wire_in in;

	buf_init(&b, 1000);
	wire_put_u8(&b, 200);
	wire_put_i64(&b, INT64_MIN);
	wire_put_view(&b, VIEW("text"));
	wire_put_view(&b, VIEW(""));
	in = (struct wire_in){.rest = buf_view(&b)};
	cr_assert_eq(wire_get_u8(&in), 200);
	cr_assert_eq(wire_get_i64(&in), INT64_MIN);
	cr_assert(view_is(wire_get_view(&in, 4), "text"));
	cr_assert(view_is(wire_get_view(&in, 4), ""));
	cr_assert(wire_end(&in));
	cr_assert_eq(wire_get_u8(&in), 0);
	cr_assert(!wire_end(&in));
}

Test(wire, a_length_over_the_limit_or_the_message_is_a_fault)
{
	auto_buf struct buf b;
	struct wire_in in;

	buf_init(&b, 1000);
	wire_put_view(&b, VIEW("text"));
	in = (struct wire_in){.rest = buf_view(&b)};
	(void)wire_get_view(&in, 3);
	cr_assert(in.bad);
	in = (struct wire_in){.rest = VIEW("\xff\xff\xff\xffx")};
	(void)wire_get_view(&in, SIZE_MAX);
	cr_assert(in.bad);
}

Test(wire, messages_are_whole_and_bounded)
{
	auto_buf struct buf b;
	int pair[2];

	buf_init(&b, 1000);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	cr_assert_eq(wire_send(pair[0], VIEW("")), 0);
	cr_assert_eq(wire_send(pair[0], VIEW("one")), 0);
	cr_assert_eq(wire_send(pair[0], VIEW("too long")), 0);
	cr_assert_eq(wire_receive(pair[1], &b, 5), 0);
	cr_assert_eq(b.len, 0);
	cr_assert_eq(wire_receive(pair[1], &b, 5), 0);
	cr_assert_str_eq(buf_text(&b), "one");
	cr_assert_eq(wire_receive(pair[1], &b, 5), E_TOOBIG);
	(void)close(pair[0]);
	cr_assert_eq(wire_send(pair[1], VIEW("x")), E_CLOSED);
	(void)close(pair[1]);
}

Test(wire, a_peer_that_ends_in_mid_message_is_closed)
{
	auto_buf struct buf b;
	int pair[2];

	buf_init(&b, 1000);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	cr_assert_eq(write(pair[0], "\x05\x00\x00\x00xy", 6), 6);
	(void)close(pair[0]);
	cr_assert_eq(wire_receive(pair[1], &b, 100), E_CLOSED);
	(void)close(pair[1]);
}
