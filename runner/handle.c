/* SPDX-License-Identifier: MIT */
/*
 * From a parsed request to its handler: channel rules, deadlines, then a table (file 21, sections
 * 11 and 12). System. Failure rule: refuse. Tests: tests/e2e/runner-queue.tap.
 */
#include "base/base.h"

#include "runner/engine.h"

#include "base/clock.h"

#include <stdio.h>

static void emit_start(struct reply *r, struct jsonw *w)
{
	buf_clear(&r->result);
	jsonw_init(w, &r->result, JSONW_SPACED);
	jsonw_obj(w);
}

/* An agent whose changes may land at once gets narrow nonces (24, 7.2). */
static int has_grant(struct engine *en, struct view agent, bool *ret, struct errctx *e)
{
	const struct brief_grant *wish = brief_grant(en->brief, agent);
	struct ask_grant g = {0};
	int rc = 0;

	if (wish && wish->wants_direct)
		rc = engine_asked(en, ask_grant(&en->ask, agent, &g, e), e);
	*ret = g.known;
	return rc;
}

static void handle_issue(struct engine *en, struct job *job)
{
	struct errctx e = {0};
	char nonce[ID_HEX + 1];
	struct jsonw w;
	struct view agent = job->request.agent;
	bool narrow = false;

	if (!agent.ptr || !brief_is_slug(agent)) {
		(void)reply_refuse_text(&job->reply, "agent is no agent's slug");
		return;
	}
	(void)snprintf(job->reply.agent, sizeof(job->reply.agent), "%.*s", (int)agent.len,
		       agent.ptr);
	/* A nonce for nobody can do nothing; it would only hide a misspelled name (22, 20.37). */
	if (!brief_agent(en->brief, agent)) {
		(void)reply_refuse_text(&job->reply, "the brief has no policy for agent \"%.*s\"",
					(int)agent.len, agent.ptr);
		return;
	}
	if (has_grant(en, agent, &narrow, &e) != 0 ||
	    engine_asked(en,
			 ask_issue(&en->ask, agent, view_of(job->id),
				   narrow ? DIRECT_DISPATCH_SECONDS : DISPATCH_SECONDS,
				   narrow ? DIRECT_DISPATCH_USES : MAX_DISPATCH_USES, nonce, &e),
			 &e) != 0) {
		(void)reply_refuse(&job->reply, &e);
		return;
	}
	job->reply.ok = job->reply.secret = true;
	emit_start(&job->reply, &w);
	jsonw_kv_cstr(&w, "nonce", nonce);
	jsonw_obj_end(&w);
	explicit_bzero(nonce, sizeof(nonce));
}

struct problems {
	struct jsonw w;
};

static void add_problem(void *arg, const char *problem)
{
	struct problems *p = arg;

	jsonw_cstr(&p->w, problem);
}

static void handle_verify(struct engine *en, struct job *job)
{
	struct errctx e = {0};
	struct problems p;
	int64_t n = 0, rows = 0;
	int rc;

	emit_start(&job->reply, &p.w);
	jsonw_key(&p.w, "problems");
	jsonw_arr(&p.w);
	rc = engine_asked(en, ask_verify(&en->ask, add_problem, &p, &n, &rows, &e), &e);
	if (rc != 0) {
		(void)reply_refuse(&job->reply, &e);
		return;
	}
	jsonw_arr_end(&p.w);
	jsonw_kv_int(&p.w, "rows", rows);
	jsonw_obj_end(&p.w);
	job->reply.ok = true;
	if (n > 0)
		engine_stop(en, ENGINE_TAMPERED, "the ledger doesn't verify");
}

/* The artifact of a request; refuses and returns non-zero when there is none of the right shape. */
static int take_artifact(struct engine *en, struct job *job, enum row_action refused,
			 struct artifact *a)
{
	struct errctx e = {0};
	int rc = artifact_parse(job->request.artifact, false, a, &e);

	if (rc == 0)
		return 0;
	(void)reply_refuse(&job->reply, &e);
	refuse_row(en, job, refused, VIEW("?"), (struct view){0}, (struct view){0});
	return rc;
}

static void handle_proposal(struct engine *en, struct job *job)
{
	bool stage = job->request.kind == REQUEST_STAGE;
	enum row_action refused = stage ? ROW_STAGE_PROPOSAL_REFUSED : ROW_APPLY_PROPOSAL_REFUSED;
	struct artifact a;
	struct proposal p = {
		.mode = stage ? MODE_STAGE : MODE_APPLY,
		.artifact = &a,
		/* Dry runs execute gates; on the agents' channel they would be free (21, 29.34). */
		.dry_run = !stage && job->request.dry_run,
	};

	if (take_artifact(en, job, refused, &a) != 0)
		return;
	if (a.kind == ARTIFACT_COMMAND) {
		(void)reply_refuse_text(&job->reply, "a command request is no proposal");
		refuse_row(en, job, refused, VIEW("?"), (struct view){0}, (struct view){0});
	} else {
		propose(en, job, &p);
	}
	artifact_release(&a);
}

static void handle_run(struct engine *en, struct job *job)
{
	struct artifact a;

	if (take_artifact(en, job, ROW_RUN_REQUEST_REFUSED, &a) != 0)
		return;
	if (a.kind != ARTIFACT_COMMAND) {
		(void)reply_refuse_text(&job->reply, "a proposal is no command request");
		refuse_row(en, job, ROW_RUN_REQUEST_REFUSED, VIEW("?"), (struct view){0},
			   (struct view){0});
	} else {
		command_request(en, job, &a);
	}
	artifact_release(&a);
}

static void (*const handlers[])(struct engine *, struct job *) = {
	[REQUEST_ISSUE_DISPATCH] = handle_issue,
	[REQUEST_APPLY_PROPOSAL] = handle_proposal,
	[REQUEST_RUN] = handle_run,
	[REQUEST_VERIFY_LEDGER] = handle_verify,
	[REQUEST_STAGE] = handle_proposal,
	[REQUEST_APPLY_STAGED] = staged_apply,
	[REQUEST_REJECT_STAGED] = staged_reject,
	[REQUEST_LIST_STAGED] = staged_list,
	[REQUEST_SHOW_STAGED] = staged_show,
};
_Static_assert(ARRAY_LEN(handlers) == N_REQUEST_KINDS, "a handler for each kind");

void engine_handle(struct engine *en, struct job *job)
{
	const struct request *r = &job->request;

	(void)snprintf(en->busy_kind, sizeof(en->busy_kind), "%s", request_kind_name(r->kind));
	if (!request_kind_allowed(r->kind, job->channel)) {
		(void)reply_refuse_text(&job->reply, "%s isn't accepted on the %s channel",
					request_kind_name(r->kind), channel_name(job->channel));
		return;
	}
	if (job->channel == CHANNEL_MCP && (!r->via_agent.ptr || r->via_agent.len == 0)) {
		(void)reply_refuse_text(&job->reply, "the request doesn't say which agent's server "
						     "sent it (via_agent)");
		return;
	}
	/* A request that was left behind long ago is nobody's wish any more (21, 29.6). */
	if ((job->queue_wait_ms > 1000 * en->opt->max_queue_age_s && !en->clock_suspect) ||
	    (r->deadline > 0 && r->deadline < clock_wall_s())) {
		(void)reply_refuse_text(
			&job->reply,
			"the request expired in the queue: it waited %lld s; send it "
			"again if it is still wanted",
			(long long)job->queue_wait_ms / 1000);
		return;
	}
	handlers[r->kind](en, job);
	en->dirty = true;
}
