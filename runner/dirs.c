/* SPDX-License-Identifier: MIT */
/* Folders by descriptor. System. Failure rule: refuse. Tests: tests/e2e/runner-start.tap,
 * tests/e2e/runner-queue.tap. */
#include "base/base.h"

#include "runner/dirs.h"

#include "base/pathfd.h"

#include <fcntl.h>
#include <errno.h>

static const struct {
	const char *path;
	bool shared;
} folders[] = {
	[FOLDER_STATE] = {STATE_DIR, false},
	[FOLDER_RESULTS] = {RESULTS_DIR, false},
	[FOLDER_CLAIMED] = {CLAIMED_DIR, false},
	[FOLDER_DEAD] = {DEAD_DIR, false},
	[FOLDER_STAGED] = {STAGED_DIR, false},
	[FOLDER_QUEUE] = {QUEUE_DIR, true},
	[FOLDER_REQUESTS] = {QUEUE_DIR "/requests", true},
	[FOLDER_MCP_REQUESTS] = {QUEUE_DIR "/mcp-requests", true},
	[FOLDER_ACKS] = {ACKS_DIR, true},
};
_Static_assert(ARRAY_LEN(folders) == N_FOLDERS, "one row for each folder");

const char *folder_path(enum folder f)
{
	return folders[f].path;
}

bool folder_is_shared(enum folder f)
{
	return folders[f].shared;
}

void dirs_init(struct dirs *d, int root_fd)
{
	*d = (struct dirs){.root_fd = root_fd};
	for (unsigned f = 0; f < N_FOLDERS; f++)
		d->fd[f] = -1;
}

void dirs_release(struct dirs *d)
{
	for (unsigned f = 0; f < N_FOLDERS; f++)
		cleanup_fd(&d->fd[f]);
}

static int check_folder(int fd, enum folder f, struct stat *st, struct errctx *e)
{
	const char *path = folders[f].path;

	if (fstat(fd, st) != 0)
		return err_sys(e, "%s", path);
	if (st->st_uid != geteuid())
		return err_set(e, E_OWNER, "%s belongs to another user", path);
	if (st->st_mode & 0022)
		return err_set(e, E_MODE,
			       "%s can be written by group or others; set its mode to 0700", path);
	if (!folders[f].shared && (st->st_mode & 07777) != 0700) {
		if (fchmod(fd, 0700) != 0)
			return err_sys(e, "the mode of %s can't be set to 0700", path);
		if (fstat(fd, st) != 0)
			return err_sys(e, "%s", path);
	}
	return 0;
}

static int open_folder(struct dirs *d, enum folder f, struct errctx *e)
{
	auto_fd int fd = -1;
	int rc = pathfd_make_dirs(d->root_fd, folders[f].path, 0700, &fd, e);

	if (rc == 0)
		rc = check_folder(fd, f, &d->st[f], e);
	if (rc != 0)
		return rc;
	cleanup_fd(&d->fd[f]);
	d->fd[f] = steal_fd(&fd);
	return 0;
}

int dirs_open_state(struct dirs *d, struct errctx *e)
{
	return open_folder(d, FOLDER_STATE, e);
}

int dirs_open_all(struct dirs *d, struct errctx *e)
{
	for (unsigned f = 0; f < N_FOLDERS; f++) {
		int rc = f == FOLDER_STATE && d->fd[f] >= 0 ? 0 : open_folder(d, f, e);

		if (rc != 0)
			return rc;
	}
	return 0;
}

int dirs_check(struct dirs *d, enum folder f, bool *ret_reopened, struct errctx *e)
{
	struct stat st;
	int rc;

	*ret_reopened = false;
	if (d->fd[f] >= 0 && fstatat(d->root_fd, folders[f].path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISDIR(st.st_mode) && st.st_dev == d->st[f].st_dev && st.st_ino == d->st[f].st_ino &&
	    st.st_uid == geteuid() && !(st.st_mode & 0022))
		return 0;
	if (!folders[f].shared)
		return err_set(e, E_CHANGED, "%s was replaced, or its owner or mode changed",
			       folders[f].path);
	cleanup_fd(&d->fd[f]);
	rc = open_folder(d, f, e);
	*ret_reopened = rc == 0;
	return rc ? err_set(e, E_CHANGED, "%s is no folder that can be used", folders[f].path) : 0;
}
