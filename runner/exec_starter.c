/* SPDX-License-Identifier: MIT */
/*
 * The starter's loop: reads one request after the other, looks up what the brief says about it,
 * runs it, answers. It believes nothing that it can look up itself: a request for a command that is
 * on no allow list means that the engine isn't the engine any more, and ends the process. System.
 * Tests: tests/e2e/runner-command.tap.
 */
#include "base/base.h"

#include "runner/exec.h"

#include "base/atomicfile.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/pathfd.h"
#include "launcher/overlay.h"
#include "launcher/spec.h"
#include "runner/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_listed(const struct starter_config *c, const struct starter_request *q)
{
	const struct brief_agent *agent = brief_agent(c->brief, q->agent);
	const char *why;
	const struct brief_command *entry = command_match(agent, &q->argv, &why);

	return entry && view_eq(entry->cwd, q->cwd);
}

static int serve_command(const struct starter_config *c, const struct starter_request *q,
			 struct exec_done *done, struct errctx *e)
{
	struct exec_plan plan = {0};
	int rc = exec_check_command(c, q, &plan, e);

	if (rc == 0 && q->op == STARTER_RUN)
		rc = exec_run(c, q, &plan, done, e);
	exec_plan_release(&plan);
	return rc;
}

/* A fresh copy for each gate, which nobody can change (file 21, 29.18). */
static int put_candidate(const struct starter_config *c, const struct starter_request *q,
			 struct errctx *e)
{
	const char *slash = strrchr(q->path.ptr, '/');
	auto_fd int fd = -1;

	if (mkdirat(c->run_dir_fd, "candidate", 0700) != 0 && errno != EEXIST)
		return err_sys(e, "the gate's folder");
	fd = openat(c->run_dir_fd, "candidate", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "the gate's folder");
	return atomicfile_put(fd, slash ? slash + 1 : q->path.ptr, q->content, 0444, COMMIT_REPLACE,
			      e);
}

static void drop_candidate(const struct starter_config *c, const struct starter_request *q)
{
	const char *slash = strrchr(q->path.ptr, '/');
	auto_fd int fd =
		openat(c->run_dir_fd, "candidate", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		(void)unlinkat(fd, slash ? slash + 1 : q->path.ptr, 0);
}

/* A gate judges; one that writes to the project is no judge. */
static int check_gate_writes(const struct starter_config *c, struct errctx *e)
{
	struct overlay_changes changes = {0};
	auto_fd int upper = -1;
	int rc = 0;

	if (c->way == WAY_READ_ONLY || c->way == WAY_UNCONFINED)
		return 0; /* nothing was collected; without a boundary the engine looks */
	rc = pathfd_open_dir(c->run_dir_fd, LAYER_UPPER, &upper, e);

	if (rc == 0)
		rc = overlay_list(c->root_fd, upper, &changes, e);
	if (rc == 0 && changes.n > 0)
		rc = err_set(e, E_DENIED, "the gate wrote to the project: %s", changes.v[0].path);
	overlay_changes_release(&changes);
	return rc;
}

static int serve_gate(const struct starter_config *c, struct starter_request *q,
		      struct exec_done *done, struct errctx *e)
{
	const struct brief_gate *g = brief_gate(c->brief, q->gate);
	auto_free char *path = strndup(q->path.ptr, q->path.len);
	struct exec_plan plan = {0};
	int rc;

	if (!g || !path)
		return err_set(e, E_SYNTAX, "no gate of the brief");
	q->path.ptr = path; /* ended */
	q->argv = g->argv;
	q->timeout_s = fault_point("gate-clock") ? 1 : GATE_SECONDS;
	rc = exec_check_gate(c, q, g, &plan, e);
	if (rc == 0)
		rc = put_candidate(c, q, e);
	if (rc == 0)
		rc = exec_run(c, q, &plan, done, e);
	drop_candidate(c, q);
	if (rc == 0 && done->result.started)
		rc = check_gate_writes(c, e);
	exec_plan_release(&plan);
	ignored(exec_discard(c, NULL));
	return rc;
}

static int serve_one(const struct starter_config *c, struct starter_request *q,
		     struct exec_done *done, struct errctx *e)
{
	switch (q->op) {
	case STARTER_CHECK:
	case STARTER_RUN:
		if (!is_listed(c, q)) {
			log_error("starter: the engine asks for a command that is on no list");
			return E_SYNTAX;
		}
		return serve_command(c, q, done, e);
	case STARTER_GATE:
		return serve_gate(c, q, done, e);
	case STARTER_DISCARD:
		return exec_discard(c, e);
	case N_STARTER_OPS:
		break;
	}
	return E_SYNTAX;
}

void starter_serve(const struct starter_config *c)
{
	struct view item[MAX_ARGV_ITEMS];
	auto_buf struct buf message;

	buf_init(&message, MAX_KEEPER_MESSAGE_BYTES);
	ignored(exec_discard(c, NULL)); /* of a run that a crash ended */
	for (;;) {
		struct starter_request q;
		struct exec_done done = {0};
		struct errctx e = {0};
		int rc;

		buf_clear(&message);
		buf_trim(&message, 65536);
		if (starter_read_request(c->fd, &message, item, MAX_ARGV_ITEMS, &q, &e) != 0)
			return;
		rc = serve_one(c, &q, &done, &e);
		if (rc == E_SYNTAX && !e.code)
			return;
		if (rc != 0 && !e.code)
			(void)err_set(&e, rc, "internal: %s", err_name(rc));
		rc = rc ? starter_send_refusal(c->fd, &e) : starter_send_result(c->fd, &done);
		exec_done_release(&done);
		if (rc != 0)
			return;
	}
}
