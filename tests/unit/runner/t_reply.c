/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "runner/reply.h"

#include "base/json.h"
#include "base/limits.h"

#include <criterion/criterion.h>

static struct json *emitted(const struct reply *r)
{
	struct reply_frame f = {.id = "00112233445566778899aabbccddeeff",
				.kind = "run-request",
				.ack_token = "ffeeddccbbaa99887766554433221100",
				.queue_wait_ms = -1,
				.serve_ms = 3};
	auto_buf struct buf b;
	struct json *j = NULL;
	struct errctx e = {0};
	struct view pieces[REPLY_PIECES];
	auto_buf struct buf head = {0};

	buf_init(&b, MAX_RESULT_WRITE_BYTES);
	buf_init(&head, MAX_RESULT_WRITE_BYTES);
	cr_assert_eq(reply_emit(r, &f, &head, pieces), 0);
	for (size_t i = 0; i < REPLY_PIECES; i++)
		cr_assert_eq(buf_put_view(&b, pieces[i]), 0);
	cr_assert_leq(b.len, (size_t)MAX_RESULT_WRITE_BYTES);
	cr_assert_eq(json_parse(buf_view(&b), &j, &e), 0, "%s", e.text);
	return j;
}

Test(reply, refusals_have_a_reason_and_an_exit)
{
	struct reply r;
	struct json *j;
	struct view v;
	bool ok = true;
	int64_t n;

	reply_init(&r);
	(void)reply_refuse_text(&r, "because of \"%s\" \x1b[2J", "x");
	j = emitted(&r);
	cr_assert_eq(json_get_bool(json_member(j, "ok"), &ok), 0);
	cr_assert(!ok);
	cr_assert_eq(json_get_int(json_member(j, "exit"), &n), 0);
	cr_assert_eq(n, 1);
	cr_assert_eq(json_get_str(json_member(j, "error"), &v), 0);
	cr_assert(memchr(v.ptr, 0x1b, v.len) == NULL);
	cr_assert_eq(json_type(json_member(j, "queue_wait_ms")), JSON_NULL);
	json_free(j);
	reply_release(&r);
}

/* 21.28: worst-case escaping. */
Test(reply, what_is_too_large_is_cut_and_keeps_its_id)
{
	struct reply r;
	struct json *j;
	struct jsonw w;
	struct view v;
	bool cut = false, ok = true;
	char *stream = calloc(1, 262144);

	memset(stream, 1, 262144);
	reply_init(&r);
	r.ok = true;
	jsonw_init(&w, &r.result, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_kv_str(&w, "stdout", (struct view){stream, 262144});
	jsonw_kv_str(&w, "stderr", (struct view){stream, 262144});
	jsonw_obj_end(&w);
	j = emitted(&r);
	cr_assert_eq(json_get_bool(json_member(j, "result_cut"), &cut), 0);
	cr_assert(cut);
	cr_assert_eq(json_get_bool(json_member(j, "ok"), &ok), 0);
	cr_assert(!ok);
	cr_assert_eq(json_get_str(json_member(j, "id"), &v), 0);
	cr_assert(view_is(v, "00112233445566778899aabbccddeeff"));
	json_free(j);
	reply_release(&r);
	free(stream);
}

Test(reply, what_is_too_long_for_a_row_follows_the_reason)
{
	auto_json struct json *j = NULL;
	struct reply r;
	struct view v;

	reply_init(&r);
	(void)reply_refuse_text(&r, "refused");
	reply_detail(&r, VIEW(": first\n\xc3\xa9 \x1b[2J\xff\\"));
	j = emitted(&r);
	cr_assert_eq(json_get_str(json_member(j, "error"), &v), 0);
	cr_expect(view_is(v, "refused: first\n\xc3\xa9 \\u{1b}[2J\\xff\\\\"));
	cr_expect_str_eq(r.error.text, "refused");
	reply_release(&r);
}

Test(reply, a_detail_without_room_is_left_out_as_a_whole)
{
	static char text[MAX_REPLY_DETAIL_BYTES + 1];
	auto_json struct json *j = NULL;
	struct reply r;
	struct view v;

	memset(text, 'a', sizeof(text));
	reply_init(&r);
	(void)reply_refuse_text(&r, "refused");
	reply_detail(&r, (struct view){text, sizeof(text)});
	j = emitted(&r);
	cr_assert_eq(json_get_str(json_member(j, "error"), &v), 0);
	cr_expect(view_is(v, "refused"));
	reply_release(&r);
}

/* Both ways of joining a result to its frame give the same text. */
Test(reply, a_large_result_is_whole)
{
	static char text[100000];

	memset(text, 'a', sizeof(text));
	for (size_t n = 1; n <= sizeof(text); n = n == 1 ? 1000 : n * 10) {
		auto_json struct json *j = NULL;
		struct reply r;
		struct jsonw w;
		struct view v;

		reply_init(&r);
		r.ok = true;
		jsonw_init(&w, &r.result, JSONW_SPACED);
		jsonw_obj(&w);
		jsonw_kv_str(&w, "text", (struct view){text, n});
		jsonw_obj_end(&w);
		j = emitted(&r);
		cr_assert_eq(json_get_str(json_member(json_member(j, "result"), "text"), &v), 0);
		cr_expect_eq(v.len, n);
		reply_release(&r);
	}
}
