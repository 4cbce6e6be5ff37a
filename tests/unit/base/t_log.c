/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "base/limits.h"
#include "base/log.h"
#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Runs fn in a child with standard error as a packet pipe: one read is one write. */
static int packets[2];

static void to_packets(void (*fn)(void))
{
	CHECK(dup2(packets[1], 2) == 2);
	fn();
}

static void child(void *fn)
{
	to_packets((void (*)(void))fn);
}

static size_t line_of(void (*fn)(void), char *line, size_t size)
{
	ssize_t n;

	cr_assert_eq(pipe2(packets, O_DIRECT | O_CLOEXEC), 0);
	cr_assert(in_child(child, (void *)fn));
	(void)close(packets[1]);
	n = read(packets[0], line, size - 1);
	cr_assert_geq(n, 0);
	line[n] = 0;
	return (size_t)n;
}

static size_t second_line(char *line, size_t size)
{
	ssize_t n = read(packets[0], line, size - 1);

	cr_assert_geq(n, 0);
	line[n] = 0;
	(void)close(packets[0]);
	return (size_t)n;
}

static void speak(void)
{
	log_init("prog", LOG_WARN_LEVEL);
	log_info("not %s", "this");
	log_debug("nor this");
	log_error("it %s: %d", "broke", 7);
	log_warn("careful");
}

Test(log, one_write_a_line_down_to_the_level)
{
	char line[4200];

	(void)line_of(speak, line, sizeof(line));
	cr_expect_str_eq(line, "prog: error: it broke: 7\n");
	(void)second_line(line, sizeof(line));
	cr_expect_str_eq(line, "prog: warning: careful\n");
}

static void speak_evil(void)
{
	log_init("pr\x1bog", LOG_DEBUG_LEVEL);
	log_debug("%s", "a\nb\r\t\x7f\xe2\x80\xae\x1b[2K");
}

Test(log, whatever_the_arguments_hold_it_is_printable)
{
	char line[4200];

	(void)line_of(speak_evil, line, sizeof(line));
	cr_expect_str_eq(line, "pr\\x1bog: debug: a\\x0ab\\x0d\\x09\\x7f\\xe2\\x80\\xae\\x1b[2K\n");
}

static void speak_long(void)
{
	static char big[20000];

	memset(big, 'x', sizeof(big) - 1);
	log_error("%s", big);
	memset(big, '\n', sizeof(big) - 1);
	log_error("%s", big);
}

Test(log, long_lines_are_cut_and_marked)
{
	char line[8000];
	size_t n = line_of(speak_long, line, sizeof(line));

	cr_expect_leq(n, MAX_LOG_LINE_BYTES);
	cr_expect_geq(n, MAX_LOG_LINE_BYTES - 8);
	cr_expect_eq(memcmp(line + n - 4, "...\n", 4), 0);
	n = second_line(line, sizeof(line));
	cr_expect_leq(n, MAX_LOG_LINE_BYTES);
	cr_expect_geq(n, MAX_LOG_LINE_BYTES - 8);
	cr_expect_eq(memcmp(line + n - 4, "...\n", 4), 0);
	cr_expect_eq(strchr(line, '\n'), line + n - 1);
}

static void never_fails(void *arg)
{
	sigset_t pending;

	(void)arg;
	CHECK(pipe2(packets, O_CLOEXEC) == 0);
	errno = 77;
	(void)close(2);
	log_error("closed");
	CHECK(errno == 77);
	/* A reader that has gone: no SIGPIPE, neither now nor later. */
	(void)close(packets[0]);
	CHECK(dup2(packets[1], 2) == 2);
	CHECK(signal(SIGPIPE, SIG_DFL) != SIG_ERR);
	log_error("nobody reads");
	CHECK(errno == 77);
	CHECK(sigpending(&pending) == 0 && !sigismember(&pending, SIGPIPE));
	log_error("nobody reads");
}

static void still_pending(void *arg)
{
	sigset_t pipe_only, pending;

	(void)arg;
	CHECK(pipe2(packets, O_CLOEXEC) == 0);
	(void)close(packets[0]);
	CHECK(dup2(packets[1], 2) == 2);
	CHECK(sigemptyset(&pipe_only) == 0 && sigaddset(&pipe_only, SIGPIPE) == 0);
	CHECK(sigprocmask(SIG_BLOCK, &pipe_only, NULL) == 0);
	CHECK(raise(SIGPIPE) == 0);
	log_error("nobody reads");
	CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE));
}

Test(log, never_fails)
{
	cr_expect(in_child(never_fails, NULL));
}

Test(log, a_signal_that_was_there_before_stays)
{
	cr_expect(in_child(still_pending, NULL));
}

static void full_pipe(void *arg)
{
	char byte[4096] = {0};

	(void)arg;
	CHECK(pipe2(packets, O_NONBLOCK) == 0);
	while (write(packets[1], byte, sizeof(byte)) > 0)
		;
	CHECK(dup2(packets[1], 2) == 2);
	log_error("no room: dropped, not waited for");
	deny_syscall(SYS_write, EINTR);
	log_error("interrupted for ever");
}

Test(log, never_waits_for_ever)
{
	cr_expect(in_child(full_pipe, NULL));
}

static void speak_json(void)
{
	static char big[20000];

	log_init("prog", LOG_WARN_LEVEL);
	log_as_json();
	log_warn("say \"a\\b\"\n\xff");
	memset(big, '"', sizeof(big) - 1);
	log_error("%s", big);
}

/* The clock is the only thing that isn't known: "{"time":"YYYY-MM-DDTHH:MM:SS+00:00",...". */
Test(log, as_json_each_line_is_one_object)
{
	static const char head[] = "{\"time\":\"2",
			  rest[] = "\",\"event\":\"warning\",\"text\":\"say "
				   "\\\"a\\\\b\\\"\\\\x0a\\\\xff\"}\n";
	char line[8000];
	size_t n = line_of(speak_json, line, sizeof(line));

	cr_assert_eq(n, sizeof("{\"time\":\"") - 1 + 25 + sizeof(rest) - 1, "%s", line);
	cr_expect_eq(memcmp(line, head, sizeof(head) - 1), 0, "%s", line);
	cr_expect_str_eq(line + n - (sizeof(rest) - 1), rest);
	n = second_line(line, sizeof(line));
	cr_expect_leq(n, MAX_LOG_LINE_BYTES);
	cr_expect_geq(n, MAX_LOG_LINE_BYTES - 8);
	/* Cut between escapes, not in one. */
	cr_expect_eq(memcmp(line + n - 8, "\\\"...\"}\n", 8), 0, "%s", line + n - 8);
}

static void speak_with_priority(void)
{
	log_init("prog", LOG_INFO_LEVEL);
	log_with_priority();
	log_error("it broke");
	log_object(VIEW("{\"event\":\"request\"}"));
}

Test(log, with_priority_as_the_system_log_wants_it)
{
	char line[8000];

	(void)line_of(speak_with_priority, line, sizeof(line));
	cr_expect_str_eq(line, "<27>prog: error: it broke\n");
	(void)second_line(line, sizeof(line));
	cr_expect_str_eq(line, "<30>{\"event\":\"request\"}\n");
}
