/* SPDX-License-Identifier: MIT */
/* Messages between the launcher and stage 2. */
#include "base/base.h"

#include <criterion/criterion.h>

#include "launcher/wire.h"

#include <fcntl.h>
#include <sys/socket.h>

static void make_pair(int pair[2])
{
	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
}

Test(wire, a_message_and_its_descriptors)
{
	struct wire_msg m = {.type = WIRE_EXIT, .a = 7, .b = 2, .n_fds = 1}, got;
	int pair[2], fds[WIRE_MAX_FDS], null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	make_pair(pair);
	cr_assert_eq(wire_send(pair[0], &m, &null_fd), 0);
	cr_assert_eq(wire_receive(pair[1], &got, fds, NULL), 0);
	cr_assert_eq(got.type, WIRE_EXIT);
	cr_assert_eq(got.a, 7);
	cr_assert_eq(got.n_fds, 1u);
	cr_assert_geq(fcntl(fds[0], F_GETFD), 0);
	(void)close(fds[0]);
	(void)close(null_fd);
	(void)close(pair[0]);
	cr_assert_eq(wire_receive(pair[1], &got, fds, NULL), E_CLOSED);
	(void)close(pair[1]);
}

/* The kernel then reports ECONNRESET before the message that still lies there; the command's status
 * was lost whenever a signal for it came at its end. */
Test(wire, the_last_word_of_a_peer_that_left_ours_unread)
{
	struct wire_msg last = {.type = WIRE_EXIT, .a = 15}, signal = {.type = WIRE_SIGNAL}, got;
	int pair[2], fds[WIRE_MAX_FDS];

	make_pair(pair);
	cr_assert_eq(wire_send(pair[1], &signal, NULL), 0);
	cr_assert_eq(wire_send(pair[0], &last, NULL), 0);
	(void)close(pair[0]);
	cr_assert_eq(wire_receive(pair[1], &got, fds, NULL), 0);
	cr_assert_eq(got.type, WIRE_EXIT);
	cr_assert_eq(got.a, 15);
	cr_assert_eq(wire_receive(pair[1], &got, fds, NULL), E_CLOSED);
	(void)close(pair[1]);
}

Test(wire, a_short_one_is_refused)
{
	struct wire_msg got;
	int pair[2], fds[WIRE_MAX_FDS];

	make_pair(pair);
	cr_assert_eq(send(pair[0], "x", 1, MSG_NOSIGNAL), 1);
	cr_assert_eq(wire_receive(pair[1], &got, fds, NULL), E_SYNTAX);
	(void)close(pair[0]);
	(void)close(pair[1]);
}
