/* SPDX-License-Identifier: MIT */
/*
 * The child's half of proc_spawn; nobody else includes this. It shares the parent's memory while
 * the parent stands still (as after vfork): it may call nothing but the kernel, and write nothing
 * but its own stack and struct proc_start. System.
 */
#ifndef BASE_PROC_CHILD_H
#define BASE_PROC_CHILD_H

#include "base/proc.h"

struct proc_start {
	const struct proc_spec *spec;
	pid_t parent;
	int report_fd;	  /* the report also goes there; -1: the memory is shared, that is enough */
	int error;	  /* errno of the step that failed before exec; 0: none did */
	const char *step; /* what that was */
};

/* For clone: takes a struct proc_start; ends in exec or _exit(127). All signals are blocked on
 * entry. */
int proc_child(void *start);

#endif
