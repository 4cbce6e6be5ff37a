/* SPDX-License-Identifier: MIT */
/* Opening, naming and sweeping what the boundary is made of. System. Covered by
 * tests/e2e/launcher-refusals.tap. */
#include "base/base.h"
#include "launcher/object.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/pathfd.h"
#include "base/pathstr.h"
#include "base/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

void object_release(struct object *o)
{
	free(o->path);
	if (o->fd >= 0)
		(void)close(o->fd);
	o->path = NULL;
	o->fd = -1;
}

void objects_release(struct objects *o)
{
	for (size_t i = 0; i < o->n; i++)
		object_release(&o->v[i]);
	free(o->v);
	*o = (struct objects){0};
}

int objects_add(struct objects *list, struct object *o, enum role role, const char *rule,
		struct errctx *e)
{
	if (list->n == list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 32;
		struct object *v = reallocarray(list->v, cap, sizeof(*v));

		if (!v) {
			object_release(o);
			return err_set(e, E_NOMEM, "no memory");
		}
		list->v = v;
		list->cap = cap;
	}
	o->role = role;
	o->rule = rule;
	list->v[list->n++] = *o;
	*o = (struct object){.fd = -1};
	return 0;
}

static int check_plain(const char *path, struct errctx *e)
{
	struct view v = view_of(path);

	if (v.len > MAX_PATH_BYTES)
		return err_set(e, E_TOOBIG, "a path is longer than %d bytes", MAX_PATH_BYTES);
	for (size_t i = 0; i < v.len; i++)
		if ((unsigned char)path[i] < 0x20 || path[i] == 0x7f)
			return err_set(e, E_RANGE,
				       "%s: a control character (a line feed?) in the path", path);
	if (!utf8_valid(v, NULL))
		return err_set(e, E_UTF8, "%s: the path isn't valid UTF-8", path);
	return 0;
}

/* Names an opened thing and opens that name again without links: both must be the same object, so
 * that a name in a mount destination can't lead elsewhere (GHSA-pxhw-h44j-8pfx). */
static int settle(int *fd, const char *asked, struct object *ret, struct errctx *e)
{
	auto_buf struct buf name;
	struct stat again;
	auto_fd int slash = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_fd int check = -1;
	int r;

	buf_init(&name, MAX_PATH_BYTES + 16);
	if (slash < 0 || fstat(*fd, &ret->st) < 0)
		return err_sys(e, "%s", asked);
	r = pathfd_name(*fd, &name, e);
	if (r < 0)
		return err_set(e, r == E_TOOBIG ? E_TOOBIG : E_CHANGED, "%s: has no usable name",
			       asked);
	r = check_plain(buf_text(&name), e);
	if (r < 0)
		return r;
	if (strcmp(buf_text(&name), "/") != 0) {
		r = pathfd_open(slash, buf_text(&name) + 1, O_PATH | O_NOFOLLOW, 0, LINKS_NONE,
				&check, e);
		if (r < 0 || fstat(check, &again) < 0 || again.st_dev != ret->st.st_dev ||
		    again.st_ino != ret->st.st_ino)
			return err_set(e, E_CHANGED, "%s: replaced while it was looked at", asked);
	}
	ret->path = buf_steal(&name);
	if (!ret->path)
		return err_set(e, E_NOMEM, "no memory");
	ret->fd = steal_fd(fd);
	return 0;
}

int object_open(const char *path, bool must_be_dir, struct object *ret, struct errctx *e)
{
	auto_fd int fd = -1;
	struct object o = {.fd = -1};
	int r = check_plain(path, e);

	if (r < 0)
		return r;
	fd = open(path, O_PATH | O_CLOEXEC | (must_be_dir ? O_DIRECTORY : 0));
	if (fd < 0)
		return err_sys(e, "%s", path);
	r = settle(&fd, path, &o, e);
	if (r == 0)
		*ret = o;
	return r;
}

/* Absolute, without trailing slash; "." and "//" folded, ".." refused below. */
static int make_absolute(const char *path, struct buf *out, struct errctx *e)
{
	char clean[MAX_PATH_BYTES + 1];

	if (pathstr_clean(view_of(path), clean, sizeof(clean)) < 0)
		return err_set(e, E_TOOBIG, "a path is longer than %d bytes", MAX_PATH_BYTES);
	if (clean[0] != '/') {
		auto_free char *cwd = getcwd(NULL, 0);

		if (!cwd || cwd[0] != '/')
			return err_set(e, E_NOENT, "the working folder has no name");
		(void)buf_puts(out, cwd);
		if (strcmp(clean, ".") != 0) {
			if (strcmp(cwd, "/") != 0)
				(void)buf_putc(out, '/');
			(void)buf_puts(out, clean);
		}
	} else {
		(void)buf_puts(out, clean);
	}
	return buf_error(out) ? err_set(e, buf_error(out), "path too long") : 0;
}

int object_open_exact(const char *path, struct object *ret, struct errctx *e)
{
	auto_buf struct buf abs;
	auto_fd int slash = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_fd int fd = -1;
	struct object o = {.fd = -1};
	struct stat st;
	int r;

	buf_init(&abs, MAX_PATH_BYTES + 1);
	r = check_plain(path, e);
	if (r == 0)
		r = make_absolute(path, &abs, e);
	if (r < 0)
		return r;
	if (slash < 0)
		return err_sys(e, "/");
	r = pathfd_open(slash, abs.len > 1 ? buf_text(&abs) + 1 : ".", O_PATH | O_NOFOLLOW, 0,
			LINKS_NONE, &fd, e);
	if (r < 0)
		return r;
	if (fstat(fd, &st) == 0 && S_ISLNK(st.st_mode))
		return err_set(e, E_LINK, "%s: is a symlink", path);
	r = settle(&fd, path, &o, e);
	if (r == 0 && strcmp(o.path, buf_text(&abs)) != 0) {
		r = err_set(e, E_LINK, "%s: leads over a symlink to %s", path, o.path);
		object_release(&o);
	}
	if (r == 0)
		*ret = o;
	return r;
}

int object_open_beneath(const struct object *root, const char *rel, struct object *ret,
			struct errctx *e)
{
	auto_fd int fd = -1;
	struct object o = {.fd = -1};
	struct stat st;
	int r = pathfd_open(root->fd, rel, O_PATH | O_NOFOLLOW, 0, LINKS_NONE, &fd, e);

	if (r < 0)
		return r;
	if (fstat(fd, &st) == 0 && S_ISLNK(st.st_mode))
		return err_set(e, E_LINK, "%s/%s: is a symlink", root->path, rel);
	r = settle(&fd, rel, &o, e);
	if (r == 0)
		*ret = o;
	return r;
}

struct sweep {
	int64_t deadline_ms;
	size_t entries;
};

static int sweep_dir(struct sweep *s, int dir_fd, const char *skip, const char *name,
		     unsigned depth, struct errctx *e)
{
	auto_fd int own = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = own >= 0 ? fdopendir(own) : NULL;
	struct dirent *entry;
	int r = 0;

	if (!d)
		return err_sys(e, "%s: can't be searched for hard links", name);
	own = -1; /* the stream owns it now */
	while (r == 0 && (errno = 0, entry = readdir(d))) {
		struct stat st;

		if (pathstr_is_dots(entry->d_name) || (skip && strcmp(entry->d_name, skip) == 0))
			continue;
		if (++s->entries > MAX_SWEEP_ENTRIES)
			r = err_set(e, E_TOOBIG,
				    "%s: more than %d entries to search for hard links", name,
				    MAX_SWEEP_ENTRIES);
		else if (s->entries % 256 == 0 && clock_mono_ms() > s->deadline_ms)
			r = err_set(e, E_TIMEOUT, "%s: searching for hard links took too long",
				    name);
		else if (fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			r = errno == ENOENT ? 0 : err_sys(e, "%s/%s", name, entry->d_name);
		else if (S_ISREG(st.st_mode) && st.st_nlink > 1)
			r = err_set(e, E_HARDLINK, "%s: %s below it has more than one hard link",
				    name, entry->d_name);
		else if (S_ISDIR(st.st_mode)) {
			auto_fd int sub = openat(dirfd(d), entry->d_name,
						 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			if (sub < 0)
				r = err_sys(e, "%s: %s can't be searched for hard links", name,
					    entry->d_name);
			else if (depth > 64)
				r = err_set(e, E_TOOBIG, "%s: nested too deeply", name);
			else
				r = sweep_dir(s, sub, NULL, name, depth + 1, e);
		}
	}
	(void)closedir(d);
	return r;
}

int object_check_links(const struct object *o, const char *skip, struct errctx *e)
{
	struct sweep s = {clock_mono_ms() + MAX_SWEEP_MS, 0};

	if (S_ISREG(o->st.st_mode) && o->st.st_nlink > 1)
		return err_set(e, E_HARDLINK,
			       "%s: has an extra hard link, through which it could be written",
			       o->path);
	if (object_is_dir(o))
		return sweep_dir(&s, o->fd, skip, o->path, 0, e);
	return 0;
}
