/* SPDX-License-Identifier: MIT */
/*
 * Name resolution beside the proxy: getaddrinfo waits, loads modules and reads configuration, so it
 * happens in a few small processes of their own, confined more loosely than the proxy and believed
 * less: whatever address they return is checked by the proxy. They share one socket; the kernel
 * gives each request to one that is free. System.
 */
#ifndef LAUNCHER_EGRESS_RESOLVER_H
#define LAUNCHER_EGRESS_RESOLVER_H

#include "launcher/egress_conn.h"

struct egress_answer {
	uint64_t id;
	uint32_t n; /* addresses; 0: the name doesn't resolve */
	struct egress_addr addrs[MAX_EGRESS_ADDRESSES];
};

/* Forks EGRESS_RESOLVERS of them; they end when *ret_fd (non-blocking) is closed. E_SYS. */
int egress_resolver_start(bool without_landlock, int *ret_fd, struct errctx *e) must_check;

/* E_BUSY (all of them have more than enough to do), E_CLOSED (they are gone), E_SYS. */
int egress_resolver_ask(int fd, uint64_t id, const struct egress_host *name) must_check;

/* Takes one answer: E_BUSY (none there), E_CLOSED, E_SYNTAX (not an answer at all: don't go on). */
int egress_resolver_take(int fd, struct egress_answer *ret) must_check;

#endif
