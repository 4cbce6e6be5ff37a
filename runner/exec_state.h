/* SPDX-License-Identifier: MIT */
/* The engine's side of the one command that runs; private to exec_*.c. */
#ifndef RUNNER_EXEC_STATE_H
#define RUNNER_EXEC_STATE_H

#include "launcher/overlay.h"
#include "runner/engine.h"
#include "runner/exec.h"
#include "runner/exec_walk.h"
#include "runner/journal.h"

enum exec_phase {
	EXEC_IDLE = 0,
	EXEC_RUNNING,
	EXEC_CLEANING, /* what was written is thrown away; then the next command may start */
};

struct expected {
	char *rel;
	struct land_base base; /* when the command started */
};

struct exec {
	int fd, gate_fd;      /* the two starters */
	int run_dir_fd;	      /* where the command's overlay lies */
	enum starter_way way; /* what this host gives, and why not more */
	const char *why;
	enum exec_phase phase;
	struct buf message; /* the starter's last answer */
	struct view item[64];
	struct buf gate_message;
	struct view gate_item[64];

	/* The command at work. */
	struct job job;
	struct artifact artifact;
	const struct brief_command *entry;
	char agent[MAX_SLUG_BYTES + 1];
	char name[ID_HEX + 8];	   /* of the claimed file */
	int64_t start_ms, start_s; /* monotonic; by the clock */
	struct expected *expected; /* sorted */
	size_t n_expected;
	struct walk before; /* without a boundary: the project when it started */

	/* Commands that wait unclaimed, so that their senders see their place. */
	char deferred[MAX_DEFERRED][ID_HEX + 1];
	size_t n_deferred;

	/* What recovery found. */
	char recovered[ID_HEX + 1];
	bool recovered_landed, recovered_bare;
};

/* exec_judge.c: what a command wrote against what it declared; pure but for E_NOMEM. */
struct exec_writes {
	struct view *undeclared; /* "path (kind)", at most MAX_UNDECLARED_LISTED and one that counts
				  */
	size_t n_undeclared, total_undeclared;
	struct landing landing;
	struct buf text;   /* holds the strings */
	struct errctx why; /* why declared files can't land; code 0: they can */
};
void exec_judge(const struct expected *expected, size_t n, const struct overlay_changes *changes,
		const struct views *appeared, struct exec_writes *ret);
void exec_writes_release(struct exec_writes *w);
const struct expected *expected_find(const struct expected *v, size_t n, const char *path);

/* exec_declare.c: the paths that a request declares, checked and looked at. Fills the reply on
 * refusal. */
int exec_declare(struct engine *en, struct job *job, const struct artifact *a,
		 const struct brief_command *c, const char *agent, struct expected **ret,
		 size_t *ret_n) must_check;
/* Can they land on this host? Without an overlay only what lies in a write root can be written.
 * Fills the reply on refusal. */
int exec_check_reach(const struct exec *x, const struct brief_jail *jail, struct job *job,
		     const struct expected *v, size_t n) must_check;
/* The same rules once more, before they land. */
int exec_may_write(const struct engine *en, const struct brief_command *c, const char *agent,
		   const char *rel, struct errctx *e) must_check;
/* How each stands now. */
void exec_look(struct engine *en, struct expected *v, size_t n);
void expected_free(struct expected *v, size_t n);

/* exec_opt_out.c: what a run without a boundary changed. */
/* Looks at the project after all rows are on disk, so that none counts as the command's doing. */
int opt_out_look(struct engine *en, struct walk *ret, struct errctx *e) must_check;
/* Lists the changes since then. E_FORGED: the runner's own records were changed; service ends. */
int opt_out_changes(struct engine *en, const struct walk *before, struct overlay_changes *ret,
		    struct errctx *e) must_check;
/* "bwrap", or that there was none. */
struct view exec_confined_word(enum starter_way way);

/* exec_reply.c */
void exec_reply(struct exec *x, const struct starter_result *r, const struct exec_writes *w,
		bool landed);
int exec_row_start(struct engine *en, struct exec *x, struct errctx *e) must_check;
int exec_row_end(struct engine *en, struct exec *x, const struct starter_result *r,
		 const struct exec_writes *w, bool landed, const char *error,
		 struct errctx *e) must_check;

#endif
