/* SPDX-License-Identifier: MIT */
/*
 * Durable file creation and replacement beneath a folder descriptor: exclusive temporary file
 * beside the target, write, fsync, compare the target again, rename, fsync the folder. On failure
 * the temporary file is gone. Sequence: atomicfile_begin, _write any number of times, then _commit
 * or _abort (abort after commit is harmless). System.
 *
 * System calls: begin getrandom, openat; write write; commit fchmod, fstat (newfstatat in glibc
 * before 2.39), fsync, close, newfstatat, then renameat (REPLACE) or renameat2 (NEW; linkat and
 * unlinkat where it is missing), fsync; a folder descriptor opened with O_PATH costs one openat and
 * close more; abort close, unlinkat; remove unlinkat, fsync. Landlock: MAKE_REG, REMOVE_FILE and
 * WRITE_FILE on the folder.
 */
#ifndef BASE_ATOMICFILE_H
#define BASE_ATOMICFILE_H

#include <sys/stat.h>

#include "base/err.h"
#include "base/view.h"

struct atomicfile {
	int dir_fd; /* borrowed */
	int fd;
	char temp[64]; /* ".<32 hex>.tmp" */
	char name[256];
	mode_t mode;  /* set by the commit; 0600 until then */
	bool open;    /* the temporary file exists */
	bool renamed; /* it stands under its name, also when syncing the folder failed afterwards */
};

enum atomicfile_commit {
	COMMIT_REPLACE, /* whatever is there is replaced (never a folder) */
	COMMIT_NEW, /* E_EXISTS if the name exists (renameat2 RENAME_NOREPLACE, else link+unlink) */
};

/* name: one component (no slash, not "." or "..", at most MAX_NAME_BYTES), else E_SYNTAX. mode is
 * set exactly (fchmod), whatever the umask. temp may be NULL (random) or a given name, below 64
 * bytes (E_EXISTS if it is taken). E_NOENT, E_SYS (ENOSPC, EROFS ...). dir_fd stays open until the
 * end. */
int atomicfile_begin(struct atomicfile *f, int dir_fd, const char *name, const char *temp,
		     mode_t mode, struct errctx *e) must_check;
int atomicfile_write(struct atomicfile *f, struct view bytes, struct errctx *e) must_check;
/* expect (may be NULL): the target must still have this device, inode, size, mtime and ctime
 * (E_CHANGED), looked at directly before the rename; with expect->st_ino == 0 it must not exist,
 * which the rename itself makes sure of. A target that is a link is replaced, never followed; a
 * folder is E_NOTREG (E_EXISTS with COMMIT_NEW). A failure to sync the folder after the rename is
 * an error although the new file stands under its name; the context says so. */
int atomicfile_commit(struct atomicfile *f, enum atomicfile_commit how, const struct stat *expect,
		      struct errctx *e) must_check;
void atomicfile_abort(struct atomicfile *f);

/* All steps in one; the second writes the pieces one after the other (an empty one isn't written).
 */
int atomicfile_put(int dir_fd, const char *name, struct view bytes, mode_t mode,
		   enum atomicfile_commit how, struct errctx *e) must_check;
int atomicfile_put_pieces(int dir_fd, const char *name, const struct view *pieces, size_t n,
			  mode_t mode, enum atomicfile_commit how, struct errctx *e) must_check;

/* Unlinks name and syncs the folder; E_NOENT is an error the caller may ignore. */
int atomicfile_remove(int dir_fd, const char *name, struct errctx *e) must_check;

#endif
