/* SPDX-License-Identifier: MIT */
/*
 * The project's files: what stands at a destination, and writing or removing it durably and without
 * races (file 22, 10.4 and 20.1 to 20.3). The parent folder is opened once without following a
 * link; everything happens relative to that descriptor. System.
 */
#ifndef RUNNER_LAND_H
#define RUNNER_LAND_H

#include <sys/stat.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/view.h"

struct target {
	int root_fd;   /* borrowed */
	int parent_fd; /* -1: the parent folder doesn't exist yet */
	char rel[MAX_PATH_BYTES + 1];
	char name[MAX_NAME_BYTES + 1];
	bool exists;
	struct stat st;
	char sha256[SHA256_HEX + 1]; /* of what is there */
};

/* rel: clean (artifact_path). Reads and hashes what is there. Refuses (E_LINK, E_NOTREG, E_NOTDIR,
 * E_HARDLINK, E_OWNER, E_TOOBIG, E_UTF8) with a context that says what stands in the way; a parent
 * that is another folder than its name says is E_CHANGED. */
int target_open(int root_fd, const char *rel, struct target *t, struct errctx *e) must_check;
void target_release(struct target *t);

/* Is the file still what target_open saw? 0 or E_CHANGED. */
int target_recheck(struct target *t, struct errctx *e) must_check;

/* Replaces or creates the file, makes missing folders. temp: the temporary file's name, so that a
 * start after a crash can find it. 0, E_CHANGED (nothing was done), E_SYS (nothing was done). */
int target_write(struct target *t, struct view content, const char *temp, mode_t mask,
		 struct errctx *e) must_check;
/* Removes the file; E_CHANGED if it was replaced meanwhile (it is put back). */
int target_delete(struct target *t, const char *temp, struct errctx *e) must_check;

/* Renames within one folder without replacing anything; 0 or -1 with errno. */
int target_move(int dir_fd, const char *from, const char *to) must_check;
/* ".<request id>.tmp" */
void target_temp_name(struct view request, char out[64]);

#endif
