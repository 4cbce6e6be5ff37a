/* SPDX-License-Identifier: MIT */
/* Lets malloc take its heap in one piece, and asks for huge pages there. Tested by
 * tests/unit/base/t_io.c. */
#include "base/base.h"

#include "base/hugeheap.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#include <limits.h>
#include <malloc.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2097152 };

void hugeheap_prepare(size_t bytes)
{
	char *low, *high;
	void *volatile first; /* or the compiler does without the call */

	if (bytes > INT_MAX / 2 || mallopt(M_TOP_PAD, (int)bytes) == 0 ||
	    mallopt(M_TRIM_THRESHOLD, INT_MAX) == 0 || mallopt(M_MMAP_THRESHOLD, INT_MAX) == 0)
		return;
	low = sbrk(0);
	first = malloc(262144); /* more than is left of the heap that was there */
	high = sbrk(0);
	free(first);
	if ((uintptr_t)low % HUGE_PAGE)
		low += HUGE_PAGE - (uintptr_t)low % HUGE_PAGE;
	if (high > low)
		(void)madvise(low, (size_t)(high - low), MADV_HUGEPAGE);
}
#else
void hugeheap_prepare(size_t bytes)
{
	(void)bytes;
}
#endif
