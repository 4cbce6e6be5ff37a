/* SPDX-License-Identifier: MIT */
/* SOCKS 5 messages. Pure. Tested by tests/unit/launcher/t_egress_socks.c and
 * tests/fuzz/fuzz_egress_socks.c. */
#include "base/base.h"

#include "launcher/egress_socks.h"

#include "base/hash.h"

enum {
	SOCKS_VERSION = 5,
	SOCKS_AUTH_VERSION = 1,
	SOCKS_CONNECT = 1,
	SOCKS_IPV4 = 1,
	SOCKS_NAME = 3,
	SOCKS_IPV6 = 4,
};

static unsigned at(struct view v, size_t i)
{
	return (unsigned char)v.ptr[i];
}

enum egress_parse egress_socks_greeting(struct view in, enum socks_method want, size_t *ret_bytes,
					enum socks_method *ret_method)
{
	size_t n;

	if (in.len >= 1 && at(in, 0) != SOCKS_VERSION)
		return EGRESS_BAD;
	if (in.len < 2)
		return EGRESS_MORE;
	n = at(in, 1);
	if (n == 0)
		return EGRESS_BAD;
	if (in.len < 2 + n)
		return EGRESS_MORE;
	*ret_method = SOCKS_METHOD_REFUSED;
	for (size_t i = 0; i < n; i++)
		if (at(in, 2 + i) == want)
			*ret_method = want;
	*ret_bytes = 2 + n;
	return EGRESS_DONE;
}

enum egress_parse egress_socks_password(struct view in, const char *credential, size_t *ret_bytes,
					bool *ret_good)
{
	uint8_t a[SHA256_BYTES], b[SHA256_BYTES];
	struct sha256 h;
	size_t user, pass;

	if (in.len >= 1 && at(in, 0) != SOCKS_AUTH_VERSION)
		return EGRESS_BAD;
	if (in.len < 2)
		return EGRESS_MORE;
	user = at(in, 1);
	if (in.len < 2 + user + 1)
		return EGRESS_MORE;
	pass = at(in, 2 + user);
	if (in.len < 3 + user + pass)
		return EGRESS_MORE;
	/* Both sides hashed, so that the time doesn't tell how much was right. */
	sha256_init(&h);
	sha256_update(&h, in.ptr + 2, user);
	sha256_update(&h, ":", 1);
	sha256_update(&h, in.ptr + 3 + user, pass);
	sha256_final(&h, a);
	sha256_of(view_of(credential), b);
	*ret_good = hash_equal(a, b, sizeof(a));
	*ret_bytes = 3 + user + pass;
	return EGRESS_DONE;
}

static enum egress_parse refuse(enum socks_reply *reply, const char **why, enum socks_reply r,
				const char *text)
{
	*reply = r;
	*why = text;
	return EGRESS_BAD;
}

enum egress_parse egress_socks_request(struct view in, size_t *ret_bytes,
				       struct egress_host *ret_host, unsigned *ret_port,
				       enum socks_reply *ret_reply, const char **ret_why)
{
	size_t from = 4, len;

	if (in.len >= 1 && at(in, 0) != SOCKS_VERSION)
		return refuse(ret_reply, ret_why, SOCKS_FAILED, "not a SOCKS 5 request");
	if (in.len >= 2 && at(in, 1) != SOCKS_CONNECT)
		return refuse(ret_reply, ret_why, SOCKS_BAD_COMMAND, "only CONNECT is offered");
	if (in.len >= 3 && at(in, 2) != 0)
		return refuse(ret_reply, ret_why, SOCKS_FAILED, "reserved byte is set");
	if (in.len < 5)
		return EGRESS_MORE;
	switch (at(in, 3)) {
	case SOCKS_IPV4:
		len = 4;
		break;
	case SOCKS_IPV6:
		len = 16;
		break;
	case SOCKS_NAME:
		len = at(in, 4);
		from = 5;
		break;
	default:
		return refuse(ret_reply, ret_why, SOCKS_BAD_ADDRESS, "unknown type of address");
	}
	if (in.len < from + len + 2)
		return EGRESS_MORE;
	if (from == 4)
		egress_host_of_addr(in.ptr + from, len, ret_host);
	else if (egress_host_parse((struct view){in.ptr + from, len}, ret_host))
		return refuse(ret_reply, ret_why, SOCKS_FAILED, "bad host name");
	*ret_port = at(in, from + len) << 8 | at(in, from + len + 1);
	if (*ret_port == 0)
		return refuse(ret_reply, ret_why, SOCKS_FAILED, "port 0");
	*ret_bytes = from + len + 2;
	return EGRESS_DONE;
}

void egress_socks_reply(enum socks_reply reply, uint8_t out[SOCKS_REPLY_BYTES])
{
	memset(out, 0, SOCKS_REPLY_BYTES);
	out[0] = SOCKS_VERSION;
	out[1] = (uint8_t)reply;
	out[3] = SOCKS_IPV4;
}
