/* SPDX-License-Identifier: MIT */
/* Time behind a replaceable source. System. Tested by tests/unit/base/t_clock.c. */
#include "base/base.h"

#include "base/clock.h"

static struct clock_source replaced;

static int64_t read_clock(clockid_t which)
{
	struct timespec t;

	if (clock_gettime(which, &t) < 0)
		abort(); /* both clocks exist on every supported kernel */
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_mono_ns(void)
{
	return replaced.mono_ns ? replaced.mono_ns() : read_clock(CLOCK_MONOTONIC);
}

int64_t clock_wall_ns(void)
{
	return replaced.wall_ns ? replaced.wall_ns() : read_clock(CLOCK_REALTIME);
}

void clock_set_source(const struct clock_source *source)
{
	replaced = source ? *source : (struct clock_source){NULL, NULL};
}

void clock_iso8601(int64_t wall_s, char out[26])
{
	time_t t = (time_t)wall_s;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || strftime(out, 26, "%Y-%m-%dT%H:%M:%S+00:00", &tm) != 25)
		memcpy(out, "0000-00-00T00:00:00+00:00", 26);
}
