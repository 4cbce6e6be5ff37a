/* SPDX-License-Identifier: MIT */
/* Durable files: whole or not at all, and nothing left behind. */
#include "base/base.h"

#include "base/atomicfile.h"

#include "base/limits.h"
#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>

static int dir_fd = -1;

static void build_tree(void)
{
	(void)make_scratch();
	put_dir("d", 0777);
	dir_fd = openat(scratch_fd(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(dir_fd, 0);
	put_file("outside", "outside", 0644);
}

static void drop_tree(void)
{
	(void)close(dir_fd);
	remove_scratch();
}

TestSuite(atomicfile, .init = build_tree, .fini = drop_tree);

static int put(const char *name, const char *text, enum atomicfile_commit how)
{
	return atomicfile_put(dir_fd, name, view_of(text), 0644, how, NULL);
}

Test(atomicfile, makes_and_replaces)
{
	int before = count_fds();

	cr_expect_eq(put("f", "one", COMMIT_REPLACE), 0);
	cr_expect(has_file("d/f", "one"));
	cr_expect_eq(put("f", "two", COMMIT_REPLACE), 0);
	cr_expect(has_file("d/f", "two"));
	cr_expect_eq(put("empty", "", COMMIT_NEW), 0);
	cr_expect(has_file("d/empty", ""));
	cr_expect_eq(count_entries("d"), 2);
	cr_expect_eq(count_fds(), before);
}

Test(atomicfile, many_writes_make_one_file)
{
	struct atomicfile f;

	cr_assert_eq(atomicfile_begin(&f, dir_fd, "f", NULL, 0600, NULL), 0);
	cr_expect_eq(count_entries("d"), 1);
	cr_expect_eq(atomicfile_write(&f, VIEW("a"), NULL), 0);
	cr_expect_eq(atomicfile_write(&f, VIEW(""), NULL), 0);
	cr_expect_eq(atomicfile_write(&f, VIEW("bc"), NULL), 0);
	cr_expect_eq(faccessat(dir_fd, "f", F_OK, 0), -1, "nothing under the name before the end");
	cr_expect_eq(atomicfile_commit(&f, COMMIT_NEW, NULL, NULL), 0);
	atomicfile_abort(&f);
	cr_expect(has_file("d/f", "abc"));
	cr_expect_eq(atomicfile_write(&f, VIEW("x"), NULL), E_INTERNAL);
	cr_expect_eq(atomicfile_commit(&f, COMMIT_NEW, NULL, NULL), E_INTERNAL);
	cr_expect_eq(count_entries("d"), 1);
}

Test(atomicfile, abort_leaves_nothing)
{
	struct atomicfile f;
	int before = count_fds();

	cr_assert_eq(atomicfile_begin(&f, dir_fd, "f", "given.tmp", 0600, NULL), 0);
	cr_expect(has_file("d/given.tmp", ""));
	cr_expect_eq(atomicfile_write(&f, VIEW("abc"), NULL), 0);
	atomicfile_abort(&f);
	atomicfile_abort(&f);
	cr_expect_eq(count_entries("d"), 0);
	cr_expect_eq(count_fds(), before);
}

Test(atomicfile, mode_is_exact_whatever_the_umask)
{
	static const mode_t masks[] = {0, 022, 077, 0777}, modes[] = {0600, 0644, 0666, 0755, 0444};
	struct stat st;

	for (size_t i = 0; i < ARRAY_LEN(masks); i++)
		for (size_t k = 0; k < ARRAY_LEN(modes); k++) {
			(void)umask(masks[i]);
			cr_expect_eq(atomicfile_put(dir_fd, "f", VIEW("x"), modes[k],
						    COMMIT_REPLACE, NULL),
				     0);
			cr_expect_eq(fstatat(dir_fd, "f", &st, 0), 0);
			cr_expect_eq(st.st_mode & 07777, modes[k], "umask %o mode %o: %o",
				     (unsigned)masks[i], (unsigned)modes[k], (unsigned)st.st_mode);
		}
}

Test(atomicfile, unfinished_files_are_private)
{
	struct atomicfile f;
	struct stat st;

	(void)umask(0);
	cr_assert_eq(atomicfile_begin(&f, dir_fd, "f", "t", 0666, NULL), 0);
	cr_expect_eq(fstatat(dir_fd, "t", &st, 0), 0);
	cr_expect_eq(st.st_mode & 07777, 0600);
	atomicfile_abort(&f);
}

Test(atomicfile, names_are_one_component)
{
	static char long_name[257];
	static const char *const bad[] = {"", ".", "..", "a/b", "/", "a/", "../x", long_name};
	struct atomicfile f;
	struct errctx e = {0};

	memset(long_name, 'n', 256);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		cr_expect_eq(atomicfile_begin(&f, dir_fd, bad[i], NULL, 0600, &e), E_SYNTAX);
		atomicfile_abort(&f);
		cr_expect_eq(atomicfile_begin(&f, dir_fd, "f", bad[i], 0600, &e), E_SYNTAX);
		atomicfile_abort(&f);
		cr_expect_eq(atomicfile_remove(dir_fd, bad[i], &e), E_SYNTAX);
	}
	long_name[255] = 0;
	cr_expect_eq(put(long_name, "x", COMMIT_NEW), 0);
	cr_expect_eq(atomicfile_begin(&f, dir_fd, "f", long_name, 0600, &e), E_SYNTAX,
		     "a temporary name has 63 bytes at most");
	cr_expect_eq(count_entries("d"), 1);
}

Test(atomicfile, new_never_replaces)
{
	put_file("d/f", "old", 0644);
	put_link("nowhere", "d/dangling");
	put_dir("d/folder", 0755);
	cr_expect_eq(put("f", "new", COMMIT_NEW), E_EXISTS);
	cr_expect_eq(put("dangling", "new", COMMIT_NEW), E_EXISTS);
	cr_expect_eq(put("folder", "new", COMMIT_NEW), E_EXISTS);
	cr_expect(has_file("d/f", "old"));
	cr_expect_eq(count_entries("d"), 3);
}

static void new_without_renameat2(void *arg)
{
	deny_syscall(SYS_renameat2, *(int *)arg);
	CHECK(put("made", "new", COMMIT_NEW) == 0);
	CHECK(has_file("d/made", "new"));
	CHECK(put("made", "newer", COMMIT_NEW) == E_EXISTS);
	CHECK(put("f", "newer", COMMIT_NEW) == E_EXISTS);
	CHECK(has_file("d/f", "old") && has_file("d/made", "new"));
	CHECK(count_entries("d") == 2);
	CHECK(unlinkat(dir_fd, "made", 0) == 0);
}

Test(atomicfile, new_works_without_renameat2)
{
	int numbers[] = {ENOSYS, EINVAL, EPERM};

	put_file("d/f", "old", 0644);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		cr_expect(in_child(new_without_renameat2, &numbers[i]), "errno %d", numbers[i]);
}

Test(atomicfile, replace_takes_links_away_and_never_follows_them)
{
	put_link("../outside", "d/l");
	put_dir("d/folder", 0755);
	cr_expect_eq(put("l", "new", COMMIT_REPLACE), 0);
	cr_expect(has_file("d/l", "new"));
	cr_expect(has_file("outside", "outside"));
	cr_expect_eq(put("folder", "new", COMMIT_REPLACE), E_NOTREG);
	cr_expect_eq(count_entries("d"), 2);
}

static int replace_after(void (*meddle)(void), const struct stat *expect)
{
	struct atomicfile f;
	struct errctx e = {0};
	int code;

	cr_assert_eq(atomicfile_begin(&f, dir_fd, "f", NULL, 0644, NULL), 0);
	cr_assert_eq(atomicfile_write(&f, VIEW("ours"), NULL), 0);
	if (meddle)
		meddle();
	code = atomicfile_commit(&f, COMMIT_REPLACE, expect, &e);
	cr_expect_eq(e.code, code);
	return code;
}

static void append_to_it(void)
{
	int fd = openat(dir_fd, "f", O_WRONLY | O_APPEND | O_CLOEXEC);

	cr_assert_eq(write(fd, "!", 1), 1);
	(void)close(fd);
}
static void same_size(void)
{
	int fd = openat(dir_fd, "f", O_WRONLY | O_CLOEXEC);
	struct timespec tick = {0, 20000000};

	(void)nanosleep(&tick, NULL); /* past the granularity of time stamps */
	cr_assert_eq(write(fd, "OLD", 3), 3);
	(void)close(fd);
}
static void other_mode(void)
{
	struct timespec tick = {0, 20000000};

	(void)nanosleep(&tick, NULL);
	cr_assert_eq(fchmodat(dir_fd, "f", 0600, 0), 0);
}
static void other_file(void)
{
	cr_assert_eq(renameat(dir_fd, "f", dir_fd, "moved"), 0);
	put_file("d/f", "old", 0644);
}
static void a_link(void)
{
	cr_assert_eq(renameat(dir_fd, "f", dir_fd, "moved"), 0);
	put_link("moved", "d/f");
}
static void gone(void)
{
	cr_assert_eq(unlinkat(dir_fd, "f", 0), 0);
}

Test(atomicfile, target_that_changed_is_left_alone)
{
	void (*const meddle[])(void) = {append_to_it, same_size, other_mode,
					other_file,   a_link,	 gone};

	for (size_t i = 0; i < ARRAY_LEN(meddle); i++) {
		struct stat st;

		(void)unlinkat(dir_fd, "f", 0);
		(void)unlinkat(dir_fd, "moved", 0);
		put_file("d/f", "old", 0644);
		cr_assert_eq(fstatat(dir_fd, "f", &st, AT_SYMLINK_NOFOLLOW), 0);
		cr_expect_eq(replace_after(meddle[i], &st), E_CHANGED, "meddling %zu", i);
		cr_expect_not(has_file("d/f", "ours"));
		cr_expect_leq(count_entries("d"), 2);
	}
	cr_expect_eq(count_entries("d"), 0);
}

Test(atomicfile, target_that_stayed_is_replaced)
{
	struct stat st;

	put_file("d/f", "old", 0644);
	cr_assert_eq(fstatat(dir_fd, "f", &st, AT_SYMLINK_NOFOLLOW), 0);
	cr_expect_eq(replace_after(NULL, &st), 0);
	cr_expect(has_file("d/f", "ours"));
}

static void appears(void)
{
	put_file("d/f", "theirs", 0644);
}

Test(atomicfile, target_that_must_not_be_there)
{
	struct stat none = {0};

	cr_expect_eq(replace_after(appears, &none), E_CHANGED);
	cr_expect(has_file("d/f", "theirs"));
	cr_expect_eq(count_entries("d"), 1);
	(void)unlinkat(dir_fd, "f", 0);
	cr_expect_eq(replace_after(NULL, &none), 0);
	cr_expect(has_file("d/f", "ours"));
}

Test(atomicfile, a_swapped_temporary_file_is_seen)
{
	struct atomicfile f;

	cr_assert_eq(atomicfile_begin(&f, dir_fd, "f", "t", 0644, NULL), 0);
	cr_assert_eq(atomicfile_write(&f, VIEW("ours"), NULL), 0);
	cr_assert_eq(unlinkat(dir_fd, "t", 0), 0);
	put_file("d/t", "theirs", 0644);
	cr_expect_eq(atomicfile_commit(&f, COMMIT_NEW, NULL, NULL), E_CHANGED);
	cr_expect_eq(faccessat(dir_fd, "f", F_OK, 0), -1);
}

Test(atomicfile, a_given_temporary_name_that_is_taken_is_refused)
{
	struct atomicfile f;

	put_link("../outside", "d/t");
	cr_expect_eq(atomicfile_begin(&f, dir_fd, "f", "t", 0644, NULL), E_EXISTS);
	atomicfile_abort(&f);
	cr_expect(has_file("outside", "outside"));
	cr_expect_eq(count_entries("d"), 1, "what was there stays there");
}

Test(atomicfile, remove_is_told_apart)
{
	put_file("d/f", "x", 0644);
	put_link("../outside", "d/l");
	put_dir("d/folder", 0755);
	cr_expect_eq(atomicfile_remove(dir_fd, "f", NULL), 0);
	cr_expect_eq(atomicfile_remove(dir_fd, "f", NULL), E_NOENT);
	cr_expect_eq(atomicfile_remove(dir_fd, "l", NULL), 0);
	cr_expect_eq(atomicfile_remove(dir_fd, "folder", NULL), E_NOTREG);
	cr_expect(has_file("outside", "outside"));
	cr_expect_eq(count_entries("d"), 1);
}

Test(atomicfile, a_search_only_folder_descriptor_will_do)
{
	auto_fd int path_fd = openat(scratch_fd(), "d", O_PATH | O_DIRECTORY | O_CLOEXEC);

	cr_expect_eq(atomicfile_put(path_fd, "f", VIEW("x"), 0600, COMMIT_REPLACE, NULL), 0);
	cr_expect_eq(atomicfile_put(path_fd, "g", VIEW("x"), 0600, COMMIT_NEW, NULL), 0);
	cr_expect_eq(atomicfile_remove(path_fd, "f", NULL), 0);
	cr_expect_eq(count_entries("d"), 1);
}

Test(atomicfile, a_folder_that_is_gone_is_an_error)
{
	cr_assert_eq(unlinkat(scratch_fd(), "d", AT_REMOVEDIR), 0);
	cr_expect_eq(put("f", "x", COMMIT_NEW), E_NOENT);
	cr_expect_eq(atomicfile_put(999, "f", VIEW("x"), 0600, COMMIT_NEW, NULL), E_SYS);
}

/* A file system of 64 KiB in the test's folder; its root is the new dir_fd. */
static void small_disk(const char *options, unsigned long flags)
{
	char path[300];

	CHECK(enter_namespaces());
	(void)snprintf(path, sizeof(path), "%s/d", scratch_path());
	CHECK(mount("none", path, "tmpfs", flags, options) == 0);
	dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(dir_fd >= 0);
}

static int entries_here(void)
{
	char path[300];

	(void)snprintf(path, sizeof(path), "%s/d", scratch_path());
	return count_entries(path); /* absolute: through the new mount */
}

static void full_disk(void *arg)
{
	static char big[100000];
	struct errctx e = {0};
	struct view bytes = {big, sizeof(big)};

	(void)arg;
	small_disk("size=64k", 0);
	CHECK(atomicfile_put(dir_fd, "f", VIEW("old"), 0600, COMMIT_NEW, &e) == 0);
	CHECK(atomicfile_put(dir_fd, "f", bytes, 0600, COMMIT_REPLACE, &e) == E_SYS);
	CHECK(e.sys_errno == ENOSPC);
	CHECK(atomicfile_put(dir_fd, "g", bytes, 0600, COMMIT_NEW, &e) == E_SYS);
	CHECK(entries_here() == 1);
	CHECK(atomicfile_put(dir_fd, "f", VIEW("new"), 0600, COMMIT_REPLACE, &e) == 0);
}

static void no_inodes(void *arg)
{
	struct errctx e = {0};

	(void)arg;
	small_disk("size=64k,nr_inodes=2", 0);
	CHECK(atomicfile_put(dir_fd, "f", VIEW("old"), 0600, COMMIT_NEW, &e) == 0);
	CHECK(atomicfile_put(dir_fd, "f", VIEW("new"), 0600, COMMIT_REPLACE, &e) == E_SYS);
	CHECK(e.sys_errno == ENOSPC && entries_here() == 1);
}

static void read_only(void *arg)
{
	struct errctx e = {0};
	char path[300];

	(void)arg;
	small_disk("size=64k", 0);
	CHECK(atomicfile_put(dir_fd, "f", VIEW("old"), 0600, COMMIT_NEW, &e) == 0);
	(void)snprintf(path, sizeof(path), "%s/d", scratch_path());
	CHECK(mount(NULL, path, NULL, MS_REMOUNT | MS_RDONLY, "size=64k") == 0);
	CHECK(atomicfile_put(dir_fd, "f", VIEW("new"), 0600, COMMIT_REPLACE, &e) == E_SYS);
	CHECK(e.sys_errno == EROFS);
	CHECK(atomicfile_remove(dir_fd, "f", &e) == E_SYS && e.sys_errno == EROFS);
	CHECK(entries_here() == 1);
}

Test(atomicfile, full_and_read_only_disks_leave_the_old_file)
{
	if (!need_namespaces())
		return;
	cr_expect(in_child(full_disk, NULL));
	cr_expect(in_child(no_inodes, NULL));
	cr_expect(in_child(read_only, NULL));
}

static void no_permission(void *arg)
{
	struct errctx e = {0};

	(void)arg;
	CHECK(atomicfile_put(dir_fd, "f", VIEW("new"), 0600, COMMIT_REPLACE, &e) == E_SYS);
	CHECK(e.sys_errno == EACCES);
}

Test(atomicfile, a_folder_without_write_permission_as_ordinary_user)
{
	cr_assert_eq(fchmod(dir_fd, 0555), 0);
	cr_expect(in_child_as_user(no_permission, NULL));
	cr_expect_eq(count_entries("d"), 0);
}

/* Each system call fails with each plausible number: an error, the old file stays, nothing else. */
static struct {
	long nr;
	int number;
	enum atomicfile_commit how;
	int code; /* 0: any error */
} failing;

static void failing_call(void *arg)
{
	struct errctx e = {0};
	struct stat st;
	int code, before = count_fds();

	(void)arg;
	CHECK(fstatat(dir_fd, "f", &st, 0) == 0);
	deny_syscall(failing.nr, failing.number);
	if (failing.how == COMMIT_NEW)
		code = atomicfile_put(dir_fd, "g", VIEW("new"), 0600, COMMIT_NEW, &e);
	else
		code = atomicfile_put(dir_fd, "f", VIEW("new"), 0600, COMMIT_REPLACE, &e);
	CHECK(code < 0);
	CHECK(e.code == code && e.text[0]);
	if (failing.nr != SYS_newfstatat && failing.nr != SYS_openat) /* counting needs them */
		CHECK(count_fds() == before);
}

static void try_failing(long nr, int number, enum atomicfile_commit how)
{
	failing.nr = nr;
	failing.number = number;
	failing.how = how;
	cr_expect(in_child(failing_call, NULL), "call %ld errno %d", nr, number);
	cr_expect(has_file("d/f", "old"), "call %ld errno %d", nr, number);
	cr_expect_eq(count_entries("d"), 1, "call %ld errno %d: left behind", nr, number);
}

Test(atomicfile, each_call_fails_with_each_number)
{
	static const long calls[] = {SYS_openat, SYS_write, SYS_fchmod, SYS_fsync, SYS_newfstatat};
	static const int numbers[] = {EIO,    ENOSPC, EDQUOT, EROFS,  EACCES, EPERM,  EINTR,
				      EAGAIN, ENOMEM, EBADF,  EINVAL, ENFILE, EMFILE, ENOSYS};

	put_file("d/f", "old", 0644);
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		for (size_t k = 0; k < ARRAY_LEN(numbers); k++) {
			if (calls[i] == SYS_newfstatat && numbers[k] == ENOSYS)
				continue; /* libc then asks in other ways */
			try_failing(calls[i], numbers[k], COMMIT_REPLACE);
			try_failing(calls[i], numbers[k], COMMIT_NEW);
		}
}
