/* SPDX-License-Identifier: MIT */
/*
 * What a guest must not read (file 10, sections 4 and 18.7) and which sockets it must not reach
 * (18.8). Only things that exist are hidden. System. Covered by tests/escape/files.tap and
 * sockets.tap.
 */
#include "base/base.h"
#include "launcher/launch.h"

#include "base/limits.h"
#include "base/pathfd.h"
#include "base/pathstr.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>

static int add_mask(struct launch *l, struct object *o, const char *rule, struct errctx *e)
{
	for (size_t i = 0; i < l->objects.n; i++)
		if (l->objects.v[i].role == ROLE_MASK && object_same(&l->objects.v[i], o)) {
			object_release(o); /* two names lead to it; one mask hides it under both */
			return 0;
		}
	return objects_add(&l->objects, o, ROLE_MASK, rule, e);
}

static bool is_revealed(const struct launch *l, const char *path)
{
	for (size_t i = 0; i < l->opt->reveal.n; i++) {
		struct object o = {.fd = -1};
		struct errctx ignored = {0};
		bool same = object_open(l->opt->reveal.v[i], false, &o, &ignored) == 0 &&
			    strcmp(o.path, path) == 0;

		object_release(&o);
		if (same)
			return true;
	}
	return false;
}

static int mask_path(struct launch *l, const char *path, const struct mask_row *row,
		     struct errctx *e)
{
	struct object o = {.fd = -1};
	struct errctx mine = {0};
	int r = object_open(path, false, &o, &mine);

	if (r == E_NOENT || r == E_NOTDIR || (r == E_SYS && mine.sys_errno == EACCES))
		return 0; /* not there, or out of the user's reach anyway */
	if (r < 0)
		return err_set(e, r, "%s", mine.text);
	if (row->set == MASK_EXTENDED && is_revealed(l, o.path)) {
		object_release(&o);
		return 0;
	}
	if (S_ISREG(o.st.st_mode) && o.st.st_nlink > 1) {
		r = strings_addf(&l->notes, e,
				 "note: %s has another hard link, under which it can still be read",
				 o.path);
		if (r < 0) {
			object_release(&o);
			return r;
		}
	}
	return add_mask(l, &o, row->id, e);
}

/* '*' stands for any bytes, none included. */
static bool fits(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	size_t n = star ? (size_t)(star - pattern) : 0;

	if (!star)
		return strcmp(pattern, name) == 0;
	if (strncmp(pattern, name, n) != 0)
		return false;
	for (name += n;; name++) {
		if (fits(star + 1, name))
			return true;
		if (!*name)
			return false;
	}
}

/* "dir/PATTERN": every name in dir that fits. */
static int mask_pattern(struct launch *l, const char *home, const struct mask_row *row,
			struct errctx *e)
{
	char dir[MAX_PATH_BYTES + 1];
	const char *slash = strrchr(row->path, '/');
	struct dirent *entry;
	DIR *d;
	int r = 0;

	if ((size_t)snprintf(dir, sizeof(dir), "%s/%.*s", home,
			     slash ? (int)(slash - row->path) : 0, row->path) >= sizeof(dir))
		return err_set(e, E_TOOBIG, "the home folder's path is too long");
	d = opendir(dir);
	/* One that can't be listed may still be passed by who knows a name in it. */
	if (!d)
		return errno == ENOENT || errno == ENOTDIR ||
				       (errno == EACCES && access(dir, X_OK) < 0)
			       ? 0
			       : err_sys(e, "%s", dir);
	while (r == 0 && (errno = 0, entry = readdir(d))) {
		auto_free char *path = NULL;

		if (entry->d_name[0] == '.' || !fits(slash ? slash + 1 : row->path, entry->d_name))
			continue;
		if (asprintf(&path, "%s/%s", dir, entry->d_name) < 0) {
			path = NULL;
			r = err_set(e, E_NOMEM, "no memory");
		} else {
			r = mask_path(l, path, row, e);
		}
	}
	if (r == 0 && errno != 0)
		r = err_sys(e, "%s", dir);
	(void)closedir(d);
	return r;
}

static int mask_home(struct launch *l, const char *home, struct errctx *e)
{
	size_t n;
	const struct mask_row *rows = launch_masks(&n);
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		auto_free char *path = NULL;

		if (strchr(rows[i].path, '*')) {
			r = mask_pattern(l, home, &rows[i], e);
			continue;
		}
		if (asprintf(&path, "%s/%s", home, rows[i].path) < 0) {
			path = NULL;
			return err_set(e, E_NOMEM, "no memory");
		}
		r = mask_path(l, path, &rows[i], e);
	}
	return r;
}

static int mask_named(struct launch *l, struct errctx *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->opt->exclude.n; i++) {
		struct object o = {.fd = -1};
		const char *path = l->opt->exclude.v[i];

		r = object_open(path, false, &o, e);
		if (r == E_NOENT && strpbrk(path, "*?["))
			return err_set(
				e, E_USAGE,
				"--exclude: %s: patterns aren't expanded; name the files, or the "
				"folder that holds them",
				path);
		if (r == E_NOENT || r == E_NOTDIR) {
			r = strings_addf(&l->notes, e,
					 "note: --exclude %s: not there, nothing to hide", path);
			continue;
		}
		if (r == 0 && S_ISREG(o.st.st_mode) && o.st.st_nlink > 1) {
			r = err_set(e, E_HARDLINK,
				    "--exclude: %s has an extra hard link, under which it could be "
				    "read",
				    o.path);
			object_release(&o);
		}
		if (r == 0)
			r = add_mask(l, &o, "--exclude", e);
	}
	return r;
}

static int collect_home_read(struct launch *l, struct errctx *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < l->opt->home_read.n; i++) {
		struct object o = {.fd = -1};
		const char *path = l->opt->home_read.v[i];

		r = object_open(path, false, &o, e);
		if (r == E_NOENT || r == E_NOTDIR) {
			r = strings_addf(&l->notes, e, "note: --home-read %s: not there", path);
			continue;
		}
		if (r == 0)
			r = objects_add(&l->objects, &o, ROLE_HOME_READ, "--home-read", e);
	}
	return r;
}

static int collect_run(struct launch *l, struct errctx *e)
{
	size_t n;
	const struct run_row *rows = launch_run_paths(&n);
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		struct object o = {.fd = -1};
		struct errctx ignored = {0};

		if (rows[i].host_only && l->opt->egress != EGRESS_HOST)
			continue;
		if (object_open(rows[i].path, false, &o, &ignored) < 0)
			continue;
		if (!pathstr_beneath(view_of(o.path), VIEW("/run"))) {
			object_release(&o); /* a link into the store: visible anyway */
			continue;
		}
		r = objects_add(&l->objects, &o, ROLE_RUN, rows[i].id, e);
	}
	return r;
}

int launch_collect_masks(struct launch *l, struct errctx *e)
{
	const struct passwd *pw = getpwuid(l->uid);
	struct object other = {.fd = -1};
	struct errctx ignored = {0};
	int r = l->home ? mask_home(l, l->home, e) : 0;

	/* The user's real home too: a HOME that says otherwise must not uncover it. */
	if (r == 0 && pw && pw->pw_dir && pw->pw_dir[0] == '/' &&
	    object_open(pw->pw_dir, true, &other, &ignored) == 0) {
		if (strcmp(other.path, "/") != 0 && (!l->home || strcmp(other.path, l->home) != 0))
			r = mask_home(l, other.path, e);
		object_release(&other);
	}
	if (r == 0)
		r = mask_named(l, e);
	if (r == 0)
		r = collect_home_read(l, e);
	if (r == 0)
		r = collect_run(l, e);
	return r;
}

static const char socket_rule[] = "socket";

/* A line of the kernel's list: seven columns, then the path for a named socket. */
static const char *socket_path(char *line)
{
	for (int column = 0; column < 7; column++) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	line += strspn(line, " ");
	line[strcspn(line, "\n")] = '\0';
	return *line == '/' ? line : NULL;
}

int launch_collect_sockets(struct launch *l, struct errctx *e)
{
	FILE *f = NULL;
	char *line = NULL;
	size_t size = 0;
	int r = 0;

	if (l->opt->sockets != SOCKETS_PRIVATE)
		return 0;
	f = fopen("/proc/net/unix", "re");
	if (!f)
		return strings_add(&l->notes,
				   "note: the kernel's list of sockets can't be read; sockets on "
				   "visible paths stay reachable (use --unix-sockets none)",
				   e);
	while (r == 0 && getline(&line, &size, f) > 0) {
		const char *path = socket_path(line);
		struct object o = {.fd = -1};
		struct errctx ignored = {0};

		if (!path || pathstr_beneath(view_of(path), VIEW("/run")) ||
		    pathstr_beneath(view_of(path), VIEW("/tmp")) ||
		    pathstr_beneath(view_of(path), VIEW("/var/run")))
			continue;
		if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0 ||
		    object_open(path, false, &o, &ignored) < 0)
			continue;
		if (!S_ISSOCK(o.st.st_mode)) {
			object_release(&o);
			continue;
		}
		r = add_mask(l, &o, socket_rule, e);
	}
	free(line);
	(void)fclose(f);
	return r;
}

bool launch_sockets_moved(const struct launch *l)
{
	for (size_t i = 0; i < l->objects.n; i++) {
		const struct object *o = &l->objects.v[i];
		struct stat st;

		if (o->rule == socket_rule &&
		    (lstat(o->path, &st) < 0 || st.st_dev != o->st.st_dev ||
		     st.st_ino != o->st.st_ino))
			return true;
	}
	return false;
}
