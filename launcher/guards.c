/* SPDX-License-Identifier: MIT */
/*
 * The control plane of each root (file 10, sections 5 and 6): what must stay read-only, what must
 * be there, and what appeared. Everything is opened from the root's descriptor without following
 * links. System. Covered by tests/escape/guards.tap.
 */
#include "base/base.h"
#include "launcher/launch.h"

#include "base/io.h"
#include "base/limits.h"
#include "base/pathfd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

bool guard_is_present(const struct object *root, const char *rel)
{
	struct stat st;
	auto_free char *parent = strdup(rel);
	auto_fd int fd = -1;
	char *slash = parent ? strrchr(parent, '/') : NULL;
	struct errctx ignored = {0};

	if (!parent)
		return true; /* then the open fails and refuses */
	if (!slash)
		return fstatat(root->fd, rel, &st, AT_SYMLINK_NOFOLLOW) == 0;
	*slash = '\0';
	if (pathfd_open(root->fd, parent, O_PATH | O_DIRECTORY, 0, LINKS_NONE, &fd, &ignored) < 0)
		return ignored.code != E_NOENT && ignored.code != E_NOTDIR;
	return fstatat(fd, slash + 1, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int protect(struct launch *l, const struct object *root, const char *rel, const char *rule,
		   struct errctx *e)
{
	struct object o = {.fd = -1};
	bool claude = strcmp(rel, ".claude") == 0;
	int r = object_open_beneath(root, rel, &o, e);

	if (r == E_LINK)
		return err_set(e, E_LINK, "%s/%s: a symlink on a protected path", root->path, rel);
	if (r < 0)
		return r;
	/* Working copies below .claude may be large and hold linked packages; they are read-only
	 * like the rest. */
	r = object_check_links(&o, claude ? "worktrees" : NULL, e);
	if (r < 0) {
		object_release(&o);
		return r;
	}
	return objects_add(&l->objects, &o, ROLE_PROTECT, rule, e);
}

/* Does the team folder hold an agent file of its framework? A hint for the message only. */
static bool has_agent_file(const struct object *root, const struct team_row *t)
{
	auto_fd int fd = -1;
	struct errctx ignored = {0};
	struct dirent *entry;
	size_t tail = strlen(t->suffix);
	bool found = false;
	DIR *d;

	if (pathfd_open(root->fd, t->dir, O_RDONLY | O_DIRECTORY, 0, LINKS_NONE, &fd, &ignored) < 0)
		return false;
	d = fdopendir(fd);
	if (!d)
		return false;
	fd = -1;
	while (!found && (entry = readdir(d))) {
		size_t n = strlen(entry->d_name);

		found = n > tail && strcmp(entry->d_name + n - tail, t->suffix) == 0 &&
			strcmp(entry->d_name, launch_team_not_agent) != 0;
	}
	(void)closedir(d);
	return found;
}

static int refuse_missing(const struct object *root, const struct guard_row *g, struct errctx *e)
{
	const struct team_row *t = launch_team(g->team);
	char switch_path[256];

	(void)snprintf(switch_path, sizeof(switch_path), "%s/%s", t->dir, launch_team_switch);
	if (!has_agent_file(root, t) && !guard_is_present(root, switch_path))
		return err_set(
			e, E_MISSING,
			"'%s/%s' is missing although '%s/%s' says that a %s team is here, and no "
			"agent file is: the marker may have been PLANTED; look at it and remove it "
			"from OUTSIDE the sandbox",
			root->path, g->path, t->dir, launch_team_marker, t->name);
	return err_set(e, E_MISSING,
		       "'%s/%s' is missing although a %s team is present: regenerate it with "
		       "\"agentteams --update\"%s",
		       root->path, g->path, t->name,
		       g->team == TEAM_CODEX ? " (it may come from an interop projection)" : "");
}

static int collect_team(struct launch *l, const struct object *root, bool present[N_TEAMS],
			struct errctx *e)
{
	int r = 0;

	for (enum guard_team t = TEAM_CLAUDE; r == 0 && t < N_TEAMS; t++) {
		char marker[256];

		(void)snprintf(marker, sizeof(marker), "%s/%s", launch_team(t)->dir,
			       launch_team_marker);
		present[t] = guard_is_present(root, marker);
		if (present[t])
			r = protect(l, root, marker, "team marker", e);
	}
	return r;
}

static bool is_required(const struct object *root, const struct guard_row *g,
			const bool present[N_TEAMS])
{
	char path[256];

	if ((g->kind != GUARD_TEAM && g->kind != GUARD_ROSTER) || !present[g->team])
		return false;
	if (g->kind == GUARD_TEAM)
		return true;
	(void)snprintf(path, sizeof(path), "%s/%s", launch_team(g->team)->dir, launch_team_switch);
	return guard_is_present(root, path);
}

static bool is_wanted(const struct options *o, const struct guard_row *g)
{
	if (g->kind == GUARD_PROMPT)
		return o->prompt_roots;
	if (g->kind == GUARD_EDITOR)
		return o->git != GIT_PROTECT_OFF;
	return true;
}

static int collect_root(struct launch *l, const struct object *root, struct errctx *e)
{
	bool present[N_TEAMS] = {false};
	size_t n;
	const struct guard_row *g = launch_guards(&n);
	int r = collect_team(l, root, present, e);

	for (size_t i = 0; r == 0 && i < n; i++) {
		if (!is_wanted(l->opt, &g[i]))
			continue;
		if (g[i].kind == GUARD_PLACE && placeholder_is_here(root, g[i].path))
			continue; /* held, and protected, by placeholder_make */
		if (guard_is_present(root, g[i].path))
			r = protect(l, root, g[i].path, g[i].id, e);
		else if (is_required(root, &g[i], present))
			r = refuse_missing(root, &g[i], e);
	}
	return r;
}

static int collect_named(struct launch *l, struct errctx *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->opt->protect.n; i++) {
		struct object o = {.fd = -1};
		const char *path = l->opt->protect.v[i];

		r = object_open_exact(path, &o, e);
		if (r == E_NOENT || r == E_NOTDIR)
			return err_set(e, E_NOENT,
				       "--protect: %s does not exist and is never created", path);
		if (r == E_LINK)
			return err_set(e, E_LINK, "--protect: %s leads over a symlink", path);
		if (r == 0)
			r = object_check_links(&o, NULL, e);
		if (r == 0)
			r = objects_add(&l->objects, &o, ROLE_PROTECT, "--protect", e);
		else
			object_release(&o);
	}
	return r;
}

int launch_collect_guards(struct launch *l, struct errctx *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->n_roots; i++) {
		/* A copy: the list moves while it grows. */
		const struct object root = l->objects.v[i];

		r = collect_root(l, &root, e);
	}
	return r < 0 ? r : collect_named(l, e);
}

/* ---- keys of .codex/config.toml (file 10, section 9) ---- */

static const char *codex_key(const char *line)
{
	static const char *const keys[] = {"approval_policy", "sandbox_mode", "notify"};
	static const char *const tables[] = {"[sandbox_workspace_write", "[mcp_servers"};

	line += strspn(line, " \t");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		size_t n = strlen(keys[i]);

		if (strncmp(line, keys[i], n) == 0 && line[n + strspn(line + n, " \t")] == '=')
			return keys[i];
	}
	for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
		size_t n = strlen(tables[i]);

		if (strncmp(line, tables[i], n) == 0 && (line[n] == ']' || line[n] == '.'))
			return i == 0 ? "[sandbox_workspace_write]" : "[mcp_servers]";
	}
	return NULL;
}

static int warn_codex(struct launch *l, const struct object *root, struct errctx *e)
{
	auto_buf struct buf text;
	struct errctx ignored = {0};
	auto_fd int fd = -1;
	int r = 0;

	buf_init(&text, MAX_OPERATOR_FILE_BYTES);
	if (pathfd_open(root->fd, ".codex/config.toml", O_RDONLY | O_NONBLOCK, 0, LINKS_NONE, &fd,
			&ignored) < 0)
		return 0;
	if (io_read_all(fd, &text, MAX_OPERATOR_FILE_BYTES) < 0)
		return strings_addf(&l->notes, e, "WARNING: %s/.codex/config.toml can't be scanned",
				    root->path);
	for (char *line = text.data; r == 0 && line && *line;) {
		char *end = strchr(line, '\n');
		const char *key;

		if (end)
			*end = '\0';
		key = codex_key(line);
		if (key)
			r = strings_addf(
				&l->notes, e,
				"WARNING: %s/.codex/config.toml sets %s, which Codex obeys when it "
				"is started outside the sandbox",
				root->path, key);
		line = end ? end + 1 : NULL;
	}
	return r;
}

int launch_codex_warning(struct launch *l, struct errctx *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->n_roots; i++)
		if (strcmp(l->objects.v[i].rule, "--coord-root") != 0)
			r = warn_codex(l, &l->objects.v[i], e);
	return r;
}
