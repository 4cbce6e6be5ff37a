/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/limits.h"

#include <criterion/criterion.h>

Test(json_raw, member)
{
	static const struct {
		struct view text;
		int code;
		const char *raw;
	} rows[] = {
		{VIEW("{\"id\":1}"), 0, "1"},
		{VIEW(" { \"id\" : 9007199254740993 , \"x\" : 0 } "), 0, "9007199254740993"},
		{VIEW("{\"id\":1.50}"), 0, "1.50"},
		{VIEW("{\"id\":1e400}"), 0, "1e400"},
		{VIEW("{\"id\":-0}"), 0, "-0"},
		{VIEW("{\"id\":\"a\\u00e9\xc3\xa9\\\"\"}"), 0, "\"a\\u00e9\xc3\xa9\\\"\""},
		{VIEW("{\"id\":null}"), 0, "null"},
		{VIEW("{\"id\":[1, {\"a\": \"]\"}] }"), 0, "[1, {\"a\": \"]\"}]"},
		{VIEW("{\"i\\u0064\":7}"), 0, "7"},
		{VIEW("{\"x\":{\"id\":1},\"id\":2}"), 0, "2"},
		{VIEW("{\"a\":1,\"a\":2,\"id\":3}"), 0, "3"},
		{VIEW("{\"a\":\"\\u0000\\ud800\",\"id\":3}"), 0, "3"},
		{VIEW("{\"\\ud800\":1,\"id\":3}"), 0, "3"},
		{VIEW("{\"a\":\"\xff\",\"id\":3}"), 0, "3"},
		{VIEW("{}"), E_MISSING, NULL},
		{VIEW("{\"ID\":1,\"i\":2,\"idx\":3}"), E_MISSING, NULL},
		{VIEW("{\"x\":{\"id\":1}}"), E_MISSING, NULL},
		{VIEW("{\"id\":1,\"id\":2}"), E_DUPLICATE, NULL},
		{VIEW("{\"id\":1,\"\\u0069d\":1}"), E_DUPLICATE, NULL},
		{VIEW("{\"id\":\"\xff\"}"), E_UTF8, NULL},
		{VIEW("{\"id\":\"a\0b\"}"), E_SYNTAX, NULL},
		{VIEW("{\"id\":\"a\nb\"}"), E_SYNTAX, NULL},
		{VIEW("{\"id\":01}"), E_SYNTAX, NULL},
		{VIEW("{\"id\":1"), E_SYNTAX, NULL},
		{VIEW("{\"id\":1,"), E_SYNTAX, NULL},
		{VIEW("{\"id\":1} x"), E_SYNTAX, NULL},
		{VIEW("{\"id\":1,\"x\":}"), E_SYNTAX, NULL},
		{VIEW("{\"id\"}"), E_SYNTAX, NULL},
		{VIEW("{\"id\":}"), E_SYNTAX, NULL},
		{VIEW("{\"id\":]}"), E_SYNTAX, NULL},
		{VIEW("{\"id\":tru}"), E_SYNTAX, NULL},
		{VIEW("{\"id\":[1}"), E_SYNTAX, NULL},
		{VIEW("{id:1}"), E_SYNTAX, NULL},
		{VIEW("{,}"), E_SYNTAX, NULL},
		{VIEW("[\"id\",1]"), E_SYNTAX, NULL},
		{VIEW("\"id\""), E_SYNTAX, NULL},
		{VIEW("{"), E_SYNTAX, NULL},
		{VIEW("{\"id"), E_SYNTAX, NULL},
		{VIEW(""), E_SYNTAX, NULL},
		{{NULL, 0}, E_SYNTAX, NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct view raw = VIEW("untouched");
		int r = json_raw_member(rows[i].text, "id", &raw);

		cr_assert_eq(r, rows[i].code, "row %zu: %s", i, err_name(r));
		cr_assert(view_is(raw, r ? "untouched" : rows[i].raw), "row %zu", i);
	}
}

/* An id is found in text that json_parse refuses. */
Test(json_raw, member_of_refused_text)
{
	auto_buf struct buf b;
	struct view raw;

	buf_init(&b, 1 << 23);
	buf_puts(&b, "{\"p\":");
	for (int i = 0; i < 500000; i++)
		buf_puts(&b, "{\"a\":[");
	buf_putc(&b, '1');
	for (int i = 0; i < 500000; i++)
		buf_puts(&b, "]}");
	buf_puts(&b, ",\"id\":\"deep\"}");
	cr_assert_eq(json_check(buf_view(&b), NULL), E_DEPTH);
	cr_assert_eq(json_raw_member(buf_view(&b), "id", &raw), 0);
	cr_assert(view_is(raw, "\"deep\""));
	/* One bracket less can't be followed. */
	b.len -= strlen(",\"id\":\"deep\"}") + 1;
	buf_puts(&b, ",\"id\":1}");
	cr_assert_eq(json_raw_member(buf_view(&b), "id", &raw), E_SYNTAX);
}

struct seen {
	char text[128];
	size_t n;
	int stop_at;
};

static int note(struct view element, void *arg)
{
	struct seen *seen = arg;

	cr_assert_lt(strlen(seen->text) + element.len + 1, sizeof(seen->text));
	memcpy(seen->text + strlen(seen->text), element.ptr, element.len);
	seen->text[strlen(seen->text)] = '|';
	return ++seen->n == (size_t)seen->stop_at ? 77 : 0;
}

Test(json_raw, elements)
{
	static const struct {
		struct view text;
		int stop_at, code;
		const char *seen;
	} rows[] = {
		{VIEW("[]"), 0, 0, ""},
		{VIEW(" [ ] "), 0, 0, ""},
		{VIEW("[1, {\"a\":[2,3]} ,\"x,]\"]"), 0, 0, "1|{\"a\":[2,3]}|\"x,]\"|"},
		{VIEW("[[],[[]],null]"), 0, 0, "[]|[[]]|null|"},
		{VIEW("[1,2,3]"), 2, 77, "1|2|"},
		{VIEW("{}"), 0, E_TYPE, ""},
		{VIEW("1"), 0, E_TYPE, ""},
		{VIEW(""), 0, E_TYPE, ""},
		/* Nothing is called before the whole text was followed. */
		{VIEW("[1,2"), 0, E_SYNTAX, ""},
		{VIEW("[1,]"), 0, E_SYNTAX, ""},
		{VIEW("[1 2]"), 0, E_SYNTAX, ""},
		{VIEW("[1,2] x"), 0, E_SYNTAX, ""},
		{VIEW("[1,tru]"), 0, E_SYNTAX, ""},
		{VIEW("["), 0, E_SYNTAX, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct seen seen = {.stop_at = rows[i].stop_at};
		int r = json_raw_elements(rows[i].text, note, &seen);

		cr_assert_eq(r, rows[i].code, "row %zu: %d", i, r);
		cr_assert_str_eq(seen.text, rows[i].seen);
	}
}
