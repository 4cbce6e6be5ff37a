/* SPDX-License-Identifier: MIT */
/*
 * The project before and after a run without a boundary (file 00, D9, last sentence): every name
 * with what the kernel says of it. Not seen: files outside the project, and the queue and the
 * heart's beat, which others write meanwhile.
 */
#ifndef RUNNER_EXEC_WALK_H
#define RUNNER_EXEC_WALK_H

#include "launcher/overlay.h"

struct walk_entry {
	char *path;
	mode_t mode;
	uint64_t dev, ino;
	int64_t size, mtime_ns, ctime_ns;
};

struct walk {
	struct walk_entry *v; /* sorted by path, byte by byte */
	size_t n, cap, bytes;
};

/* By descriptors, without following a link. E_TOOBIG (MAX_WALK_ENTRIES, MAX_WALK_NAME_BYTES,
 * MAX_WALK_DEPTH), E_SYS (also for a folder that can't be read), E_NOMEM. */
int walk_take(int root_fd, struct walk *ret, struct errctx *e) must_check;
void walk_release(struct walk *w);

/* What differs, as an overlay's list would have it; of a folder its mode and identity count, what
 * is in it stands for itself. E_TOOBIG (OVERLAY_MAX_CHANGES), E_NOMEM. */
int walk_compare(const struct walk *before, const struct walk *after, struct overlay_changes *ret,
		 struct errctx *e) must_check;

/* Is one of them the ledger, its head or the dispatches? */
bool walk_tampered(const struct overlay_changes *c);

#endif
