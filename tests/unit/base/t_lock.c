/* SPDX-License-Identifier: MIT */
/* Lock files: the kernel's lock on one inode. */
#include "base/base.h"

#include "base/clock.h"
#include "base/lock.h"
#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

static void build(void)
{
	(void)make_scratch();
	cr_assert_eq(fchmod(scratch_fd(), 0777), 0);
}

TestSuite(lock, .init = build, .fini = remove_scratch);

static bool held(const char *name)
{
	bool is = false;

	cr_assert_eq(lock_probe(scratch_fd(), name, &is, NULL), 0);
	return is;
}

Test(lock, is_held_until_closed)
{
	struct stat st;
	int fd = -1, second = -7, before = count_fds();

	(void)umask(0);
	cr_expect_not(held("l"));
	cr_assert_eq(lock_take(scratch_fd(), "l", &fd, NULL), 0);
	cr_expect_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	cr_expect_eq(fstat(fd, &st), 0);
	cr_expect_eq(st.st_mode & 07777, 0600);
	cr_expect(held("l"));
	cr_expect_eq(lock_take(scratch_fd(), "l", &second, NULL), E_BUSY);
	cr_expect_eq(second, -7);
	(void)close(fd);
	cr_expect_not(held("l"));
	cr_expect_eq(lock_take(scratch_fd(), "l", &fd, NULL), 0);
	(void)close(fd);
	cr_expect_eq(count_fds(), before);
	cr_expect_eq(count_entries("."), 1, "the file stays");
}

/* A process that takes the lock, says so, and holds it until it is killed. */
static pid_t start_holder(const char *name)
{
	int ends[2];
	char byte;
	pid_t pid;

	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	pid = fork_child();
	if (pid == 0) {
		int fd = -1;

		CHECK(lock_take(scratch_fd(), name, &fd, NULL) == 0);
		CHECK(write(ends[1], "", 1) == 1);
		for (;;)
			(void)pause();
	}
	(void)close(ends[1]);
	cr_assert_eq(read(ends[0], &byte, 1), 1);
	(void)close(ends[0]);
	return pid;
}

Test(lock, of_another_process_goes_with_it)
{
	int fd = -1;
	struct errctx e = {0};
	pid_t holder = start_holder("l");

	cr_expect(held("l"));
	cr_expect_eq(lock_take(scratch_fd(), "l", &fd, &e), E_BUSY);
	cr_expect_eq(e.code, E_BUSY);
	cr_expect_eq(lock_wait(scratch_fd(), "l", 30, &fd, &e), E_TIMEOUT);
	kill_child(holder);
	cr_expect_not(held("l"));
	cr_expect_eq(lock_take(scratch_fd(), "l", &fd, NULL), 0);
	(void)close(fd);
}

Test(lock, content_decides_nothing)
{
	int fd = -1;

	put_file("l", "1\n", 0600); /* "process 1 holds it" */
	cr_expect_not(held("l"));
	cr_expect_eq(lock_take(scratch_fd(), "l", &fd, NULL), 0);
	(void)close(fd);
	cr_expect(has_file("l", "1\n"));
}

static void end_soon(pid_t holder)
{
	struct timespec t = {0, 50000000};

	if (fork_child() == 0) {
		(void)nanosleep(&t, NULL);
		CHECK(holder > 1 && kill(holder, SIGKILL) == 0);
		_exit(0);
	}
}

static void on_signal(int number)
{
	(void)number;
}

Test(lock, waits_for_the_holder_over_interrupts)
{
	struct sigaction action = {.sa_handler = on_signal};
	pid_t holder = start_holder("l");
	int fd = -1;

	(void)sigaction(SIGCHLD, &action, NULL);
	end_soon(holder);
	cr_expect_eq(lock_wait(scratch_fd(), "l", 10000, &fd, NULL), 0);
	(void)close(fd);
	cr_expect_eq(lock_wait(scratch_fd(), "l", 0, &fd, NULL), 0);
	(void)close(fd);
	while (wait(NULL) > 0)
		;
}

Test(lock, takes_only_regular_files)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	static const struct {
		const char *name;
		int code;
	} odd[] = {{"link", E_LINK},
		   {"dangling", E_LINK},
		   {"fifo", E_NOTREG},
		   {"folder", E_NOTREG},
		   {"socket", E_NOTREG}};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool is = true;

	put_file("real", "", 0600);
	put_link("real", "link");
	put_link("nowhere", "dangling");
	put_dir("folder", 0700);
	cr_assert_eq(mkfifoat(scratch_fd(), "fifo", 0600), 0);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", scratch_path());
	cr_assert_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	(void)close(fd);
	fd = -7;
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		struct errctx e = {0};

		cr_expect_eq(lock_take(scratch_fd(), odd[i].name, &fd, &e), odd[i].code, "%s: %s",
			     odd[i].name, e.text);
		cr_expect_eq(lock_probe(scratch_fd(), odd[i].name, &is, &e), odd[i].code, "%s: %s",
			     odd[i].name, e.text);
	}
	cr_expect_eq(fd, -7);
	cr_expect(is);
	cr_expect_eq(faccessat(scratch_fd(), "nowhere", F_OK, 0), -1);
}

/* A file put in place of the locked one is another lock: what counts is what the name leads to. */
Test(lock, a_replaced_file_is_another_lock)
{
	int first = -1, second = -1;

	cr_assert_eq(lock_take(scratch_fd(), "l", &first, NULL), 0);
	cr_assert_eq(renameat(scratch_fd(), "l", scratch_fd(), "old"), 0);
	cr_expect_eq(lock_take(scratch_fd(), "l", &second, NULL), 0);
	cr_expect(held("old"));
	cr_expect(held("l"));
	(void)close(first);
	(void)close(second);
}

/* While one process replaces the file again and again, two takers never hold "the" lock, that of
 * the file to which the name leads, at one time. */
static void replace_often(void)
{
	for (int i = 0; i < 3000; i++) {
		int fd = openat(scratch_fd(), "new", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		(void)close(fd);
		(void)renameat(scratch_fd(), "new", scratch_fd(), "l");
	}
}

static void take_often(void *arg)
{
	(void)arg;
	for (int i = 0; i < 1000; i++) {
		struct stat ours, there;
		int fd = -1, code = lock_take(scratch_fd(), "l", &fd, NULL);

		CHECK(code == 0 || code == E_BUSY || code == E_CHANGED);
		if (code == 0) {
			CHECK(fstat(fd, &ours) == 0 && ours.st_ino != 0);
			(void)fstatat(scratch_fd(), "l", &there, 0);
			(void)close(fd);
		}
	}
}

Test(lock, survives_a_file_that_is_replaced_all_the_time)
{
	pid_t replacer = fork_child();

	if (replacer == 0) {
		replace_often();
		_exit(0);
	}
	cr_expect(in_child(take_often, NULL));
	cr_assert_eq(waitpid(replacer, NULL, 0), replacer);
}

/* Probes must not make a taker fail. */
static void probe_often(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2000; i++) {
		bool is;

		CHECK(lock_probe(scratch_fd(), "l", &is, NULL) == 0);
	}
}

Test(lock, probes_do_not_get_in_the_way)
{
	pid_t prober;
	int fd = -1, taken = 0;

	put_file("l", "", 0600);
	prober = fork_child();
	if (prober == 0) {
		probe_often(NULL);
		_exit(0);
	}
	for (int i = 0; i < 500; i++)
		if (lock_take(scratch_fd(), "l", &fd, NULL) == 0) {
			taken++;
			(void)close(fd);
		}
	cr_expect_eq(taken, 500);
	cr_assert_eq(waitpid(prober, NULL, 0), prober);
}

/* A probe that is stopped while it shares the lock, for far longer than a probe takes. */
Test(lock, a_held_up_probe_is_no_holder)
{
	int probe, fd = -1;
	pid_t pid;

	put_file("l", "", 0600);
	probe = openat(scratch_fd(), "l", O_RDONLY | O_CLOEXEC);
	cr_assert_eq(flock(probe, LOCK_SH | LOCK_NB), 0);
	pid = fork_child();
	if (pid == 0) {
		struct timespec t = {0, 100000000};

		(void)nanosleep(&t, NULL);
		_exit(0); /* the last to have the description open: the lock goes */
	}
	(void)close(probe);
	cr_expect_eq(lock_take(scratch_fd(), "l", &fd, NULL), 0);
	(void)close(fd);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
}

/* One that never lets go must not keep a runner from saying so. */
Test(lock, a_shared_lock_for_good_is_busy_in_the_end)
{
	struct errctx e = {0};
	int probe, fd = -1;

	put_file("l", "", 0600);
	probe = openat(scratch_fd(), "l", O_RDONLY | O_CLOEXEC);
	cr_assert_eq(flock(probe, LOCK_SH | LOCK_NB), 0);
	cr_expect_eq(lock_take(scratch_fd(), "l", &fd, &e), E_BUSY);
	cr_expect_eq(e.code, E_BUSY);
	(void)close(probe);
	cr_expect_eq(lock_take(scratch_fd(), "l", &fd, NULL), 0);
	(void)close(fd);
}

static struct {
	long nr;
	int number;
} failing;

static void failing_call(void *arg)
{
	struct errctx e = {0};
	bool is;
	int fd = -7;

	(void)arg;
	deny_syscall(failing.nr, failing.number);
	CHECK(lock_take(scratch_fd(), "l", &fd, &e) < 0 && e.code < 0 && fd == -7);
	CHECK(lock_wait(scratch_fd(), "l", 20, &fd, &e) < 0 && e.code < 0 && fd == -7);
	if (failing.nr == SYS_openat && failing.number == ENOENT)
		CHECK(lock_probe(scratch_fd(), "l", &is, &e) == 0 && !is);
	else if (failing.nr == SYS_flock && failing.number == EAGAIN)
		CHECK(lock_probe(scratch_fd(), "l", &is, &e) == 0 && is);
	else
		CHECK(lock_probe(scratch_fd(), "l", &is, &e) < 0);
}

Test(lock, each_call_fails_with_each_number)
{
	static const long calls[] = {SYS_openat, SYS_flock, SYS_newfstatat};
	static const int numbers[] = {EIO,    ENOSPC, EROFS,  EACCES, EPERM, EINTR,  EAGAIN,
				      ENOMEM, EBADF,  ENOLCK, EMFILE, ELOOP, ENOENT, ENXIO};

	put_file("l", "", 0600);
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		for (size_t k = 0; k < ARRAY_LEN(numbers); k++) {
			failing.nr = calls[i];
			failing.number = numbers[k];
			cr_expect(in_child(failing_call, NULL), "call %ld errno %d", calls[i],
				  numbers[k]);
		}
}

static void no_permission(void *arg)
{
	struct errctx e = {0};
	bool is;
	int fd = -1;

	(void)arg;
	CHECK(lock_take(scratch_fd(), "root", &fd, &e) == E_SYS && e.sys_errno == EACCES);
	CHECK(lock_probe(scratch_fd(), "root", &is, &e) == E_SYS && e.sys_errno == EACCES);
}

Test(lock, of_somebody_else_as_ordinary_user)
{
	put_file("root", "", 0000);
	cr_expect(in_child_as_user(no_permission, NULL));
}
