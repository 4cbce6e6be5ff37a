/* SPDX-License-Identifier: MIT */
/* Randomness from the kernel, and ids. System; never fails (the process ends if the kernel has no
 * randomness). */
#ifndef BASE_RAND_H
#define BASE_RAND_H

#include "base/base.h"

enum { ID_HEX = 32 };

void rand_bytes(void *out, size_t n);

/* 32 lower-case hex digits, all 128 bits random: nonces and tokens. */
void rand_token(char out[ID_HEX + 1]);

/* 32 lower-case hex digits: 48 bits of wall-clock milliseconds, 16 bits of their fraction, then 64
 * random bits, so that names sort by arrival, also within the tick of a file system's clock (file
 * 21, item 29.5). */
void rand_id(char out[ID_HEX + 1]);

#endif
