/* SPDX-License-Identifier: MIT */
/*
 * Member names of one hash, made the way an attacker would: base/json_names.c hashes with 32-bit
 * FNV-1a, and two blocks that take the hash from one value to the same next one are found by
 * trying. Sixteen such pairs, one after the other, give 65,536 names.
 */
#ifndef TESTS_LIB_FNV_COLLIDE_H
#define TESTS_LIB_FNV_COLLIDE_H

#include "base/base.h"

enum { FNV_PAIRS = 16, FNV_BLOCK = 6, FNV_NAMES = 1 << FNV_PAIRS };

static inline uint32_t fnv_of(uint32_t h, const char *p, size_t n)
{
	while (n--)
		h = (h ^ (unsigned char)*p++) * 16777619U;
	return h;
}

/* The i-th block: all letters vary, or FNV would be nearly free of collisions. */
static inline void fnv_block(char block[FNV_BLOCK], uint32_t i)
{
	uint32_t x = i * 2654435761U;

	for (int k = 0; k < FNV_BLOCK; k++, x /= 26)
		block[k] = (char)('a' + x % 26);
}

/* Two different blocks that take the hash from h to the value returned. */
static inline uint32_t fnv_pair(uint32_t h, char a[FNV_BLOCK], char b[FNV_BLOCK])
{
	enum { SLOTS = 1 << 20 };
	static uint32_t numbers[SLOTS];

	memset(numbers, 0, sizeof(numbers));
	for (uint32_t i = 1; i < SLOTS / 2; i++) {
		uint32_t end, slot;

		fnv_block(b, i);
		end = fnv_of(h, b, FNV_BLOCK);
		for (slot = end % SLOTS; numbers[slot]; slot = (slot + 1) % SLOTS) {
			fnv_block(a, numbers[slot]);
			if (fnv_of(h, a, FNV_BLOCK) == end && memcmp(a, b, FNV_BLOCK) != 0)
				return end;
		}
		numbers[slot] = i;
	}
	abort(); /* half a million blocks always hold a pair */
}

/* Name number n is blocks[0][bit 0 of n], blocks[1][bit 1 of n] and so on. */
static inline void fnv_pairs(char blocks[FNV_PAIRS][2][FNV_BLOCK])
{
	uint32_t h = 2166136261U;

	for (int i = 0; i < FNV_PAIRS; i++)
		h = fnv_pair(h, blocks[i][0], blocks[i][1]);
}

#endif
