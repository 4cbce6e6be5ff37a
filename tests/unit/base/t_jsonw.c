/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "base/err.h"
#include "base/jsonw.h"
#include "base/limits.h"

#include <criterion/criterion.h>

static void write_sample(struct buf *b, enum jsonw_form form)
{
	struct jsonw w;

	buf_init(b, 1000);
	jsonw_init(&w, b, form);
	jsonw_obj(&w);
	jsonw_kv_int(&w, "a", 1);
	jsonw_key(&w, "b");
	jsonw_arr(&w);
	jsonw_bool(&w, true);
	jsonw_null(&w);
	jsonw_arr(&w);
	jsonw_arr_end(&w);
	jsonw_obj(&w);
	jsonw_obj_end(&w);
	jsonw_raw(&w, VIEW("1.50"));
	jsonw_arr_end(&w);
	jsonw_kv_str(&w, "c", VIEW("x"));
	jsonw_kv_cstr(&w, "d", NULL);
	jsonw_kv_bool(&w, "e", false);
	jsonw_obj_end(&w);
	cr_assert_eq(jsonw_finish(&w), 0);
}

Test(jsonw, forms)
{
	static const char *const wanted[] = {
		[JSONW_COMPACT] = "{\"a\":1,\"b\":[true,null,[],{},1.50],\"c\":\"x\",\"d\":null,"
				  "\"e\":false}",
		[JSONW_SPACED] = "{\"a\": 1, \"b\": [true, null, [], {}, 1.50], \"c\": \"x\", "
				 "\"d\": null, \"e\": false}",
		[JSONW_INDENTED] = "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null,\n    [],\n"
				   "    {},\n    1.50\n  ],\n  \"c\": \"x\",\n  \"d\": null,\n"
				   "  \"e\": false\n}",
	};

	for (size_t form = 0; form < ARRAY_LEN(wanted); form++) {
		auto_buf struct buf b;

		write_sample(&b, (enum jsonw_form)form);
		cr_assert_str_eq(buf_text(&b), wanted[form]);
		cr_assert_neq(json_check(buf_view(&b), NULL), E_SYNTAX);
	}
}

Test(jsonw, strings)
{
	static const struct {
		struct view text;
		const char *wanted;
	} rows[] = {
		{VIEW(""), "\"\""},
		{{NULL, 0}, "\"\""},
		{VIEW("a/b"), "\"a/b\""},
		{VIEW("\"\\"), "\"\\\"\\\\\""},
		{VIEW("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\""},
		{VIEW("\0\x01\x1f\x7f"), "\"\\u0000\\u0001\\u001f\\u007f\""},
		{VIEW("caf\xc3\xa9"), "\"caf\\u00e9\""},
		{VIEW("\xe2\x9c\x93\xef\xbf\xbf"), "\"\\u2713\\uffff\""},
		{VIEW("\xf0\x90\x80\x80\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"),
		 "\"\\ud800\\udc00\\ud83d\\ude00\\udbff\\udfff\""},
		{VIEW("0123456789\x7f"
		      "abcdefghijklmno\"pqrstuvwxyz\n"),
		 "\"0123456789\\u007fabcdefghijklmno\\\"pqrstuvwxyz\\n\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_buf struct buf b;
		struct jsonw w;

		buf_init(&b, 1000);
		jsonw_init(&w, &b, JSONW_COMPACT);
		jsonw_str(&w, rows[i].text);
		cr_assert_eq(jsonw_finish(&w), 0);
		cr_assert_str_eq(buf_text(&b), rows[i].wanted);
	}
}

/* Every code point, written and read back. */
Test(jsonw, every_code_point_survives)
{
	auto_buf struct buf text, json;

	buf_init(&text, 64);
	buf_init(&json, 256);
	for (uint32_t cp = 1; cp <= 0x10ffff; cp++) {
		auto_json struct json *j = NULL;
		struct view back;
		struct jsonw w;

		if (cp >= 0xd800 && cp <= 0xdfff)
			continue;
		buf_clear(&text);
		buf_clear(&json);
		if (cp < 0x80)
			buf_putc(&text, (char)cp);
		else if (cp < 0x800)
			buf_printf(&text, "%c%c", (int)(0xc0 | cp >> 6), (int)(0x80 | (cp & 63)));
		else if (cp < 0x10000)
			buf_printf(&text, "%c%c%c", (int)(0xe0 | cp >> 12),
				   (int)(0x80 | (cp >> 6 & 63)), (int)(0x80 | (cp & 63)));
		else
			buf_printf(&text, "%c%c%c%c", (int)(0xf0 | cp >> 18),
				   (int)(0x80 | (cp >> 12 & 63)), (int)(0x80 | (cp >> 6 & 63)),
				   (int)(0x80 | (cp & 63)));
		jsonw_init(&w, &json, JSONW_COMPACT);
		jsonw_str(&w, buf_view(&text));
		if (json_parse(buf_view(&json), &j, NULL) || json_get_str(j, &back) ||
		    !view_eq(back, buf_view(&text)))
			cr_assert(false, "U+%04X: %s", (unsigned)cp, buf_text(&json));
	}
}

Test(jsonw, bad_text_is_an_error)
{
	auto_buf struct buf b;
	struct jsonw w;

	buf_init(&b, 1000);
	jsonw_init(&w, &b, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_kv_str(&w, "a", VIEW("x\xffy"));
	jsonw_kv_int(&w, "b", 1);
	jsonw_obj_end(&w);
	cr_assert_eq(buf_error(&b), E_UTF8);
	buf_clear(&b);
	jsonw_init(&w, &b, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_key_view(&w, VIEW("\xed\xa0\x80"));
	cr_assert_eq(buf_error(&b), E_UTF8);
}

Test(jsonw, integers)
{
	auto_buf struct buf b;
	struct jsonw w;

	buf_init(&b, 1000);
	jsonw_init(&w, &b, JSONW_COMPACT);
	jsonw_arr(&w);
	jsonw_int(&w, 0);
	jsonw_int(&w, -1);
	jsonw_int(&w, INT64_MAX);
	jsonw_int(&w, INT64_MIN);
	jsonw_arr_end(&w);
	cr_assert_str_eq(buf_text(&b), "[0,-1,9223372036854775807,-9223372036854775808]");
}

/* Each string is a series of calls; every one is a misuse. */
Test(jsonw, misuse_is_an_internal_error)
{
	static const char *const calls[] = {
		"}", "]",  "{1",  "{]",	 "[}",	  "{kk", "[k",
		"k", "11", "[]1", "{k}", "{k1k]", "[1}", "r",
	};

	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		auto_buf struct buf b;
		struct jsonw w;

		buf_init(&b, 1000);
		jsonw_init(&w, &b, JSONW_COMPACT);
		for (const char *p = calls[i]; *p; p++) {
			cr_assert_eq(buf_error(&b), 0, "\"%s\" fails only at its end", calls[i]);
			switch (*p) {
			case '{':
				jsonw_obj(&w);
				break;
			case '}':
				jsonw_obj_end(&w);
				break;
			case '[':
				jsonw_arr(&w);
				break;
			case ']':
				jsonw_arr_end(&w);
				break;
			case 'k':
				jsonw_key(&w, "k");
				break;
			case 'r':
				jsonw_raw(&w, VIEW(""));
				break;
			default:
				jsonw_int(&w, 1);
			}
		}
		cr_assert_eq(buf_error(&b), E_INTERNAL, "%s", calls[i]);
	}
}

Test(jsonw, half_a_value_is_not_finished)
{
	auto_buf struct buf b;
	struct jsonw w;

	buf_init(&b, 1000);
	jsonw_init(&w, &b, JSONW_COMPACT);
	cr_assert_eq(jsonw_finish(&w), E_INTERNAL, "nothing was written");
	buf_clear(&b);
	jsonw_init(&w, &b, JSONW_COMPACT);
	jsonw_arr(&w);
	cr_assert_eq(jsonw_finish(&w), E_INTERNAL);
}

Test(jsonw, depth)
{
	auto_buf struct buf b;
	struct jsonw w;

	buf_init(&b, 10000);
	jsonw_init(&w, &b, JSONW_SPACED);
	for (int i = 0; i < MAX_JSON_DEPTH; i++) {
		if (i % 2) {
			jsonw_obj(&w);
			jsonw_key(&w, "k");
		} else {
			jsonw_arr(&w);
			jsonw_int(&w, i);
		}
	}
	jsonw_null(&w);
	for (int i = MAX_JSON_DEPTH; i-- > 0;) {
		if (i % 2) {
			jsonw_obj_end(&w);
		} else {
			jsonw_int(&w, i);
			jsonw_arr_end(&w);
		}
	}
	cr_assert_eq(jsonw_finish(&w), 0);
	cr_assert_eq(json_check(buf_view(&b), NULL), 0);
	buf_clear(&b);
	jsonw_init(&w, &b, JSONW_SPACED);
	for (int i = 0; i < MAX_JSON_DEPTH + 1; i++)
		jsonw_arr(&w);
	cr_assert_eq(buf_error(&b), E_DEPTH);
}

Test(jsonw, value_keeps_the_order)
{
	static const char text[] =
		"{\"z\":[1,{\"b\":null,\"a\":{}},[[]]],\"\\u00e9\":\"\\ud83d\\ude00\","
		"\"a\":true,\"n\":-9007199254740991}";
	auto_json struct json *j = NULL;
	auto_buf struct buf b;
	struct jsonw w;

	buf_init(&b, 1000);
	cr_assert_eq(json_parse(view_of(text), &j, NULL), 0);
	jsonw_init(&w, &b, JSONW_COMPACT);
	jsonw_value(&w, j);
	cr_assert_eq(jsonw_finish(&w), 0);
	cr_assert_str_eq(buf_text(&b), text);
	/* As a member of something larger. */
	buf_clear(&b);
	jsonw_init(&w, &b, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_key(&w, "inner");
	jsonw_value(&w, json_member(j, "z"));
	jsonw_kv_int(&w, "after", 1);
	jsonw_obj_end(&w);
	cr_assert_eq(jsonw_finish(&w), 0);
	cr_assert_str_eq(buf_text(&b), "{\"inner\":[1,{\"b\":null,\"a\":{}},[[]]],\"after\":1}");
}

Test(jsonw, value_refuses_inexact_numbers_and_nothing)
{
	static const char *const texts[] = {"[1.0]", "{\"a\":1e3}", "9007199254740993"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		auto_json struct json *j = NULL;
		auto_buf struct buf b;
		struct jsonw w;

		buf_init(&b, 1000);
		cr_assert_eq(json_parse(view_of(texts[i]), &j, NULL), 0);
		jsonw_init(&w, &b, JSONW_COMPACT);
		jsonw_value(&w, j);
		cr_assert_eq(jsonw_finish(&w), E_NUMBER);
		buf_clear(&b);
		cr_assert_eq(jsonw_canonical(&b, JSONW_COMPACT, j, NULL), E_NUMBER);
		buf_clear(&b);
		jsonw_init(&w, &b, JSONW_COMPACT);
		jsonw_value(&w, NULL);
		cr_assert_eq(buf_error(&b), E_INTERNAL);
	}
}

/* A parsed value may be as deep as anything; what is around it counts as well. */
Test(jsonw, value_too_deep_for_its_place)
{
	auto_json struct json *j = NULL;
	auto_buf struct buf b;
	struct jsonw w;

	buf_init(&b, 1000);
	for (int i = 0; i < MAX_JSON_DEPTH; i++)
		buf_putc(&b, '[');
	for (int i = 0; i < MAX_JSON_DEPTH; i++)
		buf_putc(&b, ']');
	cr_assert_eq(json_parse(buf_view(&b), &j, NULL), 0);
	buf_clear(&b);
	jsonw_init(&w, &b, JSONW_COMPACT);
	jsonw_value(&w, j);
	cr_assert_eq(jsonw_finish(&w), 0);
	buf_clear(&b);
	jsonw_init(&w, &b, JSONW_COMPACT);
	jsonw_arr(&w);
	jsonw_value(&w, j);
	cr_assert_eq(buf_error(&b), E_DEPTH);
}
