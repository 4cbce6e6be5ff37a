/* SPDX-License-Identifier: MIT */
/*
 * Relay between the operator's terminal and the command's own one (file 10, 18.13). The real
 * terminal is never inside. System.
 */
#ifndef LAUNCHER_RELAY_H
#define LAUNCHER_RELAY_H

#include <poll.h>
#include <termios.h>

#include "base/err.h"

struct relay_half {
	char bytes[16384];
	size_t from, to;
	bool ended;
};

struct relay {
	int terminal_fd; /* the operator's: read side; -1: no relay */
	int output_fd;	 /* ... and write side */
	int master_fd;	 /* the command's; -1: not there yet */
	bool raw;	 /* modes were changed and must be restored */
	struct termios saved;
	struct relay_half in, out; /* to the command, from it */
};

/* Which standard streams are terminals, as bits; 0 when stdin is none. Fills *r. */
unsigned relay_choose(struct relay *r);
/* Raw mode and window size. master_fd is taken over. */
int relay_begin(struct relay *r, int master_fd, struct errctx *e) must_check;
/* Terminal back to what it was: on every way out, and before stopping. */
void relay_restore(struct relay *r);
/* After a stop: raw again, size copied. */
int relay_resume(struct relay *r, struct errctx *e) must_check;
void relay_copy_size(const struct relay *r);

/* Two entries to poll, and what to do with the answer. */
void relay_poll(const struct relay *r, struct pollfd p[3]);
void relay_move(struct relay *r, const struct pollfd p[3]);
/* The command's end is closed everywhere: writes what is left. */
void relay_drain(struct relay *r);
void relay_close(struct relay *r);

#endif
