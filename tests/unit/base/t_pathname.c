/* SPDX-License-Identifier: MIT */
/* The kernel's name for an open descriptor. */
#include "base/base.h"

#include "base/limits.h"
#include "base/pathfd.h"
#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>

static int dir_fd = -1;

static void build_tree(void)
{
	(void)make_scratch();
	put_dir("root", 0755);
	put_file("root/a", "a", 0644);
	put_file("root/a (deleted)", "real name", 0644);
	put_dir("root-evil", 0755);
	put_file("root-evil/x", "x", 0644);
	put_file("root/bad\xff\n", "b", 0644);
	dir_fd = openat(scratch_fd(), "root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(dir_fd, 0);
}

static void drop_tree(void)
{
	(void)close(dir_fd);
	remove_scratch();
}

TestSuite(pathname, .init = build_tree, .fini = drop_tree);

static int open_it(const char *name)
{
	int fd = openat(scratch_fd(), name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	cr_assert_geq(fd, 0, "%s", name);
	return fd;
}

static void expect_name(int fd, const char *rel)
{
	auto_buf struct buf out = {0};
	char whole[4096];

	buf_init(&out, MAX_PATH_BYTES);
	cr_expect_eq(pathfd_name(fd, &out, NULL), 0);
	(void)snprintf(whole, sizeof(whole), "%s/%s", scratch_path(), rel);
	cr_expect_str_eq(buf_text(&out), whole);
}

static void expect_error(int fd, int code)
{
	auto_buf struct buf out = {0};
	struct errctx e = {0};
	int got;

	buf_init(&out, MAX_PATH_BYTES);
	got = pathfd_name(fd, &out, &e);
	cr_expect_eq(got, code, "%s, not %s (%s)", err_name(got), err_name(code), e.text);
	cr_expect_eq(e.code, got);
	cr_expect_eq(out.len, 0);
}

Test(pathname, is_absolute_and_exact)
{
	auto_fd int a = open_it("root/a"), odd = open_it("root/bad\xff\n");

	expect_name(a, "root/a");
	expect_name(odd, "root/bad\xff\n");
	expect_name(dir_fd, "root");
}

Test(pathname, follows_renames)
{
	auto_fd int a = open_it("root/a");

	cr_assert_eq(renameat(dir_fd, "a", dir_fd, ".env"), 0);
	expect_name(a, "root/.env");
}

Test(pathname, a_file_may_be_called_deleted)
{
	auto_fd int fd = open_it("root/a (deleted)");

	expect_name(fd, "root/a (deleted)");
}

Test(pathname, a_deleted_file_has_none)
{
	auto_fd int a = open_it("root/a"), odd = open_it("root/a (deleted)");

	cr_assert_eq(unlinkat(dir_fd, "a (deleted)", 0), 0);
	expect_error(odd, E_NOENT);
	cr_assert_eq(unlinkat(dir_fd, "a", 0), 0);
	expect_error(a, E_NOENT);
	/* Another file that bears the name with the mark is not it. */
	put_file("root/a (deleted)", "trap", 0644);
	expect_error(a, E_NOENT);
}

Test(pathname, a_name_that_is_gone_is_gone_though_another_link_stays)
{
	auto_fd int a = open_it("root/a");

	cr_assert_eq(linkat(dir_fd, "a", dir_fd, "b", 0), 0);
	cr_assert_eq(unlinkat(dir_fd, "a", 0), 0);
	expect_error(a, E_NOENT);
}

Test(pathname, a_deleted_folder_has_none)
{
	auto_fd int fd = -1;

	put_dir("root/d", 0700);
	fd = open_it("root/d");
	expect_name(fd, "root/d");
	cr_assert_eq(unlinkat(dir_fd, "d", AT_REMOVEDIR), 0);
	expect_error(fd, E_NOENT);
}

Test(pathname, what_is_no_file_has_none)
{
	int ends[2];
	auto_fd int memory = memfd_create("x", MFD_CLOEXEC);
	auto_fd int unnamed = openat(dir_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	expect_error(ends[0], E_NOENT);
	expect_error(memory, E_NOENT);
	if (unnamed >= 0)
		expect_error(unnamed, E_NOENT);
	(void)close(ends[0]);
	(void)close(ends[1]);
	expect_error(ends[0], E_SYS);
	expect_error(-1, E_SYS);
}

static int beneath(int root, int fd, struct buf *out)
{
	return pathfd_name_beneath(root, fd, out, NULL);
}

Test(pathname, beneath_compares_whole_components)
{
	auto_buf struct buf out = {0};
	auto_fd int a = open_it("root/a"), evil = open_it("root-evil/x"),
		    slash = open("/", O_PATH | O_CLOEXEC);
	char whole[4096];

	buf_init(&out, MAX_PATH_BYTES);
	cr_expect_eq(beneath(dir_fd, a, &out), 0);
	cr_expect_str_eq(buf_text(&out), "a");
	buf_clear(&out);
	cr_expect_eq(beneath(dir_fd, dir_fd, &out), 0);
	cr_expect_eq(out.len, 0);
	cr_expect_eq(beneath(dir_fd, evil, &out), E_OUTSIDE);
	cr_expect_eq(beneath(dir_fd, scratch_fd(), &out), E_OUTSIDE);
	cr_expect_eq(beneath(dir_fd, slash, &out), E_OUTSIDE);
	cr_expect_eq(out.len, 0);
	cr_expect_eq(beneath(slash, a, &out), 0);
	(void)snprintf(whole, sizeof(whole), "%s/root/a", scratch_path() + 1);
	cr_expect_str_eq(buf_text(&out), whole);
	buf_clear(&out);
	cr_expect_eq(beneath(slash, slash, &out), 0);
	cr_expect_eq(out.len, 0);
}

Test(pathname, beneath_a_root_that_was_renamed)
{
	auto_buf struct buf out = {0};
	auto_fd int a = open_it("root/a");

	buf_init(&out, MAX_PATH_BYTES);
	cr_assert_eq(renameat(scratch_fd(), "root", scratch_fd(), "elsewhere"), 0);
	cr_expect_eq(beneath(dir_fd, a, &out), 0);
	cr_expect_str_eq(buf_text(&out), "a");
}

static void not_dumpable(void *arg)
{
	struct buf out;

	CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
	buf_init(&out, MAX_PATH_BYTES);
	CHECK(pathfd_name_beneath(dir_fd, *(int *)arg, &out, NULL) == 0);
	CHECK(strcmp(buf_text(&out), "a") == 0);
	buf_release(&out);
}

Test(pathname, works_in_a_process_that_nobody_may_look_into)
{
	auto_fd int a = open_it("root/a");

	cr_assert(in_child_as_user(not_dumpable, &a));
}

static void without_proc(void *arg)
{
	struct buf out;
	struct errctx e = {0};

	CHECK(enter_namespaces());
	CHECK(mount("none", "/proc", "tmpfs", 0, NULL) == 0);
	buf_init(&out, MAX_PATH_BYTES);
	CHECK(pathfd_name(*(int *)arg, &out, &e) == E_UNSUPPORTED);
	CHECK(pathfd_name(999, &out, &e) == E_SYS);
}

Test(pathname, says_so_without_proc)
{
	auto_fd int a = open_it("root/a");

	if (need_namespaces())
		cr_assert(in_child(without_proc, &a));
}

Test(pathname, is_compared_whole)
{
	struct view wrong[] = {VIEW("b"), VIEW("a "), VIEW("/a"), VIEW("./a"), VIEW("")};
	auto_buf struct buf root = {0}, longer = {0};
	auto_fd int a = open_it("root/a");

	buf_init(&root, MAX_PATH_BYTES);
	buf_init(&longer, MAX_PATH_BYTES);
	cr_assert_eq(pathfd_name(dir_fd, &root, NULL), 0);
	cr_expect(pathfd_is_named(a, buf_view(&root), VIEW("a")));
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		cr_expect(!pathfd_is_named(a, buf_view(&root), wrong[i]), "%s", wrong[i].ptr);
	cr_expect(!pathfd_is_named(a, (struct view){0}, VIEW("a")));
	cr_assert_eq(buf_printf(&longer, "%sx", buf_text(&root)), 0);
	cr_expect(!pathfd_is_named(a, buf_view(&longer), VIEW("a")));
	cr_expect(!pathfd_is_named(dir_fd, buf_view(&root), VIEW("")));
	cr_expect(!pathfd_is_named(999, buf_view(&root), VIEW("a")));
	cr_assert_eq(unlinkat(dir_fd, "a", 0), 0);
	cr_expect(!pathfd_is_named(a, buf_view(&root), VIEW("a")), "it has lost that name");
}

/* Deeper than the kernel can say: refused, not cut. */
Test(pathname, too_long_is_an_error)
{
	char name[201];
	int at = dir_fd;

	memset(name, 'd', 200);
	name[200] = 0;
	for (int i = 0; i < 22; i++) {
		int fd;

		cr_assert_eq(mkdirat(at, name, 0700), 0);
		fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		cr_assert_geq(fd, 0);
		if (at != dir_fd)
			(void)close(at);
		at = fd;
	}
	expect_error(at, E_TOOBIG);
	(void)close(at);
}
