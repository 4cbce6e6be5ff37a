/* SPDX-License-Identifier: MIT */
/*
 * Keeper side: one table of requests, each with the state in which it is allowed. System,
 * privileged (holds the key). Failure rule: a message that the engine must not send ends the
 * keeper, and with it the service. Tests: tests/unit/runner/t_keeper.c.
 */
#include "base/base.h"

#include "runner/keeper_state.h"

#include "base/clock.h"
#include "runner/wire.h"

#include <stdio.h>

enum { MAX_TEXT = 4200 };

struct call {
	struct keeper *k;
	struct wire_in in;
	struct buf *out; /* the reply's own part */
	struct errctx e;
};

/* E_SYNTAX from a handler means: the engine sent what it must not. */
static int end_of(struct call *c)
{
	return wire_end(&c->in) ? 0 : E_SYNTAX;
}

static void put_memory(struct buf *out, const struct memory *m)
{
	wire_put_u8(out, (unsigned)m->action);
	wire_put_view(out, view_of(m->request));
	wire_put_view(out, view_of(m->path ? m->path : ""));
	wire_put_view(out, view_of(m->base));
	wire_put_view(out, view_of(m->fresh));
	wire_put_view(out, view_of(m->sid));
	wire_put_view(out, view_of(m->agent));
	wire_put_view(out, view_of(m->kind));
}

static int answer_state(struct call *c)
{
	struct keeper *k = c->k;

	if (end_of(c) != 0)
		return E_SYNTAX;
	k->introduced = true;
	wire_put_i64(c->out, k->ledger.count);
	put_memory(c->out, &k->intent);
	wire_put_i64(c->out, (int64_t)k->torn);
	wire_put_i64(c->out, k->jump_s);
	wire_put_i64(c->out, k->ledger.last_time);
	wire_put_u8(c->out, k->new_anchor && k->ledger.count > 0);
	wire_put_i64(c->out, (int64_t)k->dispatches.n);
	wire_put_view(c->out, view_of(k->open_run));
	wire_put_u8(c->out, k->open_bare);
	return 0;
}

static int answer_lookup(struct call *c)
{
	struct view id = wire_get_view(&c->in, ID_HEX);
	static const struct memory none;

	if (end_of(c) != 0)
		return E_SYNTAX;
	for (size_t i = 1; i <= REMEMBERED; i++) {
		const struct memory *m = &c->k->ring[(c->k->next + REMEMBERED - i) % REMEMBERED];

		if (m->request[0] && view_is(id, m->request)) {
			put_memory(c->out, m);
			return 0;
		}
	}
	put_memory(c->out, &none);
	return 0;
}

static int answer_issue(struct call *c)
{
	struct view agent = wire_get_view(&c->in, MAX_SLUG_BYTES);
	struct view request = wire_get_view(&c->in, ID_HEX);
	int64_t seconds = wire_get_i64(&c->in), max_uses = wire_get_i64(&c->in);
	char nonce[ID_HEX + 1], id[SHA256_HEX + 1];
	struct row r = {.action = ROW_ISSUE_DISPATCH};
	int rc;

	if (end_of(c) != 0 || seconds > DISPATCH_SECONDS || max_uses < 1 ||
	    max_uses > MAX_DISPATCH_USES)
		return E_SYNTAX;
	/* A clock that runs behind the ledger would give lives that nobody meant (20.38). */
	if (clock_wall_s() + CLOCK_JUMP_SECONDS < c->k->ledger.last_time)
		return err_set(&c->e, E_RANGE,
			       "the clock is behind the ledger's newest row; no dispatch is "
			       "issued");
	rc = ledger_probe(&c->k->ledger, &c->e);
	if (rc == 0)
		rc = dispatches_issue(&c->k->dispatches, agent, seconds, max_uses, nonce, id,
				      &c->e);
	if (rc != 0)
		return rc;
	row_str(&r, KEY_AGENT, agent);
	row_str(&r, KEY_ID, (struct view){id, 12});
	if (request.len)
		row_str(&r, KEY_REQUEST, request);
	rc = keeper_append(c->k, &r, &c->e);
	if (rc == 0)
		wire_put_view(c->out, view_of(nonce));
	explicit_bzero(nonce, sizeof(nonce));
	return rc;
}

static void put_nonce(struct buf *out, enum nonce_state state, const struct dispatch *d)
{
	wire_put_u8(out, (unsigned)state);
	wire_put_view(out, view_of(d ? d->record.agent : ""));
	wire_put_i64(out, d ? d->record.max_uses : 0);
	wire_put_i64(out, d ? d->record.expires : 0);
}

static int answer_attempt(struct call *c)
{
	struct view nonce = wire_get_view(&c->in, MAX_TEXT);
	enum nonce_state state = NONCE_UNKNOWN;
	const struct dispatch *d = NULL;
	int rc;

	if (end_of(c) != 0)
		return E_SYNTAX;
	rc = dispatches_attempt(&c->k->dispatches, nonce, &state, &d, &c->e);
	if (rc == 0)
		put_nonce(c->out, state, d);
	return rc;
}

static int answer_use(struct call *c)
{
	struct view nonce = wire_get_view(&c->in, MAX_TEXT);
	struct view agent = wire_get_view(&c->in, MAX_SLUG_BYTES);
	enum nonce_state state = NONCE_UNKNOWN;
	const struct dispatch *d = NULL;
	int rc;

	if (end_of(c) != 0)
		return E_SYNTAX;
	rc = ledger_probe(&c->k->ledger, &c->e);
	if (rc == 0)
		rc = dispatches_use(&c->k->dispatches, nonce, agent, &state, &d, &c->e);
	if (rc != 0)
		return rc;
	put_nonce(c->out, state, d);
	c->k->authority = d ? AUTH_USE : AUTH_NONE;
	if (d) {
		(void)snprintf(c->k->dispatch12, sizeof(c->k->dispatch12), "%.12s", d->record.id);
		(void)snprintf(c->k->use_agent, sizeof(c->k->use_agent), "%s", d->record.agent);
		c->k->use_max = d->record.max_uses;
		c->k->use_expires = d->record.expires;
	}
	return 0;
}

static void stage_row(struct row *r, const struct staged *s, struct view channel,
		      struct view rationale, const char *dispatch12)
{
	*r = (struct row){.action = ROW_STAGE_PROPOSAL};
	row_str(r, KEY_AGENT, s->agent);
	row_str(r, KEY_PATH, s->path);
	row_str(r, KEY_SID, s->sid);
	row_str(r, KEY_KIND, view_of(staged_kind(s)));
	row_str(r, KEY_BASE, s->base);
	if (s->content.ptr)
		row_str(r, KEY_NEW, view_of(s->content_sha256));
	else
		row_null(r, KEY_NEW);
	row_int(r, KEY_BYTES, s->bytes);
	row_gates(r, s->results, s->n_results);
	row_str(r, KEY_RATIONALE, rationale);
	row_str(r, KEY_CHANNEL, channel);
	row_str(r, KEY_DISPATCH, view_of(dispatch12));
	if (s->request.ptr)
		row_str(r, KEY_REQUEST, s->request);
}

static int answer_stage(struct call *c)
{
	struct view channel = wire_get_view(&c->in, 16);
	struct view rationale = wire_get_view(&c->in, MAX_ROW_STRING_BYTES);
	struct staged_room room;
	struct staged s;
	auto_buf struct buf text = {0};
	char sid[ID_HEX + 1], expires[26];
	struct row r;
	size_t at;
	int rc;

	if (staged_unpack(&c->in, &s, &room) != 0 || end_of(c) != 0 || c->k->authority != AUTH_USE)
		return E_SYNTAX;
	c->k->authority = AUTH_NONE;
	rand_token(sid);
	clock_iso8601(clock_wall_s() + STAGED_SECONDS, expires);
	s.sid = view_of(sid);
	s.expires = view_of(expires);
	buf_init(&text, MAX_STAGED_RECORD_BYTES);
	rc = staged_emit(&s, &text, &at);
	if (rc != 0)
		return err_set(&c->e, rc, "the record can't be written: %s", err_name(rc));
	stage_row(&r, &s, channel, rationale, c->k->dispatch12);
	rc = keeper_append(c->k, &r, &c->e);
	if (rc == 0) {
		char hex[SHA256_HEX + 1];

		mac_hex(c->k->key, buf_view(&text), (struct view){0}, hex);
		wire_put_view(c->out, view_of(sid));
		wire_put_view(c->out, view_of(expires));
		wire_put_view(c->out, view_of(hex));
	}
	return rc;
}

static int answer_check(struct call *c)
{
	bool approve = wire_get_u8(&c->in) != 0;
	unsigned n = wire_get_u8(&c->in);

	if (n == 0 || n > MAX_CHECK || (approve && n != 1))
		return E_SYNTAX;
	for (unsigned i = 0; i < n; i++) {
		struct view mac = wire_get_view(&c->in, MAX_TEXT);
		struct staged_room room;
		struct staged s;
		auto_buf struct buf text = {0};
		char hex[SHA256_HEX + 1];
		enum check_answer answer = CHECK_BAD;
		size_t at;

		if (staged_unpack(&c->in, &s, &room) != 0)
			return E_SYNTAX;
		buf_init(&text, MAX_STAGED_RECORD_BYTES);
		if (staged_emit(&s, &text, &at) == 0) {
			mac_hex(c->k->key, buf_view(&text), (struct view){0}, hex);
			if (mac.len == SHA256_HEX && hash_equal(mac.ptr, hex, SHA256_HEX))
				answer = keeper_was_decided(c->k, s.sid) ? CHECK_DECIDED
									 : CHECK_GOOD;
		}
		wire_put_u8(c->out, answer);
		if (approve)
			c->k->authority = answer == CHECK_GOOD ? AUTH_STAGED : AUTH_NONE;
	}
	return end_of(c);
}

/* A command starts with a counted use and when none is open; its end names the same request. */
static bool run_fits(const struct keeper *k, const struct row *r, unsigned flags)
{
	if (flags & ROW_OPENS)
		return !k->open_run[0] && k->authority == AUTH_USE;
	if (!(flags & ROW_CLOSES))
		return true;
	for (size_t i = 0; i < r->n; i++)
		if (r->field[i].key == KEY_REQUEST)
			return k->open_run[0] && view_is(r->field[i].s, k->open_run);
	return false;
}

static int answer_row(struct call *c)
{
	struct gate_result gates[MAX_GATES];
	struct keeper *k = c->k;
	struct row r;
	unsigned flags;
	int rc;

	if (row_unpack(&c->in, &r, gates, MAX_GATES) != 0 || end_of(c) != 0)
		return E_SYNTAX;
	flags = row_flags(r.action);
	if (flags & ROW_KEEPER)
		return E_SYNTAX;
	if (flags & ROW_OUTCOME && !k->intent.action)
		return E_SYNTAX;
	if (flags & ROW_INTENT) {
		if (k->intent.action || k->authority != (flags & ROW_PAYS ? AUTH_USE : AUTH_STAGED))
			return E_SYNTAX;
		if (flags & ROW_PAYS)
			row_str(&r, KEY_DISPATCH, view_of(k->dispatch12));
		k->authority = AUTH_NONE;
	}
	if (!run_fits(k, &r, flags))
		return E_SYNTAX;
	rc = keeper_grants_check(k, &r, &c->e);
	if (rc != 0)
		return rc;
	if (flags & ROW_OPENS) {
		row_str(&r, KEY_DISPATCH, view_of(k->dispatch12));
		k->authority = AUTH_NONE;
	}
	rc = keeper_append(k, &r, &c->e);
	if (rc == 0)
		keeper_grants_wrote(k, &r);
	return rc;
}

static int answer_grant(struct call *c)
{
	struct view agent = wire_get_view(&c->in, MAX_SLUG_BYTES);
	const struct keeper_grant *g;
	struct grant_query q;

	if (end_of(c) != 0)
		return E_SYNTAX;
	g = keeper_grant_of(c->k, agent);
	wire_put_u8(c->out, g != NULL);
	if (!g)
		return 0;
	q = keeper_grant_query(c->k, g);
	wire_put_view(c->out, view_of(g->id));
	wire_put_i64(c->out, q.issued);
	wire_put_i64(c->out, q.expires);
	wire_put_i64(c->out, q.max_writes);
	wire_put_i64(c->out, q.now);
	wire_put_i64(c->out, q.last_row);
	wire_put_i64(c->out, q.used);
	wire_put_u8(c->out, g->told);
	return 0;
}

static int answer_flush(struct call *c)
{
	int rc = end_of(c);

	return rc ? rc : ledger_flush(&c->k->ledger, &c->e);
}

static int answer_probe(struct call *c)
{
	int rc = end_of(c);

	return rc ? rc : ledger_probe(&c->k->ledger, &c->e);
}

static void put_problem(void *arg, const char *problem)
{
	wire_put_view(arg, view_of(problem));
}

static int answer_verify(struct call *c)
{
	auto_buf struct buf problems = {0};
	int64_t n, rows, bytes;

	if (end_of(c) != 0)
		return E_SYNTAX;
	buf_init(&problems, MAX_KEEPER_MESSAGE_BYTES / 2);
	/* The anchor lags behind rows that were not asked to be durable. */
	if (ledger_flush(&c->k->ledger, &c->e) != 0)
		return c->e.code;
	n = ledger_verify(c->k->ledger.dir_fd, c->k->key, &c->k->anchor, put_problem, &problems,
			  &rows, &bytes, &c->e);
	if (n < 0)
		return (int)n;
	wire_put_i64(c->out, n);
	wire_put_i64(c->out, rows);
	wire_put_view(c->out, buf_view(&problems));
	return 0;
}

enum op_flags {
	OP_FIRST = 1 << 0, /* allowed first, and only then */
};

static const struct {
	const char *name;
	int (*answer)(struct call *c);
	unsigned flags;
} ops[] = {
	[KEEP_STATE] = {"state", answer_state, OP_FIRST},
	[KEEP_LOOKUP] = {"lookup", answer_lookup, 0},
	[KEEP_ISSUE] = {"issue", answer_issue, 0},
	[KEEP_ATTEMPT] = {"attempt", answer_attempt, 0},
	[KEEP_USE] = {"use", answer_use, 0},
	[KEEP_STAGE] = {"stage", answer_stage, 0},
	[KEEP_CHECK] = {"check", answer_check, 0},
	[KEEP_ROW] = {"row", answer_row, 0},
	[KEEP_FLUSH] = {"flush", answer_flush, 0},
	[KEEP_PROBE] = {"probe", answer_probe, 0},
	[KEEP_VERIFY] = {"verify", answer_verify, 0},
	[KEEP_GRANT] = {"grant", answer_grant, 0},
};
_Static_assert(ARRAY_LEN(ops) == N_KEEPER_OPS, "one row for each request");

static int serve_one(struct keeper *k, int fd, struct buf *message, struct buf *part,
		     struct errctx *e)
{
	struct call c = {.k = k, .in = {.rest = buf_view(message)}, .out = part};
	unsigned op = wire_get_u8(&c.in);
	int rc;

	if (op == 0 || op >= N_KEEPER_OPS || k->introduced != !(ops[op].flags & OP_FIRST))
		return err_set(e, E_SYNTAX, "the engine sent request %u out of turn", op);
	buf_clear(part);
	rc = ops[op].answer(&c);
	if (rc == E_SYNTAX)
		return err_set(e, rc, "the engine sent a request \"%s\" that makes no sense",
			       ops[op].name);
	if (buf_error(part))
		rc = err_set(&c.e, buf_error(part), "the keeper's answer is too long");
	buf_clear(message);
	wire_put_i64(message, rc);
	wire_put_i64(message, c.e.sys_errno);
	wire_put_view(message, view_of(c.e.text));
	if (rc == 0)
		(void)buf_put_view(message, buf_view(part));
	if (buf_error(message))
		return err_set(e, buf_error(message), "the keeper's answer can't be built");
	rc = wire_send(fd, buf_view(message));
	explicit_bzero(message->data, message->len); /* a fresh nonce passes through here */
	if (part->data)
		explicit_bzero(part->data, part->len);
	return rc;
}

int keeper_serve(struct keeper *k, int fd, struct errctx *e)
{
	auto_buf struct buf message, part;
	int rc;

	buf_init(&message, MAX_KEEPER_MESSAGE_BYTES);
	buf_init(&part, MAX_KEEPER_MESSAGE_BYTES - 1024);
	for (;;) {
		rc = wire_receive(fd, &message, MAX_KEEPER_MESSAGE_BYTES);
		if (rc == E_CLOSED)
			return 0;
		if (rc != 0)
			return err_set(e, rc, "the engine can't be heard: %s", err_name(rc));
		rc = serve_one(k, fd, &message, &part, e);
		if (rc == E_CLOSED)
			return 0;
		if (rc != 0)
			return rc;
		buf_clear(&message);
		buf_trim(&message, 65536);
		buf_clear(&part);
		buf_trim(&part, 65536);
	}
}
