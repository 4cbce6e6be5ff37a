/* SPDX-License-Identifier: MIT */
/*
 * One event in, one decision out. Order: limits, the operator's files, the filter, the event, the
 * decision. Exit: 0 without output (nothing to say), 0 with a decision (ask), 2 with the reason on
 * standard error (deny, which every client honours; the decision stands on standard output too);
 * failures by --fail. Test: tests/e2e/t040*.tap.
 */
#include "base/base.h"

#include "gate/gate_cmd.h"

#include "base/clock.h"
#include "base/custody.h"
#include "base/hex.h"
#include "base/io.h"
#include "base/limits.h"
#include "gate/approve.h"
#include "gate/audit.h"
#include "gate/event.h"
#include "gate/reply.h"
#include "gate/toolrule.h"

#include <errno.h>

struct session {
	const struct options *o;
	struct op_rules rules;
	struct buf approvals;
	uint8_t key[32];
	bool has_key;
	int log_fd;
};

static void load_files(struct session *s, struct arena *a)
{
	struct errctx e = {0};

	if (rules_load(a, s->o, &s->rules, &e) != 0)
		guard_fail("the operator's rules can't be used", e.text);
	if (s->o->approvals) {
		int r;

		if (!s->o->key || hex_decode(view_of(s->o->key), s->key, sizeof(s->key)) != 0)
			guard_fail("--approvals needs --approval-key with 64 hex digits", NULL);
		r = custody_read(s->o->approvals, CUSTODY_PRIVATE | CUSTODY_OPTIONAL,
				 MAX_OPERATOR_FILE_BYTES, -1, &s->approvals, &e);
		if (r && r != E_NOENT)
			guard_fail("the approvals can't be used", e.text);
		s->has_key = r == 0;
	}
	if (s->o->log && audit_open(s->o->log, &s->log_fd, &e) != 0)
		guard_fail("the log can't be opened", e.text);
}

static void put_out(int fd, struct view v)
{
	if (io_write_all(fd, v.ptr, v.len) != 0)
		guard_fail("the decision can't be written", strerror(errno));
}

/* Says the decision and returns the exit status. */
static int answer(const struct session *s, const struct event *ev, const struct answer *a)
{
	bool nobody = a->verdict == VERDICT_ASK && (s->o->headless || !ev->can_ask);
	enum verdict verdict = nobody ? VERDICT_DENY : a->verdict;
	struct buf text, json;

	if (a->verdict == VERDICT_ALLOW)
		return EXIT_PASS;
	buf_init(&text, MAX_GATE_REASON_BYTES);
	buf_init(&json, MAX_GATE_REASON_BYTES * 8);
	reply_text(&text, a, nobody);
	if (buf_error(&text) == E_TOOBIG)
		text.error = 0; /* what fits is enough */
	while (text.len && ((unsigned char)text.data[text.len - 1] & 0x80))
		text.len--;
	reply_json(&json, verdict, buf_view(&text));
	if (buf_error(&text) || buf_error(&json))
		guard_fail("no memory for the decision", NULL);
	if (verdict == VERDICT_ASK) {
		put_out(STDOUT_FILENO, buf_view(&json));
		return EXIT_PASS;
	}
	/* The exit status denies, so what can't be written there is only lost text. */
	if (io_write_all(STDOUT_FILENO, buf_text(&json), buf_view(&json).len) != 0)
		errno = 0;
	(void)buf_putc(&text, '\n');
	put_out(STDERR_FILENO, buf_view(&text));
	return EXIT_BLOCK;
}

static void approve(const struct session *s, const struct gate_context *ctx, struct view command,
		    struct answer *a, struct finding *kept)
{
	struct arena mem;
	char digest[SHA256_HEX + 1];

	if (!s->has_key || a->verdict != VERDICT_ASK || command.len == 0)
		return;
	arena_init(&mem, MAX_GATE_ARENA_BYTES);
	command_digest(&mem, ctx, command, digest);
	approvals_apply(buf_view(&s->approvals), s->key, digest, ctx->project, clock_wall_s(), a,
			kept);
	arena_release(&mem);
}

int pretooluse_cmd(const struct options *o)
{
	struct session s = {.o = o, .log_fd = -1};
	struct arena a;
	struct buf input;
	struct json *j = NULL;
	struct event ev;
	struct gate_context ctx;
	struct answer got;
	struct finding kept[MAX_GATE_FINDINGS];
	struct view command;
	struct errctx e = {0};

	guard_start(o->fail);
	buf_init(&s.approvals, MAX_OPERATOR_FILE_BYTES);
	buf_init(&input, MAX_GATE_EVENT_BYTES + 2 * 1048576);
	arena_init(&a, MAX_GATE_ARENA_BYTES);
	load_files(&s, &a);
	guard_lockdown();
	if (event_read(STDIN_FILENO, &input, &e) != 0)
		guard_fail("the event can't be read", e.text);
	guard_decide();
	if (json_parse(buf_view(&input), &j, &e) != 0)
		guard_fail("the event is refused", e.text);
	if (event_load(j, &ev, &e) != 0)
		guard_fail("the event is refused", e.text);
	context_fill(&ctx, o, ev.cwd);
	ctx.rules = &s.rules;
	if (decide_tool(&a, &ctx, &ev, &got, &command, &e) != 0)
		guard_fail("the call is refused", e.text);
	approve(&s, &ctx, command, &got, kept);
	if (s.log_fd >= 0 && got.verdict != VERDICT_ALLOW &&
	    audit_write(s.log_fd, clock_wall_s(), &ev, command, &got, &e) != 0)
		guard_fail("the log can't be written", e.text);
	return answer(&s, &ev, &got); /* the process ends: memory goes with it */
}
