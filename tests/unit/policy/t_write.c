/* SPDX-License-Identifier: MIT */
/* Destinations: the table of cases, and the matching rules of file 22, section 5. */
#include "base/base.h"

#include "policy/write.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define COVERS(scope, rel)     policy_scope_covers(VIEW(scope), VIEW(rel))
#define PROTECTS(pattern, rel) policy_protect_covers(VIEW(pattern), VIEW(rel))
#define GLOB(pattern, text)    policy_glob(VIEW(pattern), VIEW(text), false)

/* tests/cases/write.cases: "deny RULE PATH [scope=PATH]" or "allow RULE PATH [scope=PATH]". */
Test(write, every_row_has_a_denied_and_a_nearly_denied_path)
{
	const char *top = getenv("TOP_SRCDIR");
	char name[512], line[512], verdict[8], rule[16], path[256], scope[256];
	bool denied[64] = {false}, allowed[64] = {false};
	size_t n;
	FILE *f;

	(void)snprintf(name, sizeof(name), "%s/tests/cases/write.cases", top ? top : ".");
	f = fopen(name, "r");
	cr_assert_not_null(f, "%s", name);
	while (fgets(line, sizeof(line), f)) {
		struct view named;
		struct decision d;
		int words, number;

		if (line[0] == '#' || line[0] == '\n')
			continue;
		scope[0] = '\0';
		words = sscanf(line, "%7s %15s %255s scope=%255s", verdict, rule, path, scope);
		cr_assert_geq(words, 3, "%s", line);
		named = view_of(scope);
		d = policy_write_control(view_of(path), &named, words == 4);
		cr_assert_eq(sscanf(rule, "WRITE_%d", &number), 1, "%s", line);
		if (strcmp(verdict, "deny") == 0) {
			cr_assert_eq(d.verdict, VERDICT_DENY, "%s", line);
			cr_assert_str_eq(d.rule, rule, "%s", line);
			denied[number] = true;
		} else {
			cr_assert_eq(d.verdict, VERDICT_ALLOW, "%s is %s", line, d.rule);
			allowed[number] = true;
		}
	}
	(void)fclose(f);
	(void)policy_write_rows(&n);
	for (size_t i = 1; i <= n; i++)
		cr_assert(denied[i] && allowed[i], "WRITE_%02zu has no case on one side", i);
}

Test(write, literal_scopes)
{
	cr_assert(COVERS("src/", "src/a"));
	cr_assert(COVERS("src//./", "src/a/b"));
	cr_assert(COVERS("src\\", "src/a"));
	cr_assert(COVERS("src/a", "src/a"));
	cr_assert(COVERS("src", "src"));
	cr_assert(!COVERS("src/", "src"), "strictly below");
	cr_assert(!COVERS("src", "src/a"));
	cr_assert(!COVERS("src/", "srcs/a"));
	cr_assert(!COVERS("src/", "SRC/a"), "allow rules keep case");
	cr_assert(!COVERS("./", "a"));
	cr_assert(!COVERS(".", "a"));
	cr_assert(!COVERS("", "a"));
	cr_assert(!COVERS("/src/", "src/a"));
	cr_assert(!COVERS("a/../src/", "src/a"));
	cr_assert(!COVERS("src/", "src/../other"), "a path isn't taken by its letters");
	cr_assert(!COVERS("src/*/", "src/a/../../b"));
}

/* The examples of 5.1. */
Test(write, pattern_scopes)
{
	cr_assert(COVERS("reports/*/plan.md", "reports/a/plan.md"));
	cr_assert(!COVERS("reports/*/plan.md", "reports/a/b/plan.md"));
	cr_assert(!COVERS("reports/*/plan.md", "reports/.git/plan.md"));
	cr_assert(COVERS("data/*/", "data/a/.env"));
	cr_assert(!COVERS("data/*/", "data/a"));
	cr_assert(COVERS("data/.*/x", "data/.a/x"));
	cr_assert(COVERS("d/[ab]?", "d/a1"));
	cr_assert(!COVERS("d/[!ab]?", "d/a1"));
	cr_assert_not_null(policy_scope_check(VIEW("*/x")));
	cr_assert_not_null(policy_scope_check(VIEW("a//*")));
	cr_assert_not_null(policy_scope_check(VIEW("a/./*")));
	cr_assert_not_null(policy_scope_check(VIEW("a/**")));
	cr_assert_not_null(policy_scope_check(VIEW("~/a*")));
	cr_assert_not_null(policy_scope_check(VIEW(".Git/*")));
	cr_assert_null(policy_scope_check(VIEW("a/*/")));
	cr_assert(!COVERS("*/x", "a/x"), "an unsafe scope covers nothing");
}

Test(write, protected_paths)
{
	cr_assert(PROTECTS("reports/kernel", "reports/kernel"));
	cr_assert(PROTECTS("reports/kernel", "Reports/Kernel/x"));
	cr_assert(!PROTECTS("reports/kernel", "reports/kernels"));
	cr_assert(PROTECTS("reports/*.json", "reports/a/b.json"));
	cr_assert(PROTECTS("*.lock", "a/b.LOCK"));
	cr_assert(PROTECTS("dir/", "dir/x"));
	cr_assert(!PROTECTS("dir/*", "dirs/x"));
}

Test(write, the_glob_dialect)
{
	cr_assert(GLOB("*", ""));
	cr_assert(GLOB("a*c", "abbbc"));
	cr_assert(GLOB("a*b*c", "aXbYbZc"));
	cr_assert(!GLOB("a*b*c", "acb"));
	cr_assert(GLOB("?", "\xc3\xa9"), "one character, not one byte");
	cr_assert(!GLOB("?", "ab"));
	cr_assert(GLOB("[a-c]", "b"));
	cr_assert(!GLOB("[c-a]", "b"));
	cr_assert(GLOB("[!a]", "b"));
	cr_assert(GLOB("[]a]", "]"));
	cr_assert(GLOB("[!]a]", "b"));
	cr_assert(GLOB("[a", "[a"), "an open bracket is itself");
	cr_assert(GLOB("a\\*", "a\\b"), "no escapes");
	cr_assert(GLOB("a*", "a\nb"));
	cr_assert(GLOB("[\xc3\xa0-\xc3\xa9]", "\xc3\xa5"));
	cr_assert(policy_glob(VIEW("*.PY"), VIEW("a.py"), true));
}

/* Stars against a long text answer in bounded steps. */
Test(write, many_stars_stay_fast, .timeout = 10)
{
	char text[4001], pattern[201];

	memset(text, 'a', 4000);
	text[4000] = '\0';
	for (int i = 0; i < 200; i += 2) {
		pattern[i] = '*';
		pattern[i + 1] = 'a';
	}
	pattern[199] = 'b';
	pattern[200] = '\0';
	cr_assert(!policy_glob(view_of(pattern), view_of(text), false));
}

Test(write, the_order_of_rules)
{
	struct view scopes[] = {VIEW("src/"), VIEW("docs/"), VIEW("CLAUDE.md")};
	struct view protect[] = {VIEW("src/secret")};
	struct write_query q = {.brief = VIEW("docs/brief.json"),
				.scopes = scopes,
				.n_scopes = 3,
				.protect = protect,
				.n_protect = 1};
	static const struct {
		struct view rel;
		const char *rule;
	} cases[] = {{VIEW("src/a"), NULL},
		     {VIEW("src/.git/config"), "WRITE_12"},
		     {VIEW("docs/Brief.JSON"), "WRITE_BRIEF"},
		     {VIEW("src/Secret/x"), "WRITE_PROTECTED"},
		     {VIEW("other"), "WRITE_SCOPE"},
		     {VIEW("CLAUDE.md"), NULL},
		     {VIEW("docs/CLAUDE.md"), "WRITE_25"},
		     {VIEW(""), "internal"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct decision d;

		q.rel = cases[i].rel;
		d = policy_path_write(&q);
		cr_assert_eq(d.verdict, cases[i].rule ? VERDICT_DENY : VERDICT_ALLOW, "%s",
			     cases[i].rel.ptr);
		if (cases[i].rule)
			cr_assert_str_eq(d.rule, cases[i].rule);
	}
	q = (struct write_query){.rel = VIEW("src/a")};
	cr_assert_str_eq(policy_path_write(&q).rule, "WRITE_SCOPE",
			 "an agent without a policy has no scopes");
}

Test(write, globs_of_commands_and_write_roots)
{
	static const char *const bad_writes[] = {"*",  "**/x.json", ".claude/**",
						 "/x", "~/x",	    "../x",
						 "",   "a/../*",    "x/.agentteams/y"};
	static const char *const bad_roots[] = {
		".",	    "./",  "",	   "/x",	"~x",
		"a/../b",   "o*t", ".git", ".github/x", ".agentteams/x",
		"x/.claude"};

	for (size_t i = 0; i < ARRAY_LEN(bad_writes); i++)
		cr_assert_not_null(policy_writes_check(view_of(bad_writes[i])), "%s",
				   bad_writes[i]);
	for (size_t i = 0; i < ARRAY_LEN(bad_roots); i++)
		cr_assert_not_null(policy_root_check(view_of(bad_roots[i])), "%s", bad_roots[i]);
	cr_assert_null(policy_writes_check(VIEW("build/*")));
	cr_assert_null(policy_root_check(VIEW("out/cache")));
	cr_assert_null(policy_root_check(VIEW(".lakehouse")));
}
