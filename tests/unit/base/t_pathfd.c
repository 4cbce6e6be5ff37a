/* SPDX-License-Identifier: MIT */
/* Opening beneath a root: one table of paths, by openat2 and by the component walk. */
#include "base/base.h"

#include "base/pathfd.h"

#include "base/limits.h"
#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

static char name_255[256], name_256[257], path_4095[4096], path_4096[4097];
static int root_fd = -1;
static int walk_flag; /* its address says "walk" to a child */

/* "././.../README.md" of exactly size - 1 bytes. */
static void fill_path(char *path, size_t size)
{
	static const char end[] = "README.md";
	size_t front = size - sizeof(end);

	for (size_t i = 0; i < front; i++)
		path[i] = i % 2 ? '/' : '.';
	path[front - 1] = '/';
	memcpy(path + front, end, sizeof(end));
}

static void build_tree(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char text[4096], to[64];
	int fd;

	memset(name_255, 'n', sizeof(name_255) - 1);
	memset(name_256, 'n', sizeof(name_256) - 1);
	fill_path(path_4095, sizeof(path_4095));
	fill_path(path_4096, sizeof(path_4096));
	(void)make_scratch();
	put_dir("root", 0755);
	put_file("outside", "outside", 0644);
	put_file("root/README.md", "readme", 0644);
	put_dir("root/dir", 0755);
	put_dir("root/dir/sub", 0755);
	put_file("root/dir/sub/f", "f", 0644);
	put_dir("root/locked", 0755);
	put_file("root/locked/in", "in", 0644);
	cr_assert_eq(fchmodat(scratch_fd(), "root/locked", 0, 0), 0);
	put_dir("root/search", 0755);
	put_file("root/search/in", "in", 0644);
	cr_assert_eq(fchmodat(scratch_fd(), "root/search", 0111, 0), 0);
	put_file("root/secret", "s", 0000);
	put_file("root/bad\xff", "bad", 0644);
	put_file("root/new\nline", "nl", 0644);
	put_file("root/gone (deleted)", "still here", 0644);
	put_link("README.md", "root/l_file");
	put_link("dir", "root/l_dir");
	put_link("nowhere", "root/l_dang");
	put_link("/etc/passwd", "root/l_abs_out");
	put_link("../outside", "root/l_up_out");
	put_link("dir/../README.md", "root/l_up_in");
	put_link("/proc/self/root", "root/l_proc");
	put_link("l_self", "root/l_self");
	put_link("dir/sub/", "root/l_slash");
	for (int i = 0; i < 41; i++) {
		(void)snprintf(text, sizeof(text), "root/chain%d", i);
		if (i == 40)
			(void)snprintf(to, sizeof(to), "README.md");
		else
			(void)snprintf(to, sizeof(to), "chain%d", i + 1);
		put_link(to, text);
	}
	cr_assert_eq(mkfifoat(scratch_fd(), "root/fifo", 0600), 0);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	cr_assert_eq(fchdir(scratch_fd()), 0);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "root/sock");
	cr_assert_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	(void)close(fd);
	cr_assert_not_null(realpath("root/README.md", text));
	put_link(text, "root/l_abs_in");
	cr_assert_eq(chdir("/"), 0);
	root_fd = openat(scratch_fd(), "root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(root_fd, 0);
}

static void drop_tree(void)
{
	pathfd_force_walk(false);
	(void)close(root_fd);
	remove_scratch();
}

TestSuite(pathfd, .init = build_tree, .fini = drop_tree);

/* What opens without following any link. opens: the file, by another spelling. */
static const struct open_case {
	const char *path;
	int flags;
	int code;   /* 0 or E_* */
	int number; /* errno, where the code alone says too little */
	const char *opens;
} no_links[] = {
	{"README.md", O_RDONLY, 0, 0, "README.md"},
	{"./README.md", O_RDONLY, 0, 0, "README.md"},
	{"dir//sub///f", O_RDONLY, 0, 0, "dir/sub/f"},
	{"./dir/./sub/./f", O_RDONLY, 0, 0, "dir/sub/f"},
	{"dir/../README.md", O_RDONLY, 0, 0, "README.md"},
	{"dir/sub/../../dir/sub/../sub/f", O_RDONLY, 0, 0, "dir/sub/f"},
	{".", O_RDONLY | O_DIRECTORY, 0, 0, "."},
	{"./", O_RDONLY | O_DIRECTORY, 0, 0, "."},
	{"dir/..", O_RDONLY | O_DIRECTORY, 0, 0, "."},
	{"dir", O_RDONLY | O_DIRECTORY, 0, 0, "dir"},
	{"dir/", O_RDONLY, 0, 0, "dir"},
	{"dir/sub/.", O_RDONLY, 0, 0, "dir/sub"},
	{"dir/sub/..", O_RDONLY, 0, 0, "dir"},
	{"dir/sub/../", O_RDONLY, 0, 0, "dir"},
	{"bad\xff", O_RDONLY, 0, 0, "bad\xff"},
	{"new\nline", O_RDONLY, 0, 0, "new\nline"},
	{path_4095, O_RDONLY, 0, 0, "README.md"},
	{"fifo", O_RDONLY | O_NONBLOCK, 0, 0, "fifo"},
	{"locked", O_PATH, 0, 0, "locked"},
	{"secret", O_PATH, 0, 0, "secret"},
	{"l_file", O_PATH | O_NOFOLLOW, 0, 0, "l_file"}, /* the link itself */
	{"l_dang", O_PATH | O_NOFOLLOW, 0, 0, "l_dang"},
	/* outside */
	{"..", O_RDONLY, E_OUTSIDE, EXDEV, NULL},
	{"../", O_RDONLY, E_OUTSIDE, EXDEV, NULL},
	{"../root/README.md", O_RDONLY, E_OUTSIDE, EXDEV, NULL},
	{"dir/../../outside", O_RDONLY, E_OUTSIDE, EXDEV, NULL},
	{"dir/sub/../../..", O_RDONLY, E_OUTSIDE, EXDEV, NULL},
	{"/", O_RDONLY, E_OUTSIDE, EXDEV, NULL},
	{"//", O_RDONLY, E_OUTSIDE, EXDEV, NULL},
	{"/etc/passwd", O_RDONLY, E_OUTSIDE, EXDEV, NULL},
	{"/README.md", O_RDONLY, E_OUTSIDE, EXDEV, NULL},
	/* missing */
	{"", O_RDONLY, E_NOENT, ENOENT, NULL},
	{"missing", O_RDONLY, E_NOENT, ENOENT, NULL},
	{"missing/", O_RDONLY, E_NOENT, ENOENT, NULL},
	{"missing/..", O_RDONLY, E_NOENT, ENOENT, NULL},
	{"missing/x/../../..", O_RDONLY, E_NOENT, ENOENT, NULL},
	{"dir/missing", O_RDONLY, E_NOENT, ENOENT, NULL},
	{name_255, O_RDONLY, E_NOENT, ENOENT, NULL},
	/* a file used as a folder */
	{"README.md/", O_RDONLY, E_NOTDIR, ENOTDIR, NULL},
	{"README.md/x", O_RDONLY, E_NOTDIR, ENOTDIR, NULL},
	{"README.md/.", O_RDONLY, E_NOTDIR, ENOTDIR, NULL},
	{"README.md/..", O_RDONLY, E_NOTDIR, ENOTDIR, NULL},
	{"README.md", O_RDONLY | O_DIRECTORY, E_NOTDIR, ENOTDIR, NULL},
	{"fifo/x", O_RDONLY, E_NOTDIR, ENOTDIR, NULL},
	{"sock/", O_RDONLY, E_NOTDIR, ENOTDIR, NULL},
	/* too long */
	{name_256, O_RDONLY, E_TOOBIG, ENAMETOOLONG, NULL},
	{path_4096, O_RDONLY, E_TOOBIG, ENAMETOOLONG, NULL},
	/* links */
	{"l_file", O_RDONLY, E_LINK, ELOOP, NULL},
	{"l_file", O_RDONLY | O_NOFOLLOW, E_LINK, ELOOP, NULL},
	{"l_file", O_RDONLY | O_DIRECTORY, E_LINK, ELOOP, NULL},
	{"l_file", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, E_LINK, ELOOP, NULL},
	{"l_file", O_PATH, E_LINK, ELOOP, NULL},
	{"l_file/", O_PATH | O_NOFOLLOW, E_LINK, ELOOP, NULL},
	{"l_dir", O_RDONLY, E_LINK, ELOOP, NULL},
	{"l_dir", O_PATH | O_DIRECTORY | O_NOFOLLOW, E_LINK, ELOOP, NULL},
	{"l_dir/", O_RDONLY, E_LINK, ELOOP, NULL},
	{"l_dir/.", O_RDONLY, E_LINK, ELOOP, NULL},
	{"l_dir/..", O_RDONLY, E_LINK, ELOOP, NULL},
	{"l_dir/sub/f", O_RDONLY, E_LINK, ELOOP, NULL},
	{"l_dang", O_RDONLY, E_LINK, ELOOP, NULL},
	{"l_abs_in", O_RDONLY, E_LINK, ELOOP, NULL},
	{"l_abs_out", O_RDONLY, E_LINK, ELOOP, NULL},
	{"l_up_out", O_RDONLY, E_LINK, ELOOP, NULL},
	{"l_proc/etc/passwd", O_RDONLY, E_LINK, ELOOP, NULL},
	{"l_self", O_RDONLY, E_LINK, ELOOP, NULL},
	{"chain40", O_RDONLY, E_LINK, ELOOP, NULL},
	/* kinds of files */
	{"sock", O_RDONLY, E_SYS, ENXIO, NULL},
	{"fifo", O_WRONLY | O_NONBLOCK, E_SYS, ENXIO, NULL},
	{"dir", O_WRONLY, E_SYS, EISDIR, NULL},
	/* creation */
	{"README.md", O_WRONLY | O_CREAT | O_EXCL, E_EXISTS, EEXIST, NULL},
	{"dir", O_WRONLY | O_CREAT | O_EXCL, E_EXISTS, EEXIST, NULL},
	{"l_dang", O_WRONLY | O_CREAT | O_EXCL, E_EXISTS, EEXIST, NULL},
	{"l_dang", O_WRONLY | O_CREAT, E_LINK, ELOOP, NULL},
	{"l_file", O_WRONLY | O_CREAT, E_LINK, ELOOP, NULL},
	{"new/", O_WRONLY | O_CREAT, E_SYS, EISDIR, NULL},
	{"dir/", O_WRONLY | O_CREAT, E_SYS, EISDIR, NULL},
	{"missing/new", O_WRONLY | O_CREAT, E_NOENT, ENOENT, NULL},
	{"README.md", O_WRONLY | O_CREAT, 0, 0, "README.md"},
};

static bool same_file(int fd, const char *name)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && fstatat(root_fd, name, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void try_open(const struct open_case *c, enum pathfd_links links, const char *way)
{
	struct errctx e = {0};
	int fd = -7;
	int code = pathfd_open(root_fd, c->path, c->flags, 0640, links, &fd, &e);

	cr_expect_eq(code, c->code, "%s: \"%.60s\" (%#o): %s, not %s: %s", way, c->path,
		     (unsigned)c->flags, err_name(code), err_name(c->code), e.text);
	if (code == 0) {
		cr_expect(same_file(fd, c->opens), "%s: \"%.60s\" opened something else", way,
			  c->path);
		cr_expect_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
		(void)close(fd);
	} else {
		cr_expect_eq(fd, -7, "ret_fd is written only on success");
		cr_expect_eq(e.code, code);
		cr_expect_eq(e.sys_errno, c->number, "%s: \"%.60s\": errno %d", way, c->path,
			     e.sys_errno);
		cr_expect(strlen(e.text) > 0);
	}
}

static void try_all(const struct open_case *cases, size_t n, enum pathfd_links links,
		    const char *way)
{
	int before = count_fds();

	for (size_t i = 0; i < n; i++)
		try_open(&cases[i], links, way);
	cr_expect_eq(count_fds(), before, "a descriptor leaked");
}

Test(pathfd, kernel_and_table_agree)
{
	try_all(no_links, ARRAY_LEN(no_links), LINKS_NONE, "kernel");
}

Test(pathfd, walk_and_table_agree)
{
	pathfd_force_walk(true);
	try_all(no_links, ARRAY_LEN(no_links), LINKS_NONE, "walk");
}

Test(pathfd, walk_refuses_links_where_the_kernel_would_follow)
{
	pathfd_force_walk(true);
	try_all(no_links, ARRAY_LEN(no_links), LINKS_BENEATH, "walk");
}

static const struct open_case with_links[] = {
	{"l_file", O_RDONLY, 0, 0, "README.md"},
	{"l_dir", O_RDONLY, 0, 0, "dir"},
	{"l_dir/", O_RDONLY, 0, 0, "dir"},
	{"l_dir/..", O_RDONLY, 0, 0, "."},
	{"l_dir/sub/f", O_RDONLY, 0, 0, "dir/sub/f"},
	{"l_slash/f", O_RDONLY, 0, 0, "dir/sub/f"},
	{"l_up_in", O_RDONLY, 0, 0, "README.md"},
	{"chain1", O_RDONLY, 0, 0, "README.md"},
	{"chain0", O_RDONLY, E_LINK, ELOOP, NULL},
	{"l_self", O_RDONLY, E_LINK, ELOOP, NULL},
	{"l_file", O_RDONLY | O_NOFOLLOW, E_LINK, ELOOP, NULL},
	{"l_file/", O_RDONLY, E_NOTDIR, ENOTDIR, NULL},
	{"l_dang", O_RDONLY, E_NOENT, ENOENT, NULL},
	{"l_abs_in", O_RDONLY, E_OUTSIDE, EXDEV, NULL},
	{"l_abs_out", O_RDONLY, E_OUTSIDE, EXDEV, NULL},
	{"l_up_out", O_RDONLY, E_OUTSIDE, EXDEV, NULL},
	{"l_proc/etc/passwd", O_RDONLY, E_OUTSIDE, EXDEV, NULL},
	{"l_dir/../../outside", O_RDONLY, E_OUTSIDE, EXDEV, NULL},
};

Test(pathfd, links_are_followed_beneath_the_root_only)
{
	try_all(with_links, ARRAY_LEN(with_links), LINKS_BENEATH, "links");
}

static void try_locked(void *walk)
{
	int fd = -1;
	struct errctx e = {0};
	static const struct open_case locked[] = {
		{"locked/in", O_RDONLY, E_SYS, EACCES, NULL},
		{"locked/..", O_RDONLY, E_SYS, EACCES, NULL},
		{"locked/.", O_RDONLY, E_SYS, EACCES, NULL},
		{"locked/../README.md", O_RDONLY, E_SYS, EACCES, NULL},
		{"locked/missing", O_RDONLY, E_SYS, EACCES, NULL},
		{"locked", O_RDONLY, E_SYS, EACCES, NULL},
		{"secret", O_RDONLY, E_SYS, EACCES, NULL},
		{"README.md", O_RDONLY, 0, 0, "README.md"},
		{"search/in", O_RDONLY, 0, 0, "search/in"}, /* needs no right to read it */
		{"search/../README.md", O_RDONLY, 0, 0, "README.md"},
		{"search", O_RDONLY, E_SYS, EACCES, NULL},
	};

	pathfd_force_walk(walk != NULL);
	for (size_t i = 0; i < ARRAY_LEN(locked); i++) {
		CHECK(pathfd_open(root_fd, locked[i].path, locked[i].flags, 0, LINKS_NONE, &fd,
				  &e) == locked[i].code);
		if (locked[i].code)
			CHECK(e.sys_errno == EACCES);
		else
			CHECK(close(fd) == 0);
	}
}

Test(pathfd, folders_without_search_permission_as_ordinary_user)
{
	cr_assert(in_child_as_user(try_locked, NULL));
	cr_assert(in_child_as_user(try_locked, &walk_flag));
}

static void create_modes(const char *name)
{
	int fd = -1;
	struct stat st;

	umask(022);
	cr_assert_eq(pathfd_open(root_fd, name, O_WRONLY | O_CREAT | O_EXCL, 0664, LINKS_NONE, &fd,
				 NULL),
		     0);
	cr_assert_eq(fstat(fd, &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0644);
	(void)close(fd);
}

Test(pathfd, creates_with_the_mode_asked_for)
{
	create_modes("dir/new1");
	pathfd_force_walk(true);
	create_modes("dir/new2");
}

static void through_filter(void *arg)
{
	int number = *(int *)arg, fd = -1;
	struct errctx e = {0};

	deny_syscall(SYS_openat2, number);
	CHECK(pathfd_open(root_fd, "dir/sub/f", O_RDONLY, 0, LINKS_NONE, &fd, &e) == 0);
	CHECK(same_file(fd, "dir/sub/f"));
	CHECK(pathfd_open(root_fd, "l_file", O_RDONLY, 0, LINKS_BENEATH, &fd, &e) == E_LINK);
	CHECK(pathfd_open(root_fd, "../outside", O_RDONLY, 0, LINKS_NONE, &fd, &e) == E_OUTSIDE);
}

Test(pathfd, a_filter_that_hides_openat2_leads_to_the_walk)
{
	int numbers[] = {ENOSYS, EPERM};

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		cr_assert(in_child(through_filter, &numbers[i]), "errno %d", numbers[i]);
}

static void races_for_ever(void *arg)
{
	int fd = -7, number = *(int *)arg;
	struct errctx e = {0};

	deny_syscall(SYS_openat2, number);
	if (number == EAGAIN) {
		CHECK(pathfd_open(root_fd, "README.md", O_RDONLY, 0, LINKS_NONE, &fd, &e) ==
		      E_CHANGED);
	} else {
		CHECK(pathfd_open(root_fd, "README.md", O_RDONLY, 0, LINKS_NONE, &fd, &e) < 0);
		CHECK(e.sys_errno == number);
	}
	CHECK(fd == -7);
}

Test(pathfd, endless_races_and_interrupts_end)
{
	int numbers[] = {EAGAIN, EINTR, EIO, ENOMEM, EMFILE, ENFILE, EACCES, EINVAL, E2BIG};

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		cr_assert(in_child(races_for_ever, &numbers[i]), "errno %d", numbers[i]);
}

static void real_eperm(void *arg)
{
	int fd = -1;
	struct errctx e = {0};

	(void)arg;
	/* O_NOATIME on a file of somebody else: EPERM from the file, not from a filter. */
	CHECK(pathfd_open(root_fd, "README.md", O_RDONLY | O_NOATIME, 0, LINKS_NONE, &fd, &e) ==
	      E_SYS);
	CHECK(e.sys_errno == EPERM);
	CHECK(pathfd_open(root_fd, "l_file", O_RDONLY, 0, LINKS_BENEATH, &fd, &e) == 0);
}

Test(pathfd, eperm_of_a_file_does_not_switch_to_the_walk)
{
	if (geteuid() != 0)
		skip_other_user("needs a file of another user");
	cr_assert(in_child_as_user(real_eperm, NULL));
}

static void through_mounts(void *walk)
{
	char text[300];
	int fd = -1;

	CHECK(enter_namespaces());
	CHECK(chdir(scratch_path()) == 0 && chdir("root") == 0);
	root_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(root_fd >= 0);
	CHECK(mount("none", "dir/sub", "tmpfs", 0, "size=64k") == 0);
	CHECK(mkdir("dir/sub/deep", 0700) == 0);
	CHECK(mount("/proc", "dir/proc", NULL, MS_BIND | MS_REC, NULL) == 0);
	/* The root descriptor is older than the mounts; names lead through them all the same. */
	pathfd_force_walk(walk != NULL);
	CHECK(pathfd_open(root_fd, "dir/sub/deep", O_RDONLY, 0, LINKS_NONE, &fd, NULL) == 0);
	CHECK(pathfd_open(root_fd, "dir/sub/deep/../../sub/deep", O_RDONLY, 0, LINKS_NONE, &fd,
			  NULL) == 0);
	CHECK(pathfd_open(root_fd, "dir/sub/../../../outside", O_RDONLY, 0, LINKS_NONE, &fd,
			  NULL) == E_OUTSIDE);
	/* Links of /proc lead anywhere, whatever their text. */
	CHECK(pathfd_open(root_fd, "dir/proc/self/root/etc", O_RDONLY, 0, LINKS_NONE, &fd, NULL) ==
	      E_LINK);
	CHECK(pathfd_open(root_fd, "dir/proc/1/root", O_RDONLY, 0, LINKS_BENEATH, &fd, NULL) < 0);
	CHECK(pathfd_open(root_fd, "dir/proc/self/fd/0", O_RDONLY, 0, LINKS_BENEATH, &fd, NULL) ==
	      E_LINK);
	CHECK(pathfd_open(root_fd, "dir/proc/self/cwd", O_RDONLY, 0, LINKS_BENEATH, &fd, NULL) ==
	      E_LINK);
	(void)snprintf(text, sizeof(text), "dir/proc/%d/cwd", (int)getpid());
	CHECK(pathfd_open(root_fd, text, O_RDONLY, 0, LINKS_BENEATH, &fd, NULL) == E_LINK);
	(void)snprintf(text, sizeof(text), "dir/proc/%d/status", (int)getpid());
	CHECK(pathfd_open(root_fd, text, O_RDONLY, 0, LINKS_NONE, &fd, NULL) == 0);
}

Test(pathfd, mounts_beneath_the_root_and_links_of_proc)
{
	if (!need_namespaces())
		return;
	put_dir("root/dir/proc", 0700);
	cr_assert(in_child(through_mounts, NULL));
	cr_assert(in_child(through_mounts, &walk_flag));
}

Test(pathfd, device_opens_only_as_far_as_asked)
{
	int fd = -1;

	if (geteuid() != 0 || mknodat(root_fd, "dev", S_IFCHR | 0600, 0x0103) < 0)
		skip_other_user("needs the right to make a device");
	cr_assert_eq(pathfd_open(root_fd, "dev", O_PATH, 0, LINKS_NONE, &fd, NULL), 0);
	(void)close(fd);
	cr_assert_eq(pathfd_open(root_fd, "dev/x", O_RDONLY, 0, LINKS_NONE, &fd, NULL), E_NOTDIR);
}

/* A path of very many steps: it ends, with an answer or with E_TOOBIG. */
Test(pathfd, walk_of_many_dips_ends)
{
	char path[4000];
	int fd = -1;

	path[0] = 0;
	for (int i = 0; i < 100; i++)
		memcpy(path + 7 * i, "dir/../", 8);
	memcpy(path + 700, "README.md", 10);
	pathfd_force_walk(true);
	cr_assert_eq(pathfd_open(root_fd, path, O_RDONLY, 0, LINKS_NONE, &fd, NULL), 0);
	(void)close(fd);
}

Test(pathfd, walk_past_the_step_limit_is_refused)
{
	char path[4096];
	size_t n = 0;
	int fd = -1, at = root_fd;

	for (int i = 0; i < 500; i++) {
		cr_assert_eq(mkdirat(at, "d", 0700), 0);
		fd = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		cr_assert_geq(fd, 0);
		if (at != root_fd)
			(void)close(at);
		at = fd;
		memcpy(path + n, "d/", 2);
		n += 2;
	}
	(void)close(at);
	fd = -1;
	for (int i = 0; i < 200; i++, n += 5)
		memcpy(path + n, "../d/", 6);
	cr_assert_eq(pathfd_open(root_fd, path, O_RDONLY, 0, LINKS_NONE, &fd, NULL), 0);
	(void)close(fd);
	pathfd_force_walk(true);
	cr_assert_eq(pathfd_open(root_fd, path, O_RDONLY, 0, LINKS_NONE, &fd, NULL), E_TOOBIG);
}

Test(pathfd, open_root_says_what_is_wrong)
{
	struct errctx e = {0};
	char path[400];
	int fd = -1;

	(void)snprintf(path, sizeof(path), "%s", "/etc/passwd");
	cr_assert_eq(pathfd_open_root(path, &fd, &e), E_NOTDIR);
	cr_assert_eq(pathfd_open_root("/nonexistent/x", &fd, &e), E_NOENT);
	cr_assert_not_null(strstr(e.text, "/nonexistent/x"));
	cr_assert_eq(pathfd_open_root("/", &fd, &e), 0);
	cr_assert_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	(void)close(fd);
}

static void make_them(const char *top)
{
	char path[64];
	struct errctx e = {0};
	int fd = -1;
	struct stat st;

	umask(0777); /* the mode is exact whatever this says */
	(void)snprintf(path, sizeof(path), "%s//a/./b/", top);
	cr_assert_eq(pathfd_make_dirs(root_fd, path, 0700, &fd, &e), geteuid() == 0 ? 0 : E_SYS);
	(void)close(fd);
	umask(077);
	(void)snprintf(path, sizeof(path), "%s/c/d", top);
	cr_assert_eq(pathfd_make_dirs(root_fd, path, 0750, &fd, &e), geteuid() == 0 ? 0 : E_SYS);
	if (geteuid() != 0)
		return;
	cr_assert_eq(fstat(fd, &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0750);
	(void)close(fd);
	cr_assert_eq(fstatat(root_fd, top, &st, 0), 0);
	cr_assert_eq(st.st_mode & 07777, 0700);
	cr_assert_eq(e.code, 0, "nothing went wrong, and the context says so");
}

Test(pathfd, make_dirs_makes_what_is_missing)
{
	struct errctx e = {0};
	int fd = -1, again = -1;
	int before = count_fds();

	make_them("new");
	pathfd_force_walk(true);
	make_them("walked");
	pathfd_force_walk(false);
	umask(022);
	cr_assert_eq(pathfd_make_dirs(root_fd, "m/n", 0700, &fd, &e), 0);
	cr_assert_eq(pathfd_make_dirs(root_fd, "m/n", 0700, &again, &e), 0);
	(void)close(fd);
	(void)close(again);
	fd = -7;
	cr_expect_eq(pathfd_make_dirs(root_fd, "l_dir/x", 0700, &fd, &e), E_LINK);
	cr_expect_eq(pathfd_make_dirs(root_fd, "dir/l/x", 0700, &fd, &e), 0);
	(void)close(fd);
	fd = -7;
	cr_expect_eq(pathfd_make_dirs(root_fd, "l_dang/x", 0700, &fd, &e), E_LINK);
	cr_expect_eq(pathfd_make_dirs(root_fd, "README.md/x", 0700, &fd, &e), E_NOTDIR);
	cr_expect_eq(pathfd_make_dirs(root_fd, "README.md", 0700, &fd, &e), E_NOTDIR);
	cr_expect_eq(pathfd_make_dirs(root_fd, "x/../y", 0700, &fd, &e), E_OUTSIDE);
	cr_expect_eq(pathfd_make_dirs(root_fd, "../y", 0700, &fd, &e), E_OUTSIDE);
	cr_expect_eq(pathfd_make_dirs(root_fd, "/y", 0700, &fd, &e), E_OUTSIDE);
	cr_expect_eq(pathfd_make_dirs(root_fd, "", 0700, &fd, &e), E_NOENT);
	cr_expect_eq(pathfd_make_dirs(root_fd, name_256, 0700, &fd, &e), E_TOOBIG);
	cr_expect_eq(fd, -7);
	cr_expect(faccessat(root_fd, "y", F_OK, 0) < 0);
	cr_expect_eq(count_fds(), before, "a descriptor leaked");
}

Test(pathfd, a_file_opened_through_a_swapped_parent_is_never_outside)
{
	/* The parent becomes a link between two opens: refused both ways. */
	int fd = -1;

	cr_assert_eq(pathfd_open(root_fd, "dir/sub/f", O_RDONLY, 0, LINKS_NONE, &fd, NULL), 0);
	(void)close(fd);
	cr_assert_eq(renameat(root_fd, "dir", root_fd, "moved"), 0);
	cr_assert_eq(symlinkat("..", root_fd, "dir"), 0);
	cr_assert_eq(pathfd_open(root_fd, "dir/outside", O_RDONLY, 0, LINKS_NONE, &fd, NULL),
		     E_LINK);
	cr_assert_eq(pathfd_open(root_fd, "dir/outside", O_RDONLY, 0, LINKS_BENEATH, &fd, NULL),
		     E_OUTSIDE);
	pathfd_force_walk(true);
	cr_assert_eq(pathfd_open(root_fd, "dir/outside", O_RDONLY, 0, LINKS_BENEATH, &fd, NULL),
		     E_LINK);
}
