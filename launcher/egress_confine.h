/* SPDX-License-Identifier: MIT */
/* What the proxy and its resolvers give up before the first byte from outside. Nothing can be taken
 * back. System. */
#ifndef LAUNCHER_EGRESS_CONFINE_H
#define LAUNCHER_EGRESS_CONFINE_H

#include "base/err.h"

/* The proxy: no file, no program, no other process; only Internet sockets. without_landlock: go on
 * where the kernel has none (the system call filter has no call that opens a file). E_UNSUPPORTED,
 * E_SYS. */
int egress_confine_proxy(bool without_landlock, struct errctx *e) must_check;

/* A resolver, whose one descriptor is fd: reads what name resolution is configured with, asks name
 * servers. */
int egress_confine_resolver(int fd, bool without_landlock, struct errctx *e) must_check;

#endif
