/* SPDX-License-Identifier: MIT */
/*
 * One process, one poll, at most MAX_EGRESS_CONNECTIONS connections. Nothing here waits but poll
 * itself. The loop moves bytes and events; what they mean is decided in egress_conn.c. Effects:
 * network, report. Tested by tests/e2e/t03*-*egress*.tap.
 */
#include "base/base.h"

#include "launcher/egress_loop.h"

#include "base/clock.h"
#include "base/io.h"
#include "launcher/egress_io.h"
#include "launcher/egress_resolver.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

enum {
	MAX_LISTENERS = 4,
	ACCEPT_PAUSE_MS = 100, /* when the system is out of descriptors or memory */
	FLUSH_MS = 2000,       /* last lines of the report */
	FIXED_FDS = 3 + MAX_LISTENERS,
};

struct slot {
	struct egress_conn conn;
	int client_fd, server_fd;
	bool connecting; /* server_fd isn't connected yet */
	bool did_shut_client, did_shut_server;
	struct pollfd *client_poll, *server_poll; /* of this round, or NULL */
};

struct loop {
	struct egress_env env;
	struct egress_log log;
	int control_fd, report_fd, resolver_fd;
	int listen_fds[MAX_LISTENERS];
	size_t n_listen;
	struct slot *slots[MAX_EGRESS_CONNECTIONS];
	size_t n_slots;
	uint64_t next_id;
	int64_t accept_after_ms;
	int failed; /* E_*, ends the loop */
	bool stopping;
	struct pollfd polls[FIXED_FDS + 2 * MAX_EGRESS_CONNECTIONS];
	nfds_t n_polls;
};

static void close_server(struct slot *s)
{
	if (s->server_fd >= 0)
		(void)close(s->server_fd);
	s->server_fd = -1;
	s->connecting = false;
}

static void ask_resolver(struct loop *l, struct slot *s)
{
	int rc = egress_resolver_ask(l->resolver_fd, s->conn.id, &s->conn.host);

	s->conn.asked = true;
	if (rc == E_CLOSED)
		l->failed = rc;
	else if (rc)
		egress_conn_abort(&s->conn, &l->env, "too many names to resolve");
}

/* Tries addresses until one is under way or none is left. */
static void connect_server(struct loop *l, struct slot *s)
{
	const struct egress_addr *a;

	while (s->server_fd < 0 && s->conn.state == CONN_CONNECTING &&
	       (a = egress_conn_address(&s->conn, &l->env))) {
		int error = egress_io_connect(a, s->conn.port, &s->server_fd);

		if (error == 0)
			s->connecting = true;
		else
			egress_conn_address_failed(&s->conn, &l->env,
						   error == EGRESS_IO_OWN ? 0 : error);
	}
}

/* True if bytes went out. */
static bool flush_side(struct loop *l, struct slot *s, bool to_server)
{
	struct egress_conn *c = &s->conn;
	struct egress_lane *lane = to_server ? &c->to_server : &c->to_client;
	int fd = to_server ? s->server_fd : s->client_fd;
	int n;

	if (fd < 0 || lane->len == 0 || c->state == CONN_CLOSED || (to_server && s->connecting))
		return false;
	n = egress_io_write(fd, lane);
	if (n < 0) {
		if (to_server && c->state == CONN_EXCHANGE) {
			/* A server may answer and close without reading the whole request: its
			 * answer still counts. */
			lane_drop(lane, lane->len);
			c->framing.done = true;
			return false;
		}
		egress_conn_abort(c, &l->env,
				  to_server ? "the server closed" : "the client closed");
		return false;
	}
	if (to_server)
		egress_conn_count(c, &l->env, (size_t)n, 0);
	return n > 0;
}

static void shut_sides(struct slot *s)
{
	struct egress_conn *c = &s->conn;

	if (c->shut_server && !s->did_shut_server && s->server_fd >= 0 && c->to_server.len == 0) {
		s->did_shut_server = true;
		(void)shutdown(s->server_fd,
			       SHUT_WR); /* fails only if it is gone, which the next read tells */
	}
	if (c->shut_client && !s->did_shut_client && c->to_client.len == 0) {
		s->did_shut_client = true;
		(void)shutdown(s->client_fd, SHUT_WR);
	}
}

/* Brings a connection as far as it gets without waiting. */
static void pump(struct loop *l, struct slot *s)
{
	struct egress_conn *c = &s->conn;
	bool moved = true;

	while (moved && c->state != CONN_CLOSED) {
		egress_conn_step(c, &l->env);
		if (c->state == CONN_RESOLVING && !c->asked)
			ask_resolver(l, s);
		if (c->state == CONN_CONNECTING)
			connect_server(l, s);
		if (c->state == CONN_REFUSED)
			close_server(s);
		moved = flush_side(l, s, false);
		moved = flush_side(l, s, true) || moved;
	}
	if (c->state != CONN_CLOSED)
		shut_sides(s);
}

/* ---- events ---- */

static void client_event(struct loop *l, struct slot *s, short revents)
{
	struct egress_conn *c = &s->conn;
	int n;

	if (!(revents & (POLLIN | POLLHUP | POLLERR)) || !egress_conn_reads_client(c))
		return;
	n = egress_io_read(s->client_fd, &c->in_client);
	if (n == E_CLOSED)
		c->client_eof = true;
	else if (n < 0)
		egress_conn_abort(c, &l->env, "the client closed");
}

static void connect_event(struct loop *l, struct slot *s)
{
	int error = egress_io_connect_result(s->server_fd);

	s->connecting = false;
	if (error == 0) {
		egress_conn_connected(&s->conn, &l->env);
		return;
	}
	close_server(s);
	egress_conn_address_failed(&s->conn, &l->env, error);
}

static void server_event(struct loop *l, struct slot *s, short revents)
{
	struct egress_conn *c = &s->conn;
	int n;

	if (s->connecting) {
		if (revents)
			connect_event(l, s);
		return;
	}
	if (!(revents & (POLLIN | POLLHUP | POLLERR)) || !egress_conn_reads_server(c))
		return;
	n = egress_io_read(s->server_fd, &c->in_server);
	if (n > 0)
		egress_conn_count(c, &l->env, 0, (size_t)n);
	else if (n == E_CLOSED)
		c->server_eof = true;
	else if (n < 0)
		egress_conn_abort(c, &l->env, "the server closed");
}

static void resolver_event(struct loop *l)
{
	struct egress_answer a;
	int rc;

	while ((rc = egress_resolver_take(l->resolver_fd, &a)) == 0) {
		for (size_t i = 0; i < l->n_slots; i++) {
			struct slot *s = l->slots[i];

			/* A late answer is for a connection that has given up: nobody has its
			 * number any more. */
			if (s->conn.id == a.id && s->conn.state == CONN_RESOLVING && s->conn.asked)
				egress_conn_resolved(&s->conn, &l->env, a.addrs, a.n);
		}
	}
	if (rc != E_BUSY)
		l->failed = rc;
}

static void control_event(struct loop *l)
{
	int fd, rc = egress_io_take_listener(l->control_fd, &fd);

	if (rc == E_CLOSED)
		l->stopping = true;
	else if (rc == 0 && l->n_listen < MAX_LISTENERS && io_set_nonblock(fd, true) == 0)
		l->listen_fds[l->n_listen++] = fd;
	else if (rc != E_BUSY)
		l->failed = E_SYNTAX;
}

static int add_slot(struct loop *l, int client_fd)
{
	struct slot *s = calloc(1, sizeof(*s));

	if (!s || egress_conn_init(&s->conn, &l->env, ++l->next_id) != 0) {
		free(s);
		(void)close(client_fd);
		return E_NOMEM;
	}
	s->client_fd = client_fd;
	s->server_fd = -1;
	l->slots[l->n_slots++] = s;
	return 0;
}

static void listener_event(struct loop *l, size_t i)
{
	while (l->n_slots < MAX_EGRESS_CONNECTIONS) {
		int fd, rc = egress_io_accept(l->listen_fds[i], &fd);

		if (rc == 0 && fd < 0)
			return;
		if (rc == 0)
			rc = add_slot(l, fd);
		if (rc == E_BUSY || rc == E_NOMEM)
			l->accept_after_ms = l->env.now_ms + ACCEPT_PAUSE_MS;
		else if (rc)
			l->failed = rc;
		if (rc)
			return;
	}
}

static void report_event(struct loop *l)
{
	struct buf *lines = &l->log.lines;
	ssize_t n = write(l->report_fd, lines->data, lines->len);

	if (n > 0)
		buf_drop_front(lines, (size_t)n);
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		l->failed = E_CLOSED;
}

/* ---- the round ---- */

static struct pollfd *add_poll(struct loop *l, int fd, short events)
{
	struct pollfd *p = &l->polls[l->n_polls++];

	*p = (struct pollfd){.fd = fd, .events = events};
	return p;
}

static bool may_accept(const struct loop *l)
{
	return l->n_slots < MAX_EGRESS_CONNECTIONS && l->log.lines.len < MAX_EGRESS_LOG_BYTES &&
	       l->env.now_ms >= l->accept_after_ms;
}

static void add_slot_polls(struct loop *l, struct slot *s)
{
	struct egress_conn *c = &s->conn;
	short client = 0, server = 0;

	if (egress_conn_reads_client(c))
		client |= POLLIN;
	if (c->to_client.len)
		client |= POLLOUT;
	if (s->connecting)
		server |= POLLOUT;
	if (!s->connecting && egress_conn_reads_server(c))
		server |= POLLIN;
	if (!s->connecting && c->to_server.len)
		server |= POLLOUT;
	/* Without events a descriptor isn't in the list at all: a hang-up would be reported over
	 * and over. */
	s->client_poll = client ? add_poll(l, s->client_fd, client) : NULL;
	s->server_poll = server && s->server_fd >= 0 ? add_poll(l, s->server_fd, server) : NULL;
}

static int wait_ms(const struct loop *l)
{
	int64_t until = l->env.now_ms + 60000;

	for (size_t i = 0; i < l->n_slots; i++)
		if (l->slots[i]->conn.deadline_ms < until)
			until = l->slots[i]->conn.deadline_ms;
	if (l->accept_after_ms > l->env.now_ms && l->accept_after_ms < until)
		until = l->accept_after_ms;
	return until > l->env.now_ms ? (int)(until - l->env.now_ms) : 0;
}

static void fixed_events(struct loop *l, const struct pollfd *report,
			 const struct pollfd *listeners)
{
	if (l->polls[0].revents)
		control_event(l);
	if (l->polls[1].revents)
		resolver_event(l);
	if (report && report->revents & (POLLERR | POLLNVAL))
		l->failed = E_CLOSED; /* decisions that nobody can read any more: stop */
	for (size_t i = 0; listeners && i < l->n_listen; i++)
		if (listeners[i].revents)
			listener_event(l, i);
}

static void slot_events(struct loop *l)
{
	for (size_t i = 0; i < l->n_slots; i++) {
		struct slot *s = l->slots[i];

		if (s->client_poll && s->client_poll->revents)
			client_event(l, s, s->client_poll->revents);
		if (s->server_poll && s->server_poll->revents && s->server_fd >= 0)
			server_event(l, s, s->server_poll->revents);
		s->client_poll = s->server_poll = NULL;
		if (s->conn.state != CONN_CLOSED && l->env.now_ms >= s->conn.deadline_ms) {
			if (s->connecting)
				close_server(s);
			egress_conn_timeout(&s->conn, &l->env);
		}
		if (s->conn.state != CONN_CLOSED)
			pump(l, s);
	}
}

static void drop_slot(struct slot *s)
{
	(void)close(s->client_fd);
	close_server(s);
	egress_conn_release(&s->conn);
	free(s);
}

static void reap(struct loop *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n_slots; i++) {
		if (l->slots[i]->conn.state == CONN_CLOSED)
			drop_slot(l->slots[i]);
		else
			l->slots[kept++] = l->slots[i];
	}
	l->n_slots = kept;
}

static void round_once(struct loop *l)
{
	struct pollfd *report = NULL, *listeners = NULL;

	l->n_polls = 0;
	(void)add_poll(l, l->control_fd, POLLIN);
	(void)add_poll(l, l->resolver_fd, POLLIN);
	if (l->report_fd >= 0)
		report = add_poll(l, l->report_fd, l->log.lines.len ? POLLOUT : 0);
	if (may_accept(l)) {
		listeners = &l->polls[l->n_polls];
		for (size_t i = 0; i < l->n_listen; i++)
			(void)add_poll(l, l->listen_fds[i], POLLIN);
	}
	for (size_t i = 0; i < l->n_slots; i++)
		add_slot_polls(l, l->slots[i]);
	if (poll(l->polls, l->n_polls, wait_ms(l)) < 0 && errno != EINTR) {
		l->failed = E_SYS;
		return;
	}
	l->env.now_ms = clock_mono_ms();
	fixed_events(l, report, listeners);
	slot_events(l);
	reap(l);
	if (buf_error(&l->log.lines))
		l->failed = buf_error(&l->log.lines);
	if (l->report_fd >= 0 && l->log.lines.len && !l->failed)
		report_event(l);
}

static void flush_report(struct loop *l)
{
	int64_t until = clock_mono_ms() + FLUSH_MS, now;

	while (l->report_fd >= 0 && l->log.lines.len && !l->failed &&
	       (now = clock_mono_ms()) < until) {
		struct pollfd p = {.fd = l->report_fd, .events = POLLOUT};

		if (poll(&p, 1, (int)(until - now)) < 0 && errno != EINTR)
			return;
		if (p.revents)
			report_event(l);
	}
}

int egress_loop_run(const struct egress_loop_start *start, struct errctx *e)
{
	struct loop l = {
		.env = {.rules = start->rules,
			.credential = start->credential,
			.budget = start->byte_budget,
			.limited = start->byte_budget != 0,
			.now_ms = clock_mono_ms()},
		.control_fd = start->control_fd,
		.report_fd = start->report_fd,
		.resolver_fd = start->resolver_fd,
	};

	egress_log_init(&l.log, start->report_fd < 0);
	l.env.log = &l.log;
	while (!l.failed && !l.stopping)
		round_once(&l);
	for (size_t i = 0; i < l.n_slots; i++) {
		egress_conn_abort(&l.slots[i]->conn, &l.env, "the run has ended");
		drop_slot(l.slots[i]);
	}
	flush_report(&l);
	if (!l.failed && l.log.lines.len)
		l.failed = E_TIMEOUT;
	for (size_t i = 0; i < l.n_listen; i++)
		(void)close(l.listen_fds[i]);
	egress_log_release(&l.log);
	return l.failed ? err_set(e, l.failed, "egress proxy: %s", err_name(l.failed)) : 0;
}
