/* SPDX-License-Identifier: MIT */
/*
 * Report lines back into a result (launcher/spec.h). Strict: a report that can't be followed, or
 * that contradicts the exit status, is "not built". System (reads the pipe). Covered by
 * tests/unit/launcher/t_spec.c.
 */
#include "base/base.h"
#include "launcher/spec.h"

#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/limits.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>

void confine_result_release(struct confine_result *r)
{
	for (size_t i = 0; i < r->n_appeared; i++)
		free(r->appeared[i]);
	free(r->denials);
	*r = (struct confine_result){0};
}

static int take_exit(const struct json *j, struct confine_result *ret)
{
	int64_t status, signal_number, survivors;
	bool timed_out, started;
	const struct json *appeared = json_member(j, "appeared");
	const struct json *denials = json_member(j, "denials");

	if (json_get_int(json_member(j, "status"), &status) < 0 ||
	    json_get_int(json_member(j, "signal"), &signal_number) < 0 ||
	    json_get_int(json_member(j, "survivors"), &survivors) < 0 ||
	    json_get_bool(json_member(j, "timed_out"), &timed_out) < 0 ||
	    json_get_bool(json_member(j, "started"), &started) < 0 || status < 0 || status > 255 ||
	    signal_number < 0 || signal_number > 128 || survivors < 0 ||
	    !json_is(appeared, JSON_ARRAY))
		return E_SYNTAX;
	ret->status = (int)status;
	ret->signal = (int)signal_number;
	ret->survivors = (unsigned)survivors;
	ret->started = started;
	if (timed_out)
		ret->outcome = CONFINE_TIMED_OUT;
	else if (!started)
		ret->outcome = status == 126 || status == 127 ? CONFINE_NOT_RUN : CONFINE_NOT_BUILT;
	else
		ret->outcome = signal_number ? CONFINE_SIGNALLED : CONFINE_EXITED;
	for (const struct json *c = json_first(appeared); c; c = json_next(c)) {
		struct view name;

		if (json_get_str(c, &name) < 0)
			return E_SYNTAX;
		if (ret->n_appeared < CONFINE_MAX_APPEARED) {
			ret->appeared[ret->n_appeared] = strndup(name.ptr, name.len);
			if (!ret->appeared[ret->n_appeared])
				return E_NOMEM;
			ret->n_appeared++;
		}
	}
	if (json_is(denials, JSON_ARRAY) && json_count(denials) > 0) {
		auto_buf struct buf b;
		struct jsonw w;

		buf_init(&b, MAX_REPORT_BYTES);
		jsonw_init(&w, &b, JSONW_COMPACT);
		jsonw_value(&w, denials);
		if (buf_error(&b))
			return buf_error(&b);
		ret->denials = buf_steal(&b);
	}
	return 0;
}

static int take_line(struct view line, struct confine_result *ret, bool *done, struct errctx *e)
{
	auto_json struct json *j = NULL;
	struct view event, detail;
	int64_t abi = 0, filters = 0;
	int r = json_parse(line, &j, e);

	if (r < 0)
		return E_SYNTAX;
	if (json_get_str(json_member(j, "event"), &event) < 0)
		return err_set(e, E_SYNTAX, "report: a line without an event");
	if (view_is(event, "refused") || view_is(event, "failed")) {
		if (json_get_str(json_member(j, "detail"), &detail) < 0)
			return err_set(e, E_SYNTAX, "report: a refusal without a reason");
		(void)snprintf(ret->reason, sizeof(ret->reason), "%.*s", (int)detail.len,
			       detail.ptr);
		ret->outcome = view_is(event, "refused") ? CONFINE_REFUSED : CONFINE_NOT_BUILT;
		ret->status = ret->outcome == CONFINE_REFUSED ? 2 : 125;
		*done = true;
		return 0;
	}
	if (view_is(event, "ready")) {
		if (json_get_int(json_member(j, "abi"), &abi) < 0 ||
		    json_get_int(json_member(j, "seccomp"), &filters) < 0)
			return err_set(e, E_SYNTAX, "report: a damaged ready event");
		ret->fully_enforced = abi >= 3 && filters >= 2;
		return 0;
	}
	if (view_is(event, "exit")) {
		bool failed = ret->outcome == CONFINE_NOT_BUILT;

		r = take_exit(j, ret);
		if (failed) /* the line before said why */
			ret->outcome = CONFINE_NOT_BUILT;
		*done = true;
		return r < 0 ? err_set(e, E_SYNTAX, "report: a damaged exit event") : 0;
	}
	return 0; /* events of the proxy, and ones of later versions */
}

int confine_report_parse(struct view lines, struct confine_result *ret, struct errctx *e)
{
	struct confine_result result = {0};
	bool done = false;
	int r = 0;

	while (r == 0 && lines.len) {
		const char *end = view_chr(lines, '\n');
		size_t n = end ? (size_t)(end - lines.ptr) : 0;

		if (!end) {
			r = err_set(e, E_SYNTAX, "report: the last line isn't whole");
			break;
		}
		r = take_line((struct view){lines.ptr, n}, &result, &done, e);
		lines = (struct view){end + 1, lines.len - n - 1};
	}
	if (r == 0 && !done)
		r = err_set(e, E_SYNTAX, "report: no last event");
	if (r < 0)
		confine_result_release(&result);
	else
		*ret = result;
	return r;
}

/* Reads what is there until the writer is gone; the launcher has ended, so that isn't long. */
static int read_report(int fd, struct buf *out)
{
	return io_read_all(fd, out, MAX_REPORT_BYTES);
}

int confine_finish(struct confine_run *run, int timeout_ms, struct confine_result *ret,
		   struct errctx *e)
{
	auto_buf struct buf text;
	struct errctx mine = {0};
	int status = 0, code, r;

	buf_init(&text, MAX_REPORT_BYTES);
	/* A long report would block the launcher: it is read while it runs. */
	for (int64_t deadline = timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms;;) {
		struct pollfd p = {run->report_fd, POLLIN, 0};
		int64_t left = deadline < 0 ? -1 : deadline - clock_mono_ms();

		if (deadline >= 0 && left < 0)
			left = 0;
		r = poll(&p, 1, left > 3600000 ? 3600000 : (int)left);
		if (r < 0 && errno == EINTR)
			continue;
		if (r == 0)
			return err_set(e, E_TIMEOUT, "the command is still running");
		break;
	}
	r = read_report(run->report_fd, &text);
	(void)close(run->report_fd);
	run->report_fd = -1;
	code = proc_wait(&run->proc, -1, &status, e);
	if (code < 0)
		return code;
	code = proc_exit_code(status);
	if (r == 0)
		r = confine_report_parse(buf_view(&text), ret, &mine);
	if (r < 0 || ret->status != code) {
		struct confine_result broken = {.outcome = CONFINE_NOT_BUILT, .status = code};

		if (r == 0)
			confine_result_release(ret);
		(void)snprintf(broken.reason, sizeof(broken.reason),
			       "the report doesn't fit status %d", code);
		*ret = broken;
	}
	return 0;
}
