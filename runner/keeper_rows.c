/* SPDX-License-Identifier: MIT */
/*
 * What the keeper remembers of ledger rows: the newest ones by request, the intent without outcome,
 * and the staged records that were decided. Tests: tests/unit/runner/t_keeper.c.
 */
#include "base/base.h"

#include "runner/keeper_state.h"

#include "base/clock.h"

#include <stdio.h>

static void copy_member(struct view line, const char *name, char *out, size_t size)
{
	struct view v;

	out[0] = '\0';
	if (mac_line_str(line, name, &v) == 0 && v.len < size) {
		memcpy(out, v.ptr, v.len);
		out[v.len] = '\0';
	}
}

static void forget(struct memory *m)
{
	free(m->path);
	*m = (struct memory){0};
}

static void remember_path(struct memory *m, struct view path)
{
	free(m->path);
	m->path = path.ptr && path.len <= (size_t)MAX_ROW_STRING_BYTES ? strndup(path.ptr, path.len)
								       : NULL;
}

/* A record with one of these rows behind it is over, even if its file is put back. */
static bool is_final(enum row_action a)
{
	return a == ROW_DONE || a == ROW_REJECT_STAGED || a == ROW_EXPIRE_STAGED;
}

static void remember_final(struct keeper *k, const char *sid)
{
	if (!sid[0])
		return;
	if (k->n_final == k->cap_final) {
		size_t cap = k->cap_final ? 2 * k->cap_final : 64;
		char(*more)[ID_HEX + 1] = reallocarray(k->final, cap, sizeof(*more));

		if (!more)
			return; /* the base check is the other guard */
		k->final = more;
		k->cap_final = cap;
	}
	(void)snprintf(k->final[k->n_final++], ID_HEX + 1, "%s", sid);
}

bool keeper_was_decided(const struct keeper *k, struct view sid)
{
	for (size_t i = 0; i < k->n_final; i++) {
		if (view_is(sid, k->final[i]))
			return true;
	}
	return false;
}

/* Only rows of the last days matter: older records have expired. */
static void note_final(struct keeper *k, struct view line)
{
	char sid[ID_HEX + 1], time[26];
	int64_t when;

	copy_member(line, "time", time, sizeof(time));
	if (clock_parse_iso8601(time, &when) != 0 ||
	    when < clock_wall_s() - 2 * (int64_t)STAGED_SECONDS)
		return;
	copy_member(line, "sid", sid, sizeof(sid));
	remember_final(k, sid);
}

/* Which command has a start and no end. */
static void note_run(struct keeper *k, const struct memory *m)
{
	if (row_flags(m->action) & ROW_OPENS)
		memcpy(k->open_run, m->request, sizeof(k->open_run));
	else if (row_flags(m->action) & ROW_CLOSES)
		k->open_run[0] = '\0';
}

/* Called for every verified row at start; stays cheap for the millions that have no request. */
void keeper_note_row(void *arg, int64_t number, struct view line)
{
	struct keeper *k = arg;
	struct memory m = {0};
	struct view v, path = {0};

	if (mac_line_str(line, "action", &v) != 0)
		return;
	m.action = row_action_by_name(v);
	keeper_grants_note(k, m.action, number, line);
	if (mac_line_str(line, "dispatch", &v) == 0 && (row_flags(m.action) & ROW_PAYS))
		dispatches_ledger_use(&k->dispatches, v);
	if (is_final(m.action))
		note_final(k, line);
	copy_member(line, "request", m.request, sizeof(m.request));
	/* Rows of the reference have no sequence number and never an outcome. */
	if (!m.request[0] && !(row_flags(m.action) & (ROW_INTENT | ROW_OUTCOME)))
		return;
	copy_member(line, "sid", m.sid, sizeof(m.sid));
	copy_member(line, "base", m.base, sizeof(m.base));
	copy_member(line, "new", m.fresh, sizeof(m.fresh));
	copy_member(line, "agent", m.agent, sizeof(m.agent));
	copy_member(line, "kind", m.kind, sizeof(m.kind));
	ignored(mac_line_str(line, "path", &path));
	note_run(k, &m);
	if (row_flags(m.action) & ROW_OPENS)
		k->open_bare = mac_line_str(line, "confined", &v) == 0 && view_is(v, UNCONFINED);
	if (row_flags(m.action) & ROW_OUTCOME)
		forget(&k->intent);
	if (row_flags(m.action) & ROW_INTENT) {
		int64_t seq;

		forget(&k->intent);
		if (mac_line_int(line, "seq", &seq) == 0) {
			k->intent = m;
			remember_path(&k->intent, path);
		}
	}
	if (!m.request[0])
		return;
	forget(&k->ring[k->next]);
	k->ring[k->next] = m;
	remember_path(&k->ring[k->next], path);
	k->next = (k->next + 1) % REMEMBERED;
}

/* Where a field of a row is kept; NULL: it isn't. */
static char *member_of(struct memory *m, enum row_key k, size_t *ret_size)
{
	const struct {
		enum row_key key;
		char *out;
		size_t size;
	} members[] = {
		{KEY_REQUEST, m->request, sizeof(m->request)},
		{KEY_SID, m->sid, sizeof(m->sid)},
		{KEY_BASE, m->base, sizeof(m->base)},
		{KEY_NEW, m->fresh, sizeof(m->fresh)},
		{KEY_AGENT, m->agent, sizeof(m->agent)},
		{KEY_KIND, m->kind, sizeof(m->kind)},
	};

	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		if (members[i].key == k) {
			*ret_size = members[i].size;
			return members[i].out;
		}
	}
	return NULL;
}

/* A row that is written now is remembered like one that is read. */
int keeper_append(struct keeper *k, const struct row *r, struct errctx *e)
{
	struct memory m = {.action = r->action};
	struct view path = {0};
	int rc = ledger_append(&k->ledger, r, e);

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < r->n; i++) {
		struct view v = r->field[i].s;
		size_t size = 0;
		char *out = member_of(&m, r->field[i].key, &size);

		if (r->field[i].key == KEY_PATH)
			path = v;
		else if (out && v.ptr && v.len < size)
			memcpy(out, v.ptr, v.len);
	}
	note_run(k, &m);
	if (is_final(r->action))
		remember_final(k, m.sid);
	if (row_flags(r->action) & ROW_OUTCOME)
		forget(&k->intent);
	if (row_flags(r->action) & ROW_INTENT) {
		forget(&k->intent);
		k->intent = m;
		remember_path(&k->intent, path);
	}
	if (m.request[0]) {
		forget(&k->ring[k->next]);
		k->ring[k->next] = m;
		remember_path(&k->ring[k->next], path);
		k->next = (k->next + 1) % REMEMBERED;
	}
	return 0;
}

void keeper_forget(struct keeper *k)
{
	for (size_t i = 0; i < REMEMBERED; i++)
		forget(&k->ring[i]);
	forget(&k->intent);
	free(k->final);
	free(k->grants.past);
}
