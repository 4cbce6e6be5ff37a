/* SPDX-License-Identifier: MIT */
/*
 * One line for each request and each event, never with content, paths or nonces (file 21, 29.31).
 * Text or JSON, to standard error or syslog. System. Tests: tests/e2e/runner-service.tap.
 */
#include "base/base.h"

#include "runner/engine.h"

#include "base/clock.h"
#include "base/log.h"

#include <stdio.h>

static void emit_json(struct buf *out, const char *event, const struct job *job, int64_t serve_ms,
		      const char *text)
{
	struct jsonw w;
	char time[26];

	clock_iso8601(clock_wall_s(), time);
	jsonw_init(&w, out, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "time", time);
	jsonw_kv_cstr(&w, "event", event);
	if (job) {
		const char *kind = request_kind_name(job->request.kind);

		jsonw_kv_cstr(&w, "id", job->id);
		jsonw_kv_cstr(&w, "channel", channel_name(job->channel));
		jsonw_kv_cstr(&w, "kind", kind ? kind : "?");
		jsonw_kv_cstr(&w, "agent", job->reply.agent[0] ? job->reply.agent : "?");
		jsonw_kv_cstr(&w, "outcome", job->reply.ok ? "ok" : "refused");
		jsonw_kv_int(&w, "queue_wait_ms", job->queue_wait_ms);
		jsonw_kv_int(&w, "serve_ms", serve_ms);
	}
	if (text)
		jsonw_kv_cstr(&w, "text", text);
	jsonw_obj_end(&w);
}

static void write_json(const char *event, const struct job *job, int64_t serve_ms, const char *text)
{
	auto_buf struct buf line;

	buf_init(&line, MAX_LOG_LINE_BYTES);
	emit_json(&line, event, job, serve_ms, text);
	if (!buf_error(&line))
		log_object(buf_view(&line));
}

void log_request(const struct engine *en, const struct job *job, int64_t serve_ms)
{
	const char *kind = request_kind_name(job->request.kind);

	if (en->opt->log_json) {
		write_json("request", job, serve_ms, NULL);
		return;
	}
	log_info("request id=%s channel=%s kind=%s agent=%s outcome=%s wait_ms=%lld serve_ms=%lld",
		 job->id, channel_name(job->channel), kind ? kind : "?",
		 job->reply.agent[0] ? job->reply.agent : "?", job->reply.ok ? "ok" : "refused",
		 (long long)job->queue_wait_ms, (long long)serve_ms);
}

void log_event(const struct engine *en, const char *event, const char *text)
{
	if (en->opt->log_json)
		write_json(event, NULL, 0, text);
	else
		log_warn("%s: %s", event, text);
}
