/* SPDX-License-Identifier: MIT */
/* State of a running sandbox, shared by run*.c only. */
#ifndef LAUNCHER_RUN_INTERNAL_H
#define LAUNCHER_RUN_INTERNAL_H

#include "launcher/egress.h"
#include "launcher/launch.h"
#include "launcher/relay.h"
#include "launcher/sandbox.h"

enum run_state {
	STATE_BUILDING = 1,
	STATE_RUNNING,
	STATE_ENDING,	/* an end signal was sent; the grace time runs */
	STATE_DRAINING, /* the command is over; pid 1 is going */
	STATE_DONE,
};

struct run {
	struct launch *l;
	struct sandbox box;
	struct relay relay;
	unsigned relay_bits;
	mode_t command_umask;
	enum run_state state;
	int signal_fd;
	int64_t build_deadline_ms, timeout_ms, grace_ms; /* 0: none */
	int interrupts;					 /* SIGINT seen */
	int ended_early; /* the signal that ended it while the boundary was built */
	bool timed_out, started, broken;
	bool ended; /* wait_status is known */
	bool bwrap_gone, init_gone;
	int wait_status; /* of the command */
	int exec_error;	 /* errno of a command that couldn't be started */
	unsigned survivors;
	int ready_abi;
	unsigned proxy_port;
	int janitor_fd;		 /* closing it tells the janitor that all is well; -1: none */
	int cgroup_fd;		 /* -1: none */
	int observer_fd;	 /* notifications of --explain; -1: none */
	struct strings denials;	 /* JSON objects */
	struct strings refusals; /* the same for people */
	struct strings appeared; /* trusted names that came into being */
	struct errctx why;	 /* first failure */

	/* Filtered egress (run_egress.c). */
	struct egress_proxy proxy;
	bool has_proxy;
	int proxy_lines_fd; /* read end of what the proxy reports */
	struct buf proxy_text;
};

/* run_egress.c */
int run_egress_begin(struct run *r, struct errctx *e) must_check;
int run_egress_listener(struct run *r, int listen_fd, unsigned port, struct errctx *e) must_check;
void run_egress_read(struct run *r);
void run_egress_end(struct run *r);

/* Adds one refused thing to the report. who: the layer; rule: id or text. */
void run_add_denial(struct run *r, const char *layer, const char *what, const char *path,
		    const char *rule);

#endif
