/* SPDX-License-Identifier: MIT */
/* Wall and monotonic time behind a source that tests can replace. System. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/base.h"

int64_t clock_mono_ns(void); /* CLOCK_MONOTONIC */
int64_t clock_wall_ns(void); /* CLOCK_REALTIME, since the epoch */

static inline int64_t clock_mono_ms(void)
{
	return clock_mono_ns() / 1000000;
}
static inline int64_t clock_wall_s(void)
{
	return clock_wall_ns() / 1000000000;
}

/* CLOCK_MONOTONIC whatever the source: for deadlines of real waits. */
int64_t clock_kernel_mono_ns(void);
static inline int64_t clock_kernel_mono_ms(void)
{
	return clock_kernel_mono_ns() / 1000000;
}

/* ISO 8601 in UTC with seconds, "2026-10-06T12:00:00+00:00" (file 22): writes 25 characters and a
 * NUL. Outside the years 0001 to 9999: "0000-00-00T00:00:00+00:00". */
void clock_iso8601(int64_t wall_s, char out[26]);
/* Strict parse of exactly that form (years 0001 to 9999, no leap second); E_SYNTAX. */
int clock_parse_iso8601(const char *text, int64_t *ret_wall_s) must_check;

/* Tests: replaces both clocks; NULL restores the kernel's. */
struct clock_source {
	int64_t (*mono_ns)(void);
	int64_t (*wall_ns)(void);
};
void clock_set_source(const struct clock_source *source);

#endif
