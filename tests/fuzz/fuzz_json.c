/* SPDX-License-Identifier: MIT */
/*
 * JSON: the check, the tree, the raw readers and the writers hold each other to account. Whatever
 * the bytes: check and parse agree; what is accepted survives writing and reading; each member's
 * raw spelling parses to the very value that the tree has.
 */
#include "base/base.h"

#include "base/jsonw.h"
#include "base/utf8.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_OUT = 64 << 20 };

static void canonical(struct buf *out, const struct json *j, int *ret)
{
	buf_init(out, MAX_OUT);
	*ret = jsonw_canonical(out, JSONW_SPACED, j, NULL);
	FUZZ_REQUIRE(*ret == 0 || *ret == E_NUMBER);
}

static void require_same(const struct json *a, const struct json *b)
{
	auto_buf struct buf left, right;
	int r_left, r_right;

	canonical(&left, a, &r_left);
	canonical(&right, b, &r_right);
	FUZZ_REQUIRE(r_left == r_right);
	FUZZ_REQUIRE(r_left != 0 || view_eq(buf_view(&left), buf_view(&right)));
}

static void require_round_trip(const struct json *j)
{
	static const enum jsonw_form forms[] = {JSONW_COMPACT, JSONW_SPACED, JSONW_INDENTED};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		auto_json struct json *back = NULL;
		auto_buf struct buf out;
		struct jsonw w;
		int r;

		buf_init(&out, MAX_OUT);
		jsonw_init(&w, &out, forms[i]);
		jsonw_value(&w, j);
		r = jsonw_finish(&w);
		FUZZ_REQUIRE(r == 0 || r == E_NUMBER);
		if (r)
			return;
		FUZZ_REQUIRE(json_parse(buf_view(&out), &back, NULL) == 0);
		require_same(j, back);
		for (size_t k = 0; k < out.len; k++)
			FUZZ_REQUIRE((out.data[k] >= ' ' && out.data[k] < 0x7f) ||
				     (out.data[k] == '\n' && forms[i] == JSONW_INDENTED));
	}
}

static bool lies_in(struct view inner, struct view outer)
{
	return inner.ptr >= outer.ptr && inner.len <= outer.len &&
	       (size_t)(inner.ptr - outer.ptr) <= outer.len - inner.len;
}

static void require_raw_members(struct view text, const struct json *object)
{
	size_t n = 0;

	for (const struct json *m = json_first(object); m && n < 50; m = json_next(m), n++) {
		auto_json struct json *value = NULL;
		struct view raw;

		FUZZ_REQUIRE(json_raw_member(text, json_key(m).ptr, &raw) == 0);
		FUZZ_REQUIRE(lies_in(raw, text));
		FUZZ_REQUIRE(json_parse(raw, &value, NULL) == 0);
		require_same(value, m);
		FUZZ_REQUIRE(json_member(object, json_key(m).ptr) == m);
	}
}

static int require_element(struct view raw, void *arg)
{
	const struct json **at = arg;
	auto_json struct json *value = NULL;

	FUZZ_REQUIRE(json_parse(raw, &value, NULL) == 0);
	require_same(value, *at);
	*at = json_next(*at);
	return 0;
}

static void require_raw_elements(struct view text, const struct json *array)
{
	const struct json *at = json_first(array);

	FUZZ_REQUIRE(json_raw_elements(text, require_element, &at) == 0);
	FUZZ_REQUIRE(at == NULL);
}

static int require_inside(struct view raw, void *arg)
{
	FUZZ_REQUIRE(lies_in(raw, *(const struct view *)arg));
	return 0;
}

/* The bytes as a string's content. */
static void require_string_round_trip(struct view bytes)
{
	auto_json struct json *j = NULL;
	auto_buf struct buf out;
	struct view back;
	struct jsonw w;
	int r;

	buf_init(&out, MAX_OUT);
	jsonw_init(&w, &out, JSONW_COMPACT);
	jsonw_str(&w, bytes);
	r = jsonw_finish(&w);
	FUZZ_REQUIRE(r == (utf8_valid(bytes, NULL) ? 0 : E_UTF8));
	if (r)
		return;
	r = json_parse(buf_view(&out), &j, NULL);
	FUZZ_REQUIRE(r == (bytes.len && memchr(bytes.ptr, 0, bytes.len) ? E_NUL : 0));
	FUZZ_REQUIRE(r || (json_get_str(j, &back) == 0 && view_eq(back, bytes)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view text = {(const char *)data, size}, raw;
	auto_json struct json *j = NULL;
	struct errctx e = {0};
	int checked = json_check(text, &e), parsed = json_parse(text, &j, NULL);

	FUZZ_REQUIRE(checked == parsed);
	FUZZ_REQUIRE((checked == 0) == (j != NULL));
	FUZZ_REQUIRE(e.code == checked && (checked == 0 || strncmp(e.text, "line ", 5) == 0));
	if (json_raw_member(text, "id", &raw) == 0)
		FUZZ_REQUIRE(lies_in(raw, text));
	FUZZ_REQUIRE(json_raw_elements(text, require_inside, &text) <= 0);
	require_string_round_trip(text);
	if (checked != 0)
		return 0;
	require_round_trip(j);
	if (json_is(j, JSON_OBJECT))
		require_raw_members(text, j);
	if (json_is(j, JSON_ARRAY))
		require_raw_elements(text, j);
	return 0;
}
