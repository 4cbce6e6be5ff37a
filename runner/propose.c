/* SPDX-License-Identifier: MIT */
/*
 * The one body of checks behind all four modes (file 22, section 10), so that no mode can be laxer
 * by accident: identity, rationale, destination, content, base, gates; then everything that can
 * have changed once more, the use, the intent row, the act, the outcome row. System. Failure rule:
 * refuse with a row. Tests: tests/e2e/runner-proposals.tap, tests/fault/runner-kill.tap.
 */
#include "base/base.h"

#include "runner/engine.h"
#include "runner/gates.h"

#include "base/fault.h"
#include "policy/write.h"
#include "runner/land.h"
#include "runner/proposal.h"

#include <stdio.h>

static const struct {
	enum row_action act, act_delete, refused;
} rows[] = {
	[MODE_APPLY] = {ROW_APPLY_PROPOSAL, ROW_DELETE_PROPOSAL, ROW_APPLY_PROPOSAL_REFUSED},
	[MODE_STAGE] = {ROW_STAGE_PROPOSAL, ROW_STAGE_PROPOSAL, ROW_STAGE_PROPOSAL_REFUSED},
	[MODE_STAGED] = {ROW_APPLY_STAGED, ROW_APPLY_STAGED, ROW_APPLY_STAGED_REFUSED},
	[MODE_DIRECT] = {ROW_APPLY_DIRECT, 0, ROW_APPLY_DIRECT_REFUSED},
};

static int refuse(struct work *w, const struct errctx *e)
{
	(void)reply_refuse(&w->job->reply, e);
	return e->code ? e->code : E_DENIED;
}

static int check_identity(struct work *w)
{
	int rc;

	if (w->mode == MODE_DIRECT && w->a->kind == ARTIFACT_DELETE) {
		(void)reply_refuse_text(&w->job->reply, "a deletion is never applied directly");
		return E_DENIED;
	}
	if (w->mode == MODE_STAGED) {
		(void)snprintf(w->agent, sizeof(w->agent), "%.*s", (int)w->p->stored_agent.len,
			       w->p->stored_agent.ptr);
		memcpy(w->job->reply.agent, w->agent, sizeof(w->agent));
		return 0;
	}
	rc = identify(w->en, w->job, w->a, &w->nonce);
	if (rc == 0)
		memcpy(w->agent, w->nonce.agent, sizeof(w->agent));
	return rc;
}

/* Once for each grant, so that an operator sees it and nobody can fill the ledger with it. */
static int tell_fallback(struct work *w, const struct ask_grant *g)
{
	struct row r = {.action = ROW_DIRECT_FALLBACK};
	struct errctx e = {0};

	if (g->told)
		return 0;
	row_str(&r, KEY_AGENT, view_of(w->agent));
	row_str(&r, KEY_CHANNEL, view_of(channel_name(w->job->channel)));
	row_str(&r, KEY_GRANT, view_of(g->id));
	row_str(&r, KEY_REASON, view_of(w->fallback.reason ? w->fallback.reason : "internal"));
	row_str(&r, KEY_REQUEST, view_of(w->job->id));
	log_event(w->en, "grant-fallback", w->fallback.reason ? w->fallback.reason : "internal");
	return engine_asked(w->en, ask_row(&w->en->ask, &r, &e), &e) ? refuse(w, &e) : 0;
}

/* A change that an agent's server sent lands at once when the operator signed for it, and as long
 * as the grant holds; otherwise it waits for a review like any other (24, 7 and 12.3). The keeper
 * asks the same again when the row is to be written. */
static int choose_mode(struct work *w)
{
	const struct brief_grant *wish = brief_grant(w->en->brief, view_of(w->agent));
	struct errctx e = {0};
	struct ask_grant g;

	if (w->p->mode != MODE_STAGE || w->job->channel != CHANNEL_MCP ||
	    w->a->kind != ARTIFACT_CHANGE || !wish || !wish->wants_direct)
		return 0;
	if (engine_asked(w->en, ask_grant(&w->en->ask, view_of(w->agent), &g, &e), &e) != 0)
		return refuse(w, &e);
	w->mode = MODE_STAGE;
	if (!g.known)
		return 0;
	g.query.nonce_uses = w->nonce.max_uses;
	g.query.nonce_expires = w->nonce.expires;
	w->fallback = policy_grant_use(&g.query);
	if (w->fallback.verdict != VERDICT_ALLOW)
		return tell_fallback(w, &g);
	w->mode = MODE_DIRECT;
	memcpy(w->grant, g.id, sizeof(w->grant));
	return 0;
}

static int check_rationale(struct work *w)
{
	if (!artifact_is_blank(w->a->rationale))
		return 0;
	(void)reply_refuse_text(&w->job->reply, "rationale is empty");
	return E_DENIED;
}

static int check_destination(struct work *w)
{
	const struct brief_agent *agent = brief_agent(w->en->brief, view_of(w->agent));
	struct errctx e = {0};
	struct decision d;

	if (artifact_path(w->a->path, w->rel, &e) != 0)
		return refuse(w, &e);
	d = policy_path_write(&(struct write_query){
		.rel = view_of(w->rel),
		.brief = {w->en->brief->rel, w->en->brief->rel ? strlen(w->en->brief->rel) : 0},
		.scopes = agent ? agent->scopes.item : NULL,
		.n_scopes = agent ? agent->scopes.n : 0,
		.protect = w->en->brief->protect.item,
		.n_protect = w->en->brief->protect.n,
	});
	if (d.verdict == VERDICT_ALLOW)
		return 0;
	(void)reply_refuse_text(&w->job->reply, "%s may not be written: %s (%s)", w->rel,
				d.reason ? d.reason : "internal", d.rule ? d.rule : "internal");
	return E_DENIED;
}

static int check_content(struct work *w)
{
	if (w->a->kind == ARTIFACT_DELETE)
		return 0;
	if (w->a->content.len <= MAX_CONTENT_BYTES)
		return 0;
	(void)reply_refuse_text(&w->job->reply, "the content has %zu bytes, at most %d are taken",
				w->a->content.len, MAX_CONTENT_BYTES);
	return E_DENIED;
}

static int check_base(struct work *w)
{
	struct view base = w->a->base;
	struct errctx e = {0};

	if (!artifact_is_base(base)) {
		(void)reply_refuse_text(&w->job->reply,
					"base_sha256 is neither 64 lower-case hex digits nor "
					"\"absent\"");
		return E_DENIED;
	}
	if (w->a->kind == ARTIFACT_DELETE && view_is(base, "absent")) {
		(void)reply_refuse_text(&w->job->reply, "nothing that is absent can be deleted");
		return E_DENIED;
	}
	if (target_open(w->en->dirs.root_fd, w->rel, &w->target, &e) != 0)
		return refuse(w, &e);
	w->target_open = true;
	if (view_is(base, "absent") && !w->target.exists)
		return 0;
	if (w->target.exists && view_is(base, w->target.sha256))
		return 0;
	/* Both hashes, so that nobody has to guess what to read again (field report R20). */
	(void)reply_refuse_text(&w->job->reply,
				"stale base: %s is now %s, the proposal was made for %.*s; read it "
				"again",
				w->rel, w->target.exists ? w->target.sha256 : "absent",
				(int)base.len, base.ptr);
	return E_DENIED;
}

static int check_gates(struct work *w)
{
	const struct brief_gate *gates[MAX_GATES];
	struct errctx e = {0};
	size_t n = 0;

	if (w->a->kind == ARTIFACT_DELETE)
		return 0;
	if (gates_select(w->en->brief, w->a, w->rel, gates, MAX_GATES, &n, &e) != 0)
		return refuse(w, &e);
	if (gates_judge(w->en, gates, n, w->a->content, w->rel, &w->gates, &e) != 0) {
		int rc = refuse(w, &e);

		gates_quote(&w->job->reply, &w->gates);
		return rc;
	}
	return 0;
}

/* What can have changed while gates ran. */
static int check_again(struct work *w)
{
	struct errctx e = {0};
	int rc = check_destination(w);

	if (rc == 0 && target_recheck(&w->target, &e) != 0)
		rc = refuse(w, &e);
	return rc;
}

static int check_store(struct work *w)
{
	size_t mine, all;
	int64_t bytes;

	if (w->mode != MODE_STAGE)
		return 0;
	store_count(&w->en->store, view_of(w->agent), &mine, &all, &bytes);
	if (mine < w->en->opt->max_staged_agent && all < w->en->opt->max_staged_all &&
	    bytes + (int64_t)w->a->content.len <= MAX_STAGED_BYTES)
		return 0;
	(void)reply_refuse_text(&w->job->reply,
				"%zu changes of this agent and %zu of all agents wait for approval "
				"already; no more are taken until some are decided",
				mine, all);
	return E_TOOBIG;
}

/* ---- acting ---- */

static void common_fields(struct work *w, struct row *r)
{
	row_str(r, KEY_AGENT, view_of(w->agent));
	row_str(r, KEY_PATH, view_of(w->rel));
	row_str(r, KEY_REQUEST, view_of(w->job->id));
	if (w->p->sid.ptr)
		row_str(r, KEY_SID, w->p->sid);
}

static int intent_row(struct work *w)
{
	bool deletion = w->a->kind == ARTIFACT_DELETE;
	struct row r = {.action = deletion ? rows[w->mode].act_delete : rows[w->mode].act};
	struct errctx e = {0};

	common_fields(w, &r);
	row_str(&r, KEY_BASE, w->a->base);
	row_str(&r, KEY_CHANNEL, view_of(channel_name(w->job->channel)));
	row_str(&r, KEY_RATIONALE, artifact_excerpt(w->a->rationale));
	if (!deletion) {
		row_str(&r, KEY_NEW, view_of(w->sha256));
		row_int(&r, KEY_BYTES, (int64_t)w->a->content.len);
		row_gates(&r, w->gates.results, w->gates.n);
	}
	if (w->mode == MODE_DIRECT)
		row_str(&r, KEY_GRANT, view_of(w->grant));
	if (engine_asked(w->en, ask_row(&w->en->ask, &r, &e), &e) != 0)
		return refuse(w, &e);
	w->intent = row_action_name(r.action);
	return 0;
}

int propose_pay(struct engine *en, struct errctx *e)
{
	struct owed *o = &en->owed;
	struct row r = {.action = o->action};
	int rc;

	if (!o->action)
		return 0;
	row_str(&r, KEY_AGENT, view_of(o->agent));
	row_str(&r, KEY_PATH, view_of(o->path));
	row_str(&r, KEY_REQUEST, view_of(o->request));
	if (o->sid[0])
		row_str(&r, KEY_SID, view_of(o->sid));
	row_str(&r, KEY_INTENT, view_of(o->intent));
	if (o->action == ROW_FAILED)
		row_str(&r, KEY_ERROR, view_of(o->error));
	else if (o->fresh[0])
		row_str(&r, KEY_NEW, view_of(o->fresh));
	rc = engine_asked(en, ask_row(&en->ask, &r, e), e);
	if (rc == 0)
		*o = (struct owed){0};
	return rc;
}

/* The act is over, whatever becomes of this row: one that the disk refuses is owed until it is
 * written, by this process or by the next start. */
static void outcome_row(struct work *w, const struct errctx *failure)
{
	struct owed *o = &w->en->owed;
	struct errctx e = {0};

	*o = (struct owed){.action = failure ? ROW_FAILED : ROW_DONE, .intent = w->intent};
	(void)snprintf(o->agent, sizeof(o->agent), "%s", w->agent);
	(void)snprintf(o->request, sizeof(o->request), "%s", w->job->id);
	(void)snprintf(o->path, sizeof(o->path), "%s", w->rel);
	(void)snprintf(o->sid, sizeof(o->sid), "%.*s", (int)w->p->sid.len,
		       w->p->sid.ptr ? w->p->sid.ptr : "");
	if (failure)
		(void)snprintf(o->error, sizeof(o->error), "%s", failure->text);
	else
		(void)snprintf(o->fresh, sizeof(o->fresh), "%s", w->sha256);
	if (propose_pay(w->en, &e) != 0) {
		(void)snprintf(w->en->last_error, sizeof(w->en->last_error), "%s", e.text);
		log_event(w->en, "outcome-owed", e.text);
	}
}

static int act(struct work *w)
{
	struct errctx e = {0};
	char temp[64];
	int rc = propose_pay(w->en, &e);

	if (rc != 0)
		return refuse(w, &e);
	rc = intent_row(w);
	if (rc != 0)
		return rc;
	target_temp_name(view_of(w->job->id), temp);
	if (w->a->kind == ARTIFACT_DELETE)
		rc = target_delete(&w->target, temp, &e);
	else
		rc = target_write(&w->target, w->a->content, temp, w->en->mask, &e);
	outcome_row(w, rc ? &e : NULL);
	if (w->mode == MODE_DIRECT)
		status_grants(w->en);
	return rc ? refuse(w, &e) : 0;
}

static int stage(struct work *w)
{
	struct staged s = {
		.agent = view_of(w->agent),
		.path = view_of(w->rel), /* resolved, so that it can be approved (23, 15.6) */
		.base = w->a->base,
		.rationale = w->a->rationale,
		.content = w->a->kind == ARTIFACT_CHANGE ? w->a->content : (struct view){0},
		.has_gates = w->a->has_gates,
		.gates = w->a->gates.item,
		.n_gates = w->a->gates.n,
		.results = w->gates.results,
		.n_results = w->gates.n,
		.request = view_of(w->job->id),
	};
	struct errctx e = {0};

	staged_digest(&s);
	if (engine_asked(w->en,
			 ask_stage(&w->en->ask, &s, view_of(channel_name(w->job->channel)),
				   artifact_excerpt(w->a->rationale), &w->signature, &e),
			 &e) != 0)
		return refuse(w, &e);
	if (store_put(&w->en->store, &w->en->dirs, &s, &w->signature, &e) != 0)
		return refuse(w, &e);
	return 0;
}

static void receipt(struct work *w)
{
	bool change = w->a->kind == ARTIFACT_CHANGE, staged = w->mode == MODE_STAGE;
	struct jsonw j;

	buf_clear(&w->job->reply.result);
	jsonw_init(&j, &w->job->reply.result, JSONW_SPACED);
	jsonw_obj(&j);
	jsonw_kv_cstr(&j, "agent", w->agent);
	jsonw_kv_str(&j, "base_sha256", w->a->base);
	if (staged) {
		jsonw_kv_int(&j, "bytes", (int64_t)w->a->content.len);
		if (w->fallback.verdict == VERDICT_DENY)
			jsonw_kv_cstr(&j, "direct_fallback", w->fallback.reason);
		jsonw_kv_cstr(&j, "expires", w->signature.expires);
	}
	jsonw_key(&j, "gates");
	jsonw_arr(&j);
	for (size_t i = 0; i < w->gates.n; i++) {
		const struct gate_result *g = &w->gates.results[i];

		jsonw_obj(&j);
		if (g->confined.ptr)
			jsonw_kv_str(&j, "confined", g->confined);
		jsonw_kv_int(&j, "duration_ms", g->duration_ms);
		jsonw_kv_int(&j, "exit", g->exit);
		jsonw_kv_str(&j, "gate", g->gate);
		jsonw_obj_end(&j);
	}
	jsonw_arr_end(&j);
	if (w->mode == MODE_DIRECT)
		jsonw_kv_cstr(&j, "grant", w->grant);
	if (staged)
		jsonw_kv_cstr(&j, "kind", change ? "change-proposal" : "delete-proposal");
	jsonw_kv_cstr(&j, "new_sha256", change ? w->sha256 : NULL);
	jsonw_kv_cstr(&j, "path", w->rel);
	if (staged)
		jsonw_kv_cstr(&j, "sid", w->signature.sid);
	else if (w->p->sid.ptr)
		jsonw_kv_str(&j, "sid", w->p->sid);
	if (staged)
		jsonw_kv_bool(&j, "staged", true);
	jsonw_kv_bool(&j, "written", !staged && !w->p->dry_run);
	jsonw_obj_end(&j);
	w->job->reply.ok = true;
}

static int run(struct work *w)
{
	int rc = check_identity(w);

	if (rc == 0)
		rc = choose_mode(w);
	if (rc == 0)
		rc = check_rationale(w);
	if (rc == 0)
		rc = check_destination(w);
	if (rc == 0)
		rc = check_content(w);
	if (rc == 0)
		rc = check_base(w);
	if (rc == 0)
		rc = check_store(w);
	if (rc == 0)
		rc = check_gates(w);
	if (rc != 0 || w->p->dry_run)
		return rc;
	rc = check_again(w);
	/* Gates take time: a grant may have expired meanwhile. */
	if (rc == 0 && w->mode == MODE_DIRECT)
		rc = choose_mode(w);
	if (rc == 0)
		rc = check_store(w);
	if (rc == 0 && w->mode != MODE_STAGED)
		rc = identify_use(w->en, w->job, w->a, view_of(w->agent));
	if (rc == 0)
		rc = w->mode == MODE_STAGE ? stage(w) : act(w);
	return rc;
}

void propose(struct engine *en, struct job *job, const struct proposal *p)
{
	struct work w = {
		.en = en, .job = job, .p = p, .a = p->artifact, .mode = p->mode, .agent = "?"};
	int rc;

	if (w.a->kind == ARTIFACT_CHANGE)
		sha256_hex(w.a->content, w.sha256);
	rc = run(&w);
	if (rc == 0)
		receipt(&w);
	else if (!p->dry_run && !w.intent)
		refuse_row(en, job, rows[w.mode].refused, view_of(w.agent),
			   w.rel[0] ? view_of(w.rel) : (struct view){0}, p->sid);
	if (w.target_open)
		target_release(&w.target);
}
