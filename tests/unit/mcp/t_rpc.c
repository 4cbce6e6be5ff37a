/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "mcp/rpc.h"

#include "base/limits.h"

#include <criterion/criterion.h>

static struct rpc_message classify(const char *text)
{
	struct json *root = NULL;
	struct errctx e = {0};
	struct rpc_message m;
	int err = json_parse(view_of(text), &root, &e);

	if (err)
		rpc_classify_unread(view_of(text), err, &e, &m);
	else
		rpc_classify(view_of(text), root, &m);
	m.params = NULL; /* borrowed from root */
	m.method = (struct view){0};
	json_free(root);
	return m;
}

static const struct {
	const char *text;
	enum rpc_kind kind;
	int code;
	const char *id;
} rows[] = {
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", RPC_REQUEST, 0, "1"},
	{"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}", RPC_REQUEST, 0, "0"},
	{"{\"jsonrpc\":\"2.0\",\"id\":-0,\"method\":\"ping\"}", RPC_REQUEST, 0, "-0"},
	{"{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"ping\"}", RPC_REQUEST, 0, "\"\""},
	{"{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"ping\"}", RPC_REQUEST, 0,
	 "9007199254740993"},
	{"{\"jsonrpc\":\"2.0\",\"id\" : \"\\u0061\\/\" ,\"method\":\"ping\"}", RPC_REQUEST, 0,
	 "\"\\u0061\\/\""},
	{"{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}", RPC_NOTIFICATION, 0, ""},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", RPC_RESPONSE, 0, "1"},
	{"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}", RPC_RESPONSE, 0, ""},
	{"[]", RPC_BATCH, 0, ""},
	/* ids that are none */
	{"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", RPC_INVALID, -32600, ""},
	{"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}", RPC_INVALID, -32600, ""},
	{"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", RPC_INVALID, -32600, ""},
	{"{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"ping\"}", RPC_INVALID, -32600, ""},
	{"{\"jsonrpc\":\"2.0\",\"id\":1e3,\"method\":\"ping\"}", RPC_INVALID, -32600, ""},
	{"{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"ping\"}", RPC_INVALID, -32600, ""},
	{"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", RPC_INVALID, -32600, ""},
	/* no requests */
	{"1", RPC_INVALID, -32600, ""},
	{"\"x\"", RPC_INVALID, -32600, ""},
	{"null", RPC_INVALID, -32600, ""},
	{"{}", RPC_INVALID, -32600, ""},
	{"{\"jsonrpc\":\"2.0\",\"id\":9}", RPC_INVALID, -32600, "9"},
	{"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":5}", RPC_INVALID, -32600, "9"},
	{"{\"id\":9,\"method\":\"ping\"}", RPC_INVALID, -32600, "9"},
	{"{\"jsonrpc\":\"1.0\",\"id\":9,\"method\":\"ping\"}", RPC_INVALID, -32600, "9"},
	{"{\"JSONRPC\":\"2.0\",\"id\":9,\"method\":\"ping\"}", RPC_INVALID, -32600, "9"},
	/* JSON that is refused: the id is echoed where it can be read */
	{"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"a\",\"method\":\"b\"}", RPC_INVALID, -32600,
	 "9"},
	{"{\"jsonrpc\":\"2.0\",\"id\":9,\"id\":8,\"method\":\"a\"}", RPC_INVALID, -32600, ""},
	{"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"a\\u0000\"}", RPC_INVALID, -32600, "9"},
	{"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"a\\ud800\"}", RPC_INVALID, -32600, "9"},
	{"{\"jsonrpc\":\"2.0\",\"id\":\"\\ud800\",\"method\":\"a\"}", RPC_INVALID, -32600, ""},
	/* no JSON */
	{"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":", RPC_INVALID, -32700, ""},
	{"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xff\"}", RPC_INVALID, -32700, ""},
	{"{} {}", RPC_INVALID, -32700, ""},
	{"{\"a\":NaN}", RPC_INVALID, -32700, ""},
	{"{'a':1}", RPC_INVALID, -32700, ""},
	{"\xef\xbb\xbf{}", RPC_INVALID, -32700, ""},
};

Test(rpc, table)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct rpc_message m = classify(rows[i].text);

		cr_assert_eq(m.kind, rows[i].kind, "%s: kind %d", rows[i].text, m.kind);
		cr_assert_eq(m.code, rows[i].code, "%s: code %d", rows[i].text, m.code);
		cr_assert(view_is(m.id, rows[i].id), "%s: id %.*s", rows[i].text, (int)m.id.len,
			  m.id.ptr);
	}
}

Test(rpc, an_id_of_a_request_nested_too_deeply_is_echoed)
{
	char text[4096];
	size_t n = (size_t)snprintf(
		text, sizeof(text),
		"{\"jsonrpc\":\"2.0\",\"id\":\"deep\",\"method\":\"ping\",\"params\":");
	struct rpc_message m;

	for (int i = 0; i < 300; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "{\"a\":");
	text[n++] = '1';
	for (int i = 0; i < 301; i++)
		text[n++] = '}';
	text[n] = 0;
	m = classify(text);
	cr_assert_eq(m.code, -32600);
	cr_assert(view_is(m.id, "\"deep\""));
	cr_assert(strstr(m.why, "nest"), "%s", m.why);
}

Test(rpc, an_overlong_id_is_no_id)
{
	char text[4096];
	char id[2048];

	memset(id, 'x', sizeof(id) - 1);
	id[sizeof(id) - 1] = 0;
	(void)snprintf(text, sizeof(text),
		       "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"ping\"}", id);
	cr_assert_eq(classify(text).code, -32600);
}

Test(rpc, error_replies_are_one_ascii_line_whatever_the_message_holds)
{
	struct buf out;

	buf_init(&out, 10000);
	rpc_put_error(&out, VIEW("\"a\""), -32601, "x\n\"\xe2\x80\xae\x1b", (struct view){0});
	cr_assert_str_eq(buf_text(&out),
			 "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32601,\"message\":"
			 "\"x\\\\u{a}\\\"\\\\u{202e}\\\\u{1b}\"}}");
	buf_clear(&out);
	rpc_put_error(&out, (struct view){0}, -32700, "no", VIEW("{\"a\":1}"));
	cr_assert_str_eq(buf_text(&out),
			 "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
			 "\"message\":\"no\",\"data\":{\"a\":1}}}");
	buf_release(&out);
}
