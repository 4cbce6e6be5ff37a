/* SPDX-License-Identifier: MIT */
/*
 * State of one server process and the functions that its parts offer each other.
 *
 *   loop.c      waits for input, output room, results and time; owns the order of things
 *   dispatch.c  one message in: classify, find the era and the method
 *   methods.c   initialize, ping, server/discover, tools/list
 *   call.c      tools/call: which tool, are the arguments right
 *   tool_*.c    the five tools
 *   pending.c   calls that wait for the runner; request ids this process may ask about
 *   reply.c     building replies, batches, the output queue
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/rand.h"
#include "mcp/options.h"
#include "mcp/read_open.h"
#include "mcp/revision.h"
#include "mcp/rpc.h"

/* Replies of a 2025-03-26 batch, collected until the last one is there. */
struct batch {
	size_t open;	    /* calls that wait for the runner */
	bool complete;	    /* all messages of the array were seen */
	struct buf replies; /* joined by commas */
};

/* Whom a reply goes to. id is raw and borrowed for the call. */
struct caller {
	struct view id;
	enum revision revision;
	struct batch *batch;	    /* NULL: its own line */
	struct view progress_token; /* raw; empty: no progress wanted */
};

/* A call that waits for the runner. */
struct pending {
	char *id; /* owned, raw */
	size_t id_len;
	char *token; /* owned, raw progress token, or NULL */
	enum revision revision;
	struct batch *batch;
	char request[ID_HEX + 1];
	int64_t started_ms, deadline_ms, next_progress_ms; /* monotonic */
	int64_t progress;
};

/* Requests that this process queued and whose result it hasn't handed out. */
struct tracked {
	char request[ID_HEX + 1];
	int64_t queued_ms; /* monotonic */
	uint64_t order;
	bool used;
	bool staged; /* its receipt was handed out; a decision may follow */
};

struct server {
	const struct mcp_options *options;
	struct read_root root;
	int read_fd; /* of the file that was read last; closed once the reply is out. -1: none */

	enum revision agreed; /* by initialize; REV_NONE before */
	bool seen_input;

	struct pending pending[MAX_PENDING_CALLS];
	size_t n_pending;
	struct tracked tracked[MAX_TRACKED_REQUESTS];
	uint64_t next_order;

	struct buf json;  /* structured part of the reply that is being built */
	struct buf ascii; /* the same, as it goes over the wire */
	struct buf reply; /* the reply that is being built */
	struct buf out;	  /* replies on their way, from out_sent on */
	size_t out_sent;

	void (*queued)(struct server *s); /* a request was queued: a good moment to narrow what this
					     process may do */
};

/* ---- reply.c ---- */

/* s is all zero; most of its pages are never touched. */
void server_init(struct server *s, const struct mcp_options *options, int root_fd);
void server_release(struct server *s);

/* Keeps a descriptor until server_close_read: closing it takes time that the client would wait. */
void server_keep_read(struct server *s, int fd);
void server_close_read(struct server *s);

/* Sends what s->reply holds (or, if building it failed, an internal error) to the caller. */
void reply_send(struct server *s, const struct caller *to);
void reply_error(struct server *s, const struct caller *to, int code, const char *message,
		 struct view data);

/* Tool results. structured: one JSON object in s->json (UTF-8). A refusal has text only. */
void reply_tool_result(struct server *s, const struct caller *to, bool is_error);
void reply_tool_refusal(struct server *s, const struct caller *to, const char *format, ...)
	printf_like(3, 4);

/* Closes an empty result in w's manner for the era: adds resultType and the server's identity where
 * they belong. */
struct jsonw;
void reply_emit_era(struct jsonw *w, enum revision r);

/* Appends a line that is no reply (a progress notification). */
void reply_notify(struct server *s, struct view line);

struct batch *batch_new(void) must_check;
void batch_settle(struct server *s, struct batch *b); /* sends and frees it once nothing is open */

/* ---- dispatch.c ---- */

/* Serves one line. Never fails: every input ends in a reply, in silence where the protocol wants
 * it, or both. */
void dispatch_line(struct server *s, struct view line);
void dispatch_too_long(struct server *s);

/* ---- methods.c ---- */

/* True if method is known in the caller's era; then it has been answered. */
bool methods_serve(struct server *s, const struct caller *to, const struct rpc_message *m);

/* ---- call.c, tool_*.c ---- */

void call_serve(struct server *s, const struct caller *to, const struct json *params);
void tool_read(struct server *s, const struct caller *to, const struct json *arguments);
void tool_queue(struct server *s, const struct caller *to, enum tool tool,
		const struct json *arguments);
void tool_status(struct server *s, const struct caller *to, const struct json *arguments);

/* Answers with the runner's result (raw bytes) of request; takes care of the acknowledgement. */
void tool_answer_result(struct server *s, const struct caller *to, const char *request,
			struct view raw);
/* Answers "queued". */
void tool_answer_queued(struct server *s, const struct caller *to, const char *request);

/* ---- pending.c ---- */

/* Waits for request on behalf of the caller; E_BUSY when MAX_PENDING_CALLS wait already, E_NOMEM.
 */
int pending_add(struct server *s, const struct caller *to, const char *request) must_check;
bool pending_has_id(const struct server *s, struct view id);
void pending_cancel(struct server *s, struct view id);
/* Looks for results and deadlines; returns milliseconds until it has to be called again at the
 * latest, -1: never. */
int pending_poll(struct server *s);
/* End of service: answers everything that still waits with "queued". */
void pending_finish(struct server *s);

void track_add(struct server *s, const char *request);
struct tracked *track_find(struct server *s, struct view request);
/* Keeps the id: the runner tells under it what became of a staged change. */
void track_staged(struct server *s, const char *request);
void track_forget(struct server *s, const char *request);

/* ---- loop.c ---- */

/* Signals and what else needs a right that the server gives up; before it confines itself. E_SYS.
 */
int loop_prepare(struct errctx *e) must_check;

/* Serves until end of input or a signal. */
void loop_run(struct server *s);

#endif
