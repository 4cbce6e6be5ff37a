/* SPDX-License-Identifier: MIT */
/* The table of rows and its two encodings: canonical JSON for the ledger, typed fields for the
 * socket. Pure. Tests: tests/unit/runner/t_rows.c (vectors of file 22, section 18). */
#include "base/base.h"

#include "runner/rows.h"

#include "base/jsonw.h"
#include "base/limits.h"
#include "runner/wire.h"

#define BIT(k) (UINT64_C(1) << (k))

/* What most rows may name: who, for which request, by which nonce. */
#define COMMON (BIT(KEY_AGENT) | BIT(KEY_REQUEST) | BIT(KEY_DISPATCH) | BIT(KEY_CHANNEL))
#define CHANGE                                                                                     \
	(COMMON | BIT(KEY_PATH) | BIT(KEY_BASE) | BIT(KEY_NEW) | BIT(KEY_BYTES) | BIT(KEY_GATES) | \
	 BIT(KEY_RATIONALE) | BIT(KEY_SID))
#define REFUSED (COMMON | BIT(KEY_REASON) | BIT(KEY_PATH) | BIT(KEY_SID) | BIT(KEY_COUNT))
#define RAN                                                                                        \
	(COMMON | BIT(KEY_ARGV) | BIT(KEY_CONFINED) | BIT(KEY_DURATION) | BIT(KEY_ERROR) |         \
	 BIT(KEY_EXIT) | BIT(KEY_LANDED) | BIT(KEY_PURPOSE) | BIT(KEY_RECOVERED) |                 \
	 BIT(KEY_SURVIVORS) | BIT(KEY_UNDECLARED))

static const struct {
	const char *name;
	uint64_t keys;
	unsigned flags;
} actions[] = {
	[ROW_NONE] = {NULL, 0, 0},
	[ROW_ISSUE_DISPATCH] = {"issue-dispatch", COMMON | BIT(KEY_ID), ROW_KEEPER | ROW_SYNC},
	[ROW_APPLY_PROPOSAL] = {"apply-proposal", CHANGE, ROW_INTENT | ROW_PAYS | ROW_SYNC},
	[ROW_APPLY_STAGED] = {"apply-staged", CHANGE, ROW_INTENT | ROW_SYNC},
	[ROW_APPLY_DIRECT] = {"apply-direct", CHANGE | BIT(KEY_GRANT),
			      ROW_INTENT | ROW_PAYS | ROW_SYNC},
	[ROW_DELETE_PROPOSAL] = {"delete-proposal", CHANGE, ROW_INTENT | ROW_PAYS | ROW_SYNC},
	[ROW_STAGE_PROPOSAL] = {"stage-proposal", CHANGE | BIT(KEY_KIND),
				ROW_KEEPER | ROW_PAYS | ROW_SYNC},
	[ROW_REJECT_STAGED] = {"reject-staged", REFUSED, ROW_SYNC},
	[ROW_EXPIRE_STAGED] = {"expire-staged", REFUSED, 0},
	[ROW_APPLY_PROPOSAL_REFUSED] = {"apply-proposal-refused", REFUSED, 0},
	[ROW_STAGE_PROPOSAL_REFUSED] = {"stage-proposal-refused", REFUSED, 0},
	[ROW_APPLY_STAGED_REFUSED] = {"apply-staged-refused", REFUSED, 0},
	[ROW_APPLY_DIRECT_REFUSED] = {"apply-direct-refused", REFUSED, 0},
	[ROW_RUN_REQUEST_REFUSED] = {"run-request-refused", REFUSED, 0},
	[ROW_RUN_REQUEST_START] = {"run-request-start",
				   COMMON | BIT(KEY_ARGV) | BIT(KEY_CONFINED) | BIT(KEY_PURPOSE),
				   ROW_PAYS | ROW_SYNC | ROW_OPENS},
	[ROW_RUN_REQUEST] = {"run-request", RAN, ROW_SYNC | ROW_CLOSES},
	[ROW_RUN_REQUEST_TIMEOUT] = {"run-request-timeout", RAN | BIT(KEY_GROUP_KILLED),
				     ROW_SYNC | ROW_CLOSES},
	[ROW_DONE] = {"outcome-done",
		      COMMON | BIT(KEY_INTENT) | BIT(KEY_PATH) | BIT(KEY_NEW) | BIT(KEY_SID) |
			      BIT(KEY_RECOVERED),
		      ROW_OUTCOME},
	[ROW_FAILED] = {"outcome-failed",
			COMMON | BIT(KEY_INTENT) | BIT(KEY_PATH) | BIT(KEY_ERROR) | BIT(KEY_SID) |
				BIT(KEY_RECOVERED),
			ROW_OUTCOME},
	[ROW_REQUEST_INTERRUPTED] = {"request-interrupted", REFUSED, ROW_SYNC},
	[ROW_LEDGER_RECOVERED] = {"ledger-recovered", BIT(KEY_BYTES) | BIT(KEY_SHA256),
				  ROW_KEEPER | ROW_SYNC},
	[ROW_ANCHOR_CREATED] = {"anchor-created", BIT(KEY_COUNT), ROW_KEEPER | ROW_SYNC},
	[ROW_CLOCK_JUMP] = {"clock-jump", BIT(KEY_SECONDS), ROW_KEEPER | ROW_SYNC},
	[ROW_DIRECT_GRANTS_LOADED] = {"direct-grants-loaded",
				      BIT(KEY_ACTIVE) | BIT(KEY_FINGERPRINTS) | BIT(KEY_PROBLEMS) |
					      BIT(KEY_REVOKED),
				      ROW_KEEPER | ROW_SYNC},
	[ROW_DIRECT_FALLBACK] = {"direct-grant-fallback", COMMON | BIT(KEY_GRANT) | BIT(KEY_REASON),
				 0},
};
_Static_assert(ARRAY_LEN(actions) == N_ROW_ACTIONS, "one row for each action");

static const struct {
	const char *name;
	enum row_type type;
} keys[] = {
	[KEY_ACTION] = {"action", TYPE_STR},
	[KEY_ACTIVE] = {"active", TYPE_LIST},
	[KEY_AGENT] = {"agent", TYPE_STR},
	[KEY_ARGV] = {"argv", TYPE_LIST},
	[KEY_BASE] = {"base", TYPE_STR},
	[KEY_BYTES] = {"bytes", TYPE_INT},
	[KEY_CHANNEL] = {"channel", TYPE_STR},
	[KEY_CONFINED] = {"confined", TYPE_STR},
	[KEY_COUNT] = {"count", TYPE_INT},
	[KEY_DISPATCH] = {"dispatch", TYPE_STR},
	[KEY_DURATION] = {"duration_ms", TYPE_INT},
	[KEY_ERROR] = {"error", TYPE_STR},
	[KEY_EXIT] = {"exit", TYPE_INT},
	[KEY_GATES] = {"gates", TYPE_GATES},
	[KEY_GRANT] = {"grant", TYPE_STR},
	[KEY_GROUP_KILLED] = {"group_killed", TYPE_BOOL},
	[KEY_ID] = {"id", TYPE_STR},
	[KEY_INTENT] = {"intent", TYPE_STR},
	[KEY_FINGERPRINTS] = {"key_fingerprints", TYPE_LIST},
	[KEY_KIND] = {"kind", TYPE_STR},
	[KEY_LANDED] = {"landed", TYPE_LIST},
	[KEY_MAC] = {"mac", TYPE_STR},
	[KEY_NEW] = {"new", TYPE_STR},
	[KEY_PATH] = {"path", TYPE_STR},
	[KEY_PREV] = {"prev", TYPE_STR},
	[KEY_PROBLEMS] = {"problems", TYPE_LIST},
	[KEY_PURPOSE] = {"purpose", TYPE_STR},
	[KEY_RATIONALE] = {"rationale", TYPE_STR},
	[KEY_REASON] = {"reason", TYPE_STR},
	[KEY_RECOVERED] = {"recovered", TYPE_BOOL},
	[KEY_REQUEST] = {"request", TYPE_STR},
	[KEY_REVOKED] = {"revoked", TYPE_LIST},
	[KEY_SECONDS] = {"seconds", TYPE_INT},
	[KEY_SEQ] = {"seq", TYPE_INT},
	[KEY_SHA256] = {"sha256", TYPE_STR},
	[KEY_SID] = {"sid", TYPE_STR},
	[KEY_SURVIVORS] = {"survivors_killed", TYPE_BOOL},
	[KEY_TIME] = {"time", TYPE_STR},
	[KEY_UNDECLARED] = {"undeclared_writes", TYPE_LIST},
};
_Static_assert(ARRAY_LEN(keys) == N_ROW_KEYS, "one row for each key");
_Static_assert(N_ROW_KEYS <= 64, "keys fit a mask");

static bool is_action(enum row_action a)
{
	return a > 0 && a < N_ROW_ACTIONS;
}

static bool is_key(enum row_key k)
{
	return k > 0 && k < N_ROW_KEYS;
}

const char *row_action_name(enum row_action a)
{
	return is_action(a) ? actions[a].name : NULL;
}

enum row_action row_action_by_name(struct view name)
{
	for (unsigned a = 1; a < N_ROW_ACTIONS; a++) {
		if (view_is(name, actions[a].name))
			return (enum row_action)a;
	}
	return 0;
}

enum row_type row_key_type(enum row_key k)
{
	return is_key(k) ? keys[k].type : 0;
}

const char *row_key_name(enum row_key k)
{
	return is_key(k) ? keys[k].name : NULL;
}

unsigned row_flags(enum row_action a)
{
	return is_action(a) ? actions[a].flags : 0;
}

bool row_allows(enum row_action a, enum row_key k)
{
	return is_action(a) && is_key(k) && (actions[a].keys & BIT(k)) != 0;
}

static struct row_field *add(struct row *r, enum row_key k)
{
	struct row_field *f = &r->field[r->n < MAX_ROW_FIELDS ? r->n : MAX_ROW_FIELDS - 1];

	r->n++; /* past the end: row_check says so */
	*f = (struct row_field){.key = k};
	return f;
}

void row_str(struct row *r, enum row_key k, struct view v)
{
	add(r, k)->s = v.ptr ? v : VIEW("");
}

void row_null(struct row *r, enum row_key k)
{
	add(r, k)->s = (struct view){0};
}

void row_int(struct row *r, enum row_key k, int64_t n)
{
	add(r, k)->n = n;
}

void row_list(struct row *r, enum row_key k, const struct view *item, size_t n)
{
	struct row_field *f = add(r, k);

	f->list = item;
	f->n = (int64_t)n;
}

void row_gates(struct row *r, const struct gate_result *gates, size_t n)
{
	struct row_field *f = add(r, KEY_GATES);

	f->gates = gates;
	f->n_gates = n;
}

int row_check(const struct row *r)
{
	uint64_t seen = 0;

	if (!is_action(r->action) || r->n > MAX_ROW_FIELDS)
		return E_INTERNAL;
	for (size_t i = 0; i < r->n; i++) {
		enum row_key k = r->field[i].key;

		if (!row_allows(r->action, k) || seen & BIT(k) || r->field[i].n_gates > MAX_GATES)
			return E_INTERNAL;
		seen |= BIT(k);
	}
	return 0;
}

static const struct row_field *find(const struct row *r, enum row_key k)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->field[i].key == k)
			return &r->field[i];
	}
	return NULL;
}

static void emit_gates(struct jsonw *w, const struct row_field *f)
{
	jsonw_arr(w);
	for (size_t i = 0; i < f->n_gates; i++) {
		const struct gate_result *g = &f->gates[i];

		jsonw_obj(w);
		if (g->confined.ptr)
			jsonw_kv_str(w, "confined", g->confined);
		jsonw_kv_int(w, "duration_ms", g->duration_ms);
		jsonw_kv_int(w, "exit", g->exit);
		jsonw_kv_str(w, "gate", g->gate);
		jsonw_obj_end(w);
	}
	jsonw_arr_end(w);
}

/* From the builder's array, or as it came over the socket. */
static void emit_list(struct jsonw *w, const struct row_field *f)
{
	struct wire_in in = {.rest = f->s};

	jsonw_arr(w);
	for (int64_t i = 0; i < f->n; i++)
		jsonw_str(w, f->list ? f->list[i] : wire_get_view(&in, MAX_ROW_STRING_BYTES));
	jsonw_arr_end(w);
}

static void emit_field(struct jsonw *w, const struct row_field *f)
{
	jsonw_key(w, keys[f->key].name);
	switch (keys[f->key].type) {
	case TYPE_STR:
		if (f->s.ptr)
			jsonw_str(w, f->s);
		else
			jsonw_null(w);
		break;
	case TYPE_INT:
		jsonw_int(w, f->n);
		break;
	case TYPE_BOOL:
		jsonw_bool(w, f->n != 0);
		break;
	case TYPE_GATES:
		emit_gates(w, f);
		break;
	case TYPE_LIST:
		emit_list(w, f);
		break;
	}
}

int row_emit(const struct row *r, const struct row_frame *frame, struct buf *out, size_t *ret_at)
{
	struct jsonw w;
	int rc = row_check(r);

	if (rc != 0)
		return rc;
	jsonw_init(&w, out, JSONW_SPACED);
	jsonw_obj(&w);
	for (unsigned k = 1; k < N_ROW_KEYS; k++) {
		const struct row_field *f = find(r, (enum row_key)k);

		if (f)
			emit_field(&w, f);
		else if (k == KEY_ACTION)
			jsonw_kv_cstr(&w, "action", actions[r->action].name);
		else if (k == KEY_MAC)
			*ret_at = out->len;
		else if (k == KEY_PREV)
			jsonw_kv_cstr(&w, "prev", frame->prev);
		else if (k == KEY_SEQ && frame->seq)
			jsonw_kv_int(&w, "seq", frame->seq);
		else if (k == KEY_TIME)
			jsonw_kv_cstr(&w, "time", frame->time);
	}
	jsonw_obj_end(&w);
	return buf_error(out);
}

void row_pack(const struct row *r, struct buf *out)
{
	wire_put_u8(out, (unsigned)r->action);
	wire_put_u8(out, (unsigned)r->n);
	for (size_t i = 0; i < r->n && i < MAX_ROW_FIELDS; i++) {
		const struct row_field *f = &r->field[i];

		wire_put_u8(out, (unsigned)f->key);
		switch (row_key_type(f->key)) {
		case TYPE_STR:
			wire_put_u8(out, f->s.ptr != NULL);
			wire_put_view(out, f->s);
			break;
		case TYPE_INT:
		case TYPE_BOOL:
			wire_put_i64(out, f->n);
			break;
		case TYPE_GATES:
			wire_put_u8(out, (unsigned)f->n_gates);
			for (size_t k = 0; k < f->n_gates; k++) {
				wire_put_view(out, f->gates[k].gate);
				wire_put_u8(out, f->gates[k].confined.ptr != NULL);
				wire_put_view(out, f->gates[k].confined);
				wire_put_i64(out, f->gates[k].exit);
				wire_put_i64(out, f->gates[k].duration_ms);
			}
			break;
		case TYPE_LIST:
			wire_put_i64(out, f->n);
			for (int64_t k = 0; k < f->n; k++)
				wire_put_view(out, f->list[k]);
			break;
		}
	}
}

static int unpack_gates(struct wire_in *in, struct row_field *f, struct gate_result *gates,
			size_t max)
{
	f->n_gates = wire_get_u8(in);
	f->gates = gates;
	if (f->n_gates > max)
		return E_TOOBIG;
	for (size_t i = 0; i < f->n_gates; i++) {
		bool has;

		gates[i].gate = wire_get_view(in, MAX_NAME_BYTES);
		has = wire_get_u8(in) != 0;
		gates[i].confined = wire_get_view(in, MAX_NAME_BYTES);
		if (!has)
			gates[i].confined = (struct view){0};
		gates[i].exit = wire_get_i64(in);
		gates[i].duration_ms = wire_get_i64(in);
	}
	return 0;
}

/* The strings stay where they are in the message. */
static int unpack_list(struct wire_in *in, struct row_field *f)
{
	const char *start;

	f->n = wire_get_i64(in);
	start = in->rest.ptr;
	if (f->n < 0 || f->n > MAX_ROW_LIST_ITEMS)
		return E_TOOBIG;
	for (int64_t i = 0; i < f->n && !in->bad; i++)
		(void)wire_get_view(in, MAX_ROW_STRING_BYTES);
	f->s = (struct view){start, in->bad ? 0 : (size_t)(in->rest.ptr - start)};
	return in->bad ? E_SYNTAX : 0;
}

int row_unpack(struct wire_in *in, struct row *ret, struct gate_result *gates, size_t max_gates)
{
	*ret = (struct row){.action = (enum row_action)wire_get_u8(in)};
	ret->n = wire_get_u8(in);
	if (in->bad || !is_action(ret->action) || ret->n > MAX_ROW_FIELDS)
		return E_SYNTAX;
	for (size_t i = 0; i < ret->n; i++) {
		struct row_field *f = &ret->field[i];

		f->key = (enum row_key)wire_get_u8(in);
		if (!is_key(f->key))
			return E_SYNTAX;
		switch (keys[f->key].type) {
		case TYPE_STR: {
			bool has = wire_get_u8(in) != 0;

			f->s = wire_get_view(in, MAX_ROW_STRING_BYTES);
			if (!has)
				f->s = (struct view){0};
			break;
		}
		case TYPE_INT:
		case TYPE_BOOL:
			f->n = wire_get_i64(in);
			break;
		case TYPE_GATES:
			if (unpack_gates(in, f, gates, max_gates) != 0)
				return E_SYNTAX;
			break;
		case TYPE_LIST:
			if (unpack_list(in, f) != 0)
				return E_SYNTAX;
			break;
		}
	}
	return in->bad ? E_SYNTAX : row_check(ret);
}
