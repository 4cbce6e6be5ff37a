/* SPDX-License-Identifier: MIT */
/*
 * Each system call of a function fails, in turn, with each plausible number: an error with a text
 * comes back, no descriptor stays open, nothing runs for ever. The tests of lock, proc and custody
 * hold their own tables.
 */
#include "base/base.h"

#include "base/atomicfile.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/pathfd.h"
#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

/* What libc makes of readlink. */
#ifdef SYS_readlink
#define CALL_READLINK SYS_readlink
#else
#define CALL_READLINK SYS_readlinkat
#endif

static int file_fd = -1, odd_fd = -1, dir_fd = -1;

static void reopen(void)
{
	if (file_fd >= 0)
		(void)close(file_fd);
	put_file("dir/f", "old", 0644);
	file_fd = openat(scratch_fd(), "dir/f", O_RDONLY | O_CLOEXEC);
	cr_assert_geq(file_fd, 0);
}

static void build(void)
{
	(void)make_scratch();
	put_dir("dir", 0755);
	reopen();
	put_file("dir/x (deleted)", "x", 0644);
	put_link("f", "dir/link");
	put_link(".", "dir/here");
	odd_fd = openat(scratch_fd(), "dir/x (deleted)", O_RDONLY | O_CLOEXEC);
	dir_fd = openat(scratch_fd(), "dir", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert(odd_fd >= 0 && dir_fd >= 0);
}

static void drop(void)
{
	(void)close(file_fd);
	(void)close(odd_fd);
	(void)close(dir_fd);
	remove_scratch();
}

TestSuite(errno_table, .init = build, .fini = drop);

static int do_open(struct errctx *e)
{
	int fd = -7, code = pathfd_open(scratch_fd(), "dir/f", O_RDONLY, 0, LINKS_NONE, &fd, e);

	CHECK(code == 0 || fd == -7);
	if (code == 0)
		(void)close(fd);
	return code;
}

static int do_root(struct errctx *e)
{
	int fd = -7, code = pathfd_open_root("/", &fd, e);

	CHECK(code == 0 || fd == -7);
	return code;
}

static int do_make_dirs(struct errctx *e)
{
	int fd = -7, code = pathfd_make_dirs(scratch_fd(), "new/deep", 0700, &fd, e);

	CHECK(code == 0 || fd == -7);
	if (code == 0)
		(void)close(fd);
	return code;
}

static int to_buf(int code, struct buf *out)
{
	CHECK(code == 0 || out->len == 0);
	buf_release(out);
	return code;
}

static int do_name(struct errctx *e)
{
	struct buf out;

	buf_init(&out, MAX_PATH_BYTES);
	return to_buf(pathfd_name(file_fd, &out, e), &out);
}

static int do_odd_name(struct errctx *e)
{
	struct buf out;

	buf_init(&out, MAX_PATH_BYTES);
	return to_buf(pathfd_name(odd_fd, &out, e), &out);
}

static int do_beneath(struct errctx *e)
{
	struct buf out;

	buf_init(&out, MAX_PATH_BYTES);
	return to_buf(pathfd_name_beneath(scratch_fd(), file_fd, &out, e), &out);
}

static int do_resolve(struct errctx *e)
{
	struct buf out;

	buf_init(&out, MAX_PATH_BYTES);
	return to_buf(pathfd_resolve(scratch_fd(), "dir/../dir/f", &out, NULL, e), &out);
}

static int do_resolve_link(struct errctx *e)
{
	struct buf out;

	buf_init(&out, MAX_PATH_BYTES);
	return to_buf(pathfd_resolve(scratch_fd(), "dir/link", &out, NULL, e), &out);
}

static int do_resolve_missing(struct errctx *e)
{
	struct buf out;

	buf_init(&out, MAX_PATH_BYTES);
	return to_buf(pathfd_resolve(scratch_fd(), "dir/here/new/a", &out, NULL, e), &out);
}

static int do_new(struct errctx *e)
{
	return atomicfile_put(dir_fd, "g", VIEW("new"), 0600, COMMIT_NEW, e);
}

static int do_replace(struct errctx *e)
{
	return atomicfile_put(dir_fd, "f", VIEW("new"), 0600, COMMIT_REPLACE, e);
}

static int do_remove(struct errctx *e)
{
	return atomicfile_remove(dir_fd, "f", e);
}

static const int numbers[] = {0 /* the control: nothing fails */,
			      EIO,
			      ENOSPC,
			      EDQUOT,
			      EROFS,
			      EACCES,
			      EPERM,
			      EINTR,
			      EAGAIN,
			      ENOMEM,
			      EBADF,
			      EINVAL,
			      ENFILE,
			      EMFILE,
			      ENOSYS,
			      ELOOP,
			      EXDEV,
			      EEXIST,
			      ENOTDIR,
			      ENAMETOOLONG,
			      ENOENT,
			      ESTALE};

/* tolerated: numbers with which the function may succeed, since it has another way. */
static const struct row {
	const char *name;
	int (*act)(struct errctx *e);
	bool walk;
	long call;
	int tolerated[6];
} rows[] = {
	{"open", do_open, false, SYS_openat2, {ENOSYS, EPERM}},
	{"open by walk", do_open, true, SYS_openat, {0}},
	{"open root", do_root, false, SYS_openat, {0}},
	{"make dirs: open", do_make_dirs, false, SYS_openat2, {ENOSYS, EPERM}},
	{"make dirs: make", do_make_dirs, false, SYS_mkdirat, {0}},
	{"make dirs: sync", do_make_dirs, false, SYS_fsync, {0}},
	{"make dirs: mode", do_make_dirs, false, SYS_fchmod, {0}},
	{"make dirs by walk", do_make_dirs, true, SYS_openat, {0}},
	{"name", do_name, false, CALL_READLINK, {0}},
	{"name with the mark", do_odd_name, false, SYS_newfstatat, {0}},
	{"name beneath", do_beneath, false, CALL_READLINK, {0}},
	{"resolve", do_resolve, false, SYS_openat2, {ENOSYS, EPERM}},
	{"resolve by walk", do_resolve, true, SYS_openat, {0}},
	{"resolve by walk: look", do_resolve, true, SYS_newfstatat, {ENOENT}},
	{"resolve link", do_resolve_link, false, CALL_READLINK, {ENOENT, ENOTDIR}},
	{"resolve link by walk: kind", do_resolve_link, true, SYS_fstatfs, {0}},
	{"resolve link by walk: text", do_resolve_link, true, SYS_readlinkat, {0}},
	{"resolve missing: open", do_resolve_missing, false, SYS_openat2, {ENOSYS, EPERM}},
	{"resolve missing: link", do_resolve_missing, false, SYS_readlinkat, {0}},
	{"new: rename", do_new, false, SYS_renameat2, {ENOSYS, EINVAL, EPERM}},
#ifdef SYS_renameat
	{"replace: rename", do_replace, false, SYS_renameat, {0}},
#endif
	{"remove: unlink", do_remove, false, SYS_unlinkat, {0}},
	{"remove: sync", do_remove, false, SYS_fsync, {EINVAL}},
};

struct run {
	const struct row *row;
	int number;
};

static bool is_tolerated(const struct run *r)
{
	for (size_t i = 0; i < ARRAY_LEN(r->row->tolerated); i++)
		if (r->row->tolerated[i] == r->number)
			return true;
	return false;
}

static void try_row(void *arg)
{
	const struct run *r = arg;
	struct errctx e = {0};
	int before = count_fds(), code;

	(void)alarm(60);
	pathfd_force_walk(r->row->walk);
	if (r->number)
		deny_syscall(r->row->call, r->number);
	code = r->row->act(&e);
	CHECK(r->number == 0 ? code == 0 : code < 0 || is_tolerated(r));
	CHECK(e.code == code);
	if (code)
		CHECK(e.text[0]);
	if (r->row->call != SYS_openat && r->row->call != SYS_newfstatat) /* counting needs them */
		CHECK(count_fds() == before);
}

Test(errno_table, each_call_fails_with_each_number, .timeout = 120)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t k = 0; k < ARRAY_LEN(numbers); k++) {
			struct run r = {&rows[i], numbers[k]};

			cr_expect(in_child(try_row, &r), "%s: errno %s", rows[i].name,
				  strerror(numbers[k]));
			cr_expect_leq(count_entries("dir"), 5, "%s: errno %s: left behind",
				      rows[i].name, strerror(numbers[k]));
			(void)unlinkat(scratch_fd(), "new/deep", AT_REMOVEDIR);
			(void)unlinkat(scratch_fd(), "new", AT_REMOVEDIR);
			(void)unlinkat(scratch_fd(), "dir/g", 0);
			(void)unlinkat(scratch_fd(), "dir/f", 0);
			cr_expect_eq(count_entries("dir"), 3, "%s: errno %s: left behind",
				     rows[i].name, strerror(numbers[k]));
			reopen();
		}
}

/* The folder's sync fails after the rename: an error, and the new file stands all the same. */
static void dir_sync_fails(void *arg)
{
	struct errctx e = {0};

	(void)arg;
	deny_syscall_where(SYS_fsync, EIO, 0, (unsigned)dir_fd);
	CHECK(do_replace(&e) == E_SYS && e.sys_errno == EIO);
	CHECK(strstr(e.text, "it is written"));
	CHECK(do_remove(&e) == E_SYS);
	CHECK(strstr(e.text, "it is removed"));
	CHECK(do_new(&e) == E_SYS);
}

Test(errno_table, folder_sync_that_fails_is_told_apart)
{
	cr_expect(in_child(dir_sync_fails, NULL));
	cr_expect(has_file("dir/g", "new"));
	cr_expect_eq(count_entries("dir"), 4);
}

static void clean_up_fails(void *arg)
{
	struct atomicfile f;

	(void)arg;
	CHECK(atomicfile_begin(&f, dir_fd, "f", "t", 0600, NULL) == 0);
	deny_syscall(SYS_unlinkat, EIO);
	atomicfile_abort(&f);
	CHECK(!f.open && f.fd == -1);
}

Test(errno_table, abort_never_fails)
{
	cr_expect(in_child(clean_up_fails, NULL));
}

static void close_fails(void *arg)
{
	struct errctx e = {0};
	int next = fcntl(0, F_DUPFD_CLOEXEC, 3); /* the number that the file will get */

	(void)arg;
	(void)close(next);
	deny_syscall_where(SYS_close, EIO, 0, (unsigned)next);
	CHECK(do_replace(&e) == E_SYS && e.sys_errno == EIO);
}

Test(errno_table, close_that_fails_is_seen_before_the_rename)
{
	cr_expect(in_child(close_fails, NULL));
	cr_expect(has_file("dir/f", "old"));
	cr_expect_eq(count_entries("dir"), 4);
}
