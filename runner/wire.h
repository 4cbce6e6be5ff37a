/* SPDX-License-Identifier: MIT */
/*
 * Typed packing of messages between keeper and engine: little fields in a fixed order, read back
 * with an explicit end check. No pointer, no descriptor and no path to open ever crosses. Pure.
 */
#ifndef RUNNER_WIRE_H
#define RUNNER_WIRE_H

#include "base/buf.h"
#include "base/err.h"

void wire_put_u8(struct buf *b, unsigned n);
void wire_put_i64(struct buf *b, int64_t n);
void wire_put_view(struct buf *b, struct view v);

/* Reader over one message. The first fault sticks; values are then 0 and empty. */
struct wire_in {
	struct view rest;
	bool bad;
};
unsigned wire_get_u8(struct wire_in *in);
int64_t wire_get_i64(struct wire_in *in);
struct view wire_get_view(struct wire_in *in, size_t max);
/* True if everything was read and nothing was wrong. */
bool wire_end(const struct wire_in *in);

/* System: one length-prefixed message over a stream socket, whole or not at all. max bounds what is
 * read: E_TOOBIG, E_CLOSED, E_SYS. */
int wire_send(int fd, struct view message) must_check;
int wire_receive(int fd, struct buf *message, size_t max) must_check;

#endif
