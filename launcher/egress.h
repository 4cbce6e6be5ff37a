/* SPDX-License-Identifier: MIT */
/*
 * Filtered egress (file 10, section 18.12). Rules say which hosts and ports may be reached; a proxy
 * process of its own accepts connections from inside a sandbox and holds each one against them. The
 * listening socket is made inside the sandbox's network namespace and handed over: a socket stays
 * in the namespace where it was made.
 *
 *   egress_start()  ->  egress_give_listener()  ->  ...  ->  egress_stop()
 *
 * The proxy process is this executable in another mode (egress_main), with an empty environment and
 * exactly three descriptors, so that nothing of the launcher's memory is in the process that parses
 * hostile bytes.
 */
#ifndef LAUNCHER_EGRESS_H
#define LAUNCHER_EGRESS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/proc.h"
#include "launcher/egress_host.h"
#include "policy/policy.h"

/* ---- rules: pure ---- */

struct egress_rules;

/*
 * Parses a rules file (confine-run-egress(5)). Every refusal names line and column: "line 3, column
 * 7: ...". E_SYNTAX, E_UTF8, E_NUL, E_UNKNOWN (word), E_RANGE (port), E_DUPLICATE (a port of the
 * same host was decided by an earlier line), E_DENIED (allows an address that is never connected
 * to), E_TOOBIG, E_NOMEM. *ret is owned by the caller and keeps its own copy of the text.
 */
int egress_rules_parse(struct view text, struct egress_rules **ret, struct errctx *e) must_check;
void egress_rules_free(struct egress_rules *r); /* NULL is fine */
size_t egress_rules_count(const struct egress_rules *r);

static inline void cleanup_egress_rules(struct egress_rules **r)
{
	egress_rules_free(*r);
}
#define auto_egress_rules __attribute__((cleanup(cleanup_egress_rules)))

struct egress_decision {
	enum verdict verdict; /* VERDICT_ALLOW or VERDICT_DENY */
	unsigned rule;	  /* 1 for the first rule of the file; 0: no rule matched, which denies */
	unsigned line;	  /* where that rule stands; 0 likewise */
	bool any_tls;	  /* the rule's "no-sni": what flows through the tunnel isn't looked at */
	struct view text; /* the rule as written, borrowed from the rules; empty without a rule */
};

/* First match wins; no match denies. An address matches only a rule that spells exactly that
 * address: "*" and suffixes are for names. Port 0 is denied. */
struct egress_decision egress_decide(const struct egress_rules *r, const struct egress_host *host,
				     unsigned port);

/* ---- the proxy process ---- */

struct egress_options {
	uint64_t byte_budget; /* both directions and all connections together; 0: none */
	/* NULL, or "user:secret" that a client has to show (file 11, section 10, item 14): for
	 * systems where others can reach the listener; printable ASCII. */
	const char *credential;
	bool without_landlock; /* go on where the kernel has none; else E_UNSUPPORTED there */
};

struct egress_proxy {
	struct proc proc;
	int control_fd; /* closing it ends the proxy */
};

/*
 * Starts the proxy: executes this program with EGRESS_MODE as first argument, hands it rules and
 * options, and waits until it has confined itself. report_fd (a pipe or a socket, or -1) receives
 * one JSON line for each decision and one at the end of each allowed connection; a proxy that can't
 * write them stops. E_SYNTAX and the other codes of the parser, E_UNSUPPORTED (can't confine itself
 * here), E_TIMEOUT, E_SYS, E_NOMEM. Nothing runs after an error.
 */
int egress_start(struct view rules, const struct egress_options *options, int report_fd,
		 struct egress_proxy *ret, struct errctx *e) must_check;

/* Hands over a listening TCP socket (borrowed; close your copy). May be called more than once.
 * E_CLOSED, E_SYS. */
int egress_give_listener(struct egress_proxy *p, int listen_fd, struct errctx *e) must_check;

/* Ends the proxy: it stops accepting, closes what is open, writes the last lines. Kills it after
 * timeout_ms. E_SYS when it had failed before (the context says with which status). */
int egress_stop(struct egress_proxy *p, int timeout_ms, struct errctx *e) must_check;

/* What the command inside gets: writes the n-th "NAME=value" for a proxy on 127.0.0.1:port, false
 * past the last. Pure. */
bool egress_environment(size_t n, unsigned port, char *out, size_t size);

/* Word that selects a mode of this program, as argv[1]. */
#define EGRESS_MODE	    "egress-proxy"
#define EGRESS_CHECK_MODE   "egress-check"
#define EGRESS_CONNECT_MODE "egress-connect"

/* The three modes; what they return is the exit status. argv[1] is the mode word.
 *   egress-proxy              the proxy process; started by egress_start only
 *   egress-check FILE [HOST[:PORT]...]   checks a rules file and says what it decides: 0 all
 * allowed, 1 one denied, 2 egress-connect HOST PORT  for ssh's ProxyCommand inside the sandbox: a
 * tunnel on standard input and output */
int egress_main(int argc, char **argv);
int egress_check_main(int argc, char **argv);
int egress_connect_main(int argc, char **argv);

#endif
