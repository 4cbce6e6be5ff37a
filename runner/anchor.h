/* SPDX-License-Identifier: MIT */
/*
 * The anchor: a second, signed copy of the ledger's head outside the project (file 22, 20.28), in
 * ~/.config/agentteams/anchors/<name>-<12 hex>.anchor. Two slots of ANCHOR_SLOT bytes are written
 * in turn, in place: one write, one fdatasync, never a moment without a valid slot. It also
 * remembers wall and boot clock, so that a jump of the clock shows. System.
 */
#ifndef RUNNER_ANCHOR_H
#define RUNNER_ANCHOR_H

#include "base/err.h"
#include "base/hash.h"
#include "runner/mac.h"

enum { ANCHOR_SLOT = 512, BOOT_ID_CHARS = 36 };

struct anchor {
	int fd; /* -1: closed */
	const struct mac_key *key;
	char project[SHA256_HEX + 1]; /* of the root's path */
	int64_t serial;		      /* of the newest slot; 0: the file is new */
	int64_t count;
	char last[SHA256_HEX + 1];	  /* "" when count is 0 */
	char boot[BOOT_ID_CHARS + 1];	  /* of the newest slot */
	char boot_now[BOOT_ID_CHARS + 1]; /* of this start */
	int64_t boot_ms, wall_s;
};

/* Opens or creates the anchor in the folder. serial 0 means it was created now. E_FORGED: there are
 * bytes but no slot verifies, or it belongs to another project. */
int anchor_open(struct anchor *a, int dir_fd, const char *name, struct view root_path,
		const struct mac_key *key, struct errctx *e) must_check;
void anchor_close(struct anchor *a);

/* Writes the next slot. durable: on disk before it returns. */
int anchor_set(struct anchor *a, int64_t count, const char *last, bool durable,
	       struct errctx *e) must_check;

/* How far the wall clock is from where the boot clock says it should be since the slot was written,
 * in seconds; 0 after a reboot or for a new anchor. */
int64_t anchor_clock_jump(const struct anchor *a);

/* Opens the folder of anchors, makes it (0700) when missing. */
int anchor_open_folder(int *ret_fd, struct errctx *e) must_check;

#endif
