/* SPDX-License-Identifier: MIT */
/*
 * Common ground of the verbs about grants. System. Failure rule: nothing is signed or written.
 * Tests: tests/e2e/runner-grants.tap.
 */
#include "base/base.h"

#include "runner/grant_desk.h"

#include "base/clock.h"
#include "base/hex.h"
#include "base/pathfd.h"
#include "base/rand.h"
#include "base/utf8.h"
#include "runner/confine_runner.h"
#include "runner/key.h"
#include "runner/pins.h"

#include <stdio.h>

#define KEYFILE_VARIABLE "AGENTTEAMS_DECISION_ED25519_KEYFILE"
#define DAY_SECONDS	 86400

static int read_brief(struct grant_desk *d, struct errctx *e)
{
	auto_buf struct buf text;
	auto_free char *real = NULL;
	struct brief_input in = {0};
	struct stat st;
	size_t n = d->root.len;
	int rc;

	buf_init(&text, MAX_BRIEF_BYTES + 1);
	real = pins_real_path(d->o->description);
	if (!real)
		return err_sys(e, "the brief %s can't be found", d->o->description);
	rc = pins_read_file(real, MAX_BRIEF_BYTES, &text, &st, e);
	if (rc != 0)
		return rc;
	if (n > 1 && strncmp(real, buf_text(&d->root), n) == 0 && real[n] == '/')
		in.rel = real + n + 1;
	in.text = buf_view(&text);
	return brief_parse(&in, &d->brief, e);
}

static int read_server(struct grant_desk *d, struct errctx *e)
{
	auto_free char *path = installed_server();

	if (!path)
		return err_set(e, E_NOENT, "there is no installed server to bind a grant to");
	return pins_hash_server(path, d->server_sha256, e);
}

int grant_desk_open(struct grant_desk *d, const struct options *o, bool with_brief,
		    struct errctx *e)
{
	int rc;

	*d = (struct grant_desk){.o = o, .root_fd = -1};
	buf_init(&d->root, MAX_PATH_BYTES);
	buf_init(&d->path, MAX_PATH_BYTES);
	rc = pathfd_open_root(o->project, &d->root_fd, e);
	if (rc == 0)
		rc = pathfd_name(d->root_fd, &d->root, e);
	if (rc == 0)
		rc = grant_file_path(buf_view(&d->root), &d->path, e);
	if (rc == 0 && with_brief)
		rc = read_brief(d, e);
	if (rc == 0 && with_brief)
		rc = read_server(d, e);
	d->context = (struct grant_context){.brief = &d->brief,
					    .server_sha256 = view_of(d->server_sha256),
					    .now = clock_wall_s(),
					    .key = grant_key_load,
					    .arg = &d->keys};
	return rc;
}

void grant_desk_release(struct grant_desk *d)
{
	brief_release(&d->brief);
	cleanup_fd(&d->root_fd);
	buf_release(&d->root);
	buf_release(&d->path);
}

int grant_desk_draft(struct grant_desk *d, struct buf *out, struct errctx *e)
{
	uint8_t raw[GRANT_ID_HEX / 2];
	char id[GRANT_ID_HEX + 1];
	struct grant_terms t = {.key_id = view_of(d->o->key_id),
				.server_sha256 = view_of(d->server_sha256),
				.issued = clock_wall_s(),
				.max_writes = (int64_t)d->o->max_writes};

	if (!grant_is_key_id(t.key_id))
		return err_set(e, E_USAGE,
			       "--key-id: 1 to 64 letters, digits, '.', '_' and '-', the first a "
			       "letter or digit");
	if (!brief_is_slug(view_of(d->o->agent)))
		return err_set(e, E_USAGE, "the agent isn't a slug");
	rand_bytes(raw, sizeof(raw));
	hex_encode(id, raw, sizeof(raw));
	t.id = view_of(id);
	t.expires = t.issued + DAY_SECONDS * (int64_t)d->o->grant_days;
	return grant_draft(&d->brief, view_of(d->o->agent), &t, out, e);
}

/* ---- showing ---- */

static void put_value(struct buf *out, const struct json *j)
{
	struct view v;
	int64_t n;

	if (json_get_str(j, &v) == 0)
		(void)utf8_print(out, v, 0);
	else if (json_get_int(j, &n) == 0)
		(void)buf_printf(out, "%lld", (long long)n);
	for (const struct json *c = json_first(j); c; c = json_next(c)) {
		(void)buf_puts(out, "\n                 ");
		if (json_key(c).len) {
			(void)utf8_print(out, json_key(c), 0);
			(void)buf_puts(out, "  ");
		}
		put_value(out, c);
		if (json_get_str(c, &v) == 0 && json_is(j, JSON_ARRAY) &&
		    (view_is(v, "delete_file") || view_is(v, "run_command")))
			(void)buf_puts(out, "  (this grant doesn't change it)");
	}
}

int grant_desk_show(const struct grant *g, struct errctx *e)
{
	auto_buf struct buf out;

	buf_init(&out, 8 * MAX_GRANTS_FILE_BYTES);
	for (const struct json *c = json_first(g->json); c; c = json_next(c)) {
		(void)buf_printf(&out, "%-15.*s  ", (int)json_key(c).len, json_key(c).ptr);
		put_value(&out, c);
		(void)buf_putc(&out, '\n');
	}
	if (buf_error(&out))
		return err_set(e, buf_error(&out), "the grant can't be shown");
	printf("%s", buf_text(&out));
	return fflush(stdout) == 0 ? 0 : err_sys(e, "standard output");
}

/* ---- the signer ---- */

int grant_desk_key_path(struct view key_id, struct buf *out, struct errctx *e)
{
	const char *given = getenv(KEYFILE_VARIABLE);
	int rc;

	if (given && *given) {
		if (given[0] != '/')
			return err_set(e, E_SYNTAX, KEYFILE_VARIABLE " is no absolute path");
		rc = buf_puts(out, given);
	} else {
		rc = key_operator_path("/keys/", out, e);
		if (rc == 0)
			rc = buf_printf(out, "%.*s.pem", (int)key_id.len, key_id.ptr);
	}
	return rc ? err_set(e, rc, "the private key's path is too long") : 0;
}
