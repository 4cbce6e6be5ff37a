/* SPDX-License-Identifier: MIT */
/*
 * The control plane: what no proposal may touch, whoever asks (file 22, 5.3, and its item 20.7).
 * Pure. Compared case-folded everywhere. Tests: tests/unit/policy/t_write.c.
 */
#include "base/base.h"

#include "policy/write.h"

#include "base/limits.h"
#include "base/pathstr.h"

#define PRODUCT "holds the runner's records, keys its decisions, or queues requests"
#define HARNESS "steers an agent harness: settings, hooks, agents or tools"
#define GIT	"git runs or obeys what stands there"
#define EDITOR	"an editor runs or obeys what stands there"
#define PROMPT	"every later session reads it as instructions"

static const struct write_row rows[] = {
	{"WRITE_01", ".agentteams", true, false, PRODUCT},
	{"WRITE_02", ".agentteams-queue", true, false, PRODUCT},
	{"WRITE_03", ".claude", true, false, HARNESS},
	{"WRITE_04", ".goose", true, false, HARNESS},
	{"WRITE_05", ".codex", true, false, HARNESS},
	{"WRITE_06", ".gemini", true, false, HARNESS},
	{"WRITE_07", ".cursor", true, false, HARNESS},
	{"WRITE_08", ".github/agents", true, false, HARNESS},
	{"WRITE_09", ".github/hooks", true, false, HARNESS},
	{"WRITE_10", "sandbox", false, false, "holds the launcher's files at the top of a project"},
	{"WRITE_11", ".mcp.json", true, false, HARNESS},
	{"WRITE_12", ".git", true, false, GIT},
	{"WRITE_13", ".gitmodules", true, true, GIT},
	{"WRITE_14", ".gitattributes", true, true, GIT},
	{"WRITE_15", ".gitconfig", true, true, GIT},
	{"WRITE_16", ".envrc", true, true, "a shell runs it when it enters the folder"},
	{"WRITE_17", ".vscode", true, true, EDITOR},
	{"WRITE_18", ".idea", true, true, EDITOR},
	{"WRITE_19", ".zed", true, true, EDITOR},
	{"WRITE_20", ".github/copilot-instructions.md", true, true, PROMPT},
	{"WRITE_21", ".github/instructions", true, true, PROMPT},
	{"WRITE_22", ".github/prompts", true, true, PROMPT},
	{"WRITE_23", "AGENTS.md", true, true, PROMPT},
	{"WRITE_24", "AGENTS.override.md", true, true, PROMPT},
	{"WRITE_25", "CLAUDE.md", true, true, PROMPT},
	{"WRITE_26", "CLAUDE.local.md", true, true, PROMPT},
	{"WRITE_27", "GEMINI.md", true, true, PROMPT},
	{"WRITE_28", ".goosehints", true, true, PROMPT},
	/* Left out on purpose: .github/workflows (file 10, 5.3: teams write their own CI; name it
	   in protected_paths to refuse it), README.md, package.json and other files that people
	   review. */
};

const struct write_row *policy_write_rows(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(rows);
	return rows;
}

static bool folded_eq(struct view a, struct view b)
{
	char fa[MAX_NAME_BYTES + 1], fb[MAX_NAME_BYTES + 1];
	size_t na, nb;

	if (a.len > MAX_NAME_BYTES || b.len > MAX_NAME_BYTES)
		return false;
	na = pathstr_fold(a, fa);
	nb = pathstr_fold(b, fb);
	return na == nb && memcmp(fa, fb, na) == 0;
}

/* Do the first components of rest equal those of path? */
static bool leads(struct view rest, struct view path, struct view *match)
{
	struct view want, have;

	*match = (struct view){0};
	while (pathstr_next(&path, &want)) {
		if (!pathstr_next(&rest, &have) || !folded_eq(want, have))
			return false;
		*match = have;
	}
	return true;
}

static bool row_covers(const struct write_row *row, struct view rel, struct view *match)
{
	struct view rest = rel, component;

	if (leads(rest, view_of(row->path), match))
		return true;
	if (!row->any_depth)
		return false;
	while (pathstr_next(&rest, &component)) {
		if (leads(rest, view_of(row->path), match))
			return true;
	}
	return false;
}

/* Only a scope that spells the very path counts as naming it; a folder or a pattern doesn't. */
static bool is_named(struct view rel, const struct view *named, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (view_eq(rel, named[i]))
			return true;
	}
	return false;
}

struct decision policy_write_control(struct view rel, const struct view *named, size_t n_named)
{
	struct view match;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!row_covers(&rows[i], rel, &match))
			continue;
		if (rows[i].named_ok && is_named(rel, named, n_named))
			continue;
		return (struct decision){.verdict = VERDICT_DENY,
					 .rule = rows[i].id,
					 .reason = rows[i].reason,
					 .which = "requested",
					 .match = match};
	}
	return (struct decision){.verdict = VERDICT_ALLOW};
}
