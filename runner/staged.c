/* SPDX-License-Identifier: MIT */
/*
 * The orchestrator's requests about staged records (file 23, sections 6 to 8) and their expiry.
 * Every operation verifies the signature; a bad record is shown by its id alone and never purged.
 * System. Failure rule: refuse, the record stays. Tests: tests/e2e/runner-staged.tap,
 * tests/fault/runner-kill.tap.
 */
#include "base/base.h"

#include "runner/engine.h"

#include "base/clock.h"
#include "base/hex.h"
#include "runner/land.h"

#include <fcntl.h>
#include <stdio.h>

enum { LISTED_BYTES = 512 }; /* most entries of a list need less */

/* What became of a record is told to the agent that staged it: the result of its own request is
 * written again (file 23, 15.5). */
static void tell_agent(struct engine *en, const struct store_entry *entry, const char *outcome,
		       struct view reason)
{
	struct reply r;
	struct errctx e = {0};
	struct jsonw w;
	struct reply_frame frame = {
		.id = entry->request, .kind = "stage-proposal", .queue_wait_ms = -1};

	if (!entry->request[0])
		return;
	reply_init(&r);
	r.ok = r.outcome = true;
	jsonw_init(&w, &r.result, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "agent", entry->agent);
	jsonw_kv_cstr(&w, "base_sha256", entry->base);
	jsonw_kv_int(&w, "bytes", entry->bytes);
	jsonw_kv_cstr(&w, "expires", entry->expires_text);
	jsonw_key(&w, "gates");
	jsonw_raw(&w, view_of(entry->gates));
	jsonw_kv_cstr(&w, "kind", entry->deletion ? "delete-proposal" : "change-proposal");
	jsonw_kv_cstr(&w, "new_sha256", entry->sha256[0] ? entry->sha256 : NULL);
	jsonw_kv_cstr(&w, "outcome", outcome);
	jsonw_kv_cstr(&w, "path", entry->path);
	if (reason.ptr)
		jsonw_kv_str(&w, "reason", artifact_excerpt(reason));
	jsonw_kv_cstr(&w, "sid", entry->sid);
	jsonw_kv_bool(&w, "staged", false);
	jsonw_kv_bool(&w, "written", strcmp(outcome, "applied") == 0);
	jsonw_obj_end(&w);
	if (results_replace(&en->results, &en->dirs, &r, &frame, &e) != 0)
		log_event(en, "outcome", e.text);
	reply_release(&r);
}

/* The ledger has the final row; a file that the disk doesn't let go is owed (staged_purge). */
static void remove_record(struct engine *en, struct store_entry *entry)
{
	struct errctx e = {0};

	entry->decided = true;
	if (store_remove(&en->store, &en->dirs, entry->sid, &e) != 0)
		log_event(en, "record-remove", e.text);
}

void staged_settle(struct engine *en, struct view sid, const char *outcome)
{
	struct store_entry *entry = store_find(&en->store, sid);

	if (!entry)
		return;
	if (entry->state == RECORD_GOOD)
		tell_agent(en, entry, outcome, (struct view){0});
	remove_record(en, entry);
}

/* The entry that a request names, up to date with the folder; refuses when there is none. */
static struct store_entry *find(struct engine *en, struct job *job)
{
	struct view sid = job->request.sid;
	struct errctx e = {0};
	struct store_entry *entry;

	if (!sid.ptr || !hex_is_lower(sid, ID_HEX)) {
		(void)reply_refuse_text(&job->reply, "sid is no id of 32 lower-case hex digits");
		return NULL;
	}
	if (engine_asked(en, store_refresh(&en->store, &en->dirs, &en->ask, &e), &e) != 0) {
		(void)reply_refuse(&job->reply, &e);
		return NULL;
	}
	entry = store_find(&en->store, sid);
	/* One that waits for its removal, or was put back, is over. */
	if (entry && entry->decided)
		entry = NULL;
	if (!entry)
		(void)reply_refuse_text(&job->reply, "there is no such staged proposal");
	return entry;
}

static void refuse_apply(struct engine *en, struct job *job, const struct store_entry *entry)
{
	refuse_row(en, job, ROW_APPLY_STAGED_REFUSED,
		   entry->agent && entry->agent[0] && entry->state == RECORD_GOOD
			   ? view_of(entry->agent)
			   : VIEW("?"),
		   entry->path && entry->state == RECORD_GOOD ? view_of(entry->path)
							      : (struct view){0},
		   view_of(entry->sid));
}

/* Steps of 6.2 and the digest of what was shown (15.3). */
static int may_apply(struct engine *en, struct job *job, const struct store_entry *entry,
		     const struct record *r)
{
	struct ask_check check = {&r->fields, r->mac};
	struct view digest = job->request.digest;
	struct errctx e = {0};
	const char *shown = entry->deletion ? entry->base : entry->sha256;
	enum check_answer answer = CHECK_BAD;
	int64_t expires;
	size_t n;

	if (engine_asked(en, ask_check(&en->ask, &check, 1, true, &answer, &n, &e), &e) != 0) {
		(void)reply_refuse(&job->reply, &e);
		return E_INTERNAL;
	}
	if (answer != CHECK_GOOD) {
		(void)reply_refuse_text(&job->reply,
					"the record's signature doesn't hold, or it was decided "
					"before");
		return E_FORGED;
	}
	if (digest.ptr && (digest.len < 12 || digest.len > SHA256_HEX ||
			   memcmp(digest.ptr, shown, digest.len) != 0)) {
		(void)reply_refuse_text(&job->reply,
					"digest mismatch: the record holds %.12s, not what was "
					"shown",
					shown);
		return E_FORGED;
	}
	if (clock_parse_iso8601(entry->expires_text, &expires) != 0) {
		(void)reply_refuse_text(&job->reply, "the record's expiry can't be read");
		return E_SYNTAX;
	}
	if (expires < clock_wall_s()) {
		(void)reply_refuse_text(&job->reply, "the staged proposal expired at %s",
					entry->expires_text);
		return E_RANGE;
	}
	return 0;
}

void staged_apply(struct engine *en, struct job *job)
{
	struct store_entry *entry = find(en, job);
	struct errctx e = {0};
	struct record r;
	struct proposal p;

	if (!entry)
		return;
	if (entry->state == RECORD_MALFORMED || record_read(&en->dirs, entry->sid, &r, &e) != 0) {
		(void)reply_refuse_text(&job->reply, "the staged record is malformed");
		refuse_apply(en, job, entry);
		return;
	}
	if (may_apply(en, job, entry, &r) != 0) {
		refuse_apply(en, job, entry);
		record_release(&r);
		return;
	}
	p = (struct proposal){.mode = MODE_STAGED,
			      .artifact = &r.artifact,
			      .stored_agent = r.fields.agent,
			      .sid = r.fields.sid};
	propose(en, job, &p);
	if (job->reply.ok) {
		staged_settle(en, r.fields.sid, "applied");
	}
	record_release(&r);
}

static void decided(struct job *job, const struct store_entry *entry)
{
	struct jsonw w;

	jsonw_init(&w, &job->reply.result, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "agent", entry->agent ? entry->agent : "?");
	jsonw_kv_cstr(&w, "path", entry->path ? entry->path : "?");
	jsonw_kv_bool(&w, "rejected", true);
	jsonw_kv_cstr(&w, "sid", entry->sid);
	jsonw_obj_end(&w);
	job->reply.ok = true;
}

void staged_reject(struct engine *en, struct job *job)
{
	struct store_entry *entry = find(en, job);
	struct view reason = job->request.reason;
	struct row r = {.action = ROW_REJECT_STAGED};
	struct errctx e = {0};

	if (!entry)
		return;
	/* A forged or damaged record has to be removable; what it says about itself isn't signed.
	 */
	if (entry->state == RECORD_GOOD) {
		row_str(&r, KEY_AGENT, view_of(entry->agent));
		row_str(&r, KEY_PATH, view_of(entry->path));
	} else {
		row_str(&r, KEY_AGENT, VIEW("?"));
	}
	row_str(&r, KEY_SID, view_of(entry->sid));
	row_str(&r, KEY_REQUEST, view_of(job->id));
	row_str(&r, KEY_REASON, reason.ptr ? artifact_excerpt(reason) : VIEW(""));
	row_str(&r, KEY_CHANNEL, view_of(channel_name(job->channel)));
	if (engine_asked(en, ask_row(&en->ask, &r, &e), &e) != 0) {
		(void)reply_refuse(&job->reply, &e);
		return;
	}
	decided(job, entry);
	if (entry->state == RECORD_GOOD)
		tell_agent(en, entry, "rejected", reason.ptr ? reason : VIEW(""));
	remove_record(en, entry);
}

/* ---- list and show ---- */

/* Does the destination still hold what the record was made for? Remembered by the file's identity.
 */
static void find_fit(struct engine *en, struct store_entry *entry)
{
	struct stat st = {0};
	struct target t;

	if (entry->state != RECORD_GOOD)
		return;
	if (fstatat(en->dirs.root_fd, entry->path, &st, AT_SYMLINK_NOFOLLOW) != 0)
		st = (struct stat){0};
	if (entry->fits && st.st_ino == entry->at.st_ino && st.st_size == entry->at.st_size &&
	    st.st_ctim.tv_sec == entry->at.st_ctim.tv_sec &&
	    st.st_ctim.tv_nsec == entry->at.st_ctim.tv_nsec)
		return;
	entry->at = st;
	entry->fits = -1;
	if (target_open(en->dirs.root_fd, entry->path, &t, NULL) != 0)
		return;
	if (t.exists ? strcmp(entry->base, t.sha256) == 0 : strcmp(entry->base, "absent") == 0)
		entry->fits = 1;
	target_release(&t);
}

static void emit_entry(struct engine *en, struct jsonw *w, struct store_entry *entry, int64_t now)
{
	jsonw_obj(w);
	if (entry->state != RECORD_GOOD) {
		if (entry->state == RECORD_MALFORMED)
			jsonw_kv_bool(w, "malformed", true);
		jsonw_kv_cstr(w, "sid", entry->sid);
		if (entry->state == RECORD_BAD)
			jsonw_kv_cstr(w, "signature", "bad");
		jsonw_obj_end(w);
		return;
	}
	find_fit(en, entry);
	jsonw_kv_cstr(w, "agent", entry->agent);
	jsonw_kv_int(w, "age_s", now > entry->staged_s ? now - entry->staged_s : 0);
	jsonw_kv_int(w, "bytes", entry->bytes);
	jsonw_kv_cstr(w, "content_sha256", entry->sha256[0] ? entry->sha256 : NULL);
	if (entry->expires < now)
		jsonw_kv_bool(w, "expired", true);
	jsonw_kv_cstr(w, "expires", entry->expires_text);
	jsonw_key(w, "gates");
	jsonw_raw(w, view_of(entry->gates));
	jsonw_kv_cstr(w, "kind", entry->deletion ? "delete-proposal" : "change-proposal");
	if (en->clock_suspect)
		jsonw_kv_bool(w, "needs_review", true);
	jsonw_kv_cstr(w, "path", entry->path);
	if (entry->same_path > 1)
		jsonw_kv_int(w, "same_path", (int64_t)entry->same_path);
	jsonw_kv_cstr(w, "sid", entry->sid);
	jsonw_kv_bool(w, "stale", entry->fits < 0);
	jsonw_obj_end(w);
}

static size_t behind(struct store_entry *const *order, size_t n, struct view after)
{
	for (size_t i = 0; after.ptr && i < n; i++) {
		if (view_is(after, order[i]->sid))
			return i + 1;
	}
	return 0;
}

void staged_list(struct engine *en, struct job *job)
{
	struct errctx e = {0};
	struct store_entry *const *order;
	int64_t now = clock_wall_s();
	size_t n, i;
	struct jsonw w;

	/* A continuation goes on in the list that its first page was taken from. */
	if (!job->request.after.ptr &&
	    engine_asked(en, store_refresh_if_changed(&en->store, &en->dirs, &en->ask, &e), &e) !=
		    0) {
		(void)reply_refuse(&job->reply, &e);
		return;
	}
	order = store_by_age(&en->store, &n);
	if (!order) {
		(void)err_set(&e, E_NOMEM, "out of memory");
		(void)reply_refuse(&job->reply, &e);
		return;
	}
	/* In one piece: a buffer that doubles copies megabytes. */
	if (!buf_reserve(&job->reply.result, n * LISTED_BYTES < MAX_LIST_BYTES
						     ? n * LISTED_BYTES + LISTED_BYTES
						     : MAX_LIST_BYTES + LISTED_BYTES))
		buf_clear(&job->reply.result); /* then it grows as it can */
	jsonw_init(&w, &job->reply.result, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_kv_int(&w, "count", (int64_t)n);
	jsonw_key(&w, "staged");
	jsonw_arr(&w);
	for (i = behind(order, n, job->request.after);
	     i < n && job->reply.result.len < MAX_LIST_BYTES; i++)
		emit_entry(en, &w, order[i], now);
	jsonw_arr_end(&w);
	if (i < n) /* the client asks again, behind the last one it got */
		jsonw_kv_bool(&w, "truncated", true);
	jsonw_obj_end(&w);
	job->reply.ok = true;
}

void staged_show(struct engine *en, struct job *job)
{
	struct store_entry *entry = find(en, job);
	struct errctx e = {0};
	struct record r;
	struct jsonw w;

	if (!entry)
		return;
	jsonw_init(&w, &job->reply.result, JSONW_SPACED);
	if (entry->state != RECORD_GOOD || record_read(&en->dirs, entry->sid, &r, &e) != 0) {
		/* Nothing of a record that nobody vouches for is shown. */
		emit_entry(en, &w, entry, 0);
		job->reply.ok = true;
		return;
	}
	find_fit(en, entry);
	jsonw_obj(&w);
	for (const struct json *c = json_first(r.json); c; c = json_next(c)) {
		jsonw_key_view(&w, json_key(c));
		jsonw_value(&w, c);
	}
	jsonw_kv_int(&w, "age_s",
		     clock_wall_s() > entry->staged_s ? clock_wall_s() - entry->staged_s : 0);
	jsonw_kv_bool(&w, "stale", entry->fits < 0);
	if (entry->expires < clock_wall_s())
		jsonw_kv_bool(&w, "expired", true);
	jsonw_obj_end(&w);
	record_release(&r);
	job->reply.ok = true;
}

/* ---- expiry: a timer's work, never a reader's (file 23, 15.2) ---- */

static int expire_one(struct engine *en, struct store_entry *entry)
{
	struct row r = {.action = ROW_EXPIRE_STAGED};
	struct errctx e = {0};
	int rc;

	row_str(&r, KEY_AGENT, view_of(entry->agent));
	row_str(&r, KEY_PATH, view_of(entry->path));
	row_str(&r, KEY_SID, view_of(entry->sid));
	rc = engine_asked(en, ask_row(&en->ask, &r, &e), &e);
	if (rc != 0)
		return rc;
	en->dirty = true;
	tell_agent(en, entry, "expired", (struct view){0});
	remove_record(en, entry);
	return 0;
}

void staged_purge(struct engine *en)
{
	int64_t now = clock_wall_s();
	struct errctx e = {0};

	if (engine_asked(en, store_refresh(&en->store, &en->dirs, &en->ask, &e), &e) != 0)
		return;
	for (size_t i = en->store.n; i-- > 0 && !en->ending;) {
		struct store_entry *entry = en->store.item[i];

		if (entry->decided)
			remove_record(en, entry);
		else if (entry->state == RECORD_GOOD && entry->expires < now &&
			 !en->clock_suspect && expire_one(en, entry) != 0)
			return;
	}
}
