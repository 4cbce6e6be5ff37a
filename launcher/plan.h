/* SPDX-License-Identifier: MIT */
/*
 * What is mounted, and in which order (file 10, sections 6.4 and 18.5): from objects and settings
 * to one list. The order is the contract: base, roots (shortest first), ancestors (top-down),
 * read-only binds (sorted), masks. Pure (allocates).
 */
#ifndef LAUNCHER_PLAN_H
#define LAUNCHER_PLAN_H

#include "base/err.h"
#include "policy/launch.h"

enum role {
	ROLE_OVERLAY = 1, /* writable view of a project; writes are collected */
	ROLE_ROOT,	  /* writable */
	ROLE_HOME_READ,	  /* read-only inside a private home */
	ROLE_RUN,	  /* read-only part of /run */
	ROLE_PROTECT,	  /* read-only inside a root */
	ROLE_MASK,	  /* hidden */
};

/* One thing that was found on the host. path: absolute, canonical, no link on it. */
struct plan_item {
	enum role role;
	const char *path; /* borrowed */
	bool is_dir;
};

enum mount_kind {
	MOUNT_RO_ROOT = 1, /* the host's tree, read-only */
	MOUNT_TMPFS,
	MOUNT_DEV,
	MOUNT_PROC,
	MOUNT_DIR,	/* a folder made in one of our tmpfs */
	MOUNT_BIND,	/* writable bind of item */
	MOUNT_ANCESTOR, /* writable self-bind, so that it can't be renamed */
	MOUNT_RO_BIND,	/* read-only bind of item */
	MOUNT_MASK,	/* item hidden */
};

struct plan_mount {
	enum mount_kind kind;
	char *dest;	/* owned */
	size_t item;	/* index in plan_in.items; PLAN_NO_ITEM for none */
	bool is_dir;	/* of a mask */
	bool late;	/* made when bubblewrap has made the others, in what they show */
	unsigned perms; /* TMPFS, DIR */
	uint64_t size;	/* TMPFS, bytes */
};

#define PLAN_NO_ITEM ((size_t)-1)

struct plan_in {
	const struct plan_item *items;
	size_t n_items;
	enum launch_home home_mode;
	const char *home;    /* canonical; NULL: the user has none */
	const char *run_dir; /* XDG_RUNTIME_DIR inside, e.g. "/run/user/1000" */
	uint64_t tmp_bytes, shm_bytes;
	size_t late_from; /* so many protected paths and more are mounted late; 0: never */
};

struct plan {
	struct plan_mount *v;
	size_t n, cap;
	size_t n_late;
};

/* E_NOMEM, E_TOOBIG (more than MAX_LAUNCH_MOUNTS), E_DENIED: the items contradict each other (a
 * root inside a protected path or mask); the context names both. */
int plan_build(const struct plan_in *in, struct plan *ret, struct errctx *e) must_check;
void plan_release(struct plan *p);
/* Leaves all mounts to bubblewrap. */
void plan_forget_late(struct plan *p);

enum plan_view {
	VIEW_HOST_RO = 1, /* the host's file, read-only */
	VIEW_HOST_RW,	  /* the host's file, writable */
	VIEW_PRIVATE,	  /* something of the sandbox's own */
	VIEW_MASKED,
};
/* What path shows after the first n mounts. */
enum plan_view plan_look(const struct plan *p, size_t n, const char *path);

#endif
