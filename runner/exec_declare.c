/* SPDX-License-Identifier: MIT */
/*
 * The files that a command declares (file 22, 12.1, step 7): where they may lie, and how they look
 * when it starts. System. Failure rule: refuse. Tests: tests/e2e/runner-command.tap.
 */
#include "base/base.h"

#include "runner/exec_state.h"

#include "base/pathfd.h"
#include "base/pathstr.h"
#include "policy/write.h"

#include <fcntl.h>
#include <stdio.h>

void expected_free(struct expected *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i].rel);
	free(v);
}

static int refused(const char *rel, const struct decision *d, struct errctx *e)
{
	if (d->verdict == VERDICT_ALLOW)
		return 0;
	return err_set(e, E_DENIED, "%s may not be written: %s (%s)", rel,
		       d->reason ? d->reason : "internal", d->rule ? d->rule : "internal");
}

int exec_may_write(const struct engine *en, const struct brief_command *c, const char *agent,
		   const char *rel, struct errctx *e)
{
	const struct brief_agent *a = brief_agent(en->brief, view_of(agent));
	const char *brief = en->brief->rel;
	bool owned = false;
	struct decision d;

	for (size_t i = 0; i < c->writes.n; i++)
		owned = owned || policy_glob(c->writes.item[i], view_of(rel), false);
	if (!owned) {
		d = policy_path_write(&(struct write_query){
			.rel = view_of(rel),
			.brief = {brief, brief ? strlen(brief) : 0},
			.scopes = a ? a->scopes.item : NULL,
			.n_scopes = a ? a->scopes.n : 0,
			.protect = en->brief->protect.item,
			.n_protect = en->brief->protect.n,
		});
		return refused(rel, &d, e);
	}
	/* A file that the command owns may be protected, but never steer anything. */
	d = policy_write_control(view_of(rel), NULL, 0);
	if (d.verdict == VERDICT_ALLOW && brief) {
		struct view v = view_of(brief);

		d = policy_path_write(
			&(struct write_query){.rel = view_of(rel),
					      .brief = v,
					      .scopes = &(struct view){rel, strlen(rel)},
					      .n_scopes = 1});
	}
	return refused(rel, &d, e);
}

void exec_look(struct engine *en, struct expected *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		auto_fd int fd = -1;
		struct stat st;
		const char *slash = strrchr(v[i].rel, '/');
		char parent[MAX_PATH_BYTES + 1];

		v[i].base = (struct land_base){0};
		(void)snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - v[i].rel) : 1,
			       slash ? v[i].rel : ".");
		if (pathfd_open_dir(en->dirs.root_fd, parent, &fd, NULL) == 0 &&
		    fstatat(fd, slash ? slash + 1 : v[i].rel, &st, AT_SYMLINK_NOFOLLOW) == 0)
			land_base_of(&st, &v[i].base);
	}
}

static bool in_write_root(const struct brief_jail *jail, const char *rel)
{
	for (size_t i = 0; jail && i < jail->write.n; i++) {
		char root[MAX_PATH_BYTES + 1];
		int n = pathstr_clean(jail->write.item[i], root, sizeof(root));

		if (n > 0 && strncmp(rel, root, (size_t)n) == 0 && rel[n] == '/')
			return true;
	}
	return false;
}

int exec_check_reach(const struct exec *x, const struct brief_jail *jail, struct job *job,
		     const struct expected *v, size_t n)
{
	auto_buf struct buf names = {0};
	size_t out = 0, named = 0;

	if (x->way != WAY_READ_ONLY)
		return 0;
	buf_init(&names, MAX_REACH_BYTES + 64);
	for (size_t i = 0; i < n; i++) {
		if (in_write_root(jail, v[i].rel))
			continue;
		if (out++ == named && names.len + strlen(v[i].rel) + 2 <= MAX_REACH_BYTES) {
			(void)buf_printf(&names, "%s%s", named ? ", " : "", v[i].rel);
			named++;
		}
	}
	if (out == 0)
		return 0;
	if (out > named)
		(void)buf_printf(&names, " and %zu more", out - named);
	(void)reply_refuse_text(&job->reply,
				"no overlay can be mounted here, so only a write root can be "
				"written, and these declared files lie in none");
	reply_detail(&job->reply, VIEW(": "));
	reply_detail(&job->reply, buf_view(&names));
	reply_detail(&job->reply, VIEW(" (overlay: "));
	reply_detail(&job->reply, view_of(x->why));
	reply_detail(&job->reply, VIEW(")"));
	return E_DENIED;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct expected *)a)->rel, ((const struct expected *)b)->rel);
}

int exec_declare(struct engine *en, struct job *job, const struct artifact *a,
		 const struct brief_command *c, const char *agent, struct expected **ret,
		 size_t *ret_n)
{
	struct expected *v = calloc(a->expected_writes.n + 1, sizeof(*v));
	struct errctx e = {0};
	size_t n = 0, kept = 0;
	int rc = v ? 0 : err_set(&e, E_NOMEM, "no memory");

	for (size_t i = 0; i < a->expected_writes.n && rc == 0; i++) {
		char rel[MAX_PATH_BYTES + 1];

		rc = artifact_path(a->expected_writes.item[i], rel, &e);
		if (rc == 0)
			rc = exec_may_write(en, c, agent, rel, &e);
		if (rc == 0) {
			v[n].rel = strdup(rel);
			rc = v[n].rel ? 0 : err_set(&e, E_NOMEM, "no memory");
		}
		n += rc == 0;
	}
	if (rc != 0) {
		(void)reply_refuse(&job->reply, &e);
		if (v)
			expected_free(v, n);
		return rc;
	}
	qsort(v, n, sizeof(*v), compare);
	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && strcmp(v[kept - 1].rel, v[i].rel) == 0)
			free(v[i].rel);
		else
			v[kept++] = v[i];
	}
	*ret = v;
	*ret_n = kept;
	return 0;
}
