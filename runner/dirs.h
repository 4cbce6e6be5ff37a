/* SPDX-License-Identifier: MIT */
/*
 * The folders of the queue and of the runner's state (file 21, section 2), opened once beneath the
 * project's root and held. A session may replace its own folders: that pauses a channel. Nobody may
 * replace the runner's: that ends service. System.
 */
#ifndef RUNNER_DIRS_H
#define RUNNER_DIRS_H

#include <sys/stat.h>

#include "base/err.h"
#include "runner/request.h"

#define STATE_DIR   ".agentteams"
#define QUEUE_DIR   ".agentteams-queue"
#define RESULTS_DIR ".agentteams/queue-results"
#define CLAIMED_DIR ".agentteams/queue-claimed"
#define DEAD_DIR    ".agentteams/queue-dead"
#define STAGED_DIR  ".agentteams/staged"
#define ACKS_DIR    ".agentteams-queue/acks"
#define RUNNER_LOCK "runner.lock"
#define HEARTBEAT   "runner.heartbeat"
#define STATUS_FILE "runner.status"

enum folder {
	FOLDER_STATE,
	FOLDER_RESULTS,
	FOLDER_CLAIMED,
	FOLDER_DEAD,
	FOLDER_STAGED,
	FOLDER_QUEUE,
	FOLDER_REQUESTS, /* + enum channel */
	FOLDER_MCP_REQUESTS,
	FOLDER_ACKS,
	N_FOLDERS,
};
const char *folder_path(enum folder f); /* below the root */
bool folder_is_shared(enum folder f);	/* sessions write there */

struct dirs {
	int root_fd;
	int fd[N_FOLDERS]; /* -1: missing or unsafe */
	struct stat st[N_FOLDERS];
};

void dirs_init(struct dirs *d, int root_fd); /* root_fd is borrowed */
void dirs_release(struct dirs *d);

/* Opens .agentteams alone, creates it with 0700: for the lock. */
int dirs_open_state(struct dirs *d, struct errctx *e) must_check;

/* Opens or creates all of them with 0700. Refuses links, other owners, folders that others may
 * write. The runner's own are set to 0700. E_LINK, E_NOTDIR, E_OWNER, E_MODE, E_SYS. */
int dirs_open_all(struct dirs *d, struct errctx *e) must_check;

/* Is what the path names still the folder that is held? Shared folders are opened again (or made)
 * when a sound one is there; else their descriptor is -1 and the context says why (E_CHANGED).
 * *ret_reopened: descriptors changed, watches are stale. */
int dirs_check(struct dirs *d, enum folder f, bool *ret_reopened, struct errctx *e) must_check;

#endif
