/* SPDX-License-Identifier: MIT */
/*
 * One command from its checked request to its result (file 21, section 15; file 00, D9). It runs in
 * the starter while the engine goes on serving; a second command waits in the queue. System.
 * Failure rule: nothing lands unless everything held. Tests: tests/e2e/runner-command.tap.
 */
#include "base/base.h"

#include "runner/gates.h"
#include "runner/exec_state.h"

#include "base/clock.h"
#include "base/io.h"
#include "base/pathfd.h"
#include "launcher/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct exec *exec_new(int command_fd, int gate_fd, int run_dir_fd, enum starter_way way,
		      const char *why)
{
	struct exec *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->fd = command_fd;
	x->gate_fd = gate_fd;
	x->run_dir_fd = run_dir_fd;
	x->way = way;
	x->why = why;
	buf_init(&x->message, MAX_KEEPER_MESSAGE_BYTES);
	buf_init(&x->gate_message, MAX_KEEPER_MESSAGE_BYTES);
	return x;
}

static void forget(struct exec *x)
{
	request_release(&x->job.request);
	reply_release(&x->job.reply);
	artifact_release(&x->artifact);
	expected_free(x->expected, x->n_expected);
	walk_release(&x->before);
	x->job = (struct job){0};
	x->artifact = (struct artifact){0};
	x->expected = NULL;
	x->n_expected = 0;
	x->entry = NULL;
}

void exec_free(struct exec *x)
{
	if (!x)
		return;
	cleanup_fd(&x->fd); /* a starter whose engine is gone kills what runs */
	cleanup_fd(&x->gate_fd);
	buf_release(&x->message);
	buf_release(&x->gate_message);
	free(x);
}

int exec_poll_fd(const struct engine *en)
{
	return en->exec && en->exec->phase != EXEC_IDLE ? en->exec->fd : -1;
}

bool exec_is_busy(const struct engine *en)
{
	return en->exec && en->exec->phase != EXEC_IDLE;
}

bool exec_holds(const struct engine *en)
{
	return en->exec && en->exec->phase == EXEC_RUNNING && en->exec->way == WAY_UNCONFINED;
}

/* Starters don't end by themselves: a service without them is no service. */
static void lost(struct engine *en)
{
	engine_stop(en, ENGINE_NO_STARTER, "the process that starts commands ended");
}

static struct starter_request request_of(const struct artifact *a, const struct brief_command *c,
					 const char *agent, enum starter_op op)
{
	return (struct starter_request){
		.op = op,
		.agent = view_of(agent),
		.argv = a->argv,
		.cwd = c->cwd,
		.has_stdin = a->has_stdin,
		.content = a->has_stdin ? a->stdin_content : VIEW(""),
	};
}

static unsigned timeout_of(const struct brief_command *c, enum channel channel)
{
	unsigned t = c->timeout_s ? c->timeout_s : DEFAULT_COMMAND_SECONDS;

	return channel == CHANNEL_MCP && t > MAX_CHANNEL_COMMAND_SECONDS
		       ? MAX_CHANNEL_COMMAND_SECONDS
		       : t;
}

/* What only the starter can see: the program, the write roots, the working folder. */
static int ask_starter(struct engine *en, const struct artifact *a, const struct brief_command *c,
		       const char *agent, struct errctx *e)
{
	struct starter_request q = request_of(a, c, agent, STARTER_CHECK);
	struct exec *x = en->exec;
	struct starter_result r;
	int rc;

	q.has_stdin = false;
	q.content = VIEW("");
	rc = starter_send_request(x->fd, &q, e);
	if (rc == 0)
		rc = starter_read_result(x->fd, &x->message, x->item, ARRAY_LEN(x->item), &r, e);
	if (rc == E_CLOSED)
		lost(en);
	return rc;
}

static int judge_stdin(struct engine *en, const struct artifact *a, const struct brief_command *c,
		       struct gates_run *ret, struct errctx *e)
{
	const struct brief_gate *gates[MAX_GATES];
	char rel[MAX_PATH_BYTES + 1];
	size_t n = 0;
	int rc;

	if (!a->has_stdin)
		return 0;
	if (a->stdin_content.len > MAX_CONTENT_BYTES)
		return err_set(e, E_TOOBIG,
			       "the standard input has %zu bytes, at most %d are taken",
			       a->stdin_content.len, MAX_CONTENT_BYTES);
	rc = artifact_path(a->stdin_path, rel, e);
	for (size_t i = 0; i < c->stdin_gates.n && rc == 0; i++) {
		gates[n] = brief_gate(en->brief, c->stdin_gates.item[i]);
		if (!gates[n++] || n == MAX_GATES)
			rc = err_set(e, E_INTERNAL, "stdin_gates of the brief can't be followed");
	}
	return rc ? rc : gates_judge(en, gates, n, a->stdin_content, rel, ret, e);
}

static void reply_dry(struct job *job, const struct artifact *a, const char *agent)
{
	struct jsonw j;

	buf_clear(&job->reply.result);
	jsonw_init(&j, &job->reply.result, JSONW_SPACED);
	jsonw_obj(&j);
	jsonw_kv_cstr(&j, "agent", agent);
	jsonw_key(&j, "argv");
	jsonw_arr(&j);
	for (size_t i = 0; i < a->argv.n; i++)
		jsonw_str(&j, a->argv.item[i]);
	jsonw_arr_end(&j);
	jsonw_key(&j, "exit");
	jsonw_null(&j);
	jsonw_kv_bool(&j, "ran", false);
	jsonw_obj_end(&j);
	job->reply.ok = true;
}

/* The end row of a command that had its start row and never started. */
static int close_unstarted(struct engine *en, struct exec *x, const char *why)
{
	const struct starter_result none = {.outcome = CONFINE_NOT_BUILT, .status = 125};
	const struct exec_writes no_writes = {0};
	struct errctx e = {0};

	return exec_row_end(en, x, &none, &no_writes, false, why, &e);
}

/* Is the project small enough to be looked at? Asked before anything is counted. */
static int look_first(struct engine *en, const struct exec *x, struct errctx *e)
{
	struct walk w = {0};
	int rc = x->way == WAY_UNCONFINED ? walk_take(en->dirs.root_fd, &w, e) : 0;

	walk_release(&w);
	return rc;
}

/* From here on the command belongs to x: row, start. Any failure is the request's result. */
static int start(struct engine *en, struct exec *x)
{
	struct starter_request q = request_of(&x->artifact, x->entry, x->agent, STARTER_RUN);
	struct errctx e = {0};
	int rc;

	q.timeout_s = timeout_of(x->entry, x->job.channel);
	exec_look(en, x->expected, x->n_expected);
	rc = exec_row_start(en, x, &e);
	if (rc == 0 && x->way == WAY_UNCONFINED) {
		rc = opt_out_look(en, &x->before, &e);
		if (rc != 0 && close_unstarted(en, x, e.text) != 0)
			engine_stop(en, ENGINE_FAILED, e.text);
	}
	if (rc == 0) {
		rc = starter_send_request(x->fd, &q, &e);
		if (rc != 0)
			lost(en);
	}
	if (rc != 0)
		(void)reply_refuse(&x->job.reply, &e);
	return rc;
}

void exec_begin(struct engine *en, struct job *job, struct artifact *a,
		const struct brief_command *c, const char *agent)
{
	struct exec *x = en->exec;
	struct errctx e = {0};
	struct expected *expected = NULL;
	struct gates_run judged = {0};
	size_t n_expected = 0;
	int rc;

	if (!x || x->phase != EXEC_IDLE) {
		/* Only somebody who changes a file in the queue gets here. */
		(void)reply_refuse_text(&job->reply, "another command is at work; send it again");
		return;
	}
	if (exec_declare(en, job, a, c, agent, &expected, &n_expected) != 0)
		return;
	if (exec_check_reach(x, brief_jail(en->brief, view_of(agent)), job, expected, n_expected) !=
	    0) {
		expected_free(expected, n_expected);
		return;
	}
	rc = ask_starter(en, a, c, agent, &e);
	if (rc == 0)
		rc = judge_stdin(en, a, c, &judged, &e);
	if (rc != 0) {
		(void)reply_refuse(&job->reply, &e);
		gates_quote(&job->reply, &judged);
	} else if (job->request.dry_run && job->channel == CHANNEL_ORCHESTRATOR) {
		reply_dry(job, a, agent);
	} else if (look_first(en, x, &e) != 0) {
		(void)reply_refuse(&job->reply, &e);
	} else if (identify_use(en, job, a, view_of(agent)) == 0) {
		x->job = *job;
		x->artifact = *a;
		*a = (struct artifact){0};
		x->expected = expected;
		x->n_expected = n_expected;
		x->entry = c;
		x->start_ms = clock_mono_ms();
		x->start_s = clock_wall_s();
		(void)snprintf(x->agent, sizeof(x->agent), "%s", agent);
		if (start(en, x) == 0) {
			x->phase = EXEC_RUNNING;
			job->taken = true;
			return;
		}
		walk_release(&x->before);
		job->reply = x->job.reply; /* back to the caller, who answers */
		*a = x->artifact;
		x->job = (struct job){0};
		x->artifact = (struct artifact){0};
		x->expected = NULL;
		x->n_expected = 0;
	}
	expected_free(expected, n_expected);
}

/* ---- the end ---- */

/* The same rules as before it started, then all of it or nothing. */
static int land(struct engine *en, struct exec *x, struct exec_writes *w, int upper_fd,
		struct errctx *e)
{
	int64_t bytes = 0;
	int rc = 0;

	for (size_t i = 0; i < w->landing.n && rc == 0; i++) {
		const char *rel = w->landing.file[i].path;
		struct expected now = {.rel = w->landing.file[i].path};
		struct stat st;

		rc = exec_may_write(en, x->entry, x->agent, rel, e);
		exec_look(en, &now, 1);
		if (rc == 0 && !land_base_same(&now.base, &w->landing.file[i].base, true))
			rc = err_set(e, E_CHANGED, "%s changed while the command ran", rel);
		if (rc == 0 && w->landing.file[i].op != LAND_DELETE &&
		    fstatat(upper_fd, rel, &st, AT_SYMLINK_NOFOLLOW) == 0)
			bytes += (int64_t)st.st_size;
	}
	if (rc == 0 && bytes > MAX_LANDING_BYTES)
		rc = err_set(e, E_TOOBIG,
			     "the declared files have %lld bytes together, at most %d land; give "
			     "the command a write root for large output",
			     (long long)bytes, MAX_LANDING_BYTES);
	if (rc != 0 || w->landing.n == 0)
		return rc;
	memcpy(w->landing.request, x->job.id, sizeof(w->landing.request));
	memcpy(w->landing.agent, x->agent, sizeof(w->landing.agent));
	rc = landing_stage(&en->dirs, upper_fd, &w->landing, en->mask, e);
	return rc ? rc : landing_commit(&en->dirs, &w->landing, e);
}

static const char *failure_of(const struct starter_result *r, const struct exec_writes *w,
			      char *room, size_t size)
{
	switch (r->outcome) {
	case CONFINE_TIMED_OUT:
		return "the command ran out of time and was killed";
	case STARTER_OUTCOME_STOPPED:
		return "the command was stopped";
	case STARTER_OUTCOME_DISK_FULL:
		return "the command was stopped: the disk is nearly full";
	case CONFINE_NOT_BUILT:
		(void)snprintf(room, size, "the boundary broke: %.300s", r->reason);
		return room;
	default:
		break;
	}
	if (r->survivors)
		return "the command left processes behind; they were killed";
	if (r->root_replaced)
		return "a write root was replaced while the command ran";
	if (w->total_undeclared) {
		(void)snprintf(room, size, "the command wrote %zu undeclared path%s; %s",
			       w->total_undeclared, w->total_undeclared == 1 ? "" : "s",
			       r->way == WAY_UNCONFINED
				       ? "it ran without a boundary, so they are there and can't "
					 "be undone from here"
				       : "nothing landed");
		return room;
	}
	return w->why.code ? w->why.text : NULL;
}

static int list_writes(struct engine *en, struct exec *x, const struct starter_result *r,
		       struct exec_writes *w, int *ret_upper_fd, struct errctx *e)
{
	struct overlay_changes changes = {0};
	int rc = 0;

	if (r->way == WAY_UNCONFINED)
		rc = opt_out_changes(en, &x->before, &changes, e);
	if (r->way == WAY_OVERLAY)
		rc = pathfd_open_dir(x->run_dir_fd, LAYER_UPPER, ret_upper_fd, e);
	if (rc == 0 && r->way == WAY_OVERLAY)
		rc = overlay_list(en->dirs.root_fd, *ret_upper_fd, &changes, e);
	if (rc == 0)
		exec_judge(x->expected, x->n_expected, &changes, &r->appeared, w);
	overlay_changes_release(&changes);
	return rc;
}

static void conclude(struct engine *en, struct exec *x, const struct starter_result *r)
{
	struct exec_writes w = {0};
	struct errctx e = {0}, row = {0};
	auto_fd int upper_fd = -1;
	char room[sizeof(e.text)];
	const char *failure = NULL;
	bool landed = false;
	int rc = list_writes(en, x, r, &w, &upper_fd, &e);

	if (rc == E_FORGED) {
		/* No genuine row after a false one: the start row without an end says it. */
		(void)reply_refuse(&x->job.reply, &e);
		x->job.reply.exit = EXIT_UNDECLARED;
		return;
	}
	if (rc != 0) {
		(void)snprintf(room, sizeof(room), "what it wrote can't be listed: %.300s", e.text);
		failure = room;
	} else {
		failure = failure_of(r, &w, room, sizeof(room));
	}
	if (!failure && r->outcome == CONFINE_EXITED && r->status == 0 &&
	    r->way != WAY_UNCONFINED) {
		rc = land(en, x, &w, upper_fd, &e);
		landed = rc == 0;
		if (!landed)
			failure = e.text;
	}
	rc = exec_row_end(en, x, r, &w, landed && w.landing.n > 0, failure, &row);
	/* Without its row the landing waits for the next start, which finishes it, and no other
	   command may start before. */
	if (rc != 0)
		engine_stop(en, ENGINE_FAILED, row.text);
	if (rc == 0 && landed && w.landing.n > 0 &&
	    landing_finish(&en->dirs, &w.landing, &row) != 0)
		engine_stop(en, ENGINE_FAILED, row.text);
	exec_reply(x, r, &w, landed);
	x->job.reply.ok = !failure && rc == 0;
	x->job.reply.exit = EXIT_UNDECLARED;
	if (rc != 0 && !failure) {
		(void)snprintf(room, sizeof(room),
			       "the declared files landed, but the ledger can't be written: %.250s",
			       row.text);
		failure = room;
	}
	if (failure)
		(void)err_set(&x->job.reply.error, E_DENIED, "%s", failure);
	exec_writes_release(&w);
}

/* Refused by the starter after its start row, or never built: nothing ran. */
static void conclude_unstarted(struct engine *en, struct exec *x, const char *why)
{
	struct errctx e = {0};

	(void)reply_refuse_text(&x->job.reply, "the command can't be %s: %s",
				x->way == WAY_UNCONFINED ? "started" : "confined", why);
	if (close_unstarted(en, x, x->job.reply.error.text) != 0) {
		(void)err_set(&e, E_SYS, "the end of a command can't be recorded");
		engine_stop(en, ENGINE_FAILED, e.text);
		(void)reply_refuse(&x->job.reply, &e);
	}
}

static void answer(struct engine *en, struct exec *x)
{
	char name[ID_HEX + 8];

	(void)snprintf(name, sizeof(name), "%s.json", x->job.id);
	claim_finish(en, &x->job, name, x->start_ms);
	forget(x);
	en->dirty = true;
}

void exec_event(struct engine *en)
{
	struct exec *x = en->exec;
	const struct starter_request discard = {.op = STARTER_DISCARD};
	struct starter_result r;
	struct errctx e = {0};
	int rc = starter_read_result(x->fd, &x->message, x->item, ARRAY_LEN(x->item), &r, &e);

	if (x->phase == EXEC_CLEANING) {
		if (rc == E_CLOSED)
			lost(en);
		x->phase = EXEC_IDLE;
		x->n_deferred = 0;
		en->rescan = true;
		return;
	}
	if (rc == E_CLOSED && x->way == WAY_UNCONFINED) {
		/* It may have run: only a look at the project tells. */
		r = (struct starter_result){.outcome = STARTER_OUTCOME_STOPPED,
					    .status = 128 + 9,
					    .started = true,
					    .way = WAY_UNCONFINED};
		conclude(en, x, &r);
	} else if (rc != 0) {
		conclude_unstarted(en, x, e.text);
	} else if (!r.started && r.outcome != CONFINE_NOT_RUN) {
		conclude_unstarted(en, x, r.reason[0] ? r.reason : "the boundary wasn't built");
	} else {
		conclude(en, x, &r);
	}
	answer(en, x);
	x->phase = EXEC_CLEANING;
	if (rc == E_CLOSED || starter_send_request(x->fd, &discard, &e) != 0) {
		lost(en);
		x->phase = EXEC_IDLE;
	}
}

void exec_end_service(struct engine *en)
{
	struct exec *x = en->exec;

	if (!x || x->phase != EXEC_RUNNING)
		return;
	cleanup_fd(&x->fd);
	x->phase = EXEC_IDLE;
	if (en->end == ENGINE_STOPPED) {
		const struct starter_result none = {.outcome = STARTER_OUTCOME_STOPPED,
						    .status = 128 + 15};
		const struct exec_writes no_writes = {0};
		struct errctx e = {0};

		(void)reply_refuse_text(
			&x->job.reply, "the runner was stopped while the command ran; %s",
			x->way == WAY_UNCONFINED
				? "it ran without a boundary, what it wrote is there"
				: "nothing of it landed");
		if (exec_row_end(en, x, &none, &no_writes, false, x->job.reply.error.text, &e) == 0)
			answer(en, x);
	}
}

/* ---- commands that wait ---- */

/* A hint for the order of service: after the claim the file is read again and judged. */
static bool looks_like_command(struct engine *en, enum channel channel, const char *name)
{
	auto_fd int fd = openat(en->dirs.fd[FOLDER_REQUESTS + (int)channel], name,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	auto_buf struct buf text;
	struct request r = {0};
	struct stat st;
	bool is;

	buf_init(&text, MAX_REQUEST_BYTES + 1);
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    io_read_all(fd, &text, MAX_REQUEST_BYTES) != 0)
		return false;
	is = request_parse(buf_view(&text), &r, NULL) == 0 && r.kind == REQUEST_RUN;
	request_release(&r);
	explicit_bzero(text.data, text.len);
	return is;
}

bool exec_defers(struct engine *en, enum channel channel, const char *name)
{
	struct exec *x = en->exec;

	if (!exec_is_busy(en))
		return false;
	for (size_t i = 0; i < x->n_deferred; i++)
		if (strncmp(x->deferred[i], name, ID_HEX) == 0)
			return true;
	if (!looks_like_command(en, channel, name))
		return false;
	if (x->n_deferred < MAX_DEFERRED) {
		memcpy(x->deferred[x->n_deferred], name, ID_HEX);
		x->deferred[x->n_deferred++][ID_HEX] = '\0';
	}
	return true;
}
