/* SPDX-License-Identifier: MIT */
/*
 * Effects on the project. System. Failure rule: whatever fails, the destination holds the old bytes
 * or the new ones, and the caller is told which. Tests: tests/unit/runner/t_land.c,
 * tests/fault/runner-kill.tap.
 */
#include "base/base.h"

#include "runner/land.h"

#include "base/atomicfile.h"
#include "base/buf.h"
#include "base/fault.h"
#include "base/pathfd.h"
#include "base/pathstr.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

static void split(const char *rel, char *parent, char *name)
{
	const char *slash = strrchr(rel, '/');

	(void)snprintf(name, MAX_NAME_BYTES + 1, "%s", slash ? slash + 1 : rel);
	if (slash)
		(void)snprintf(parent, MAX_PATH_BYTES + 1, "%.*s", (int)(slash - rel), rel);
	else
		(void)snprintf(parent, MAX_PATH_BYTES + 1, ".");
}

/* The kernel's own name for the parent must be the one that the rules were applied to; a bind mount
 * or a folder that ignores case shows here. */
static int check_name(const struct target *t, struct errctx *e)
{
	auto_buf struct buf have;
	char parent[MAX_PATH_BYTES + 1], name[MAX_NAME_BYTES + 1];
	int rc;

	split(t->rel, parent, name);
	buf_init(&have, MAX_PATH_BYTES);
	rc = pathfd_name_beneath(t->root_fd, t->parent_fd, &have, e);
	if (rc == E_UNSUPPORTED)
		return 0; /* no /proc: the walk without links has to do */
	if (rc != 0)
		return err_set(e, E_CHANGED, "the folder of %s is not where its name says", t->rel);
	if (strcmp(have.len ? buf_text(&have) : ".", parent) != 0)
		return err_set(e, E_CHANGED, "the folder of %s has another name: %s", t->rel,
			       buf_text(&have));
	return 0;
}

static int hash_file(struct target *t, int fd, struct errctx *e)
{
	auto_buf struct buf text;
	struct stat after;
	size_t bad;

	buf_init(&text, MAX_BASE_FILE_BYTES + 1);
	if (t->st.st_size > MAX_BASE_FILE_BYTES)
		return err_set(e, E_TOOBIG, "%s has more than %d bytes", t->rel,
			       MAX_BASE_FILE_BYTES);
	for (;;) {
		char *room = buf_reserve(&text, 65536);
		ssize_t n = room ? read(fd, room, 65536) : -1;

		if (!room)
			return err_set(e, E_TOOBIG, "%s has more than %d bytes", t->rel,
				       MAX_BASE_FILE_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "%s can't be read", t->rel);
		if (n == 0)
			break;
		buf_added(&text, (size_t)n);
	}
	if (fstat(fd, &after) != 0 || after.st_size != (off_t)text.len ||
	    after.st_ctim.tv_sec != t->st.st_ctim.tv_sec ||
	    after.st_ctim.tv_nsec != t->st.st_ctim.tv_nsec)
		return err_set(e, E_CHANGED, "%s changed while it was read", t->rel);
	if (!utf8_valid(buf_view(&text), &bad))
		return err_set(e, E_UTF8, "%s is no UTF-8 text; only text is replaced or deleted",
			       t->rel);
	sha256_hex(buf_view(&text), t->sha256);
	return 0;
}

static int look(struct target *t, struct errctx *e)
{
	auto_fd int fd = openat(t->parent_fd, t->name,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT) {
		t->exists = false;
		return 0;
	}
	if (fd < 0 && errno == ELOOP)
		return err_set(e, E_LINK, "%s is a symbolic link; name the file itself", t->rel);
	if (fd < 0)
		return err_sys(e, "%s can't be opened", t->rel);
	if (fstat(fd, &t->st) != 0)
		return err_sys(e, "%s", t->rel);
	if (!S_ISREG(t->st.st_mode))
		return err_set(e, E_NOTREG, "%s is no regular file", t->rel);
	if (t->st.st_nlink != 1)
		return err_set(e, E_HARDLINK, "%s has more than one name", t->rel);
	if (t->st.st_uid != geteuid() && geteuid() != 0)
		return err_set(e, E_OWNER, "%s belongs to another user", t->rel);
	t->exists = true;
	return hash_file(t, fd, e);
}

int target_open(int root_fd, const char *rel, struct target *t, struct errctx *e)
{
	char parent[MAX_PATH_BYTES + 1];
	int rc;

	*t = (struct target){.root_fd = root_fd, .parent_fd = -1};
	(void)snprintf(t->rel, sizeof(t->rel), "%s", rel);
	split(rel, parent, t->name);
	rc = pathfd_open_dir(root_fd, parent, &t->parent_fd, e);
	if (rc == E_NOENT) {
		if (e)
			*e = (struct errctx){0};
		return 0; /* nothing is there */
	}
	if (rc == E_LINK)
		return err_set(e, rc, "a folder of %s is a symbolic link; name the folder itself",
			       rel);
	if (rc == E_NOTDIR)
		return err_set(e, rc, "a component of %s is no folder", rel);
	if (rc == 0)
		rc = check_name(t, e);
	if (rc == 0)
		rc = look(t, e);
	if (rc != 0)
		target_release(t);
	return rc;
}

void target_release(struct target *t)
{
	cleanup_fd(&t->parent_fd);
}

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

int target_recheck(struct target *t, struct errctx *e)
{
	struct target again;
	struct stat st;
	int rc;

	if (t->parent_fd >= 0) {
		rc = check_name(t, e);
		if (rc != 0)
			return rc;
		rc = fstatat(t->parent_fd, t->name, &st, AT_SYMLINK_NOFOLLOW);
		if ((rc == 0) == t->exists && (!t->exists || same(&st, &t->st)))
			return 0;
		return err_set(e, E_CHANGED, "%s changed while the proposal was checked", t->rel);
	}
	rc = target_open(t->root_fd, t->rel, &again, e);
	if (rc != 0)
		return rc;
	if (again.exists) {
		target_release(&again);
		return err_set(e, E_CHANGED, "%s appeared while the proposal was checked", t->rel);
	}
	t->parent_fd = steal_fd(&again.parent_fd);
	return 0;
}

static int make_parent(struct target *t, mode_t mask, struct errctx *e)
{
	char parent[MAX_PATH_BYTES + 1], name[MAX_NAME_BYTES + 1];
	int rc;

	if (t->parent_fd >= 0)
		return 0;
	split(t->rel, parent, name);
	rc = pathfd_make_dirs(t->root_fd, parent, 0777 & ~mask, &t->parent_fd, e);
	return rc ? rc : check_name(t, e);
}

/* A script without a telling suffix, or with a shell's or Python's, may be executed by whoever may
 * read it (file 21, 25.1). */
static mode_t new_mode(const struct target *t, struct view content, mode_t mask)
{
	static const char *const suffixes[] = {".sh", ".py", ".bash", ".zsh"};
	const char *dot = strrchr(t->name, '.');
	mode_t mode = 0666 & ~mask;
	bool script = !dot || dot == t->name;

	if (content.len < 2 || memcmp(content.ptr, "#!", 2) != 0)
		return mode;
	for (size_t i = 0; dot && i < ARRAY_LEN(suffixes); i++)
		script = script || strcmp(dot, suffixes[i]) == 0;
	return script ? mode | (mode & 0444) >> 2 : mode;
}

int target_write(struct target *t, struct view content, const char *temp, mode_t mask,
		 struct errctx *e)
{
	struct atomicfile f;
	struct stat absent = {0};
	mode_t mode;
	int rc = make_parent(t, mask, e);

	if (rc != 0)
		return rc;
	/* Set-id bits don't survive new content. */
	mode = t->exists ? t->st.st_mode & 0777 : new_mode(t, content, mask);
	rc = atomicfile_begin(&f, t->parent_fd, t->name, temp, mode, e);
	if (rc != 0)
		return rc;
	rc = atomicfile_write(&f, content, e);
	if (rc == 0 && t->exists && t->st.st_uid != geteuid() &&
	    fchown(f.fd, t->st.st_uid, t->st.st_gid) != 0)
		rc = err_sys(e, "the owner of %s can't be kept", t->rel);
	if (rc == 0)
		rc = check_name(t, e);
	if (rc == 0)
		rc = atomicfile_commit(&f, t->exists ? COMMIT_REPLACE : COMMIT_NEW,
				       t->exists ? &t->st : &absent, e);
	if (rc == E_EXISTS)
		rc = err_set(e, E_CHANGED, "%s appeared while the proposal was checked", t->rel);
	atomicfile_abort(&f);
	return rc;
}

int target_move(int dir_fd, const char *from, const char *to)
{
	if (syscall(SYS_renameat2, dir_fd, from, dir_fd, to, RENAME_NOREPLACE) == 0)
		return 0;
	/* A file system without the flag: the name is random or ours, so nobody else has it. */
	return errno == EINVAL || errno == ENOSYS ? renameat(dir_fd, from, dir_fd, to) : -1;
}

int target_delete(struct target *t, const char *temp, struct errctx *e)
{
	struct stat st;

	if (!t->exists || t->parent_fd < 0)
		return err_set(e, E_NOENT, "%s doesn't exist", t->rel);
	/* Moved aside first: what is removed is then what was looked at, not what has the name now.
	 */
	if (fault_point("delete-rename") || target_move(t->parent_fd, t->name, temp) != 0)
		return err_sys(e, "%s can't be removed", t->rel);
	if (fstatat(t->parent_fd, temp, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    st.st_ino != t->st.st_ino || st.st_dev != t->st.st_dev || st.st_size != t->st.st_size ||
	    st.st_mtim.tv_sec != t->st.st_mtim.tv_sec ||
	    st.st_mtim.tv_nsec != t->st.st_mtim.tv_nsec) {
		if (target_move(t->parent_fd, temp, t->name) != 0)
			return err_set(e, E_CHANGED,
				       "%s was replaced while it was removed; the new file is kept "
				       "as %s",
				       t->rel, temp);
		return err_set(e, E_CHANGED, "%s was replaced while it was removed", t->rel);
	}
	if (fault_point("delete-unlink") || unlinkat(t->parent_fd, temp, 0) != 0) {
		int rc = err_sys(e, "%s can't be removed", t->rel);

		if (target_move(t->parent_fd, temp, t->name) != 0)
			return err_set(e, E_SYS, "%s was moved to %s and can't be removed", t->rel,
				       temp);
		return rc;
	}
	if (fault_point("delete-sync") || fsync(t->parent_fd) != 0)
		return err_sys(e, "the removal of %s can't be made durable", t->rel);
	return 0;
}

void target_temp_name(struct view request, char out[64])
{
	(void)snprintf(out, 64, ".%.*s.tmp", request.len > 32 ? 32 : (int)request.len, request.ptr);
}
