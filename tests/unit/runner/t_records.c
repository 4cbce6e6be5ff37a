/* SPDX-License-Identifier: MIT */
/* Vectors of file 22, section 18 and file 23, section 14. */
#include "base/base.h"

#include "runner/records.h"

#include "base/clock.h"
#include "runner/mac.h"
#include "runner/wire.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define K8 "kkkkkkkk"
#define ID "2ce6e79cf740cab17f654a680bd4056df1711856604b95616d03224f3515643f"

static struct mac_key key(void)
{
	struct mac_key k;

	mac_key_init(&k, VIEW(K8 K8 K8 K8 K8 K8 K8 K8));
	return k;
}

static const char *const lines[] = {
	"{\"agent\": \"producer\", \"expires\": \"2026-10-07T12:00:00+00:00\", \"id\": \"" ID
	"\", \"mac\": \"4f299088ef7fd9720850ecb2b835a07e57b06459a1e3b14a836f1b2c06fe7b40\", "
	"\"max_uses\": 25}",
	"{\"mac\": \"d1a75d3957cd91c4ae694f2f858c70b762be3479503b0883a6d650ce29b44b0d\", \"use\": "
	"\"" ID "\"}",
	"{\"attempt\": \"" ID
	"\", \"mac\": \"7e776438439f010e75b9337b00ae7c4810eb17580d9069870ba5b201c7a800f7\"}",
};

Test(records, a_nonce_has_the_id_of_the_vector)
{
	struct mac_key k = key();
	char id[SHA256_HEX + 1];

	dispatch_id(&k, "00112233445566778899aabbccddeeff", id);
	cr_assert_str_eq(id, ID);
}

Test(records, dispatch_lines_are_those_of_the_vector)
{
	struct mac_key k = key();
	struct dispatch_record r = {
		.kind = LINE_DISPATCH, .id = ID, .agent = "producer", .max_uses = 25};

	cr_assert_eq(clock_parse_iso8601("2026-10-07T12:00:00+00:00", &r.expires), 0);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct dispatch_record back;
		auto_buf struct buf b;

		buf_init(&b, 2000);
		r.kind = (enum dispatch_line)(LINE_DISPATCH + i);
		cr_assert_eq(dispatch_emit(&k, &r, &b), 0);
		cr_assert_eq(b.data[b.len - 1], '\n');
		cr_assert(view_is((struct view){b.data, b.len - 1}, lines[i]), "%s", b.data);
		cr_assert_eq(dispatch_parse(&k, view_of(lines[i]), &back), 0);
		cr_assert_eq(back.kind, r.kind);
		cr_assert_str_eq(back.id, ID);
	}
}

Test(records, a_line_in_any_other_spelling_is_forged)
{
	struct mac_key k = key();
	struct dispatch_record back;

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		size_t n = strlen(lines[i]);
		char text[512];

		for (size_t b = 0; b < n; b++) {
			memcpy(text, lines[i], n + 1);
			text[b] ^= 2;
			cr_assert_eq(dispatch_parse(&k, view_of(text), &back), E_FORGED, "%zu", b);
		}
		(void)snprintf(text, sizeof(text), "%s ", lines[i]);
		cr_assert_eq(dispatch_parse(&k, view_of(text), &back), E_FORGED);
	}
}

static struct staged vector(void)
{
	struct staged s = {
		.agent = VIEW("producer"),
		.path = VIEW("src/a.py"),
		.base = VIEW("9e26bf369911c45c243c684147b23fc9e1dcfcf257d299a1c632016a6fcd33f4"),
		.rationale = VIEW("r"),
		.content = VIEW("x = 2\n"),
		.expires = VIEW("2026-10-07T12:00:00+00:00"),
		.sid = VIEW("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
	};

	staged_digest(&s);
	return s;
}

Test(records, the_staged_record_is_the_vector)
{
	static const char text[] = "{\"agent\": \"producer\", \"artifact\": {\"base_sha256\": "
				   "\"9e26bf369911c45c243c684147b23fc9e1dcfcf257d299a1c632016a6fcd3"
				   "3f4\", \"content\": \"x = "
				   "2\\n\", \"kind\": \"change-proposal\", \"path\": \"src/a.py\", "
				   "\"rationale\": \"r\"}, "
				   "\"bytes\": 6, \"content_sha256\": "
				   "\"4205c4809ab1b080fd32b6bf9640e5feaa6d1b69bf9fa684954ab710157ec"
				   "141\", \"expires\": "
				   "\"2026-10-07T12:00:00+00:00\", \"gates\": [], \"kind\": "
				   "\"change-proposal\", \"path\": "
				   "\"src/a.py\", \"sid\": \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}";
	struct mac_key k = key();
	struct staged s = vector();
	char hex[SHA256_HEX + 1];
	auto_buf struct buf b;
	size_t at;

	buf_init(&b, 4096);
	cr_assert_eq(staged_emit(&s, &b, &at), 0);
	cr_assert_str_eq(buf_text(&b), text);
	mac_hex(&k, buf_view(&b), (struct view){0}, hex);
	cr_assert_str_eq(hex, "a417cadf47382d0b35204c56daa1361b1f6b4cf6b92a0a53a42868f757c6bddb");
}

Test(records, packing_comes_back_the_same)
{
	struct staged s = vector(), back;
	struct staged_room room;
	struct view gates[] = {VIEW("one"), VIEW("two")};
	struct gate_result results[] = {{VIEW("one"), VIEW("bwrap"), 0, 3}};
	auto_buf struct buf b, before, after;
	struct wire_in in;
	size_t at;

	s.has_gates = true;
	s.gates = gates;
	s.n_gates = 2;
	s.results = results;
	s.n_results = 1;
	s.request = VIEW("bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb");
	buf_init(&b, 65536);
	buf_init(&before, 65536);
	buf_init(&after, 65536);
	staged_pack(&s, &b);
	in = (struct wire_in){.rest = buf_view(&b)};
	cr_assert_eq(staged_unpack(&in, &back, &room), 0);
	cr_assert(wire_end(&in));
	cr_assert_eq(staged_emit(&s, &before, &at), 0);
	cr_assert_eq(staged_emit(&back, &after, &at), 0);
	cr_assert_str_eq(buf_text(&before), buf_text(&after));
	for (size_t n = 0; n < b.len; n++) {
		in = (struct wire_in){.rest = {b.data, n}};
		cr_assert(staged_unpack(&in, &back, &room) != 0 || !wire_end(&in), "%zu", n);
	}
}
