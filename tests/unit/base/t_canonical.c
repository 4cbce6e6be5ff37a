/* SPDX-License-Identifier: MIT */
/* The canonical forms of file 22, section 7, and the test vectors of its section 18. */
#include "base/base.h"

#include "base/err.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/jsonw.h"

#include <criterion/criterion.h>

static char key_bytes[64];

static struct view key(void)
{
	memset(key_bytes, 'k', sizeof(key_bytes));
	return (struct view){key_bytes, sizeof(key_bytes)};
}

#define ID "2ce6e79cf740cab17f654a680bd4056df1711856604b95616d03224f3515643f"
#define ROW_1                                                                                      \
	"{\"action\": \"issue-dispatch\", \"agent\": \"producer\", \"id\": \"2ce6e79cf740\", "     \
	"\"mac\": \"9dc25ed3f9d3e45caed82e9ff55a1f2cc27c48d3b2c6ec005a97607b1fbfa32f\", "          \
	"\"prev\": \"\", \"time\": \"2026-10-06T12:00:00+00:00\"}"
#define ROW_2                                                                                      \
	"{\"action\": \"apply-proposal\", \"agent\": \"producer\", "                               \
	"\"base\": \"9e26bf369911c45c243c684147b23fc9e1dcfcf257d299a1c632016a6fcd33f4\", "         \
	"\"bytes\": 6, \"gates\": [{\"confined\": \"bwrap\", \"duration_ms\": 12, \"exit\": 0, "   \
	"\"gate\": \"lint\"}], "                                                                   \
	"\"mac\": \"6c44588c5166af114abccee11c8f859b190417517608ba7f26bb998d623df86e\", "          \
	"\"new\": \"4205c4809ab1b080fd32b6bf9640e5feaa6d1b69bf9fa684954ab710157ec141\", "          \
	"\"path\": \"src/a.py\", "                                                                 \
	"\"prev\": \"954adc45a1e3f7fc7cc11a792e3ad9a88c20deaeef54a6e0f3872ebd80ebed5c\", "         \
	"\"rationale\": \"caf\\u00e9 \\u2713 \\\"q\\\"\\t\\ud83d\\ude00/\\u007f\", "               \
	"\"time\": \"2026-10-06T12:00:01+00:00\"}"

/* The stored lines. */
static const struct {
	const char *line;
	const char *sha256; /* NULL: not given */
} records[] = {
	{"{\"agent\": \"producer\", \"expires\": \"2026-10-07T12:00:00+00:00\", \"id\": \"" ID
	 "\", \"mac\": \"4f299088ef7fd9720850ecb2b835a07e57b06459a1e3b14a836f1b2c06fe7b40\", "
	 "\"max_uses\": 25}",
	 NULL},
	{"{\"mac\": \"d1a75d3957cd91c4ae694f2f858c70b762be3479503b0883a6d650ce29b44b0d\", "
	 "\"use\": \"" ID "\"}",
	 NULL},
	{"{\"attempt\": \"" ID
	 "\", \"mac\": \"7e776438439f010e75b9337b00ae7c4810eb17580d9069870ba5b201c7a800f7\"}",
	 NULL},
	{ROW_1, "954adc45a1e3f7fc7cc11a792e3ad9a88c20deaeef54a6e0f3872ebd80ebed5c"},
	{ROW_2, "0ead61d40b9d3b35e10bab698f623bafb8f3685ddd9e43006044dca1cc4b310c"},
	{"{\"count\": 2, "
	 "\"last\": \"0ead61d40b9d3b35e10bab698f623bafb8f3685ddd9e43006044dca1cc4b310c\", "
	 "\"mac\": \"4bb2adb85a400d8bf23b570e3fb1edcc9c99304d599f0f4c4de7f516904eff6e\"}",
	 NULL},
};

static void check_mac(const struct json *j)
{
	auto_buf struct buf signed_part;
	uint8_t mac[SHA256_BYTES];
	char text[SHA256_HEX + 1];
	struct view wanted;

	buf_init(&signed_part, 10000);
	cr_assert_eq(jsonw_canonical(&signed_part, JSONW_SPACED, j, "mac"), 0);
	hmac_sha256(key(), buf_view(&signed_part), mac);
	hex_encode(text, mac, sizeof(mac));
	cr_assert_eq(json_get_str(json_member(j, "mac"), &wanted), 0);
	cr_assert_str_eq(text, wanted.ptr);
}

Test(canonical, stored_lines_are_canonical_and_their_macs_hold)
{
	for (size_t i = 0; i < ARRAY_LEN(records); i++) {
		auto_json struct json *j = NULL;
		auto_buf struct buf line;
		char digest[SHA256_HEX + 1];

		buf_init(&line, 10000);
		cr_assert_eq(json_parse(view_of(records[i].line), &j, NULL), 0);
		cr_assert_eq(jsonw_canonical(&line, JSONW_SPACED, j, NULL), 0);
		cr_assert_str_eq(buf_text(&line), records[i].line);
		check_mac(j);
		sha256_hex(buf_view(&line), digest);
		if (records[i].sha256)
			cr_assert_str_eq(digest, records[i].sha256);
	}
}

/* The rationale's bytes are those that the document names. */
Test(canonical, rationale_of_row_2)
{
	auto_json struct json *j = NULL;
	struct view text;

	cr_assert_eq(json_parse(VIEW(ROW_2), &j, NULL), 0);
	cr_assert_eq(json_get_str(json_member(j, "rationale"), &text), 0);
	cr_assert(view_is(text, "caf\xc3\xa9 \xe2\x9c\x93 \"q\"\t\xf0\x9f\x98\x80/\x7f"));
}

/* Other spacing, order and escapes: the same signed bytes. */
Test(canonical, only_the_value_is_signed)
{
	static const char other[] =
		"{\"use\":\"\\u0032"
		"ce6e79cf740cab17f654a680bd4056df1711856604b95616d03224f3515643f\",\n"
		"\t\"mac\" :\"d1a75d3957cd91c4ae694f2f858c70b762be3479503b0883a6d650ce29b44b0d\"}";
	auto_json struct json *j = NULL;

	cr_assert_eq(json_parse(view_of(other), &j, NULL), 0);
	check_mac(j);
}

Test(canonical, argv_digest)
{
	auto_json struct json *j = NULL;
	auto_buf struct buf b;
	char digest[SHA256_HEX + 1];

	buf_init(&b, 1000);
	cr_assert_eq(json_parse(VIEW("[ \"/usr/bin/true\", \"{file}\" ]"), &j, NULL), 0);
	cr_assert_eq(jsonw_canonical(&b, JSONW_COMPACT, j, NULL), 0);
	cr_assert_str_eq(buf_text(&b), "[\"/usr/bin/true\",\"{file}\"]");
	sha256_hex(buf_view(&b), digest);
	cr_assert_str_eq(digest,
			 "5836bda94e361b0bd7c5c8c0bb263ef50af96bce5e168bb8e9fae75ea9b88b15");
}

/* U+FFFF sorts before U+10000, although its first UTF-16 unit is greater. */
Test(canonical, members_are_sorted_by_code_point_at_every_level)
{
	static const char text[] =
		"{\"b\":1,\"\\ud800\\udc00\":2,\"\\uffff\":3,\"a\":{\"z\":[{\"y\":1,"
		"\"x\":2}],\"aa\":1,\"a\":2,\"\":3,\"A\":4},\"\\u00e9\":5,\"~\":6}";
	static const char wanted[] =
		"{\"a\":{\"\":3,\"A\":4,\"a\":2,\"aa\":1,\"z\":[{\"x\":2,\"y\":1}]},"
		"\"b\":1,\"~\":6,\"\\u00e9\":5,\"\\uffff\":3,\"\\ud800\\udc00\":2}";
	auto_json struct json *j = NULL;
	auto_buf struct buf b;

	buf_init(&b, 1000);
	cr_assert_eq(json_parse(view_of(text), &j, NULL), 0);
	cr_assert_eq(jsonw_canonical(&b, JSONW_COMPACT, j, NULL), 0);
	cr_assert_str_eq(buf_text(&b), wanted);
}

Test(canonical, omits_only_at_the_top)
{
	auto_json struct json *j = NULL;
	auto_buf struct buf b;

	buf_init(&b, 1000);
	cr_assert_eq(json_parse(VIEW("{\"mac\":1,\"b\":{\"mac\":2},\"a\":[{\"mac\":3}],\"MAC\":4}"),
				&j, NULL),
		     0);
	cr_assert_eq(jsonw_canonical(&b, JSONW_SPACED, j, "mac"), 0);
	cr_assert_str_eq(buf_text(&b), "{\"MAC\": 4, \"a\": [{\"mac\": 3}], \"b\": {\"mac\": 2}}");
	buf_clear(&b);
	cr_assert_eq(jsonw_canonical(&b, JSONW_SPACED, json_member(j, "b"), "mac"), 0);
	cr_assert_str_eq(buf_text(&b), "{}");
}

Test(canonical, indented)
{
	auto_json struct json *j = NULL;
	auto_buf struct buf b;

	buf_init(&b, 1000);
	cr_assert_eq(json_parse(VIEW("{\"b\":[1,2],\"a\":{}}"), &j, NULL), 0);
	cr_assert_eq(jsonw_canonical(&b, JSONW_INDENTED, j, NULL), 0);
	cr_assert_str_eq(buf_text(&b), "{\n  \"a\": {},\n  \"b\": [\n    1,\n    2\n  ]\n}");
}

Test(canonical, many_members_come_out_in_order)
{
	auto_json struct json *j = NULL;
	auto_json struct json *sorted = NULL;
	auto_buf struct buf b, out;
	char last[16] = "";
	size_t n = 0;

	buf_init(&b, 1 << 20);
	buf_init(&out, 1 << 20);
	for (unsigned i = 0; i < 5000; i++)
		buf_printf(&b, "%s\"%x\":%u", i ? "," : "{", i * 2654435761U, i);
	buf_putc(&b, '}');
	cr_assert_eq(json_parse(buf_view(&b), &j, NULL), 0);
	cr_assert_eq(jsonw_canonical(&out, JSONW_SPACED, j, NULL), 0);
	cr_assert_eq(json_parse(buf_view(&out), &sorted, NULL), 0);
	for (const struct json *c = json_first(sorted); c; c = json_next(c), n++) {
		cr_assert_lt(strcmp(last, json_key(c).ptr), 0);
		memcpy(last, json_key(c).ptr, json_key(c).len + 1);
	}
	cr_assert_eq(n, 5000);
}
