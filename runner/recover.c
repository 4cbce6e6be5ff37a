/* SPDX-License-Identifier: MIT */
/*
 * What a crash leaves behind, put in order before the first request (file 21, 29.7; file 22, 20.9):
 * an intent without outcome is settled by looking at its file; a claimed request gets its one
 * result, from what the ledger says about it. System. Failure rule: service doesn't start. Tests:
 * tests/fault/runner-*.tap.
 */
#include "base/base.h"

#include "runner/engine.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/pathfd.h"
#include "runner/arrivals.h"
#include "runner/land.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* The text between the quotes of a row, with its escapes undone. */
static int unescape(struct view raw, char *out, size_t size)
{
	auto_buf struct buf quoted;
	auto_json struct json *j = NULL;
	struct view v;

	buf_init(&quoted, MAX_ROW_STRING_BYTES + 2);
	(void)buf_putc(&quoted, '"');
	(void)buf_put_view(&quoted, raw);
	(void)buf_putc(&quoted, '"');
	if (buf_error(&quoted) || json_parse(buf_view(&quoted), &j, NULL) != 0 ||
	    json_get_str(j, &v) != 0 || v.len >= size)
		return E_SYNTAX;
	memcpy(out, v.ptr, v.len);
	out[v.len] = '\0';
	return 0;
}

static void copy_text(struct view v, char *out, size_t size)
{
	(void)snprintf(out, size, "%.*s", (int)v.len, v.ptr ? v.ptr : "");
}

struct intent {
	enum row_action action;
	char request[ID_HEX + 1], sid[ID_HEX + 1], agent[MAX_SLUG_BYTES + 1];
	char base[SHA256_HEX + 1], fresh[SHA256_HEX + 1];
	char path[MAX_PATH_BYTES + 1];
	bool done;
};

/* Is what the interrupted deletion moved aside the file that was to be deleted? */
static bool is_approved(struct engine *en, const struct intent *it, const char *parent,
			const char *temp)
{
	char rel[2 * MAX_PATH_BYTES];
	struct target t;
	bool same;

	if (strcmp(parent, ".") == 0)
		(void)snprintf(rel, sizeof(rel), "%s", temp);
	else
		(void)snprintf(rel, sizeof(rel), "%s/%s", parent, temp);
	if (strlen(rel) > MAX_PATH_BYTES || target_open(en->dirs.root_fd, rel, &t, NULL) != 0)
		return false;
	same = t.exists && strcmp(t.sha256, it->base) == 0;
	target_release(&t);
	return same;
}

/* Removes the temporary file that the interrupted act may have left beside the destination. For a
 * deletion it is the file itself, moved aside: then the act is finished here, unless somebody put
 * another file in its place before the move: that one goes back. */
static void clean_aside(struct engine *en, const struct intent *it, bool *ret_finished)
{
	char parent[MAX_PATH_BYTES + 1], temp[64];
	const char *slash = strrchr(it->path, '/');
	auto_fd int dir_fd = -1;

	*ret_finished = false;
	if (!it->request[0])
		return;
	(void)snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - it->path) : 1,
		       slash ? it->path : ".");
	target_temp_name(view_of(it->request), temp);
	if (pathfd_open_dir(en->dirs.root_fd, parent, &dir_fd, NULL) != 0)
		return;
	if (!it->fresh[0] && faccessat(dir_fd, temp, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !is_approved(en, it, parent, temp)) {
		if (target_move(dir_fd, temp, slash ? slash + 1 : it->path) != 0)
			log_event(en, "kept-aside", temp);
		return;
	}
	if (unlinkat(dir_fd, temp, 0) == 0) {
		(void)fsync(dir_fd); /* it is only litter */
		*ret_finished = !it->fresh[0];
	}
}

/* Done, or not: what stands at the destination decides. */
static bool look(struct engine *en, const struct intent *it)
{
	struct target t;
	bool done;

	if (target_open(en->dirs.root_fd, it->path, &t, NULL) != 0)
		return false;
	done = it->fresh[0] ? t.exists && strcmp(t.sha256, it->fresh) == 0 : !t.exists;
	target_release(&t);
	return done;
}

static int settle_intent(struct engine *en, struct intent *it, struct errctx *e)
{
	struct row r = {0};
	bool finished = false;

	clean_aside(en, it, &finished);
	it->done = finished || look(en, it);
	r.action = it->done ? ROW_DONE : ROW_FAILED;
	row_str(&r, KEY_AGENT, view_of(it->agent));
	row_str(&r, KEY_PATH, view_of(it->path));
	row_str(&r, KEY_INTENT, view_of(row_action_name(it->action)));
	row_int(&r, KEY_RECOVERED, 1);
	if (it->request[0])
		row_str(&r, KEY_REQUEST, view_of(it->request));
	if (it->sid[0])
		row_str(&r, KEY_SID, view_of(it->sid));
	if (!it->done)
		row_str(&r, KEY_ERROR, VIEW("interrupted before the file was changed"));
	else if (it->fresh[0])
		row_str(&r, KEY_NEW, view_of(it->fresh));
	log_event(en, "recovered",
		  it->done ? "an interrupted write was done" : "an interrupted write was not done");
	return engine_asked(en, ask_row(&en->ask, &r, e), e);
}

/* ---- claimed requests ---- */

static void receipt_of_stage(struct engine *en, struct reply *r, const struct store_entry *s)
{
	struct jsonw w;

	(void)en;
	jsonw_init(&w, &r->result, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "agent", s->agent);
	jsonw_kv_cstr(&w, "base_sha256", s->base);
	jsonw_kv_int(&w, "bytes", s->bytes);
	jsonw_kv_cstr(&w, "expires", s->expires_text);
	jsonw_key(&w, "gates");
	jsonw_raw(&w, view_of(s->gates));
	jsonw_kv_cstr(&w, "kind", s->deletion ? "delete-proposal" : "change-proposal");
	jsonw_kv_cstr(&w, "new_sha256", s->sha256[0] ? s->sha256 : NULL);
	jsonw_kv_cstr(&w, "path", s->path);
	jsonw_kv_bool(&w, "recovered", true);
	jsonw_kv_cstr(&w, "sid", s->sid);
	jsonw_kv_bool(&w, "staged", true);
	jsonw_kv_bool(&w, "written", false);
	jsonw_obj_end(&w);
	r->ok = true;
}

static void receipt_of_write(struct reply *r, const struct ask_row *row)
{
	char path[MAX_PATH_BYTES + 1] = "";
	char agent[MAX_SLUG_BYTES + 1], fresh[SHA256_HEX + 1];
	struct jsonw w;

	copy_text(row->agent, agent, sizeof(agent));
	copy_text(row->fresh, fresh, sizeof(fresh));
	if (unescape(row->path, path, sizeof(path)) != 0)
		path[0] = '\0';
	jsonw_init(&w, &r->result, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "agent", agent);
	jsonw_kv_cstr(&w, "new_sha256", fresh[0] ? fresh : NULL);
	jsonw_kv_cstr(&w, "path", path);
	jsonw_kv_bool(&w, "recovered", true);
	if (row->sid.len)
		jsonw_kv_str(&w, "sid", row->sid);
	jsonw_kv_bool(&w, "written", true);
	jsonw_obj_end(&w);
	r->ok = true;
}

static void receipt_of_reject(struct reply *r, const struct ask_row *row)
{
	struct jsonw w;

	jsonw_init(&w, &r->result, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_kv_str(&w, "agent", row->agent);
	jsonw_kv_bool(&w, "recovered", true);
	jsonw_kv_bool(&w, "rejected", true);
	jsonw_kv_str(&w, "sid", row->sid);
	jsonw_obj_end(&w);
	r->ok = true;
}

static void judge_request(struct engine *en, const struct ask_row *row, struct reply *r)
{
	const struct store_entry *s = NULL;

	switch (row->action) {
	case ROW_STAGE_PROPOSAL:
		s = store_find(&en->store, row->sid);
		if (s && s->state == RECORD_GOOD)
			receipt_of_stage(en, r, s);
		else
			(void)reply_refuse_text(r,
						"interrupted: the proposal was accepted, but the "
						"runner ended before the record was stored; "
						"send it again");
		return;
	case ROW_DONE:
		receipt_of_write(r, row);
		staged_settle(en, row->sid, "applied");
		return;
	case ROW_FAILED:
		(void)reply_refuse_text(r, "interrupted: the runner ended before the file was "
					   "changed; nothing was written");
		return;
	case ROW_REJECT_STAGED:
		receipt_of_reject(r, row);
		staged_settle(en, row->sid, "rejected");
		return;
	case ROW_ISSUE_DISPATCH:
		(void)reply_refuse_text(r, "interrupted: a dispatch was issued and its nonce is "
					   "lost; ask for another one");
		return;
	case ROW_NONE:
		(void)reply_refuse_text(r, "interrupted before anything was done; send it again");
		return;
	case ROW_RUN_REQUEST_START:
	case ROW_RUN_REQUEST:
	case ROW_RUN_REQUEST_TIMEOUT:
		exec_recovered_reply(en, row, r);
		return;
	case ROW_APPLY_PROPOSAL:
	case ROW_APPLY_STAGED:
	case ROW_APPLY_DIRECT:
	case ROW_DELETE_PROPOSAL:
	case ROW_EXPIRE_STAGED:
	case ROW_APPLY_PROPOSAL_REFUSED:
	case ROW_STAGE_PROPOSAL_REFUSED:
	case ROW_APPLY_STAGED_REFUSED:
	case ROW_APPLY_DIRECT_REFUSED:
	case ROW_RUN_REQUEST_REFUSED:
	case ROW_REQUEST_INTERRUPTED:
	case ROW_LEDGER_RECOVERED:
	case ROW_ANCHOR_CREATED:
	case ROW_CLOCK_JUMP:
	case ROW_DIRECT_GRANTS_LOADED:
	case ROW_DIRECT_FALLBACK:
	case N_ROW_ACTIONS:
		break;
	}
	(void)reply_refuse_text(r, "interrupted: the ledger says \"%s\"",
				row_action_name(row->action) ? row_action_name(row->action) : "?");
}

static int answer_claimed(struct engine *en, const char *name, struct errctx *e)
{
	char id[ID_HEX + 1];
	struct reply_frame frame = {.id = id, .queue_wait_ms = -1};
	struct ask_row row = {0};
	struct reply r;
	int rc = 0;

	memcpy(id, name, ID_HEX);
	id[ID_HEX] = '\0';
	if (!results_has(&en->results, id)) {
		reply_init(&r);
		rc = engine_asked(en, ask_lookup(&en->ask, view_of(id), &row, e), e);
		if (rc == 0) {
			judge_request(en, &row, &r);
			rc = results_put(&en->results, &en->dirs, &r, &frame, e);
			if (rc == E_EXISTS) /* written, but not known to be durable */
				rc = results_adopt(&en->results, &en->dirs, id, e);
		}
		log_event(en, "interrupted", id);
		reply_release(&r);
	}
	if (rc == 0 &&
	    renameat(en->dirs.fd[FOLDER_CLAIMED], name, en->dirs.fd[FOLDER_DEAD], name) != 0)
		rc = err_sys(e, "a claimed request can't be put away");
	return rc;
}

int engine_answer_claimed(struct engine *en, struct errctx *e)
{
	int copy = openat(en->dirs.fd[FOLDER_CLAIMED], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;
	int rc;

	if (!dir) {
		if (copy >= 0)
			(void)close(copy);
		return err_sys(e, "%s can't be listed", CLAIMED_DIR);
	}
	/* Otherwise the ledger would not say yet that an act was done. */
	rc = propose_pay(en, e);
	while (rc == 0 && (errno = 0, entry = readdir(dir))) {
		if (arrivals_is_request(entry->d_name))
			rc = answer_claimed(en, entry->d_name, e);
	}
	if (rc == 0 && errno != 0)
		rc = err_sys(e, "%s can't be listed", CLAIMED_DIR);
	(void)closedir(dir);
	return rc;
}

/* Temporary files of a crash, and dead requests that nobody looked at for a week. */
static void sweep(int dir_fd, bool dead)
{
	int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		size_t n = strlen(entry->d_name);
		struct stat st;

		if (dead && arrivals_is_request(entry->d_name) &&
		    fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    clock_wall_s() - st.st_ctim.tv_sec > DEAD_REQUEST_SECONDS)
			(void)unlinkat(dir_fd, entry->d_name,
				       S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0);
		if (!dead && n == ID_HEX + 5 && entry->d_name[0] == '.' &&
		    strcmp(entry->d_name + n - 4, ".tmp") == 0)
			(void)unlinkat(dir_fd, entry->d_name, 0);
	}
	if (dir)
		(void)closedir(dir);
	else if (copy >= 0)
		(void)close(copy);
}

int engine_recover(struct engine *en, struct errctx *e)
{
	struct ask_state state;
	struct intent it = {0};
	int rc = engine_asked(en, ask_state(&en->ask, &state, e), e);

	if (rc != 0)
		return rc;
	en->torn = state.torn;
	en->jump_s = state.jump_s;
	if (state.torn)
		log_event(en, "ledger-recovered", "half a row at the end was moved aside");
	if (state.new_anchor)
		log_event(en, "anchor-created",
			  "no anchor outside the project knew this ledger; from now on one does");
	if (state.jump_s || clock_wall_s() + CLOCK_JUMP_SECONDS < state.last_time) {
		en->clock_suspect = true;
		log_event(en, "clock-jump",
			  "the wall clock jumped since the last row: staged records don't expire "
			  "until the next start");
	}
	it.action = state.intent.action;
	copy_text(state.intent.request, it.request, sizeof(it.request));
	copy_text(state.intent.sid, it.sid, sizeof(it.sid));
	copy_text(state.intent.agent, it.agent, sizeof(it.agent));
	copy_text(state.intent.base, it.base, sizeof(it.base));
	copy_text(state.intent.fresh, it.fresh, sizeof(it.fresh));
	if (it.action && unescape(state.intent.path, it.path, sizeof(it.path)) != 0)
		return err_set(e, E_FORGED, "the path of an interrupted write can't be read");
	rc = exec_recover(en, &state, e);
	if (rc == 0)
		rc = store_refresh(&en->store, &en->dirs, &en->ask, e);
	if (rc == 0 && it.action)
		rc = settle_intent(en, &it, e);
	if (rc == 0)
		rc = engine_answer_claimed(en, e);
	if (rc != 0)
		return rc;
	/* A record whose write is done has no business in the store, whoever asked for it. */
	if (it.done && it.sid[0] && it.action == ROW_APPLY_STAGED)
		staged_settle(en, view_of(it.sid), "applied");
	sweep(en->dirs.fd[FOLDER_STATE], false);
	sweep(en->dirs.fd[FOLDER_STAGED], false);
	sweep(en->dirs.fd[FOLDER_DEAD], true);
	return 0;
}
