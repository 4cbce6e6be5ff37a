/* SPDX-License-Identifier: MIT */
/*
 * Names of verdicts and the one rule that combines them. Pure. A value that is no verdict (zero, a
 * flipped bit) counts as a refusal everywhere. Tests: tests/unit/policy/t_verdict.c.
 */
#include "base/base.h"

#include "policy/policy.h"

const char *verdict_name(enum verdict v)
{
	switch (v) {
	case VERDICT_ALLOW:
		return "allow";
	case VERDICT_ASK:
		return "ask";
	case VERDICT_DENY:
		return "deny";
	case VERDICT_NONE:
		break;
	}
	return "none";
}

enum verdict verdict_combine(enum verdict a, enum verdict b)
{
	if (a == VERDICT_ALLOW && b == VERDICT_ALLOW)
		return VERDICT_ALLOW;
	if ((a == VERDICT_ALLOW || a == VERDICT_ASK) && (b == VERDICT_ALLOW || b == VERDICT_ASK))
		return VERDICT_ASK;
	return VERDICT_DENY;
}
