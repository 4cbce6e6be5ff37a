/* SPDX-License-Identifier: MIT */
/*
 * Git repositories under the roots (file 10, 18.7): hooks and configuration decide what runs when
 * the operator uses git outside. Found up to three levels deep; a ".git" file of a worktree or
 * submodule is protected itself and followed. System. Covered by tests/escape/git.tap.
 */
#include "base/base.h"
#include "launcher/launch.h"

#include "launcher/git_named.h"

#include "base/io.h"
#include "base/limits.h"
#include "base/pathfd.h"
#include "base/pathstr.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

enum { MAX_DEPTH = 3 };

struct scan {
	struct launch *l;
	struct strings *names; /* not NULL: only list what is found */
	size_t entries;
	struct errctx *e;
};

static bool beneath_a_root(const struct launch *l, const char *path)
{
	for (size_t i = 0; i < l->n_roots; i++)
		if (pathstr_beneath(view_of(path), view_of(l->objects.v[i].path)))
			return true;
	return false;
}

static int protect_row(struct launch *l, const struct object *git, const char *rel,
		       const struct git_row *row, struct errctx *e)
{
	struct object o = {.fd = -1};
	struct errctx mine = {0};
	bool wanted = row->level == GIT_LEVEL_HOOKS || l->opt->git == GIT_PROTECT_ON;
	int r = object_open_beneath(git, rel, &o, &mine);

	if (r == E_NOENT || r == E_NOTDIR)
		return 0;
	if (r == E_LINK) {
		/* core.hooksPath-like set-ups link the whole folder. Its target is protected if it
		 * is ours to protect; the link itself can't be covered. */
		return err_set(
			e, E_LINK,
			"%s/%s is a symlink, which a mount can't protect; use --git-protect off or "
			"replace it",
			git->path, rel);
	}
	if (r < 0)
		return r;
	if (!wanted) { /* then the audit compares it before and after */
		object_release(&o);
		return 0;
	}
	r = object_check_links(&o, NULL, e);
	if (r < 0) {
		object_release(&o);
		return r;
	}
	return objects_add(&l->objects, &o, ROLE_PROTECT, row->id, e);
}

/* "modules/STAR/rest": one row for each submodule's own git folder. */
static int protect_modules(struct launch *l, const struct object *git, const struct git_row *row,
			   struct errctx *e)
{
	auto_fd int fd = -1;
	struct errctx ignored = {0};
	const char *rest = strchr(row->path, '*') + 2;
	struct dirent *entry;
	DIR *d;
	int r = 0;

	if (pathfd_open(git->fd, "modules", O_RDONLY | O_DIRECTORY, 0, LINKS_NONE, &fd, &ignored) <
	    0)
		return 0;
	d = fdopendir(fd);
	if (!d)
		return err_sys(e, "%s/modules", git->path);
	fd = -1;
	while (r == 0 && (errno = 0, entry = readdir(d))) {
		char rel[MAX_NAME_BYTES + 64];

		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(rel, sizeof(rel), "modules/%s/%s", entry->d_name, rest);
		r = protect_row(l, git, rel, row, e);
	}
	if (r == 0 && errno != 0)
		r = err_sys(e, "%s/modules", git->path);
	(void)closedir(d);
	return r;
}

/* top: the working tree that the folder serves. */
static int protect_git_dir(struct launch *l, const struct object *git, const char *top,
			   struct errctx *e)
{
	size_t n;
	const struct git_row *rows = launch_git(&n);
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = strchr(rows[i].path, '*') ? protect_modules(l, git, &rows[i], e)
					      : protect_row(l, git, rows[i].path, &rows[i], e);
	return r < 0 ? r : git_named_protect(l, git, top, e);
}

/* First line of a small file, or false. */
static bool first_line(int dir_fd, const char *name, struct buf *out)
{
	auto_fd int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);

	if (fd < 0 || io_read_all(fd, out, MAX_PATH_BYTES + 63) < 0 || !out->data)
		return false;
	out->data[strcspn(out->data, "\r\n")] = '\0';
	return true;
}

/* Protects the git folder at dir/target if it lies in a root. *ret_found: it does. */
static int protect_elsewhere(struct launch *l, const char *dir, const char *target, const char *top,
			     bool *ret_found, struct object *ret, struct errctx *e)
{
	auto_free char *path = NULL;
	struct errctx ignored = {0};

	*ret_found = false;
	if (asprintf(&path, "%s%s%s", *target == '/' ? "" : dir, *target == '/' ? "" : "/",
		     target) < 0) {
		path = NULL;
		return err_set(e, E_NOMEM, "no memory");
	}
	if (object_open(path, true, ret, &ignored) < 0)
		return 0;
	if (!beneath_a_root(l, ret->path))
		return 0;
	*ret_found = true;
	return protect_git_dir(l, ret, top, e);
}

/* A ".git" file: "gitdir: PATH". The file is protected, and the folder it names if that lies in a
 * root, with the repository that this one shares (worktrees). Otherwise both are read-only like
 * everything else, and commits need the runner. */
static int follow_git_file(struct launch *l, struct object *file, const struct object *dir,
			   struct errctx *e)
{
	auto_buf struct buf text;
	auto_buf struct buf common;
	struct object git = {.fd = -1}, shared = {.fd = -1};
	bool found = false, found_shared = false;
	int r = object_check_links(file, NULL, e);

	buf_init(&text, MAX_PATH_BYTES + 64);
	buf_init(&common, MAX_PATH_BYTES + 64);
	if (r == 0 && first_line(dir->fd, ".git", &text) &&
	    strncmp(text.data, "gitdir: ", 8) == 0) {
		r = protect_elsewhere(l, dir->path, text.data + 8, dir->path, &found, &git, e);
		if (r == 0 && git.fd >= 0 && first_line(git.fd, "commondir", &common))
			r = protect_elsewhere(l, git.path, common.data, dir->path, &found_shared,
					      &shared, e);
		if (r == 0 && !found)
			r = strings_addf(&l->notes, e,
					 "note: %s/.git leads to a folder outside every writable "
					 "one: git can "
					 "read there, but a commit has to be made outside",
					 dir->path);
	}
	object_release(&git);
	object_release(&shared);
	return r < 0 ? r : objects_add(&l->objects, file, ROLE_PROTECT, "git file", e);
}

static int look_at(struct scan *s, const struct object *dir)
{
	struct object git = {.fd = -1};
	struct errctx mine = {0};
	int r = object_open_beneath(dir, ".git", &git, &mine);

	if (r == E_NOENT)
		return 0;
	if (s->names) {
		object_release(&git);
		return strings_addf(s->names, s->e, "%s/.git", dir->path);
	}
	if (r == E_LINK)
		return err_set(s->e, E_LINK,
			       "%s/.git is a symlink, which a mount can't protect; use "
			       "--git-protect off or replace it",
			       dir->path);
	if (r < 0)
		return err_set(s->e, r, "%s", mine.text);
	if (S_ISDIR(git.st.st_mode)) {
		r = protect_git_dir(s->l, &git, dir->path, s->e);
		object_release(&git);
	} else if (S_ISREG(git.st.st_mode)) {
		r = follow_git_file(s->l, &git, dir, s->e);
		object_release(&git);
	} else {
		object_release(&git);
	}
	return r;
}

static int scan_dir(struct scan *s, const struct object *dir, unsigned depth)
{
	auto_fd int fd = -1;
	struct errctx ignored = {0};
	struct dirent *entry;
	DIR *d;
	int r = look_at(s, dir);

	if (r < 0 || depth >= MAX_DEPTH)
		return r;
	if (pathfd_open(dir->fd, ".", O_RDONLY | O_DIRECTORY, 0, LINKS_NONE, &fd, &ignored) < 0)
		return 0; /* unreadable for us, and so for the command */
	d = fdopendir(fd);
	if (!d)
		return err_sys(s->e, "%s", dir->path);
	fd = -1;
	while (r == 0 && (errno = 0, entry = readdir(d))) {
		struct object sub = {.fd = -1};

		if (++s->entries > MAX_GIT_SCAN_ENTRIES) {
			r = err_set(s->e, E_TOOBIG,
				    "%s: more than %d entries to search for git repositories; use "
				    "--git-protect off",
				    dir->path, MAX_GIT_SCAN_ENTRIES);
			break;
		}
		if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)
			continue;
		if (pathstr_is_dots(entry->d_name) || strcmp(entry->d_name, ".git") == 0 ||
		    strcmp(entry->d_name, "node_modules") == 0)
			continue;
		/* A cheap look first: most folders hold no repository and needn't be named. */
		sub.fd = openat(dirfd(d), entry->d_name,
				O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub.fd < 0)
			continue;
		if (asprintf(&sub.path, "%s/%s", strcmp(dir->path, "/") == 0 ? "" : dir->path,
			     entry->d_name) < 0) {
			sub.path = NULL;
			r = err_set(s->e, E_NOMEM, "no memory");
		} else {
			r = scan_dir(s, &sub, depth + 1);
		}
		object_release(&sub);
	}
	(void)closedir(d);
	return r;
}

static int scan_roots(struct launch *l, struct strings *names, struct errctx *e)
{
	struct scan s = {l, names, 0, e};
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->n_roots; i++) {
		const struct object root = l->objects.v[i]; /* the list moves while it grows */
		bool overlay = root.role == ROLE_OVERLAY;

		/* Nothing that is written in an overlay reaches what lies below it: there is
		 * nothing to compare afterwards, and only its own repository, in which tools do run
		 * git, is worth a mount. So a command costs the same however large the project is.
		 */
		if (!overlay || !names)
			r = scan_dir(&s, &root, overlay ? MAX_DEPTH : 0);
	}
	return r;
}

int launch_collect_git(struct launch *l, struct errctx *e)
{
	return l->opt->git == GIT_PROTECT_OFF ? 0 : scan_roots(l, NULL, e);
}

int launch_list_git(struct launch *l, struct strings *names, struct errctx *e)
{
	return l->opt->git == GIT_PROTECT_OFF ? 0 : scan_roots(l, names, e);
}
