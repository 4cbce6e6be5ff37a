/* SPDX-License-Identifier: MIT */
/* Real attempts behind preflight. Each runs in a child and leaves nothing. System. */
#ifndef LAUNCHER_PROBE_H
#define LAUNCHER_PROBE_H

#include "base/base.h"

/* 0 or the errno of making and mapping a user and mount namespace. */
int probe_userns(void);
/* Runs /bin/true in an empty project below /var/tmp with every layer; 0, or a line about what
 * failed. */
int probe_boundary(char *why, size_t size);
/* The same in an overlay of it. */
int probe_overlay(char *why, size_t size);

#endif
