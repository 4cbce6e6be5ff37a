/* SPDX-License-Identifier: MIT */
/* What the tests of proc share: a child that reports what it was started with. */
#ifndef TESTS_UNIT_BASE_PROCTEST_H
#define TESTS_UNIT_BASE_PROCTEST_H

#include "base/proc.h"

extern char probe_path[4096], probe_report[300];

void proc_setup(void);
void proc_teardown(void);

/* Starts procprobe with the report's name as its only argument and an empty environment. */
struct proc_spec probe_spec(void);

/* Starts, waits: the exit code, or the error (negative). */
int run_probe(const struct proc_spec *spec, struct errctx *e);

/* The report, whole; and whether it has this line. */
const char *read_report(void);
bool reported(const char *line);

/* Runs test twice, with shared memory and by fork; no descriptor may stay. */
void both_ways(void (*test)(void));

#endif
