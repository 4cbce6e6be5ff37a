/* SPDX-License-Identifier: MIT */
/*
 * First include of every source: configuration, attributes, clean-up helpers, array length, banned
 * calls. Pure; includes nothing of ours but banned.h.
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/banned.h"

#define must_check	       __attribute__((warn_unused_result))
#define printf_like(at, first) __attribute__((format(printf, at, first)))
#define noreturn_fn	       __attribute__((noreturn))
#define unused_arg	       __attribute__((unused))
#define fall_through	       __attribute__((fallthrough))

/* For results that must be looked at, where nothing follows from them; say why beside the call. */
static inline void ignored(int code)
{
	(void)code;
}

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Owned locals. Initialise at declaration; hand on only with steal_fd or steal_ptr. */
#define auto_fd	  __attribute__((cleanup(cleanup_fd)))
#define auto_free __attribute__((cleanup(cleanup_free)))

static inline void cleanup_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd); /* nothing useful to do; written files are closed explicitly and
				     checked */
	*fd = -1;
}

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline int steal_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#define steal_ptr(p)                                                                               \
	__extension__({                                                                            \
		__typeof__(*(p)) taken_ = *(p);                                                    \
		*(p) = NULL;                                                                       \
		taken_;                                                                            \
	})

#endif
