/* SPDX-License-Identifier: MIT */
/*
 * Verifying records and the active set of a file (file 24, sections 5 and 6). Pure (allocates).
 * Failure rule: a bad record is inactive and says why; too many good ones are all inactive. Tests:
 * tests/unit/runner/t_grant.c, tests/fuzz/fuzz_grant.c.
 */
#include "base/base.h"

#include "runner/grant.h"

#include "policy/grant.h"

#include <stdio.h>

static int check_signature(const struct grant *g, const struct grant_context *c,
			   char fingerprint[SHA256_HEX + 1], struct errctx *e)
{
	uint8_t key[SIGN_PUBLIC_BYTES];
	auto_buf struct buf payload = {0};
	int rc = c->key(c->arg, g->key_id, key, fingerprint, e);

	if (rc != 0)
		return rc;
	buf_init(&payload, MAX_GRANTS_FILE_BYTES);
	rc = grant_payload(g, &payload);
	if (rc != 0)
		return err_set(e, rc, "the signed bytes can't be made: %s", err_name(rc));
	if (!sign_verify_hex(g->signature, buf_view(&payload), key))
		return err_set(e, E_FORGED, "the signature isn't that of key %.*s over this record",
			       (int)g->key_id.len, g->key_id.ptr);
	return 0;
}

int grant_verify(const struct grant *g, const struct grant_context *c,
		 char fingerprint[SHA256_HEX + 1], struct errctx *e)
{
	const struct grant_query q = {.issued = g->issued,
				      .expires = g->expires,
				      .max_writes = g->max_writes,
				      .now = c->now};
	char unused[SHA256_HEX + 1];
	struct decision d;
	int rc = check_signature(g, c, fingerprint ? fingerprint : unused, e);

	if (rc == 0)
		rc = grant_check_display(g, e);
	if (rc == 0)
		rc = grant_check_binding(g, c->brief, c->server_sha256, e);
	if (rc != 0)
		return rc;
	d = policy_grant_times(&q);
	if (d.verdict != VERDICT_ALLOW)
		return err_set(e, E_DENIED, "%s (%s)", d.reason ? d.reason : "internal",
			       d.rule ? d.rule : "internal");
	return 0;
}

static void put(char *out, size_t size, struct view v)
{
	(void)snprintf(out, size, "%.*s", (int)v.len, v.ptr ? v.ptr : "");
}

static void judge(const struct json *j, const struct grant_context *c, struct grant_entry *ret)
{
	struct errctx e = {0};
	struct grant g;
	int rc = grant_parse(j, true, &g, &e);

	if (rc == 0) {
		put(ret->id, sizeof(ret->id), g.id);
		put(ret->agent, sizeof(ret->agent), g.agent);
		put(ret->key_id, sizeof(ret->key_id), g.key_id);
		ret->issued = g.issued;
		ret->expires = g.expires;
		ret->max_writes = g.max_writes;
		rc = grant_verify(&g, c, ret->fingerprint, &e);
	}
	ret->active = rc == 0;
	if (rc != 0)
		(void)snprintf(ret->why, sizeof(ret->why), "%.200s",
			       e.text[0] ? e.text : err_name(rc));
}

static void put_out(struct grant_entry *g, const char *why)
{
	g->active = false;
	(void)snprintf(g->why, sizeof(g->why), "%s", why);
}

/* Two for one agent: who knows which was meant. One id twice: their counts would mix. */
static void drop_doubles(struct grant_set *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const char *why = NULL;

		for (size_t k = 0; k < s->n && !why; k++) {
			/* One that was put out by this very rule still has its reason. */
			bool good = s->item[k].active || s->item[k].why[0] == '=';

			if (k == i || !good)
				continue;
			if (strcmp(s->item[i].agent, s->item[k].agent) == 0)
				why = "=there are two valid grants for this agent, so none is used";
			else if (strcmp(s->item[i].id, s->item[k].id) == 0)
				why = "=there are two grants with this id, so none is used";
		}
		if (why && s->item[i].active)
			put_out(&s->item[i], why);
	}
	for (size_t i = 0; i < s->n; i++) {
		if (s->item[i].why[0] == '=')
			memmove(s->item[i].why, s->item[i].why + 1, strlen(s->item[i].why));
	}
}

static void drop_crowd(struct grant_set *s)
{
	size_t active = 0;

	for (size_t i = 0; i < s->n; i++)
		active += s->item[i].active;
	for (size_t i = 0; active > MAX_ACTIVE_GRANTS && i < s->n; i++) {
		if (s->item[i].active)
			put_out(&s->item[i],
				"there are more than 3 valid grants for this project (the most "
				"that may be active), so none is used; revoke some");
	}
}

int grant_set_parse(struct view text, const struct grant_context *c, struct grant_set *ret,
		    struct errctx *e)
{
	auto_json struct json *j = NULL;
	struct errctx inner = {0};
	int rc;

	if (text.len > MAX_GRANTS_FILE_BYTES)
		return err_set(e, E_TOOBIG, "the grants file has more than %d bytes",
			       MAX_GRANTS_FILE_BYTES);
	rc = json_parse(text, &j, &inner);
	if (rc != 0)
		return err_set(e, rc, "the grants file is no valid JSON: %s", inner.text);
	if (!json_is(j, JSON_ARRAY))
		return err_set(e, E_TYPE, "the grants file is no list");
	if (json_count(j) > MAX_GRANT_RECORDS)
		return err_set(e, E_TOOBIG, "the grants file has more than %d records",
			       MAX_GRANT_RECORDS);
	memset(ret, 0, sizeof(*ret));
	sha256_hex(text, ret->sha256);
	for (const struct json *r = json_first(j); r; r = json_next(r)) {
		if (!json_is(r, JSON_OBJECT))
			return err_set(e, E_TYPE,
				       "the grants file holds something that is no "
				       "grant");
		judge(r, c, &ret->item[ret->n++]);
	}
	drop_doubles(ret);
	drop_crowd(ret);
	return 0;
}

const struct grant_entry *grant_set_agent(const struct grant_set *s, struct view agent)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->item[i].active && view_is(agent, s->item[i].agent))
			return &s->item[i];
	}
	return NULL;
}
