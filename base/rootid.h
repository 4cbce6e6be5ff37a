/* SPDX-License-Identifier: MIT */
/*
 * As whose the files of the host's root are shown here. In a user namespace that an ordinary user
 * made (confine-run's is one) root has no id of its own: the kernel shows its files, and those of
 * everybody else, as the overflow id's. System.
 *
 * System calls: openat, fstat, read, close.
 */
#ifndef BASE_ROOTID_H
#define BASE_ROOTID_H

#include <sys/types.h>

/* 0, or the overflow id where only one id is known and root isn't it. 0 on any doubt. */
uid_t rootid_shown(void);

#endif
