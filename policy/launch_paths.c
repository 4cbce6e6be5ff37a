/* SPDX-License-Identifier: MIT */
/*
 * Names that the launcher hides or keeps read-only (file 10, sections 4, 5 and 18.7).
 * Pure. Covered by tests/escape/guards.tap and the golden dump.
 */
#include "base/base.h"
#include "policy/launch.h"

#include "base/pathstr.h"

static const struct mask_row masks[] = {
	/* clang-format off */
	{"MASK_01", MASK_BASE, ".ssh", "private keys and known hosts"},
	{"MASK_02", MASK_BASE, ".aws", "cloud credentials"},
	{"MASK_03", MASK_BASE, ".gnupg", "private keys"},
	{"MASK_04", MASK_BASE, ".kube", "cluster credentials"},
	{"MASK_05", MASK_BASE, ".config/gcloud", "cloud credentials"},
	{"MASK_06", MASK_BASE, ".azure", "cloud credentials"},
	{"MASK_07", MASK_BASE, ".config/agentteams/keys", "operator's signing keys"},
	{"MASK_08", MASK_BASE, ".config/agentteams/*.pem", "operator's keys of an older layout"},
	{"MASK_20", MASK_EXTENDED, ".netrc", "passwords of many clients"},
	{"MASK_21", MASK_EXTENDED, ".git-credentials", "tokens of git hosts"},
	{"MASK_22", MASK_EXTENDED, ".config/git/credentials", "tokens of git hosts"},
	{"MASK_23", MASK_EXTENDED, ".npmrc", "registry tokens"},
	{"MASK_24", MASK_EXTENDED, ".pypirc", "registry tokens"},
	{"MASK_25", MASK_EXTENDED, ".cargo/credentials*", "registry tokens"},
	{"MASK_26", MASK_EXTENDED, ".docker", "registry tokens and client keys"},
	{"MASK_27", MASK_EXTENDED, ".config/containers/auth.json", "registry tokens"},
	{"MASK_28", MASK_EXTENDED, ".config/gh", "tokens of git hosts"},
	{"MASK_29", MASK_EXTENDED, ".config/hub", "tokens of git hosts"},
	{"MASK_30", MASK_EXTENDED, ".terraform.d", "cloud credentials"},
	{"MASK_31", MASK_EXTENDED, ".vault-token", "token of a secret store"},
	{"MASK_32", MASK_EXTENDED, ".password-store", "password manager"},
	{"MASK_33", MASK_EXTENDED, ".local/share/keyrings", "password manager"},
	{"MASK_34", MASK_EXTENDED, ".mozilla", "browser profile with cookies and passwords"},
	{"MASK_35", MASK_EXTENDED, ".config/*chrom*", "browser profile with cookies and passwords"},
	{"MASK_36", MASK_EXTENDED, ".bash_history", "typed secrets"},
	{"MASK_37", MASK_EXTENDED, ".zsh_history", "typed secrets"},
	{"MASK_38", MASK_EXTENDED, ".local/share/fish/fish_history", "typed secrets"},
	{"MASK_39", MASK_EXTENDED, ".python_history", "typed secrets"},
	{"MASK_40", MASK_EXTENDED, ".psql_history", "typed secrets"},
	{"MASK_41", MASK_EXTENDED, ".mysql_history", "typed secrets"},
	{"MASK_42", MASK_EXTENDED, ".node_repl_history", "typed secrets"},
	{"MASK_43", MASK_EXTENDED, ".config/goose", "model provider keys"},
	{"MASK_44", MASK_EXTENDED, ".claude/.credentials.json", "model provider login"},
	{"MASK_45", MASK_EXTENDED, ".codex/auth.json", "model provider login"},
	/* clang-format on */
};

const struct mask_row *launch_masks(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(masks);
	return masks;
}

#define REFS(dir) dir "/references/"
#define TEAM_ROWS(no, team, dir)                                                                   \
	{"GUARD_" no "1", GUARD_TEAM, team, REFS(dir) "agent-privilege.json",                      \
	 "the switch that turns enforcement on"},                                                  \
		{"GUARD_" no "2", GUARD_TEAM, team, REFS(dir) "authorized-verify-keys",            \
		 "keys that signed grants are checked with"},                                      \
		{"GUARD_" no "3", GUARD_ROSTER, team, REFS(dir) "security-approvers.txt",          \
		 "who may approve"},                                                               \
		{"GUARD_" no "4", GUARD_ROSTER, team, REFS(dir) "authorized-managers.txt",         \
		 "who may manage"},                                                                \
	{                                                                                          \
		"GUARD_" no "5", GUARD_ROSTER, team, REFS(dir) "management-authority.json",        \
			"who may manage what"                                                      \
	}

static const struct guard_row guards[] = {
	/* Whole folders first: what lies below one needs no mount of its own. */
	{"GUARD_01", GUARD_PLACE, TEAM_NONE, ".claude",
	 "live settings, hooks and agents that the next session trusts"},

	TEAM_ROWS("1", TEAM_CLAUDE, ".claude/agents"),
	{"GUARD_16", GUARD_TEAM, TEAM_CLAUDE, ".claude/hooks/constitutional-gate.py",
	 "gate hook of the reference"},
	TEAM_ROWS("2", TEAM_GOOSE, ".goose/recipes"),
	TEAM_ROWS("3", TEAM_COPILOT, ".github/agents"),
	TEAM_ROWS("4", TEAM_CODEX, ".codex/agents"),

	{"GUARD_51", GUARD_PRESENT, TEAM_NONE, ".codex/config.toml",
	 "approval and sandbox settings that Codex obeys"},
	{"GUARD_52", GUARD_PRESENT, TEAM_NONE, ".goose/sandbox.sb", "macOS profile"},
	{"GUARD_53", GUARD_PRESENT, TEAM_NONE, "references/security-approvers.txt",
	 "roster of the project"},
	{"GUARD_54", GUARD_PRESENT, TEAM_NONE, ".goose/confined-run.example.sh",
	 "start script that an operator copies"},
	{"GUARD_55", GUARD_PRESENT, TEAM_NONE, ".codex/confined-run.example.sh",
	 "start script that an operator copies"},
	{"GUARD_56", GUARD_PRESENT, TEAM_NONE, ".agentteams",
	 "installed server copy and project wiring"},
	{"GUARD_57", GUARD_PRESENT, TEAM_NONE, "sandbox/confine-run.sh",
	 "the shim that starts this launcher"},

	{"GUARD_61", GUARD_PROMPT, TEAM_NONE, ".github/copilot-instructions.md", "prompt root"},
	{"GUARD_62", GUARD_PROMPT, TEAM_NONE, "AGENTS.md", "prompt root"},
	{"GUARD_63", GUARD_PROMPT, TEAM_NONE, "AGENTS.override.md", "prompt root"},
	{"GUARD_64", GUARD_PROMPT, TEAM_NONE, ".goosehints", "prompt root"},
	{"GUARD_65", GUARD_PROMPT, TEAM_NONE, "CLAUDE.md", "prompt root"},
	{"GUARD_66", GUARD_PROMPT, TEAM_NONE, "CLAUDE.local.md", "prompt root"},
	{"GUARD_67", GUARD_PROMPT, TEAM_NONE, ".mcp.json", "prompt root; names programs to start"},
	{"GUARD_68", GUARD_PROMPT, TEAM_NONE, ".github/instructions", "prompt root"},
	{"GUARD_69", GUARD_PROMPT, TEAM_NONE, ".github/prompts", "prompt root"},
	{"GUARD_70", GUARD_PROMPT, TEAM_NONE, ".github/agents", "prompt root"},
	{"GUARD_71", GUARD_PROMPT, TEAM_NONE, ".codex", "prompt root"},
	{"GUARD_72", GUARD_PROMPT, TEAM_NONE, ".goose/recipes", "prompt root"},

	{"GUARD_81", GUARD_EDITOR, TEAM_NONE, ".gitmodules",
	 "names what git fetches and checks out"},
	{"GUARD_82", GUARD_EDITOR, TEAM_NONE, ".envrc",
	 "direnv executes it on entering the folder"},
	{"GUARD_83", GUARD_EDITOR, TEAM_NONE, ".vscode", "tasks and settings that name programs"},
	{"GUARD_84", GUARD_EDITOR, TEAM_NONE, ".idea", "run configurations"},
	{"GUARD_85", GUARD_EDITOR, TEAM_NONE, ".husky", "git hooks"},
	{"GUARD_86", GUARD_EDITOR, TEAM_NONE, ".pre-commit-config.yaml", "git hooks"},
	{"GUARD_87", GUARD_EDITOR, TEAM_NONE, ".mcp.json", "names programs to start"},
};

const struct guard_row *launch_guards(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(guards);
	return guards;
}

const char launch_team_marker[] = "references/build-log.json";
const char launch_team_switch[] = "references/agent-privilege.json";
const char launch_team_not_agent[] = "SETUP-REQUIRED.md";

static const struct team_row teams[N_TEAMS] = {
	[TEAM_NONE] = {TEAM_NONE, "none", "", ""},
	[TEAM_CLAUDE] = {TEAM_CLAUDE, "Claude", ".claude/agents", ".md"},
	[TEAM_GOOSE] = {TEAM_GOOSE, "Goose", ".goose/recipes", ".yaml"},
	[TEAM_COPILOT] = {TEAM_COPILOT, "Copilot", ".github/agents", ".agent.md"},
	[TEAM_CODEX] = {TEAM_CODEX, "Codex", ".codex/agents", ".toml"},
};

const struct team_row *launch_team(enum guard_team t)
{
	return t < N_TEAMS ? &teams[t] : &teams[TEAM_NONE];
}

static const struct git_row git_rows[] = {
	{"GIT_01", GIT_LEVEL_HOOKS, "hooks", "executed by git"},
	{"GIT_02", GIT_LEVEL_CONFIG, "config", "names programs that git executes"},
	{"GIT_03", GIT_LEVEL_CONFIG, "config.worktree", "names programs that git executes"},
	{"GIT_04", GIT_LEVEL_CONFIG, "info/attributes", "selects the filters that git executes"},
	{"GIT_05", GIT_LEVEL_HOOKS, "modules/*/hooks", "executed by git in a submodule"},
	{"GIT_06", GIT_LEVEL_CONFIG, "modules/*/config", "names programs that git executes"},
};

const struct git_row *launch_git(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(git_rows);
	return git_rows;
}

static const struct run_row run_rows[] = {
	{"RUN_01", "/run/current-system", false, "system profile of a store-based distribution"},
	{"RUN_02", "/run/booted-system", false, "system profile of a store-based distribution"},
	{"RUN_03", "/run/opengl-driver", false, "drivers of a store-based distribution"},
	{"RUN_04", "/run/wrappers", false, "programs of a store-based distribution"},
	{"RUN_05", "/run/systemd/resolve/stub-resolv.conf", true, "target of /etc/resolv.conf"},
	{"RUN_06", "/run/systemd/resolve/resolv.conf", true, "target of /etc/resolv.conf"},
	{"RUN_07", "/run/NetworkManager/resolv.conf", true, "target of /etc/resolv.conf"},
	{"RUN_08", "/run/resolvconf/resolv.conf", true, "target of /etc/resolv.conf"},
};

const struct run_row *launch_run_paths(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(run_rows);
	return run_rows;
}

/* Section, '*' for any subsection part, key. Values of alias count only when they start with '!'.
 */
static const struct {
	const char *section, *key;
} git_keys[] = {
	{"core", "fsmonitor"},
	{"core", "sshcommand"},
	{"core", "hookspath"},
	{"core", "editor"},
	{"core", "pager"},
	{"core", "askpass"},
	{"core", "gitproxy"},
	{"core", "attributesfile"},
	{"core", "worktree"},
	{"filter", "clean"},
	{"filter", "smudge"},
	{"filter", "process"},
	{"diff", "external"},
	{"diff", "command"},
	{"diff", "textconv"},
	{"merge", "driver"},
	{"mergetool", "cmd"},
	{"mergetool", "path"},
	{"difftool", "cmd"},
	{"difftool", "path"},
	{"credential", "helper"},
	{"gpg", "program"},
	{"gpg", "defaultkeycommand"},
	{"include", "path"},
	{"includeif", "path"},
	{"sequence", "editor"},
	{"interactive", "difffilter"},
	{"uploadpack", "packobjectshook"},
	{"remote", "uploadpack"},
	{"remote", "receivepack"},
	{"remote", "vcs"},
	{"protocol", "allow"},
	{"submodule", "update"},
	{"sendemail", "sendmailcmd"},
	{"sendemail", "tocmd"},
	{"sendemail", "cccmd"},
	{"browser", "cmd"},
	{"man", "cmd"},
	{"instaweb", "httpd"},
	{"guitool", "cmd"},
	{"trailer", "command"},
	{"trailer", "cmd"},
	{"tar", "command"},
	{"extensions", "worktreeconfig"},
	{"web", "browser"},
	{"url", "insteadof"},
	{"url", "pushinsteadof"},
	{"init", "templatedir"},
};

static bool folded_is(struct view v, const char *lower)
{
	size_t n = strlen(lower);

	if (v.len != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = v.ptr[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (c != lower[i])
			return false;
	}
	return true;
}

bool launch_git_key_runs(struct view section, struct view key, struct view value)
{
	if (folded_is(section, "alias"))
		return value.len > 0 && value.ptr[0] == '!';
	if (folded_is(section, "pager"))
		return true; /* pager.<command>: a program, whatever the key */
	for (size_t i = 0; i < ARRAY_LEN(git_keys); i++)
		if (folded_is(section, git_keys[i].section) && folded_is(key, git_keys[i].key))
			return true;
	return false;
}
