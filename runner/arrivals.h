/* SPDX-License-Identifier: MIT */
/*
 * The oldest requests of a look at both channels, in the order of their arrival: by change time,
 * which the sender can't choose, then by name (file 21, 29.5). Keeps the QUEUE_BATCH oldest of each
 * channel, so that a flood on one never starves the other. Pure (allocates).
 */
#ifndef RUNNER_ARRIVALS_H
#define RUNNER_ARRIVALS_H

#include "base/limits.h"
#include "base/rand.h"
#include "runner/request.h"

enum { REQUEST_NAME = ID_HEX + 5 };

struct arrival {
	int64_t changed_ns;
	enum channel channel;
	char name[REQUEST_NAME + 1]; /* "<32 hex>.json" */
};

struct arrivals;
struct arrivals *arrivals_new(void); /* NULL: out of memory */
void arrivals_free(struct arrivals *a);
bool arrivals_is_request(const char *name);
void arrivals_add(struct arrivals *a, enum channel c, const char *name, int64_t changed_ns);
void arrivals_sort(struct arrivals *a); /* after the last one was added */
size_t arrivals_count(const struct arrivals *a);
const struct arrival *arrivals_at(const struct arrivals *a, size_t i);
/* Starts over for a second look, which takes nothing newer than the first one saw: a folder that is
 * read while files arrive may show a new file and not the older one beside it. */
void arrivals_look_again(struct arrivals *a);
bool arrivals_is_full(const struct arrivals *a); /* a channel had more than are kept */

#endif
