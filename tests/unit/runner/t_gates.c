/* SPDX-License-Identifier: MIT */
/* Which gates judge a proposal, and which entry of the allow list a command meets. */
#include "base/base.h"

#include "runner/engine.h"
#include "runner/gates.h"

#include <criterion/criterion.h>

static const char text[] = "{\"proposal_gates\": {\"lint\": {\"argv\": [\"l\"], \"glob\": "
			   "\"*.PY\"}, \"spell\": {\"argv\": [\"s\"]}, \"all\": "
			   "{\"argv\": [\"a\"], \"glob\": \"docs/*\"}},"
			   "\"agent_policies\": {\"a\": {\"commands\": [{\"prefix\": [\"git\", "
			   "\"status\"]}, {\"prefix\": [\"make\"], \"args\": "
			   "[\"[a-z]+\", \"[a-z./-]*[a-z]|--ok\"], \"variadic\": true}, "
			   "{\"prefix\": [\"t\"], \"args\": [\"--fast\"]}]}}}";
static struct brief b;

static void setup(void)
{
	struct brief_input in = {.text = view_of(text)};
	struct errctx e = {0};

	/* The broad pattern is the point here: what it admits is still looked at. */
	cr_assert_eq(brief_parse(&in, &b, &e), E_RANGE);
}

Test(gates, broad_patterns_do_not_load)
{
	setup();
}

static const char narrow[] =
	"{\"proposal_gates\": {\"lint\": {\"argv\": [\"l\"], \"glob\": \"*.PY\"}, \"spell\": "
	"{\"argv\": [\"s\"]}, \"all\": "
	"{\"argv\": [\"a\"], \"glob\": \"docs/*\"}},"
	"\"agent_policies\": {\"a\": {\"commands\": [{\"prefix\": [\"git\", \"status\"]}, "
	"{\"prefix\": [\"make\"], \"args\": "
	"[\"[a-z]+\"], \"variadic\": true}, {\"prefix\": [\"t\"], \"args\": [\"--fast\"]}]}}}";

static size_t select_for(const char *artifact, const char *rel, const struct brief_gate **out)
{
	auto_json struct json *j = NULL;
	struct artifact a;
	struct errctx e = {0};
	size_t n = 0;

	cr_assert_eq(json_parse(view_of(artifact), &j, &e), 0);
	cr_assert_eq(artifact_parse(j, true, &a, &e), 0, "%s", e.text);
	if (gates_select(&b, &a, rel, out, MAX_GATES, &n, &e) != 0)
		n = 99;
	artifact_release(&a);
	return n;
}

#define CHANGE(gates)                                                                              \
	"{\"kind\": \"change-proposal\", \"path\": \"a\", \"base_sha256\": \"absent\", "           \
	"\"content\": \"\", "                                                                      \
	"\"rationale\": \"r\"" gates "}"

Test(gates, requested_first_then_by_glob_without_repeats)
{
	struct brief_input in = {.text = view_of(narrow)};
	const struct brief_gate *g[MAX_GATES];

	cr_assert_eq(brief_parse(&in, &b, NULL), 0);
	cr_assert_eq(select_for(CHANGE(""), "x.txt", g), 0);
	cr_assert_eq(select_for(CHANGE(""), "src/x.py", g), 1, "in either case");
	cr_assert_eq(
		select_for(CHANGE(", \"gates\": [\"spell\", \"lint\", \"spell\"]"), "docs/x.Py", g),
		3);
	cr_assert(view_is(g[0]->name, "spell"));
	cr_assert(view_is(g[1]->name, "lint"));
	cr_assert(view_is(g[2]->name, "all"));
	cr_assert_eq(select_for(CHANGE(", \"gates\": [\"none\"]"), "x", g), 99);
	brief_release(&b);
}

static bool allowed(size_t n, const char *const *argv)
{
	struct view item[8];
	struct views v = {item, n};
	const char *why;

	for (size_t i = 0; i < n; i++)
		item[i] = view_of(argv[i]);
	return command_match(brief_agent(&b, VIEW("a")), &v, &why) != NULL;
}
#define ALLOWED(...)                                                                               \
	allowed(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),                            \
		(const char *[]){__VA_ARGS__})

/* 22.12.2 and 17.3, field report R15. */
Test(command, only_whole_argument_vectors_match)
{
	struct brief_input in = {.text = view_of(narrow)};

	cr_assert_eq(brief_parse(&in, &b, NULL), 0);
	cr_assert(ALLOWED("git", "status"));
	cr_assert(!ALLOWED("git"));
	cr_assert(!ALLOWED("git", "status", "x"));
	cr_assert(!ALLOWED("git", "-c", "core.fsmonitor=touch pwn", "status"));
	cr_assert(!ALLOWED("/usr/bin/git", "status"));
	cr_assert(ALLOWED("make", "all"));
	cr_assert(ALLOWED("make", "all", "check"));
	cr_assert(!ALLOWED("make"));
	cr_assert(!ALLOWED("make", "all", "-f"));
	cr_assert(!ALLOWED("make", ".."));
	cr_assert(!ALLOWED("make", "a\\..\\b"));
	cr_assert(ALLOWED("t", "--fast"), "an option that is spelled out");
	cr_assert(!ALLOWED("t", "--fas"));
	cr_assert(!ALLOWED("sh", "-c", "x"));
	brief_release(&b);
}
