/* SPDX-License-Identifier: MIT */
/*
 * Writable folders (file 10, section 3, steps 3 and 8 to 11, and 18.4 step 3). Each is opened once,
 * following links, and from then on stands under its canonical name. System.
 */
#include "base/base.h"
#include "launcher/launch.h"

#include "launcher/after.h"

#include "base/custody.h"
#include "base/limits.h"
#include "base/pathfd.h"
#include "base/pathstr.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>

static bool beneath(const char *path, const char *top)
{
	return pathstr_beneath(view_of(path), view_of(top));
}

/* Creates a missing --writable with its parents, one component at a time. */
static int make_dirs(const char *path, struct errctx *e)
{
	auto_free char *copy = strdup(path);

	if (!copy)
		return err_set(e, E_NOMEM, "no memory");
	for (char *p = copy + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(copy, 0777) < 0 && errno != EEXIST)
			return err_sys(e, "--writable: can't create %s", copy);
		*p = '/';
	}
	if (mkdir(copy, 0777) < 0 && errno != EEXIST)
		return err_sys(e, "--writable: can't create %s", copy);
	return 0;
}

static int add_root(struct launch *l, const char *option, const char *path, enum role role,
		    struct errctx *e)
{
	struct object o = {.fd = -1};
	int r = object_open(path, true, &o, e);

	if (r == E_NOENT)
		return err_set(e, E_NOENT,
			       "%s: %s does not exist (fail-closed: it is never created)", option,
			       path);
	if (r == E_NOTDIR)
		return err_set(e, E_NOTDIR, "%s: %s is no directory", option, path);
	if (r < 0)
		return r;
	for (size_t i = 0; i < l->objects.n; i++)
		if (object_same(&l->objects.v[i], &o)) {
			object_release(&o); /* named twice */
			return 0;
		}
	return objects_add(&l->objects, &o, role, option, e);
}

static int add_writable(struct launch *l, const char *path, struct errctx *e)
{
	struct errctx ignored = {0};
	struct object o = {.fd = -1};
	int r = object_open(path, true, &o, &ignored);

	object_release(&o);
	if (r == E_NOENT) {
		if (l->opt->mode != MODE_RUN)
			return strings_addf(&l->notes, e,
					    "--writable: %s is missing and would be created", path);
		r = make_dirs(path, e);
		if (r < 0)
			return r;
	}
	return add_root(l, "--writable", path, ROLE_ROOT, e);
}

static int find_home(struct launch *l, struct errctx *e)
{
	auto_buf struct buf b;
	struct object o = {.fd = -1};
	struct errctx ignored = {0};
	int r;

	buf_init(&b, MAX_PATH_BYTES + 1);
	r = custody_home(&b, e);
	if (r < 0)
		return err_set(e, E_MISSING,
			       "no home folder: HOME isn't set and the user has none");
	if (object_open(buf_text(&b), true, &o, &ignored) < 0)
		return 0; /* it doesn't exist: nothing to hide in it */
	l->home = steal_ptr(&o.path);
	object_release(&o);
	return 0;
}

/* What must never be inside a writable folder, and why. */
static int check_holds(const struct object *root, const char *path, const char *what,
		       struct errctx *e)
{
	if (path && beneath(path, root->path))
		return err_set(e, E_DENIED, "%s: %s holds %s (%s)", root->rule, root->path, what,
			       path);
	return 0;
}

static int check_root(const struct launch *l, const struct object *root, const char *operators,
		      const char *state, const char *self, struct errctx *e)
{
	int r;

	if (strcmp(root->path, "/") == 0)
		return err_set(e, E_DENIED, "%s: the whole file system can't be writable",
			       root->rule);
	for (size_t i = 0; i < 3; i++) {
		static const char *const own[] = {"/proc", "/dev", "/sys"};

		if (beneath(root->path, own[i]) || beneath(own[i], root->path))
			return err_set(e, E_DENIED, "%s: %s can't be writable", root->rule,
				       root->path);
	}
	if (l->home && strcmp(l->home, root->path) == 0)
		return err_set(e, E_DENIED, "%s: the home folder %s can't be writable", root->rule,
			       root->path);
	r = check_holds(root, l->home, "the home folder", e);
	/* Keys, whom and what the operator trusts, added rules: each decides about sessions. */
	if (r == 0 && operators)
		r = check_holds(root, operators, "the operator's files", e);
	if (r == 0 && operators && beneath(root->path, operators))
		r = err_set(e, E_DENIED, "%s: %s lies among the operator's files", root->rule,
			    root->path);
	if (r == 0 && state)
		r = check_holds(root, state, "what earlier runs left to confirm", e);
	if (r == 0 && state && beneath(root->path, state))
		r = err_set(e, E_DENIED, "%s: %s is this launcher's own", root->rule, root->path);
	if (r == 0)
		r = check_holds(root, self, "this launcher", e);
	if (r == 0)
		r = check_holds(root, BWRAP_PATH, "bubblewrap", e);
	return r;
}

static int check_roots(struct launch *l, struct errctx *e)
{
	auto_free char *operators = NULL;
	auto_free char *state = NULL;
	char self[MAX_PATH_BYTES + 1];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int r = 0;

	self[n > 0 ? n : 0] = '\0';
	if (l->home && asprintf(&operators, "%s/.config/agentteams", l->home) < 0) {
		operators = NULL;
		return err_set(e, E_NOMEM, "no memory");
	}
	if (l->home && asprintf(&state, "%s/%s", l->home, audit_state_dir) < 0) {
		state = NULL;
		return err_set(e, E_NOMEM, "no memory");
	}
	for (size_t i = 0; r == 0 && i < l->objects.n; i++)
		r = check_root(l, &l->objects.v[i], operators, state, n > 0 ? self : NULL, e);
	return r;
}

/* The upper folder must be somewhere that the command can't write and that isn't below the project,
 * where it would show its own writes. */
static int open_upper(struct launch *l, struct errctx *e)
{
	int r;

	if (!l->opt->overlay_upper)
		return 0;
	r = object_open(l->opt->overlay_upper, true, &l->upper, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < l->objects.n; i++)
		if (beneath(l->upper.path, l->objects.v[i].path) ||
		    beneath(l->objects.v[i].path, l->upper.path))
			return err_set(e, E_DENIED, "--overlay-upper: %s and %s overlap",
				       l->upper.path, l->objects.v[i].path);
	return 0;
}

static int set_cwd(struct launch *l, struct errctx *e)
{
	/* The first root: scratch, or else the overlay. A current folder inside it is kept. */
	auto_free char *here = getcwd(NULL, 0);
	const char *top = l->objects.v[0].path;

	l->cwd = strdup(!l->opt->scratch && here && here[0] == '/' && beneath(here, top) ? here
											 : top);
	return l->cwd ? 0 : err_set(e, E_NOMEM, "no memory");
}

/* The project of --read-only is no root: nothing in it can be written, so nothing in it needs a
 * guard. But it shows what it holds, hence the same places are refused. */
static int open_view(struct launch *l, struct errctx *e)
{
	struct object s = {.fd = -1};
	const char *scratch = l->opt->scratch ? l->opt->scratch : l->opt->read_only;
	const char *path;
	int r = add_root(l, "--read-only", l->opt->read_only, ROLE_HOME_READ, e);

	if (r == 0 && l->objects.n == l->n_roots)
		return err_set(e, E_DENIED, "--read-only: %s is a writable folder, too",
			       l->opt->read_only);
	if (r < 0)
		return r;
	path = l->objects.v[l->n_roots].path;
	for (size_t i = 0; i < l->n_roots; i++)
		if (beneath(path, l->objects.v[i].path))
			return err_set(e, E_DENIED,
				       "--read-only: %s lies in the writable folder %s", path,
				       l->objects.v[i].path);
	r = object_open(scratch, true, &s, e);
	if (r == 0 && !beneath(s.path, path))
		r = err_set(e, E_USAGE, "--scratch: %s lies outside --read-only %s", s.path, path);
	if (r == 0) {
		l->cwd = strdup(s.path);
		r = l->cwd ? 0 : err_set(e, E_NOMEM, "no memory");
	}
	object_release(&s);
	return r;
}

int launch_open_roots(struct launch *l, struct errctx *e)
{
	const struct options *o = l->opt;
	int r = find_home(l, e);

	if (r == 0 && o->overlay)
		r = add_root(l, "--overlay", o->overlay, ROLE_OVERLAY, e);
	if (r == 0 && !o->read_only && (o->scratch || !o->overlay)) {
		const char *scratch = o->scratch ? o->scratch : ".";
		struct object s = {.fd = -1};

		r = object_open(scratch, true, &s, e);
		if (r == E_NOENT)
			r = err_set(e, E_NOENT, "--scratch: %s does not exist", scratch);
		else if (r == E_NOTDIR)
			r = err_set(e, E_NOTDIR, "--scratch: %s is no directory", scratch);
		/* Inside an overlay, a scratch folder is only where the command starts. */
		if (r == 0 && o->overlay && beneath(s.path, l->objects.v[0].path)) {
			l->cwd = strdup(s.path);
			object_release(&s);
			r = l->cwd ? 0 : err_set(e, E_NOMEM, "no memory");
		} else if (r == 0) {
			r = objects_add(&l->objects, &s, ROLE_ROOT, "--scratch", e);
		}
	}
	for (size_t i = 0; r == 0 && i < o->coord_root.n; i++)
		r = add_root(l, "--coord-root", o->coord_root.v[i], ROLE_ROOT, e);
	for (size_t i = 0; r == 0 && i < o->writable.n; i++)
		r = add_writable(l, o->writable.v[i], e);
	l->n_roots = l->objects.n;
	if (r == 0 && o->read_only)
		r = open_view(l, e);
	if (r == 0)
		r = check_roots(l, e);
	if (r == 0)
		r = open_upper(l, e);
	if (r == 0 && !l->cwd)
		r = set_cwd(l, e);
	return r;
}
