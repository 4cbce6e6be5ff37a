/* SPDX-License-Identifier: MIT */
/* The evaluator's own rules: last match, families, filters, parameters. */
#include "base/base.h"

#include "launcher/seatbelt.h"

#include "tests/unit/launcher/seatbelt_rig.h"

static struct seatbelt_profile *read_text(const char *text)
{
	struct seatbelt_profile *p = NULL;
	struct errctx e = {0};

	cr_assert_eq(seatbelt_parse(view_of(text), &p, &e), 0, "%s", e.text);
	return p;
}

Test(seatbelt_eval, the_last_match_wins)
{
	auto_seatbelt_profile struct seatbelt_profile *p = read_text(
		"(version 1)(allow default)(deny file-write*)(allow file-write* (subpath \"/a\"))"
		"(deny file-write* (subpath \"/a/b\"))(allow file-write* (literal \"/a/b/c\"))");
	static const struct question q[] = {
		{"file-write-data", "/x", false},    {"file-write-data", "/a", true},
		{"file-write-data", "/a/x", true},   {"file-write-data", "/ab", false},
		{"file-write-data", "/a/b", false},  {"file-write-data", "/a/b/x", false},
		{"file-write-data", "/a/b/c", true}, {"file-write-data", "/a/b/c/d", false},
		{"file-read-data", "/x", true},
	};

	ask_all(p, NULL, q, ARRAY_LEN(q));
}

Test(seatbelt_eval, families_cover_their_operations_and_no_other)
{
	auto_seatbelt_profile struct seatbelt_profile *p =
		read_text("(version 1)(allow default)(deny file-write-unlink (subpath "
			  "\"/a\"))(deny file-read*)(deny network-bind)");
	static const struct question q[] = {
		{"file-write-unlink", "/a", false},	{"file-write-create", "/a", true},
		{"file-read-metadata", "/a", false},	{"file-read-xattr", "/a", false},
		{"network-bind", "localhost:1", false}, {"network-outbound", "localhost:1", true},
		{"process-exec", "/a", true},
	};

	ask_all(p, NULL, q, ARRAY_LEN(q));
	cr_assert_eq(seatbelt_eval(p, NULL, "file-write*", "/a"), VERDICT_NONE,
		     "a family is no question");
	cr_assert_eq(seatbelt_eval(p, NULL, "mach-lookup", "/a"), VERDICT_NONE);
}

Test(seatbelt_eval, parameters)
{
	auto_seatbelt_profile struct seatbelt_profile *p =
		read_text("(version 1)(deny default)(allow file-read* (subpath (string-append "
			  "(param \"HOME_DIR\") \"/x\"))"
			  "(subpath (param \"WORKSPACE_ROOT\")))");
	static const struct seatbelt_params both = {"/w", "/h"}, only_home = {NULL, "/h"};
	static const struct question q[] = {
		{"file-read-data", "/h/x/y", true}, {"file-read-data", "/h/xy", false},
		{"file-read-data", "/h", false},    {"file-read-data", "/w", true},
		{"file-read-data", "/w/a", true},   {"file-read-data", "/wa", false},
	};

	ask_all(p, &both, q, ARRAY_LEN(q));
	cr_assert_eq(seatbelt_eval(p, &only_home, "file-read-data", "/w"), VERDICT_DENY);
	cr_assert_eq(seatbelt_eval(p, NULL, "file-read-data", "/h/x"), VERDICT_DENY);
}

Test(seatbelt_eval, a_default_of_deny_and_the_whole_tree)
{
	auto_seatbelt_profile struct seatbelt_profile *p =
		read_text("(version 1)(deny default)(allow file-read* (subpath \"/\"))(allow "
			  "network* (remote ip \"*:80\"))");
	static const struct question q[] = {
		{"file-read-data", "/", true},	     {"file-read-data", "/a/b", true},
		{"file-write-data", "/a", false},    {"network-outbound", "h:80", true},
		{"network-outbound", "h:81", false}, {"network-outbound", "odd", false},
	};

	ask_all(p, NULL, q, ARRAY_LEN(q));
}
