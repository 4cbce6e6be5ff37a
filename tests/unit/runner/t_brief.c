/* SPDX-License-Identifier: MIT */
/* Every check of file 22, section 4, and the field report A15. */
#include "base/base.h"

#include "runner/brief.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define SWITCH "\"write_policy\": \"orchestrator-only\""

static int parse(const char *text, const char *confined, struct brief *b, struct errctx *e)
{
	struct brief_input in = {.text = view_of(text), .rel = "docs/brief.json"};

	if (confined)
		in.confined = view_of(confined);
	return brief_parse(&in, b, e);
}

static void accepts(const char *text)
{
	struct brief b;
	struct errctx e = {0};

	cr_assert_eq(parse(text, NULL, &b, &e), 0, "%s: %s", text, e.text);
	brief_release(&b);
}

static void refuses(const char *text)
{
	struct brief b;
	struct errctx e = {0};

	cr_assert_neq(parse(text, NULL, &b, &e), 0, "accepted: %s", text);
	cr_assert(e.text[0] != '\0', "no reason: %s", text);
}

#define AGENT(x)   "{" SWITCH ", \"agent_policies\": {\"a\": {" x "}}}"
#define COMMAND(x) AGENT("\"commands\": [{" x "}]")
#define GATE(x)	   "{" SWITCH ", \"proposal_gates\": {\"g\": {" x "}}}"
#define JAIL(x)	   "{" SWITCH ", \"confined_programs\": {\"a\": {" x "}}}"
#define GRANT(x)   "{" SWITCH ", \"mcp_grants\": {\"a\": {" x "}}}"

Test(brief, a_full_one_is_read)
{
	static const char text[] =
		"{" SWITCH
		", \"title\": \"ignored\", \"protected_paths\": [\"./reports/kernel\", \"*.lock\"],"
		"\"proposal_gates\": {\"lint\": {\"argv\": [\"/usr/bin/true\", \"{file}\"], "
		"\"glob\": \"*.py\"}},"
		"\"agent_policies\": {\"docs-writer\": {\"write_scopes\": [\"docs/\", "
		"\"src/*/x.py\"], \"commands\": "
		"[{\"prefix\": [\"make\"], \"args\": [\"[a-z]+\"], \"variadic\": true, "
		"\"timeout\": 7200, "
		"\"stdin_gates\": [\"lint\"], \"writes\": [\"build/*\"]}]}},"
		"\"confined_programs\": {\"docs-writer\": {\"exec\": [\"/usr/bin\", \"~/bin\"], "
		"\"write\": [\"out\"]}},"
		"\"mcp_grants\": {\"docs-writer\": {\"tools\": [\"write_file\"], \"approval\": "
		"\"direct\"}},"
		"\"allow_unconfined_runs\": 1}";
	struct brief b;
	struct errctx e = {0};

	cr_assert_eq(parse("{\"agent_policies\": {\"d\": {\"write_scopes\": [\"docs/x\"]}}}", NULL,
			   &b, &e),
		     0);
	cr_assert(!b.orchestrator_only);
	brief_release(&b);
	cr_assert_eq(brief_parse(&(struct brief_input){.text = view_of(text)}, &b, &e), 0, "%s",
		     e.text);
	cr_assert(b.orchestrator_only);
	cr_assert(!b.allow_unconfined, "only a literal true counts");
	cr_assert_eq(b.n_agents, 1);
	cr_assert_eq(b.agents[0].commands[0].timeout_s, 7200);
	cr_assert(view_is(b.protect.item[0], "reports/kernel"), "a leading ./ is taken away");
	cr_assert_not_null(brief_gate(&b, VIEW("lint")));
	cr_assert_not_null(brief_jail(&b, VIEW("docs-writer")));
	cr_assert(brief_grant(&b, VIEW("docs-writer"))->wants_direct);
	cr_assert_null(brief_agent(&b, VIEW("docs-write")));
	cr_assert_eq(strlen(b.sha256), 64);
	brief_release(&b);
}

Test(brief, what_is_no_json_object_is_refused)
{
	refuses("");
	refuses("[]");
	refuses("{");
	refuses("# A brief in Markdown");
	refuses("{" SWITCH ", " SWITCH "}"); /* A15: a repeated key */
	refuses("{\"agent_policies\": {\"a\": {}, \"a\": {}}}");
	refuses("{\"agent_policies\": {\"a\": {\"commands\": [{\"prefix\": [\"x\"], \"prefix\": "
		"[\"y\"]}]}}}");
	refuses("{\"write_policy\": 1}");
	refuses("{\"agent_policies\": []}");
	refuses("{\"proposal_gates\": []}");
	refuses("{\"protected_paths\": {}}");
	refuses("{\"protected_paths\": [1]}");
	refuses("{\"protected_paths\": [\"/etc\"]}");
	refuses("{\"protected_paths\": [\"a/../b\"]}");
}

Test(brief, gates)
{
	accepts(GATE("\"argv\": [\"lint\", \"{file}\", \"{path}\"]"));
	refuses(GATE("\"argv\": []"));
	refuses(GATE("\"glob\": \"*\""));
	refuses(GATE("\"argv\": \"lint\""));
	refuses(GATE("\"argv\": [\"bash\", \"-c\", \"x\"]"));
	refuses(GATE("\"argv\": [\"/bin/sh\"]"));
	refuses(GATE("\"argv\": [\"env\", \"lint\"]"));
	accepts(GATE("\"argv\": [\"env\", \"lint\"], \"allow_wrapper\": true"));
	refuses(GATE("\"argv\": [\"{file}\"]"));
	refuses(GATE("\"argv\": [\"lint\", \"--in={file}\"]"));
	refuses(GATE("\"argv\": [\"lint\"], \"glob\": 1"));
	refuses(GATE("\"argv\": [\"lint\"], \"exec\": []"));
	refuses(GATE("\"argv\": [\"lint\"], \"exec\": [\"bin/lint\"]"));
	refuses(GATE("\"argv\": [\"lint\"], \"exec\": [\"/bin/\\\"x\"]"));
	refuses(GATE("\"argv\": [\"lint\"], \"timeout\": 3"));
}

Test(brief, commands)
{
	accepts(COMMAND("\"prefix\": [\"make\", \"check\"]"));
	refuses(COMMAND("\"args\": []"));
	refuses(COMMAND("\"prefix\": []"));
	refuses(COMMAND("\"prefix\": \"make\""));
	refuses(COMMAND("\"prefix\": [\"zsh\"]"));
	refuses(COMMAND("\"prefix\": [\"/usr/bin/xargs\"]"));
	refuses(COMMAND("\"prefix\": [\"make\"], \"args\": [\".*\"]"));
	refuses(COMMAND("\"prefix\": [\"make\"], \"args\": [\"(\"]"));
	accepts(COMMAND("\"prefix\": [\"git\", \"status\"], \"args\": [\"--short\"]"));
	refuses(COMMAND("\"prefix\": [\"make\"], \"timeout\": 0"));
	refuses(COMMAND("\"prefix\": [\"make\"], \"timeout\": 7201"));
	refuses(COMMAND("\"prefix\": [\"make\"], \"timeout\": true"));
	refuses(COMMAND("\"prefix\": [\"make\"], \"timeout\": 1.5"));
	refuses(COMMAND("\"prefix\": [\"make\"], \"timeout\": null"));
	refuses(COMMAND("\"prefix\": [\"make\"], \"stdin_gates\": []"));
	refuses(COMMAND("\"prefix\": [\"make\"], \"stdin_gates\": [\"none\"]"));
	refuses(COMMAND("\"prefix\": [\"make\"], \"cwd\": 1"));
	refuses(COMMAND("\"prefix\": [\"make\"], \"shell\": true"));
	/* 17.4: writes */
	refuses(COMMAND("\"prefix\": [\"make\"], \"writes\": [\"*\"]"));
	refuses(COMMAND("\"prefix\": [\"make\"], \"writes\": [\"**/x.json\"]"));
	refuses(COMMAND("\"prefix\": [\"make\"], \"writes\": [\".claude/**\"]"));
	refuses(COMMAND("\"prefix\": [\"make\"], \"writes\": [\"docs/*\"]")); /* the brief */
	accepts(COMMAND("\"prefix\": [\"make\"], \"writes\": [\"build/*\"]"));
}

Test(brief, scopes)
{
	accepts(AGENT("\"write_scopes\": [\"./\"]")); /* loads, matches nothing */
	refuses(AGENT("\"write_scopes\": [\"docs/brief.json\"]"));
	refuses(AGENT("\"write_scopes\": [\"docs/\"]"));
	refuses(AGENT("\"write_scopes\": [\"*/x\"]"));
	refuses(AGENT("\"write_scopes\": [\"src/**\"]"));
	refuses(AGENT("\"write_scopes\": [\".git/*\"]"));
	refuses(AGENT("\"write_scopes\": [\"/src/*\"]"));
	refuses(AGENT("\"write_scopes\": \"src/\""));
	refuses(AGENT("\"scopes\": []"));
	refuses("{\"agent_policies\": {\"Upper\": {}}}");
	refuses("{\"agent_policies\": {\"-a\": {}}}");
	refuses("{\"agent_policies\": {\"gate_exec\": {}}}");
}

/* 21.28, confinement */
Test(brief, jails)
{
	accepts(JAIL("\"exec\": [\"/usr/bin/make\"]"));
	refuses(JAIL("\"exec\": [\"make\"]"));
	refuses(JAIL("\"exec\": []"));
	refuses(JAIL("\"write\": [\"out\"]"));
	refuses(JAIL("\"exec\": [\"/b\"], \"write\": [\".\"]"));
	refuses(JAIL("\"exec\": [\"/b\"], \"write\": [\".agentteams\"]"));
	refuses(JAIL("\"exec\": [\"/b\"], \"write\": [\".git/hooks\"]"));
	refuses(JAIL("\"exec\": [\"/b\"], \"write\": [\".github/workflows\"]"));
	refuses(JAIL("\"exec\": [\"/b\"], \"write\": [\"../x\"]"));
	refuses(JAIL("\"exec\": [\"/b\"], \"write\": [\"/abs\"]"));
	refuses(JAIL("\"exec\": [\"/b\"], \"write\": \"out\""));
	refuses(JAIL("\"exec\": [\"/b\"], \"write\": [\"o*t\"]"));
	refuses(JAIL("\"exec\": [\"/b\"], \"more\": 1"));
	refuses(JAIL("\"exec\": [\"/b\\u0001\"]"));
	refuses("{\"confined_programs\": {\"gate_exec\": {}}}");
}

Test(brief, grants)
{
	accepts(GRANT("\"tools\": [\"write_file\"]"));
	refuses(GRANT("\"tools\": []"));
	refuses(GRANT("\"approval\": \"staged\""));
	refuses(GRANT("\"tools\": [\"write_file\", \"write_file\"]"));
	refuses(GRANT("\"tools\": [\"*\"]"));
	refuses(GRANT("\"tools\": [\"write_file\"], \"approval\": \"auto\""));
	refuses(GRANT("\"tools\": [\"write_file\"], \"extra\": 1"));
	refuses("{\"mcp_grants\": {\"orchestrator\": {\"tools\": [\"write_file\"]}}}");
}

Test(brief, the_operators_file)
{
	static const char brief[] = GATE("\"argv\": [\"/usr/bin/true\", \"{file}\"]");
	static const char digest[] =
		"5836bda94e361b0bd7c5c8c0bb263ef50af96bce5e168bb8e9fae75ea9b88b15";
	char good[512], bad[512];
	struct brief b;
	struct errctx e;

	(void)snprintf(
		good, sizeof(good),
		"{\"a\": {\"exec\": [\"/bin\"]}, \"gate_exec\": {\"g\": [\"/usr/bin/true\"]}, "
		"\"gate_argv_sha256\": {\"g\": \"%s\"}}",
		digest);
	cr_assert_eq(parse(brief, good, &b, &e), 0, "%s", e.text);
	cr_assert_not_null(brief_jail(&b, VIEW("a")));
	cr_assert_eq(brief_gate(&b, VIEW("g"))->exec.n, 1);
	cr_assert_eq(strlen(b.operator_sha256), 64);
	brief_release(&b);
	/* another argv, an unknown gate, no digest, both places, reserved names in the brief */
	(void)snprintf(
		bad, sizeof(bad),
		"{\"gate_exec\": {\"g\": [\"/x\"]}, \"gate_argv_sha256\": {\"g\": \"%064d\"}}", 0);
	cr_assert_eq(parse(brief, bad, &b, &e), E_CHANGED);
	cr_assert_neq(parse(brief,
			    "{\"gate_exec\": {\"none\": [\"/x\"]}, \"gate_argv_sha256\": "
			    "{\"none\": \"\"}}",
			    &b, &e),
		      0);
	cr_assert_neq(parse(brief, "{\"gate_exec\": {\"g\": [\"/x\"]}}", &b, &e), 0);
	cr_assert_neq(parse(brief,
			    "{\"gate_exec\": {\"g\": \"/x\"}, \"gate_argv_sha256\": {\"g\": \"\"}}",
			    &b, &e),
		      0);
	cr_assert_neq(parse(JAIL("\"exec\": [\"/b\"]"), "{}", &b, &e), 0);
	cr_assert_neq(parse(brief, "[]", &b, &e), 0);
	cr_assert_neq(parse(brief, "{", &b, &e), 0);
}

/* File 22, 18. */
Test(brief, the_operators_file_has_the_name_of_the_vector)
{
	auto_buf struct buf b;

	buf_init(&b, 300);
	cr_assert_eq(brief_project_name(VIEW("/srv/demo"), &b), 0);
	cr_assert_str_eq(buf_text(&b), "demo-926574b4279e");
	buf_clear(&b);
	cr_assert_eq(brief_project_name(VIEW("/"), &b), 0);
	cr_assert_eq(strncmp(buf_text(&b), "root-", 5), 0);
	buf_clear(&b);
	cr_assert_eq(brief_project_name(VIEW("/srv/a b;c"), &b), 0);
	cr_assert_eq(strncmp(buf_text(&b), "a_b_c-", 6), 0);
}
