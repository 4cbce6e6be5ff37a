/* SPDX-License-Identifier: MIT */
/*
 * The walk that finds what a run without a boundary did (file 22, section 13, without git).
 * System. Failure rule: a tree that can't be seen whole is an error, and the run is refused. Tests:
 * tests/unit/runner/t_exec_walk.c, tests/e2e/runner-unconfined.tap.
 */
#include "base/base.h"

#include "runner/exec_walk.h"

#include "base/limits.h"
#include "base/pathstr.h"
#include "runner/dirs.h"
#include "runner/ledger.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

static bool is_queue(const char *path)
{
	return strcmp(path, QUEUE_DIR) == 0;
}

/* Written by this runner while the command runs, by rename. */
static bool is_beat(const char *path)
{
	static const char *const own[] = {STATE_DIR "/" HEARTBEAT, STATE_DIR "/." HEARTBEAT ".new",
					  STATE_DIR "/" STATUS_FILE,
					  STATE_DIR "/." STATUS_FILE ".new"};

	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (strcmp(path, own[i]) == 0)
			return true;
	return false;
}

static int add(struct walk *w, const char *path, const struct stat *st, struct errctx *e)
{
	struct walk_entry *v = w->v;
	size_t len = strlen(path);

	if (w->n >= MAX_WALK_ENTRIES || w->bytes + len > MAX_WALK_NAME_BYTES)
		return err_set(e, E_TOOBIG,
			       "the project has more than %d files or %d bytes of names, too many "
			       "to see what a command without a boundary does",
			       MAX_WALK_ENTRIES, MAX_WALK_NAME_BYTES);
	if (w->n == w->cap) {
		size_t cap = w->cap ? w->cap * 2 : 256;

		v = reallocarray(w->v, cap, sizeof(*v));
		if (!v)
			return err_set(e, E_NOMEM, "no memory");
		w->v = v;
		w->cap = cap;
	}
	v[w->n] = (struct walk_entry){
		.path = strdup(path),
		.mode = st->st_mode,
		.dev = (uint64_t)st->st_dev,
		.ino = (uint64_t)st->st_ino,
		.size = (int64_t)st->st_size,
		.mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
		.ctime_ns = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec};
	if (!v[w->n].path)
		return err_set(e, E_NOMEM, "no memory");
	w->n++;
	w->bytes += len;
	return 0;
}

/* path: of this folder, "" for the root; has room for MAX_WALK_PATH bytes. */
static int walk_dir(struct walk *w, int parent_fd, const char *name, char *path, unsigned depth,
		    struct errctx *e)
{
	int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	size_t len = strlen(path);
	const struct dirent *entry;
	int rc = 0;

	if (!dir) {
		rc = err_sys(e, "folder %s", len ? path : ".");
		if (fd >= 0)
			(void)close(fd);
		return rc;
	}
	while (rc == 0 && (errno = 0, entry = readdir(dir))) {
		struct stat st;

		if (pathstr_is_dots(entry->d_name))
			continue;
		if (len + strlen(entry->d_name) + 2 > MAX_WALK_PATH || depth >= MAX_WALK_DEPTH) {
			rc = err_set(e, E_TOOBIG, "folder %.200s holds too long or deep a path",
				     path);
			break;
		}
		(void)snprintf(path + len, MAX_WALK_PATH - len, "%s%s", len ? "/" : "",
			       entry->d_name);
		if (is_beat(path)) {
			rc = 0;
		} else if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
			rc = errno == ENOENT ? 0 : err_sys(e, "%s", path);
		} else {
			rc = add(w, path, &st, e);
			if (rc == 0 && S_ISDIR(st.st_mode) && !is_queue(path))
				rc = walk_dir(w, dirfd(dir), entry->d_name, path, depth + 1, e);
		}
		path[len] = '\0';
	}
	if (rc == 0 && errno)
		rc = err_sys(e, "folder %s", len ? path : ".");
	(void)closedir(dir);
	return rc;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct walk_entry *)a)->path, ((const struct walk_entry *)b)->path);
}

int walk_take(int root_fd, struct walk *ret, struct errctx *e)
{
	auto_free char *path = calloc(1, MAX_WALK_PATH);
	struct walk w = {0};
	int rc = path ? walk_dir(&w, root_fd, ".", path, 0, e) : err_set(e, E_NOMEM, "no memory");

	if (rc != 0) {
		walk_release(&w);
		return rc;
	}
	if (w.n)
		qsort(w.v, w.n, sizeof(*w.v), by_path);
	*ret = w;
	return 0;
}

void walk_release(struct walk *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i].path);
	free(w->v);
	*w = (struct walk){0};
}

/* ---- comparison ---- */

static int report(struct overlay_changes *c, enum overlay_kind kind,
		  const struct walk_entry *before, const struct walk_entry *after, struct errctx *e)
{
	const struct overlay_change one = {.kind = kind,
					   .path = strdup(after ? after->path : before->path),
					   .mode = after ? after->mode : 0,
					   .mode_below = before ? before->mode : 0,
					   .size = after && S_ISREG(after->mode) ? after->size : 0};
	int rc = overlay_changes_add(c, &one);

	if (rc == E_TOOBIG)
		return err_set(e, rc, "more than %d changes", OVERLAY_MAX_CHANGES);
	return rc ? err_set(e, rc, "no memory") : 0;
}

/* 0: the same. A change time that moved is a change, whatever the rest says: programs can set
 * everything else back. */
static enum overlay_kind difference(const struct walk_entry *a, const struct walk_entry *b)
{
	bool same_object = a->dev == b->dev && a->ino == b->ino;

	if ((a->mode & S_IFMT) != (b->mode & S_IFMT))
		return OVERLAY_TYPE;
	if (S_ISDIR(a->mode))
		return !same_object ? OVERLAY_OPAQUE : a->mode != b->mode ? OVERLAY_MODE : 0;
	if (!same_object || a->size != b->size || a->mtime_ns != b->mtime_ns)
		return OVERLAY_CHANGED;
	return a->mode != b->mode || a->ctime_ns != b->ctime_ns ? OVERLAY_MODE : 0;
}

int walk_compare(const struct walk *before, const struct walk *after, struct overlay_changes *ret,
		 struct errctx *e)
{
	struct overlay_changes c = {0};
	size_t i = 0, k = 0;
	int rc = 0;

	while (rc == 0 && (i < before->n || k < after->n)) {
		const struct walk_entry *a = i < before->n ? &before->v[i] : NULL;
		const struct walk_entry *b = k < after->n ? &after->v[k] : NULL;
		int order = !a ? 1 : !b ? -1 : strcmp(a->path, b->path);
		enum overlay_kind kind;

		if (order < 0) {
			rc = report(&c, OVERLAY_DELETED, a, NULL, e);
			i++;
		} else if (order > 0) {
			rc = report(&c, OVERLAY_CREATED, NULL, b, e);
			k++;
		} else {
			kind = difference(a, b);
			if (kind)
				rc = report(&c, kind, a, b, e);
			i++;
			k++;
		}
	}
	if (rc != 0) {
		overlay_changes_release(&c);
		return rc;
	}
	*ret = c;
	return 0;
}

bool walk_tampered(const struct overlay_changes *c)
{
	static const char *const records[] = {STATE_DIR "/" LEDGER_NAME, STATE_DIR "/" LEDGER_HEAD,
					      STATE_DIR "/" DISPATCH_NAME};

	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < ARRAY_LEN(records); k++)
			if (strcmp(c->v[i].path, records[k]) == 0)
				return true;
	return false;
}
