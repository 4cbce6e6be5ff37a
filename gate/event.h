/* SPDX-License-Identifier: MIT */
/* One hook event: read from standard input, checked, taken apart. System (reads), else pure. */
#ifndef GATE_EVENT_H
#define GATE_EVENT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

struct event {
	struct view session, call; /* ids; may be empty */
	struct view cwd;
	struct view mode; /* permission_mode */
	struct view tool;
	const struct json *input; /* the tool's arguments; NULL: none */
	bool can_ask;		  /* the client shows a question to a person */
	bool agent;		  /* inside a subagent */
};

/* Reads until one JSON value is complete (a client may keep the pipe open), at most
 * MAX_GATE_EVENT_BYTES. E_TOOBIG, E_SYNTAX (no object, or the end before it was complete), E_SYS.
 */
int event_read(int fd, struct buf *out, struct errctx *e) must_check;

/* Takes the members out of a parsed event. Views and nodes are borrowed from it. E_TYPE, E_MISSING,
 * E_UNKNOWN (another event than one before a tool call). */
int event_load(const struct json *j, struct event *ret, struct errctx *e) must_check;

#endif
