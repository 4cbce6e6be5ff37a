/* SPDX-License-Identifier: MIT */
/*
 * Commands and gates run in a process of their own, the starter (file 21, sections 15 to 19): the
 * engine has given up starting programs, the keeper holds the key. The starter holds neither key
 * nor queue. It takes four typed requests over a socket pair, checks each against the brief again,
 * and starts nothing but confine-run with the command preset; or, by the brief's opt-out and where
 * no boundary can be built, the command itself.
 *
 * Starter side: starter_serve. Engine side: starter_check to starter_discard, and the exec_ calls
 * of exec_command.c, which carry one command from its request to its result.
 */
#ifndef RUNNER_EXEC_H
#define RUNNER_EXEC_H

#include "base/buf.h"
#include "base/err.h"
#include "runner/brief.h"

enum starter_op {
	STARTER_CHECK = 1, /* may this command be confined as the brief wants it? Starts nothing. */
	STARTER_RUN,
	STARTER_GATE,
	STARTER_DISCARD, /* what the last command wrote is not needed any more */
	N_STARTER_OPS,
};

/* One command or one gate. */
struct starter_request {
	enum starter_op op;
	struct view agent; /* RUN, CHECK: whose jail */
	struct views argv; /* as requested */
	struct view cwd;
	unsigned timeout_s;
	bool has_stdin;
	struct view content; /* standard input of a command; what a gate judges */
	struct view gate;    /* GATE: its name in the brief */
	struct view path;    /* GATE: destination of the content */
};

/* How this host lets commands and gates run (file 00, D9 and D21). */
enum starter_way {
	WAY_NONE = 0,	    /* the boundary can't be built: nothing runs */
	WAY_OVERLAY = 1,    /* the project is an overlay */
	WAY_READ_ONLY = 2,  /* no overlay here: only write roots can be written */
	WAY_UNCONFINED = 3, /* no boundary at all: the brief's opt-out, where nothing else works */
	N_STARTER_WAYS,
};

enum { STARTER_OUTCOME_STOPPED = 100, STARTER_OUTCOME_DISK_FULL };

struct starter_result {
	int outcome; /* enum confine_outcome, or one of the above */
	int status;  /* of the command, as a shell gives it */
	int signal;
	enum starter_way way;
	bool started, fully;
	bool root_replaced; /* a write root is another folder than before the run */
	unsigned survivors;
	int64_t duration_ms;
	char reason[384];
	struct views appeared;	      /* trusted names that came into being */
	struct view out, err;	      /* head and tail */
	int64_t out_bytes, err_bytes; /* what was written */
};

/* ---- starter side ---- */

struct starter_config {
	int fd; /* the engine's requests */
	int root_fd;
	const char *root_path;
	int run_dir_fd; /* private folder for the overlay; its path is run_path */
	const char *run_path;
	const struct brief *brief;
	enum starter_way way; /* NONE is tried as OVERLAY: it says why it can't be built */
};
/* exec_status.c: "overlay" and so on; NULL: nothing runs. */
const char *starter_way_name(enum starter_way way);
/* exec_way.c: tries the ways on this project, best first, with a program that does nothing. why:
 * what was wrong with the better ones, one printable line. Never fails: WAY_NONE. */
enum starter_way starter_find_way(const struct starter_config *c, char *why, size_t size);

/* Serves until the engine is gone. Kills what runs then. */
void starter_serve(const struct starter_config *c);

/* ---- engine side; the rest of it is in engine.h ---- */

struct engine;
struct exec;
struct jsonw;
/* way, why: what the supervisor found; borrowed. */
struct exec *exec_new(int command_fd, int gate_fd, int run_dir_fd, enum starter_way way,
		      const char *why) must_check;
/* Does a command run without a boundary? Then nothing else is served: what changes meanwhile is its
 * doing. */
bool exec_holds(const struct engine *en);
void exec_emit_status(const struct engine *en, struct jsonw *w); /* a member of the status file */

/* ---- all parts of the starter ---- */

/* Below run_dir: the overlay, or the temporary folder of what runs without one. */
#define LAYER	    "layer"
#define LAYER_UPPER LAYER "/upper"
/* exec_run.c: empties it; 0 when there is none. */
int exec_discard(const struct starter_config *c, struct errctx *e) must_check;

/* exec_bare.c: when a process ends, its children become this process's, so that what runs without a
 * boundary doesn't get away by detaching, nor by the end of its starter. */
bool exec_adopt(void);
/* Kills and reaps every child; returns how many were alive (some twice). */
unsigned exec_end_children(void);

/* exec_check.c: everything about a command that can be said before it starts (file 21, 15.6 to
 * 15.8; file 22, 12.3). */
struct exec_plan {
	char *program; /* absolute, as found; what is executed */
	char **exec;   /* real paths that may be executed */
	size_t n_exec;
	char **root; /* real paths of write roots */
	size_t n_root;
	struct root_id {
		uint64_t dev, ino;
	} * root_id;
	char *cwd;
	char *path_env; /* PATH, reduced to absolute folders */
};
int exec_check_command(const struct starter_config *c, const struct starter_request *r,
		       struct exec_plan *ret, struct errctx *e) must_check;
int exec_check_gate(const struct starter_config *c, const struct starter_request *r,
		    const struct brief_gate *g, struct exec_plan *ret, struct errctx *e) must_check;
/* Are the write roots still the folders that were checked? */
bool exec_roots_hold(const struct starter_config *c, const struct starter_request *r,
		     const struct exec_plan *p);
void exec_plan_release(struct exec_plan *p);

/* exec_run.c: fills out and err through the caller's captures. A request on c->fd, or its end,
 * stops the run. */
struct capture;
struct exec_done {
	struct starter_result result;
	struct capture *out, *err;
};
int exec_run(const struct starter_config *c, const struct starter_request *r,
	     const struct exec_plan *p, struct exec_done *ret, struct errctx *e) must_check;
void exec_done_release(struct exec_done *d);

/* exec_capture.c: keeps the first and the last half of MAX_OUTPUT_KEPT_BYTES and counts. */
struct capture *capture_new(void);
void capture_free(struct capture *c);
void capture_add(struct capture *c, const char *bytes, size_t n);
int64_t capture_total(const struct capture *c);
/* What was kept, with a line that says how much is missing; always valid UTF-8. */
void capture_emit(const struct capture *c, struct buf *out);

/* exec_wire.c: both ends of the socket. */
int starter_send_request(int fd, const struct starter_request *r, struct errctx *e) must_check;
/* Views borrow from message; argv items from item. */
int starter_read_request(int fd, struct buf *message, struct view *item, size_t max,
			 struct starter_request *ret, struct errctx *e) must_check;
int starter_send_refusal(int fd, const struct errctx *e) must_check;
int starter_send_result(int fd, const struct exec_done *d) must_check;
/* 0, a refusal of the starter (E_*), or E_CLOSED. */
int starter_read_result(int fd, struct buf *message, struct view *item, size_t max,
			struct starter_result *ret, struct errctx *e) must_check;

#endif
