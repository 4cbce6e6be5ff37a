/* SPDX-License-Identifier: MIT */
/* The system call filter of our own programs as a BPF program; private to launcher/ and its tests.
 * Pure. */
#ifndef LAUNCHER_CONFINE_FILTER_H
#define LAUNCHER_CONFINE_FILTER_H

#include <linux/filter.h>

#include "base/err.h"
#include "launcher/confine.h"

enum { MAX_FILTER_RUNS = 256 }; /* runs of numbers with one action */

struct confine_filter {
	struct sock_filter steps[2 * MAX_FILTER_RUNS + 16];
	size_t n;
};

/* Writes the program: another architecture's or x32 calls kill, allow lets through, fatal kills,
 * the rest is EPERM. Names that this architecture doesn't have are left out. E_UNSUPPORTED (unknown
 * architecture), E_TOOBIG, E_INTERNAL (a name that nobody knows). */
int confine_filter_build(const char *const *allow, size_t n_allow, const char *const *fatal,
			 size_t n_fatal, struct confine_filter *ret) must_check;

/* Writes the program of confine_sockets: every call but socket and socketpair passes. E_RANGE (no
 * family, or more than 32), E_UNSUPPORTED. */
int confine_filter_build_sockets(const int *families, size_t n,
				 struct confine_filter *ret) must_check;

/* The number that this architecture has for the call, or one of these. */
enum {
	CALL_ABSENT = -1,  /* other architectures have it */
	CALL_UNKNOWN = -2, /* a name that stands in no table of ours: a mistake of the caller's */
};
int confine_call_number(const char *name);

/* Is there a number for this name here? */
bool confine_filter_knows(const char *name);

#endif
