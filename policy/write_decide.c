/* SPDX-License-Identifier: MIT */
/* The destination check of a proposal (file 22, 5.7): four rules in their order. Pure. Tests:
 * tests/unit/policy/t_write.c. */
#include "base/base.h"

#include "policy/write.h"

#include "base/limits.h"
#include "base/pathstr.h"

static struct decision deny(const char *rule, const char *reason, struct view match)
{
	return (struct decision){.verdict = VERDICT_DENY,
				 .rule = rule,
				 .reason = reason,
				 .which = "requested",
				 .match = match};
}

static bool is_brief(struct view rel, struct view brief)
{
	char a[MAX_PATH_BYTES + 1], b[MAX_PATH_BYTES + 1];
	size_t na, nb;

	if (!brief.ptr)
		return false;
	if (rel.len > MAX_PATH_BYTES || brief.len > MAX_PATH_BYTES)
		return true;
	na = pathstr_fold(rel, a);
	nb = pathstr_fold(brief, b);
	return na == nb && memcmp(a, b, na) == 0;
}

struct decision policy_path_write(const struct write_query *q)
{
	struct decision d;

	if (q->rel.len == 0 || q->rel.len > MAX_PATH_BYTES)
		return deny("internal", "the path is empty or too long", (struct view){0});
	d = policy_write_control(q->rel, q->scopes, q->n_scopes);
	if (d.verdict != VERDICT_ALLOW)
		return d;
	if (is_brief(q->rel, q->brief))
		return deny("WRITE_BRIEF", "it is the brief that this policy comes from", q->rel);
	for (size_t i = 0; i < q->n_protect; i++) {
		if (policy_protect_covers(q->protect[i], q->rel))
			return deny("WRITE_PROTECTED", "protected_paths of the brief covers it",
				    q->protect[i]);
	}
	for (size_t i = 0; i < q->n_scopes; i++) {
		if (policy_scope_covers(q->scopes[i], q->rel))
			return (struct decision){.verdict = VERDICT_ALLOW};
	}
	return deny("WRITE_SCOPE", "none of the agent's write_scopes covers it", q->rel);
}
