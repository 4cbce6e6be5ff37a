/* SPDX-License-Identifier: MIT */
/*
 * The process's own open descriptors, for where close_range is missing; shared by io.c and
 * proc_child.c. Allocates nothing and takes no lock, so that it may run between fork and exec.
 * System.
 */
#ifndef BASE_FDLIST_H
#define BASE_FDLIST_H

#include "base/base.h"

/* Calls each(fd, arg) for every open descriptor but the one used for the list. Descriptors that
 * each() closes may hide others from this pass. How many calls returned true; -1 if there is no
 * list. */
int fdlist_each(bool (*each)(int fd, void *arg), void *arg);

/* One above the highest number a descriptor can have, at most MAX_FD_SWEEP. */
int fdlist_limit(void);

#endif
