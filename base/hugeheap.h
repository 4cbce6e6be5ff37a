/* SPDX-License-Identifier: MIT */
/*
 * A heap of huge pages, for a short-lived program that is about to hold many small objects: the
 * first use of each small page costs more than filling it. Only a wish: where the host has no huge
 * pages for the asking, nothing changes. System.
 *
 * System calls: brk, madvise.
 */
#ifndef BASE_HUGEHEAP_H
#define BASE_HUGEHEAP_H

#include <stddef.h>

/* Address space for `bytes` more of malloc; memory is taken as it is used. Not for processes that
 * stay: what they free isn't given back. */
void hugeheap_prepare(size_t bytes);

#endif
