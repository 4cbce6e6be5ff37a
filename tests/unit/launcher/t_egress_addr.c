/* SPDX-License-Identifier: MIT */
/* Address classes: each row at both of its ends and just outside, and every disguise. */
#include "base/base.h"

#include "launcher/egress_addr.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>

static enum egress_addr_class class_of(const char *text)
{
	uint8_t addr[16];

	if (inet_pton(AF_INET, text, addr) == 1)
		return egress_addr_class(addr, 4);
	cr_assert_eq(inet_pton(AF_INET6, text, addr), 1, "test case isn't an address: %s", text);
	return egress_addr_class(addr, 16);
}

static const struct {
	const char *addr;
	enum egress_addr_class want;
} cases[] = {
	{"1.1.1.1", EGRESS_ADDR_PUBLIC},
	{"8.8.8.8", EGRESS_ADDR_PUBLIC},
	{"93.184.216.34", EGRESS_ADDR_PUBLIC},
	{"223.255.255.255", EGRESS_ADDR_PUBLIC},
	{"0.0.0.0", EGRESS_ADDR_UNSPECIFIED},
	{"0.255.255.255", EGRESS_ADDR_UNSPECIFIED},
	{"1.0.0.0", EGRESS_ADDR_PUBLIC},
	{"9.255.255.255", EGRESS_ADDR_PUBLIC},
	{"10.0.0.0", EGRESS_ADDR_PRIVATE},
	{"10.255.255.255", EGRESS_ADDR_PRIVATE},
	{"11.0.0.0", EGRESS_ADDR_PUBLIC},
	{"100.63.255.255", EGRESS_ADDR_PUBLIC},
	{"100.64.0.0", EGRESS_ADDR_SHARED},
	{"100.127.255.255", EGRESS_ADDR_SHARED},
	{"100.128.0.0", EGRESS_ADDR_PUBLIC},
	{"100.100.100.200", EGRESS_ADDR_METADATA},
	{"126.255.255.255", EGRESS_ADDR_PUBLIC},
	{"127.0.0.1", EGRESS_ADDR_LOOPBACK},
	{"127.255.255.255", EGRESS_ADDR_LOOPBACK},
	{"128.0.0.0", EGRESS_ADDR_PUBLIC},
	{"168.63.129.16", EGRESS_ADDR_METADATA},
	{"168.63.129.17", EGRESS_ADDR_PUBLIC},
	{"169.253.255.255", EGRESS_ADDR_PUBLIC},
	{"169.254.0.1", EGRESS_ADDR_LINK_LOCAL},
	{"169.254.169.254", EGRESS_ADDR_METADATA},
	{"169.254.169.253", EGRESS_ADDR_LINK_LOCAL},
	{"169.254.170.2", EGRESS_ADDR_METADATA},
	{"169.254.170.23", EGRESS_ADDR_METADATA},
	{"169.255.0.0", EGRESS_ADDR_PUBLIC},
	{"172.15.255.255", EGRESS_ADDR_PUBLIC},
	{"172.16.0.0", EGRESS_ADDR_PRIVATE},
	{"172.31.255.255", EGRESS_ADDR_PRIVATE},
	{"172.32.0.0", EGRESS_ADDR_PUBLIC},
	{"192.0.0.8", EGRESS_ADDR_RESERVED},
	{"192.0.0.192", EGRESS_ADDR_METADATA},
	{"192.0.1.0", EGRESS_ADDR_PUBLIC},
	{"192.0.2.1", EGRESS_ADDR_DOCUMENTATION},
	{"192.88.99.1", EGRESS_ADDR_TRANSLATED},
	{"192.167.255.255", EGRESS_ADDR_PUBLIC},
	{"192.168.0.0", EGRESS_ADDR_PRIVATE},
	{"192.168.255.255", EGRESS_ADDR_PRIVATE},
	{"192.169.0.0", EGRESS_ADDR_PUBLIC},
	{"198.17.255.255", EGRESS_ADDR_PUBLIC},
	{"198.18.0.0", EGRESS_ADDR_BENCHMARK},
	{"198.19.255.255", EGRESS_ADDR_BENCHMARK},
	{"198.20.0.0", EGRESS_ADDR_PUBLIC},
	{"198.51.100.7", EGRESS_ADDR_DOCUMENTATION},
	{"203.0.113.7", EGRESS_ADDR_DOCUMENTATION},
	{"224.0.0.0", EGRESS_ADDR_MULTICAST},
	{"239.255.255.255", EGRESS_ADDR_MULTICAST},
	{"240.0.0.0", EGRESS_ADDR_RESERVED},
	{"255.255.255.255", EGRESS_ADDR_RESERVED},

	{"2606:2800:220:1::1", EGRESS_ADDR_PUBLIC},
	{"2a00:1450:4001::1", EGRESS_ADDR_PUBLIC},
	{"2000::", EGRESS_ADDR_PUBLIC},
	{"3ffe:ffff::1", EGRESS_ADDR_PUBLIC},
	{"::", EGRESS_ADDR_UNSPECIFIED},
	{"::1", EGRESS_ADDR_LOOPBACK},
	{"::2", EGRESS_ADDR_TRANSLATED},
	{"::127.0.0.1", EGRESS_ADDR_TRANSLATED},
	{"::ffff:127.0.0.1", EGRESS_ADDR_TRANSLATED},
	{"::ffff:8.8.8.8", EGRESS_ADDR_TRANSLATED},
	{"::ffff:0:10.0.0.1", EGRESS_ADDR_TRANSLATED},
	{"64:ff9b::8.8.8.8", EGRESS_ADDR_PUBLIC},
	{"64:ff9b::10.0.0.1", EGRESS_ADDR_PRIVATE},
	{"64:ff9b::127.0.0.1", EGRESS_ADDR_LOOPBACK},
	{"64:ff9b::169.254.169.254", EGRESS_ADDR_METADATA},
	{"64:ff9b::0.0.0.0", EGRESS_ADDR_UNSPECIFIED},
	{"64:ff9b::1:8.8.8.8", EGRESS_ADDR_RESERVED},
	{"64:ff9b:1::8.8.8.8", EGRESS_ADDR_TRANSLATED},
	{"64:ff9c::8.8.8.8", EGRESS_ADDR_RESERVED},
	{"100::1", EGRESS_ADDR_RESERVED},
	{"1fff:ffff::", EGRESS_ADDR_RESERVED},
	{"4000::", EGRESS_ADDR_RESERVED},
	{"5f00::1", EGRESS_ADDR_RESERVED},
	{"fc00::1", EGRESS_ADDR_PRIVATE},
	{"fdff:ffff::1", EGRESS_ADDR_PRIVATE},
	{"fd00:ec2::254", EGRESS_ADDR_METADATA},
	{"fd20:ce::254", EGRESS_ADDR_METADATA},
	{"fe00::1", EGRESS_ADDR_RESERVED},
	{"fe80::1", EGRESS_ADDR_LINK_LOCAL},
	{"febf::1", EGRESS_ADDR_LINK_LOCAL},
	{"fec0::1", EGRESS_ADDR_PRIVATE},
	{"feff::1", EGRESS_ADDR_PRIVATE},
	{"ff02::1", EGRESS_ADDR_MULTICAST},
	{"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", EGRESS_ADDR_MULTICAST},
	{"2001::1", EGRESS_ADDR_TRANSLATED},
	{"2001:0:4136:e378:8000:63bf:3fff:fdd2", EGRESS_ADDR_TRANSLATED},
	{"2001:2::1", EGRESS_ADDR_BENCHMARK},
	{"2001:10::1", EGRESS_ADDR_RESERVED},
	{"2001:20::1", EGRESS_ADDR_RESERVED},
	{"2001:1ff::1", EGRESS_ADDR_RESERVED},
	{"2001:200::1", EGRESS_ADDR_PUBLIC},
	{"2001:db8::1", EGRESS_ADDR_DOCUMENTATION},
	{"2001:db9::1", EGRESS_ADDR_PUBLIC},
	{"2002:7f00:1::1", EGRESS_ADDR_TRANSLATED},
	{"2002:808:808::1", EGRESS_ADDR_TRANSLATED},
	{"3fff::1", EGRESS_ADDR_DOCUMENTATION},
	{"3fff:1000::", EGRESS_ADDR_PUBLIC},
	{"2a00:1450::5efe:10.0.0.1", EGRESS_ADDR_TRANSLATED},
	{"2a00:1450::200:5efe:8.8.8.8", EGRESS_ADDR_TRANSLATED},
};

Test(egress_addr, classes)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		enum egress_addr_class got = class_of(cases[i].addr);

		cr_assert_eq(got, cases[i].want, "%s is %s, not %s", cases[i].addr,
			     egress_addr_class_name(got), egress_addr_class_name(cases[i].want));
	}
}

static void step(uint8_t *addr, size_t len, int by)
{
	for (size_t i = len; i-- > 0;) {
		uint8_t before = addr[i];

		addr[i] = (uint8_t)(before + by);
		if ((by > 0 && addr[i] > before) || (by < 0 && addr[i] < before))
			return;
	}
}

/* No hand-written case can be forgotten: every refused row refuses at both of its ends. */
Test(egress_addr, every_row_holds_from_its_first_to_its_last_address)
{
	size_t n;
	const struct egress_addr_row *rows = egress_addr_rows(&n);

	cr_assert_gt(n, 30);
	for (size_t i = 0; i < n; i++) {
		uint8_t first[16], last[16];
		size_t len = inet_pton(AF_INET, rows[i].prefix, first) == 1 ? 4 : 16;

		cr_assert(len == 4 || inet_pton(AF_INET6, rows[i].prefix, first) == 1, "%s",
			  rows[i].id);
		memcpy(last, first, len);
		for (unsigned bit = rows[i].bits; bit < len * 8; bit++) {
			cr_assert_eq(first[bit / 8] >> (7 - bit % 8) & 1, 0,
				     "%s: bits beyond the prefix", rows[i].id);
			last[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
		}
		if (rows[i].class == EGRESS_ADDR_PUBLIC)
			continue;
		cr_assert_neq(egress_addr_class(first, len), EGRESS_ADDR_PUBLIC, "%s", rows[i].id);
		cr_assert_neq(egress_addr_class(last, len), EGRESS_ADDR_PUBLIC, "%s", rows[i].id);
		for (int k = 0; k < 300; k++) {
			step(first, len, 1);
			if (rows[i].bits + 9 <= len * 8)
				cr_assert_neq(egress_addr_class(first, len), EGRESS_ADDR_PUBLIC,
					      "%s", rows[i].id);
		}
		for (size_t k = 0; k < i; k++)
			cr_assert_str_neq(rows[i].id, rows[k].id);
	}
}

Test(egress_addr, other_lengths_are_no_address)
{
	uint8_t addr[20] = {8, 8, 8, 8};

	for (size_t len = 0; len <= sizeof(addr); len++)
		if (len != 4 && len != 16)
			cr_assert_eq(egress_addr_class(addr, len), EGRESS_ADDR_NONE);
}

Test(egress_addr, every_class_has_a_name)
{
	for (int c = EGRESS_ADDR_NONE; c <= EGRESS_ADDR_OWN; c++)
		cr_assert_str_neq(egress_addr_class_name((enum egress_addr_class)c), "unknown");
	cr_assert_str_eq(egress_addr_class_name(EGRESS_ADDR_PUBLIC), "public");
	cr_assert_str_eq(egress_addr_class_name((enum egress_addr_class)0x77), "unknown");
}
