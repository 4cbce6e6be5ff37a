/* SPDX-License-Identifier: MIT */
/*
 * What a request gets as its answer (file 21, section 10), built by the handlers and written by
 * results.c. Pure.
 */
#ifndef RUNNER_REPLY_H
#define RUNNER_REPLY_H

#include "base/buf.h"
#include "base/err.h"
#include "base/jsonw.h"
#include "runner/request.h"

enum reply_exit {
	EXIT_REFUSED_REQUEST = 1,
	EXIT_UNDECLARED = 3,
	EXIT_INTERNAL_FAULT = 4, /* ours: the request was fine, the runner failed */
};

struct reply {
	bool ok;
	int exit;	   /* when not ok */
	bool secret;	   /* holds a nonce: short life, wiped */
	bool outcome;	   /* tells what became of a staged record: long life */
	bool counted;	   /* a nonce was charged (log) */
	struct buf result; /* JSON object; empty: none */
	struct errctx error;
	struct buf detail; /* what follows error's text for the sender, too long for a row */
	char agent[65];	   /* for the log: who asked, "" if not known */
};

void reply_init(struct reply *r);
void reply_release(struct reply *r); /* wipes */

/* Refuses with e's text. Returns 0, so that a handler may "return reply_refuse(...)". */
int reply_refuse(struct reply *r, const struct errctx *e);
int reply_refuse_text(struct reply *r, const char *format, ...) printf_like(2, 3);

/* Appends to a refusal's text, with everything that could deceive a reader made visible; lines
 * stay. What doesn't fit is left out as a whole. */
void reply_detail(struct reply *r, struct view text);

/* The frame around it. queue_wait_ms below 0 is null. */
struct reply_frame {
	const char *id;
	const char *kind; /* NULL: not known */
	const char *ack_token;
	int64_t queue_wait_ms, serve_ms;
};
enum { REPLY_PIECES = 3 };
/* The text in pieces, since a large result isn't copied: they lie in head and in r, and may be
 * empty. Together they fit into MAX_RESULT_WRITE_BYTES whatever the parts hold (10.2). E_NOMEM. */
int reply_emit(const struct reply *r, const struct reply_frame *f, struct buf *head,
	       struct view ret[REPLY_PIECES]) must_check;

#endif
