/* SPDX-License-Identifier: MIT */
/* Children get exactly what they are given, and nothing is left of those that can't start. */
#include "base/base.h"

#include "base/proc.h"

#include "base/clock.h"
#include "tests/unit/base/proctest.h"
#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

TestSuite(proc, .init = proc_setup, .fini = proc_teardown);

static void try_plain(void)
{
	struct proc_spec spec = probe_spec();
	char *argv[] = {"name", probe_report, "two words", "", "*", NULL};
	char *envp[] = {"A=1", "EMPTY=", "B=x y", NULL};
	char line[400];

	spec.argv = argv;
	spec.envp = envp;
	spec.cwd_fd = scratch_fd();
	cr_assert_eq(setenv("LEAK", "1", 1), 0);
	cr_assert_eq(run_probe(&spec, NULL), 0);
	cr_expect(reported("arg name"));
	cr_expect(reported("arg two words"));
	cr_expect(reported("arg "));
	cr_expect(reported("arg *"));
	cr_expect(reported("env A=1"));
	cr_expect(reported("env EMPTY="));
	cr_expect(reported("env B=x y"));
	cr_expect_null(strstr(read_report(), "LEAK"));
	cr_expect(reported("own group 0 session 0 deathsig 0"));
	(void)snprintf(line, sizeof(line), "cwd %s", scratch_path());
	cr_expect(reported(line));
	spec.envp = NULL;
	cr_assert_eq(run_probe(&spec, NULL), 0);
	cr_expect_null(strstr(read_report(), "env "));
}

Test(proc, arguments_environment_and_folder_are_exact)
{
	both_ways(try_plain);
}

static void try_groups(void)
{
	struct proc_spec spec = probe_spec();

	spec.new_group = true;
	cr_assert_eq(run_probe(&spec, NULL), 0);
	cr_expect(reported("own group 1 session 0 deathsig 0"));
	spec.new_session = true;
	spec.die_with_parent = true;
	cr_assert_eq(run_probe(&spec, NULL), 0);
	cr_expect(reported("own group 1 session 1 deathsig 9"));
}

Test(proc, groups_sessions_and_death_signal)
{
	both_ways(try_groups);
}

static void handler(int number)
{
	(void)number;
}

static void try_signals(void)
{
	struct proc_spec spec = probe_spec();
	sigset_t some, before, after;

	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGRTMAX, SIG_IGN);
	(void)signal(SIGUSR1, handler);
	(void)sigemptyset(&some);
	(void)sigaddset(&some, SIGTERM);
	(void)sigaddset(&some, SIGRTMIN);
	(void)sigprocmask(SIG_SETMASK, &some, &before);
	cr_assert_eq(run_probe(&spec, NULL), 0);
	(void)sigprocmask(SIG_SETMASK, &before, &after);
	cr_expect_eq(memcmp(&some, &after, 8), 0, "the parent's mask is as before");
	cr_expect(signal(SIGPIPE, SIG_DFL) == SIG_IGN, "the parent's dispositions are as before");
	cr_expect(signal(SIGUSR1, SIG_DFL) == handler);
	cr_expect(reported("SigBlk:\t0000000000000000"));
	cr_expect(reported("SigIgn:\t0000000000000000"));
	if (getenv("ASAN_OPTIONS") == NULL)
		cr_expect(reported("SigCgt:\t0000000000000000"));
}

Test(proc, signals_are_default_and_none_is_blocked)
{
	both_ways(try_signals);
}

static void libc_signals(void *arg)
{
	/* 32 and 33, which libc neither blocks nor resets. */
	unsigned long ignore[16] = {1}, both = 3UL << 31;
	struct proc_spec spec = probe_spec();
	struct proc p;
	int status;

	(void)arg;
	CHECK(syscall(SYS_rt_sigaction, 32, ignore, NULL, 8) == 0);
	CHECK(syscall(SYS_rt_sigaction, 33, ignore, NULL, 8) == 0);
	CHECK(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &both, NULL, 8) == 0);
	CHECK(proc_spawn(&spec, &p, NULL) == 0 && proc_wait(&p, -1, &status, NULL) == 0);
	CHECK(status == 0);
}

Test(proc, libc_own_signals_are_reset_too)
{
	cr_assert(in_child(libc_signals, NULL));
	cr_expect(reported("SigBlk:\t0000000000000000"));
	cr_expect(reported("SigIgn:\t0000000000000000"));
}

static void try_failures(void)
{
	struct errctx e = {0};
	struct proc_spec spec = probe_spec();

	spec.path = "/nonexistent/program";
	cr_expect_eq(run_probe(&spec, &e), E_NOENT);
	cr_expect_eq(e.sys_errno, ENOENT);
	cr_expect_not_null(strstr(e.text, "/nonexistent/program"));
	spec.path = "/etc/passwd";
	cr_expect_eq(run_probe(&spec, &e), E_SYS);
	cr_expect_eq(e.sys_errno, EACCES);
	spec.path = "/etc";
	cr_expect_eq(run_probe(&spec, &e), E_SYS);
	put_file("text", "no program", 0755);
	spec.path = NULL;
	spec.exec_fd = openat(scratch_fd(), "text", O_RDONLY | O_CLOEXEC);
	cr_expect_eq(run_probe(&spec, &e), E_SYS);
	cr_expect_eq(e.sys_errno, ENOEXEC, "no shell takes over");
	(void)close(spec.exec_fd);
	(void)unlinkat(scratch_fd(), "text", 0);
	spec.exec_fd = 999;
	cr_expect_eq(run_probe(&spec, &e), E_SYS);
	cr_expect_eq(e.sys_errno, EBADF);
	spec = probe_spec();
	spec.cwd_fd = 0;
	if (isatty(0))
		cr_expect_eq(run_probe(&spec, &e), E_NOTDIR);
	spec.cwd_fd = 999;
	cr_expect_eq(run_probe(&spec, &e), E_SYS);
	cr_expect_not_null(strstr(e.text, "working folder"));
	cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1);
	cr_expect_eq(errno, ECHILD, "no child is left of those that failed");
}

Test(proc, what_cannot_start_is_an_error_and_leaves_nothing)
{
	both_ways(try_failures);
}

Test(proc, relative_paths_and_empty_arguments_are_refused)
{
	struct proc_spec spec = probe_spec();
	char *none[] = {NULL};

	spec.path = "true";
	cr_expect_eq(run_probe(&spec, NULL), E_SYNTAX);
	spec.path = "";
	cr_expect_eq(run_probe(&spec, NULL), E_SYNTAX);
	spec.path = NULL;
	cr_expect_eq(run_probe(&spec, NULL), E_SYNTAX);
	spec = probe_spec();
	spec.argv = none;
	cr_expect_eq(run_probe(&spec, NULL), E_SYNTAX);
	spec.argv = NULL;
	cr_expect_eq(run_probe(&spec, NULL), E_SYNTAX);
}

static void try_wait(void)
{
	char *argv[] = {probe_path, probe_report, "wait", NULL},
	     *exit_argv[] = {probe_path, probe_report, "exit", "7", NULL};
	struct proc_spec spec = probe_spec();
	struct proc p;
	int status = -1;
	int64_t start;

	spec.argv = exit_argv;
	cr_expect_eq(run_probe(&spec, NULL), 7);
	spec.argv = argv;
	cr_assert_eq(proc_spawn(&spec, &p, NULL), 0);
	cr_expect_eq(proc_wait(&p, 0, &status, NULL), E_TIMEOUT);
	start = clock_mono_ms();
	cr_expect_eq(proc_wait(&p, 60, &status, NULL), E_TIMEOUT);
	cr_expect_geq(clock_mono_ms() - start, 59);
	cr_expect_eq(status, -1);
	proc_kill(&p, SIGTERM, false);
	cr_expect_eq(proc_wait(&p, -1, &status, NULL), 0);
	cr_expect_eq(proc_exit_code(status), 128 + SIGTERM);
	proc_kill(&p, SIGKILL, false);
	proc_kill(&p, SIGKILL, true);
	cr_expect_eq(proc_wait(&p, 0, &status, NULL), E_INTERNAL);
}

Test(proc, waits_and_kills)
{
	both_ways(try_wait);
}

Test(proc, waits_without_process_descriptors)
{
	char *argv[] = {probe_path, probe_report, "wait", NULL};
	struct proc_spec spec = probe_spec();
	struct proc p;
	int status = -1;

	spec.argv = argv;
	spec.new_group = true;
	cr_assert_eq(proc_spawn(&spec, &p, NULL), 0);
	(void)close(p.pid_fd);
	p.pid_fd = -1;
	cr_expect_eq(proc_wait(&p, 30, &status, NULL), E_TIMEOUT);
	proc_kill(&p, SIGKILL, false);
	cr_expect_eq(proc_wait(&p, 10000, &status, NULL), 0);
	cr_expect_eq(proc_exit_code(status), 137);
}

static void interrupted_wait(void *arg)
{
	char *argv[] = {probe_path, probe_report, "wait", NULL};
	struct sigaction action = {.sa_handler = handler};
	struct itimerval often = {{0, 500}, {0, 500}};
	struct proc_spec spec = probe_spec();
	struct proc p;
	int status;

	(void)arg;
	spec.argv = argv;
	CHECK(sigaction(SIGALRM, &action, NULL) == 0);
	CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
	for (int i = 0; i < 20; i++) { /* starting is not disturbed either */
		CHECK(proc_spawn(&spec, &p, NULL) == 0);
		if (i == 0)
			CHECK(proc_wait(&p, 200, &status, NULL) == E_TIMEOUT);
		proc_kill(&p, SIGKILL, false);
		CHECK(proc_wait(&p, -1, &status, NULL) == 0);
	}
}

Test(proc, interrupts_disturb_nothing)
{
	cr_expect(in_child(interrupted_wait, NULL));
}

static void storm(void *arg)
{
	char *argv[] = {probe_path, probe_report, "wait", NULL};
	struct proc_spec spec = probe_spec();
	struct proc p;
	int status;

	spec.argv = argv;
	CHECK(proc_spawn(&spec, &p, NULL) == 0);
	deny_syscall(*(long *)arg, EINTR);
	CHECK(proc_wait(&p, -1, &status, NULL) == E_SYS);
	proc_kill(&p, SIGKILL, false);
}

Test(proc, endless_interrupts_end)
{
	/* What libc makes of poll. */
#ifdef SYS_poll
	long calls[] = {SYS_poll, SYS_wait4};
#else
	long calls[] = {SYS_ppoll, SYS_wait4};
#endif

	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		cr_expect(in_child(storm, &calls[i]), "call %ld", calls[i]);
}

Test(proc, a_group_is_killed_whole)
{
	/* The shell starts a second process in its group, which holds the pipe. */
	char *argv[] = {"sh", "-c", "sleep 100 & echo; wait", NULL};
	struct proc_spec spec = probe_spec();
	struct proc p;
	int ends[2], status;
	char byte;
	struct proc_fd map[] = {{1, -1}};

	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	map[0].parent = ends[1];
	spec.path = "/bin/sh";
	spec.argv = argv;
	spec.new_group = true;
	spec.fds = map;
	spec.n_fds = 1;
	cr_assert_eq(proc_spawn(&spec, &p, NULL), 0);
	(void)close(ends[1]);
	cr_assert_eq(read(ends[0], &byte, 1), 1);
	proc_kill(&p, SIGKILL, true);
	cr_expect_eq(read(ends[0], &byte, 1), 0, "nobody holds the pipe");
	cr_expect_eq(proc_wait(&p, 10000, &status, NULL), 0);
	(void)close(ends[0]);
}

static struct {
	long nr;
	int number;
} failing;

static void failing_call(void *copied)
{
	struct errctx e = {0};
	struct proc_spec spec = probe_spec();
	struct proc p = {-1, -1};
	int before = count_fds();

	spec.cwd_fd = scratch_fd();
	spec.new_session = true;
	spec.die_with_parent = true;
	proc_force_fork(*(bool *)copied);
	if (failing.nr == SYS_prctl)
		deny_syscall_where(failing.nr, failing.number, 0, PR_SET_PDEATHSIG);
	else
		deny_syscall(failing.nr, failing.number);
	CHECK(proc_spawn(&spec, &p, &e) < 0);
	CHECK(e.code < 0 && e.text[0] && p.pid == -1);
	if (failing.nr != SYS_openat)
		CHECK(count_fds() == before);
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

Test(proc, each_call_fails_with_each_number)
{
	/* The second: what libc makes of dup2. */
#ifdef SYS_dup2
	static const long calls[] = {SYS_clone,	 SYS_dup2,   SYS_execve, SYS_openat,
				     SYS_fchdir, SYS_setsid, SYS_prctl};
#else
	static const long calls[] = {SYS_clone,	 SYS_dup3,   SYS_execve, SYS_openat,
				     SYS_fchdir, SYS_setsid, SYS_prctl};
#endif
	static const int numbers[] = {EIO,    EPERM,  EACCES, ENOMEM, EAGAIN,
				      EMFILE, EINVAL, ENOSYS, EINTR};
	bool copied;

	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		for (size_t k = 0; k < ARRAY_LEN(numbers); k++)
			for (int way = 0; way < 2; way++) {
				copied = way;
				failing.nr = calls[i];
				failing.number = numbers[k];
				cr_expect(in_child(failing_call, &copied),
					  "call %ld errno %d way %d", calls[i], numbers[k], way);
			}
}

Test(proc, exit_codes_are_a_shell_s)
{
	cr_expect_eq(proc_exit_code(0), 0);
	cr_expect_eq(proc_exit_code(255 << 8), 255);
	cr_expect_eq(proc_exit_code(3 << 8), 3);
	cr_expect_eq(proc_exit_code(SIGKILL), 137);
	cr_expect_eq(proc_exit_code(SIGSEGV | 0x80), 139);
	cr_expect_eq(proc_exit_code(0x137f), 255, "stopped: no end at all");
}

static void as_user(void *arg)
{
	struct proc_spec spec = probe_spec();
	struct proc p;
	int status;

	(void)arg;
	(void)unlinkat(scratch_fd(), "report", 0);
	CHECK(proc_spawn(&spec, &p, NULL) == 0);
	CHECK(proc_wait(&p, -1, &status, NULL) == 0 && status == 0);
}

Test(proc, works_as_ordinary_user)
{
	cr_expect(in_child_as_user(as_user, NULL));
}
