/* SPDX-License-Identifier: MIT */
/* systemd's readiness protocol without its library: one datagram to NOTIFY_SOCKET. Nothing happens
 * when the service wasn't started by systemd. System. */
#ifndef RUNNER_NOTIFY_H
#define RUNNER_NOTIFY_H

#include "base/base.h"

/* Opens the socket (before confinement) and forgets the variable. */
void notify_open(void);
void notify_ready(void);
void notify_watchdog(void); /* only if WATCHDOG_USEC asked for it */
void notify_stopping(void);

#endif
