/* SPDX-License-Identifier: MIT */
/*
 * The difference that an upper layer stands for (file 00, D9). Overlayfs without redirects leaves:
 * a character device 0/0 (or an empty file with an attribute) for something deleted, an attribute
 * for a folder that hides the one below, and whole copies of everything that was opened for
 * writing, so equal copies are told from changed ones by their bytes. Never follows a link. System.
 * Covered by tests/unit/launcher/t_overlay.c.
 */
#include "base/base.h"
#include "launcher/overlay.h"

#include "base/limits.h"
#include "base/pathstr.h"
#include "base/utf8.h"
#include "base/hex.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

enum { COMPARE_BYTES = 65536 };

struct walk {
	struct overlay_changes *out;
	struct errctx *e;
};

const char *overlay_kind_name(enum overlay_kind k)
{
	static const char *const names[] = {"none", "created", "changed", "deleted",
					    "type", "mode",    "opaque",  "renamed"};

	return k >= OVERLAY_CREATED && k <= OVERLAY_RENAMED ? names[k] : names[0];
}

void overlay_changes_release(struct overlay_changes *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].path);
		free(c->v[i].from);
		free(c->v[i].target);
	}
	free(c->v);
	*c = (struct overlay_changes){0};
}

static int append(struct overlay_changes *c, const struct overlay_change *one)
{
	if (!one->path)
		return E_NOMEM;
	if (c->n >= OVERLAY_MAX_CHANGES)
		return E_TOOBIG;
	if (c->n == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 64;
		struct overlay_change *v = reallocarray(c->v, cap, sizeof(*v));

		if (!v)
			return E_NOMEM;
		c->v = v;
		c->cap = cap;
	}
	c->v[c->n++] = *one;
	return 0;
}

int overlay_changes_add(struct overlay_changes *c, const struct overlay_change *one)
{
	int rc = append(c, one);

	if (rc != 0) {
		free(one->path);
		free(one->from);
		free(one->target);
	}
	return rc;
}

static int add(struct walk *w, enum overlay_kind kind, const char *path, const struct stat *above,
	       const struct stat *below, char *target)
{
	struct overlay_change c = {.kind = kind,
				   .path = strdup(path),
				   .mode = above ? above->st_mode : 0,
				   .mode_below = below ? below->st_mode : 0,
				   .size = above && S_ISREG(above->st_mode) ? above->st_size : 0,
				   .target = target};
	int rc = overlay_changes_add(w->out, &c);

	if (rc == E_TOOBIG)
		return err_set(w->e, rc, "overlay: more than %d changes", OVERLAY_MAX_CHANGES);
	return rc ? err_set(w->e, rc, "no memory") : 0;
}

/* 1: the mark stands there, of whatever length; 0: it doesn't; negative: nobody can say, and a list
 * that guesses would miss what an opaque folder hides. */
static int has_mark(int fd, const char *name, const char *path, struct errctx *e)
{
	if (fgetxattr(fd, name, NULL, 0) >= 0)
		return 1;
	return errno == ENODATA || errno == ENOTSUP ? 0 : err_sys(e, "overlay: %s: %s", path, name);
}

/* The same answers. */
static int is_whiteout(int dir_fd, const char *name, const struct stat *st, const char *path,
		       struct errctx *e)
{
	if (S_ISCHR(st->st_mode))
		return st->st_rdev == makedev(0, 0);
	if (S_ISREG(st->st_mode) && st->st_size == 0) {
		auto_fd int fd =
			openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

		/* The kernel's own can be opened; this one the command made unreadable. */
		return fd >= 0 ? has_mark(fd, "user.overlay.whiteout", path, e) : 0;
	}
	return 0;
}

/* 1 same bytes, 0 different, negative error. */
static int same_bytes(int dir_a, const char *a, int dir_b, const char *b, struct errctx *e)
{
	auto_fd int fa = openat(dir_a, a, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	auto_fd int fb = openat(dir_b, b, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	static char x[COMPARE_BYTES], y[COMPARE_BYTES];

	if (fa < 0 || fb < 0)
		return errno == EACCES
			       ? 0
			       : err_sys(e, "overlay: %s", a); /* unreadable: call it changed */
	for (;;) {
		ssize_t n = read(fa, x, sizeof(x)), m = 0;

		if (n < 0)
			return err_sys(e, "overlay: %s", a);
		while (m < n || n == 0) {
			ssize_t k = read(fb, y + m, n == 0 ? 1 : (size_t)(n - m));

			if (k < 0)
				return err_sys(e, "overlay: %s", b);
			if (n == 0)
				return k == 0;
			if (k == 0)
				return 0;
			m += k;
		}
		if (memcmp(x, y, (size_t)n) != 0)
			return 0;
	}
}

static char *read_link(int dir_fd, const char *name, struct errctx *e)
{
	char target[MAX_PATH_BYTES + 1];
	ssize_t n = readlinkat(dir_fd, name, target, sizeof(target) - 1);

	if (n < 0) {
		(void)err_sys(e, "overlay: %s", name);
		return NULL;
	}
	target[n] = '\0';
	return strdup(target);
}

static int join(const char *dir, const char *name, char **ret, struct errctx *e)
{
	if (asprintf(ret, "%s%s%s", dir, *dir ? "/" : "", name) < 0) {
		*ret = NULL;
		return err_set(e, E_NOMEM, "no memory");
	}
	return 0;
}

static int walk_dir(struct walk *w, int upper, int lower, const char *path, unsigned depth,
		    bool hides);

/* Everything that an opaque folder or a changed type hides: one line each, so that a reader of the
 * list knows what would be gone. shown: the upper folder that stands in front (-1: none). */
static int list_hidden(struct walk *w, int lower, int shown, const char *path, unsigned depth)
{
	int copy = openat(lower, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;
	int r = 0;

	if (!d)
		return err_sys(w->e, "overlay: %s", path);
	while (r == 0 && (errno = 0, entry = readdir(d))) {
		struct stat below, above;
		auto_free char *sub = NULL;

		if (pathstr_is_dots(entry->d_name))
			continue;
		if (shown >= 0 && fstatat(shown, entry->d_name, &above, AT_SYMLINK_NOFOLLOW) == 0)
			continue; /* the walk compares the two */
		r = join(path, entry->d_name, &sub, w->e);
		if (r == 0 && fstatat(dirfd(d), entry->d_name, &below, AT_SYMLINK_NOFOLLOW) < 0)
			r = err_sys(w->e, "overlay: %s", sub);
		if (r == 0)
			r = add(w, OVERLAY_DELETED, sub, NULL, &below, NULL);
	}
	if (r == 0 && errno != 0)
		r = err_sys(w->e, "overlay: %s", path);
	(void)closedir(d);
	(void)depth;
	return r;
}

static bool same_attributes(const struct stat *a, const struct stat *b)
{
	return (a->st_mode & 07777) == (b->st_mode & 07777) && a->st_uid == b->st_uid &&
	       a->st_gid == b->st_gid;
}

static int walk_folder(struct walk *w, int upper, int lower, const char *name, const char *path,
		       const struct stat *above, const struct stat *below, unsigned depth)
{
	auto_fd int up = openat(upper, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	auto_fd int low = -1;
	int opaque, r = 0;

	if (up < 0)
		return err_sys(w->e, "overlay: %s", path);
	r = has_mark(up, "user.overlay.redirect", path, w->e);
	if (r == 0)
		r = has_mark(up, "trusted.overlay.redirect", path, w->e);
	if (r > 0)
		return err_set(w->e, E_UNSUPPORTED, "overlay: %s is a redirected folder", path);
	opaque = r < 0 ? r : has_mark(up, "user.overlay.opaque", path, w->e);
	if (opaque < 0)
		return opaque;
	if (below && S_ISDIR(below->st_mode))
		low = openat(lower, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (!below)
		r = add(w, OVERLAY_CREATED, path, above, NULL, NULL);
	else if (!S_ISDIR(below->st_mode))
		r = add(w, OVERLAY_TYPE, path, above, below, NULL);
	else if (low < 0)
		return err_sys(w->e, "overlay: %s", path);
	else if (opaque)
		r = add(w, OVERLAY_OPAQUE, path, above, below, NULL);
	else if (!same_attributes(above, below))
		r = add(w, OVERLAY_MODE, path, above, below, NULL);
	else
		w->out->touched++;
	if (r == 0 && opaque && low >= 0)
		r = list_hidden(w, low, up, path, depth);
	return r < 0 ? r : walk_dir(w, up, low, path, depth + 1, opaque);
}

static int compare_file(struct walk *w, int upper, int lower, const char *name, const char *path,
			const struct stat *above, const struct stat *below)
{
	int same;

	if (above->st_size != below->st_size)
		return add(w, OVERLAY_CHANGED, path, above, below, NULL);
	same = same_bytes(upper, name, lower, name, w->e);
	if (same < 0)
		return same;
	if (!same)
		return add(w, OVERLAY_CHANGED, path, above, below, NULL);
	if (!same_attributes(above, below))
		return add(w, OVERLAY_MODE, path, above, below, NULL);
	w->out->touched++;
	return 0;
}

static int walk_entry(struct walk *w, int upper, int lower, const char *name, const char *dir,
		      unsigned depth)
{
	struct stat above, lower_st;
	const struct stat *below = NULL;
	auto_free char *path = NULL;
	char *target = NULL;
	int r = join(dir, name, &path, w->e);

	if (r < 0)
		return r;
	if (fstatat(upper, name, &above, AT_SYMLINK_NOFOLLOW) < 0)
		return err_set(w->e, E_CHANGED, "overlay: %s went away while it was read", path);
	if (lower >= 0 && fstatat(lower, name, &lower_st, AT_SYMLINK_NOFOLLOW) == 0)
		below = &lower_st;
	r = is_whiteout(upper, name, &above, path, w->e);
	if (r < 0)
		return r;
	if (r > 0)
		return below ? add(w, OVERLAY_DELETED, path, NULL, below, NULL) : 0;
	if (S_ISDIR(above.st_mode))
		return walk_folder(w, upper, lower, name, path, &above, below, depth);
	if (S_ISLNK(above.st_mode)) {
		target = read_link(upper, name, w->e);
		if (!target)
			return E_SYS;
	}
	if (!below)
		return add(w, OVERLAY_CREATED, path, &above, NULL, target);
	if ((above.st_mode & S_IFMT) != (below->st_mode & S_IFMT))
		return add(w, OVERLAY_TYPE, path, &above, below, target);
	if (S_ISREG(above.st_mode))
		return compare_file(w, upper, lower, name, path, &above, below);
	if (S_ISLNK(above.st_mode)) {
		auto_free char *old = read_link(lower, name, w->e);
		bool same = old && strcmp(old, target) == 0;

		if (!same)
			return add(w, OVERLAY_CHANGED, path, &above, below, target);
		free(target);
		w->out->touched++;
		return 0;
	}
	return add(w, OVERLAY_CHANGED, path, &above, below, NULL);
}

static int walk_dir(struct walk *w, int upper, int lower, const char *path, unsigned depth,
		    bool hides)
{
	int copy = openat(upper, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;
	int r = 0;

	(void)hides;
	if (!d)
		return err_sys(w->e, "overlay: %s", path);
	if (depth > OVERLAY_MAX_DEPTH) {
		(void)closedir(d);
		return err_set(w->e, E_TOOBIG, "overlay: nested deeper than %d", OVERLAY_MAX_DEPTH);
	}
	while (r == 0 && (errno = 0, entry = readdir(d)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = walk_entry(w, dirfd(d), lower, entry->d_name, path, depth);
	if (r == 0 && errno != 0)
		r = err_sys(w->e, "overlay: %s", path);
	(void)closedir(d);
	return r;
}

static int by_path(const void *a, const void *b)
{
	const struct overlay_change *x = a, *y = b;
	int c = strcmp(x->path, y->path);

	return c ? c : (int)x->kind - (int)y->kind;
}

/* A created file with the bytes of a deleted one is the same file under another name. Only files of
 * one size are compared; empty ones mean nothing. The size is the command's choice, so all
 * comparisons together have a limit: beyond it a rename is shown as what it consists of. */
static int find_renames(struct walk *w, int project, int upper)
{
	struct overlay_changes *c = w->out;
	int64_t left = OVERLAY_RENAME_BYTES;

	for (size_t i = 0; i < c->n; i++) {
		struct overlay_change *made = &c->v[i];

		if (made->kind != OVERLAY_CREATED || !S_ISREG(made->mode) || made->size == 0)
			continue;
		for (size_t k = 0; k < c->n; k++) {
			const struct overlay_change *gone = &c->v[k];
			struct stat st;
			int same;

			if (gone->kind != OVERLAY_DELETED || !S_ISREG(gone->mode_below) ||
			    fstatat(project, gone->path, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
			    st.st_size != made->size)
				continue;
			left -= made->size > COMPARE_BYTES ? made->size : COMPARE_BYTES;
			if (left < 0)
				return 0;
			same = same_bytes(upper, made->path, project, gone->path, w->e);
			if (same < 0)
				return same;
			if (same) {
				made->kind = OVERLAY_RENAMED;
				made->from = strdup(gone->path);
				if (!made->from)
					return err_set(w->e, E_NOMEM, "no memory");
				break;
			}
		}
	}
	return 0;
}

int overlay_list(int project_fd, int upper_fd, struct overlay_changes *ret, struct errctx *e)
{
	struct overlay_changes out = {0};
	struct walk w = {&out, e};
	int r = walk_dir(&w, upper_fd, project_fd, "", 0, false);

	if (r == 0 && out.n < 2000) /* quadratic; a list that long isn't read by a person */
		r = find_renames(&w, project_fd, upper_fd);
	if (r < 0) {
		overlay_changes_release(&out);
		return r;
	}
	if (out.n)
		qsort(out.v, out.n, sizeof(*out.v), by_path);
	*ret = out;
	return 0;
}

static void put_bytes(struct jsonw *w, const char *key, const char *bytes)
{
	auto_buf struct buf printed;
	struct view v = view_of(bytes);

	buf_init(&printed, 16 * MAX_PATH_BYTES);
	if (utf8_valid(v, NULL)) {
		jsonw_kv_str(w, key, v);
		return;
	}
	(void)utf8_print(&printed, v, 0);
	jsonw_kv_str(w, key, buf_view(&printed));

	auto_free char *hex = malloc(2 * v.len + 1);
	char name[32];

	if (!hex) {
		w->out->error = E_NOMEM;
		return;
	}
	hex_encode(hex, v.ptr, v.len);
	(void)snprintf(name, sizeof(name), "%s_hex", key);
	jsonw_kv_cstr(w, name, hex);
}

void overlay_changes_emit(struct jsonw *w, const struct overlay_changes *c)
{
	jsonw_obj(w);
	jsonw_key(w, "changes");
	jsonw_arr(w);
	for (size_t i = 0; i < c->n; i++) {
		const struct overlay_change *x = &c->v[i];

		jsonw_obj(w);
		jsonw_kv_cstr(w, "kind", overlay_kind_name(x->kind));
		put_bytes(w, "path", x->path);
		if (x->from)
			put_bytes(w, "from", x->from);
		if (x->target)
			put_bytes(w, "target", x->target);
		jsonw_kv_int(w, "mode", (int64_t)x->mode);
		jsonw_kv_int(w, "mode_below", (int64_t)x->mode_below);
		jsonw_kv_int(w, "size", x->size);
		jsonw_obj_end(w);
	}
	jsonw_arr_end(w);
	jsonw_kv_int(w, "touched", (int64_t)c->touched);
	jsonw_obj_end(w);
}
