/* SPDX-License-Identifier: MIT */
/* Bytes both ways, raw mode, window size. System. Covered by tests/e2e/launcher-tty.tap. */
#include "base/base.h"
#include "launcher/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

unsigned relay_choose(struct relay *r)
{
	unsigned bits = 0;

	*r = (struct relay){.terminal_fd = -1, .output_fd = -1, .master_fd = -1};
	if (!isatty(0))
		return 0;
	for (int i = 0; i < 3; i++)
		bits |= isatty(i) ? 1u << i : 0;
	r->terminal_fd = 0;
	r->output_fd = bits & 2 ? 1 : bits & 4 ? 2 : 0;
	return bits;
}

static int set_raw(struct relay *r, struct errctx *e)
{
	struct termios t = r->saved;

	cfmakeraw(&t);
	if (tcsetattr(r->terminal_fd, TCSADRAIN, &t) < 0)
		return err_sys(e, "terminal: raw mode");
	r->raw = true;
	return 0;
}

void relay_copy_size(const struct relay *r)
{
	struct winsize size;

	if (r->master_fd >= 0 && ioctl(r->terminal_fd, TIOCGWINSZ, &size) == 0)
		(void)ioctl(r->master_fd, TIOCSWINSZ,
			    &size); /* cosmetic: a refusal changes nothing */
}

int relay_begin(struct relay *r, int master_fd, struct errctx *e)
{
	r->master_fd = master_fd;
	if (fcntl(master_fd, F_SETFL, O_NONBLOCK) < 0 || tcgetattr(r->terminal_fd, &r->saved) < 0)
		return err_sys(e, "terminal");
	/* The command starts with the operator's settings (erase character, echo ...). */
	(void)tcsetattr(master_fd, TCSANOW, &r->saved);
	relay_copy_size(r);
	return set_raw(r, e);
}

void relay_restore(struct relay *r)
{
	if (r->raw)
		(void)tcsetattr(r->terminal_fd, TCSADRAIN, &r->saved);
	r->raw = false;
}

int relay_resume(struct relay *r, struct errctx *e)
{
	relay_copy_size(r);
	return set_raw(r, e);
}

void relay_poll(const struct relay *r, struct pollfd p[3])
{
	bool on = r->master_fd >= 0 && r->raw;
	bool room_in = r->in.from == r->in.to && !r->in.ended;
	bool room_out = r->out.from == r->out.to && !r->out.ended;

	p[0] = (struct pollfd){on && room_in ? r->terminal_fd : -1, POLLIN, 0};
	p[1] = (struct pollfd){
		on && (!room_in || room_out) && !r->out.ended ? r->master_fd : -1,
		(short)((r->in.from < r->in.to ? POLLOUT : 0) | (room_out ? POLLIN : 0)), 0};
	p[2] = (struct pollfd){on && r->out.from < r->out.to ? r->output_fd : -1, POLLOUT, 0};
}

static void fill(struct relay_half *h, int fd)
{
	ssize_t n = read(fd, h->bytes, sizeof(h->bytes));

	if (n > 0) {
		h->from = 0;
		h->to = (size_t)n;
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		h->ended = true; /* EIO: the other end of a terminal is closed */
	}
}

static void flush(struct relay_half *h, int fd)
{
	ssize_t n = write(fd, h->bytes + h->from, h->to - h->from);

	if (n > 0)
		h->from += (size_t)n;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		h->from = h->to; /* nobody reads it any more */
	if (h->from == h->to)
		h->from = h->to = 0;
}

void relay_move(struct relay *r, const struct pollfd p[3])
{
	if (p[0].revents)
		fill(&r->in, r->terminal_fd);
	if (p[1].revents & POLLOUT)
		flush(&r->in, r->master_fd);
	if (p[1].revents & (POLLIN | POLLHUP | POLLERR) && r->out.from == r->out.to)
		fill(&r->out, r->master_fd);
	if (p[2].revents)
		flush(&r->out, r->output_fd);
}

void relay_drain(struct relay *r)
{
	if (r->master_fd < 0)
		return;
	for (int rounds = 0; rounds < 4096 && !r->out.ended; rounds++) {
		while (r->out.from < r->out.to) {
			size_t before = r->out.from;

			flush(&r->out, r->output_fd);
			if (r->out.from == before) {
				struct pollfd wait = {r->output_fd, POLLOUT, 0};

				if (poll(&wait, 1, 1000) <= 0)
					return;
			}
		}
		fill(&r->out, r->master_fd);
		if (r->out.from == r->out.to)
			return; /* empty */
	}
}

void relay_close(struct relay *r)
{
	relay_restore(r);
	if (r->master_fd >= 0)
		(void)close(r->master_fd);
	r->master_fd = -1;
}
