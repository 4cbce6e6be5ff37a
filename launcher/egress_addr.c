/* SPDX-License-Identifier: MIT */
/*
 * Address classes after the IANA special-purpose registries (RFC 6890 and successors), plus the
 * addresses at which clouds serve credentials. Pure. Tested by tests/unit/launcher/t_egress_addr.c.
 */
#include "base/base.h"

#include "launcher/egress_addr.h"

#include <arpa/inet.h>

/* Most specific first. Within IPv6, what no row names is public only inside 2000::/3. */
static const struct egress_addr_row rows[] = {
	{"EADDR_01", "169.254.169.254", 32, EGRESS_ADDR_METADATA,
	 "instance metadata of most clouds"},
	{"EADDR_02", "169.254.170.2", 32, EGRESS_ADDR_METADATA, "task credentials (ECS)"},
	{"EADDR_03", "169.254.170.23", 32, EGRESS_ADDR_METADATA, "pod credentials (EKS)"},
	{"EADDR_04", "100.100.100.200", 32, EGRESS_ADDR_METADATA, "instance metadata (Alibaba)"},
	{"EADDR_05", "168.63.129.16", 32, EGRESS_ADDR_METADATA, "host agent (Azure); looks public"},
	{"EADDR_06", "192.0.0.192", 32, EGRESS_ADDR_METADATA, "instance metadata (Oracle)"},
	{"EADDR_07", "0.0.0.0", 8, EGRESS_ADDR_UNSPECIFIED,
	 "this network; the kernel takes 0.0.0.0 for loopback"},
	{"EADDR_08", "10.0.0.0", 8, EGRESS_ADDR_PRIVATE, "RFC 1918"},
	{"EADDR_09", "100.64.0.0", 10, EGRESS_ADDR_SHARED,
	 "carrier and overlay networks, RFC 6598"},
	{"EADDR_10", "127.0.0.0", 8, EGRESS_ADDR_LOOPBACK, "RFC 1122"},
	{"EADDR_11", "169.254.0.0", 16, EGRESS_ADDR_LINK_LOCAL, "RFC 3927"},
	{"EADDR_12", "172.16.0.0", 12, EGRESS_ADDR_PRIVATE, "RFC 1918"},
	{"EADDR_13", "192.0.0.0", 24, EGRESS_ADDR_RESERVED, "protocol assignments, RFC 6890"},
	{"EADDR_14", "192.0.2.0", 24, EGRESS_ADDR_DOCUMENTATION, "RFC 5737"},
	{"EADDR_15", "192.88.99.0", 24, EGRESS_ADDR_TRANSLATED, "6to4 relays, RFC 7526"},
	{"EADDR_16", "192.168.0.0", 16, EGRESS_ADDR_PRIVATE, "RFC 1918"},
	{"EADDR_17", "198.18.0.0", 15, EGRESS_ADDR_BENCHMARK, "RFC 2544"},
	{"EADDR_18", "198.51.100.0", 24, EGRESS_ADDR_DOCUMENTATION, "RFC 5737"},
	{"EADDR_19", "203.0.113.0", 24, EGRESS_ADDR_DOCUMENTATION, "RFC 5737"},
	{"EADDR_20", "224.0.0.0", 4, EGRESS_ADDR_MULTICAST, "RFC 5771"},
	{"EADDR_21", "240.0.0.0", 4, EGRESS_ADDR_RESERVED, "RFC 1112, and the broadcast address"},

	{"EADDR_30", "::", 128, EGRESS_ADDR_UNSPECIFIED,
	 "RFC 4291; the kernel takes it for loopback"},
	{"EADDR_31", "::1", 128, EGRESS_ADDR_LOOPBACK, "RFC 4291"},
	{"EADDR_32", "::ffff:0.0.0.0", 96, EGRESS_ADDR_TRANSLATED, "mapped IPv4, RFC 4291"},
	{"EADDR_33", "::ffff:0:0.0.0.0", 96, EGRESS_ADDR_TRANSLATED, "translated IPv4, RFC 2765"},
	{"EADDR_34", "::", 96, EGRESS_ADDR_TRANSLATED, "compatible IPv4, RFC 4291"},
	{"EADDR_35", "64:ff9b:1::", 48, EGRESS_ADDR_TRANSLATED,
	 "local NAT64, RFC 8215: leads to private IPv4"},
	{"EADDR_36", "100::", 64, EGRESS_ADDR_RESERVED, "discard only, RFC 6666"},
	{"EADDR_37", "fd00:ec2::", 32, EGRESS_ADDR_METADATA, "instance metadata (Amazon)"},
	{"EADDR_38", "fd20:ce::254", 128, EGRESS_ADDR_METADATA, "instance metadata (Google)"},
	{"EADDR_39", "fc00::", 7, EGRESS_ADDR_PRIVATE, "unique local, RFC 4193"},
	{"EADDR_40", "fe80::", 10, EGRESS_ADDR_LINK_LOCAL, "RFC 4291"},
	{"EADDR_41", "fec0::", 10, EGRESS_ADDR_PRIVATE, "site local, RFC 3879"},
	{"EADDR_42", "ff00::", 8, EGRESS_ADDR_MULTICAST, "RFC 4291"},
	{"EADDR_43", "2001:2::", 48, EGRESS_ADDR_BENCHMARK, "RFC 5180"},
	{"EADDR_44", "2001:db8::", 32, EGRESS_ADDR_DOCUMENTATION, "RFC 3849"},
	{"EADDR_45", "2001::", 32, EGRESS_ADDR_TRANSLATED, "Teredo, RFC 4380"},
	{"EADDR_46", "2001::", 23, EGRESS_ADDR_RESERVED, "protocol assignments, RFC 2928"},
	{"EADDR_47", "2002::", 16, EGRESS_ADDR_TRANSLATED,
	 "6to4, RFC 3056: the IPv4 address in it is the target"},
	{"EADDR_48", "3fff::", 20, EGRESS_ADDR_DOCUMENTATION, "RFC 9637"},
	{"EADDR_49", "2000::", 3, EGRESS_ADDR_PUBLIC, "global unicast, RFC 4291"},
};

static const struct {
	enum egress_addr_class class;
	const char *name;
} class_names[] = {
	{EGRESS_ADDR_NONE, "no address"},
	{EGRESS_ADDR_UNSPECIFIED, "unspecified"},
	{EGRESS_ADDR_LOOPBACK, "loopback"},
	{EGRESS_ADDR_METADATA, "cloud metadata"},
	{EGRESS_ADDR_LINK_LOCAL, "link-local"},
	{EGRESS_ADDR_PRIVATE, "private"},
	{EGRESS_ADDR_SHARED, "shared (100.64.0.0/10)"},
	{EGRESS_ADDR_MULTICAST, "multicast"},
	{EGRESS_ADDR_DOCUMENTATION, "documentation"},
	{EGRESS_ADDR_BENCHMARK, "benchmark"},
	{EGRESS_ADDR_TRANSLATED, "translated"},
	{EGRESS_ADDR_RESERVED, "reserved"},
	{EGRESS_ADDR_OWN, "this host's own"},
	{EGRESS_ADDR_PUBLIC, "public"},
};

const char *egress_addr_class_name(enum egress_addr_class c)
{
	for (size_t i = 0; i < ARRAY_LEN(class_names); i++)
		if (class_names[i].class == c)
			return class_names[i].name;
	return "unknown";
}

const struct egress_addr_row *egress_addr_rows(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(rows);
	return rows;
}

static bool under_prefix(const uint8_t *addr, const uint8_t *prefix, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	if (memcmp(addr, prefix, whole) != 0)
		return false;
	return rest == 0 || ((addr[whole] ^ prefix[whole]) >> (8 - rest)) == 0;
}

static enum egress_addr_class look_up(const uint8_t *addr, int family,
				      enum egress_addr_class otherwise)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint8_t prefix[16];

		/* The other family's rows don't parse as this one's. */
		if (inet_pton(family, rows[i].prefix, prefix) == 1 &&
		    under_prefix(addr, prefix, rows[i].bits))
			return rows[i].class;
	}
	return otherwise;
}

enum egress_addr_class egress_addr_class(const void *addr, size_t len)
{
	static const uint8_t nat64[12] = {0x00, 0x64, 0xff, 0x9b};
	const uint8_t *a = addr;

	if (len == 4)
		return look_up(a, AF_INET, EGRESS_ADDR_PUBLIC);
	if (len != 16)
		return EGRESS_ADDR_NONE;
	/* On a network without IPv4 this is how every IPv4 host looks, so it can't simply be
	 * refused (RFC 6052). */
	if (memcmp(a, nat64, sizeof(nat64)) == 0)
		return egress_addr_class(a + 12, 4);
	/* ISATAP: an IPv4 address as interface number under any prefix (RFC 5214). */
	if ((a[8] & 0xfc) == 0 && a[9] == 0 && a[10] == 0x5e && a[11] == 0xfe)
		return EGRESS_ADDR_TRANSLATED;
	return look_up(a, AF_INET6, EGRESS_ADDR_RESERVED);
}
