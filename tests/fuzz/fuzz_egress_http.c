/* SPDX-License-Identifier: MIT */
/* HTTP heads: what is accepted is complete, is read the same in pieces, and what we make of it is
 * read the same again. */
#include "base/base.h"

#include "launcher/egress_http.h"
#include "tests/fuzz/fuzz.h"

static struct egress_http_head head, again;

static size_t count(const struct buf *b, const char *piece)
{
	size_t n = 0;

	for (const char *p = buf_text(b); (p = strstr(p, piece)); p++)
		n++;
	return n;
}

/* The server reads what we wrote: same host, same body, nothing left over. */
static void require_stable(const struct egress_http_head *h)
{
	auto_buf struct buf out = {0};
	struct egress_refusal why;

	buf_init(&out, 4 * MAX_EGRESS_HEAD_BYTES);
	egress_http_emit(h, &out);
	FUZZ_REQUIRE(buf_error(&out) == 0);
	FUZZ_REQUIRE(count(&out, "\r\nHost: ") == 1 &&
		     count(&out, "\r\nConnection: close\r\n\r\n") == 1);
	if (out.len >= MAX_EGRESS_HEAD_BYTES)
		return;
	FUZZ_REQUIRE(egress_http_parse(buf_view(&out), HTTP_FORM_ORIGIN, &again, &why) ==
		     EGRESS_DONE);
	FUZZ_REQUIRE(again.bytes == out.len);
	FUZZ_REQUIRE(egress_host_same(&again.host, &h->host) && again.port == h->port);
	FUZZ_REQUIRE(again.body == h->body && again.length == h->length);
	FUZZ_REQUIRE(again.credentials.len == 0);
}

static void require_framing(const struct egress_http_head *h, struct view body)
{
	struct egress_http_framing whole, pieces;
	enum egress_parse p, q = EGRESS_MORE;
	size_t n, m, at = 0;

	egress_http_framing_init(&whole, h);
	pieces = whole;
	p = egress_http_framing_take(&whole, body, &n);
	FUZZ_REQUIRE(n <= body.len);
	for (size_t i = 0; i < body.len && q == EGRESS_MORE; i++) {
		q = egress_http_framing_take(&pieces, (struct view){body.ptr + i, 1}, &m);
		FUZZ_REQUIRE(m <= 1);
		at += m;
	}
	if (body.len && p == EGRESS_BAD)
		FUZZ_REQUIRE(q == EGRESS_BAD);
	else if (body.len)
		FUZZ_REQUIRE(p == q && n == at);
}

static void require_head(struct view in, enum egress_http_form form)
{
	struct egress_refusal why = {0, NULL};
	enum egress_parse p = egress_http_parse(in, form, &head, &why), q = EGRESS_MORE;

	if (p == EGRESS_BAD)
		FUZZ_REQUIRE(why.status >= 400 && why.status < 600 && why.reason && why.reason[0]);
	for (size_t n = 0; n <= in.len && q == EGRESS_MORE; n++)
		q = egress_http_parse((struct view){in.ptr, n}, form, &again, &why);
	FUZZ_REQUIRE(p == q);
	if (p != EGRESS_DONE)
		return;
	FUZZ_REQUIRE(head.bytes <= in.len && head.bytes <= MAX_EGRESS_HEAD_BYTES);
	FUZZ_REQUIRE(memcmp(in.ptr + head.bytes - 4, "\r\n\r\n", 4) == 0);
	FUZZ_REQUIRE(head.port >= 1 && head.port <= 65535 && head.host.text[0]);
	if (head.connect)
		return;
	require_stable(&head);
	require_framing(&head, (struct view){in.ptr + head.bytes, in.len - head.bytes});
}

static void require_answer(struct view in)
{
	auto_buf struct buf out = {0}, out2 = {0};
	size_t n = 0, m;
	bool final = false, final2;
	enum egress_parse p;

	buf_init(&out, 2 * MAX_EGRESS_REPLY_HEAD_BYTES);
	buf_init(&out2, 2 * MAX_EGRESS_REPLY_HEAD_BYTES);
	p = egress_http_answer(in, &out, &n, &final);
	if (p != EGRESS_DONE) {
		FUZZ_REQUIRE(out.len == 0);
		return;
	}
	FUZZ_REQUIRE(n <= in.len && buf_error(&out) == 0);
	if (out.len >= MAX_EGRESS_REPLY_HEAD_BYTES)
		return;
	FUZZ_REQUIRE(egress_http_answer(buf_view(&out), &out2, &m, &final2) == EGRESS_DONE);
	FUZZ_REQUIRE(m == out.len && final == final2 && out.len == out2.len &&
		     memcmp(out.data, out2.data, out.len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view in = {(const char *)data, size};

	require_answer(in);
	if (size > 2048)
		return 0; /* the pieces make it quadratic */
	require_head(in, HTTP_FORM_PROXY);
	require_head(in, HTTP_FORM_ORIGIN);
	return 0;
}
