/* SPDX-License-Identifier: MIT */
/* The list of an upper layer, on folders made by hand the way the kernel leaves them. */
#include "base/base.h"

#include <criterion/criterion.h>

#include "launcher/overlay.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>

static char base[64];
static int base_fd, low, up;

static void set_up(void)
{
	int work;
	struct errctx e = {0};

	(void)snprintf(base, sizeof(base), "/var/tmp/t-overlay.XXXXXX");
	cr_assert(mkdtemp(base));
	base_fd = open(base, O_RDONLY | O_DIRECTORY);
	cr_assert_eq(mkdirat(base_fd, "low", 0700), 0);
	low = openat(base_fd, "low", O_RDONLY | O_DIRECTORY);
	cr_assert_eq(overlay_prepare(base_fd, true, &up, &work, &e), 0, "%s", e.text);
	(void)close(work);
}

static void remove_all(int dir, const char *name)
{
	struct errctx e = {0};

	/* The same routine clears every tree: it only knows two names. */
	cr_assert_eq(renameat(dir, name, dir, "upper"), 0);
	cr_assert_eq(overlay_discard(dir, &e), 0, "%s", e.text);
}

static void tear_down(void)
{
	struct errctx e = {0};

	cr_assert_eq(overlay_discard(base_fd, &e), 0, "%s", e.text);
	remove_all(base_fd, "low");
	(void)rmdir(base);
}

static void put(int dir, const char *name, const char *text, mode_t mode)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	cr_assert(fd >= 0);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	cr_assert_eq(fchmod(fd, mode), 0);
	(void)close(fd);
}

/* "kind path[ <from]" lines. */
static char *list(void)
{
	static char text[8192];
	struct overlay_changes c = {0};
	struct errctx e = {0};
	size_t n = 0;

	cr_assert_eq(overlay_list(low, up, &c, &e), 0, "%s", e.text);
	text[0] = '\0';
	for (size_t i = 0; i < c.n; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %s%s%s\n",
				      overlay_kind_name(c.v[i].kind), c.v[i].path,
				      c.v[i].from ? " <" : "", c.v[i].from ? c.v[i].from : "");
	overlay_changes_release(&c);
	return text;
}

TestSuite(overlay, .init = set_up, .fini = tear_down);

Test(overlay, nothing_written)
{
	put(low, "a", "x", 0644);
	cr_assert_str_eq(list(), "");
}

Test(overlay, kinds)
{
	put(low, "same", "x", 0644);
	put(up, "same", "x", 0644);
	put(low, "changed", "x", 0644);
	put(up, "changed", "y", 0644);
	put(low, "mode", "x", 0644);
	put(up, "mode", "x", 0755);
	put(up, "new", "z", 0644);
	put(low, "type", "x", 0644);
	cr_assert_eq(symlinkat("/etc/passwd", up, "type"), 0);
	cr_assert_eq(symlinkat("../../x", up, "link"), 0);
	cr_assert_str_eq(list(),
			 "changed changed\ncreated link\nmode mode\ncreated new\ntype type\n");
}

Test(overlay, whiteouts)
{
	put(low, "gone", "x", 0644);
	put(low, "gone2", "x", 0644);
	if (mknodat(up, "gone", S_IFCHR, 0) < 0)
		cr_skip_test("no whiteout device here");
	put(up, "gone2", "", 0644);

	char path[128];

	(void)snprintf(path, sizeof(path), "%s/upper/gone2", base);
	cr_assert_eq(setxattr(path, "user.overlay.whiteout", "y", 1, 0), 0);
	cr_assert_eq(mknodat(up, "never", S_IFCHR, 0), 0);
	cr_assert_str_eq(list(), "deleted gone\ndeleted gone2\n");
}

Test(overlay, opaque_folder_hides_what_was_there)
{
	char path[128];

	cr_assert_eq(mkdirat(low, "d", 0755), 0);
	put(low, "d/a", "x", 0644);
	put(low, "d/b", "x", 0644);
	cr_assert_eq(mkdirat(up, "d", 0755), 0);
	put(up, "d/b", "y", 0644);
	(void)snprintf(path, sizeof(path), "%s/upper/d", base);
	cr_assert_eq(setxattr(path, "user.overlay.opaque", "y", 1, 0), 0);
	cr_assert_str_eq(list(), "opaque d\ndeleted d/a\nchanged d/b\n");
}

Test(overlay, renames_are_found_by_content)
{
	put(low, "old", "the same bytes", 0644);
	if (mknodat(up, "old", S_IFCHR, 0) < 0)
		cr_skip_test("no whiteout device here");
	put(up, "new", "the same bytes", 0644);
	cr_assert_str_eq(list(), "renamed new <old\ndeleted old\n");
}

Test(overlay, odd_names_in_json)
{
	struct overlay_changes c = {0};
	struct errctx e = {0};
	struct jsonw w;
	struct buf b;

	put(up, "line\nfeed", "x", 0644);
	put(up, "\xff\xfe", "x", 0644);
	cr_assert_eq(overlay_list(low, up, &c, &e), 0);
	buf_init(&b, 1 << 16);
	jsonw_init(&w, &b, JSONW_COMPACT);
	overlay_changes_emit(&w, &c);
	cr_assert_eq(buf_error(&b), 0);
	cr_assert_eq(json_check(buf_view(&b), &e), 0, "%s", e.text);
	cr_assert(strstr(buf_text(&b), "\"path_hex\":\"fffe\""));
	cr_assert(strstr(buf_text(&b), "line\\nfeed"));
	buf_release(&b);
	overlay_changes_release(&c);
}

Test(overlay, leftovers_are_refused)
{
	int u, w;
	struct errctx e = {0};

	put(up, "x", "x", 0644);
	cr_assert_eq(overlay_prepare(base_fd, true, &u, &w, &e), E_EXISTS);
	cr_assert_eq(overlay_prepare(base_fd, false, &u, &w, &e), 0);
	(void)close(u);
	(void)close(w);
}

/* A chain of folders deeper than any list goes, beside what a command may leave to be in the way.
 */
Test(overlay, removal_knows_no_depth)
{
	enum { DEPTH = 3000 };
	struct overlay_changes c = {0};
	struct errctx e = {0};
	int at = openat(up, ".", O_RDONLY | O_DIRECTORY), rc;

	put(up, "1", "a file where a moved folder could go", 0600);
	cr_assert_eq(mkdirat(up, "2", 0700), 0);
	put(up, "2/f", "x", 0);
	for (int i = 0; i < DEPTH; i++) {
		int next;

		cr_assert_eq(mkdirat(at, "d", 0700), 0);
		cr_assert_eq(mkdirat(at, "side", 0700), 0);
		put(at, "side/f", "x", 0400);
		next = openat(at, "d", O_RDONLY | O_DIRECTORY);
		cr_assert(next >= 0);
		if (i % 100 == 0) {
			cr_assert_eq(fchmodat(at, "side", 0, 0), 0);
			cr_assert_eq(fchmod(at, 0100), 0);
		}
		(void)close(at);
		at = next;
	}
	(void)close(at);
	cr_assert_lt(overlay_list(low, up, &c, &e), 0); /* too deep, or not to be read */
	rc = overlay_discard(base_fd, &e);
	cr_assert_eq(rc, 0, "%s", e.text);
	cr_assert_eq(faccessat(base_fd, "upper", F_OK, 0), -1);
	cr_assert_eq(mkdirat(base_fd, "upper", 0700), 0); /* for tear_down */
}

/* Two trees of big files of one size, all alike but for the end: comparing each with each would
 * take hours. What is found says only how a change is called. */
Test(overlay, search_for_renames_is_bounded)
{
	enum { N = 400, SIZE = 64 << 20 };
	struct overlay_changes c = {0};
	struct errctx e = {0};
	char name[16];

	for (int i = 0; i < N; i++) {
		int fd;

		(void)snprintf(name, sizeof(name), "gone%d", i);
		fd = openat(low, name, O_WRONLY | O_CREAT, 0600);
		cr_assert_eq(pwrite(fd, "x", 1, SIZE - 1), 1);
		(void)close(fd);
		if (mknodat(up, name, S_IFCHR, 0) != 0) { /* an ordinary user's whiteout */
			put(up, name, "", 0600);
			fd = openat(up, name, O_RDONLY);
			cr_assert_eq(fsetxattr(fd, "user.overlay.whiteout", "y", 1, 0), 0);
			(void)close(fd);
		}
		(void)snprintf(name, sizeof(name), "made%d", i);
		fd = openat(up, name, O_WRONLY | O_CREAT, 0600);
		cr_assert_eq(pwrite(fd, "y", 1, SIZE - 1), 1);
		(void)close(fd);
	}
	cr_assert_eq(overlay_list(low, up, &c, &e), 0, "%s", e.text);
	cr_assert_eq(c.n, 2 * N);
	for (size_t i = 0; i < c.n; i++)
		cr_assert_eq(c.v[i].kind, strncmp(c.v[i].path, "gone", 4) == 0 ? OVERLAY_DELETED
									       : OVERLAY_CREATED);
	overlay_changes_release(&c);
}
