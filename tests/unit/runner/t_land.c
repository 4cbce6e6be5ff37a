/* SPDX-License-Identifier: MIT */
/* Effects on the project: file 22, 10.4, 17.2, 20.1 to 20.3, field reports R20, R24. */
#include "base/base.h"

#include "runner/land.h"

#include "tests/unit/runner/runnertest.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>

static int root_fd;
static struct target t;
static struct errctx e;
#define TEMP ".00112233445566778899aabbccddeeff.tmp"

static void setup(void)
{
	char path[64];

	root_fd = rt_dir(path);
	cr_assert_eq(mkdirat(root_fd, "src", 0755), 0);
	rt_put(root_fd, "src/a.py", "x = 1\n", 6);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	cr_assert_eq(fstatat(root_fd, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 07777;
}

static void is(const char *name, const char *text)
{
	auto_buf struct buf b;

	rt_get(root_fd, name, &b);
	cr_assert_str_eq(buf_text(&b), text);
}

static int refused(const char *rel)
{
	int rc = target_open(root_fd, rel, &t, &e);

	if (rc == 0)
		target_release(&t);
	return rc;
}

TestSuite(land, .init = setup);

Test(land, a_file_is_replaced_and_keeps_its_mode)
{
	cr_assert_eq(fchmodat(root_fd, "src/a.py", 0640, 0), 0);
	cr_assert_eq(target_open(root_fd, "src/a.py", &t, &e), 0, "%s", e.text);
	cr_assert(t.exists);
	cr_assert_eq(target_write(&t, VIEW("x = 2\n"), TEMP, 022, &e), 0, "%s", e.text);
	target_release(&t);
	is("src/a.py", "x = 2\n");
	cr_assert_eq(mode_of("src/a.py"), 0640);
	cr_assert_neq(faccessat(root_fd, "src/" TEMP, F_OK, 0), 0);
}

Test(land, set_id_bits_do_not_survive_and_scripts_can_run)
{
	cr_assert_eq(fchmodat(root_fd, "src/a.py", 06755, 0), 0);
	cr_assert_eq(target_open(root_fd, "src/a.py", &t, &e), 0);
	cr_assert_eq(target_write(&t, VIEW("#!/x\n"), TEMP, 022, &e), 0, "%s", e.text);
	target_release(&t);
	cr_assert_eq(mode_of("src/a.py"), 0755);
	cr_assert_eq(target_open(root_fd, "new/deep/tool", &t, &e), 0);
	cr_assert(!t.exists);
	cr_assert_eq(target_write(&t, VIEW("#!/bin/x\n"), TEMP, 022, &e), 0, "%s", e.text);
	target_release(&t);
	cr_assert_eq(mode_of("new/deep/tool"), 0755);
	cr_assert_eq(mode_of("new/deep"), 0755);
	cr_assert_eq(target_open(root_fd, "new/deep/notes.txt", &t, &e), 0);
	cr_assert_eq(target_write(&t, VIEW("#!/bin/x\n"), TEMP, 027, &e), 0, "%s", e.text);
	target_release(&t);
	cr_assert_eq(mode_of("new/deep/notes.txt"), 0640);
}

Test(land, what_is_no_plain_file_is_refused)
{
	cr_assert_eq(symlinkat("a.py", root_fd, "src/link"), 0);
	cr_assert_eq(symlinkat("src", root_fd, "dirlink"), 0);
	cr_assert_eq(symlinkat("nowhere", root_fd, "src/dangling"), 0);
	cr_assert_eq(mkfifoat(root_fd, "src/fifo", 0600), 0);
	cr_assert_eq(linkat(root_fd, "src/a.py", root_fd, "src/second", 0), 0);
	rt_put(root_fd, "binary", "\xff\xfe", 2);
	cr_assert_eq(refused("src/link"), E_LINK);
	cr_assert_eq(refused("src/dangling"), E_LINK);
	cr_assert_eq(refused("dirlink/a.py"), E_LINK);
	cr_assert_eq(refused("src/fifo"), E_NOTREG);
	cr_assert_eq(refused("src"), E_NOTREG);
	cr_assert_eq(refused("src/second"), E_HARDLINK);
	cr_assert_eq(refused("src/a.py"), E_HARDLINK);
	cr_assert_eq(refused("binary/below"), E_NOTDIR);
	cr_assert_eq(refused("binary"), E_UTF8);
}

Test(land, a_change_between_check_and_write_is_seen)
{
	cr_assert_eq(target_open(root_fd, "src/a.py", &t, &e), 0);
	rt_put(root_fd, "src/a.py", "x = 3\n", 6);
	cr_assert_eq(target_recheck(&t, &e), E_CHANGED);
	cr_assert_eq(target_write(&t, VIEW("x = 2\n"), TEMP, 022, &e), E_CHANGED);
	cr_assert_eq(target_delete(&t, TEMP, &e), E_CHANGED);
	target_release(&t);
	is("src/a.py", "x = 3\n");
	cr_assert_eq(target_open(root_fd, "src/new", &t, &e), 0);
	rt_put(root_fd, "src/new", "other", 5);
	cr_assert_eq(target_write(&t, VIEW("mine"), TEMP, 022, &e), E_CHANGED);
	target_release(&t);
	is("src/new", "other");
	cr_assert_neq(faccessat(root_fd, "src/" TEMP, F_OK, 0), 0, "no temporary file is left");
}

/* 22.17.6: the parent is swapped for a link between check and write. */
Test(land, a_swapped_parent_is_seen)
{
	cr_assert_eq(mkdirat(root_fd, "outside", 0755), 0);
	cr_assert_eq(target_open(root_fd, "src/a.py", &t, &e), 0);
	cr_assert_eq(renameat(root_fd, "src", root_fd, "moved"), 0);
	cr_assert_eq(symlinkat("outside", root_fd, "src"), 0);
	cr_assert_eq(target_recheck(&t, &e), E_CHANGED);
	cr_assert_eq(target_write(&t, VIEW("x = 2\n"), TEMP, 022, &e), E_CHANGED);
	target_release(&t);
	is("moved/a.py", "x = 1\n");
	cr_assert_neq(faccessat(root_fd, "outside/a.py", F_OK, 0), 0);
}

Test(land, deletion)
{
	cr_assert_eq(target_open(root_fd, "src/a.py", &t, &e), 0);
	cr_assert_eq(target_delete(&t, TEMP, &e), 0, "%s", e.text);
	target_release(&t);
	cr_assert_neq(faccessat(root_fd, "src/a.py", F_OK, 0), 0);
	cr_assert_eq(faccessat(root_fd, "src", F_OK, 0), 0, "folders stay");
}

static int racing_fd;
static volatile bool racing;

/* Swaps the folder for a link to another one, and back, as fast as it can. */
static void *swap(void *arg)
{
	while (racing) {
		ignored(renameat(racing_fd, "src", racing_fd, "real"));
		ignored(symlinkat("victim", racing_fd, "src"));
		ignored(unlinkat(racing_fd, "src", 0));
		ignored(renameat(racing_fd, "real", racing_fd, "src"));
	}
	return arg;
}

Test(land, no_round_of_a_race_writes_through_the_link, .timeout = 120)
{
	pthread_t thread;

	racing_fd = root_fd;
	racing = true;
	cr_assert_eq(mkdirat(root_fd, "victim", 0755), 0);
	rt_put(root_fd, "victim/a.py", "never", 5);
	cr_assert_eq(pthread_create(&thread, NULL, swap, NULL), 0);
	for (int i = 0; i < 3000; i++) {
		if (target_open(root_fd, "src/a.py", &t, &e) != 0)
			continue;
		ignored(target_write(&t, VIEW("x = 2\n"), TEMP, 022, &e));
		target_release(&t);
	}
	racing = false;
	cr_assert_eq(pthread_join(thread, NULL), 0);
	is("victim/a.py", "never");
}
