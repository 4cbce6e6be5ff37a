/* SPDX-License-Identifier: MIT */
/*
 * What a command wrote, held against what it declared (file 00, D9). Undeclared is everything that
 * isn't a declared regular file or a folder made for one. Pure but for memory. Failure rule: what
 * isn't understood is undeclared, or can't land. Tests: tests/unit/runner/t_exec.c.
 */
#include "base/base.h"

#include "runner/exec_state.h"

#include "base/utf8.h"

static int by_rel(const void *key, const void *item)
{
	return strcmp(key, ((const struct expected *)item)->rel);
}

const struct expected *expected_find(const struct expected *v, size_t n, const char *path)
{
	return n ? bsearch(path, v, n, sizeof(*v), by_rel) : NULL;
}

/* A folder that a declared file lies in. */
static bool holds_declared(const struct expected *v, size_t n, const char *folder)
{
	size_t len = strlen(folder);

	for (size_t i = 0; i < n; i++)
		if (strncmp(v[i].rel, folder, len) == 0 && v[i].rel[len] == '/')
			return true;
	return false;
}

static const char *type_name(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "folder";
	case S_IFLNK:
		return "symbolic link";
	case S_IFIFO:
		return "FIFO";
	case S_IFSOCK:
		return "socket";
	case S_IFCHR:
	case S_IFBLK:
		return "device";
	default:
		return NULL;
	}
}

/* Offsets first, since the text moves while it grows. */
struct undeclared {
	struct exec_writes *w;
	size_t offset[MAX_UNDECLARED_LISTED + 1];
	size_t n;
};

static void add_text(struct undeclared *u, const char *path, const char *kind, const char *type)
{
	struct buf *b = &u->w->text;

	u->w->total_undeclared++;
	if (u->n >= MAX_UNDECLARED_LISTED || b->len > MAX_UNDECLARED_BYTES)
		return;
	u->offset[u->n++] = b->len;
	(void)utf8_print(b, view_of(path), 0);
	if (kind)
		(void)buf_printf(b, " (%s%s%s)", kind, type ? " " : "", type ? type : "");
	(void)buf_putc(b, '\0');
}

static void finish_text(struct undeclared *u)
{
	struct exec_writes *w = u->w;

	if (w->total_undeclared > u->n) {
		u->offset[u->n++] = w->text.len;
		(void)buf_printf(&w->text, "... and %zu more", w->total_undeclared - (u->n - 1));
		(void)buf_putc(&w->text, '\0');
	}
	w->undeclared = calloc(u->n + 1, sizeof(*w->undeclared));
	if (!w->undeclared || buf_error(&w->text)) {
		(void)err_set(&w->why, E_NOMEM, "no memory for the list of writes");
		return;
	}
	for (size_t i = 0; i < u->n; i++)
		w->undeclared[i] = view_of(w->text.data + u->offset[i]);
	w->n_undeclared = u->n;
}

static void cannot_land(struct exec_writes *w, const char *path, const char *what)
{
	if (!w->why.code)
		(void)err_set(&w->why, E_DENIED, "%s can't land: %s", path, what);
}

static void judge_declared(struct exec_writes *w, const struct expected *x,
			   const struct overlay_change *c)
{
	bool gone = c->kind == OVERLAY_DELETED;
	struct land_file *f;

	if (!gone && !S_ISREG(c->mode)) {
		cannot_land(w, c->path, "only regular files land");
		return;
	}
	if (!gone && c->mode & 07000) {
		cannot_land(w, c->path, "it has a set-id or sticky bit");
		return;
	}
	if (x->base.exists && (x->base.mode & S_IFMT) != S_IFREG) {
		cannot_land(w, c->path, "what is there is no regular file");
		return;
	}
	if (x->base.exists && x->base.nlink != 1) {
		cannot_land(w, c->path, "the file has more than one name");
		return;
	}
	if (gone && !x->base.exists)
		return; /* made and removed by somebody meanwhile: nothing of the command's */
	f = landing_add(&w->landing, c->path,
			gone		 ? LAND_DELETE
			: x->base.exists ? LAND_REPLACE
					 : LAND_CREATE);
	if (!f) {
		(void)err_set(&w->why, E_NOMEM, "no memory");
		return;
	}
	f->base = x->base;
	f->mode = gone ? 0 : c->mode & 0777;
}

void exec_judge(const struct expected *expected, size_t n, const struct overlay_changes *changes,
		const struct views *appeared, struct exec_writes *ret)
{
	struct undeclared u = {.w = ret};

	*ret = (struct exec_writes){0};
	buf_init(&ret->text, 2 * MAX_UNDECLARED_BYTES + 8 * MAX_PATH_BYTES);
	for (size_t i = 0; i < changes->n; i++) {
		const struct overlay_change *c = &changes->v[i];
		const struct expected *x = expected_find(expected, n, c->path);

		if (x)
			judge_declared(ret, x, c);
		else if (!(c->kind == OVERLAY_CREATED && S_ISDIR(c->mode) &&
			   holds_declared(expected, n, c->path)))
			add_text(&u, c->path, overlay_kind_name(c->kind),
				 type_name(c->kind == OVERLAY_DELETED ? c->mode_below : c->mode));
	}
	for (size_t i = 0; i < appeared->n; i++)
		add_text(&u, appeared->item[i].ptr, "appeared in a write root", NULL);
	finish_text(&u);
}

void exec_writes_release(struct exec_writes *w)
{
	free(w->undeclared);
	landing_release(&w->landing);
	buf_release(&w->text);
	*w = (struct exec_writes){0};
}
