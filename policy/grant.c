/* SPDX-License-Identifier: MIT */
/*
 * Direct grants (file 24): what the operator's signature can't widen. Pure. Failure rule: what
 * isn't known to be in bounds is refused, and its change staged. Tests:
 * tests/unit/policy/t_grant.c.
 */
#include "base/base.h"

#include "policy/grant.h"

#include "base/limits.h"
#include "base/pathstr.h"

enum rule {
	ENDS_FIRST,
	TOO_LONG,
	AHEAD,
	TOO_MANY,
	EXPIRED,
	BEFORE_LEDGER,
	REVOKED,
	CLOCK_BACK,
	EXPIRED_NOW,
	SPENT,
	WIDE_NONCE,
	NO_SCOPE,
	UNBOUNDED,
};

static const struct grant_row rows[] = {
	[ENDS_FIRST] = {"GRANT_01", "it expires before it begins"},
	[TOO_LONG] = {"GRANT_02", "it would last longer than 30 days"},
	[AHEAD] = {"GRANT_03", "it was issued in the future"},
	[TOO_MANY] = {"GRANT_04", "max_writes is not from 1 to 500"},
	[EXPIRED] = {"GRANT_05", "it has expired"},
	[BEFORE_LEDGER] = {"GRANT_06", "it was issued before the ledger's first row, so its writes "
				       "can't be counted; sign it again"},
	[REVOKED] = {"GRANT_07", "it was taken out of the operator's file before; a grant that was "
				 "revoked never comes back"},
	[CLOCK_BACK] = {"GRANT_08", "the clock is behind the ledger's newest row"},
	[EXPIRED_NOW] = {"GRANT_09", "the grant has expired"},
	[SPENT] = {"GRANT_10", "the grant's writes are used up"},
	[WIDE_NONCE] = {"GRANT_11", "the dispatch nonce is too wide for a direct write; ask for a "
				    "new one"},
	[NO_SCOPE] = {"GRANT_12", "the agent has no write scope"},
	[UNBOUNDED] = {"GRANT_13", "a write scope is no single file, and no gate's glob meets it"},
};

const struct grant_row *policy_grant_rows(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(rows);
	return rows;
}

static struct decision deny(enum rule r, struct view match)
{
	return (struct decision){.verdict = VERDICT_DENY,
				 .rule = rows[r].id,
				 .reason = rows[r].reason,
				 .which = "requested",
				 .match = match};
}

static struct decision refuse(enum rule r)
{
	return deny(r, (struct view){0});
}

static const struct decision allowed = {.verdict = VERDICT_ALLOW};

struct decision policy_grant_times(const struct grant_query *q)
{
	/* Differences only of times that clock_parse_iso8601 can give: no overflow. */
	if (q->expires <= q->issued)
		return refuse(ENDS_FIRST);
	if (q->expires - q->issued > MAX_GRANT_SECONDS)
		return refuse(TOO_LONG);
	if (q->issued > q->now + GRANT_AHEAD_SECONDS)
		return refuse(AHEAD);
	if (q->max_writes < 1 || q->max_writes > MAX_GRANT_WRITES)
		return refuse(TOO_MANY);
	if (q->expires <= q->now || q->expires <= q->last_row)
		return refuse(EXPIRED);
	if (q->first_row && q->issued < q->first_row)
		return refuse(BEFORE_LEDGER);
	if (q->revoked)
		return refuse(REVOKED);
	return allowed;
}

struct decision policy_grant_use(const struct grant_query *q)
{
	if (q->now + CLOCK_JUMP_SECONDS < q->last_row)
		return refuse(CLOCK_BACK);
	/* Small steps back of the clock lengthen nothing: the later of the two times counts. */
	if (q->expires <= q->now || q->expires <= q->last_row)
		return refuse(EXPIRED_NOW);
	if (q->used < 0 || q->used >= q->max_writes || q->used >= MAX_GRANT_WRITES)
		return refuse(SPENT);
	if (q->nonce_uses < 1 || q->nonce_uses > DIRECT_DISPATCH_USES ||
	    q->nonce_expires > q->now + DIRECT_DISPATCH_SECONDS + NONCE_TOLERANCE_SECONDS)
		return refuse(WIDE_NONCE);
	return allowed;
}

static bool is_plain_file(struct view scope)
{
	if (scope.len == 0 || scope.ptr[scope.len - 1] == '/')
		return false;
	for (size_t i = 0; i < scope.len; i++) {
		if (strchr("*?[\\", scope.ptr[i]))
			return false;
	}
	return true;
}

/* One step of a pattern: its length in bytes. A class counts as any one character. */
static size_t step(struct view p, size_t at, bool *ret_any)
{
	size_t end = at + 1;

	*ret_any = p.ptr[at] == '?';
	if (p.ptr[at] != '[')
		return 1;
	end += end < p.len && p.ptr[end] == '!';
	end += end < p.len && p.ptr[end] == ']';
	while (end < p.len && p.ptr[end] != ']')
		end++;
	*ret_any = end < p.len;
	return end < p.len ? end - at + 1 : 1;
}

/* Is there a text that both patterns match? reach[j] says whether a text that the first i steps of
 * a match is matched by b up to j; one row for each i, '*' stays where it is. */
static bool meet(struct view a, struct view b)
{
	bool reach[MAX_PATH_BYTES + 3], next[MAX_PATH_BYTES + 3], any_a, any_b;
	size_t i = 0, na;

	memset(reach, 0, sizeof(reach));
	reach[0] = true;
	for (;;) {
		bool star = i < a.len && a.ptr[i] == '*';

		/* Within a row: stars of b may end, and a star of a may take what b wants. */
		for (size_t j = 0; j < b.len; j++) {
			size_t nb = step(b, j, &any_b);

			if (reach[j] && (star || b.ptr[j] == '*'))
				reach[j + (b.ptr[j] == '*' ? 1 : nb)] = true;
		}
		if (i == a.len)
			return reach[b.len];
		na = step(a, i, &any_a);
		if (star) { /* ends here; what it took is in the row already */
			i += na;
			continue;
		}
		memset(next, 0, sizeof(next));
		for (size_t j = 0; j < b.len; j++) {
			size_t nb = step(b, j, &any_b);

			if (reach[j] && b.ptr[j] == '*')
				next[j] = true;
			else if (reach[j] && (any_a || any_b || a.ptr[i] == b.ptr[j]))
				next[j + nb] = true;
		}
		memcpy(reach, next, sizeof(reach));
		i += na;
	}
}

static bool gate_meets(struct view scope, struct view glob)
{
	char s[MAX_PATH_BYTES + 2], g[MAX_PATH_BYTES + 1];
	struct view fs, fg;

	if (scope.len == 0 || scope.len > MAX_PATH_BYTES || glob.len > MAX_PATH_BYTES)
		return false;
	fs = (struct view){s, pathstr_fold(scope, s)};
	fg = (struct view){g, pathstr_fold(glob, g)};
	if (fs.len && s[fs.len - 1] == '/')
		s[fs.len++] = '*'; /* a folder: all that lies below */
	return meet(fs, fg);
}

struct decision policy_grant_scopes(const struct view *scopes, size_t n_scopes,
				    const struct view *globs, size_t n_globs)
{
	if (n_scopes == 0)
		return refuse(NO_SCOPE);
	for (size_t i = 0; i < n_scopes; i++) {
		bool met = is_plain_file(scopes[i]);

		for (size_t k = 0; !met && k < n_globs; k++)
			met = gate_meets(scopes[i], globs[k]);
		if (!met)
			return deny(UNBOUNDED, scopes[i]);
	}
	return allowed;
}
