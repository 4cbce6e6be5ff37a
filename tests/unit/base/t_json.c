/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/limits.h"
#include "tests/lib/fnv_collide.h"

#include <criterion/criterion.h>

/* What is accepted, and the code of each refusal. Rows are also seeds of tests/fuzz. */
static const struct {
	struct view text;
	int code;
} rows[] = {
	{VIEW("null"), 0},
	{VIEW("true"), 0},
	{VIEW(" \t\r\n false \n"), 0},
	{VIEW("0"), 0},
	{VIEW("\"\""), 0},
	{VIEW("[]"), 0},
	{VIEW("{}"), 0},
	{VIEW("[ ]"), 0},
	{VIEW("{ }"), 0},
	{VIEW("[[],{},[{}]]"), 0},
	{VIEW("{\"a\":1,\"b\":[1,2,{\"a\":null}]}"), 0},
	{VIEW("{ \"a\" : 1 , \"b\" : [ 1 , 2 ] }"), 0},
	{VIEW("{\"\":0}"), 0},
	{VIEW("{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":1}}"), 0},
	{VIEW("{\"A\":1,\"a\":2}"), 0},
	{VIEW("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u00E9\""), 0},
	{VIEW("\"\\ud83d\\ude00\""), 0},
	{VIEW("\"\\uD83D\\uDE00\""), 0},
	{VIEW("\"\\uffff\\ufeff\\u0001\""), 0},
	{VIEW("\"caf\xc3\xa9 \xe2\x9c\x93 \xf0\x9f\x98\x80 \xef\xbb\xbf \x7f\""), 0},
	/* Syntax. */
	{VIEW(""), E_SYNTAX},
	{VIEW("  "), E_SYNTAX},
	{VIEW("nul"), E_SYNTAX},
	{VIEW("nulll"), E_SYNTAX},
	{VIEW("True"), E_SYNTAX},
	{VIEW("NaN"), E_SYNTAX},
	{VIEW("Infinity"), E_SYNTAX},
	{VIEW("-Infinity"), E_SYNTAX},
	{VIEW("undefined"), E_SYNTAX},
	{VIEW("'a'"), E_SYNTAX},
	{VIEW("\"a"), E_SYNTAX},
	{VIEW("\"a\\"), E_SYNTAX},
	{VIEW("\"a\\\""), E_SYNTAX},
	{VIEW("\"\\q\""), E_SYNTAX},
	{VIEW("\"\\\0\""), E_SYNTAX},
	{VIEW("\"\\x41\""), E_SYNTAX},
	{VIEW("\"\\U0041\""), E_SYNTAX},
	{VIEW("\"\\u12\""), E_SYNTAX},
	{VIEW("\"\\u"), E_SYNTAX},
	{VIEW("\"\\u123g\""), E_SYNTAX},
	{VIEW("\"\\u+123\""), E_SYNTAX},
	{VIEW("\"a\nb\""), E_SYNTAX},
	{VIEW("\"a\tb\""), E_SYNTAX},
	{VIEW("\"a\x1f"
	      "b\""),
	 E_SYNTAX},
	{VIEW("[1,]"), E_SYNTAX},
	{VIEW("[,1]"), E_SYNTAX},
	{VIEW("[1 2]"), E_SYNTAX},
	{VIEW("[1"), E_SYNTAX},
	{VIEW("[1}"), E_SYNTAX},
	{VIEW("["), E_SYNTAX},
	{VIEW("]"), E_SYNTAX},
	{VIEW("[]]"), E_SYNTAX},
	{VIEW("{"), E_SYNTAX},
	{VIEW("}"), E_SYNTAX},
	{VIEW("{\"a\"}"), E_SYNTAX},
	{VIEW("{\"a\":}"), E_SYNTAX},
	{VIEW("{\"a\":1,}"), E_SYNTAX},
	{VIEW("{,\"a\":1}"), E_SYNTAX},
	{VIEW("{\"a\":1 \"b\":2}"), E_SYNTAX},
	{VIEW("{\"a\" 1}"), E_SYNTAX},
	{VIEW("{\"a\"::1}"), E_SYNTAX},
	{VIEW("{\"a\":1]"), E_SYNTAX},
	{VIEW("{a:1}"), E_SYNTAX},
	{VIEW("{1:1}"), E_SYNTAX},
	{VIEW("{null:1}"), E_SYNTAX},
	{VIEW("{\"a\":1}{\"b\":2}"), E_SYNTAX},
	{VIEW("1 2"), E_SYNTAX},
	{VIEW("null x"), E_SYNTAX},
	{VIEW("[1]//x"), E_SYNTAX},
	{VIEW("/**/1"), E_SYNTAX},
	{VIEW("\xef\xbb\xbf{}"), E_SYNTAX},
	{VIEW("{}\xef\xbb\xbf"), E_SYNTAX},
	{VIEW("\x0b{}"), E_SYNTAX},
	{VIEW("\xc2\xa0{}"), E_SYNTAX},
	{VIEW("null\0"), E_SYNTAX},
	{VIEW("\0null"), E_SYNTAX},
	{VIEW("\"a\0b\""), E_SYNTAX},
	{VIEW("[1\0]"), E_SYNTAX},
	/* Encoding. */
	{VIEW("\"\xff\""), E_UTF8},
	{VIEW("\"\xc3\""), E_UTF8},
	{VIEW("\"\xc0\xaf\""), E_UTF8},
	{VIEW("\"\xed\xa0\x80\""), E_UTF8},
	{VIEW("\"\xf4\x90\x80\x80\""), E_UTF8},
	{VIEW("{\"\x80\":1}"), E_UTF8},
	{VIEW("null\xfe"), E_UTF8},
	{VIEW("\"\\u0000\""), E_NUL},
	{VIEW("\"a\\u0000b\""), E_NUL},
	{VIEW("{\"a\\u0000\":1}"), E_NUL},
	{VIEW("\"\\ud800\""), E_SURROGATE},
	{VIEW("\"\\udc00\""), E_SURROGATE},
	{VIEW("\"\\ud83d\\ud83d\""), E_SURROGATE},
	{VIEW("\"\\ude00\\ud83d\""), E_SURROGATE},
	{VIEW("\"\\ud83dx\""), E_SURROGATE},
	{VIEW("\"\\ud83d\\n\""), E_SURROGATE},
	{VIEW("\"\\ud83d\\u\""), E_SURROGATE},
	{VIEW("\"\\ud83d\\u00e9\""), E_SURROGATE},
	{VIEW("{\"\\udfff\":1}"), E_SURROGATE},
	/* Duplicates, by the unescaped name. */
	{VIEW("{\"a\":1,\"a\":1}"), E_DUPLICATE},
	{VIEW("{\"a\":1,\"b\":2,\"a\":3}"), E_DUPLICATE},
	{VIEW("{\"\":1,\"\":2}"), E_DUPLICATE},
	{VIEW("{\"a\":1,\"\\u0061\":2}"), E_DUPLICATE},
	{VIEW("{\"\\u0061\":1,\"\\u0061\":2}"), E_DUPLICATE},
	{VIEW("{\"/\":1,\"\\/\":2}"), E_DUPLICATE},
	{VIEW("{\"\xc3\xa9\":1,\"\\u00E9\":2}"), E_DUPLICATE},
	{VIEW("{\"\xf0\x9f\x98\x80\":1,\"\\ud83d\\ude00\":2}"), E_DUPLICATE},
	{VIEW("[{\"x\":{\"a\":1,\"a\":2}}]"), E_DUPLICATE},
	{VIEW("{\"a\":{\"b\":1},\"c\":{},\"a\":2}"), E_DUPLICATE},
	/* "costarring" and "liquid" have the same 32-bit FNV-1a hash. */
	{VIEW("{\"costarring\":1,\"liquid\":2}"), 0},
	{VIEW("{\"costarrin\\u0067\":1,\"liqui\\u0064\":2}"), 0},
	{VIEW("{\"costarring\":1,\"liquid\":2,\"l\\u0069quid\":3}"), E_DUPLICATE},
};

Test(json, table)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_json struct json *j = NULL;
		struct errctx e = {0};
		int checked = json_check(rows[i].text, &e), parsed;

		cr_assert_eq(checked, rows[i].code, "check, row %zu: %s (%s)", i, err_name(checked),
			     e.text);
		cr_assert_eq(e.code, rows[i].code);
		parsed = json_parse(rows[i].text, &j, NULL);
		cr_assert_eq(parsed, rows[i].code, "parse, row %zu: %s", i, err_name(parsed));
		cr_assert_eq(j != NULL, rows[i].code == 0, "row %zu", i);
	}
}

/* The text needs no NUL behind it: under the address sanitizer a read past the end is seen. */
Test(json, reads_no_byte_behind_the_text)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t len = 0; len <= rows[i].text.len; len++) {
			auto_json struct json *j = NULL;
			auto_free char *copy = malloc(len + !len);
			int r;

			cr_assert_not_null(copy);
			memcpy(copy, rows[i].text.ptr, len);
			r = json_parse((struct view){copy, len}, &j, NULL);
			cr_assert_eq(j != NULL, r == 0, "row %zu, first %zu bytes", i, len);
		}
}

Test(json, context_names_line_column_and_member)
{
	static const struct {
		struct view text;
		const char *context;
	} cases[] = {
		{VIEW(""), "line 1, column 1: the text ends where a value is expected"},
		{VIEW("[1,\n 2,,]"), "line 2, column 4: value expected"},
		{VIEW("{\"a\":1,\n\"bc\":tru}"),
		 "line 2, column 6: value expected (member \"bc\")"},
		{VIEW("{\"a\":1,\n \"a\":2}"), "line 2, column 2: duplicate member (member \"a\")"},
		{VIEW("{\"x\":[1e400]}"),
		 "line 1, column 7: number that isn't finite (member \"x\")"},
		{VIEW("{\"x\":{\"y\":\"\\u0000\"}}"), "line 1, column 12: \\u0000 (member \"y\")"},
		{VIEW("{\"x\":{\"y\\ud800\":1}}"),
		 "line 1, column 9: unpaired surrogate escape (member \"x\")"},
		{VIEW("{\"x\":1"), "line 1, column 7: the text ends too early (member \"x\")"},
		{VIEW("{\"x\":1\0}"), "line 1, column 7: NUL byte (member \"x\")"},
		{VIEW("\"\xc3\xa9\xff\""), "line 1, column 4: invalid UTF-8"},
		{VIEW("{} x"), "line 1, column 4: more after the value"},
		{VIEW("{\"\x1b[2K\":1}"), "line 1, column 3: control character in a string"},
		{VIEW("{\"\xe2\x80\xae\":x}"),
		 "line 1, column 8: value expected (member \"\\xe2\\x80\\xae\")"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct errctx e = {0};

		cr_assert_lt(json_check(cases[i].text, &e), 0);
		cr_assert_str_eq(e.text, cases[i].context);
	}
}

Test(json, not_json_or_refused_json)
{
	cr_assert(json_error_is_syntax(E_SYNTAX));
	cr_assert(json_error_is_syntax(E_UTF8));
	cr_assert_not(json_error_is_syntax(0));
	cr_assert_not(json_error_is_syntax(E_NUL));
	cr_assert_not(json_error_is_syntax(E_SURROGATE));
	cr_assert_not(json_error_is_syntax(E_DEPTH));
	cr_assert_not(json_error_is_syntax(E_DUPLICATE));
	cr_assert_not(json_error_is_syntax(E_NUMBER));
	cr_assert_not(json_error_is_syntax(E_TOOBIG));
	cr_assert_not(json_error_is_syntax(E_NOMEM));
}

static void nest(struct buf *b, unsigned depth, const char *open, const char *close)
{
	buf_clear(b);
	for (unsigned i = 0; i < depth; i++)
		buf_puts(b, open);
	buf_puts(b, "0");
	for (unsigned i = 0; i < depth; i++)
		buf_puts(b, close);
}

Test(json, nesting)
{
	auto_buf struct buf b;

	buf_init(&b, 1 << 22);
	for (int kind = 0; kind < 2; kind++) {
		const char *open = kind ? "{\"a\":" : "[", *close = kind ? "}" : "]";
		auto_json struct json *j = NULL;

		nest(&b, MAX_JSON_DEPTH, open, close);
		cr_assert_eq(json_parse(buf_view(&b), &j, NULL), 0);
		nest(&b, MAX_JSON_DEPTH + 1, open, close);
		cr_assert_eq(json_check(buf_view(&b), NULL), E_DEPTH);
		nest(&b, 300, open, close);
		cr_assert_eq(json_check(buf_view(&b), NULL), E_DEPTH);
		nest(&b, 400000, open, close);
		cr_assert_eq(json_check(buf_view(&b), NULL), E_DEPTH);
	}
	/* Closed containers don't count. */
	buf_clear(&b);
	buf_putc(&b, '[');
	for (int i = 0; i < 1000; i++)
		buf_puts(&b, "[{\"a\":[]}],");
	buf_puts(&b, "0]");
	cr_assert_eq(json_check(buf_view(&b), NULL), 0);
}

Test(json, long_names)
{
	auto_buf struct buf b;

	buf_init(&b, 1 << 20);
	for (int extra = 0; extra < 2; extra++) {
		int wanted = extra ? E_TOOBIG : 0;

		buf_clear(&b);
		buf_puts(&b, "{\"");
		for (int i = 0; i < MAX_JSON_KEY_BYTES + extra; i++)
			buf_putc(&b, 'k');
		buf_puts(&b, "\":1}");
		cr_assert_eq(json_check(buf_view(&b), NULL), wanted);
		/* The limit is on the name, not on its spelling. */
		buf_clear(&b);
		buf_puts(&b, "{\"");
		for (int i = 0; i < MAX_JSON_KEY_BYTES + extra; i++)
			buf_puts(&b, "\\u006b");
		buf_puts(&b, "\":1}");
		cr_assert_eq(json_check(buf_view(&b), NULL), wanted);
	}
}

static void put_members(struct buf *b, unsigned n)
{
	buf_clear(b);
	buf_putc(b, '{');
	for (unsigned i = 0; i < n; i++)
		buf_printf(b, "%s\"m%u\":%u", i ? "," : "", i * 7919 % n, i);
	buf_putc(b, '}');
}

Test(json, many_members, .timeout = 60)
{
	auto_buf struct buf b;
	static const unsigned counts[] = {2, 12, 13, 63, 64, 65, 1000, MAX_JSON_MEMBERS};

	buf_init(&b, 1 << 24);
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		put_members(&b, counts[i]);
		cr_assert_eq(json_check(buf_view(&b), NULL), 0, "%u members", counts[i]);
		/* Every name may be the twin: take a few. */
		for (unsigned twin = 0; twin < counts[i]; twin += counts[i] / 3 + 1) {
			struct errctx e = {0};

			put_members(&b, counts[i] - 1);
			b.len--;
			buf_printf(&b, ",\n\"m%u\":0}", twin < counts[i] - 1 ? twin : 0);
			cr_assert_eq(json_check(buf_view(&b), &e), E_DUPLICATE);
			cr_assert_eq(strncmp(e.text, "line 2, column 1: ", 18), 0, "%s", e.text);
		}
	}
	put_members(&b, MAX_JSON_MEMBERS + 1);
	cr_assert_eq(json_check(buf_view(&b), NULL), E_TOOBIG);
}

/* Of several twins the first in the text is named. */
Test(json, first_duplicate_is_named)
{
	auto_buf struct buf b;
	struct errctx e = {0};

	buf_init(&b, 1 << 20);
	put_members(&b, 100);
	b.len--;
	buf_puts(&b, ",\n\"m50\":0,\"m3\":0,\"m99\":0,\"m50\":0}");
	cr_assert_eq(json_check(buf_view(&b), &e), E_DUPLICATE);
	cr_assert_str_eq(e.text, "line 2, column 1: duplicate member (member \"m50\")");
}

static void put_colliding(struct buf *b, char blocks[FNV_PAIRS][2][FNV_BLOCK], bool escaped)
{
	buf_clear(b);
	for (unsigned n = 0; n < FNV_NAMES; n++) {
		buf_puts(b, n ? ",\"" : "{\"");
		for (int i = 0; i < FNV_PAIRS; i++) {
			const char *block = blocks[i][n >> i & 1];

			if (escaped && (unsigned)i == n % FNV_PAIRS)
				buf_printf(b, "\\u%04x", block[0]);
			else
				buf_putc(b, block[0]);
			buf_put(b, block + 1, FNV_BLOCK - 1);
		}
		buf_puts(b, "\":0");
	}
	buf_putc(b, '}');
	cr_assert_eq(buf_error(b), 0);
}

/* 65,536 names of one hash, made the way an attacker would make them: quadratic work would take
 * minutes. */
Test(json, names_of_one_hash, .timeout = 120)
{
	static char blocks[FNV_PAIRS][2][FNV_BLOCK];
	auto_buf struct buf b;

	fnv_pairs(blocks);
	buf_init(&b, 1 << 24);
	for (int escaped = 0; escaped < 2; escaped++) {
		struct errctx e = {0};

		put_colliding(&b, blocks, escaped);
		cr_assert_eq(json_check(buf_view(&b), &e), 0, "%s", e.text);
		/* Once more the first name, plain. */
		b.len--;
		buf_puts(&b, ",\n\"");
		for (int i = 0; i < FNV_PAIRS; i++)
			buf_put(&b, blocks[i][0], FNV_BLOCK);
		buf_puts(&b, "\":0}");
		cr_assert_eq(json_check(buf_view(&b), NULL), E_TOOBIG, "that's 65,537 of them");
		/* In the place of the last one, whose blocks are all the other ones. */
		put_colliding(&b, blocks, escaped);
		while (b.data[--b.len] != ',')
			;
		buf_puts(&b, ",\n\"");
		for (int i = 0; i < FNV_PAIRS; i++)
			buf_put(&b, blocks[i][0], FNV_BLOCK);
		buf_puts(&b, "\":0}");
		cr_assert_eq(json_check(buf_view(&b), &e), E_DUPLICATE);
		cr_assert_eq(strncmp(e.text, "line 2, column 1: dup", 21), 0, "%s", e.text);
	}
}

Test(json, tree)
{
	auto_json struct json *j = NULL;
	const struct json *child;
	struct view text;
	int64_t n = 7;
	bool yes = false;

	cr_assert_eq(json_parse(VIEW("{\"s\":\"a\\u00e9\\n\",\"S\":2,\"n\":null,\"t\":true,"
				     "\"l\":[1,\"x\",false]}"),
				&j, NULL),
		     0);
	cr_assert_eq(json_type(j), JSON_OBJECT);
	cr_assert_eq(json_count(j), 5);
	cr_assert_eq(json_get_str(json_member(j, "s"), &text), 0);
	cr_assert(view_is(text, "a\xc3\xa9\n"));
	cr_assert_eq(text.ptr[text.len], 0);
	cr_assert_eq(json_get_int(json_member(j, "S"), &n), 0, "names are compared with case");
	cr_assert_eq(n, 2);
	cr_assert_null(json_member(j, "N"));
	cr_assert(json_is(json_member(j, "n"), JSON_NULL));
	cr_assert_eq(json_get_bool(json_member(j, "t"), &yes), 0);
	cr_assert(yes);
	child = json_first(json_member(j, "l"));
	cr_assert_eq(json_count(json_member(j, "l")), 3);
	cr_assert_eq(json_key(child).len, 0);
	cr_assert(json_is(child, JSON_NUMBER));
	child = json_next(json_next(child));
	cr_assert_eq(json_get_bool(child, &yes), 0);
	cr_assert_not(yes);
	cr_assert_null(json_next(child));
	cr_assert(view_is(json_key(json_first(j)), "s"));
	cr_assert_null(json_member(json_member(j, "l"), "s"), "an array has no members");
}

Test(json, wrong_types_and_nothing)
{
	auto_json struct json *j = NULL;
	struct view text = VIEW("untouched");
	int64_t n = 7;
	bool yes = true;

	cr_assert_eq(json_parse(VIEW("[\"1\",1,true,null,{},1.5]"), &j, NULL), 0);
	for (const struct json *c = json_first(j); c; c = json_next(c)) {
		enum json_type t = json_type(c);
		double fraction = json_is(c, JSON_NUMBER) && !json_next(c);

		cr_assert_eq(json_get_str(c, &text), t == JSON_STRING ? 0 : E_TYPE);
		cr_assert_eq(json_get_bool(c, &yes), t == JSON_BOOL ? 0 : E_TYPE);
		cr_assert_eq(json_get_int(c, &n), t != JSON_NUMBER ? E_TYPE
						  : fraction > 0   ? E_NUMBER
								   : 0);
	}
	cr_assert(view_is(text, "1"));
	cr_assert_eq(n, 1);
	cr_assert_eq(json_get_str(NULL, &text), E_MISSING);
	cr_assert_eq(json_get_int(NULL, &n), E_MISSING);
	cr_assert_eq(json_get_bool(NULL, &yes), E_MISSING);
	cr_assert_null(json_member(NULL, "a"));
	cr_assert_null(json_first(NULL));
	cr_assert_null(json_next(NULL));
	cr_assert_null(json_first(json_first(j)), "a string has no children");
	cr_assert_eq(json_count(NULL), 0);
	cr_assert_eq(json_key(NULL).len, 0);
	cr_assert_not(json_is(NULL, JSON_NULL));
	cr_assert_eq((int)json_type(NULL), 0);
	json_free(NULL);
}

Test(json, type_names)
{
	cr_assert_str_eq(json_type_name(JSON_NULL), "null");
	cr_assert_str_eq(json_type_name(JSON_BOOL), "boolean");
	cr_assert_str_eq(json_type_name(JSON_NUMBER), "number");
	cr_assert_str_eq(json_type_name(JSON_STRING), "string");
	cr_assert_str_eq(json_type_name(JSON_ARRAY), "array");
	cr_assert_str_eq(json_type_name(JSON_OBJECT), "object");
	cr_assert_str_eq(json_type_name((enum json_type)0), "nothing");
}
