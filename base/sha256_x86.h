/* SPDX-License-Identifier: MIT */
/* SHA-256 compression with the SHA instructions of x86-64 processors: about five times as fast as
 * portable code, which is what the verification of a long ledger spends its time on. Pure. */
#ifndef BASE_SHA256_X86_H
#define BASE_SHA256_X86_H

#include "base/base.h"

/* Does this processor have them? Asked once. Always false elsewhere. */
bool sha256_x86_has(void);
/* Compresses whole blocks of 64 bytes into the eight words of state; only if sha256_x86_has(). */
void sha256_x86_blocks(uint32_t state[8], const uint8_t *data, size_t blocks);

#endif
