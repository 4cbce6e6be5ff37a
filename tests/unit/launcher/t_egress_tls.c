/* SPDX-License-Identifier: MIT */
/* ClientHello: real ones, cut and spread over records; and everything that two readers could read
 * in two ways. */
#include "base/base.h"

#include "launcher/egress_tls.h"

#include <criterion/criterion.h>

/* Builds hellos piece by piece, so that each single length can be made wrong. */
struct hello {
	uint8_t b[40000];
	size_t n;
};

static void put(struct hello *h, const void *bytes, size_t n)
{
	cr_assert_leq(h->n + n, sizeof(h->b));
	memcpy(h->b + h->n, bytes, n);
	h->n += n;
}

static void put_number(struct hello *h, size_t value, size_t bytes)
{
	while (bytes--) {
		uint8_t b = (uint8_t)(value >> (8 * bytes));

		put(h, &b, 1);
	}
}

static void put_name_extension(struct hello *h, const char *name, size_t name_len)
{
	put_number(h, 0, 2);
	put_number(h, name_len + 5, 2);
	put_number(h, name_len + 3, 2);
	put_number(h, 0, 1);
	put_number(h, name_len, 2);
	put(h, name, name_len);
}

static void put_extension(struct hello *h, unsigned type, size_t len)
{
	put_number(h, type, 2);
	put_number(h, len, 2);
	while (len--)
		put_number(h, 0xaa, 1);
}

/* The handshake message around a list of extensions. */
static struct hello message(const struct hello *extensions)
{
	static const uint8_t random[32] = {1, 2, 3};
	struct hello body = {.n = 0}, m = {.n = 0};

	put_number(&body, 0x0303, 2);
	put(&body, random, sizeof(random));
	put_number(&body, 32, 1);
	put(&body, random, sizeof(random));
	put_number(&body, 4, 2);
	put_number(&body, 0x13011302, 4);
	put_number(&body, 1, 1);
	put_number(&body, 0, 1);
	if (extensions) {
		put_number(&body, extensions->n, 2);
		put(&body, extensions->b, extensions->n);
	}
	put_number(&m, 1, 1);
	put_number(&m, body.n, 3);
	put(&m, body.b, body.n);
	return m;
}

/* Cuts a message into records of at most `piece` bytes. */
static struct hello records(const struct hello *m, size_t piece)
{
	struct hello out = {.n = 0};

	for (size_t at = 0; at < m->n; at += piece) {
		size_t n = m->n - at < piece ? m->n - at : piece;

		put_number(&out, 22, 1);
		put_number(&out, 0x0301, 2);
		put_number(&out, n, 2);
		put(&out, m->b + at, n);
	}
	return out;
}

static struct hello simple(const char *name, size_t len, size_t piece)
{
	struct hello ext = {.n = 0}, m;

	put_extension(&ext, 0x0a0a, 0);
	put_name_extension(&ext, name, len);
	put_extension(&ext, 43, 5);
	m = message(&ext);
	return records(&m, piece);
}

static enum egress_parse read_hello(const struct hello *h, struct egress_hello *ret)
{
	const char *why = "";
	enum egress_parse p = egress_tls_hello((struct view){(const char *)h->b, h->n}, ret, &why);

	if (p == EGRESS_BAD)
		cr_assert_neq(why[0], 0);
	return p;
}

Test(egress_tls, the_name_is_found_in_one_record_and_in_many)
{
	for (size_t piece = 1; piece < 200; piece++) {
		struct hello h = simple("Example.COM", 11, piece);
		struct egress_hello got;

		cr_assert_eq(read_hello(&h, &got), EGRESS_DONE, "pieces of %zu", piece);
		cr_assert(got.has_name);
		cr_assert_str_eq(got.name.text, "example.com");
		cr_assert_not(got.encrypted);
		put(&h, "\x17\3\3\0\5early", 10); /* what follows the hello is not looked at */
		cr_assert_eq(read_hello(&h, &got), EGRESS_DONE);
	}
}

Test(egress_tls, every_shorter_piece_waits_for_more)
{
	for (size_t piece = 7; piece < 200; piece += 50) {
		struct hello h = simple("example.com", 11, piece);

		for (size_t n = 0; n < h.n; n++) {
			struct hello cut = h;
			struct egress_hello got;

			cut.n = n;
			cr_assert_eq(read_hello(&cut, &got), EGRESS_MORE, "%zu of %zu", n, h.n);
		}
	}
}

Test(egress_tls, without_a_name_it_says_so)
{
	struct hello m = message(NULL), h = records(&m, 16384), ext = {.n = 0};
	struct egress_hello got = {.has_name = true};

	cr_assert_eq(read_hello(&h, &got), EGRESS_DONE);
	cr_assert_not(got.has_name);
	put_extension(&ext, 43, 5);
	m = message(&ext);
	h = records(&m, 16384);
	got.has_name = true;
	cr_assert_eq(read_hello(&h, &got), EGRESS_DONE);
	cr_assert_not(got.has_name);
}

Test(egress_tls, an_encrypted_inner_hello_is_noticed)
{
	struct hello ext = {.n = 0}, m, h;
	struct egress_hello got;

	put_name_extension(&ext, "outer.example", 13);
	put_extension(&ext, 0xfe0d, 200);
	m = message(&ext);
	h = records(&m, 16384);
	cr_assert_eq(read_hello(&h, &got), EGRESS_DONE);
	cr_assert(got.encrypted);
	cr_assert_str_eq(got.name.text, "outer.example");
}

static const struct {
	const char *name;
	size_t len;
} bad_names[] = {
	{"", 0},      {"a\0b", 3}, {"a b", 3}, {"1.2.3.4", 7},	      {"::1", 3},
	{"127.1", 5}, {"a..b", 4}, {"*.a", 3}, {"a.example:443", 13}, {"b\xc3\xbc", 3},
};

Test(egress_tls, names_that_are_none_are_refused)
{
	for (size_t i = 0; i < ARRAY_LEN(bad_names); i++) {
		struct hello h = simple(bad_names[i].name, bad_names[i].len, 16384);
		struct egress_hello got;

		cr_assert_eq(read_hello(&h, &got), EGRESS_BAD, "%s", bad_names[i].name);
	}
}

Test(egress_tls, two_names_are_one_too_many)
{
	struct hello ext = {.n = 0}, m, h;
	struct egress_hello got;

	put_name_extension(&ext, "a.example", 9);
	put_name_extension(&ext, "b.example", 9);
	m = message(&ext);
	h = records(&m, 16384);
	cr_assert_eq(read_hello(&h, &got), EGRESS_BAD);

	ext.n = 0; /* two entries in one extension */
	put_number(&ext, 0, 2);
	put_number(&ext, 2 + 2 * 12, 2);
	put_number(&ext, 2 * 12, 2);
	for (int i = 0; i < 2; i++) {
		put_number(&ext, 0, 1);
		put_number(&ext, 9, 2);
		put(&ext, i ? "b.example" : "a.example", 9);
	}
	m = message(&ext);
	h = records(&m, 16384);
	cr_assert_eq(read_hello(&h, &got), EGRESS_BAD);

	ext.n = 0; /* of another type */
	put_number(&ext, 0, 2);
	put_number(&ext, 14, 2);
	put_number(&ext, 12, 2);
	put_number(&ext, 1, 1);
	put_number(&ext, 9, 2);
	put(&ext, "a.example", 9);
	m = message(&ext);
	h = records(&m, 16384);
	cr_assert_eq(read_hello(&h, &got), EGRESS_BAD);
}

/* One byte more or less at each length of the message must never be read as a good hello with
 * another name. */
Test(egress_tls, no_flipped_length_yields_another_name)
{
	struct hello good = simple("example.com", 11, 16384);

	for (size_t i = 0; i < good.n; i++)
		for (int by = -1; by <= 1; by += 2) {
			struct hello h = good;
			struct egress_hello got;

			h.b[i] = (uint8_t)(h.b[i] + by);
			if (read_hello(&h, &got) != EGRESS_DONE || !got.has_name)
				continue;
			cr_assert_eq(strlen(got.name.text), 11, "byte %zu", i);
		}
}

Test(egress_tls, other_first_bytes_are_refused_at_once)
{
	static const char *const bad[] = {"GET / HTTP/1.1\r\n", "SSH-2.0-x\r\n",
					  "\x15\3\1\0\2\2\x28", "\x17\3\3\0\5",
					  "\x16\2\1",		"\x80\x2e\1\3\1",
					  "\x16\3\1\x40\1",	"\x16\3\1\0\4\2\1\1\1"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct egress_hello got;
		const char *why = "";
		size_t len = strlen(bad[i]);

		if (i >= 2)
			len = (size_t[]){7, 5, 3, 5, 5, 9}[i - 2];
		cr_assert_eq(egress_tls_hello((struct view){bad[i], len}, &got, &why), EGRESS_BAD,
			     "%zu", i);
	}
	cr_assert_eq(egress_tls_hello(VIEW("\x16\3\1\0\0"), &(struct egress_hello){0},
				      &(const char *){0}),
		     EGRESS_BAD, "an empty record");
}

Test(egress_tls, sizes_are_bounded)
{
	struct hello ext = {.n = 0}, m, h;
	struct egress_hello got;

	put_name_extension(&ext, "a.example", 9);
	put_extension(&ext, 21, 15000);
	m = message(&ext);
	h = records(&m, 16384);
	cr_assert_eq(read_hello(&h, &got), EGRESS_DONE);
	put_extension(&ext, 22, 1500);
	m = message(&ext);
	h = records(&m, 16384);
	cr_assert_eq(read_hello(&h, &got), EGRESS_BAD);
	h = records(&m, 10);
	cr_assert_eq(h.n > MAX_EGRESS_HELLO_BYTES, true);
	h.n = MAX_EGRESS_HELLO_BYTES;
	cr_assert_eq(read_hello(&h, &got), EGRESS_BAD);
}

Test(egress_tls, too_many_extensions_are_refused)
{
	struct hello ext = {.n = 0}, m, h;
	struct egress_hello got;

	for (unsigned i = 0; i < 128; i++)
		put_extension(&ext, 1000 + i, 0);
	m = message(&ext);
	h = records(&m, 16384);
	cr_assert_eq(read_hello(&h, &got), EGRESS_DONE);
	put_extension(&ext, 2000, 0);
	m = message(&ext);
	h = records(&m, 16384);
	cr_assert_eq(read_hello(&h, &got), EGRESS_BAD);
}
