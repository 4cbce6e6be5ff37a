/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "runner/artifact.h"

#include "runner/request.h"

#include <criterion/criterion.h>

#define NONCE "\"dispatch\": \"00112233445566778899aabbccddeeff\""
#define CHANGE                                                                                     \
	"\"kind\": \"change-proposal\", " NONCE                                                    \
	", \"path\": \"a\", \"base_sha256\": \"absent\", \"content\": \"c\", \"rationale\": \"r\""

static int parse(const char *text, bool stored)
{
	auto_json struct json *j = NULL;
	struct artifact a;
	struct errctx e;
	int rc;

	cr_assert_eq(json_parse(view_of(text), &j, &e), 0, "%s", e.text);
	rc = artifact_parse(j, stored, &a, &e);
	if (rc == 0)
		artifact_release(&a);
	return rc;
}

Test(artifact, exactly_the_listed_members)
{
	cr_assert_eq(parse("{" CHANGE "}", false), 0);
	cr_assert_eq(parse("{" CHANGE ", \"gates\": [\"g\"], \"agent\": null}", false), 0);
	cr_assert_eq(parse("{" CHANGE ", \"more\": 1}", false), E_UNKNOWN);
	cr_assert_eq(parse("{" CHANGE ", \"Path\": \"b\"}", false), E_UNKNOWN);
	cr_assert_eq(parse("{" CHANGE ", \"gates\": \"lint\"}", false), E_TYPE, "not split");
	cr_assert_eq(parse("{" CHANGE ", \"gates\": [1]}", false), E_TYPE);
	cr_assert_eq(parse("{\"kind\": \"change-proposal\", " NONCE "}", false), E_MISSING);
	cr_assert_eq(parse("{\"kind\": \"shell\"}", false), E_UNKNOWN);
	cr_assert_eq(parse("{}", false), E_MISSING);
	cr_assert_eq(parse("[]", false), E_TYPE);
	cr_assert_eq(parse("{\"kind\": \"delete-proposal\", " NONCE
			   ", \"path\": \"a\", \"base_sha256\": \"x\", "
			   "\"rationale\": \"r\"}",
			   false),
		     0);
	cr_assert_eq(parse("{\"kind\": \"delete-proposal\", " NONCE
			   ", \"path\": \"a\", \"base_sha256\": \"x\", "
			   "\"rationale\": \"r\", \"content\": \"c\"}",
			   false),
		     E_UNKNOWN);
	/* Identity judges the nonce, whatever it is. */
	cr_assert_eq(parse("{\"kind\": \"delete-proposal\", \"dispatch\": null, \"path\": \"a\", "
			   "\"base_sha256\": \"x\", \"rationale\": \"r\"}",
			   false),
		     0);
	/* A stored artifact has no nonce and no agent. */
	cr_assert_eq(parse("{" CHANGE "}", true), E_UNKNOWN);
}

Test(artifact, commands)
{
#define RUN "\"kind\": \"command-request\", " NONCE ", \"argv\": [\"make\"], \"purpose\": \"p\""
	cr_assert_eq(parse("{" RUN "}", false), 0);
	cr_assert_eq(parse("{" RUN ", \"stdin_from_content\": null}", false), 0);
	cr_assert_eq(parse("{" RUN
			   ", \"stdin_from_content\": {\"path\": \"a\", \"content\": \"b\"}}",
			   false),
		     0);
	cr_assert_eq(parse("{" RUN ", \"stdin_from_content\": {\"path\": \"a\"}}", false), E_TYPE);
	cr_assert_eq(parse("{" RUN
			   ", \"stdin_from_content\": {\"path\": null, \"content\": \"b\"}}",
			   false),
		     E_TYPE);
	cr_assert_eq(parse("{" RUN ", \"expected_writes\": \"a\"}", false), E_TYPE);
	cr_assert_eq(parse("{" RUN ", \"shell\": \"a\"}", false), E_UNKNOWN);
}

/* File 22, 20.4 and field report A10. */
Test(artifact, paths)
{
	static const char *const good[][2] = {{"a", "a"},
					      {"a//b/./c", "a/b/c"},
					      {"./a", "a"},
					      {"d\xc3\xa9j\xc3\xa0/vu", "d\xc3\xa9j\xc3\xa0/vu"},
					      {"a b", "a b"}};
	static const char *const bad[] = {"",
					  "/a",
					  "~/a",
					  "..",
					  "a/..",
					  "a/../b",
					  ".",
					  "./",
					  "a/",
					  "a\\b",
					  " a",
					  "a ",
					  "a\nb",
					  "a\x7f",
					  "a\x1b[2K",
					  "safe\xe2\x80\xaegpj.sh",
					  "a\xe2\x80\x8b",
					  "\xff",
					  "a/\xc0\xaf"};
	char out[MAX_PATH_BYTES + 1], long_path[MAX_PATH_BYTES + 10];
	struct errctx e;

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		cr_assert_eq(artifact_path(view_of(good[i][0]), out, &e), 0, "%s: %s", good[i][0],
			     e.text);
		cr_assert_str_eq(out, good[i][1]);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_assert_neq(artifact_path(view_of(bad[i]), out, &e), 0, "%s", bad[i]);
	cr_assert_neq(artifact_path((struct view){"a\0b", 3}, out, &e), 0);
	memset(long_path, 'a', sizeof(long_path));
	cr_assert_neq(artifact_path((struct view){long_path, sizeof(long_path)}, out, &e), 0);
	cr_assert_neq(artifact_path((struct view){long_path, 256}, out, &e), 0, "one component");
}

Test(artifact, excerpts_are_trimmed_and_cut_by_characters)
{
	char text[4 * 400];
	struct view v;

	cr_assert(view_is(artifact_excerpt(VIEW("  a b \n")), "a b"));
	cr_assert(view_is(artifact_excerpt(VIEW(" \t\n")), ""));
	for (size_t i = 0; i < 400; i++)
		memcpy(text + 4 * i, "\xf0\x9f\x98\x80", 4);
	v = artifact_excerpt((struct view){text, sizeof(text)});
	cr_assert_eq(v.len, 4 * MAX_ROW_CHARS);
	cr_assert(artifact_is_blank(VIEW(" \xc2\xa0\xe2\x80\x83")));
	cr_assert(!artifact_is_blank(VIEW(" x")));
}

Test(request, kinds_and_channels)
{
	struct request r;
	struct errctx e;

	cr_assert_eq(
		request_parse(VIEW("{\"kind\": \"list-staged\", \"channel\": \"mcp\"}"), &r, &e),
		0);
	cr_assert_eq(r.kind, REQUEST_LIST_STAGED);
	request_release(&r);
	cr_assert_neq(request_parse(VIEW("{\"kind\": \"apply-direct\"}"), &r, &e), 0,
		      "unknown now");
	request_release(&r);
	cr_assert_neq(
		request_parse(VIEW("{\"kind\": \"list-staged\", \"dry_run\": \"yes\"}"), &r, &e),
		0);
	cr_assert_eq(r.kind, REQUEST_LIST_STAGED, "the kind is told all the same");
	request_release(&r);
	cr_assert_neq(request_parse(VIEW("secret: hunter2"), &r, &e), 0);
	cr_assert_null(strstr(e.text, "hunter2"), "texts never repeat what the file holds");
	request_release(&r);
	for (unsigned k = 1; k < N_REQUEST_KINDS; k++) {
		cr_assert_eq(request_kind_allowed(k, CHANNEL_MCP),
			     k == REQUEST_STAGE || k == REQUEST_RUN);
		cr_assert_eq(request_kind_allowed(k, CHANNEL_ORCHESTRATOR), k != REQUEST_STAGE);
	}
	cr_assert(!request_kind_allowed(0, CHANNEL_MCP) &&
		  !request_kind_allowed(N_REQUEST_KINDS, CHANNEL_MCP));
}
