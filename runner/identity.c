/* SPDX-License-Identifier: MIT */
/* Who asks (file 22, 8.5; file 21, section 11): the nonce decides, the channel narrows. System
 * (asks the keeper). Failure rule: refuse. Tests: tests/e2e/runner-proposals.tap. */
#include "base/base.h"

#include "runner/engine.h"

/* One text for every fault of a nonce on the agents' channel: it is no oracle. */
#define UNIFORM "the dispatch nonce isn't valid for this agent"

static int refuse_nonce(struct job *job, enum nonce_state state)
{
	if (job->channel == CHANNEL_MCP)
		(void)reply_refuse_text(&job->reply, UNIFORM);
	else
		(void)reply_refuse_text(&job->reply, "%s", nonce_state_text(state));
	return E_DENIED;
}

int identify(struct engine *en, struct job *job, const struct artifact *a, struct ask_nonce *ret)
{
	struct errctx e = {0};
	struct view agent;

	if (engine_asked(en, ask_attempt(&en->ask, a->dispatch, ret, &e), &e) != 0) {
		(void)reply_refuse(&job->reply, &e);
		return e.code ? e.code : E_INTERNAL;
	}
	if (ret->state != NONCE_OK)
		return refuse_nonce(job, ret->state);
	agent = view_of(ret->agent);
	if (job->channel == CHANNEL_MCP && !view_eq(agent, job->request.via_agent))
		return refuse_nonce(job, NONCE_NOT_AGENT);
	memcpy(job->reply.agent, ret->agent, sizeof(job->reply.agent));
	if (job->channel == CHANNEL_ORCHESTRATOR && brief_grant(en->brief, agent)) {
		(void)reply_refuse_text(
			&job->reply, "agent \"%s\" acts only through its MCP server (mcp_grants)",
			ret->agent);
		return E_DENIED;
	}
	if (a->agent.ptr && !view_eq(a->agent, agent)) {
		(void)reply_refuse_text(&job->reply,
					"the artifact names another agent than its nonce");
		return E_DENIED;
	}
	return 0;
}

int identify_use(struct engine *en, struct job *job, const struct artifact *a, struct view agent)
{
	struct errctx e = {0};
	struct ask_nonce n;

	if (engine_asked(en, ask_use(&en->ask, a->dispatch, agent, &n, &e), &e) != 0) {
		(void)reply_refuse(&job->reply, &e);
		return e.code ? e.code : E_INTERNAL;
	}
	if (n.state != NONCE_OK)
		return refuse_nonce(job, n.state);
	job->reply.counted = true;
	return 0;
}
