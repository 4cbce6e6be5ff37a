/* SPDX-License-Identifier: MIT */
/*
 * Sorts an array in place: at most about 2 n log n comparisons whatever the order (input may be
 * hostile), no allocation, no recursion, and, unlike glibc's qsort, which asks the kernel how much
 * memory there is, no system call that a seccomp filter would have to allow. Not stable. Inline, so
 * that size and comparison are known to the compiler. Pure.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include "base/base.h"

enum { SORT_MAX_ITEM_BYTES = 64 };

/* Moves the item down the heap of n items until no child is greater. */
static inline void sort_sift(char *items, size_t size, size_t at, size_t n,
			     int (*compare)(const void *, const void *))
{
	char item[SORT_MAX_ITEM_BYTES];
	size_t child;

	memcpy(item, items + at * size, size);
	for (; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && compare(items + child * size, items + (child + 1) * size) < 0)
			child++;
		if (compare(item, items + child * size) >= 0)
			break;
		memcpy(items + at * size, items + child * size, size);
	}
	memcpy(items + at * size, item, size);
}

/* compare as for qsort; size at most SORT_MAX_ITEM_BYTES. */
static inline void sort_in_place(void *array, size_t n, size_t size,
				 int (*compare)(const void *, const void *))
{
	char *items = array, item[SORT_MAX_ITEM_BYTES];

	for (size_t i = n / 2; i-- > 0;)
		sort_sift(items, size, i, n, compare);
	while (n > 1) {
		n--;
		memcpy(item, items, size);
		memcpy(items, items + n * size, size);
		memcpy(items + n * size, item, size);
		sort_sift(items, size, 0, n, compare);
	}
}

#endif
