/* SPDX-License-Identifier: MIT */
/*
 * The walk beneath a root, component by component, shared by the pathfd_*.c and custody.c sources;
 * nobody else includes this. System.
 */
#ifndef BASE_PATHFD_WALK_H
#define BASE_PATHFD_WALK_H

#include <fcntl.h> /* O_PATH, looked for below */
#include <sys/types.h>

#include "base/base.h"
#include "base/limits.h"

/* How to open a folder only in order to go on from it: needs search permission alone. */
#ifdef O_PATH
#define OPEN_FOR_SEARCH O_PATH
#else
#define OPEN_FOR_SEARCH O_RDONLY
#endif

enum path_step_kind {
	STEP_NAME,
	STEP_HERE, /* "." */
	STEP_UP,   /* ".." */
	STEP_LONG, /* over MAX_NAME_BYTES; the name is not copied */
};

/* Iterates over a path: start with {.rest = path}. */
struct path_step {
	const char *rest; /* what follows the component, slashes included */
	enum path_step_kind kind;
	bool last;  /* nothing but slashes follows */
	bool slash; /* at least one slash follows */
};

/* The next component into name; false at the end. Empty components are skipped. */
bool path_step_next(struct path_step *s, char name[MAX_NAME_BYTES + 1]);

/* A path without "." and "..", links already followed, that grows and shrinks by components;
 * NUL-ended. push: false when it would pass MAX_PATH_BYTES. */
struct path_done {
	size_t len;
	char text[MAX_PATH_BYTES + 1];
};
bool path_done_push(struct path_done *d, const char *name);
void path_done_pop(struct path_done *d);

/* openat of one component as a folder for search; a link is ELOOP. -1 with errno. */
int walk_enter(int dir_fd, const char *name);

/* openat2(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS) made of plain openat
 * calls. The same errors: EXDEV outside, ELOOP link, ENAMETOOLONG, ...; ENAMETOOLONG also past
 * MAX_WALK_STEPS. */
int pathfd_walk(int root_fd, const char *rel, int flags, mode_t mode);

/* True while pathfd_open walks, because the kernel has no openat2 or a test says so. */
bool pathfd_walks(void);

#endif
