/* SPDX-License-Identifier: MIT */
/*
 * A command that a crash interrupted (file 21, 29.7; file 00, D14): its landing is undone or
 * finished as the journal says, its row is closed, its sender is told. System. Failure rule:
 * service doesn't start. Tests: tests/fault/runner-landing.tap.
 */
#include "base/base.h"

#include "runner/exec_state.h"

#include <stdio.h>

static int close_row(struct engine *en, const char *request, const struct landing *l,
		     const char *error, struct errctx *e)
{
	struct row r = {.action = ROW_RUN_REQUEST};
	auto_buf struct buf text;
	struct view *names = calloc(l ? l->n + 1 : 1, sizeof(*names));
	int rc;

	buf_init(&text, MAX_PATH_BYTES * 4);
	if (!names)
		return err_set(e, E_NOMEM, "no memory");
	row_str(&r, KEY_REQUEST, view_of(request));
	row_int(&r, KEY_RECOVERED, 1);
	if (error)
		row_str(&r, KEY_ERROR, view_of(error));
	if (l) {
		row_str(&r, KEY_AGENT, view_of(l->agent));
		row_int(&r, KEY_EXIT, l->exit);
		row_int(&r, KEY_DURATION, l->duration_ms);
		for (size_t i = 0; i < l->n; i++)
			names[i] = view_of(l->file[i].path);
		row_list(&r, KEY_LANDED, names, l->n);
	}
	rc = engine_asked(en, ask_row(&en->ask, &r, e), e);
	free(names);
	return rc;
}

/* *ret_landed: everything is in place now. told: the ledger has the end of this command, so the
 * old files may be gone already and nothing can be turned back any more. */
static int settle_landing(struct engine *en, struct landing *l, bool told, bool *ret_landed,
			  struct errctx *e)
{
	struct errctx why = {0};

	*ret_landed = l->commit && told;
	if (*ret_landed)
		return 0;
	if (!l->commit)
		return landing_undo(&en->dirs, l, e);
	if (landing_commit(&en->dirs, l, &why) == 0) {
		*ret_landed = true;
		return 0;
	}
	if (why.code != E_CHANGED)
		return err_set(e, why.code, "an interrupted landing can't be finished: %s",
			       why.text);
	log_event(en, "landing", why.text); /* turned back */
	return 0;
}

int exec_recover(struct engine *en, const struct ask_state *state, struct errctx *e)
{
	const char *nothing = state->open_bare ? "interrupted; it ran without a boundary, what it "
						 "wrote is there"
					       : "interrupted; nothing of it landed";
	struct exec *x = en->exec;
	struct landing l = {0};
	bool landed = false;
	int rc = journal_read(&en->dirs, &l, e);
	bool have = rc == 0;

	if (rc != 0 && rc != E_NOENT)
		return rc;
	rc = 0;
	if (e)
		*e = (struct errctx){0};
	if (have) {
		rc = settle_landing(en, &l, strcmp(state->open_run, l.request) != 0, &landed, e);
		log_event(en, "landing",
			  landed ? "an interrupted landing was finished"
				 : "an interrupted landing was undone");
	}
	if (rc == 0 && state->open_run[0])
		rc = close_row(en, state->open_run, landed ? &l : NULL, landed ? NULL : nothing, e);
	if (rc == 0 && landed)
		rc = landing_finish(&en->dirs, &l, e);
	if (rc == 0 && x && (have || state->open_run[0])) {
		memcpy(x->recovered, have ? l.request : state->open_run, sizeof(x->recovered));
		x->recovered_landed = landed;
		x->recovered_bare = state->open_bare;
	}
	landing_release(&l);
	return rc;
}

void exec_recovered_reply(const struct engine *en, const struct ask_row *row, struct reply *r)
{
	const struct exec *x = en->exec;

	if (!x || !view_is(row->request, x->recovered)) {
		(void)reply_refuse_text(r, "interrupted: the command ended and its output is lost; "
					   "the ledger's run-request row says what landed");
		return;
	}
	if (!x->recovered_landed) {
		(void)reply_refuse_text(
			r, "interrupted: the runner ended while the command ran; %s",
			x->recovered_bare ? "it ran without a boundary, what it wrote is there"
					  : "nothing of it landed");
		return;
	}
	(void)reply_refuse_text(r, "interrupted: the command ended with 0 and its declared files "
				   "landed; its output is lost");
	r->exit = EXIT_INTERNAL_FAULT;
}
