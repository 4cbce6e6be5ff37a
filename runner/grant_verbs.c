/* SPDX-License-Identifier: MIT */
/* --list-grants and --revoke-grant (file 24, section 9). System. Failure rule: a file that can't be
 * used is said and left alone. Tests: tests/e2e/runner-grants.tap. */
#include "base/base.h"

#include "runner/grant_verbs.h"

#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/log.h"
#include "base/pathfd.h"
#include "runner/dirs.h"
#include "runner/grant_desk.h"
#include "runner/verbs.h"

#include <fcntl.h>
#include <stdio.h>

/* What the runner that serves, or the last one that did, says about what is left. */
static struct json *read_status(const struct grant_desk *d)
{
	struct json *j = NULL;
	auto_buf struct buf text;
	auto_fd int fd = -1;

	buf_init(&text, 65536);
	if (pathfd_open(d->root_fd, STATE_DIR "/" STATUS_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
			0, LINKS_NONE, &fd, NULL) != 0 ||
	    io_read_all(fd, &text, 65535) != 0 || json_parse(buf_view(&text), &j, NULL) != 0)
		return NULL;
	return j;
}

/* -1: nobody says. */
static int64_t writes_of(const struct json *status, const struct grant_entry *g)
{
	int64_t n = -1;

	for (const struct json *c = json_first(json_member(status, "grants")); c;
	     c = json_next(c)) {
		if (view_is(member_text(c, "grant_id"), g->id) &&
		    json_get_int(json_member(c, "writes"), &n) == 0)
			return n;
	}
	return -1;
}

static void list_text(const struct grant_set *s, const struct json *status)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct grant_entry *g = &s->item[i];
		int64_t writes = writes_of(status, g);
		char expires[26];

		clock_iso8601(g->expires, expires);
		printf("%-16s %-20s %s %3lld writes  %s", g->id[0] ? g->id : "?",
		       g->agent[0] ? g->agent : "?", expires, (long long)g->max_writes,
		       g->active ? "valid" : "NOT valid");
		if (writes >= 0)
			printf(", %lld used", (long long)writes);
		putchar('\n');
		if (!g->active)
			log_warn("grant %s: %s", g->id[0] ? g->id : "?", g->why);
	}
	if (s->n == 0)
		puts("no direct grants");
}

static int list_json(const struct grant_desk *d, const struct grant_set *s,
		     const struct json *status)
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
		jsonw_key(&w, "writes");
		if (writes_of(status, g) >= 0)
			jsonw_int(&w, writes_of(status, g));
		else
			jsonw_null(&w);
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
	auto_json struct json *status = NULL;
	int rc = grant_desk_open(&d, o, true, &e), code = 0;

	if (rc == 0)
		rc = grant_file_load(buf_text(&d.path), d.root_fd, &d.context, &s, &e);
	if (rc == 0)
		status = read_status(&d);
	if (rc == 0 && o->json)
		code = list_json(&d, &s, status);
	else if (rc == 0)
		list_text(&s, status);
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
