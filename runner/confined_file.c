/* SPDX-License-Identifier: MIT */
/*
 * The operator's confined file (file 21, 17.3): where it lies, and installing it in two steps, so
 * that nobody installs what nobody read. System. Failure rule: nothing is written unless everything
 * held. Tests: tests/e2e/runner-confined.tap.
 */
#include "base/base.h"

#include "runner/confined_file.h"

#include "base/atomicfile.h"
#include "base/custody.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/limits.h"
#include "base/pathfd.h"
#include "runner/brief.h"
#include "runner/confirm.h"
#include "runner/key.h"
#include "runner/pins.h"
#include "runner/verbs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct place {
	int root_fd;
	struct buf root, folder, path;
	const char *name; /* in path */
};

static int find(const char *project, struct place *p, struct errctx *e)
{
	int rc;

	*p = (struct place){.root_fd = -1};
	buf_init(&p->root, MAX_PATH_BYTES);
	buf_init(&p->folder, MAX_PATH_BYTES);
	buf_init(&p->path, MAX_PATH_BYTES);
	rc = pathfd_open_root(project, &p->root_fd, e);
	if (rc == 0)
		rc = pathfd_name(p->root_fd, &p->root, e);
	if (rc == 0)
		rc = key_operator_path("/confined", &p->folder, e);
	if (rc != 0)
		return rc;
	(void)buf_printf(&p->path, "%s/", buf_text(&p->folder));
	rc = brief_project_name(buf_view(&p->root), &p->path);
	(void)buf_puts(&p->path, ".json");
	if (rc != 0 || buf_error(&p->path))
		return err_set(e, E_TOOBIG, "the confined file's path is too long");
	p->name = strrchr(buf_text(&p->path), '/') + 1;
	return 0;
}

static void leave(struct place *p)
{
	cleanup_fd(&p->root_fd);
	buf_release(&p->root);
	buf_release(&p->folder);
	buf_release(&p->path);
}

/* The custody checks of the runner's own start; E_NOENT: there is none. */
static int look(const struct place *p, struct errctx *e)
{
	auto_buf struct buf text;

	buf_init(&text, MAX_OPERATOR_FILE_BYTES + 1);
	return custody_read(buf_text(&p->path), CUSTODY_OPTIONAL, MAX_OPERATOR_FILE_BYTES,
			    p->root_fd, &text, e);
}

int verb_confined_path(const struct options *o)
{
	struct errctx e = {0};
	struct place p;
	int rc = find(o->project, &p, &e);

	if (rc == 0) {
		rc = look(&p, &e);
		if (rc == 0 || rc == E_NOENT) {
			printf("%s %s\n", buf_text(&p.path), rc == 0 ? "present" : "absent");
			rc = 0;
		}
	}
	leave(&p);
	return rc == 0 ? 0 : verb_fail(&e);
}

/* The candidate with the digests of the gates that it gives programs to, as the brief has them now.
 */
static int with_digests(const struct json *candidate, const struct brief *b, struct buf *out,
			struct errctx *e)
{
	const struct json *gates = json_member(candidate, "gate_exec");
	auto_buf struct buf text;
	auto_json struct json *whole = NULL;
	struct jsonw w;
	int rc;

	buf_init(&text, 4 * MAX_OPERATOR_FILE_BYTES);
	jsonw_init(&w, &text, JSONW_COMPACT);
	jsonw_obj(&w);
	for (const struct json *c = json_first(candidate); c; c = json_next(c)) {
		if (view_is(json_key(c), "gate_argv_sha256"))
			continue; /* whatever it says: the brief decides */
		jsonw_key_view(&w, json_key(c));
		jsonw_value(&w, c);
	}
	if (json_is(gates, JSON_OBJECT)) {
		jsonw_key(&w, "gate_argv_sha256");
		jsonw_obj(&w);
		for (const struct json *c = json_first(gates); c; c = json_next(c)) {
			const struct brief_gate *g = brief_gate(b, json_key(c));
			char digest[SHA256_HEX + 1];

			if (!g)
				return err_set(e, E_UNKNOWN,
					       "gate_exec names no gate of the brief: \"%.*s\"",
					       (int)json_key(c).len, json_key(c).ptr);
			rc = brief_argv_digest(&g->argv, digest);
			if (rc != 0)
				return err_set(e, rc, "a gate's digest can't be taken");
			jsonw_key_view(&w, json_key(c));
			jsonw_cstr(&w, digest);
		}
		jsonw_obj_end(&w);
	}
	jsonw_obj_end(&w);
	rc = buf_error(&text) ? buf_error(&text) : json_parse(buf_view(&text), &whole, e);
	if (rc == 0)
		rc = jsonw_canonical(out, JSONW_INDENTED, whole, NULL);
	(void)buf_putc(out, '\n');
	if (rc == 0)
		rc = buf_error(out);
	return rc ? err_set(e, rc, "the confined file can't be written as JSON: %s", err_name(rc))
		  : 0;
}

/* *ret: the bytes that would be installed, checked as the runner's start checks them. */
static int compose(const struct options *o, const struct place *p, struct buf *ret,
		   struct errctx *e)
{
	auto_buf struct buf text, brief_text;
	auto_json struct json *candidate = NULL;
	struct brief_input in = {0};
	struct brief alone = {0}, both = {0};
	struct stat st;
	size_t n = strlen(buf_text(&p->root));
	char *real = NULL;
	int rc;

	buf_init(&text, MAX_OPERATOR_FILE_BYTES + 1);
	buf_init(&brief_text, MAX_BRIEF_BYTES + 1);
	rc = pins_read_file(o->file, MAX_OPERATOR_FILE_BYTES, &text, &st, e);
	if (rc == 0)
		rc = json_parse(buf_view(&text), &candidate, e);
	if (rc == 0 && !json_is(candidate, JSON_OBJECT))
		rc = err_set(e, E_TYPE, "%s is no JSON object", o->file);
	if (rc == 0)
		rc = pins_read_file(o->description, MAX_BRIEF_BYTES, &brief_text, &st, e);
	if (rc != 0)
		return rc;
	real = pins_real_path(o->description);
	if (real && strncmp(real, buf_text(&p->root), n) == 0 && real[n] == '/')
		in.rel = real + n + 1;
	in.text = buf_view(&brief_text);
	rc = brief_parse(&in, &alone, e);
	if (rc == 0)
		rc = with_digests(candidate, &alone, ret, e);
	if (rc == 0) {
		in.confined = buf_view(ret);
		rc = brief_parse(&in, &both, e);
	}
	brief_release(&alone);
	brief_release(&both);
	free(real);
	return rc;
}

static int put(const struct place *p, const struct buf *bytes, struct errctx *e)
{
	auto_buf struct buf home = {0};
	auto_fd int home_fd = -1;
	auto_fd int made_fd = -1;
	auto_fd int dir_fd = -1;
	const char *folder = buf_text(&p->folder), *root = buf_text(&p->root);
	size_t n = strlen(root);
	int rc;

	if (strncmp(folder, root, n) == 0 && (folder[n] == '/' || n == 1))
		return err_set(e, E_OUTSIDE, "%s would lie inside the project", buf_text(&p->path));
	buf_init(&home, MAX_PATH_BYTES);
	rc = custody_home(&home, e);
	if (rc == 0)
		rc = pathfd_open_root(buf_text(&home), &home_fd, e);
	if (rc == 0)
		rc = pathfd_make_dirs(home_fd, ".config/agentteams/confined", 0700, &made_fd, e);
	if (rc == 0)
		rc = custody_open_dir(folder, 0, &dir_fd, e);
	if (rc == 0) {
		rc = look(p, e); /* what would be replaced must be the operator's own */
		if (rc == E_NOENT)
			rc = 0;
	}
	if (rc != 0)
		return rc;
	*e = (struct errctx){0};
	return atomicfile_put(dir_fd, p->name, buf_view(bytes), 0600, COMMIT_REPLACE, e);
}

int verb_install_confined(const struct options *o)
{
	auto_buf struct buf bytes;
	char hash[SHA256_HEX + 1];
	struct errctx e = {0};
	struct place p;
	int rc = find(o->project, &p, &e);

	buf_init(&bytes, MAX_OPERATOR_FILE_BYTES);
	if (rc == 0)
		rc = compose(o, &p, &bytes, &e);
	if (rc != 0) {
		leave(&p);
		return verb_fail(&e);
	}
	sha256_hex(buf_view(&bytes), hash);
	if (!o->confirm) {
		printf("%s", buf_text(&bytes));
		printf("sha256 %s\n", hash);
		fprintf(stderr,
			"Nothing was installed. Read the above; to install exactly these bytes as\n"
			"%s\nadd --confirm-review-sha256 with this hash.\n",
			buf_text(&p.path));
		leave(&p);
		return 1;
	}
	if (!confirm_is_hash(o->confirm, hash))
		rc = err_set(&e, E_CHANGED,
			     "--confirm-review-sha256: what would be installed has the hash %s",
			     hash);
	if (rc == 0)
		rc = put(&p, &bytes, &e);
	if (rc == 0)
		printf("installed %s; start the runner again\n", buf_text(&p.path));
	leave(&p);
	return rc == 0 ? 0 : verb_fail(&e);
}

static void put_quoted(const char *text)
{
	fputc('\'', stderr);
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stderr);
		else
			fputc(*text, stderr);
	}
	fputc('\'', stderr);
}

void confined_hint(const struct options *o, const struct errctx *why)
{
	struct errctx e = {0};
	struct place p;

	if (!strstr(why->text, "--install-confined"))
		return;
	if (find(o->project, &p, &e) == 0 && look(&p, &e) == 0) {
		fputs("Read what would be installed, then add --confirm-review-sha256 with the "
		      "hash that it prints:\n  agentteams --install-confined ",
		      stderr);
		put_quoted(buf_text(&p.path));
		fputs(" --description ", stderr);
		put_quoted(o->description);
		fputs(" --project ", stderr);
		put_quoted(o->project);
		fputc('\n', stderr);
	}
	leave(&p);
}
