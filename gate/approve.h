/* SPDX-License-Identifier: MIT */
/*
 * Approvals: an operator's file with one signed line for each. A line is a JSON object, a blank,
 * and the Ed25519 signature of the object's bytes as 128 lower-case hex digits:
 *   {"sha256":"...","class":"fs-delete","project":"/home/dev/app","expires":"2026-12-01T00:00:00+00:00"}
 * 8f3c... sha256 is that of the command's argument vectors (command_digest). A valid line turns an
 * ask of that class into silence, never a denial (file 40, section 12.13).
 */
#ifndef GATE_APPROVE_H
#define GATE_APPROVE_H

#include "base/hash.h"
#include "gate/decide.h"

/* Digest of the simple commands, each word followed by a NUL, each command by another; unknown
 * parts make it useless as a key and it is then of the raw text. */
void command_digest(struct arena *a, const struct gate_context *ctx, struct view command,
		    char ret[SHA256_HEX + 1]);

/* Takes the findings away that a line of text approves. key: 32 bytes; now: seconds since the
 * epoch. Lines that are malformed, expired, for another project or wrongly signed do nothing. */
void approvals_apply(struct view text, const uint8_t *key, const char *digest, struct view project,
		     int64_t now, struct answer *answer, struct finding *kept);

/* Ed25519 over libsodium (signature.c): true if it is the key's signature of the message. */
bool signature_valid(const uint8_t signature[64], struct view message, const uint8_t key[32]);

#endif
