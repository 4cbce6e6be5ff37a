/* SPDX-License-Identifier: MIT */
/*
 * Landing of what a command wrote (file 00, D9): all declared files or none, over crashes. The
 * journal in .agentteams first says which files will be staged beside their destinations; once all
 * of them are on disk it says "commit". Before that a crash is undone, after it the landing is
 * finished. Every step is a rename that can be turned back, until the old files are thrown away.
 * System.
 */
#ifndef RUNNER_JOURNAL_H
#define RUNNER_JOURNAL_H

#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/rand.h"
#include "runner/dirs.h"

#define JOURNAL_NAME "landing.json"

enum land_op {
	LAND_REPLACE = 1,
	LAND_CREATE,
	LAND_DELETE,
};

/* How a file looked: what a change is held against. */
struct land_base {
	bool exists;
	uint64_t dev, ino;
	int64_t size, mtime_ns, ctime_ns;
	unsigned mode, nlink, uid;
};
void land_base_of(const struct stat *st, struct land_base *ret);
/* ctime too: a rename of ours changes it, so it is only looked at before the first one. */
bool land_base_same(const struct land_base *a, const struct land_base *b, bool with_ctime);

struct land_file {
	char *path; /* clean, relative */
	enum land_op op;
	struct land_base base;
	unsigned mode;	/* of the new file */
	uint64_t fresh; /* inode of the staged file; 0: none yet */
	char sha256[SHA256_HEX + 1];
};

struct landing {
	char request[ID_HEX + 1], agent[MAX_SLUG_BYTES + 1];
	int64_t exit, duration_ms;
	bool commit;
	struct land_file *file; /* sorted by path */
	size_t n;
	char **folder; /* made for it, outermost first */
	size_t n_folders;
};
void landing_release(struct landing *l);
struct land_file *landing_add(struct landing *l, const char *path, enum land_op op) must_check;

/* journal.c: pure text form, strict. */
int journal_emit(const struct landing *l, struct buf *out) must_check;
int journal_parse(struct view text, struct landing *ret, struct errctx *e) must_check;
/* E_NOENT: there is none. */
int journal_read(const struct dirs *d, struct landing *ret, struct errctx *e) must_check;
int journal_write(const struct dirs *d, const struct landing *l, struct errctx *e) must_check;

/* landing.c. Each undoes what it did when it fails: nothing has landed then. E_CHANGED: somebody
 * changed a file meanwhile. */
int landing_stage(const struct dirs *d, int upper_fd, struct landing *l, mode_t mask,
		  struct errctx *e) must_check;
int landing_commit(const struct dirs *d, struct landing *l, struct errctx *e) must_check;
/* After the ledger has it: throws the old files and the journal away. */
int landing_finish(const struct dirs *d, struct landing *l, struct errctx *e) must_check;
/* Turns back whatever was done and removes the journal. */
int landing_undo(const struct dirs *d, struct landing *l, struct errctx *e) must_check;

#endif
