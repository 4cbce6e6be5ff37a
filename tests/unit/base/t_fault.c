/* SPDX-License-Identifier: MIT */
/* Fault points (builds with --enable-fault-hooks): a file put durably is old or new, wherever its
 * writer stops. */
#include "base/base.h"

#include "base/proc.h"
#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

static char probe[4096], folder[300];

static void build(void)
{
	ssize_t n = readlink("/proc/self/exe", probe, sizeof(probe) - 32);

	cr_assert_gt(n, 0);
	probe[n] = 0;
	(void)snprintf(strrchr(probe, '/') + 1, 16, "faultprobe");
	(void)make_scratch();
	put_dir("d", 0755);
	put_file("d/f", "old", 0600);
	(void)snprintf(folder, sizeof(folder), "%s/d", scratch_path());
}

TestSuite(fault, .init = build, .fini = remove_scratch);

static int put_with(const char *fault)
{
	char variable[100];
	char *argv[] = {probe, folder, NULL}, *envp[] = {variable, NULL};
	struct proc_spec spec = {
		.path = probe, .exec_fd = -1, .argv = argv, .envp = envp, .cwd_fd = -1};
	struct proc p;
	int status = -1;

	(void)snprintf(variable, sizeof(variable), "AGENTTEAMS_FAULT=%s", fault);
	cr_assert_eq(proc_spawn(&spec, &p, NULL), 0);
	cr_assert_eq(proc_wait(&p, 30000, &status, NULL), 0);
	return proc_exit_code(status);
}

static void start_again(void)
{
	cr_assert_eq(put_with(""), 0); /* whatever the last one left, the next one works */
	cr_assert(has_file("d/f", "new"));
	cr_assert_eq(unlinkat(scratch_fd(), "d/f", 0), 0);
	put_file("d/f", "old", 0600);
}

Test(fault, killed_at_any_point_it_is_old_or_new)
{
	bool was_new = false;
	int n = 1;

	for (;; n++) {
		char fault[32];
		int code, left = count_entries("d") - 1;

		(void)snprintf(fault, sizeof(fault), "*:%d%s", n, n % 2 ? "" : ":kill");
		code = put_with(fault);
		if (code == 0)
			break;
		cr_assert_eq(code, 128 + SIGKILL, "point %d", n);
		cr_expect(has_file("d/f", was_new ? "new" : "old") || has_file("d/f", "new"));
		cr_expect(!was_new || has_file("d/f", "new"), "point %d: new, then old again", n);
		was_new = has_file("d/f", "new");
		cr_expect_leq(count_entries("d") - 1, left + 1, "one temporary file at most");
		start_again();
	}
	cr_expect_eq(n - 1, 10, "before and after: create, write, sync, rename, folder sync");
	cr_expect(was_new, "the last points lie behind the rename");
}

Test(fault, failed_at_any_point_it_leaves_nothing)
{
	for (int n = 1; n <= 10; n++) {
		char fault[32];

		(void)snprintf(fault, sizeof(fault), "*:%d:%s", n, n % 2 ? "eio" : "enospc");
		cr_expect_eq(put_with(fault), 10 + 3, "point %d", n);
		cr_expect(has_file("d/f", n < 8 ? "old" : "new"), "point %d", n);
		cr_expect_eq(count_entries("d"), 1, "point %d", n);
		start_again();
	}
}

Test(fault, acts_on_the_named_point_and_hit_only)
{
	cr_expect_eq(put_with("rename:1"), 137);
	cr_expect(has_file("d/f", "old"));
	cr_expect_eq(put_with("rename:2"), 0);
	cr_expect_eq(put_with("renam:1"), 0);
	cr_expect_eq(put_with("renamed:1:eio"), 13);
}

Test(fault, what_cannot_be_read_ends_the_program)
{
	static const char *const bad[] = {"x",	 ":1",	 "x:",	     "x:0",
					  "x:y", "x:1:", "x:1:boom", "x:1kill"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_expect_eq(put_with(bad[i]), 2, "%s", bad[i]);
	cr_expect(has_file("d/f", "old"));
}
