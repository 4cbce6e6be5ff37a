/* SPDX-License-Identifier: MIT */
/* Host names, addresses, ports: one canonical spelling, and no address in disguise. */
#include "base/base.h"

#include "launcher/egress_host.h"

#include "base/err.h"

#include <criterion/criterion.h>

static const struct {
	const char *in;
	enum egress_host_kind kind;
	const char *text;
} good[] = {
	{"example.com", EGRESS_HOST_NAME, "example.com"},
	{"EXAMPLE.Com", EGRESS_HOST_NAME, "example.com"},
	{"EXAMPLE.com.", EGRESS_HOST_NAME, "example.com"},
	{"localhost", EGRESS_HOST_NAME, "localhost"},
	{"a_b.example", EGRESS_HOST_NAME, "a_b.example"},
	{"xn--bcher-kva.example", EGRESS_HOST_NAME, "xn--bcher-kva.example"},
	{"1.2.3.4.in-addr.arpa", EGRESS_HOST_NAME, "1.2.3.4.in-addr.arpa"},
	{"0xg", EGRESS_HOST_NAME, "0xg"},
	{"3com", EGRESS_HOST_NAME, "3com"},
	{"1.2.3.4", EGRESS_HOST_IPV4, "1.2.3.4"},
	{"255.255.255.255", EGRESS_HOST_IPV4, "255.255.255.255"},
	{"::1", EGRESS_HOST_IPV6, "::1"},
	{"2001:DB8:0::1", EGRESS_HOST_IPV6, "2001:db8::1"},
	{"::ffff:1.2.3.4", EGRESS_HOST_IPV6, "::ffff:1.2.3.4"},
};

Test(egress_host, good_spellings_become_one)
{
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct egress_host h;

		cr_assert_eq(egress_host_parse(view_of(good[i].in), &h), 0, "%s", good[i].in);
		cr_assert_eq(h.kind, good[i].kind, "%s", good[i].in);
		cr_assert_str_eq(h.text, good[i].text);
	}
}

Test(egress_host, addresses_in_disguise_and_bad_names_are_refused)
{
	static const char *const bad[] = {
		"",
		".",
		"..",
		"a..b",
		".a",
		"-a",
		"a-",
		"a.-b",
		"a.b-.c",
		"a b",
		"a/b",
		"a@b",
		"a:b",
		"a#",
		"a%41",
		"*",
		"*.a",
		"a\tb",
		"a\x7f",
		"b\303\274cher.de",
		"a\\b",
		"a,b",
		/* what inet_aton reads as an address */
		"1",
		"127.1",
		"127.0.1",
		"2130706433",
		"0x7f000001",
		"0x7f.1",
		"0x7f.0.0.1",
		"0177.0.0.1",
		"127.0.0.01",
		"127.0.0.1.",
		"1.2.3.4.5",
		"1.2.3.256",
		"256",
		"0x",
		"a.0x",
		"a.1",
		"a.0xff",
		"example.com.1",
		"0",
		"00",
		"1.2.3.4 ",
		" 1.2.3.4",
		"+1.2.3.4",
		/* zones, brackets, halves */
		"fe80::1%eth0",
		"[::1]",
		"::1%1",
		":::",
		"1::2::3",
		"::g",
		"12345::",
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct egress_host h = {.text = "untouched"};

		cr_assert_neq(egress_host_parse(view_of(bad[i]), &h), 0, "accepted: %s", bad[i]);
		cr_assert_str_eq(h.text, "untouched");
	}
}

Test(egress_host, lengths_are_bounded)
{
	char text[300];
	struct egress_host h;

	memset(text, 'a', sizeof(text));
	cr_assert_eq(egress_host_parse((struct view){text, 63}, &h), 0);
	cr_assert_eq(egress_host_parse((struct view){text, 64}, &h), E_TOOBIG);
	for (size_t i = 50; i < sizeof(text); i += 50)
		text[i] = '.';
	cr_assert_eq(egress_host_parse((struct view){text, 253}, &h), 0);
	cr_assert_eq(strlen(h.text), 253);
	cr_assert_eq(egress_host_parse((struct view){text, 254}, &h), E_TOOBIG);
	text[253] = '.';
	cr_assert_eq(egress_host_parse((struct view){text, 254}, &h), 0, "253 and a final dot");
	cr_assert_eq(strlen(h.text), 253);
	cr_assert_eq(egress_host_parse((struct view){text, 300}, &h), E_TOOBIG);
	cr_assert_eq(egress_host_parse((struct view){"a\0b", 3}, &h), E_SYNTAX);
}

static const struct {
	const char *in;
	unsigned default_port;
	int rc;
	const char *host;
	unsigned port;
} authorities[] = {
	{"example.com:443", 0, 0, "example.com", 443},
	{"example.com", 80, 0, "example.com", 80},
	{"example.com", 0, E_SYNTAX, 0, 0},
	{"example.com:", 80, E_SYNTAX, 0, 0},
	{":443", 0, E_SYNTAX, 0, 0},
	{"example.com:0", 0, E_SYNTAX, 0, 0},
	{"example.com:080", 0, E_SYNTAX, 0, 0},
	{"example.com:+80", 0, E_SYNTAX, 0, 0},
	{"example.com:65535", 0, 0, "example.com", 65535},
	{"example.com:65536", 0, E_RANGE, 0, 0},
	{"example.com:4294967739", 0, E_RANGE, 0, 0},
	{"example.com:443:80", 0, E_SYNTAX, 0, 0},
	{"[::1]:443", 0, 0, "::1", 443},
	{"[::1]", 80, 0, "::1", 80},
	{"[::1]443", 80, E_SYNTAX, 0, 0},
	{"[::1", 80, E_SYNTAX, 0, 0},
	{"::1:443", 80, E_SYNTAX, 0, 0},
	{"[1.2.3.4]:80", 0, E_SYNTAX, 0, 0},
	{"[example.com]:80", 0, E_SYNTAX, 0, 0},
	{"[fe80::1%25eth0]:80", 0, E_SYNTAX, 0, 0},
	{"user@example.com:80", 0, E_SYNTAX, 0, 0},
	{"", 80, E_SYNTAX, 0, 0},
};

Test(egress_host, authorities)
{
	for (size_t i = 0; i < ARRAY_LEN(authorities); i++) {
		struct egress_host h;
		unsigned port = 0;
		int rc = egress_authority_parse(view_of(authorities[i].in),
						authorities[i].default_port, &h, &port);

		cr_assert_eq(rc, authorities[i].rc, "%s: %d", authorities[i].in, rc);
		if (rc)
			continue;
		cr_assert_str_eq(h.text, authorities[i].host);
		cr_assert_eq(port, authorities[i].port);
	}
}

Test(egress_host, a_suffix_matches_whole_labels_below_it_only)
{
	struct egress_host h;

	cr_assert_eq(egress_host_parse(VIEW("a.b.example.com"), &h), 0);
	cr_assert(egress_host_beneath(&h, "example.com"));
	cr_assert(egress_host_beneath(&h, "b.example.com"));
	cr_assert(egress_host_beneath(&h, "com"));
	cr_assert_not(egress_host_beneath(&h, "a.b.example.com"));
	cr_assert_not(egress_host_beneath(&h, "xample.com"));
	cr_assert_not(egress_host_beneath(&h, "z.a.b.example.com"));
	cr_assert_eq(egress_host_parse(VIEW("evilexample.com"), &h), 0);
	cr_assert_not(egress_host_beneath(&h, "example.com"));
	cr_assert_eq(egress_host_parse(VIEW("1.2.3.4"), &h), 0);
	cr_assert_not(egress_host_beneath(&h, "4"));
	cr_assert_not(egress_host_beneath(&h, "3.4"));
}
