/* SPDX-License-Identifier: MIT */
/* --list-grants and --revoke-grant (file 24, section 9). System. Failure rule: a file that can't be
 * used is said and left alone. Tests: tests/e2e/runner-grants.tap. */
#include "base/base.h"

#include "runner/grant_verbs.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/log.h"
#include "runner/grant_desk.h"
#include "runner/verbs.h"

#include <stdio.h>

static void list_text(const struct grant_set *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct grant_entry *g = &s->item[i];
		char expires[26];

		clock_iso8601(g->expires, expires);
		printf("%-16s %-20s %s %3lld writes  %s\n", g->id[0] ? g->id : "?",
		       g->agent[0] ? g->agent : "?", expires, (long long)g->max_writes,
		       g->active ? "valid" : "NOT valid");
		if (!g->active)
			log_warn("grant %s: %s", g->id[0] ? g->id : "?", g->why);
	}
	if (s->n == 0)
		puts("no direct grants");
}

static int list_json(const struct grant_desk *d, const struct grant_set *s)
{
	auto_buf struct buf out;
	struct jsonw w;

	buf_init(&out, 4 * MAX_GRANTS_FILE_BYTES);
	jsonw_init(&w, &out, JSONW_INDENTED);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "file", buf_text(&d->path));
	jsonw_key(&w, "grants");
	jsonw_arr(&w);
	for (size_t i = 0; i < s->n; i++) {
		const struct grant_entry *g = &s->item[i];
		char time[26];

		jsonw_obj(&w);
		jsonw_kv_cstr(&w, "agent", g->agent);
		clock_iso8601(g->expires, time);
		jsonw_kv_cstr(&w, "expires", time);
		jsonw_kv_cstr(&w, "grant_id", g->id);
		clock_iso8601(g->issued, time);
		jsonw_kv_cstr(&w, "issued", time);
		jsonw_kv_cstr(&w, "key_id", g->key_id);
		jsonw_kv_int(&w, "max_writes", g->max_writes);
		jsonw_kv_cstr(&w, "problem", g->active ? NULL : g->why);
		jsonw_kv_bool(&w, "valid", g->active);
		jsonw_obj_end(&w);
	}
	jsonw_arr_end(&w);
	jsonw_obj_end(&w);
	if (jsonw_finish(&w) != 0)
		return 1;
	printf("%s\n", buf_text(&out));
	return 0;
}

int verb_grant_list(const struct options *o)
{
	struct grant_desk d;
	struct grant_set s;
	struct errctx e = {0};
	int rc = grant_desk_open(&d, o, true, &e), code = 0;

	if (rc == 0)
		rc = grant_file_load(buf_text(&d.path), d.root_fd, &d.context, &s, &e);
	if (rc == 0 && o->json)
		code = list_json(&d, &s);
	else if (rc == 0)
		list_text(&s);
	grant_desk_release(&d);
	return rc == 0 ? code : verb_fail(&e);
}

int verb_grant_revoke(const struct options *o)
{
	struct grant_desk d;
	struct errctx e = {0};
	size_t n = 0;
	int rc = grant_desk_open(&d, o, false, &e);

	if (rc == 0 && !brief_is_slug(view_of(o->agent)))
		rc = err_set(&e, E_USAGE, "%s: the agent isn't a slug", mode_flag(o->mode));
	if (rc == 0)
		rc = grant_file_change(buf_text(&d.path), d.root_fd, view_of(o->agent), NULL, &n,
				       &e);
	if (rc == 0 && n)
		printf("revoked %zu; a runner that serves now stops, start it again\n", n);
	else if (rc == 0)
		puts("there was none");
	grant_desk_release(&d);
	return rc == 0 ? 0 : verb_fail(&e);
}
