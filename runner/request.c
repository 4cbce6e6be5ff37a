/* SPDX-License-Identifier: MIT */
/* Reading one request. Pure (allocates). Failure rule: texts never repeat what the file holds.
 * Tests: tests/unit/runner/t_artifact.c, tests/fuzz/fuzz_request.c. */
#include "base/base.h"

#include "runner/request.h"

static const struct {
	const char *name;
	bool allowed[N_CHANNELS];
} kinds[] = {
	[REQUEST_ISSUE_DISPATCH] = {"issue-dispatch", {true, false}},
	[REQUEST_APPLY_PROPOSAL] = {"apply-proposal", {true, false}},
	[REQUEST_RUN] = {"run-request", {true, true}},
	[REQUEST_VERIFY_LEDGER] = {"verify-ledger", {true, false}},
	[REQUEST_STAGE] = {"stage-proposal", {false, true}},
	[REQUEST_APPLY_STAGED] = {"apply-staged", {true, false}},
	[REQUEST_REJECT_STAGED] = {"reject-staged", {true, false}},
	[REQUEST_LIST_STAGED] = {"list-staged", {true, false}},
	[REQUEST_SHOW_STAGED] = {"show-staged", {true, false}},
};
_Static_assert(ARRAY_LEN(kinds) == N_REQUEST_KINDS, "one row for each kind");

const char *channel_name(enum channel c)
{
	return c == CHANNEL_MCP ? "mcp" : "orchestrator";
}

const char *request_kind_name(enum request_kind k)
{
	return k > 0 && k < N_REQUEST_KINDS ? kinds[k].name : NULL;
}

bool request_kind_allowed(enum request_kind k, enum channel c)
{
	return k > 0 && k < N_REQUEST_KINDS && (c == CHANNEL_ORCHESTRATOR || c == CHANNEL_MCP) &&
	       kinds[k].allowed[c];
}

static int take_str(const struct json *j, const char *name, struct view *ret, struct errctx *e)
{
	const struct json *m = json_member(j, name);

	if (!m || json_is(m, JSON_NULL))
		return 0;
	if (json_get_str(m, ret) != 0)
		return err_set(e, E_TYPE, "%s is no string", name);
	return 0;
}

static int take_rest(struct request *r, struct errctx *e)
{
	const struct json *m;
	int rc = take_str(r->json, "agent", &r->agent, e);

	if (rc == 0)
		rc = take_str(r->json, "via_agent", &r->via_agent, e);
	if (rc == 0)
		rc = take_str(r->json, "sid", &r->sid, e);
	if (rc == 0)
		rc = take_str(r->json, "reason", &r->reason, e);
	if (rc == 0)
		rc = take_str(r->json, "content_sha256", &r->digest, e);
	if (rc == 0)
		rc = take_str(r->json, "after", &r->after, e);
	m = json_member(r->json, "dry_run");
	if (rc == 0 && m && !json_is(m, JSON_NULL) && json_get_bool(m, &r->dry_run) != 0)
		rc = err_set(e, E_TYPE, "dry_run is no boolean");
	m = json_member(r->json, "deadline");
	if (rc == 0 && m && !json_is(m, JSON_NULL) && json_get_int(m, &r->deadline) != 0)
		rc = err_set(e, E_TYPE, "deadline is no integer");
	r->artifact = json_member(r->json, "artifact");
	return rc;
}

int request_parse(struct view text, struct request *ret, struct errctx *e)
{
	struct view kind;
	int rc;

	*ret = (struct request){0};
	rc = json_parse(text, &ret->json, NULL);
	if (rc != 0)
		return err_set(e, rc, "the request is no valid JSON (%s)", err_name(rc));
	if (!json_is(ret->json, JSON_OBJECT) ||
	    json_get_str(json_member(ret->json, "kind"), &kind) != 0)
		return err_set(e, E_TYPE, "the request is no JSON object with a kind");
	for (unsigned k = 1; k < N_REQUEST_KINDS; k++) {
		if (view_is(kind, kinds[k].name))
			ret->kind = (enum request_kind)k;
	}
	if (!ret->kind)
		return err_set(e, E_UNKNOWN, "the request is of no known kind");
	return take_rest(ret, e);
}

void request_release(struct request *r)
{
	json_free(r->json);
	*r = (struct request){0};
}
