/* SPDX-License-Identifier: MIT */
/*
 * The engine: one process that reads the queue, checks and acts (file 21, sections 8 to 12). It
 * asks the keeper for everything that is signed. This header is what its files share; nothing else
 * includes it.
 */
#ifndef RUNNER_ENGINE_H
#define RUNNER_ENGINE_H

#include <sys/types.h>

#include "runner/artifact.h"
#include "runner/brief.h"
#include "runner/dirs.h"
#include "runner/keeper.h"
#include "runner/pins.h"
#include "runner/reply.h"
#include "runner/request.h"
#include "runner/results.h"
#include "runner/store.h"

/* Why the engine ends; exit statuses of its process, read by serve.c. */
enum engine_end {
	ENGINE_STOPPED = 0,
	ENGINE_FAILED = 1,
	ENGINE_PIN_CHANGED = 10,
	ENGINE_TAMPERED = 11,
	ENGINE_UNSAFE = 12,
	ENGINE_NO_KEEPER = 13,
	ENGINE_NO_STARTER = 14,
};

struct engine_options {
	bool once;
	bool log_json;
	size_t max_staged_agent, max_staged_all;
	int64_t max_queue_age_s;
	const char *root_path;
	const char *brief_name; /* last component, for messages */
};

struct fold { /* equal refusals of nobody in particular (file 22, 20.32) */
	enum row_action action;
	char reason[128];
	int64_t count, since_ms;
};

/* An outcome row that the disk refused: the act is over, and no other may begin before it is
 * written. */
struct owed {
	enum row_action action; /* 0: nothing is owed */
	const char *intent;
	char agent[MAX_SLUG_BYTES + 1], request[ID_HEX + 1], sid[ID_HEX + 1];
	char path[MAX_PATH_BYTES + 1], fresh[SHA256_HEX + 1], error[384];
};

struct engine {
	const struct engine_options *opt;
	const struct brief *brief;
	struct ask ask;
	struct dirs dirs;
	struct pins pins;
	struct results results;
	struct store store;
	struct fold fold[N_CHANNELS];
	mode_t mask; /* umask of the start */
	int watch_fd, signal_fd, timer_fd;
	int watch_of[N_FOLDERS];    /* inotify watches; -1: none */
	bool dirty;		    /* rows were written since the last flush */
	bool rescan;		    /* look at the queue although no event came */
	bool unanswered, unclaimed; /* the disk refused a request its result, its claim */
	struct owed owed;
	enum engine_end end;
	bool ending;
	/* For the status file. */
	int64_t served, refused, started_s, last_scan_ms;
	int64_t busy_since_ms; /* 0: idle */
	char busy_id[ID_HEX + 1];
	char busy_kind[32];
	char last_error[400];
	char paused[N_CHANNELS][128]; /* why a channel is paused; "" when it isn't */
	size_t queued[N_CHANNELS], n_grants;
	bool clock_suspect;	 /* the clock jumped: nothing expires by it */
	int64_t clock_offset_ms; /* wall minus boot clock at start */
	int64_t torn, jump_s, started_boot_ms;
	bool confined;
	struct buf status;			    /* what the status file holds */
	const struct gate_pins *gate_pins;	    /* NULL: no gate names a file of the project */
	struct ask_grant grants[MAX_ACTIVE_GRANTS]; /* for the status file alone */
	struct exec *exec; /* the command at work (exec_state.h); NULL: nothing is ever started */
};

/* One request on its way. */
struct job {
	enum channel channel;
	char id[ID_HEX + 1];
	int64_t changed_ns; /* change time of its file before the claim */
	struct request request;
	struct reply reply;
	int64_t queue_wait_ms;
	bool taken; /* a command runs for it; its end answers */
};

/* Ends service after this request; the first reason wins. text goes to standard error. */
void engine_stop(struct engine *en, enum engine_end why, const char *text);
/* Has a signal to end arrived? Takes it (loop.c). */
bool engine_signalled(struct engine *en);
/* An error of an ask_ call: E_CLOSED and E_FORGED end service. Returns rc. */
int engine_asked(struct engine *en, int rc, const struct errctx *e);

/* loop.c */
/* The heartbeat and what else is due, also between the requests of a long pass. */
void engine_tick(struct engine *en);
int engine_run(struct engine *en, struct errctx *e) must_check;
void engine_release(struct engine *en);
/* Waits until fd can be read and keeps the heart beating meanwhile. False: service ends. */
bool engine_wait(struct engine *en, int fd);
/* pass.c: one look at both channels; *ret_served requests. */
int engine_pass(struct engine *en, size_t *ret_served, struct errctx *e) must_check;
/* claim.c: from a name in a request folder to a written result. */
struct arrival;
void engine_serve(struct engine *en, const struct arrival *a);
/* Writes the result and removes the claimed file. */
void claim_finish(struct engine *en, struct job *job, const char *name, int64_t start_ms);
/* handle.c: fills the reply. */
void engine_handle(struct engine *en, struct job *job);
/* recover.c */
int engine_recover(struct engine *en, struct errctx *e) must_check;
/* Gives each claimed request its result, from what the ledger says about it. */
int engine_answer_claimed(struct engine *en, struct errctx *e) must_check;
/* status.c */
int status_beat(struct engine *en, struct errctx *e) must_check;
void status_remove(struct engine *en);
void status_grants(struct engine *en); /* what is left of them is asked anew */
/* logline.c: one line a request, without content. */
void log_request(const struct engine *en, const struct job *job, int64_t serve_ms);
void log_event(const struct engine *en, const char *event, const char *text);

/* propose.c: the shared body of the four modes (file 22, section 10). */
enum proposal_mode {
	MODE_APPLY = 1,
	MODE_STAGE,
	MODE_STAGED,
	MODE_DIRECT, /* chosen by propose() itself: a staged change under a grant */
};
struct proposal {
	enum proposal_mode mode;
	const struct artifact *artifact;
	struct view stored_agent; /* MODE_STAGED */
	struct view sid;	  /* MODE_STAGED */
	bool dry_run;
};
void propose(struct engine *en, struct job *job, const struct proposal *p);
/* Writes the outcome row that is owed, if there is one. */
int propose_pay(struct engine *en, struct errctx *e) must_check;

/* identity.c: who asks (8.5); fills job->reply on refusal. 0, E_DENIED (refused), others. */
int identify(struct engine *en, struct job *job, const struct artifact *a,
	     struct ask_nonce *ret) must_check;
/* Counts the use right before acting. */
int identify_use(struct engine *en, struct job *job, const struct artifact *a,
		 struct view agent) must_check;

/* command.c: run-request, up to the point where a command starts. Takes the artifact over when one
 * does. */
void command_request(struct engine *en, struct job *job, struct artifact *a);
/* The entry of the allow list that matches; pure. NULL: none, *ret_why says why. */
const struct brief_command *command_match(const struct brief_agent *agent, const struct views *argv,
					  const char **ret_why);

/* exec_command.c: the command that runs, while everything else is served. */
void exec_free(struct exec *x);
/* Declared writes, program, jail, standard input; then job->taken, or the reply is filled. */
void exec_begin(struct engine *en, struct job *job, struct artifact *a,
		const struct brief_command *c, const char *agent);
bool exec_is_busy(const struct engine *en);
/* Must this request wait unclaimed because a command runs? */
bool exec_defers(struct engine *en, enum channel channel, const char *name);
int exec_poll_fd(const struct engine *en); /* readable: call exec_event; -1: nothing runs */
void exec_event(struct engine *en);
void exec_end_service(struct engine *en); /* kills what runs, answers for it */
int exec_recover(struct engine *en, const struct ask_state *state, struct errctx *e) must_check;
void exec_recovered_reply(const struct engine *en, const struct ask_row *row, struct reply *r);

/* refusals.c: the row of a refusal, folded where it is free. */
void refuse_row(struct engine *en, const struct job *job, enum row_action action, struct view agent,
		struct view path, struct view sid);
void refuse_flush(struct engine *en, bool all);

/* staged.c: the four requests about staged records, and their expiry. */
void staged_apply(struct engine *en, struct job *job);
void staged_reject(struct engine *en, struct job *job);
void staged_list(struct engine *en, struct job *job);
void staged_show(struct engine *en, struct job *job);
void staged_purge(struct engine *en);
/* A record that was decided: tells its agent, removes it. A missing one is fine. */
void staged_settle(struct engine *en, struct view sid, const char *outcome);

#endif
