/* SPDX-License-Identifier: MIT */
/*
 * Rows of refusals. One that costs its sender nothing (no nonce stands behind it) is written once
 * and then counted for a while, so that nobody can fill the ledger (file 22, 20.32). System (asks
 * the keeper). Failure rule: the request is answered all the same; a tampered ledger ends service.
 * Tests: tests/e2e/runner-proposals.tap.
 */
#include "base/base.h"

#include "runner/engine.h"

#include <stdio.h>

static void write_row(struct engine *en, enum row_action action, enum channel channel,
		      struct view agent, struct view reason, struct view request, struct view path,
		      struct view sid, int64_t count)
{
	struct row r = {.action = action};
	struct errctx e = {0};

	row_str(&r, KEY_AGENT, agent);
	row_str(&r, KEY_REASON, artifact_excerpt(reason));
	row_str(&r, KEY_CHANNEL, view_of(channel_name(channel)));
	if (request.ptr)
		row_str(&r, KEY_REQUEST, request);
	if (path.ptr)
		row_str(&r, KEY_PATH, path);
	if (sid.ptr)
		row_str(&r, KEY_SID, sid);
	if (count > 1)
		row_int(&r, KEY_COUNT, count);
	en->dirty = true;
	if (engine_asked(en, ask_row(&en->ask, &r, &e), &e) != 0)
		(void)snprintf(en->last_error, sizeof(en->last_error), "%s", e.text);
}

void refuse_flush(struct engine *en, bool all)
{
	int64_t now = boot_ms();

	for (unsigned c = 0; c < N_CHANNELS; c++) {
		struct fold *f = &en->fold[c];

		if (!f->action || (!all && now - f->since_ms < 1000 * (int64_t)FOLD_SECONDS))
			continue;
		if (f->count > 0)
			write_row(en, f->action, (enum channel)c, VIEW("?"), view_of(f->reason),
				  (struct view){0}, (struct view){0}, (struct view){0}, f->count);
		*f = (struct fold){0};
	}
}

void refuse_row(struct engine *en, const struct job *job, enum row_action action, struct view agent,
		struct view path, struct view sid)
{
	const char *reason = job->reply.error.text;
	struct fold *f = &en->fold[job->channel];

	if (en->ending)
		return; /* the keeper is gone or the ledger isn't to be trusted */
	if (!view_is(agent, "?")) {
		write_row(en, action, job->channel, agent, view_of(reason), view_of(job->id), path,
			  sid, 1);
		return;
	}
	refuse_flush(en, false);
	if (f->action == action && strncmp(f->reason, reason, sizeof(f->reason) - 1) == 0) {
		f->count++;
		return;
	}
	if (f->action && f->count > 0)
		write_row(en, f->action, job->channel, VIEW("?"), view_of(f->reason),
			  (struct view){0}, (struct view){0}, (struct view){0}, f->count);
	write_row(en, action, job->channel, agent, view_of(reason), view_of(job->id), path, sid, 1);
	*f = (struct fold){.action = action, .since_ms = boot_ms()};
	(void)snprintf(f->reason, sizeof(f->reason), "%.120s", reason);
}
