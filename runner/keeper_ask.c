/* SPDX-License-Identifier: MIT */
/*
 * Engine side of the keeper's requests: pack, send, wait, unpack. System. Failure rule: an answer
 * that can't be read is E_CLOSED, as if the keeper were gone. Tests: tests/unit/runner/t_keeper.c.
 */
#include "base/base.h"

#include "runner/keeper.h"

#include "runner/wire.h"

#include <stdio.h>

void ask_init(struct ask *a, int fd)
{
	a->fd = fd;
	buf_init(&a->message, MAX_KEEPER_MESSAGE_BYTES);
}

void ask_release(struct ask *a)
{
	buf_release(&a->message);
	if (a->fd >= 0)
		(void)close(a->fd); /* tells the keeper to end */
	a->fd = -1;
}

static void begin(struct ask *a, enum keeper_op op)
{
	buf_clear(&a->message);
	buf_trim(&a->message, 65536);
	wire_put_u8(&a->message, (unsigned)op);
}

/* Sends what was packed and reads the answer; *in is its own part. */
static int finish(struct ask *a, struct wire_in *in, struct errctx *e)
{
	struct view text;
	int64_t code, number;
	int rc = buf_error(&a->message);

	if (rc != 0)
		return err_set(e, rc, "a question to the keeper is too long");
	rc = wire_send(a->fd, buf_view(&a->message));
	if (rc == 0)
		rc = wire_receive(a->fd, &a->message, MAX_KEEPER_MESSAGE_BYTES);
	if (rc != 0)
		return err_set(e, E_CLOSED, "the keeper is gone");
	*in = (struct wire_in){.rest = buf_view(&a->message)};
	code = wire_get_i64(in);
	number = wire_get_i64(in);
	text = wire_get_view(in, sizeof(e->text));
	if (in->bad || code > 0 || code < -1000)
		return err_set(e, E_CLOSED, "the keeper's answer can't be read");
	if (code != 0) {
		(void)err_set(e, (int)code, "%.*s", (int)text.len, text.ptr);
		if (e)
			e->sys_errno = (int)number;
	}
	return (int)code;
}

static int end_of(const struct wire_in *in, struct errctx *e)
{
	return wire_end(in) ? 0 : err_set(e, E_CLOSED, "the keeper's answer can't be read");
}

static int get_text(struct wire_in *in, char *out, size_t size)
{
	struct view v = wire_get_view(in, size - 1);

	memcpy(out, v.ptr, v.len);
	out[v.len] = '\0';
	return in->bad ? E_CLOSED : 0;
}

static void get_row(struct wire_in *in, struct ask_row *r)
{
	r->action = (enum row_action)wire_get_u8(in);
	r->request = wire_get_view(in, ID_HEX);
	r->path = wire_get_view(in, MAX_ROW_STRING_BYTES);
	r->base = wire_get_view(in, SHA256_HEX);
	r->fresh = wire_get_view(in, SHA256_HEX);
	r->sid = wire_get_view(in, ID_HEX);
	r->agent = wire_get_view(in, MAX_SLUG_BYTES);
	r->kind = wire_get_view(in, 64);
}

int ask_state(struct ask *a, struct ask_state *ret, struct errctx *e)
{
	struct wire_in in;
	int rc;

	begin(a, KEEP_STATE);
	rc = finish(a, &in, e);
	if (rc != 0)
		return rc;
	ret->rows = wire_get_i64(&in);
	get_row(&in, &ret->intent);
	ret->torn = wire_get_i64(&in);
	ret->jump_s = wire_get_i64(&in);
	ret->last_time = wire_get_i64(&in);
	ret->new_anchor = wire_get_u8(&in) != 0;
	ret->dispatches = wire_get_i64(&in);
	rc = get_text(&in, ret->open_run, sizeof(ret->open_run));
	ret->open_bare = wire_get_u8(&in) != 0;
	return rc ? rc : end_of(&in, e);
}

int ask_lookup(struct ask *a, struct view request, struct ask_row *ret, struct errctx *e)
{
	struct wire_in in;
	int rc;

	begin(a, KEEP_LOOKUP);
	wire_put_view(&a->message, request);
	rc = finish(a, &in, e);
	if (rc != 0)
		return rc;
	get_row(&in, ret);
	return end_of(&in, e);
}

int ask_issue(struct ask *a, struct view agent, struct view request, int64_t seconds,
	      int64_t max_uses, char nonce[ID_HEX + 1], struct errctx *e)
{
	struct wire_in in;
	int rc;

	begin(a, KEEP_ISSUE);
	wire_put_view(&a->message, agent);
	wire_put_view(&a->message, request);
	wire_put_i64(&a->message, seconds);
	wire_put_i64(&a->message, max_uses);
	rc = finish(a, &in, e);
	if (rc == 0)
		rc = get_text(&in, nonce, ID_HEX + 1);
	return rc ? rc : end_of(&in, e);
}

static int get_nonce(struct wire_in *in, struct ask_nonce *ret, struct errctx *e)
{
	ret->state = (enum nonce_state)wire_get_u8(in);
	(void)get_text(in, ret->agent, sizeof(ret->agent));
	ret->max_uses = wire_get_i64(in);
	ret->expires = wire_get_i64(in);
	return end_of(in, e);
}

int ask_attempt(struct ask *a, struct view nonce, struct ask_nonce *ret, struct errctx *e)
{
	struct wire_in in;
	int rc;

	begin(a, KEEP_ATTEMPT);
	/* A text that can't be a nonce is only ever told apart by its form. */
	wire_put_view(&a->message, nonce.len > ID_HEX ? VIEW("") : nonce);
	rc = finish(a, &in, e);
	return rc ? rc : get_nonce(&in, ret, e);
}

int ask_use(struct ask *a, struct view nonce, struct view agent, struct ask_nonce *ret,
	    struct errctx *e)
{
	struct wire_in in;
	int rc;

	begin(a, KEEP_USE);
	wire_put_view(&a->message, nonce);
	wire_put_view(&a->message, agent);
	rc = finish(a, &in, e);
	return rc ? rc : get_nonce(&in, ret, e);
}

int ask_stage(struct ask *a, const struct staged *s, struct view channel, struct view rationale,
	      struct ask_staged *ret, struct errctx *e)
{
	struct wire_in in;
	int rc;

	begin(a, KEEP_STAGE);
	wire_put_view(&a->message, channel);
	wire_put_view(&a->message, rationale);
	staged_pack(s, &a->message);
	rc = finish(a, &in, e);
	if (rc != 0)
		return rc;
	(void)get_text(&in, ret->sid, sizeof(ret->sid));
	(void)get_text(&in, ret->expires, sizeof(ret->expires));
	(void)get_text(&in, ret->mac, sizeof(ret->mac));
	return end_of(&in, e);
}

int ask_check(struct ask *a, const struct ask_check *v, size_t n, bool approve,
	      enum check_answer *ret, size_t *ret_n, struct errctx *e)
{
	struct wire_in in;
	size_t packed = 0;
	int rc;

	begin(a, KEEP_CHECK);
	wire_put_u8(&a->message, approve);
	wire_put_u8(&a->message, 0); /* the count, when it is known */
	while (packed < n && packed < MAX_CHECK &&
	       (packed == 0 || a->message.len < MAX_KEEPER_MESSAGE_BYTES / 4)) {
		wire_put_view(&a->message, v[packed].mac);
		staged_pack(v[packed].record, &a->message);
		packed++;
	}
	if (buf_error(&a->message))
		return err_set(e, buf_error(&a->message), "a record is too long to be checked");
	a->message.data[2] = (char)packed;
	rc = finish(a, &in, e);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < packed; i++) {
		unsigned answer = wire_get_u8(&in);

		ret[i] = answer == CHECK_GOOD	   ? CHECK_GOOD
			 : answer == CHECK_DECIDED ? CHECK_DECIDED
						   : CHECK_BAD;
	}
	*ret_n = packed;
	return end_of(&in, e);
}

int ask_grant(struct ask *a, struct view agent, struct ask_grant *ret, struct errctx *e)
{
	struct wire_in in;
	int rc;

	*ret = (struct ask_grant){0};
	(void)snprintf(ret->agent, sizeof(ret->agent), "%.*s", (int)agent.len, agent.ptr);
	begin(a, KEEP_GRANT);
	wire_put_view(&a->message, agent);
	rc = finish(a, &in, e);
	if (rc != 0)
		return rc;
	ret->known = wire_get_u8(&in) != 0;
	if (ret->known) {
		(void)get_text(&in, ret->id, sizeof(ret->id));
		ret->query.issued = wire_get_i64(&in);
		ret->query.expires = wire_get_i64(&in);
		ret->query.max_writes = wire_get_i64(&in);
		ret->query.now = wire_get_i64(&in);
		ret->query.last_row = wire_get_i64(&in);
		ret->query.used = wire_get_i64(&in);
		ret->told = wire_get_u8(&in) != 0;
	}
	return end_of(&in, e);
}

int ask_row(struct ask *a, const struct row *r, struct errctx *e)
{
	struct wire_in in;
	int rc = row_check(r);

	if (rc != 0)
		return err_set(e, rc, "a ledger row of the engine is malformed");
	begin(a, KEEP_ROW);
	row_pack(r, &a->message);
	rc = finish(a, &in, e);
	return rc ? rc : end_of(&in, e);
}

static int plain(struct ask *a, enum keeper_op op, struct errctx *e)
{
	struct wire_in in;
	int rc;

	begin(a, op);
	rc = finish(a, &in, e);
	return rc ? rc : end_of(&in, e);
}

int ask_flush(struct ask *a, struct errctx *e)
{
	return plain(a, KEEP_FLUSH, e);
}

int ask_probe(struct ask *a, struct errctx *e)
{
	return plain(a, KEEP_PROBE, e);
}

int ask_verify(struct ask *a, ledger_report report, void *arg, int64_t *ret_n, int64_t *ret_rows,
	       struct errctx *e)
{
	struct wire_in in, problems;
	int rc;

	begin(a, KEEP_VERIFY);
	rc = finish(a, &in, e);
	if (rc != 0)
		return rc;
	*ret_n = wire_get_i64(&in);
	*ret_rows = wire_get_i64(&in);
	problems = (struct wire_in){.rest = wire_get_view(&in, MAX_KEEPER_MESSAGE_BYTES)};
	while (!in.bad && problems.rest.len && !problems.bad) {
		struct view v = wire_get_view(&problems, 4096);
		char text[512];

		(void)snprintf(text, sizeof(text), "%.*s", (int)v.len, v.ptr);
		if (!problems.bad)
			report(arg, text);
	}
	return end_of(&in, e);
}
