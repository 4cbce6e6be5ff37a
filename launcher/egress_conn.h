/* SPDX-License-Identifier: MIT */
/*
 * One connection through the egress proxy as a state machine without input or output: the loop puts
 * bytes and events in, the machine says what may be sent on, to whom a connection is wanted, and
 * when it is over. So every path of it can be tested without a socket. Order: parse, rule, resolve,
 * address check, connect, TLS name (file 10, section 18.12).
 */
#ifndef LAUNCHER_EGRESS_CONN_H
#define LAUNCHER_EGRESS_CONN_H

#include "launcher/egress.h"
#include "launcher/egress_addr.h"
#include "launcher/egress_http.h"
#include "launcher/egress_lane.h"
#include "launcher/egress_log.h"
#include "launcher/egress_socks.h"

enum egress_state {
	CONN_FIRST, /* nothing known yet */
	CONN_HTTP_HEAD,
	CONN_SOCKS_GREETING,
	CONN_SOCKS_PASSWORD,
	CONN_SOCKS_REQUEST,
	CONN_RESOLVING,
	CONN_CONNECTING,
	CONN_TUNNEL_FIRST, /* the client was told that it is connected; its first bytes are being
			      looked at */
	CONN_TUNNEL_HEAD,  /* they are a plain HTTP request */
	CONN_TUNNEL,	   /* bytes pass as they are */
	CONN_EXCHANGE,	   /* one HTTP request and its answer */
	CONN_REFUSED,	   /* the client gets a last answer, what it still sends is thrown away */
	CONN_CLOSED,
};

struct egress_addr {
	uint8_t bytes[16];
	size_t len; /* 4 or 16 */
};

struct egress_conn {
	uint64_t id;
	enum egress_state state;
	enum egress_via via;
	char *memory; /* of the four lanes */
	struct egress_lane in_client, to_server, in_server, to_client;
	bool client_eof, server_eof;   /* set by the loop */
	bool shut_client, shut_server; /* wanted: no more bytes that way once its lane is empty */
	struct egress_host host;
	unsigned port;
	struct egress_decision decision;
	bool asked; /* the resolver has the name */
	struct egress_addr addrs[MAX_EGRESS_ADDRESSES];
	size_t n_addrs, at_addr; /* at_addr: the next to try */
	struct egress_http_framing framing;
	bool answered; /* the final head of the answer has passed */
	bool logged;   /* the decision is in the log */
	int64_t began_ms, deadline_ms, connect_deadline_ms;
	uint64_t up, down;
	const char *why; /* how it ended */
};

/* What all connections share. */
struct egress_env {
	const struct egress_rules *rules;
	const char *credential; /* NULL: nobody has to show one */
	struct egress_log *log;
	int64_t now_ms;	 /* monotonic */
	uint64_t budget; /* bytes left, if limited */
	bool limited;
};

/* Allocates the lanes; E_NOMEM. egress_conn_release may be called in any state, also twice. */
int egress_conn_init(struct egress_conn *c, const struct egress_env *env, uint64_t id) must_check;
void egress_conn_release(struct egress_conn *c);

/* Goes on as far as it can with the bytes and flags that are there. */
void egress_conn_step(struct egress_conn *c, struct egress_env *env);

/* The resolver's answer: n addresses (0: the name doesn't resolve). Those that may not be connected
 * to are dropped. */
void egress_conn_resolved(struct egress_conn *c, struct egress_env *env,
			  const struct egress_addr *addrs, size_t n);

/* In CONN_CONNECTING: the address to connect to now, NULL if none is left (then the connection was
 * refused). */
const struct egress_addr *egress_conn_address(struct egress_conn *c, struct egress_env *env);
/* It couldn't be reached (error: an errno), or is this host's own (error 0). The next one is at
 * hand. */
void egress_conn_address_failed(struct egress_conn *c, struct egress_env *env, int error);
void egress_conn_connected(struct egress_conn *c, struct egress_env *env);

/* The deadline has passed. */
void egress_conn_timeout(struct egress_conn *c, struct egress_env *env);
/* A socket failed, or the run's bytes are used up, or the proxy stops: it's over. why is static
 * text. */
void egress_conn_abort(struct egress_conn *c, struct egress_env *env, const char *why);
/* Counts bytes that went by; aborts at the end of the budget. */
void egress_conn_count(struct egress_conn *c, struct egress_env *env, size_t up, size_t down);

/* May the loop read from that side now? */
bool egress_conn_reads_client(const struct egress_conn *c);
bool egress_conn_reads_server(const struct egress_conn *c);

/* ---- between the files of the machine ---- */

/* For a client that waits for the answer to its TLS hello: fatal alert "access denied". */
#define EGRESS_TLS_ALERT "\x15\x03\x03\x00\x02\x02\x31"

struct egress_no {
	int http; /* status */
	enum socks_reply socks;
	const char *reason; /* static; the log's word */
	bool network;	    /* allowed, but the network didn't play along: the verdict in the log is
			       "allow" */
};
/* Answers in the client's protocol, logs, and goes to CONN_REFUSED. detail (may be NULL) is for the
 * client. */
void egress_conn_refuse(struct egress_conn *c, struct egress_env *env, const struct egress_no *no,
			const char *detail);
/* Closes without a word. */
void egress_conn_close(struct egress_conn *c, struct egress_env *env, const char *why);
/* The states of an open tunnel or exchange; true if something moved. */
bool egress_flow_step(struct egress_conn *c, struct egress_env *env);

#endif
