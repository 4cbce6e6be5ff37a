/* SPDX-License-Identifier: MIT */
/*
 * The signed ledger (file 22, section 14): append-only lines, each naming the hash of the one
 * before, with a signed head beside it and an anchor outside the project. Kept by the keeper alone.
 * What is in memory is held against the files before each append; any difference ends service
 * (20.27).
 */
#ifndef RUNNER_LEDGER_H
#define RUNNER_LEDGER_H

#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "runner/anchor.h"
#include "runner/rows.h"

#define LEDGER_NAME   "proposal-ledger.jsonl"
#define LEDGER_HEAD   "proposal-ledger.head"
#define DISPATCH_NAME "dispatches.jsonl"
#define DISPATCH_LOCK "dispatches.lock"

/* ---- reading: one pass over the file, whoever asks ---- */

struct ledger_scan {
	const struct mac_key *key;
	/* Called for each line whose MAC and chain hold; may be NULL. */
	void (*on_row)(void *arg, int64_t number, struct view line);
	/* Called for each problem; may be NULL. */
	void (*on_problem)(void *arg, int64_t number, const char *what);
	void *arg;
	int64_t watch[2];		 /* row numbers whose hash is wanted; 0: none */
	char watched[2][SHA256_HEX + 1]; /* "" until seen */
	/* Results. */
	int64_t count, problems;
	char last[SHA256_HEX + 1]; /* "" for no rows */
	size_t torn;		   /* bytes behind the last line feed */
	int64_t bytes;
};
/* E_SYS, E_NOMEM, E_TOOBIG (a row over MAX_ROW_BYTES). Problems are no error here. */
int ledger_scan(int fd, struct ledger_scan *s, struct errctx *e) must_check;

struct ledger_head {
	int state; /* 0: fine, E_NOENT: none, E_FORGED: doesn't verify, E_RANGE: empty file */
	int64_t count;
	char last[SHA256_HEX + 1];
};
int ledger_read_head(int dir_fd, const struct mac_key *key, struct ledger_head *ret,
		     struct errctx *e) must_check;

/* ---- judging: pure ---- */

struct ledger_facts {
	bool exists;	 /* the ledger file */
	bool dispatches; /* the dispatch file exists */
	int64_t count, problems;
	size_t torn;
	struct ledger_head head;
	bool head_matches; /* the row that the head names has the head's hash */
	bool anchored;	   /* an anchor with at least one slot */
	int64_t anchor_count;
	bool anchor_matches;
};
enum ledger_state {
	LEDGER_TAMPERED = 0,
	LEDGER_INTACT = 0x11,
	LEDGER_BEHIND =
		0x22, /* head or anchor lag behind genuine rows: a crash; start repairs it */
};
/* *ret_why: a static sentence for the first two kinds of trouble, NULL when intact. */
enum ledger_state ledger_judge(const struct ledger_facts *f, const char **ret_why);

/* All problems as text, one call each (file 22, 14.5): for --verify-proposal-ledger and the
 * request. Reads everything again. anchor may be NULL (not known). Returns the number of problems
 * or E_*. */
typedef void (*ledger_report)(void *arg, const char *problem);
int64_t ledger_verify(int dir_fd, const struct mac_key *key, const struct anchor *anchor,
		      ledger_report report, void *arg, int64_t *ret_rows, int64_t *ret_bytes,
		      struct errctx *e) must_check;

/* ---- writing ---- */

struct ledger {
	int dir_fd; /* .agentteams, borrowed */
	int fd;
	const struct mac_key *key;
	struct anchor *anchor;
	int64_t count, size;
	char last[SHA256_HEX + 1];
	int64_t last_time; /* wall clock of the newest row; 0: none */
	struct stat st, head_st;
	bool broken; /* memory and files differ, or an undo failed: nothing is appended any more */
	bool unsynced; /* rows since the last durable one */
};

/* Opens (creates when everything is fresh), verifies all, repairs what a crash leaves behind, moves
 * a torn last line aside. on_row sees every verified row. E_FORGED: tampered, the context says how.
 * *ret_torn: bytes moved aside. */
int ledger_open(struct ledger *l, int dir_fd, const struct mac_key *key, struct anchor *anchor,
		void (*on_row)(void *, int64_t, struct view), void *arg, size_t *ret_torn,
		char torn_sha256[SHA256_HEX + 1], struct errctx *e) must_check;
void ledger_close(struct ledger *l);

/* O(1). The row is in the file, the head and (durable rows) the anchor when it returns 0. A failed
 * write leaves everything as before. E_FORGED: the files changed behind the keeper. */
int ledger_append(struct ledger *l, const struct row *row, struct errctx *e) must_check;
/* Makes rows that weren't asked to be durable so, and anchors them. */
int ledger_flush(struct ledger *l, struct errctx *e) must_check;
/* Is memory still what the files are? 0 or E_FORGED. */
int ledger_probe(struct ledger *l, struct errctx *e) must_check;

#endif
