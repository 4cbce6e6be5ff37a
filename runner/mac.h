/* SPDX-License-Identifier: MIT */
/*
 * Signed records (file 22, section 7.2): the MAC of a record is the HMAC-SHA256 over its canonical
 * text without the member "mac". The texts are made canonical by their writers and stay that way:
 * a line is verified byte for byte, never re-encoded (20.30). Pure.
 */
#ifndef RUNNER_MAC_H
#define RUNNER_MAC_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

/* A key made ready: the two inner states of HMAC. As secret as the key; lives in guarded memory
 * (key.h). */
struct mac_key {
	struct sha256 inner, outer;
};

void mac_key_init(struct mac_key *k, struct view secret); /* any length, RFC 2104 */

/* HMAC over the two parts as one text. */
void mac_of(const struct mac_key *k, struct view a, struct view b, uint8_t out[SHA256_BYTES]);
void mac_hex(const struct mac_key *k, struct view a, struct view b, char out[SHA256_HEX + 1]);

/* text holds the canonical record without "mac", at is where the member belongs: right behind '{'
 * (first member) or right behind the value before it. Inserts it. */
int mac_seal(const struct mac_key *k, struct buf *text, size_t at) must_check;

/* Verifies a sealed line (without its line feed): exactly one member "mac" of 64 digits. 0 or
 * E_FORGED. */
int mac_verify(const struct mac_key *k, struct view line) must_check;

/* The value of a string member of a canonical line: finds the raw text "name": "..." outside
 * strings' contents (a quote inside a string is always escaped, so the raw spelling is
 * unambiguous). Values with escapes are returned as written. E_MISSING. */
int mac_line_str(struct view line, const char *name, struct view *ret) must_check;
int mac_line_int(struct view line, const char *name, int64_t *ret) must_check;

#endif
