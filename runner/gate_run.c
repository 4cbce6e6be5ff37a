/* SPDX-License-Identifier: MIT */
/*
 * Gates judge content before it is staged or written (file 21, section 16; file 22, section 11).
 * Each runs in the second starter, confined without network and without a write root, on a fresh
 * read-only copy. System. Failure rule: what can't be judged is refused. Tests:
 * tests/e2e/runner-gates.tap.
 */
#include "base/base.h"

#include "runner/gates.h"
#include "runner/exec_state.h"

#include "launcher/spec.h"

/* The last GATE_SAID_CHARS characters; v is UTF-8. */
static struct view tail(struct view v)
{
	size_t at, chars = 0;

	while (v.len && (v.ptr[v.len - 1] == '\n' || v.ptr[v.len - 1] == ' '))
		v.len--;
	at = v.len;
	while (at > 0 && chars < GATE_SAID_CHARS) {
		at--;
		chars += ((unsigned char)v.ptr[at] & 0xc0) != 0x80;
	}
	return (struct view){v.ptr + at, v.len - at};
}

static int verdict(const struct brief_gate *g, const struct starter_result *r,
		   struct view *ret_said, struct errctx *e)
{
	int name = (int)g->name.len;

	switch (r->outcome) {
	case CONFINE_EXITED:
	case CONFINE_SIGNALLED:
		break;
	case CONFINE_TIMED_OUT:
		return err_set(e, E_DENIED, "gate \"%.*s\" ran out of time", name, g->name.ptr);
	case STARTER_OUTCOME_DISK_FULL:
		return err_set(e, E_DENIED, "gate \"%.*s\" was stopped: the disk is nearly full",
			       name, g->name.ptr);
	default:
		return err_set(e, E_DENIED, "gate \"%.*s\" can't be run: %.200s", name, g->name.ptr,
			       r->reason[0] ? r->reason : "it didn't start");
	}
	if (r->survivors)
		return err_set(e, E_DENIED, "gate \"%.*s\" left processes behind", name,
			       g->name.ptr);
	if (r->status == 0)
		return 0;
	*ret_said = tail(r->err.len ? r->err : r->out);
	return err_set(e, E_DENIED, "gate \"%.*s\" refuses it (exit %d)", name, g->name.ptr,
		       r->status);
}

static int judge_one(struct engine *en, const struct brief_gate *g, struct view content,
		     const char *rel, struct gate_result *ret, struct view *ret_said,
		     struct errctx *e)
{
	const struct starter_request q = {.op = STARTER_GATE,
					  .gate = g->name,
					  .path = view_of(rel),
					  .cwd = VIEW("."),
					  .content = content,
					  .has_stdin = false};
	struct exec *x = en->exec;
	struct starter_result r;
	struct errctx why = {0};
	int rc = starter_send_request(x->gate_fd, &q, &why);

	if (rc == 0 && !engine_wait(en, x->gate_fd)) {
		cleanup_fd(&x->gate_fd); /* the starter kills it */
		return err_set(e, E_DENIED, "the runner was stopped while gate \"%.*s\" ran",
			       (int)g->name.len, g->name.ptr);
	}
	if (rc == 0)
		rc = starter_read_result(x->gate_fd, &x->gate_message, x->gate_item,
					 ARRAY_LEN(x->gate_item), &r, &why);
	if (rc == E_CLOSED)
		engine_stop(en, ENGINE_NO_STARTER, "the process that starts gates ended");
	if (rc != 0)
		return err_set(e, E_DENIED, "gate \"%.*s\" can't be run: %s", (int)g->name.len,
			       g->name.ptr, why.text);
	*ret = (struct gate_result){.gate = g->name,
				    .confined = exec_confined_word(x->way),
				    .exit = r.status,
				    .duration_ms = r.duration_ms};
	return verdict(g, &r, ret_said, e);
}

/* Without a boundary a gate could write to the project, which the judged one mustn't. */
static int judge_watched(struct engine *en, const struct brief_gate *g, struct view content,
			 const char *rel, struct gate_result *ret, struct view *ret_said,
			 struct errctx *e)
{
	struct overlay_changes changes = {0};
	struct walk before = {0};
	struct errctx why = {0};
	int name = (int)g->name.len, rc = opt_out_look(en, &before, e);

	if (rc != 0)
		return rc;
	rc = judge_one(en, g, content, rel, ret, ret_said, e);
	if (opt_out_changes(en, &before, &changes, &why) != 0)
		rc = err_set(e, E_DENIED, "gate \"%.*s\": %s", name, g->name.ptr, why.text);
	else if (changes.n > 0)
		rc = err_set(
			e, E_DENIED,
			"gate \"%.*s\" wrote to the project: %s; it ran without a boundary, so "
			"that is there",
			name, g->name.ptr, changes.v[0].path);
	overlay_changes_release(&changes);
	walk_release(&before);
	return rc;
}

int gates_judge(struct engine *en, const struct brief_gate *const *gates, size_t n,
		struct view content, const char *rel, struct gates_run *ret, struct errctx *e)
{
	static struct gate_result results[MAX_GATES];
	int rc = 0;

	*ret = (struct gates_run){0};
	if (n == 0)
		return 0;
	if (!en->exec || en->exec->gate_fd < 0)
		return err_set(e, E_DENIED,
			       "gate \"%.*s\" has to judge %s, and this runner can't start gates",
			       (int)gates[0]->name.len, gates[0]->name.ptr, rel);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = en->exec->way == WAY_UNCONFINED
			     ? judge_watched(en, gates[i], content, rel, &results[i], &ret->said, e)
			     : judge_one(en, gates[i], content, rel, &results[i], &ret->said, e);
	if (rc == 0)
		*ret = (struct gates_run){results, n};
	return rc;
}

void gates_quote(struct reply *r, const struct gates_run *run)
{
	if (run->said.len == 0)
		return;
	reply_detail(r, VIEW(": "));
	reply_detail(r, run->said);
}
