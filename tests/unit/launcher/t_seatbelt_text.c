/* SPDX-License-Identifier: MIT */
/* Paths that may stand in a profile, and that nothing of a path can become a rule. */
#include "base/base.h"

#include "launcher/seatbelt_text.h"

#include "tests/unit/launcher/seatbelt_rig.h"

static const struct {
	const char *path;
	int rc;
} paths[] = {
	{"/a", 0},
	{"/Volumes/u/my project", 0},
	{"/Volumes/u/b\303\274cher", 0},
	{"/private/tmp/x", 0},
	{"/tmpx", 0},
	{"/variable", 0},
	{"/a..b/...", 0},
	{"/(deny)/#\";", E_SYNTAX},
	{"/a;(allow default)", 0}, /* harmless inside the quotes */
	{"", E_SYNTAX},
	{"/", E_SYNTAX},
	{"//", E_SYNTAX},
	{"a", E_SYNTAX},
	{"./a", E_SYNTAX},
	{"~/a", E_SYNTAX},
	{"/a/", E_SYNTAX},
	{"/a//b", E_SYNTAX},
	{"/a/./b", E_SYNTAX},
	{"/a/../b", E_SYNTAX},
	{"/a/..", E_SYNTAX},
	{"/a\"b", E_SYNTAX},
	{"/a\\b", E_SYNTAX},
	{"/a\nb", E_SYNTAX},
	{"/a\rb", E_SYNTAX},
	{"/a\tb", E_SYNTAX},
	{"/a\x01", E_SYNTAX},
	{"/a\x7f", E_SYNTAX},
	{"/a\xff", E_UTF8},
	{"/tmp", E_LINK},
	{"/tmp/x", E_LINK},
	{"/var/folders/x", E_LINK},
	{"/etc", E_LINK},
};

Test(seatbelt_text, paths)
{
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		struct errctx e = {0};
		int rc = seatbelt_check_path(paths[i].path, &e);

		cr_assert_eq(rc, paths[i].rc, "%s: %d %s", paths[i].path, rc, e.text);
	}
	cr_assert_eq(seatbelt_check_path(NULL, NULL), E_SYNTAX);
}

Test(seatbelt_text, a_rule_without_a_filter_is_an_error_of_ours)
{
	auto_buf struct buf out = {0};
	struct seatbelt_rule r;

	buf_init(&out, 4096);
	seatbelt_open(&r, &out, "allow", "process-exec*");
	seatbelt_close(&r);
	cr_assert_eq(buf_error(&out), E_INTERNAL);
}

Test(seatbelt_text, names_are_sorted_and_unique)
{
	struct seatbelt_names n = {NULL, 0, 0};
	static const char *const in[] = {"/b", "/a/c", "/a", "/b", "/a/b", "/a", "/"};
	static const char *const want[] = {"/", "/a", "/a/b", "/a/c", "/b"};

	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		cr_assert_eq(seatbelt_names_add(&n, in[i], strlen(in[i])), 0);
	cr_assert_eq(n.n, ARRAY_LEN(want));
	for (size_t i = 0; i < n.n; i++)
		cr_assert_str_eq(n.v[i], want[i]);
	seatbelt_names_release(&n);
}

/* Whatever bytes a path has: it is refused, or the profile has the same rules with exactly that
 * path. */
Test(seatbelt_text, random_paths_never_change_the_number_of_rules)
{
	static const char alphabet[] = "ab/.\"\\;()# \n\t[]*^$|'`~\x01\x7f\xc3\xbc\xff";
	uint32_t state = 1;
	unsigned accepted = 0;
	size_t want;
	struct seatbelt_launch l = {.scratch = "/s", .egress = SEATBELT_EGRESS_DENY};
	const char *one[1] = {"/plain"};
	auto_seatbelt_profile struct seatbelt_profile *plain = NULL;

	l.guards = (struct seatbelt_list){one, 1};
	l.protect = (struct seatbelt_list){one, 1};
	plain = launch_profile(&l);
	want = seatbelt_profile_rules(plain);
	for (int round = 0; round < 20000; round++) {
		auto_buf struct buf text = {0};
		auto_seatbelt_profile struct seatbelt_profile *p = NULL;
		char path[16] = "/";
		size_t len;
		struct errctx e = {0};

		state = state * 1664525 + 1013904223;
		len = 2 + (state >> 24) % 10;
		for (size_t i = 1; i < len; i++) {
			state = state * 1664525 + 1013904223;
			path[i] = alphabet[(state >> 16) % (sizeof(alphabet) - 1)];
		}
		one[0] = path;
		buf_init(&text, SEATBELT_MAX_INLINE);
		if (seatbelt_launch_profile(&l, &text, &e) != 0)
			continue;
		accepted++;
		p = parsed(&text);
		cr_assert_eq(seatbelt_profile_rules(p), want, "%s", path);
		cr_assert_eq(seatbelt_eval(p, NULL, "file-write-data", path), VERDICT_DENY, "%s",
			     path);
	}
	cr_assert_gt(accepted, 500, "%u", accepted);
}
