/* SPDX-License-Identifier: MIT */
/* Tools of the clients, words in MCP tool names, secrets to mask, protected branches, and the words
 * of the text floor (file 40, sections 12.10 to 12.12). Test: t0400-gate-event.tap, the case files.
 */
#include "base/base.h"

#include "policy/gate.h"

static const struct gate_tool tools[] = {
	/* Claude Code */
	{"Bash", TOOLK_SHELL},
	{"Monitor", TOOLK_SHELL},
	{"PowerShell", TOOLK_POWERSHELL},
	{"Write", TOOLK_WRITE},
	{"Edit", TOOLK_EDIT},
	{"MultiEdit", TOOLK_EDIT},
	{"NotebookEdit", TOOLK_EDIT},
	{"Read", TOOLK_READ},
	{"Glob", TOOLK_READ},
	{"Grep", TOOLK_READ},
	{"LS", TOOLK_READ},
	{"NotebookRead", TOOLK_READ},
	{"WebFetch", TOOLK_READ},
	{"WebSearch", TOOLK_READ},
	{"TodoWrite", TOOLK_READ},
	{"TodoRead", TOOLK_READ},
	{"BashOutput", TOOLK_READ},
	{"KillShell", TOOLK_READ},
	{"KillBash", TOOLK_READ},
	{"ExitPlanMode", TOOLK_READ},
	{"EnterPlanMode", TOOLK_READ},
	{"AskUserQuestion", TOOLK_READ},
	{"ToolSearch", TOOLK_READ},
	{"Skill", TOOLK_READ},
	{"SlashCommand", TOOLK_READ},
	{"ListMcpResourcesTool", TOOLK_READ},
	{"ReadMcpResourceTool", TOOLK_READ},
	{"Task", TOOLK_SPAWN},
	{"Agent", TOOLK_SPAWN},
	{"TeamCreate", TOOLK_SPAWN},
	/* Codex, goose, Copilot, Gemini */
	{"shell", TOOLK_SHELL},
	{"local_shell", TOOLK_SHELL},
	{"exec_command", TOOLK_SHELL},
	{"bash", TOOLK_SHELL},
	{"powershell", TOOLK_POWERSHELL},
	{"run_shell_command", TOOLK_SHELL},
	{"developer__shell", TOOLK_SHELL},
	{"apply_patch", TOOLK_PATCH},
	{"update_plan", TOOLK_READ},
	{"view_image", TOOLK_READ},
	{"write_file", TOOLK_WRITE},
	{"create", TOOLK_WRITE},
	{"edit", TOOLK_EDIT},
	{"replace", TOOLK_EDIT},
	{"read_file", TOOLK_READ},
	{"view", TOOLK_READ},
	{"list_directory", TOOLK_READ},
	{"search_file_content", TOOLK_READ},
	{"glob", TOOLK_READ},
	{"grep", TOOLK_READ},
};

const struct gate_tool *gate_tools(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(tools);
	return tools;
}

enum gate_tool_kind gate_tool_kind(struct view name)
{
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		if (view_is(name, tools[i].name))
			return tools[i].kind;
	return TOOLK_OTHER;
}

bool gate_mcp_word(struct view word)
{
	static const char *const words[] = {"delete",	"remove",  "drop",     "merge",
					    "force",	"destroy", "purge",    "erase",
					    "truncate", "wipe",	   "terminate"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (gate_glob(words[i], word, true))
			return true;
	return false;
}

static const struct gate_secret secrets[] = {
	{"ghp_", 20, "a GitHub token"},
	{"gho_", 20, "a GitHub token"},
	{"ghu_", 20, "a GitHub token"},
	{"ghs_", 20, "a GitHub token"},
	{"ghr_", 20, "a GitHub token"},
	{"github_pat_", 20, "a GitHub token"},
	{"glpat-", 16, "a GitLab token"},
	{"xoxb-", 10, "a Slack token"},
	{"xoxp-", 10, "a Slack token"},
	{"xoxa-", 10, "a Slack token"},
	{"xoxr-", 10, "a Slack token"},
	{"xoxs-", 10, "a Slack token"},
	{"sk_live_", 16, "a Stripe key"},
	{"sk_test_", 16, "a Stripe key"},
	{"rk_live_", 16, "a Stripe key"},
	{"sk-ant-", 16, "an Anthropic key"},
	{"sk-proj-", 16, "an OpenAI key"},
	{"sk-", 32, "an API key"},
	{"AKIA", 16, "an AWS key id"},
	{"ASIA", 16, "an AWS key id"},
	{"AIza", 30, "a Google key"},
	{"ya29.", 20, "a Google token"},
	{"npm_", 30, "an npm token"},
	{"pypi-", 20, "a PyPI token"},
	{"dop_v1_", 30, "a DigitalOcean token"},
	{"hf_", 30, "a Hugging Face token"},
	{"SG.", 30, "a SendGrid key"},
	{"eyJ", 30, "a signed token"},
	{"AGE-SECRET-KEY-", 20, "an age key"},
	{"hvs.", 20, "a Vault token"},
};

const struct gate_secret *gate_secrets(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(secrets);
	return secrets;
}

bool gate_secret_word(struct view name)
{
	static const char *const globs[] = {
		"*password*",	 "*passwd*",	 "*passphrase*", "*secret*",	 "*token*",
		"*api_key*",	 "*api-key*",	 "*apikey*",	 "*credential*", "*private_key*",
		"*private-key*", "*access_key*", "*access-key*", "pgpassword",	 "mysql_pwd",
		"*auth*key*",	 "pass",	 "pwd",		 "*_pass",	 "*-pass"};

	for (size_t i = 0; i < ARRAY_LEN(globs); i++)
		if (gate_glob(globs[i], name, true))
			return true;
	return false;
}

bool gate_branch_protected(struct view b)
{
	static const char *const globs[] = {"main",	 "master",     "trunk",	     "release",
					    "release/*", "releases/*", "production", "prod"};

	if (b.len > 11 && memcmp(b.ptr, "refs/heads/", 11) == 0)
		b = (struct view){b.ptr + 11, b.len - 11};
	for (size_t i = 0; i < ARRAY_LEN(globs); i++)
		if (gate_glob(globs[i], b, false))
			return true;
	return false;
}

/* Words of the reference's text rules (file 40, section 5) and a few more, for text that can't be
 * parsed. They only name the class: such text is asked about anyway. */
static const struct gate_floor floors[] = {
	{"sudo", GATE_PRIVILEGE},
	{"doas", GATE_PRIVILEGE},
	{"curl sh", GATE_PIPE_TO_SHELL},
	{"curl bash", GATE_PIPE_TO_SHELL},
	{"wget sh", GATE_PIPE_TO_SHELL},
	{"wget bash", GATE_PIPE_TO_SHELL},
	{"crontab", GATE_PERSISTENCE},
	{"launchctl", GATE_PERSISTENCE},
	{"LaunchAgents", GATE_PERSISTENCE},
	{"sudoers", GATE_PERSISTENCE},
	{"install", GATE_PKG_INSTALL},
	{"git push force", GATE_GIT_HISTORY},
	{"git push f", GATE_GIT_HISTORY},
	{"git reset hard", GATE_GIT_HISTORY},
	{"gh delete", GATE_GH_DELETE},
	{"gh DELETE", GATE_GH_DELETE},
	{"pr merge", GATE_PR_MERGE},
	{"mergePullRequest", GATE_PR_MERGE},
	{"git push delete", GATE_REF_DELETE},
	{"git push mirror", GATE_REF_DELETE},
	{"git branch D", GATE_REF_DELETE},
	{"git branch d", GATE_REF_DELETE},
	{"git tag d", GATE_REF_DELETE},
	{"git branch delete", GATE_REF_DELETE},
	{"worktree remove", GATE_REF_DELETE},
	{"rm", GATE_FS_DELETE},
	{"unlink", GATE_FS_DELETE},
	{"rmdir", GATE_FS_DELETE},
	{"shred", GATE_FS_DELETE},
	{"truncate", GATE_FS_TRUNCATE},
	{"find delete", GATE_FS_DELETE},
	{"dd of", GATE_FS_TRUNCATE},
	{"kubectl delete", GATE_INFRA_DELETE},
	{"terraform destroy", GATE_INFRA_DELETE},
	{"docker rm", GATE_INFRA_DELETE},
	{"docker prune", GATE_INFRA_DELETE},
	{"DROP TABLE", GATE_DB_DELETE},
	{"drop table", GATE_DB_DELETE},
	{"DELETE FROM", GATE_DB_DELETE},
	{"TRUNCATE", GATE_DB_DELETE},
	{"rmtree", GATE_INTERP_DELETE},
	{"os remove", GATE_INTERP_DELETE},
};

const struct gate_floor *gate_floors(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(floors);
	return floors;
}
