/* SPDX-License-Identifier: MIT */
/*
 * The one event loop: input, output, results, time, signals. Nothing in it waits for anything but
 * poll(), so a call that waits for the runner blocks no other, and a client that doesn't read can't
 * make the server stop reading until OUTPUT_HIGH_BYTES of replies wait. Tested by
 * tests/e2e/mcp-process.tap.
 */
#include "base/base.h"

#include "mcp/server.h"

#include "base/clock.h"
#include "base/io.h"
#include "base/log.h"
#include "mcp/frame.h"
#include "mcp/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>

/* A client that has closed its end but still reads gets its replies; one that doesn't move for this
 * long is gone. */
enum { FLUSH_STALL_MS = 1000, SIGNAL_FLUSH_MS = 50 };

static int signal_pipe[2] = {-1, -1};

static void on_signal(int number unused_arg)
{
	int saved = errno;

	(void)!write(signal_pipe[1], "", 1); /* a full pipe has woken the loop already */
	errno = saved;
}

int loop_prepare(struct errctx *e)
{
	static const int stopping[] = {SIGTERM, SIGINT, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t none;

	if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_sys(e, "signal pipe");
	for (size_t i = 0; i < ARRAY_LEN(stopping); i++)
		if (sigaction(stopping[i], &action, NULL) < 0)
			return err_sys(e, "signal handler");
	if (sigaction(SIGPIPE, &ignore, NULL) < 0) /* a closed reader shows as EPIPE */
		return err_sys(e, "signal handler");
	sigemptyset(&none);
	if (sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		return err_sys(e, "signal mask");
	return 0;
}

/* Only what another process can't share by accident: a terminal would stay non-blocking after our
 * end. */
static void make_output_nonblocking(void)
{
	struct stat st;

	if (fstat(STDOUT_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		(void)!io_set_nonblock(STDOUT_FILENO,
				       true); /* blocking output still works, only slower */
}

enum state {
	RUNNING = 1,
	INPUT_ENDED,
	CLIENT_GONE,
	SIGNALLED,
};

static size_t backlog(const struct server *s)
{
	return s->out.len - s->out_sent;
}

/* Writes what the client takes now. */
static enum state flush(struct server *s, enum state state)
{
	while (backlog(s) > 0) {
		ssize_t n = write(STDOUT_FILENO, s->out.data + s->out_sent, backlog(s));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		if (n < 0)
			return CLIENT_GONE;
		s->out_sent += (size_t)n;
	}
	if (backlog(s) == 0) {
		buf_clear(&s->out);
		buf_trim(&s->out, 4 * READ_CHUNK_BYTES);
		s->out_sent = 0;
	} else if (s->out_sent > OUTPUT_HIGH_BYTES / 2) {
		buf_drop_front(&s->out, s->out_sent);
		s->out_sent = 0;
	}
	return state;
}

/* Serves whole lines as long as the client reads its replies; true if lines may be left. */
static bool serve_lines(struct server *s, struct frame *f)
{
	struct view line;

	while (backlog(s) <= OUTPUT_HIGH_BYTES) {
		switch (frame_next(f, &line)) {
		case FRAME_NONE:
			return false;
		case FRAME_LINE:
			dispatch_line(s, line);
			break;
		case FRAME_TOO_LONG:
			dispatch_too_long(s);
			break;
		}
	}
	return true;
}

static enum state take_input(struct frame *f, enum state state)
{
	size_t room;
	char *p = frame_space(f, &room);
	ssize_t n;

	if (!p) {
		log_error("out of memory for input");
		return INPUT_ENDED;
	}
	n = read(STDIN_FILENO, p, room);
	if (n > 0) {
		frame_added(f, (size_t)n);
		return state;
	}
	if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
		return state;
	if (n < 0)
		log_warn("can't read standard input: %s", strerror(errno));
	frame_finish(f);
	return INPUT_ENDED;
}

/* Input is closed, but too many replies wait for lines to be read to its end: is anybody there? */
static enum state wait_for_reader(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&out, 1, FLUSH_STALL_MS) > 0 && !(out.revents & (POLLERR | POLLNVAL))
		       ? RUNNING
		       : CLIENT_GONE;
}

static enum state wait_for_anything(struct server *s, struct watch *w, int timeout,
				    bool *ret_readable)
{
	bool want_input = backlog(s) <= OUTPUT_HIGH_BYTES;
	struct pollfd fds[] = {
		{.fd = STDIN_FILENO, .events = want_input ? POLLIN : POLLRDHUP},
		{.fd = STDOUT_FILENO, .events = backlog(s) > 0 ? POLLOUT : 0},
		{.fd = signal_pipe[0], .events = POLLIN},
		{.fd = s->n_pending > 0 ? w->fd : -1, .events = POLLIN},
	};

	*ret_readable = false;
	if (poll(fds, ARRAY_LEN(fds), timeout) < 0)
		return RUNNING; /* EINTR: the signal pipe tells next time */
	if (fds[2].revents)
		return SIGNALLED;
	if (fds[1].revents & (POLLERR | POLLHUP | POLLNVAL))
		return CLIENT_GONE;
	if (fds[3].revents)
		watch_drain(w);
	if (want_input)
		*ret_readable = fds[0].revents != 0;
	else if (fds[0].revents)
		return wait_for_reader();
	return RUNNING;
}

/* Hands out the rest within bounds. */
static void flush_rest(struct server *s, int stall_ms)
{
	while (backlog(s) > 0) {
		struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
		size_t before = backlog(s);

		if (poll(&out, 1, stall_ms) <= 0 || (out.revents & (POLLERR | POLLNVAL)))
			return;
		if (flush(s, RUNNING) == CLIENT_GONE || backlog(s) == before)
			return;
	}
}

static enum state run(struct server *s, struct frame *f, struct watch *w)
{
	enum state state = RUNNING;

	for (;;) {
		bool lines_left = serve_lines(s, f);
		bool readable;
		int timeout;

		if (s->n_pending > 0)
			watch_begin(w, s->root.fd);
		else
			watch_end(w);
		timeout = pending_poll(s);
		state = flush(s, state);
		server_close_read(s);
		if (state == CLIENT_GONE || (state == INPUT_ENDED && !lines_left))
			return state;
		if (state ==
		    INPUT_ENDED) { /* and more replies than may wait: hand some out first */
			flush_rest(s, FLUSH_STALL_MS);
			if (backlog(s) > OUTPUT_HIGH_BYTES)
				return state;
			continue;
		}
		if (lines_left && backlog(s) <= OUTPUT_HIGH_BYTES)
			continue;
		state = wait_for_anything(s, w, timeout, &readable);
		if (state != RUNNING)
			return state;
		if (readable)
			state = take_input(f, state);
	}
}

void loop_run(struct server *s)
{
	struct frame f;
	struct watch w;
	enum state state;

	make_output_nonblocking();
	watch_init(&w);
	frame_init(&f);
	state = run(s, &f, &w);
	if (s->n_pending > 0)
		log_info("ending while %zu request%s wait%s for the runner; they stay queued",
			 s->n_pending, s->n_pending == 1 ? "" : "s", s->n_pending == 1 ? "s" : "");
	if (state != CLIENT_GONE) {
		pending_finish(s);
		flush_rest(s, state == SIGNALLED ? SIGNAL_FLUSH_MS : FLUSH_STALL_MS);
	}
	frame_release(&f);
	watch_release(&w);
}
