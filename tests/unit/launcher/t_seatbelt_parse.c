/* SPDX-License-Identifier: MIT */
/* Reader and linter of profiles: what is refused, and where. */
#include "base/base.h"

#include "launcher/seatbelt.h"

#include <criterion/criterion.h>

#define START  "(version 1)(allow default)"
#define CLOSED START "(deny file-write*)"

static const struct {
	const char *text;
	int rc;
	const char *where;
} texts[] = {
	{START, 0, NULL},
	{"; c\n(version 1)\n(deny default)\n", 0, NULL},
	{CLOSED "(allow file-write* (subpath \"/a\") (literal \"/b\"))", 0, NULL},
	{CLOSED "(deny file-read* (regex #\"/x(/|$)\"))", 0, NULL},
	{CLOSED "(allow network* (remote ip \"localhost:1\"))", 0, NULL},
	{CLOSED "(allow file-write*(subpath(string-append(param \"HOME_DIR\")\"/x\")))", 0, NULL},
	{CLOSED "(deny file-write-unlink file-write-create (literal (param \"WORKSPACE_ROOT\")))",
	 0, NULL},
	{"", E_SYNTAX, "line 1, column 1"},
	{"(version 2)(allow default)", E_SYNTAX, "line 1, column 10"},
	{"(allow default)", E_SYNTAX, "line 1, column 2"},
	{"(version 1)", E_SYNTAX, "line 1, column 12"},
	{"(version 1)(allow file-write*)", E_SYNTAX, "line 1"},
	{START "(version 1)", E_UNKNOWN, "line 1"},
	{START ")", E_SYNTAX, "line 1"},
	{START "(", E_SYNTAX, "line 1"},
	{START "(deny file-write*", E_SYNTAX, "line 1"},
	{START "(deny file-write* (subpath \"/a\")", E_SYNTAX, "line 1"},
	{START "\n(deny\n file-write* (subpath \"/a))", E_SYNTAX, "line 3"},
	{START "(deny)", E_SYNTAX, "line 1"},
	{START "(permit file-write*)", E_UNKNOWN, "line 1"},
	{START "(deny file-delete)", E_UNKNOWN, "line 1"},
	{START "(deny syscall-unix)", E_UNKNOWN, "line 1"},
	{START "(allow process-exec* (literal \"/x\") (with no-sandbox))", E_UNKNOWN, "line 1"},
	{START "(deny file-write* (prefix \"/a\"))", E_UNKNOWN, "line 1"},
	{START "(deny file-write* (subpath /a))", E_SYNTAX, "line 1"},
	{START "(deny file-write* (subpath))", E_SYNTAX, "line 1"},
	{START "(deny file-write* (subpath \"/a\" \"/b\"))", E_SYNTAX, "line 1"},
	{START "(deny file-write* (subpath (string-append \"/a\" \"/b\")))", E_SYNTAX, "line 1"},
	{START "(deny file-write* (regex \"/a\"))", E_SYNTAX, "line 1"},
	{START "(deny file-write* (regex #\"/a\n\"))", E_SYNTAX, "line 1"},
	{START "(deny file-write* (regex #\"/(a{1,255}){1,255}\"))", E_UNKNOWN, "line 1"},
	{START "(deny file-write* (regex #\"/(a)\\1\"))", E_UNKNOWN, "line 1"},
	{START "(deny file-write* (literal \"/a\\n\"))", E_SYNTAX, "line 1"},
	{START "(deny network* (remote tcp \"localhost:1\"))", E_SYNTAX, "line 1"},
	{START "(deny file-write* (subpath \"\xff\"))", E_UTF8, ""},
	{START "'(deny file-write*)", E_SYNTAX, "line 1"},
};

Test(seatbelt_parse, texts)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		auto_seatbelt_profile struct seatbelt_profile *p = NULL;
		struct errctx e = {0};
		int rc = seatbelt_parse(view_of(texts[i].text), &p, &e);

		cr_assert_eq(rc, texts[i].rc, "%s: %d %s", texts[i].text, rc, e.text);
		if (rc) {
			cr_assert_null(p);
			cr_assert_not_null(strstr(e.text, texts[i].where), "%s: %s", texts[i].text,
					   e.text);
		}
	}
}

static const struct {
	const char *text;
	const char *says;
} lints[] = {
	{CLOSED "(allow file-write* (subpath \"/a\"))", NULL},
	{CLOSED "(allow file-write* (subpath (string-append (param \"HOME_DIR\") \"/tmp\")))",
	 NULL},
	{CLOSED "(deny process-exec*)(allow process-exec* (subpath \"/bin\"))", NULL},
	{CLOSED "(deny file-read* (subpath \"/\"))", NULL},
	{START, "no rule denies writes"},
	{CLOSED "(allow file-write*)", "allows everything"},
	{CLOSED "(allow process-exec*)", "allows everything"},
	{CLOSED "(allow default)", "allows everything"},
	{CLOSED "(deny default)", "whole family"},
	{CLOSED "(deny file-write-unlink)", "whole family"},
	{CLOSED "(allow file-write* (subpath \"/\"))", "absolute"},
	{CLOSED "(allow file-write* (subpath \"/a/\"))", "trailing"},
	{CLOSED "(allow file-write* (subpath \"/a//b\"))", "doubled"},
	{CLOSED "(allow file-write* (subpath \"/a/../b\"))", "\"..\""},
	{CLOSED "(allow file-write* (subpath \"a\"))", "absolute"},
	{CLOSED "(deny file-write* (subpath \"/tmp/x\"))", "a link"},
	{CLOSED "(deny file-write* (subpath \"/a\\\"b\"))", "quote"},
	{CLOSED "(deny file-write* (subpath (param \"ELSE\")))", "unknown parameter"},
	{CLOSED "(deny file-write* (subpath (string-append (param \"HOME_DIR\") \"x\")))",
	 "no clean path"},
	{CLOSED "(allow file-write* (regex #\"^/a\"))", "with a pattern"},
	{CLOSED "(allow network* (remote ip \"*:*\"))", "other than localhost"},
	{CLOSED "(allow network* (remote ip \"localhost:*\"))", "other than localhost"},
	{CLOSED "(allow network* (remote ip \"localhost:99999\"))", "other than localhost"},
	{CLOSED "(allow network* (subpath \"/a\"))", "isn't about files"},
	{CLOSED "(deny file-write* (remote ip \"localhost:1\"))", "about files"},
	{CLOSED "(deny file-write* (subpath \"/a/b\"))(allow file-write* (subpath \"/a\"))",
	 "again after the denials"},
};

Test(seatbelt_parse, lint)
{
	for (size_t i = 0; i < ARRAY_LEN(lints); i++) {
		auto_seatbelt_profile struct seatbelt_profile *p = NULL;
		struct errctx e = {0};
		int rc;

		cr_assert_eq(seatbelt_parse(view_of(lints[i].text), &p, &e), 0, "%s: %s",
			     lints[i].text, e.text);
		rc = seatbelt_lint(p, &e);
		cr_assert_eq(rc, lints[i].says ? E_DENIED : 0, "%s: %s", lints[i].text, e.text);
		if (lints[i].says)
			cr_assert_not_null(strstr(e.text, lints[i].says), "%s: %s", lints[i].text,
					   e.text);
	}
}
