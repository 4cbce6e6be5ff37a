/* SPDX-License-Identifier: MIT */
/*
 * The operator's file of grants: custody at reading, one lock and an atomic replacement at writing.
 * System. Failure rule: what fails custody is no file at all. Tests: tests/e2e/runner-grants.tap.
 */
#include "base/base.h"

#include "runner/grant_file.h"

#include "base/atomicfile.h"
#include "base/custody.h"
#include "base/jsonw.h"
#include "base/lock.h"
#include "base/pathfd.h"
#include "runner/key.h"

#include <stdio.h>

#define FOLDER "mcp-grants"

int grant_file_path(struct view root_path, struct buf *out, struct errctx *e)
{
	int rc = key_operator_path("/" FOLDER "/", out, e);

	if (rc != 0)
		return rc;
	rc = brief_project_name(root_path, out);
	(void)buf_puts(out, ".json");
	return rc || buf_error(out) ? err_set(e, E_TOOBIG, "the path of the grants is too long")
				    : 0;
}

int grant_file_load(const char *path, int root_fd, const struct grant_context *c,
		    struct grant_set *ret, struct errctx *e)
{
	auto_buf struct buf text;
	int rc;

	memset(ret, 0, sizeof(*ret));
	buf_init(&text, MAX_GRANTS_FILE_BYTES + 1);
	rc = custody_read(path, CUSTODY_OPTIONAL, MAX_GRANTS_FILE_BYTES, root_fd, &text, e);
	if (rc == E_NOENT)
		return 0;
	return rc ? rc : grant_set_parse(buf_view(&text), c, ret, e);
}

int grant_folder_open(const char *folder, int *ret_fd, struct errctx *e)
{
	auto_buf struct buf home, path;
	auto_fd int home_fd = -1, made_fd = -1;
	char below[64];
	int rc;

	buf_init(&home, MAX_PATH_BYTES);
	buf_init(&path, MAX_PATH_BYTES);
	(void)snprintf(below, sizeof(below), ".config/agentteams%s%s", *folder ? "/" : "", folder);
	rc = custody_home(&home, e);
	(void)buf_printf(&path, "%s/%s", buf_text(&home), below);
	if (rc == 0)
		rc = pathfd_open_root(buf_text(&home), &home_fd, e);
	if (rc == 0)
		rc = pathfd_make_dirs(home_fd, below, 0700, &made_fd, e);
	return rc ? rc : custody_open_dir(buf_text(&path), 0, ret_fd, e);
}

static int compose(struct view old, struct view agent, const struct json *add, struct buf *out,
		   size_t *ret_n, struct errctx *e)
{
	auto_json struct json *have = NULL;
	auto_json struct json *all = NULL;
	auto_buf struct buf text = {0};
	struct jsonw w;
	size_t n = 0;
	int rc = 0;

	if (old.len)
		rc = json_parse(old, &have, e);
	if (rc == 0 && have && !json_is(have, JSON_ARRAY))
		rc = err_set(e, E_TYPE, "the grants file is no list");
	if (rc != 0)
		return rc;
	buf_init(&text, 4 * MAX_GRANTS_FILE_BYTES);
	jsonw_init(&w, &text, JSONW_COMPACT);
	jsonw_arr(&w);
	for (const struct json *r = json_first(have); r; r = json_next(r)) {
		struct view v = {0};

		ignored(json_get_str(json_member(r, "agent"), &v));
		if (view_eq(v, agent))
			n++;
		else
			jsonw_value(&w, r);
	}
	if (add)
		jsonw_value(&w, add);
	jsonw_arr_end(&w);
	rc = jsonw_finish(&w);
	if (rc == 0)
		rc = json_parse(buf_view(&text), &all, e);
	if (rc == 0 && json_count(all) > MAX_GRANT_RECORDS)
		return err_set(e, E_TOOBIG, "the grants file would have more than %d records",
			       MAX_GRANT_RECORDS);
	if (rc == 0)
		rc = jsonw_canonical(out, JSONW_INDENTED, all, NULL);
	(void)buf_putc(out, '\n');
	if (rc == 0)
		rc = buf_error(out);
	*ret_n = n;
	return rc ? err_set(e, rc, "the grants can't be written: %s", err_name(rc)) : 0;
}

static int outside(const char *path, int root_fd, struct errctx *e)
{
	auto_buf struct buf root;
	size_t n;
	int rc;

	buf_init(&root, MAX_PATH_BYTES);
	rc = pathfd_name(root_fd, &root, e);
	n = root.len;
	if (rc == 0 && strncmp(path, buf_text(&root), n) == 0 && (path[n] == '/' || n == 1))
		rc = err_set(e, E_OUTSIDE, "%s would lie inside the project", path);
	return rc;
}

int grant_file_change(const char *path, int root_fd, struct view agent, const struct json *add,
		      size_t *ret_n, struct errctx *e)
{
	auto_buf struct buf old, fresh;
	auto_fd int dir_fd = -1, lock_fd = -1;
	const char *name = strrchr(path, '/') + 1;
	int rc = outside(path, root_fd, e);

	*ret_n = 0;
	buf_init(&old, MAX_GRANTS_FILE_BYTES + 1);
	buf_init(&fresh, MAX_GRANTS_FILE_BYTES);
	if (rc == 0)
		rc = grant_folder_open(FOLDER, &dir_fd, e);
	if (rc == 0)
		rc = lock_take(dir_fd, ".lock", &lock_fd, e);
	if (rc == E_BUSY)
		return err_set(e, rc, "another command is changing the grants; try again");
	if (rc == 0)
		rc = custody_read(path, CUSTODY_OPTIONAL, MAX_GRANTS_FILE_BYTES, root_fd, &old, e);
	if (rc == E_NOENT)
		rc = 0;
	if (rc == 0)
		rc = compose(buf_view(&old), agent, add, &fresh, ret_n, e);
	if (rc != 0 || (*ret_n == 0 && !add))
		return rc;
	return atomicfile_put(dir_fd, name, buf_view(&fresh), 0600, COMMIT_REPLACE, e);
}
