/* SPDX-License-Identifier: MIT */
/*
 * What the status file says of commands: how this host lets them run, the one at work without its
 * arguments (they may hold secrets), how many wait. System (looks whether waiting ones are still
 * there). Tests: tests/e2e/runner-wait.tap.
 */
#include "base/base.h"

#include "runner/exec_state.h"

#include "base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

const char *starter_way_name(enum starter_way way)
{
	switch (way) {
	case WAY_OVERLAY:
		return "overlay";
	case WAY_READ_ONLY:
		return "read-only";
	case WAY_UNCONFINED:
		return UNCONFINED;
	case WAY_NONE:
	case N_STARTER_WAYS:
		break;
	}
	return NULL;
}

/* A waiting command may have been taken back by its sender. */
static bool still_waits(const struct engine *en, const char *id)
{
	char name[ID_HEX + 8];

	(void)snprintf(name, sizeof(name), "%s.json", id);
	for (int c = 0; c < N_CHANNELS; c++) {
		struct stat st;
		int fd = en->dirs.fd[FOLDER_REQUESTS + c];

		if (fd >= 0 && fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			return true;
	}
	return false;
}

static size_t count_waiting(const struct engine *en, const struct exec *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_deferred; i++)
		n += still_waits(en, x->deferred[i]);
	return n;
}

static void emit_running(const struct exec *x, struct jsonw *w)
{
	char time[26];

	jsonw_key(w, "running");
	if (x->phase != EXEC_RUNNING) {
		jsonw_null(w);
		return;
	}
	clock_iso8601(x->start_s, time);
	jsonw_obj(w);
	jsonw_kv_cstr(w, "agent", x->agent);
	jsonw_kv_str(w, "program", artifact_excerpt(x->artifact.argv.item[0]));
	jsonw_kv_cstr(w, "request", x->job.id);
	jsonw_kv_cstr(w, "since", time);
	jsonw_obj_end(w);
}

void exec_emit_status(const struct engine *en, struct jsonw *w)
{
	const struct exec *x = en->exec;

	jsonw_key(w, "commands");
	jsonw_obj(w);
	jsonw_kv_cstr(w, "confined", x ? starter_way_name(x->way) : NULL);
	if (x)
		emit_running(x, w);
	jsonw_kv_int(w, "waiting", x ? (int64_t)count_waiting(en, x) : 0);
	jsonw_kv_cstr(w, "why", x && x->why[0] ? x->why : NULL);
	jsonw_obj_end(w);
}
