/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "base/hugeheap.h"
#include "base/io.h"
#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>

static int ends[2];

static void on_signal(int number)
{
	(void)number;
}

/* Signals without SA_RESTART, every 200 microseconds. */
static void interrupt_often(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	struct itimerval often = {{0, 200}, {0, 200}};

	CHECK(sigaction(SIGALRM, &action, NULL) == 0);
	CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
}

enum { BIG = 1 << 20 };

static void write_big(void *arg)
{
	static char big[BIG];

	(void)arg;
	for (size_t i = 0; i < BIG; i++)
		big[i] = (char)(i * 7 + i / 256);
	interrupt_often();
	CHECK(io_write_all(ends[1], big, BIG) == 0);
}

static void *read_slowly(void *arg)
{
	struct buf *b = arg;
	struct timespec pause = {0, 300000};

	for (;;) {
		char *room = buf_reserve(b, 5000);
		ssize_t n = room ? read(ends[0], room, 5000) : -1;

		if (n <= 0)
			return n == 0 ? b : NULL;
		buf_added(b, (size_t)n);
		(void)nanosleep(&pause, NULL);
	}
}

Test(io, write_survives_short_counts_and_interrupts)
{
	struct buf b;
	pthread_t reader;
	void *got = NULL;

	buf_init(&b, BIG + 5000);
	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	cr_assert_eq(pthread_create(&reader, NULL, read_slowly, &b), 0);
	cr_assert(in_child(write_big, NULL));
	(void)close(ends[1]);
	cr_assert_eq(pthread_join(reader, &got), 0);
	cr_assert_eq(b.len, BIG);
	for (size_t i = 0; i < BIG; i++)
		cr_assert_eq(b.data[i], (char)(i * 7 + i / 256));
	buf_release(&b);
}

static void write_to_nobody(void *arg)
{
	(void)arg;
	CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
	CHECK(io_write_all(ends[1], "x", 1) == E_CLOSED);
	CHECK(errno == EPIPE);
	CHECK(io_write_all(ends[1], "x", 0) == 0);
	CHECK(io_write_all(999, "x", 1) == E_SYS);
	CHECK(errno == EBADF);
}

Test(io, write_says_that_the_reader_is_gone)
{
	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	(void)close(ends[0]);
	cr_assert(in_child(write_to_nobody, NULL));
}

static int make_memory(const char *text)
{
	int fd = memfd_create("t", MFD_CLOEXEC);

	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

Test(io, read_takes_all_up_to_the_maximum)
{
	auto_fd int fd = make_memory("0123456789");
	auto_buf struct buf b = {0};

	buf_init(&b, 100);
	cr_expect_eq(io_read_all(fd, &b, 10), 0);
	cr_expect_str_eq(buf_text(&b), "0123456789");
	cr_expect_eq(io_read_all(fd, &b, 10), 0);
	cr_expect_eq(b.len, 10, "nothing more");
	buf_clear(&b);
	cr_expect_eq(lseek(fd, 0, SEEK_SET), 0);
	cr_expect_eq(io_read_all(fd, &b, 9), E_TOOBIG);
	cr_expect_str_eq(buf_text(&b), "012345678");
	buf_clear(&b);
	cr_expect_eq(lseek(fd, 0, SEEK_SET), 0);
	cr_expect_eq(io_read_all(fd, &b, 0), E_TOOBIG);
	cr_expect_eq(b.len, 0);
	cr_expect_eq(lseek(fd, 0, SEEK_END), 10);
	cr_expect_eq(io_read_all(fd, &b, 0), 0);
}

Test(io, read_appends)
{
	auto_fd int fd = make_memory("world");
	auto_buf struct buf b = {0};

	buf_init(&b, 100);
	cr_assert_eq(buf_puts(&b, "hello "), 0);
	cr_expect_eq(io_read_all(fd, &b, 5), 0);
	cr_expect_str_eq(buf_text(&b), "hello world");
}

Test(io, read_stops_at_the_buffer_maximum_too)
{
	auto_fd int fd = make_memory("0123456789");
	auto_buf struct buf b = {0};

	buf_init(&b, 4);
	cr_expect_eq(io_read_all(fd, &b, 100), E_TOOBIG);
	cr_expect_str_eq(buf_text(&b), "0123");
	buf_init(&b, 10);
}

Test(io, read_of_exactly_the_buffer_maximum_is_whole)
{
	auto_fd int fd = make_memory("0123");
	auto_buf struct buf b = {0};

	buf_init(&b, 4);
	cr_expect_eq(io_read_all(fd, &b, 100), 0);
	cr_expect_str_eq(buf_text(&b), "0123");
}

Test(io, read_errors_are_told)
{
	auto_buf struct buf b = {0};
	auto_fd int dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	buf_init(&b, 100);
	cr_expect_eq(io_read_all(dir, &b, 10), E_SYS);
	cr_expect_eq(errno, EISDIR);
	cr_expect_eq(io_read_all(999, &b, 10), E_SYS);
	cr_expect_eq(errno, EBADF);
}

static void storms(void *arg)
{
	struct buf b;

	(void)arg;
	buf_init(&b, 100);
	deny_syscall(SYS_read, EINTR);
	CHECK(io_read_all(0, &b, 10) == E_SYS);
	CHECK(errno == EINTR);
	deny_syscall(SYS_write, EINTR);
	CHECK(io_write_all(1, "x", 1) == E_SYS);
	_exit(errno == EINTR ? 0 : 2);
}

Test(io, endless_interrupts_end)
{
	cr_expect(in_child(storms, NULL));
}

Test(io, nonblock_goes_on_and_off)
{
	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(io_set_nonblock(ends[0], true), 0);
		cr_expect(fcntl(ends[0], F_GETFL) & O_NONBLOCK);
	}
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(io_set_nonblock(ends[0], false), 0);
		cr_expect_not(fcntl(ends[0], F_GETFL) & O_NONBLOCK);
	}
	cr_expect_eq(io_set_nonblock(999, true), E_SYS);
}

static bool is_null(int fd)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat("/dev/null", &b) == 0 && a.st_rdev == b.st_rdev &&
	       (fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0;
}

static void guard(void *closed)
{
	unsigned mask = *(unsigned *)closed;
	struct stat before[3], after;

	for (int fd = 0; fd < 3; fd++)
		CHECK(fstat(fd, &before[fd]) == 0);
	for (int fd = 0; fd < 3; fd++)
		if (mask & (1U << fd))
			(void)close(fd);
	CHECK(io_guard_std_fds() == 0);
	for (int fd = 0; fd < 3; fd++) {
		CHECK(fstat(fd, &after) == 0);
		if (mask & (1U << fd))
			CHECK(is_null(fd));
		else
			CHECK(after.st_ino == before[fd].st_ino &&
			      after.st_dev == before[fd].st_dev);
	}
}

Test(io, guard_fills_exactly_the_closed_standard_descriptors)
{
	for (unsigned mask = 0; mask < 8; mask++)
		cr_expect(in_child(guard, &mask), "closed: %u", mask);
}

static void guard_without_null(void *arg)
{
	(void)arg;
	(void)close(0);
	deny_syscall(SYS_openat, ENOENT);
	CHECK(io_guard_std_fds() == E_SYS);
}

Test(io, guard_fails_without_dev_null)
{
	cr_expect(in_child(guard_without_null, NULL));
}

static const int kept[] = {200, 7, 50, 3, 51};

static void close_others(void *number)
{
	int nr = *(int *)number, null_fd = open("/dev/null", O_RDWR);
	struct rlimit files = {1024, 1024};

	CHECK(setrlimit(RLIMIT_NOFILE, &files) == 0);
	for (int fd = 3; fd < 300; fd++)
		if (fd != null_fd && (fd < 100 || fd > 150))
			CHECK(dup2(null_fd, fd) == fd);
	CHECK(dup2(null_fd, 1023) == 1023);
	if (nr != 0)
		deny_syscall(SYS_close_range, nr);
	if (nr == EPERM) /* no list either: number by number */
		deny_syscall(SYS_getdents64, EPERM);
	io_close_others(kept, ARRAY_LEN(kept));
	for (int fd = 0; fd < 1024; fd++) {
		bool keep = fd < 3;

		for (size_t i = 0; i < ARRAY_LEN(kept); i++)
			keep |= kept[i] == fd;
		CHECK((fcntl(fd, F_GETFD) >= 0) == keep);
	}
}

static void close_all(void *arg)
{
	(void)arg;
	io_close_others(NULL, 0);
	for (int fd = 3; fd < 1024; fd++)
		CHECK(fcntl(fd, F_GETFD) < 0);
}

Test(io, close_others_keeps_exactly_what_it_is_told)
{
	int numbers[] = {0, ENOSYS, EPERM};

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		cr_expect(in_child(close_others, &numbers[i]), "errno %d", numbers[i]);
	cr_expect(in_child(close_all, NULL));
}

Test(hugeheap, malloc_goes_on_as_before)
{
	char *p[64];

	hugeheap_prepare((size_t)8 << 20);
	for (size_t i = 0; i < ARRAY_LEN(p); i++) {
		p[i] = malloc(200000);
		cr_assert_not_null(p[i]);
		memset(p[i], (int)i, 200000);
	}
	for (size_t i = 0; i < ARRAY_LEN(p); i++) {
		cr_assert_eq(p[i][199999], (char)i);
		free(p[i]);
	}
	hugeheap_prepare(SIZE_MAX); /* too much: nothing happens */
	free(malloc(1));
}
