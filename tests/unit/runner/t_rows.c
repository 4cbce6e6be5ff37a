/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "runner/rows.h"

#include "base/json.h"
#include "base/limits.h"
#include "runner/mac.h"
#include "runner/wire.h"

#include <criterion/criterion.h>

#define K8 "kkkkkkkk"
static const struct view secret = {K8 K8 K8 K8 K8 K8 K8 K8, 64};

static void sealed(const struct row *r, const struct row_frame *f, struct buf *out)
{
	struct mac_key k;
	size_t at = 0;

	mac_key_init(&k, secret);
	cr_assert_eq(row_emit(r, f, out, &at), 0);
	cr_assert_eq(mac_seal(&k, out, at), 0);
}

Test(rows, the_first_vector)
{
	struct row r = {.action = ROW_ISSUE_DISPATCH};
	struct row_frame f = {"2026-10-06T12:00:00+00:00", "", 0};
	auto_buf struct buf b;
	char hex[SHA256_HEX + 1];

	buf_init(&b, 4096);
	row_str(&r, KEY_ID, VIEW("2ce6e79cf740"));
	row_str(&r, KEY_AGENT, VIEW("producer"));
	sealed(&r, &f, &b);
	sha256_hex(buf_view(&b), hex);
	cr_assert_str_eq(hex, "954adc45a1e3f7fc7cc11a792e3ad9a88c20deaeef54a6e0f3872ebd80ebed5c");
}

Test(rows, the_second_vector)
{
	struct row r = {.action = ROW_APPLY_PROPOSAL};
	struct row_frame f = {"2026-10-06T12:00:01+00:00",
			      "954adc45a1e3f7fc7cc11a792e3ad9a88c20deaeef54a6e0f3872ebd80ebed5c",
			      0};
	struct gate_result gate = {VIEW("lint"), VIEW("bwrap"), 0, 12};
	auto_buf struct buf b;
	char hex[SHA256_HEX + 1];

	buf_init(&b, 4096);
	row_str(&r, KEY_AGENT, VIEW("producer"));
	row_str(&r, KEY_PATH, VIEW("src/a.py"));
	row_str(&r, KEY_BASE,
		VIEW("9e26bf369911c45c243c684147b23fc9e1dcfcf257d299a1c632016a6fcd33f4"));
	row_str(&r, KEY_NEW,
		VIEW("4205c4809ab1b080fd32b6bf9640e5feaa6d1b69bf9fa684954ab710157ec141"));
	row_int(&r, KEY_BYTES, 6);
	row_gates(&r, &gate, 1);
	row_str(&r, KEY_RATIONALE, VIEW("caf\xc3\xa9 \xe2\x9c\x93 \"q\"\t\xf0\x9f\x98\x80/\x7f"));
	sealed(&r, &f, &b);
	sha256_hex(buf_view(&b), hex);
	cr_assert_str_eq(hex, "0ead61d40b9d3b35e10bab698f623bafb8f3685ddd9e43006044dca1cc4b310c");
}

Test(rows, keys_stand_in_canonical_order_and_actions_have_names)
{
	for (unsigned k = 2; k < N_ROW_KEYS; k++)
		cr_assert_lt(strcmp(row_key_name(k - 1), row_key_name(k)), 0, "%s",
			     row_key_name(k));
	for (unsigned a = 1; a < N_ROW_ACTIONS; a++) {
		cr_assert_not_null(row_action_name(a));
		cr_assert_eq(row_action_by_name(view_of(row_action_name(a))), a);
		/* The frame is the keeper's alone. */
		cr_assert(!row_allows(a, KEY_ACTION) && !row_allows(a, KEY_MAC) &&
			  !row_allows(a, KEY_PREV) && !row_allows(a, KEY_SEQ) &&
			  !row_allows(a, KEY_TIME));
	}
	cr_assert_eq(row_action_by_name(VIEW("")), 0);
	cr_assert_eq(row_action_by_name(VIEW("run-requests")), 0);
}

Test(rows, what_the_table_does_not_allow_is_refused)
{
	struct row r = {.action = ROW_REJECT_STAGED};
	struct row_frame f = {"2026-10-06T12:00:00+00:00", "", 1};
	auto_buf struct buf b;
	size_t at;

	buf_init(&b, 4096);
	row_str(&r, KEY_NEW, VIEW("x")); /* no such member there */
	cr_assert_eq(row_emit(&r, &f, &b, &at), E_INTERNAL);
	r = (struct row){.action = ROW_REJECT_STAGED};
	row_str(&r, KEY_SID, VIEW("x"));
	row_str(&r, KEY_SID, VIEW("x"));
	cr_assert_eq(row_check(&r), E_INTERNAL);
	r = (struct row){.action = 0};
	cr_assert_eq(row_check(&r), E_INTERNAL);
	r = (struct row){.action = N_ROW_ACTIONS};
	cr_assert_eq(row_check(&r), E_INTERNAL);
	r = (struct row){.action = ROW_REJECT_STAGED};
	row_str(&r, KEY_REASON, VIEW("\xff"));
	cr_assert_eq(row_emit(&r, &f, &b, &at), E_UTF8);
}

Test(rows, packing_comes_back_the_same)
{
	struct gate_result gates[2] = {{VIEW("a"), {0}, 1, 2}, {VIEW("b"), VIEW("bwrap"), 3, 4}};
	struct gate_result room[MAX_GATES];
	struct row r = {.action = ROW_APPLY_PROPOSAL}, back;
	auto_buf struct buf b;
	struct wire_in in;

	buf_init(&b, 65536);
	row_str(&r, KEY_PATH, VIEW("p"));
	row_null(&r, KEY_NEW);
	row_int(&r, KEY_BYTES, -7);
	row_gates(&r, gates, 2);
	row_pack(&r, &b);
	in = (struct wire_in){.rest = buf_view(&b)};
	cr_assert_eq(row_unpack(&in, &back, room, MAX_GATES), 0);
	cr_assert(wire_end(&in));
	cr_assert_eq(back.n, 4);
	cr_assert(view_is(back.field[0].s, "p"));
	cr_assert_null(back.field[1].s.ptr);
	cr_assert_eq(back.field[2].n, -7);
	cr_assert_eq(back.field[3].n_gates, 2);
	cr_assert_null(room[0].confined.ptr);
	cr_assert(view_is(room[1].confined, "bwrap"));
	/* Every cut is noticed. */
	for (size_t n = 0; n < b.len; n++) {
		in = (struct wire_in){.rest = {b.data, n}};
		cr_assert(row_unpack(&in, &back, room, MAX_GATES) != 0 || !wire_end(&in), "%zu", n);
	}
}
