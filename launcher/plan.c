/* SPDX-License-Identifier: MIT */
/*
 * The mount list. Binds are dear (bubblewrap reads the whole mount table again after each), so a
 * path gets one only where something must be denied inside something allowed, or hidden: a
 * protected path below a read-only bind, or a mask below a private folder, needs none. Pure
 * (allocates). Covered by tests/unit/launcher/t_plan.c (properties) and the golden files.
 */
#include "base/base.h"
#include "launcher/plan.h"

#include "base/limits.h"
#include "base/pathstr.h"

enum { RUN_BYTES = 1 << 20, MODE_TMP = 01777, MODE_DIR = 0755, MODE_PRIVATE = 0700 };

void plan_release(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].dest);
	free(p->v);
	*p = (struct plan){0};
}

static int add(struct plan *p, struct plan_mount m, const char *dest, struct errctx *e)
{
	if (p->n >= MAX_LAUNCH_MOUNTS)
		return err_set(e, E_TOOBIG,
			       "the boundary would need more than %d mounts; name whole folders "
			       "instead of their files",
			       MAX_LAUNCH_MOUNTS);
	if (p->n == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 32;
		struct plan_mount *v = reallocarray(p->v, cap, sizeof(*v));

		if (!v)
			return err_set(e, E_NOMEM, "no memory");
		p->v = v;
		p->cap = cap;
	}
	m.dest = strdup(dest);
	if (!m.dest)
		return err_set(e, E_NOMEM, "no memory");
	p->v[p->n++] = m;
	return 0;
}

static bool beneath(const char *path, const char *top)
{
	return pathstr_beneath(view_of(path), view_of(top));
}

enum plan_view plan_look(const struct plan *p, size_t n, const char *path)
{
	enum plan_view view = VIEW_HOST_RO;

	for (size_t i = 0; i < n; i++) {
		const struct plan_mount *m = &p->v[i];

		if (!beneath(path, m->dest))
			continue;
		switch (m->kind) {
		case MOUNT_RO_ROOT:
		case MOUNT_RO_BIND:
			view = VIEW_HOST_RO;
			break;
		case MOUNT_BIND:
		case MOUNT_ANCESTOR:
			view = VIEW_HOST_RW;
			break;
		case MOUNT_MASK:
			view = VIEW_MASKED;
			break;
		case MOUNT_TMPFS:
		case MOUNT_DEV:
		case MOUNT_PROC:
		case MOUNT_DIR:
			view = VIEW_PRIVATE;
			break;
		}
	}
	return view;
}

static int add_base(const struct plan_in *in, struct plan *p, struct errctx *e)
{
	const struct {
		enum mount_kind kind;
		const char *dest;
		unsigned perms;
		uint64_t size;
	} base[] = {
		{MOUNT_RO_ROOT, "/", 0, 0},
		{MOUNT_TMPFS, "/tmp", MODE_TMP, in->tmp_bytes},
		{MOUNT_TMPFS, "/run", MODE_DIR, RUN_BYTES},
		{MOUNT_DIR, in->run_dir, MODE_PRIVATE, 0},
		{MOUNT_DEV, "/dev", 0, 0},
		{MOUNT_TMPFS, "/dev/shm", MODE_TMP, in->shm_bytes},
		{MOUNT_PROC, "/proc", 0, 0},
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(base); i++)
		r = add(p,
			(struct plan_mount){.kind = base[i].kind,
					    .item = PLAN_NO_ITEM,
					    .perms = base[i].perms,
					    .size = base[i].size},
			base[i].dest, e);
	return r;
}

static int add_home(const struct plan_in *in, struct plan *p, struct errctx *e)
{
	struct plan_mount m = {.item = PLAN_NO_ITEM, .perms = MODE_PRIVATE};

	if (!in->home || strcmp(in->home, "/") == 0)
		return 0;
	if (in->home_mode == HOME_PRIVATE) {
		m.kind = MOUNT_TMPFS;
		m.size = in->tmp_bytes;
		return add(p, m, in->home, e);
	}
	if (plan_look(p, p->n, in->home) == VIEW_PRIVATE) {
		/* A home below /tmp is hidden with it; the variable should still name a folder. */
		m.kind = MOUNT_DIR;
		return add(p, m, in->home, e);
	}
	return 0;
}

/* Items of one role as indices, sorted by length of the path or by its bytes. */
struct index {
	size_t *v;
	size_t n;
};

static const struct plan_item *sort_items; /* qsort has no argument; single-threaded */

static int by_bytes(const void *a, const void *b)
{
	return strcmp(sort_items[*(const size_t *)a].path, sort_items[*(const size_t *)b].path);
}

static int by_length(const void *a, const void *b)
{
	size_t la = strlen(sort_items[*(const size_t *)a].path);
	size_t lb = strlen(sort_items[*(const size_t *)b].path);

	if (la != lb)
		return la < lb ? -1 : 1;
	return by_bytes(a, b);
}

static int pick(const struct plan_in *in, enum role first, enum role last, bool short_first,
		struct index *ret, struct errctx *e)
{
	ret->n = 0;
	ret->v = calloc(in->n_items + 1, sizeof(*ret->v));
	if (!ret->v)
		return err_set(e, E_NOMEM, "no memory");
	for (size_t i = 0; i < in->n_items; i++)
		if (in->items[i].role >= first && in->items[i].role <= last)
			ret->v[ret->n++] = i;
	sort_items = in->items;
	qsort(ret->v, ret->n, sizeof(*ret->v), short_first ? by_length : by_bytes);

	/* One mount per path; the first of equals stays. */
	size_t kept = 0;

	for (size_t i = 0; i < ret->n; i++)
		if (kept == 0 ||
		    strcmp(in->items[ret->v[kept - 1]].path, in->items[ret->v[i]].path) != 0)
			ret->v[kept++] = ret->v[i];
	ret->n = kept;
	return 0;
}

static int add_items(const struct plan_in *in, const struct index *which, enum mount_kind kind,
		     struct plan *p, struct errctx *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < which->n; i++) {
		const struct plan_item *item = &in->items[which->v[i]];

		r = add(p,
			(struct plan_mount){
				.kind = kind, .item = which->v[i], .is_dir = item->is_dir},
			item->path, e);
	}
	return r;
}

static int check_roots(const struct plan_in *in, const struct index *roots, struct errctx *e)
{
	for (size_t i = 0; i < roots->n; i++) {
		const char *root = in->items[roots->v[i]].path;

		for (size_t k = 0; k < in->n_items; k++) {
			const struct plan_item *o = &in->items[k];

			if (o->role == ROLE_PROTECT && beneath(root, o->path))
				return err_set(e, E_DENIED,
					       "writable folder %s lies inside protected %s", root,
					       o->path);
			if (o->role == ROLE_MASK && beneath(root, o->path))
				return err_set(
					e, E_DENIED,
					"writable folder %s would be hidden by the mask on %s",
					root, o->path);
		}
	}
	return 0;
}

/* Keeps of the protected paths those that a writable mount shows: the others are read-only anyway.
 */
static int keep_needed(const struct plan_in *in, const struct plan *so_far,
		       const struct index *roots, struct index *protects, struct errctx *e)
{
	struct plan trial = {0};
	size_t kept = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < so_far->n; i++)
		r = add(&trial, so_far->v[i], so_far->v[i].dest, e);
	if (r == 0)
		r = add_items(in, roots, MOUNT_BIND, &trial, e);
	for (size_t i = 0; r == 0 && i < protects->n; i++) {
		const char *path = in->items[protects->v[i]].path;

		if (plan_look(&trial, trial.n, path) != VIEW_HOST_RW)
			continue;
		r = add(&trial, (struct plan_mount){.kind = MOUNT_RO_BIND}, path, e);
		protects->v[kept++] = protects->v[i];
	}
	protects->n = kept;
	plan_release(&trial);
	return r;
}

static bool has_dest(const struct plan *p, const char *dest)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->v[i].dest, dest) == 0)
			return true;
	return false;
}

static bool is_root(const struct plan_in *in, const struct index *roots, const char *path)
{
	for (size_t i = 0; i < roots->n; i++)
		if (strcmp(in->items[roots->v[i]].path, path) == 0)
			return true;
	return false;
}

static int by_dest(const void *a, const void *b)
{
	return strcmp(((const struct plan_mount *)a)->dest, ((const struct plan_mount *)b)->dest);
}

/* Shortest root that holds path strictly; NULL when none does. */
static const char *root_above(const struct plan_in *in, const struct index *roots, const char *path)
{
	const char *best = NULL;

	for (size_t i = 0; i < roots->n; i++) {
		const char *root = in->items[roots->v[i]].path;

		if (beneath(path, root) && strcmp(path, root) != 0 &&
		    (!best || strlen(root) < strlen(best)))
			best = root;
	}
	return best;
}

/* Every folder strictly between a root and a protected path becomes a mount point of its own, so
 * that it can't be renamed away. */
static int find_ancestors(const struct plan_in *in, const struct index *roots,
			  const struct index *protects, struct plan *ret, struct errctx *e)
{
	for (size_t i = 0; i < protects->n; i++) {
		const char *path = in->items[protects->v[i]].path;
		const char *root = root_above(in, roots, path);
		auto_free char *cut = strdup(path);
		char *slash;

		if (!cut)
			return err_set(e, E_NOMEM, "no memory");
		while (root && (slash = strrchr(cut, '/')) && slash > cut) {
			*slash = '\0';
			if (strlen(cut) <= strlen(root))
				break;
			if (has_dest(ret, cut) || is_root(in, roots, cut))
				continue;

			int r = add(ret,
				    (struct plan_mount){.kind = MOUNT_ANCESTOR,
							.item = PLAN_NO_ITEM,
							.is_dir = true},
				    cut, e);

			if (r < 0)
				return r;
		}
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_dest);
	return 0;
}

/* Roots shortest first, each after the ancestors that lie above it (a later bind of a parent would
 * show the host's tree again and hide it); then the other ancestors, top-down. */
static int add_roots(const struct plan_in *in, const struct index *roots,
		     const struct plan *ancestors, struct plan *p, struct errctx *e)
{
	for (size_t i = 0; i <= roots->n; i++) {
		const char *root = i < roots->n ? in->items[roots->v[i]].path : NULL;
		int r = 0;

		for (size_t k = 0; r == 0 && k < ancestors->n; k++) {
			const struct plan_mount *a = &ancestors->v[k];

			if ((!root || (beneath(root, a->dest))) && !has_dest(p, a->dest))
				r = add(p, *a, a->dest, e);
		}
		if (r == 0 && root)
			r = add(p,
				(struct plan_mount){
					.kind = MOUNT_BIND, .item = roots->v[i], .is_dir = true},
				root, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_masks(const struct plan_in *in, const struct index *masks, struct plan *p,
		     struct errctx *e)
{
	for (size_t i = 0; i < masks->n; i++) {
		const struct plan_item *item = &in->items[masks->v[i]];
		enum plan_view view = plan_look(p, p->n, item->path);

		if (view == VIEW_PRIVATE || view == VIEW_MASKED)
			continue; /* not there to be seen */

		int r = add(p,
			    (struct plan_mount){.kind = MOUNT_MASK,
						.item = masks->v[i],
						.is_dir = item->is_dir},
			    item->path, e);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Read-only binds of protected paths can be made when all else stands, for a fraction of what
 * bubblewrap takes, which reads the whole mount table twice for each. Not where another mount lies
 * below, which this one would cover, or above and later, which would have covered it. */
static void choose_late(const struct plan_in *in, struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; in->late_from > 0 && i < p->n; i++) {
		struct plan_mount *m = &p->v[i];

		m->late = m->kind == MOUNT_RO_BIND && in->items[m->item].role == ROLE_PROTECT;
		for (size_t k = 0; m->late && k < p->n; k++)
			m->late = k == i || (!beneath(p->v[k].dest, m->dest) &&
					     (k < i || !beneath(m->dest, p->v[k].dest)));
		n += m->late;
	}
	p->n_late = n;
	if (n < in->late_from)
		plan_forget_late(p);
}

void plan_forget_late(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		p->v[i].late = false;
	p->n_late = 0;
}

int plan_build(const struct plan_in *in, struct plan *ret, struct errctx *e)
{
	struct plan p = {0}, ancestors = {0};
	struct index roots = {0}, reads = {0}, runs = {0}, protects = {0}, masks = {0};
	int r = pick(in, ROLE_OVERLAY, ROLE_ROOT, true, &roots, e);

	if (r == 0)
		r = pick(in, ROLE_HOME_READ, ROLE_HOME_READ, true, &reads, e);
	if (r == 0)
		r = pick(in, ROLE_RUN, ROLE_RUN, false, &runs, e);
	if (r == 0)
		r = pick(in, ROLE_PROTECT, ROLE_PROTECT, false, &protects, e);
	if (r == 0)
		r = pick(in, ROLE_MASK, ROLE_MASK, false, &masks, e);
	if (r == 0)
		r = check_roots(in, &roots, e);
	if (r == 0)
		r = add_base(in, &p, e);
	if (r == 0)
		r = add_items(in, &runs, MOUNT_RO_BIND, &p, e);
	if (r == 0)
		r = add_home(in, &p, e);
	if (r == 0)
		r = add_items(in, &reads, MOUNT_RO_BIND, &p, e);
	if (r == 0)
		r = keep_needed(in, &p, &roots, &protects, e);
	if (r == 0)
		r = find_ancestors(in, &roots, &protects, &ancestors, e);
	if (r == 0)
		r = add_roots(in, &roots, &ancestors, &p, e);
	if (r == 0)
		r = add_items(in, &protects, MOUNT_RO_BIND, &p, e);
	if (r == 0)
		r = add_masks(in, &masks, &p, e);
	free(roots.v);
	free(reads.v);
	free(runs.v);
	free(protects.v);
	free(masks.v);
	plan_release(&ancestors);
	if (r < 0) {
		plan_release(&p);
	} else {
		choose_late(in, &p);
		*ret = p;
	}
	return r;
}
