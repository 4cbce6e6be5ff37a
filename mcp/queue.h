/* SPDX-License-Identifier: MIT */
/*
 * Client of the request queue (files 20, section 8, and 21, section 5). It writes two kinds of file
 * only: new requests in .agentteams-queue/mcp-requests/, and acknowledgements in
 * .agentteams-queue/acks/; the one thing it may remove is a request of its own that nobody has
 * claimed. Every path is walked from root_fd anew, without following a link.
 */
#ifndef MCP_QUEUE_H
#define MCP_QUEUE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/rand.h"

#define QUEUE_REQUESTS_DIR ".agentteams-queue/mcp-requests"
/* Only looked into, to say how many are ahead. */
#define QUEUE_ORCHESTRATOR_DIR ".agentteams-queue/requests"
#define QUEUE_ACKS_DIR	       ".agentteams-queue/acks"
#define QUEUE_RESULTS_DIR      ".agentteams/queue-results"
#define QUEUE_CLAIMED_DIR      ".agentteams/queue-claimed"

struct queue_runner {
	bool alive;	    /* somebody holds the runner's lock */
	int64_t beat_age_s; /* age of its heartbeat in seconds; -1: none to be read */
};

/* Never fails: any doubt is "not alive". */
void queue_look_for_runner(int root_fd, struct queue_runner *ret);

/* Writes the request durably under a new id. 0: queued. E_TOOBIG (over MAX_REQUEST_BYTES), or the
 * error of the failing step: nothing is queued then. If the request is in place but could not be
 * made durable it counts as queued. */
int queue_put(int root_fd, struct view request, char ret_id[ID_HEX + 1],
	      struct errctx *e) must_check;

/* Appends the bytes of the result of id: 0; E_NOENT (not there); E_TOOBIG, E_LINK, E_NOTREG,
 * E_OWNER, E_SYS. */
int queue_read_result(int root_fd, const char *id, struct buf *out, struct errctx *e) must_check;

/* Says "read, may be deleted"; token (32 hex digits, or empty) is what the result asked to have
 * repeated. */
int queue_acknowledge(int root_fd, const char *id, struct view token, struct errctx *e) must_check;

enum queue_place {
	QUEUE_WAITING, /* in the request folder */
	QUEUE_CLAIMED, /* the runner has it */
	QUEUE_GONE,    /* neither */
};
/* ahead (may be NULL): requests of both channels that were queued before it, and those that the
 * runner works on; only for QUEUE_WAITING. */
enum queue_place queue_place_of(int root_fd, const char *id, size_t *ahead);

/* Takes a request back if nobody has claimed it. 0: it will not run. E_NOENT: too late. */
int queue_withdraw(int root_fd, const char *id, struct errctx *e) must_check;

#endif
