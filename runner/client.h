/* SPDX-License-Identifier: MIT */
/*
 * Client side of the orchestrator's channel (file 21, section 5): is a runner alive, put a request,
 * wait for its result, acknowledge it with the token that stands in it. System.
 */
#ifndef RUNNER_CLIENT_H
#define RUNNER_CLIENT_H

#include "base/buf.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/rand.h"
#include "runner/options.h"

struct client {
	const struct options *opt;
	int root_fd;
	struct buf root_path;
};

struct liveness {
	bool serving;	    /* a runner holds the lock */
	int64_t beat_age_s; /* -1: no heartbeat */
};

int client_open(struct client *c, const struct options *o, struct errctx *e) must_check;
void client_close(struct client *c);

int client_liveness(const struct client *c, struct liveness *ret, struct errctx *e) must_check;

/* Writes the request file. E_CLOSED: no runner serves; nothing was written. */
int client_put(const struct client *c, struct view request, char id[ID_HEX + 1],
	       struct errctx *e) must_check;
/* Waits for the result of id up to the option's time and acknowledges it. E_TIMEOUT names the id,
 * so that --wait-result can ask again; E_CLOSED: the runner ended. */
int client_wait(const struct client *c, const char *id, struct json **ret,
		struct errctx *e) must_check;
/* Both. */
int client_call(const struct client *c, struct view request, struct json **ret,
		struct errctx *e) must_check;

/* Of a result: its "ok", "error", "exit" (default 1) and "result" (NULL: none). */
bool result_ok(const struct json *result);
struct view result_error(const struct json *result);
int result_exit(const struct json *result);
const struct json *result_value(const struct json *result);

/* Prints untrusted text made harmless: no control, hidden or bidirectional characters. lines: line
 * feeds and tabs pass. Returns how many were escaped. */
size_t print_text(struct view v, bool lines);
/* Prints a parsed value as JSON and a line feed. */
int print_json(const struct json *j, enum jsonw_form form) must_check;

#endif
