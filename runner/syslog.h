/* SPDX-License-Identifier: MIT */
/* Sends the log to the system's log socket instead of standard error. System. */
#ifndef RUNNER_SYSLOG_H
#define RUNNER_SYSLOG_H

#include "base/err.h"

/* Every log line is one write, so that each becomes one datagram, and says its priority. E_SYS,
 * E_NOENT: no log daemon. */
int syslog_redirect(struct errctx *e) must_check;

#endif
