/* SPDX-License-Identifier: MIT */
/*
 * Heartbeat and status file (file 21, section 7 and 29.30): written by the engine's own loop, so
 * that an engine that hangs stops its heart by itself. System. Failure rule: a failed beat is
 * remembered, shown and tried again. Tests: tests/e2e/runner-wait.tap.
 */
#include "base/base.h"

#include "runner/engine.h"
#include "runner/exec.h"

#include "base/atomicfile.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* By rename, but without waiting for the disk: nothing here has to outlive a crash. */
static int replace(int dir_fd, const char *name, struct view text, struct errctx *e)
{
	char temp[64];
	auto_fd int fd = -1;

	(void)snprintf(temp, sizeof(temp), ".%s.new", name);
	fd = openat(dir_fd, temp, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text.ptr, text.len) != (ssize_t)text.len ||
	    renameat(dir_fd, temp, dir_fd, name) != 0)
		return err_sys(e, "%s can't be written", name);
	return 0;
}

void status_grants(struct engine *en)
{
	struct errctx e = {0};

	en->n_grants = 0;
	for (size_t i = 0; i < en->brief->n_grants && en->n_grants < MAX_ACTIVE_GRANTS; i++) {
		const struct brief_grant *wish = &en->brief->grants[i];
		struct ask_grant *g = &en->grants[en->n_grants];

		if (!wish->wants_direct)
			continue;
		if (engine_asked(en, ask_grant(&en->ask, wish->slug, g, &e), &e) != 0)
			return;
		en->n_grants += g->known;
	}
}

static void emit_grants(const struct engine *en, struct jsonw *w)
{
	jsonw_key(w, "grants");
	jsonw_arr(w);
	for (size_t i = 0; i < en->n_grants; i++) {
		const struct ask_grant *g = &en->grants[i];
		char time[26];

		clock_iso8601(g->query.expires, time);
		jsonw_obj(w);
		jsonw_kv_cstr(w, "agent", g->agent);
		jsonw_kv_cstr(w, "expires", time);
		jsonw_kv_cstr(w, "grant_id", g->id);
		jsonw_kv_int(w, "max_writes", g->query.max_writes);
		jsonw_kv_int(w, "writes", g->query.used);
		jsonw_obj_end(w);
	}
	jsonw_arr_end(w);
}

static void emit_status(const struct engine *en, struct buf *out)
{
	struct jsonw w;
	char time[26];

	clock_iso8601(en->started_s, time);
	jsonw_init(&w, out, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "brief_sha256", en->brief->sha256);
	jsonw_kv_bool(&w, "clock_suspect", en->clock_suspect);
	exec_emit_status(en, &w);
	jsonw_kv_cstr(&w, "confined_file_sha256",
		      en->brief->operator_sha256[0] ? en->brief->operator_sha256 : NULL);
	jsonw_kv_bool(&w, "confinement", en->confined);
	if (en->n_grants)
		emit_grants(en, &w);
	jsonw_kv_cstr(&w, "last_error", en->last_error[0] ? en->last_error : NULL);
	jsonw_key(&w, "paused");
	jsonw_obj(&w);
	for (unsigned c = N_CHANNELS; c-- > 0;) {
		if (en->paused[c][0])
			jsonw_kv_cstr(&w, channel_name((enum channel)c), en->paused[c]);
	}
	jsonw_obj_end(&w);
	jsonw_kv_int(&w, "pid", getpid());
	jsonw_kv_int(&w, "refused", en->refused);
	jsonw_kv_int(&w, "served", en->served);
	jsonw_kv_cstr(&w, "server_sha256", en->pins.copy.sha256[0] ? en->pins.copy.sha256 : NULL);
	jsonw_kv_int(&w, "staged", (int64_t)en->store.n);
	jsonw_kv_cstr(&w, "started", time);
	jsonw_kv_int(&w, "started_boot_ms", en->started_boot_ms);
	jsonw_kv_int(&w, "torn_bytes", en->torn);
	jsonw_obj_end(&w);
}

int status_beat(struct engine *en, struct errctx *e)
{
	auto_buf struct buf text = {0};
	char beat[64];
	int64_t now = clock_wall_ns();
	int n = snprintf(beat, sizeof(beat), "%lld.%06lld", (long long)(now / 1000000000),
			 (long long)(now % 1000000000 / 1000));
	int rc = replace(en->dirs.fd[FOLDER_STATE], HEARTBEAT, (struct view){beat, (size_t)n}, e);

	if (rc != 0)
		return rc;
	buf_init(&text, 16384);
	emit_status(en, &text);
	if (buf_error(&text) || (text.len == en->status.len && en->status.len &&
				 memcmp(text.data, en->status.data, text.len) == 0))
		return 0; /* nothing new */
	rc = replace(en->dirs.fd[FOLDER_STATE], STATUS_FILE, buf_view(&text), e);
	if (rc == 0) {
		buf_clear(&en->status);
		(void)buf_put_view(&en->status, buf_view(&text));
	}
	return rc;
}

void status_remove(struct engine *en)
{
	(void)unlinkat(en->dirs.fd[FOLDER_STATE], HEARTBEAT, 0);
	(void)unlinkat(en->dirs.fd[FOLDER_STATE], STATUS_FILE, 0);
}
