/* SPDX-License-Identifier: MIT */
/*
 * The store of staged records (file 23, section 2): one signed file each in .agentteams/staged, and
 * an index in memory that is held against the folder whenever it is used. A record is believed only
 * while the keeper finds its signature good. System.
 */
#ifndef RUNNER_STORE_H
#define RUNNER_STORE_H

#include <sys/stat.h>

#include "base/json.h"
#include "runner/artifact.h"
#include "runner/dirs.h"
#include "runner/keeper.h"

enum record_state {
	RECORD_GOOD = 1,
	RECORD_BAD,	  /* its signature doesn't hold */
	RECORD_MALFORMED, /* no record at all */
};

struct store_entry {
	char sid[ID_HEX + 1];
	char *agent, *path;				   /* "" unless good or bad */
	char *gates;					   /* JSON text of the gate results */
	char base[SHA256_HEX + 1], sha256[SHA256_HEX + 1]; /* sha256 "" for a deletion */
	char request[ID_HEX + 1];
	char expires_text[26];
	int64_t bytes, expires, staged_s;
	enum record_state state;
	bool deletion;
	struct stat st;	  /* of the record's file */
	struct stat at;	  /* of the destination when `fits` was found out; st_ino 0: absent */
	size_t same_path; /* of all records, itself included, when they were last counted */
	int fits;	  /* 0 not known, 1 its base still matches, -1 it doesn't */
	bool seen;
	bool decided; /* its final row is written; only its removal is owed */
};

struct store {
	struct store_entry **item; /* sorted by sid */
	size_t n, cap;
	struct store_entry **by_age; /* while in_order, see store_by_age */
	size_t n_by_age;
	bool in_order; /* by_age and each same_path are right; false after any change */

	bool watches; /* watch_fd tells of changes to the folder with this device and inode */
	int watch_fd;
	dev_t watched_dev;
	ino_t watched_ino;
	bool whole; /* the last look at all files went well */
};

void store_release(struct store *s);

/* Brings the index up to date with the folder: looks at each file, and reads and verifies again
 * what changed. */
int store_refresh(struct store *s, const struct dirs *d, struct ask *a,
		  struct errctx *e) must_check;
/* The same, but looks at nothing while the kernel reports no change (inotify; it is silent about
 * writes through a map or another hard link). For lists: what acts on a record takes store_refresh.
 */
int store_refresh_if_changed(struct store *s, const struct dirs *d, struct ask *a,
			     struct errctx *e) must_check;
struct store_entry *store_find(struct store *s, struct view sid);

/* Those that don't only wait for their removal, oldest first, with same_path counted; valid until
 * the store changes. NULL: out of memory. */
struct store_entry *const *store_by_age(struct store *s, size_t *ret_n);

/* How many records and bytes one agent and all agents hold. */
void store_count(const struct store *s, struct view agent, size_t *ret_agent, size_t *ret_all,
		 int64_t *ret_bytes);

/* Writes a record that the keeper signed. */
int store_put(struct store *s, const struct dirs *d, const struct staged *record,
	      const struct ask_staged *signature, struct errctx *e) must_check;
/* Removes the file; one that is gone already is fine. */
int store_remove(struct store *s, const struct dirs *d, const char *sid,
		 struct errctx *e) must_check;

/* One record in full. */
struct record {
	struct json *json;
	struct artifact artifact;
	struct staged fields;
	struct gate_result results[MAX_GATES];
	struct view mac;
	struct stat st;
	char *text; /* the file's bytes, for show-staged */
	size_t len;
};
/* E_NOENT: no such record (whatever is wrong with the file's kind), E_SYNTAX: malformed. */
int record_read(const struct dirs *d, const char *sid, struct record *ret,
		struct errctx *e) must_check;
void record_release(struct record *r);

#endif
