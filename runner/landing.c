/* SPDX-License-Identifier: MIT */
/*
 * The acts behind the landing journal: copies beside their destinations, exchanges, and the way
 * back. System. Failure rule: every destination holds its old bytes, or all of them hold the new
 * ones; what can't be turned back is left as it is and told. Tests: tests/unit/runner/t_journal.c,
 * tests/fault/runner-landing.tap.
 */
#include "base/base.h"

#include "runner/journal.h"

#include "base/atomicfile.h"
#include "base/fault.h"
#include "base/io.h"
#include "base/pathfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif
#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

enum { COPY_BYTES = 65536 };

/* The folder of the file that is looked at; files come sorted, so it rarely changes. */
struct place {
	const struct dirs *d;
	const struct landing *l;
	int fd; /* -1: none */
	bool changed;
	char rel[MAX_PATH_BYTES + 1];
	const char *name; /* last component of the file */
	char temp[64];
};

static void split(const char *path, char *parent, const char **name)
{
	const char *slash = strrchr(path, '/');

	*name = slash ? slash + 1 : path;
	if (slash)
		(void)snprintf(parent, MAX_PATH_BYTES + 1, "%.*s", (int)(slash - path), path);
	else
		(void)snprintf(parent, MAX_PATH_BYTES + 1, ".");
}

static int leave(struct place *p, struct errctx *e)
{
	int rc = 0;

	if (p->fd >= 0 && p->changed && (fault_point("land-sync") || fsync(p->fd) != 0))
		rc = err_sys(e, "folder %s can't be made durable", p->rel);
	cleanup_fd(&p->fd);
	p->changed = false;
	return rc;
}

/* The kernel's name for the folder must be the one that the rules were applied to. */
static int check_name(const struct place *p, struct errctx *e)
{
	auto_buf struct buf have;
	int rc;

	buf_init(&have, MAX_PATH_BYTES);
	rc = pathfd_name_beneath(p->d->root_fd, p->fd, &have, e);
	if (rc == E_UNSUPPORTED)
		return 0;
	if (rc != 0 || strcmp(have.len ? buf_text(&have) : ".", p->rel) != 0)
		return err_set(e, E_CHANGED, "folder %s is not where its name says", p->rel);
	return 0;
}

/* Goes to the folder of file i. E_NOENT: it doesn't exist. */
static int go(struct place *p, size_t i, struct errctx *e)
{
	char parent[MAX_PATH_BYTES + 1];
	int rc;

	split(p->l->file[i].path, parent, &p->name);
	(void)snprintf(p->temp, sizeof(p->temp), ".%s.%zu.tmp", p->l->request, i);
	if (p->fd >= 0 && strcmp(parent, p->rel) == 0)
		return 0;
	rc = leave(p, e);
	if (rc != 0)
		return rc;
	(void)snprintf(p->rel, sizeof(p->rel), "%s", parent);
	rc = pathfd_open_dir(p->d->root_fd, parent, &p->fd, e);
	return rc ? rc : check_name(p, e);
}

static int look(const struct place *p, const char *name, struct land_base *ret, mode_t *ret_type,
		struct errctx *e)
{
	struct stat st;

	*ret = (struct land_base){0};
	*ret_type = 0;
	if (fstatat(p->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", p->l->file[0].path);
	land_base_of(&st, ret);
	*ret_type = st.st_mode & S_IFMT;
	return 0;
}

/* ---- staging ---- */

static int add_folder(struct landing *l, const char *path, size_t n, struct errctx *e)
{
	char **v;

	for (size_t i = 0; i < l->n_folders; i++)
		if (strlen(l->folder[i]) == n && memcmp(l->folder[i], path, n) == 0)
			return 0;
	v = reallocarray(l->folder, l->n_folders + 1, sizeof(*v));
	if (!v)
		return err_set(e, E_NOMEM, "no memory");
	l->folder = v;
	v[l->n_folders] = strndup(path, n);
	if (!v[l->n_folders])
		return err_set(e, E_NOMEM, "no memory");
	l->n_folders++;
	return 0;
}

/* Folders that are missing now: the way back removes them again. */
static int list_folders(const struct dirs *d, struct landing *l, struct errctx *e)
{
	int rc = 0;

	for (size_t i = 0; i < l->n && rc == 0; i++) {
		const char *path = l->file[i].path;

		if (l->file[i].op != LAND_CREATE)
			continue;
		for (const char *s = strchr(path, '/'); s && rc == 0; s = strchr(s + 1, '/')) {
			char prefix[MAX_PATH_BYTES + 1];
			auto_fd int fd = -1;
			struct errctx why = {0};

			(void)snprintf(prefix, sizeof(prefix), "%.*s", (int)(s - path), path);
			rc = pathfd_open_dir(d->root_fd, prefix, &fd, &why);
			if (rc == E_NOENT)
				rc = add_folder(l, prefix, strlen(prefix), e);
			else if (rc != 0)
				rc = err_set(e, rc, "%s: %s", path, why.text);
		}
	}
	return rc;
}

static int make_folders(const struct dirs *d, const struct landing *l, mode_t mask,
			struct errctx *e)
{
	int rc = 0;

	for (size_t i = 0; i < l->n_folders && rc == 0; i++) {
		auto_fd int fd = -1;

		rc = pathfd_make_dirs(d->root_fd, l->folder[i], 0777 & ~mask, &fd, e);
	}
	return rc;
}

static int copy_bytes(int from, int to, struct land_file *f, struct errctx *e)
{
	static char bytes[COPY_BYTES];
	struct sha256 h;
	uint8_t sum[SHA256_BYTES];

	sha256_init(&h);
	for (;;) {
		ssize_t n = io_retry(read(from, bytes, sizeof(bytes)));

		if (n < 0)
			return err_sys(e, "%s can't be read", f->path);
		if (n == 0)
			break;
		sha256_update(&h, bytes, (size_t)n);
		if (fault_point("land-write") || io_write_all(to, bytes, (size_t)n) != 0)
			return err_sys(e, "%s can't be written", f->path);
	}
	sha256_final(&h, sum);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		(void)snprintf(f->sha256 + 2 * i, 3, "%02x", sum[i]);
	return 0;
}

static int stage_one(struct place *p, int upper_fd, struct land_file *f, struct errctx *e)
{
	auto_fd int from = -1;
	auto_fd int to = -1;
	struct stat st;
	int rc = pathfd_open(upper_fd, f->path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0, LINKS_NONE,
			     &from, e);

	if (rc != 0)
		return rc;
	if (fstat(from, &st) != 0 || !S_ISREG(st.st_mode))
		return err_set(e, E_NOTREG, "%s is no regular file", f->path);
	if (fault_point("land-temp"))
		return err_sys(e, "%s", f->path);
	to = openat(p->fd, p->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0)
		return err_sys(e, "a file beside %s can't be made", f->path);
	p->changed = true;
	rc = copy_bytes(from, to, f, e);
	if (rc == 0 && f->base.exists && f->base.uid != geteuid() &&
	    fchown(to, (uid_t)f->base.uid, (gid_t)-1) != 0)
		rc = err_sys(e, "the owner of %s can't be kept", f->path);
	if (rc == 0 && (fchmod(to, (mode_t)f->mode) != 0 || fsync(to) != 0 || fstat(to, &st) != 0))
		rc = err_sys(e, "%s can't be made durable", f->path);
	if (rc == 0)
		f->fresh = (uint64_t)st.st_ino;
	return rc;
}

static int stage_all(const struct dirs *d, int upper_fd, struct landing *l, struct errctx *e)
{
	struct place p = {.d = d, .l = l, .fd = -1};
	int rc = 0;

	for (size_t i = 0; i < l->n && rc == 0; i++) {
		if (l->file[i].op == LAND_DELETE)
			continue;
		rc = go(&p, i, e);
		if (rc == 0)
			rc = stage_one(&p, upper_fd, &l->file[i], e);
	}
	if (rc == 0)
		return leave(&p, e);
	ignored(leave(&p, NULL));
	return rc;
}

int landing_stage(const struct dirs *d, int upper_fd, struct landing *l, mode_t mask,
		  struct errctx *e)
{
	int rc = list_folders(d, l, e);

	if (rc != 0)
		return rc;
	rc = fault_point("land-journal") ? err_sys(e, "journal") : journal_write(d, l, e);
	if (rc == 0)
		rc = make_folders(d, l, mask, e);
	if (rc == 0)
		rc = stage_all(d, upper_fd, l, e);
	if (rc == 0) {
		l->commit = true;
		rc = fault_point("land-decide") ? err_sys(e, "journal") : journal_write(d, l, e);
	}
	if (rc != 0) {
		l->commit = false;
		ignored(landing_undo(d, l, NULL));
	}
	return rc;
}

/* ---- commit and the way back ---- */

static int rename_as(const struct place *p, const char *from, const char *to, unsigned flags)
{
	return (int)syscall(SYS_renameat2, p->fd, from, p->fd, to, flags);
}

enum step_state {
	STEP_PENDING = 1,
	STEP_DONE,
	STEP_FOREIGN, /* neither what was there nor what we put there */
};

/* What stands at destination and temporary name says how far this file is. */
static int step_of(struct place *p, const struct land_file *f, bool strict, enum step_state *ret,
		   struct errctx *e)
{
	struct land_base target, temp;
	mode_t type, temp_type;
	int rc = look(p, p->name, &target, &type, e);
	bool is_base;

	if (rc == 0)
		rc = look(p, p->temp, &temp, &temp_type, e);
	if (rc != 0)
		return rc;
	is_base = land_base_same(&target, &f->base, strict);
	if (f->op == LAND_DELETE) {
		bool aside = temp.exists && temp.ino == f->base.ino;

		*ret = aside && !target.exists ? STEP_DONE
		       : !aside && is_base     ? STEP_PENDING
					       : STEP_FOREIGN;
		return 0;
	}
	if (target.exists && type == S_IFREG && target.ino == f->fresh)
		*ret = STEP_DONE;
	else
		*ret = is_base && temp.exists && temp.ino == f->fresh ? STEP_PENDING : STEP_FOREIGN;
	return 0;
}

static int step(struct place *p, const struct land_file *f, struct errctx *e)
{
	struct land_base old;
	mode_t type;
	int rc;

	if (fault_point("land-exchange"))
		return err_sys(e, "%s", f->path);
	if (f->op == LAND_CREATE)
		rc = rename_as(p, p->temp, p->name, RENAME_NOREPLACE);
	else if (f->op == LAND_DELETE)
		rc = rename_as(p, p->name, p->temp, RENAME_NOREPLACE);
	else
		rc = rename_as(p, p->temp, p->name, RENAME_EXCHANGE);
	if (rc != 0 && (errno == EEXIST || errno == ENOENT))
		return err_set(e, E_CHANGED, "%s changed while the command ran", f->path);
	if (rc != 0)
		return err_sys(e, "%s can't be put in place", f->path);
	p->changed = true;
	if (f->op == LAND_CREATE)
		return 0;
	/* Whoever came between the look and the rename is found in what was moved aside. */
	rc = look(p, p->temp, &old, &type, e);
	if (rc == 0 && !land_base_same(&old, &f->base, false))
		rc = err_set(e, E_CHANGED, "%s changed while the command ran", f->path);
	return rc;
}

int landing_commit(const struct dirs *d, struct landing *l, struct errctx *e)
{
	struct place p = {.d = d, .l = l, .fd = -1};
	int rc = 0;

	for (size_t i = 0; i < l->n && rc == 0; i++) {
		const struct land_file *f = &l->file[i];
		enum step_state state = STEP_FOREIGN;

		rc = go(&p, i, e);
		if (rc == 0)
			rc = step_of(&p, f, true, &state, e);
		if (rc == 0 && state == STEP_FOREIGN)
			rc = err_set(e, E_CHANGED, "%s changed while the command ran", f->path);
		if (rc == 0 && state == STEP_PENDING)
			rc = step(&p, f, e);
	}
	if (rc == 0)
		rc = leave(&p, e);
	else
		ignored(leave(&p, NULL));
	if (rc != 0) {
		struct errctx back = {0};

		if (landing_undo(d, l, &back) != 0)
			return err_set(e, E_SYS, "%s; and not everything could be turned back: %s",
				       e ? e->text : "?", back.text);
	}
	return rc;
}

/* Back to what was there. A file that is neither the old nor the new one is left alone. */
static int unstep(struct place *p, const struct land_file *f, struct errctx *e)
{
	struct land_base target, temp;
	mode_t type, temp_type;
	int rc = look(p, p->name, &target, &type, e);

	if (rc == 0)
		rc = look(p, p->temp, &temp, &temp_type, e);
	if (rc != 0)
		return rc;
	if (f->op == LAND_DELETE) {
		/* Whatever was moved aside had this name; it goes back there. */
		if (!temp.exists)
			return 0;
		rc = rename_as(p, p->temp, p->name, RENAME_NOREPLACE);
		return rc ? err_sys(e, "%s can't be put back", f->path) : 0;
	}
	if (f->fresh && target.exists && target.ino == f->fresh && temp.exists &&
	    temp.ino != f->fresh && rename_as(p, p->temp, p->name, RENAME_EXCHANGE) != 0)
		return err_sys(e, "%s can't be put back", f->path);
	if (f->op == LAND_CREATE && f->fresh && target.exists && target.ino == f->fresh)
		return unlinkat(p->fd, p->name, 0) == 0
			       ? 0
			       : err_sys(e, "%s can't be removed", f->path);
	if (unlinkat(p->fd, p->temp, 0) != 0 && errno != ENOENT)
		return err_sys(e, "a file beside %s can't be removed", f->path);
	return 0;
}

static void remove_folder(const struct dirs *d, const char *path)
{
	char parent[MAX_PATH_BYTES + 1];
	const char *name;
	auto_fd int fd = -1;

	split(path, parent, &name);
	/* One that isn't empty belongs to somebody else by now. */
	if (pathfd_open_dir(d->root_fd, parent, &fd, NULL) == 0)
		(void)unlinkat(fd, name, AT_REMOVEDIR);
}

int landing_undo(const struct dirs *d, struct landing *l, struct errctx *e)
{
	struct place p = {.d = d, .l = l, .fd = -1};
	int rc = 0;

	for (size_t i = l->n; i-- > 0;) {
		struct errctx why = {0};
		int one = go(&p, i, &why);

		if (one == E_NOENT || one == E_NOTDIR || one == E_LINK || one == E_CHANGED) {
			cleanup_fd(&p.fd);
			continue; /* the folder is gone: there is nothing of ours to turn back */
		}
		if (one == 0)
			one = unstep(&p, &l->file[i], &why);
		p.changed = true;
		if (one != 0 && rc == 0)
			rc = err_set(e, one, "%s", why.text);
	}
	ignored(leave(&p, NULL));
	for (size_t i = l->n_folders; i-- > 0;)
		remove_folder(d, l->folder[i]);
	if (rc == 0) {
		rc = atomicfile_remove(d->fd[FOLDER_STATE], JOURNAL_NAME, e);
		if (rc == E_NOENT)
			rc = 0;
	}
	return rc;
}

int landing_finish(const struct dirs *d, struct landing *l, struct errctx *e)
{
	struct place p = {.d = d, .l = l, .fd = -1};

	for (size_t i = 0; i < l->n; i++) {
		struct errctx why = {0};

		if (fault_point("land-clean"))
			return err_sys(e, "landing");
		if (go(&p, i, &why) == 0)
			(void)unlinkat(p.fd, p.temp, 0);
	}
	ignored(leave(&p, NULL));
	return fault_point("land-done") ? err_sys(e, "journal")
					: atomicfile_remove(d->fd[FOLDER_STATE], JOURNAL_NAME, e);
}
