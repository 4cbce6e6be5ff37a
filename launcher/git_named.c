/* SPDX-License-Identifier: MIT */
/*
 * What a repository's configuration names inside a root: a folder of hooks (core.hooksPath) and
 * other configurations (include.path). git executes and obeys them like its own, so they are
 * read-only like its own; one that is named and absent could be created, and is refused.
 * System. Covered by tests/escape/git.tap.
 */
#include "base/base.h"
#include "launcher/git_named.h"

#include "launcher/git_config.h"

#include "base/io.h"
#include "base/limits.h"
#include "base/pathfd.h"
#include "base/pathstr.h"

#include <fcntl.h>
#include <stdio.h>
#include <strings.h>

enum { MAX_INCLUDES = 10 }; /* as deep as git follows them */

struct naming {
	struct launch *l;
	const char *top;    /* working tree: hooks are looked for from here */
	const char *folder; /* of the file that is being read: includes start here */
	const char *file;
	unsigned depth;
};

static int read_file(const struct naming *n, int fd, struct errctx *e);

static bool folded_is(struct view v, const char *lower)
{
	return v.len == strlen(lower) && strncasecmp(v.ptr, lower, v.len) == 0;
}

static const struct object *root_of(const struct launch *l, const char *path)
{
	for (size_t i = 0; i < l->n_roots; i++)
		if (pathstr_beneath(view_of(path), view_of(l->objects.v[i].path)))
			return &l->objects.v[i];
	return NULL;
}

static bool is_protected(const struct launch *l, const char *path)
{
	for (size_t i = l->n_roots; i < l->objects.n; i++)
		if (l->objects.v[i].role == ROLE_PROTECT &&
		    pathstr_beneath(view_of(path), view_of(l->objects.v[i].path)))
			return true;
	return false;
}

static int full_path(const struct naming *n, struct view value, const char *base, char **ret,
		     struct errctx *e)
{
	bool home = value.len >= 2 && value.ptr[0] == '~' && value.ptr[1] == '/';
	const char *from = home ? n->l->home : base;
	int skip = home ? 2 : 0, r;

	if (value.len && value.ptr[0] == '/')
		r = asprintf(ret, "%.*s", (int)value.len, value.ptr);
	else
		r = asprintf(ret, "%s/%.*s", from ? from : "", (int)value.len - skip,
			     value.ptr + skip);
	if (r >= 0)
		return 0;
	*ret = NULL;
	return err_set(e, E_NOMEM, "no memory");
}

/* Lexically: the name isn't there, so no link can be on its last part. */
static int refuse_absent(const struct naming *n, const char *what, const char *path,
			 struct errctx *e)
{
	auto_free char *dir = strdup(path);
	struct object parent = {.fd = -1};
	struct errctx ignored = {0};
	bool inside = false;
	char *slash;

	/* The closest folder above that exists decides whether the command could create it. */
	while (dir && (slash = strrchr(dir, '/')) && slash != dir) {
		*slash = '\0';
		if (object_open(dir, true, &parent, &ignored) < 0)
			continue;
		inside = root_of(n->l, parent.path) && !is_protected(n->l, parent.path);
		object_release(&parent);
		break;
	}
	if (!inside)
		return 0;
	return err_set(e, E_MISSING,
		       "%s: %s names %s, which isn't there: the command could create it and git "
		       "would obey it outside; create it, drop the key, or use --git-protect off",
		       n->file, what, path);
}

static int protect_named(const struct naming *n, const char *what, bool is_config, const char *path,
			 struct errctx *e)
{
	struct object o = {.fd = -1};
	struct errctx mine = {0};
	const struct object *root;
	int r = object_open(path, false, &o, &mine);

	if (r == E_NOENT)
		return refuse_absent(n, what, path, e);
	if (r < 0)
		return err_set(e, r, "%s: %s: %s", n->file, what, mine.text);
	root = root_of(n->l, o.path);
	if (root && strcmp(root->path, o.path) == 0) {
		object_release(&o);
		return err_set(e, E_DENIED,
			       "%s: %s names the whole writable folder %s; use --git-protect off",
			       n->file, what, root->path);
	}
	if (root)
		r = object_check_links(&o, NULL, e);
	if (r == 0 && is_config && S_ISREG(o.st.st_mode)) {
		auto_fd int fd = open(o.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		auto_free char *folder = strndup(o.path, (size_t)(strrchr(o.path, '/') - o.path));
		const struct naming below = {n->l, n->top, folder, o.path, n->depth + 1};

		if (!folder)
			r = err_set(e, E_NOMEM, "no memory");
		else if (fd >= 0) /* unreadable: git can't read it either */
			r = read_file(&below, fd, e);
	}
	if (r < 0 || !root || is_protected(n->l, o.path)) {
		object_release(&o);
		return r;
	}
	return objects_add(&n->l->objects, &o, ROLE_PROTECT, what, e);
}

static int take(void *ctx, struct view section, struct view key, struct view value,
		struct errctx *e)
{
	const struct naming *n = ctx;
	bool hooks = folded_is(section, "core") && folded_is(key, "hookspath");
	bool config = (folded_is(section, "include") || folded_is(section, "includeif")) &&
		      folded_is(key, "path");
	auto_free char *path = NULL;
	int r;

	if ((!hooks && !config) || value.len == 0)
		return 0;
	if (view_chr(value, '\0'))
		return err_set(e, E_SYNTAX, "%s: a NUL in a path", n->file);
	r = full_path(n, value, hooks ? n->top : n->folder, &path, e);
	return r < 0 ? r
		     : protect_named(n, hooks ? "core.hooksPath" : "include.path", config, path, e);
}

static int read_file(const struct naming *n, int fd, struct errctx *e)
{
	auto_buf struct buf text = {0};
	unsigned line;
	int r;

	if (n->depth > MAX_INCLUDES)
		return err_set(e, E_TOOBIG, "%s: configurations include each other too deeply",
			       n->file);
	buf_init(&text, MAX_OPERATOR_FILE_BYTES);
	if (io_read_all(fd, &text, MAX_OPERATOR_FILE_BYTES) < 0)
		return err_set(e, E_TOOBIG,
			       "%s: can't be read, or too large for a configuration; use "
			       "--git-protect off",
			       n->file);
	r = git_config_each(buf_view(&text), take, (void *)(uintptr_t)n, &line, e);
	/* git reads nothing beyond such a line and refuses to work: nothing of it is executed. */
	return r == E_SYNTAX ? 0 : r;
}

int git_named_protect(struct launch *l, const struct object *git, const char *top, struct errctx *e)
{
	static const char *const files[] = {"config", "config.worktree"};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(files); i++) {
		struct errctx ignored = {0};
		auto_fd int fd = -1;
		char name[MAX_PATH_BYTES + 64];
		const struct naming n = {l, top, git->path, name, 0};

		(void)snprintf(name, sizeof(name), "%s/%s", git->path, files[i]);
		if (pathfd_open(git->fd, files[i], O_RDONLY | O_NONBLOCK, 0, LINKS_NONE, &fd,
				&ignored) == 0)
			r = read_file(&n, fd, e);
	}
	return r;
}
