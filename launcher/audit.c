/* SPDX-License-Identifier: MIT */
/*
 * The after-run audit (file 10, 18.7): which trusted names came into being while the command ran.
 * Deeper places than the guards know are found the same way (a repository made inside, with hooks).
 * System. Covered by tests/escape/placeholder.tap.
 */
#include "base/base.h"
#include "launcher/after.h"

#include "launcher/git_config.h"

#include "base/io.h"
#include "base/limits.h"
#include "base/pathfd.h"

#include <fcntl.h>
#include <stdio.h>

static int list_root(const struct object *root, struct strings *ret, struct errctx *e)
{
	size_t n;
	const struct guard_row *g = launch_guards(&n);
	int r = 0;

	for (enum guard_team t = TEAM_CLAUDE; r == 0 && t < N_TEAMS; t++) {
		char marker[256];

		(void)snprintf(marker, sizeof(marker), "%s/%s", launch_team(t)->dir,
			       launch_team_marker);
		if (guard_is_present(root, marker))
			r = strings_addf(ret, e, "%s/%s", root->path, marker);
	}
	for (size_t i = 0; r == 0 && i < n; i++)
		if (guard_is_present(root, g[i].path) &&
		    !(g[i].kind == GUARD_PLACE && placeholder_is_here(root, g[i].path)))
			r = strings_addf(ret, e, "%s/%s", root->path, g[i].path);
	return r;
}

/* Keys of git configurations that name programs: compared before and after, since --git-protect
 * hooks leaves the configuration writable. */
static int list_git_keys(const struct strings *names, struct strings *ret, struct errctx *e)
{
	static const char *const files[] = {"config", "config.worktree"};
	int r = 0;

	for (size_t i = 0; r == 0 && i < names->n; i++)
		for (size_t k = 0; r == 0 && k < ARRAY_LEN(files); k++) {
			auto_buf struct buf text;
			auto_free char *path = NULL;
			auto_fd int fd = -1;

			buf_init(&text, MAX_OPERATOR_FILE_BYTES);
			if (asprintf(&path, "%s/%s", names->v[i], files[k]) < 0) {
				path = NULL;
				return err_set(e, E_NOMEM, "no memory");
			}
			fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
			if (fd < 0)
				continue;
			if (io_read_all(fd, &text, MAX_OPERATOR_FILE_BYTES) < 0)
				r = strings_addf(ret, e, "%s\tunreadable or too large", path);
			else
				r = git_config_running_keys(buf_view(&text), path, ret, e);
		}
	return r;
}

int audit_list(const struct launch *l, struct strings *ret, struct errctx *e)
{
	struct strings git = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->n_roots; i++)
		if (l->objects.v[i].role == ROLE_ROOT)
			r = list_root(&l->objects.v[i], ret, e);
	if (r == 0)
		r = launch_list_git((struct launch *)(uintptr_t)l, &git, e);
	for (size_t i = 0; r == 0 && i < git.n; i++)
		r = strings_add(ret, git.v[i], e);
	if (r == 0)
		r = list_git_keys(&git, ret, e);
	strings_release(&git);
	return r;
}
