/* SPDX-License-Identifier: MIT */
/* Where a path leads: one table, by the kernel's answer and by small steps. */
#include "base/base.h"

#include "base/limits.h"
#include "base/pathfd.h"
#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>

static int root_fd = -1;
static char name_255[256], name_256[257], long_up[4096];

static void build_tree(void)
{
	char text[4096], to[64];

	memset(name_255, 'n', sizeof(name_255) - 1);
	memset(name_256, 'n', sizeof(name_256) - 1);
	(void)make_scratch();
	put_file("outside", "o", 0644);
	put_dir("root", 0755);
	put_file("root/README.md", "r", 0644);
	put_file("root/.env", "e", 0600);
	put_dir("root/dir", 0755);
	put_dir("root/dir/sub", 0755);
	put_file("root/dir/sub/f", "f", 0644);
	put_file("root/bad\xff", "b", 0644);
	put_file("root/gone (deleted)", "d", 0644);
	put_dir("root/locked", 0755);
	put_file("root/locked/in", "in", 0644);
	cr_assert_eq(fchmodat(scratch_fd(), "root/locked", 0, 0), 0);
	put_dir("root/search", 0755);
	put_file("root/search/in", "in", 0644);
	cr_assert_eq(fchmodat(scratch_fd(), "root/search", 0111, 0), 0);
	put_link("README.md", "root/l_file");
	put_link("dir", "root/l_dir");
	put_link("dir/sub/", "root/l_slash");
	put_link("../../README.md", "root/dir/sub/l_up");
	put_link("nowhere", "root/l_dang");
	put_link("dir/new/deep", "root/l_dang_deep");
	put_link("l_dang/../x", "root/l_dang_up");
	put_link("../outside", "root/l_out");
	put_link("../nothing", "root/l_out_dang");
	put_link("/etc/passwd", "root/l_abs_out");
	put_link("/nonexistent", "root/l_abs_dang");
	put_link("/proc/self/root", "root/l_proc");
	put_link("l_self", "root/l_self");
	put_link("../root/README.md", "root/l_out_and_back");
	for (int i = 0; i < 41; i++) {
		(void)snprintf(text, sizeof(text), "root/chain%d", i);
		if (i == 40)
			(void)snprintf(to, sizeof(to), "README.md");
		else
			(void)snprintf(to, sizeof(to), "chain%d", i + 1);
		put_link(to, text);
	}
	cr_assert_eq(mkfifoat(scratch_fd(), "root/fifo", 0600), 0);
	root_fd = openat(scratch_fd(), "root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	(void)snprintf(text, sizeof(text), "%s/root/README.md", scratch_path());
	put_link(text, "root/l_abs_in");
	for (size_t i = 0; i + 8 < sizeof(long_up); i += 7)
		memcpy(long_up + i, "dir/../", 8);
}

static void drop_tree(void)
{
	pathfd_force_walk(false);
	(void)close(root_fd);
	remove_scratch();
}

TestSuite(resolve, .init = build_tree, .fini = drop_tree);

static const struct {
	const char *path;
	int code;
	const char *leads_to;
	size_t missing;
} cases[] = {
	{".", 0, "", 0},
	{"./", 0, "", 0},
	{"dir/..", 0, "", 0},
	{"README.md", 0, "README.md", 0},
	{"./README.md", 0, "README.md", 0},
	{"dir//sub/./f", 0, "dir/sub/f", 0},
	{"dir/sub/", 0, "dir/sub", 0},
	{"dir/../.env", 0, ".env", 0},
	{"dir/sub/../../.env", 0, ".env", 0},
	{"bad\xff", 0, "bad\xff", 0},
	{"gone (deleted)", 0, "gone (deleted)", 0},
	{"fifo", 0, "fifo", 0},
	{long_up, 0, "", 0},
	/* links */
	{"l_file", 0, "README.md", 0},
	{"l_dir", 0, "dir", 0},
	{"l_dir/sub/f", 0, "dir/sub/f", 0},
	{"l_dir/..", 0, "", 0},
	{"l_slash/f", 0, "dir/sub/f", 0},
	{"l_slash/l_up", 0, "README.md", 0},
	{"l_dir/sub/l_up", 0, "README.md", 0},
	{"chain1", 0, "README.md", 0},
	{"chain0", E_LINK, NULL, 0},
	{"l_self", E_LINK, NULL, 0},
	{"l_self/x", E_LINK, NULL, 0},
	/* missing parts */
	{"new", 0, "new", 1},
	{"new/", 0, "new", 1},
	{"new/deep", 0, "new/deep", 2},
	{"dir/new", 0, "dir/new", 1},
	{"dir/./new//a/./b", 0, "dir/new/a/b", 3},
	{"dir/../new", 0, "new", 1},
	{"l_dir/new", 0, "dir/new", 1},
	{"l_dang", 0, "nowhere", 1},
	{"l_dang/x", 0, "nowhere/x", 2},
	{"l_dang_deep", 0, "dir/new/deep", 2},
	{name_255, 0, name_255, 1},
	{"new/..", E_NOENT, NULL, 0},
	{"new/../README.md", E_NOENT, NULL, 0},
	{"l_dang_up", E_NOENT, NULL, 0},
	{"", E_NOENT, NULL, 0},
	/* outside */
	{"..", E_OUTSIDE, NULL, 0},
	{"dir/../..", E_OUTSIDE, NULL, 0},
	{"../root/README.md", E_OUTSIDE, NULL, 0},
	{"l_dir/../../outside", E_OUTSIDE, NULL, 0},
	{"/", E_OUTSIDE, NULL, 0},
	{"/etc/passwd", E_OUTSIDE, NULL, 0},
	{"l_out", E_OUTSIDE, NULL, 0},
	{"l_out_dang", E_OUTSIDE, NULL, 0},
	{"l_out/x", E_OUTSIDE, NULL, 0},
	{"l_out_and_back", E_OUTSIDE, NULL, 0},
	{"l_abs_in", E_OUTSIDE, NULL, 0},
	{"l_abs_out", E_OUTSIDE, NULL, 0},
	{"l_abs_dang", E_OUTSIDE, NULL, 0},
	{"l_proc/etc/passwd", E_OUTSIDE, NULL, 0},
	/* files as folders, long names */
	{"README.md/", E_NOTDIR, NULL, 0},
	{"README.md/x", E_NOTDIR, NULL, 0},
	{"README.md/..", E_NOTDIR, NULL, 0},
	{"l_file/", E_NOTDIR, NULL, 0},
	{"l_file/x", E_NOTDIR, NULL, 0},
	{"fifo/x", E_NOTDIR, NULL, 0},
	{name_256, E_TOOBIG, NULL, 0},
};

static void try_case(size_t i, const char *way)
{
	auto_buf struct buf out = {0};
	struct errctx e = {0};
	size_t missing = 77;
	int code;

	buf_init(&out, MAX_PATH_BYTES);
	code = pathfd_resolve(root_fd, cases[i].path, &out, &missing, &e);
	cr_expect_eq(code, cases[i].code, "%s: \"%.40s\": %s, not %s (%s)", way, cases[i].path,
		     err_name(code), err_name(cases[i].code), e.text);
	if (code) {
		cr_expect_eq(out.len, 0);
		cr_expect_eq(missing, 77);
		cr_expect_eq(e.code, code, "%s: \"%.40s\" has no context", way, cases[i].path);
		return;
	}
	cr_expect_str_eq(buf_text(&out), cases[i].leads_to, "%s: \"%.40s\" leads to \"%s\"", way,
			 cases[i].path, buf_text(&out));
	cr_expect_eq(missing, cases[i].missing, "%s: \"%.40s\": %zu missing", way, cases[i].path,
		     missing);
	cr_expect_eq(e.code, 0);
}

static void try_all(const char *way)
{
	int before = count_fds();

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		try_case(i, way);
	cr_expect_eq(count_fds(), before, "a descriptor leaked");
}

Test(resolve, kernel_and_table_agree)
{
	try_all("kernel");
}

Test(resolve, steps_and_table_agree)
{
	pathfd_force_walk(true);
	try_all("steps");
}

static void without_proc(void *arg)
{
	(void)arg;
	CHECK(enter_namespaces());
	CHECK(mount("none", "/proc", "tmpfs", 0, NULL) == 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf out;
		size_t missing;

		buf_init(&out, MAX_PATH_BYTES);
		CHECK(pathfd_resolve(root_fd, cases[i].path, &out, &missing, NULL) ==
		      cases[i].code);
		if (cases[i].code == 0)
			CHECK(strcmp(buf_text(&out), cases[i].leads_to) == 0 &&
			      missing == cases[i].missing);
		buf_release(&out);
	}
}

Test(resolve, works_without_proc)
{
	if (need_namespaces())
		cr_assert(in_child(without_proc, NULL));
}

static void in_locked(void *arg)
{
	struct buf out;
	struct errctx e = {0};

	pathfd_force_walk(arg != NULL);
	buf_init(&out, MAX_PATH_BYTES);
	CHECK(pathfd_resolve(root_fd, "locked", &out, NULL, &e) == 0);
	CHECK(pathfd_resolve(root_fd, "search/in", &out, NULL, &e) == 0);
	CHECK(pathfd_resolve(root_fd, "search/missing", &out, NULL, &e) == 0);
	CHECK(pathfd_resolve(root_fd, "search/../README.md", &out, NULL, &e) == 0);
	CHECK(pathfd_resolve(root_fd, "locked/in", &out, NULL, &e) == E_SYS);
	CHECK(e.sys_errno == EACCES);
	CHECK(pathfd_resolve(root_fd, "locked/missing", &out, NULL, &e) == E_SYS);
	CHECK(pathfd_resolve(root_fd, "locked/..", &out, NULL, &e) == E_SYS);
	CHECK(pathfd_resolve(root_fd, "locked/../.env", &out, NULL, &e) == E_SYS);
	CHECK(e.sys_errno == EACCES);
}

Test(resolve, folder_without_search_permission_as_ordinary_user)
{
	int walk = 1;

	cr_assert(in_child_as_user(in_locked, NULL));
	cr_assert(in_child_as_user(in_locked, &walk));
}

static void links_of_proc(void *arg)
{
	struct buf out;
	int fd, code;

	CHECK(enter_namespaces());
	CHECK(chdir(scratch_path()) == 0 && chdir("root") == 0);
	fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(mount("/proc", "dir/sub", NULL, MS_BIND | MS_REC, NULL) == 0);
	pathfd_force_walk(arg != NULL);
	buf_init(&out, MAX_PATH_BYTES);
	CHECK(pathfd_resolve(fd, "dir/sub/self/root", &out, NULL, NULL) == E_LINK);
	CHECK(pathfd_resolve(fd, "dir/sub/self/cwd/README.md", &out, NULL, NULL) == E_LINK);
	CHECK(pathfd_resolve(fd, "dir/sub/self/fd/0", &out, NULL, NULL) == E_LINK);
	code = pathfd_resolve(fd, "dir/sub/self/status", &out, NULL, NULL);
	CHECK(arg ? code == E_LINK : code == 0);
}

Test(resolve, links_of_proc_lead_nowhere)
{
	int walk = 1;

	if (!need_namespaces())
		return;
	cr_assert(in_child(links_of_proc, NULL));
	cr_assert(in_child(links_of_proc, &walk));
}

/* Nothing outside is even looked at: the folder above the root is made unreachable. */
static void nothing_outside(void *arg)
{
	struct buf out;

	pathfd_force_walk(arg != NULL);
	buf_init(&out, MAX_PATH_BYTES);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (cases[i].code == E_OUTSIDE)
			CHECK(pathfd_resolve(root_fd, cases[i].path, &out, NULL, NULL) ==
			      E_OUTSIDE);
}

Test(resolve, leaving_is_seen_without_looking_outside)
{
	int walk = 1;

	cr_assert_eq(fchmod(scratch_fd(), 0), 0);
	cr_assert(in_child_as_user(nothing_outside, NULL));
	cr_assert(in_child_as_user(nothing_outside, &walk));
}

static void root_of_all(const char *path, const char *leads_to)
{
	auto_fd int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_buf struct buf out = {0};

	buf_init(&out, MAX_PATH_BYTES);
	cr_assert_eq(pathfd_resolve(fd, path, &out, NULL, NULL), 0);
	cr_assert_str_eq(buf_text(&out), leads_to);
}

Test(resolve, the_root_may_be_slash)
{
	for (int walk = 0; walk < 2; walk++) {
		pathfd_force_walk(walk);
		root_of_all("etc/./passwd", "etc/passwd");
		root_of_all(".", "");
		root_of_all("nonexistent/x", "nonexistent/x");
	}
}

Test(resolve, result_that_does_not_fit_is_an_error)
{
	auto_buf struct buf out = {0};
	struct errctx e = {0};

	buf_init(&out, 4);
	cr_assert_eq(pathfd_resolve(root_fd, "README.md", &out, NULL, &e), E_TOOBIG);
	cr_assert_eq(e.code, E_TOOBIG);
}

/* A chain of links that are each nearly as long as a path may be. */
static void put_chain(const char *step, int links)
{
	static char target[4001];
	size_t n = strlen(step), len = 0;
	char name[32];

	for (int i = 0; i < links; i++) {
		for (len = 0; len + n < 3900; len += n)
			memcpy(target + len, step, n);
		(void)snprintf(target + len, 100, "grow%zu_%d/x", n, i + 1);
		(void)snprintf(name, sizeof(name), "root/grow%zu_%d", n, i);
		put_link(target, name);
	}
}

Test(resolve, long_links_end)
{
	auto_buf struct buf out = {0};

	buf_init(&out, MAX_PATH_BYTES);
	put_chain("./", 30);
	put_chain("dir/../", 30);
	for (int walk = 0; walk < 2; walk++) {
		pathfd_force_walk(walk);
		cr_expect_eq(pathfd_resolve(root_fd, "grow2_0", &out, NULL, NULL), 0);
		cr_expect_eq(strncmp(buf_text(&out), "grow2_30/x/x/x", 14), 0);
		buf_clear(&out);
		cr_expect_eq(pathfd_resolve(root_fd, "grow7_0", &out, NULL, NULL), E_TOOBIG,
			     "too many steps");
	}
}
