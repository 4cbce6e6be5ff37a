/* SPDX-License-Identifier: MIT */
/*
 * One record of a direct grant: shape, signed bytes, binding. Pure (allocates). Failure rule: what
 * is not exactly as it should be is refused. Tests: tests/unit/runner/t_grant.c (vectors of file
 * 24, section 11), tests/fuzz/fuzz_grant.c.
 */
#include "base/base.h"

#include "runner/grant.h"

#include "base/clock.h"
#include "base/hex.h"
#include "base/jsonw.h"
#include "base/utf8.h"
#include "policy/grant.h"

#include <stdio.h>

#define TAG	    "agentteams-mcp-direct-grant-v1"
#define MAP_VERSION "1"

enum shape {
	SHAPE_TEXT = 1,
	SHAPE_HEX16,
	SHAPE_HEX64,
	SHAPE_HEX128,
	SHAPE_SLUG,
	SHAPE_KEY_ID,
	SHAPE_TIME,
	SHAPE_COUNT,
	SHAPE_LIST,
	SHAPE_DIGESTS,
};

static const struct {
	const char *name;
	enum shape shape;
} fields[] = {
	{"agent", SHAPE_SLUG},	      {"approval", SHAPE_TEXT},	      {"expires", SHAPE_TIME},
	{"gates", SHAPE_DIGESTS},     {"grant_id", SHAPE_HEX16},      {"issued", SHAPE_TIME},
	{"key_id", SHAPE_KEY_ID},     {"map_version", SHAPE_TEXT},    {"max_writes", SHAPE_COUNT},
	{"server", SHAPE_TEXT},	      {"server_sha256", SHAPE_HEX64}, {"tools", SHAPE_LIST},
	{"write_scopes", SHAPE_LIST}, {"signature", SHAPE_HEX128}, /* the last one */
};
enum { N_BOUND = ARRAY_LEN(fields) - 1 };

bool grant_is_key_id(struct view v)
{
	if (v.len == 0 || v.len > MAX_KEY_ID_BYTES)
		return false;
	for (size_t i = 0; i < v.len; i++) {
		char c = v.ptr[i];
		bool plain =
			(c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (!plain && (i == 0 || (c != '.' && c != '_' && c != '-')))
			return false;
	}
	return true;
}

static bool is_strings(const struct json *j)
{
	struct view v;

	for (const struct json *c = json_first(j); c; c = json_next(c)) {
		if (json_get_str(c, &v) != 0)
			return false;
	}
	return json_is(j, JSON_ARRAY);
}

static bool is_digests(const struct json *j)
{
	struct view v;

	for (const struct json *c = json_first(j); c; c = json_next(c)) {
		if (json_get_str(c, &v) != 0 || !hex_is_lower(v, SHA256_HEX))
			return false;
	}
	return json_is(j, JSON_OBJECT);
}

static bool has_shape(const struct json *j, enum shape shape)
{
	struct view v = {0};
	int64_t n;

	if (shape == SHAPE_COUNT)
		return json_get_int(j, &n) == 0 && n >= 1 && n <= MAX_GRANT_WRITES;
	if (shape == SHAPE_LIST)
		return is_strings(j);
	if (shape == SHAPE_DIGESTS)
		return is_digests(j);
	if (json_get_str(j, &v) != 0)
		return false;
	switch (shape) {
	case SHAPE_HEX16:
		return hex_is_lower(v, GRANT_ID_HEX);
	case SHAPE_HEX64:
		return hex_is_lower(v, SHA256_HEX);
	case SHAPE_SLUG:
		return brief_is_slug(v);
	case SHAPE_KEY_ID:
		return grant_is_key_id(v);
	case SHAPE_TIME:
		return v.len == 25 && clock_parse_iso8601(v.ptr, &n) == 0;
	case SHAPE_TEXT:
	case SHAPE_HEX128: /* what is no hex is a bad signature, not a bad record */
	case SHAPE_COUNT:
	case SHAPE_LIST:
	case SHAPE_DIGESTS:
		break;
	}
	return true;
}

static struct view text_of(const struct json *j, const char *name)
{
	struct view v = {0};

	ignored(json_get_str(json_member(j, name), &v));
	return v;
}

int grant_parse(const struct json *j, bool is_signed, struct grant *ret, struct errctx *e)
{
	size_t known = 0, n = N_BOUND + (is_signed ? 1 : 0);
	struct grant g = {.json = j};

	if (!json_is(j, JSON_OBJECT))
		return err_set(e, E_TYPE, "a grant is no object");
	for (size_t i = 0; i < n; i++) {
		const struct json *m = json_member(j, fields[i].name);

		if (!m)
			return err_set(e, E_MISSING, "\"%s\" is missing", fields[i].name);
		if (!has_shape(m, fields[i].shape))
			return err_set(e, E_TYPE, "\"%s\" doesn't have the form that a grant has",
				       fields[i].name);
		known++;
	}
	if (json_count(j) != known) {
		for (const struct json *c = json_first(j); c; c = json_next(c)) {
			bool found = false;

			for (size_t i = 0; i < n; i++)
				found = found || view_is(json_key(c), fields[i].name);
			if (!found)
				return err_set(e, E_UNKNOWN, "it has the unknown member \"%.*s\"",
					       (int)(json_key(c).len > 40 ? 40 : json_key(c).len),
					       json_key(c).ptr);
		}
		return err_set(e, E_UNKNOWN, "it has more members than a grant");
	}
	g.id = text_of(j, "grant_id");
	g.agent = text_of(j, "agent");
	g.key_id = text_of(j, "key_id");
	g.signature = text_of(j, "signature");
	/* The shapes were looked at above. */
	if (clock_parse_iso8601(text_of(j, "issued").ptr, &g.issued) != 0 ||
	    clock_parse_iso8601(text_of(j, "expires").ptr, &g.expires) != 0 ||
	    json_get_int(json_member(j, "max_writes"), &g.max_writes) != 0)
		return err_set(e, E_INTERNAL, "a grant can't be read");
	*ret = g;
	return 0;
}

int grant_payload(const struct grant *g, struct buf *out)
{
	(void)buf_puts(out, TAG "|");
	return jsonw_canonical(out, JSONW_COMPACT, g->json, "signature");
}

int grant_seal(const struct grant *g, const char *signature, struct json **ret, struct errctx *e)
{
	auto_buf struct buf text;
	struct jsonw w;
	int rc;

	buf_init(&text, MAX_GRANTS_FILE_BYTES);
	jsonw_init(&w, &text, JSONW_COMPACT);
	jsonw_obj(&w);
	for (const struct json *c = json_first(g->json); c; c = json_next(c)) {
		if (view_is(json_key(c), "signature"))
			continue;
		jsonw_key_view(&w, json_key(c));
		jsonw_value(&w, c);
	}
	jsonw_kv_cstr(&w, "signature", signature);
	jsonw_obj_end(&w);
	rc = jsonw_finish(&w);
	if (rc != 0)
		return err_set(e, rc, "the grant can't be written: %s", err_name(rc));
	return json_parse(buf_view(&text), ret, e);
}

int grant_review_digest(const struct grant *g, struct view project, char ret[SHA256_HEX + 1])
{
	auto_buf struct buf text, spec;
	struct jsonw w;
	int rc;

	buf_init(&text, 2 * MAX_GRANTS_FILE_BYTES);
	buf_init(&spec, MAX_GRANTS_FILE_BYTES);
	rc = jsonw_canonical(&spec, JSONW_COMPACT, g->json, "signature");
	if (rc != 0)
		return rc;
	jsonw_init(&w, &text, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_kv_str(&w, "key_id", g->key_id);
	jsonw_kv_cstr(&w, "kind", "mcp-direct-grant");
	jsonw_kv_cstr(&w, "ledger_root", "");
	jsonw_key(&w, "spec");
	jsonw_raw(&w, buf_view(&spec));
	jsonw_kv_str(&w, "team_dir", project);
	jsonw_obj_end(&w);
	rc = jsonw_finish(&w);
	if (rc == 0)
		sha256_hex(buf_view(&text), ret);
	return rc;
}

static bool hides(struct view v)
{
	size_t at = 0;

	while (at < v.len) {
		int32_t cp = utf8_next(v, &at);

		if (cp < 0 || utf8_hidden((uint32_t)cp))
			return true;
	}
	return false;
}

static bool hides_anywhere(const struct json *j)
{
	struct view v;

	if (json_get_str(j, &v) == 0 && hides(v))
		return true;
	for (const struct json *c = json_first(j); c; c = json_next(c)) {
		/* Records are two levels deep, json_parse bounds the rest. */
		if ((json_is(j, JSON_OBJECT) && hides(json_key(c))) || hides_anywhere(c))
			return true;
	}
	return false;
}

int grant_check_display(const struct grant *g, struct errctx *e)
{
	for (const struct json *c = json_first(g->json); c; c = json_next(c)) {
		if (hides(json_key(c)) || hides_anywhere(c))
			return err_set(e, E_DENIED,
				       "\"%.*s\" holds characters that hide or reorder text; no "
				       "grant may",
				       (int)json_key(c).len, json_key(c).ptr);
	}
	return 0;
}

/* ---- binding ---- */

static int compare_views(const void *a, const void *b)
{
	const struct view *x = a, *y = b;
	size_t n = x->len < y->len ? x->len : y->len;
	int d = memcmp(x->ptr, y->ptr, n);

	return d ? d : (x->len > y->len) - (x->len < y->len);
}

static int put_scopes(struct jsonw *w, const struct views *scopes)
{
	struct view *sorted = calloc(scopes->n ? scopes->n : 1, sizeof(*sorted));

	if (!sorted)
		return E_NOMEM;
	for (size_t i = 0; i < scopes->n; i++)
		sorted[i] = scopes->item[i];
	/* Bytes of UTF-8 sort like its code points. */
	qsort(sorted, scopes->n, sizeof(*sorted), compare_views);
	jsonw_key(w, "write_scopes");
	jsonw_arr(w);
	for (size_t i = 0; i < scopes->n; i++)
		jsonw_str(w, sorted[i]);
	jsonw_arr_end(w);
	free(sorted);
	return 0;
}

/* From the brief's own definitions: what the operator's confined file adds is no part of a grant
 * (24, 12.1). */
static int put_gates(struct jsonw *w, const struct brief *b)
{
	auto_buf struct buf text;

	buf_init(&text, 6 * MAX_BRIEF_BYTES);
	jsonw_key(w, "gates");
	jsonw_obj(w);
	for (const struct json *c = json_first(json_member(b->json, "proposal_gates")); c;
	     c = json_next(c)) {
		char digest[SHA256_HEX + 1];
		int rc;

		buf_clear(&text);
		rc = jsonw_canonical(&text, JSONW_SPACED, c, NULL);
		if (rc != 0)
			return rc;
		sha256_hex(buf_view(&text), digest);
		jsonw_key_view(w, json_key(c));
		jsonw_cstr(w, digest);
	}
	jsonw_obj_end(w);
	return 0;
}

static int check_bounds(const struct brief *b, const struct brief_agent *a, struct errctx *e)
{
	struct view globs[MAX_GATES];
	struct decision d;
	size_t n = 0;

	for (size_t i = 0; i < b->n_gates && n < MAX_GATES; i++) {
		if (b->gates[i].glob.ptr)
			globs[n++] = b->gates[i].glob;
	}
	d = policy_grant_scopes(a ? a->scopes.item : NULL, a ? a->scopes.n : 0, globs, n);
	if (d.verdict == VERDICT_ALLOW)
		return 0;
	return err_set(e, E_DENIED, "%s (%s)%s%.*s", d.reason ? d.reason : "internal",
		       d.rule ? d.rule : "internal", d.match.len ? ": " : "",
		       (int)(d.match.len > 80 ? 80 : d.match.len), d.match.ptr ? d.match.ptr : "");
}

/* The record as the brief has it now, in any order. */
static int compose(const struct brief *b, struct view agent, const struct grant_terms *t,
		   struct buf *out, struct errctx *e)
{
	const struct brief_grant *g = brief_grant(b, agent);
	const struct brief_agent *a = brief_agent(b, agent);
	char time[26];
	struct jsonw w;
	int rc;

	if (!g || !g->wants_direct)
		return err_set(e, E_DENIED,
			       "the brief doesn't ask for it: mcp_grants.%.*s.approval isn't "
			       "\"direct\"",
			       (int)agent.len, agent.ptr);
	rc = check_bounds(b, a, e);
	if (rc != 0)
		return rc;
	jsonw_init(&w, out, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_kv_str(&w, "agent", agent);
	jsonw_kv_cstr(&w, "approval", "direct");
	clock_iso8601(t->expires, time);
	jsonw_kv_cstr(&w, "expires", time);
	rc = put_gates(&w, b);
	jsonw_kv_str(&w, "grant_id", t->id);
	clock_iso8601(t->issued, time);
	jsonw_kv_cstr(&w, "issued", time);
	jsonw_kv_str(&w, "key_id", t->key_id);
	jsonw_kv_cstr(&w, "map_version", MAP_VERSION);
	jsonw_kv_int(&w, "max_writes", t->max_writes);
	jsonw_kv_cstr(&w, "server", GRANT_SERVER);
	jsonw_kv_str(&w, "server_sha256", t->server_sha256);
	jsonw_key(&w, "tools");
	jsonw_arr(&w);
	for (unsigned i = 0; i < N_TOOLS; i++) {
		if (g->tools & 1u << i)
			jsonw_cstr(&w, policy_tool((enum tool)i)->name);
	}
	jsonw_arr_end(&w);
	if (rc == 0)
		rc = put_scopes(&w, &a->scopes);
	jsonw_obj_end(&w);
	if (rc == 0)
		rc = jsonw_finish(&w);
	return rc ? err_set(e, rc, "the grant can't be written: %s", err_name(rc)) : 0;
}

int grant_draft(const struct brief *b, struct view agent, const struct grant_terms *t,
		struct buf *out, struct errctx *e)
{
	auto_buf struct buf text;
	auto_json struct json *j = NULL;
	int rc;

	buf_init(&text, MAX_GRANTS_FILE_BYTES);
	rc = compose(b, agent, t, &text, e);
	if (rc == 0)
		rc = json_parse(buf_view(&text), &j, e);
	if (rc != 0)
		return rc;
	rc = jsonw_canonical(out, JSONW_INDENTED, j, NULL);
	(void)buf_putc(out, '\n');
	return rc ? err_set(e, rc, "the grant can't be written: %s", err_name(rc)) : buf_error(out);
}

static bool same_member(const struct json *a, const struct json *b, const char *name)
{
	auto_buf struct buf x, y;

	buf_init(&x, MAX_GRANTS_FILE_BYTES);
	buf_init(&y, MAX_GRANTS_FILE_BYTES);
	return jsonw_canonical(&x, JSONW_COMPACT, json_member(a, name), NULL) == 0 &&
	       jsonw_canonical(&y, JSONW_COMPACT, json_member(b, name), NULL) == 0 &&
	       view_eq(buf_view(&x), buf_view(&y));
}

int grant_check_binding(const struct grant *g, const struct brief *b, struct view server_sha256,
			struct errctx *e)
{
	static const char *const bound[] = {"server", "tools",	       "approval",   "write_scopes",
					    "gates",  "server_sha256", "map_version"};
	const struct grant_terms t = {g->id,	 g->key_id,  server_sha256,
				      g->issued, g->expires, g->max_writes};
	auto_buf struct buf text;
	auto_json struct json *now = NULL;
	int rc;

	buf_init(&text, MAX_GRANTS_FILE_BYTES);
	rc = compose(b, g->agent, &t, &text, e);
	if (rc == 0)
		rc = json_parse(buf_view(&text), &now, e);
	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(bound); i++) {
		if (!same_member(g->json, now, bound[i]))
			rc = err_set(e, E_CHANGED,
				     "\"%s\" isn't what the brief and the installed server have "
				     "now; only signing again helps",
				     bound[i]);
	}
	return rc;
}
