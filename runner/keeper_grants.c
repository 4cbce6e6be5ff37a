/* SPDX-License-Identifier: MIT */
/*
 * Direct grants in the keeper: which are in use, how many writes the verified ledger knows under
 * each, and which were revoked (file 24, 6.1 and its items 12.7 to 12.9). The engine can't write a
 * row of a direct write that these counts don't allow. Failure rule: no grant. Tests:
 * tests/unit/runner/t_keeper_grants.c.
 */
#include "base/base.h"

#include "runner/keeper_state.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"

#include <stdio.h>

struct keeper_grant *keeper_grant_of(struct keeper *k, struct view agent)
{
	for (size_t i = 0; i < k->grants.n; i++) {
		if (view_is(agent, k->grants.item[i].agent))
			return &k->grants.item[i];
	}
	return NULL;
}

static struct keeper_grant *by_id(struct keeper *k, struct view id)
{
	for (size_t i = 0; i < k->grants.n; i++) {
		if (view_is(id, k->grants.item[i].id))
			return &k->grants.item[i];
	}
	return NULL;
}

struct grant_query keeper_grant_query(const struct keeper *k, const struct keeper_grant *g)
{
	return (struct grant_query){.issued = g->issued,
				    .expires = g->expires,
				    .max_writes = g->max_writes,
				    .now = clock_wall_s(),
				    .last_row = k->ledger.last_time,
				    .used = g->used,
				    .nonce_uses = k->use_max,
				    .nonce_expires = k->use_expires};
}

void keeper_grants_take(struct keeper *k, const struct grant_set *set)
{
	struct keeper_grants *gs = &k->grants;

	for (size_t i = 0; set && i < set->n; i++) {
		const struct grant_entry *from = &set->item[i];
		struct keeper_grant *g = &gs->item[gs->n];

		if (!from->active || gs->n == MAX_ACTIVE_GRANTS)
			continue;
		*g = (struct keeper_grant){.issued = from->issued,
					   .expires = from->expires,
					   .max_writes = from->max_writes};
		memcpy(g->id, from->id, sizeof(g->id));
		memcpy(g->agent, from->agent, sizeof(g->agent));
		gs->n++;
	}
}

/* ---- what the ledger says ---- */

static struct grant_past *past_of(struct keeper_grants *gs, struct view id)
{
	for (size_t i = 0; i < gs->n_past; i++) {
		if (view_is(id, gs->past[i].id))
			return &gs->past[i];
	}
	return NULL;
}

static void remember(struct keeper_grants *gs, struct view id, bool revoked)
{
	struct grant_past *p = past_of(gs, id);

	if (!p && id.len == GRANT_ID_HEX && gs->n_past < MAX_GRANT_HISTORY) {
		if (gs->n_past == gs->cap_past) {
			size_t cap = gs->cap_past ? 2 * gs->cap_past : 16;
			struct grant_past *more = reallocarray(gs->past, cap, sizeof(*more));

			if (more) {
				gs->past = more;
				gs->cap_past = cap;
			}
		}
		if (gs->n_past < gs->cap_past) {
			p = &gs->past[gs->n_past++];
			*p = (struct grant_past){0};
			memcpy(p->id, id.ptr, id.len);
		}
	}
	if (!p)
		gs->unknown = true;
	else if (revoked)
		p->revoked = true;
}

static void remember_list(struct keeper_grants *gs, const struct json *list, bool revoked)
{
	struct view id;

	for (const struct json *c = json_first(list); c; c = json_next(c)) {
		if (json_get_str(c, &id) == 0)
			remember(gs, id, revoked);
		else
			gs->unknown = true;
	}
}

void keeper_grants_note(struct keeper *k, enum row_action action, int64_t number, struct view line)
{
	struct keeper_grants *gs = &k->grants;
	auto_json struct json *j = NULL;
	struct keeper_grant *g;
	struct view v = {0};

	if (action == ROW_APPLY_DIRECT || action == ROW_DIRECT_FALLBACK) {
		ignored(mac_line_str(line, "grant", &v));
		g = by_id(k, v);
		if (g && action == ROW_APPLY_DIRECT)
			g->used++;
		else if (g)
			g->told = true;
	}
	if (number != 1 && action != ROW_DIRECT_GRANTS_LOADED)
		return;
	if (json_parse(line, &j, NULL) != 0) {
		gs->unknown = true;
		return;
	}
	if (number == 1 && (json_get_str(json_member(j, "time"), &v) != 0 ||
			    clock_parse_iso8601(v.ptr, &gs->first_row) != 0))
		gs->unknown = true;
	if (action == ROW_DIRECT_GRANTS_LOADED) {
		remember_list(gs, json_member(j, "active"), false);
		remember_list(gs, json_member(j, "revoked"), true);
	}
}

/* ---- the start ---- */

static bool in_file(const struct grant_set *set, const char *id)
{
	for (size_t i = 0; set && i < set->n; i++) {
		if (strcmp(set->item[i].id, id) == 0)
			return true;
	}
	return false;
}

/* Puts out what the ledger speaks against; its reason goes to why. */
static bool stays(struct keeper *k, struct keeper_grant *g, char why[MAX_GRANT_PROBLEM_BYTES + 1])
{
	struct keeper_grants *gs = &k->grants;
	const struct grant_past *p = past_of(gs, view_of(g->id));
	struct grant_query q = keeper_grant_query(k, g);
	struct decision d;

	/* One that this ledger had in use before has been counted from its beginning. */
	q.first_row = p ? 0 : gs->first_row;
	q.revoked = p && p->revoked;
	d = policy_grant_times(&q);
	if (d.verdict == VERDICT_ALLOW && !gs->unknown)
		return true;
	(void)snprintf(why, MAX_GRANT_PROBLEM_BYTES + 1, "%s",
		       gs->unknown ? "the ledger's rows about grants can't be kept in mind"
		       : d.reason  ? d.reason
				   : "internal");
	return false;
}

struct start_row {
	char problem[MAX_GRANT_PROBLEMS][MAX_GRANT_PROBLEM_BYTES + 1];
	struct view problems[MAX_GRANT_PROBLEMS], active[MAX_ACTIVE_GRANTS];
	struct view keys[MAX_ACTIVE_GRANTS], revoked[MAX_GRANT_HISTORY];
	size_t n_problems, n_active, n_keys, n_revoked;
};

static void add_problem(struct start_row *s, const char *id, const char *why)
{
	char *text = s->problem[s->n_problems];

	if (s->n_problems == MAX_GRANT_PROBLEMS)
		return;
	(void)snprintf(text, sizeof(s->problem[0]), "grant %s: %.170s", id[0] ? id : "?", why);
	s->problems[s->n_problems++] = view_of(text);
}

static int compare(const void *a, const void *b)
{
	const struct view *x = a, *y = b;

	return strcmp(x->ptr, y->ptr); /* texts of ours, NUL-ended */
}

static void sort_unique(struct view *v, size_t *n)
{
	size_t kept = 0;

	qsort(v, *n, sizeof(*v), compare);
	for (size_t i = 0; i < *n; i++) {
		if (kept == 0 || !view_eq(v[kept - 1], v[i]))
			v[kept++] = v[i];
	}
	*n = kept;
}

static void settle(struct keeper *k, const struct grant_set *set, struct start_row *s)
{
	struct keeper_grants *gs = &k->grants;
	size_t kept = 0;

	for (size_t i = 0; set && i < set->n; i++) {
		if (!set->item[i].active)
			add_problem(s, set->item[i].id, set->item[i].why);
	}
	for (size_t i = 0; i < gs->n; i++) {
		char why[MAX_GRANT_PROBLEM_BYTES + 1];

		if (stays(k, &gs->item[i], why)) {
			gs->item[kept++] = gs->item[i];
			continue;
		}
		log_warn("direct grant %s isn't used: %s", gs->item[i].id, why);
		add_problem(s, gs->item[i].id, why);
	}
	gs->n = kept;
	for (size_t i = 0; i < gs->n; i++) {
		s->active[s->n_active++] = view_of(gs->item[i].id);
		for (size_t f = 0; f < set->n; f++) {
			if (strcmp(set->item[f].id, gs->item[i].id) == 0 && set->item[f].active)
				s->keys[s->n_keys++] = view_of(set->item[f].fingerprint);
		}
	}
	for (size_t i = 0; i < gs->n_past; i++) {
		if (!gs->past[i].revoked && !in_file(set, gs->past[i].id)) {
			gs->past[i].revoked = true;
			s->revoked[s->n_revoked++] = view_of(gs->past[i].id);
		}
	}
	sort_unique(s->active, &s->n_active);
	sort_unique(s->keys, &s->n_keys);
	sort_unique(s->revoked, &s->n_revoked);
}

int keeper_grants_start(struct keeper *k, const struct grant_set *set, struct errctx *e)
{
	struct row r = {.action = ROW_DIRECT_GRANTS_LOADED};
	struct start_row *s = calloc(1, sizeof(*s));
	int rc = 0;

	if (!s)
		return err_set(e, E_NOMEM, "out of memory");
	settle(k, set, s);
	if (s->n_active || s->n_problems || s->n_revoked) {
		row_list(&r, KEY_ACTIVE, s->active, s->n_active);
		row_list(&r, KEY_FINGERPRINTS, s->keys, s->n_keys);
		row_list(&r, KEY_PROBLEMS, s->problems, s->n_problems);
		if (s->n_revoked)
			row_list(&r, KEY_REVOKED, s->revoked, s->n_revoked);
		rc = keeper_append(k, &r, e);
	}
	for (size_t i = 0; rc == 0 && i < s->n_active; i++)
		remember(&k->grants, s->active[i], false);
	free(s);
	return rc;
}

/* ---- rows of the engine ---- */

static struct view field(const struct row *r, enum row_key key)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->field[i].key == key)
			return r->field[i].s;
	}
	return (struct view){0};
}

int keeper_grants_check(struct keeper *k, const struct row *r, struct errctx *e)
{
	struct view agent = field(r, KEY_AGENT);
	const struct keeper_grant *g;
	struct grant_query q;
	struct decision d;

	if (r->action != ROW_APPLY_DIRECT && r->action != ROW_DIRECT_FALLBACK)
		return 0;
	g = keeper_grant_of(k, agent);
	if (!g || !view_is(field(r, KEY_GRANT), g->id))
		return E_SYNTAX;
	if (r->action == ROW_DIRECT_FALLBACK)
		return g->told ? E_SYNTAX : 0;
	if (!view_is(agent, k->use_agent))
		return E_SYNTAX;
	q = keeper_grant_query(k, g);
	d = policy_grant_use(&q);
	if (d.verdict != VERDICT_ALLOW)
		return err_set(e, E_DENIED, "no direct write: %s",
			       d.reason ? d.reason : "internal");
	return 0;
}

/* Counted with the row, not with the write: the two never disagree over a restart. */
void keeper_grants_wrote(struct keeper *k, const struct row *r)
{
	struct keeper_grant *g = keeper_grant_of(k, field(r, KEY_AGENT));

	if (g && r->action == ROW_APPLY_DIRECT)
		g->used++;
	else if (g && r->action == ROW_DIRECT_FALLBACK)
		g->told = true;
}
