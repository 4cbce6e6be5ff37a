/* SPDX-License-Identifier: MIT */
/* Signing and verifying canonical lines. Pure. Failure rule: E_FORGED on any doubt. Tests:
 * tests/unit/runner/t_mac.c (vectors of file 22, section 18), tests/fuzz/fuzz_ledgerline.c. */
#include "base/base.h"

#include "runner/mac.h"

#include "base/hex.h"

#include <stdio.h>

enum { BLOCK = 64 };

void mac_key_init(struct mac_key *k, struct view secret)
{
	uint8_t pad[BLOCK], digest[SHA256_BYTES];

	if (secret.len > BLOCK) {
		sha256_of(secret, digest);
		secret = (struct view){(const char *)digest, SHA256_BYTES};
	}
	memset(pad, 0x36, BLOCK);
	for (size_t i = 0; i < secret.len; i++)
		pad[i] ^= (uint8_t)secret.ptr[i];
	sha256_init(&k->inner);
	sha256_update(&k->inner, pad, BLOCK);
	for (size_t i = 0; i < BLOCK; i++)
		pad[i] ^= 0x36 ^ 0x5c;
	sha256_init(&k->outer);
	sha256_update(&k->outer, pad, BLOCK);
	explicit_bzero(pad, sizeof(pad));
	explicit_bzero(digest, sizeof(digest));
}

void mac_of(const struct mac_key *k, struct view a, struct view b, uint8_t out[SHA256_BYTES])
{
	struct sha256 h = k->inner;
	uint8_t inner[SHA256_BYTES];

	sha256_update(&h, a.ptr, a.len);
	sha256_update(&h, b.ptr, b.len);
	sha256_final(&h, inner);
	h = k->outer;
	sha256_update(&h, inner, sizeof(inner));
	sha256_final(&h, out);
	explicit_bzero(&h, sizeof(h));
}

void mac_hex(const struct mac_key *k, struct view a, struct view b, char out[SHA256_HEX + 1])
{
	uint8_t digest[SHA256_BYTES];

	mac_of(k, a, b, digest);
	hex_encode(out, digest, sizeof(digest));
}

int mac_seal(const struct mac_key *k, struct buf *text, size_t at)
{
	char hex[SHA256_HEX + 1], member[SHA256_HEX + 16];
	struct view v = buf_view(text);
	int n;

	if (buf_error(text))
		return buf_error(text);
	if (at == 0 || at >= v.len)
		return E_INTERNAL;
	mac_hex(k, v, (struct view){0}, hex);
	n = snprintf(member, sizeof(member),
		     v.ptr[at - 1] == '{' ? "\"mac\": \"%s\", " : ", \"mac\": \"%s\"", hex);
	if (!buf_reserve(text, (size_t)n))
		return buf_error(text);
	memmove(text->data + at + n, text->data + at, v.len - at);
	memcpy(text->data + at, member, (size_t)n);
	buf_added(text, (size_t)n);
	return 0;
}

/* Where the member "mac" stands with the comma that goes with it. */
static int find_mac(struct view line, size_t *ret_from, size_t *ret_to, struct view *ret_hex)
{
	static const char key[] = "\"mac\": \"";
	const char *at = view_find(line, view_of(key));
	size_t from, to;

	if (!at || at == line.ptr)
		return E_FORGED;
	from = (size_t)(at - line.ptr);
	to = from + sizeof(key) - 1 + SHA256_HEX + 1;
	if (to >= line.len || line.ptr[to - 1] != '"')
		return E_FORGED;
	*ret_hex = (struct view){at + sizeof(key) - 1, SHA256_HEX};
	if (line.ptr[from - 1] == '{') {
		if (to + 2 > line.len || memcmp(line.ptr + to, ", ", 2) != 0)
			return E_FORGED;
		to += 2;
	} else {
		if (from < 2 || memcmp(line.ptr + from - 2, ", ", 2) != 0)
			return E_FORGED;
		from -= 2;
	}
	*ret_from = from;
	*ret_to = to;
	return 0;
}

int mac_verify(const struct mac_key *k, struct view line)
{
	uint8_t want[SHA256_BYTES], have[SHA256_BYTES];
	struct view hex;
	size_t from, to;

	if (find_mac(line, &from, &to, &hex) != 0 || hex_decode(hex, want, sizeof(want)) != 0)
		return E_FORGED;
	mac_of(k, (struct view){line.ptr, from}, (struct view){line.ptr + to, line.len - to}, have);
	return hash_equal(want, have, sizeof(have)) ? 0 : E_FORGED;
}

static int find_value(struct view line, const char *name, size_t *ret_at)
{
	char key[64];
	int n = snprintf(key, sizeof(key), "\"%s\": ", name);
	const char *at;

	if (n < 0 || (size_t)n >= sizeof(key))
		return E_MISSING;
	at = view_find(line, (struct view){key, (size_t)n});
	/* Behind a backslash the quote belongs to a string's content. */
	if (!at || at == line.ptr || at[-1] == '\\')
		return E_MISSING;
	*ret_at = (size_t)(at - line.ptr) + (size_t)n;
	return 0;
}

int mac_line_str(struct view line, const char *name, struct view *ret)
{
	size_t at, end;

	if (find_value(line, name, &at) != 0 || at >= line.len || line.ptr[at] != '"')
		return E_MISSING;
	end = ++at;
	while (end < line.len && line.ptr[end] != '"')
		end += line.ptr[end] == '\\' ? 2 : 1;
	if (end >= line.len)
		return E_MISSING;
	*ret = (struct view){line.ptr + at, end - at};
	return 0;
}

int mac_line_int(struct view line, const char *name, int64_t *ret)
{
	int64_t n = 0;
	size_t at, digits = 0;

	if (find_value(line, name, &at) != 0)
		return E_MISSING;
	while (at < line.len && line.ptr[at] >= '0' && line.ptr[at] <= '9' && digits < 18) {
		n = n * 10 + (line.ptr[at++] - '0');
		digits++;
	}
	if (digits == 0)
		return E_MISSING;
	*ret = n;
	return 0;
}
