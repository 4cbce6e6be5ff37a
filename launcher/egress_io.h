/* SPDX-License-Identifier: MIT */
/* The socket calls of the proxy, none of which ever waits. System. */
#ifndef LAUNCHER_EGRESS_IO_H
#define LAUNCHER_EGRESS_IO_H

#include "launcher/egress_conn.h"

/* A listening TCP socket, as handed over through the control socket? E_TYPE. */
int egress_io_check_listener(int fd) must_check;

/* *ret_fd is -1 when nobody is waiting. E_BUSY: the system is out of something, try later. E_SYS:
 * this listener is of no more use. */
int egress_io_accept(int listen_fd, int *ret_fd) must_check;

/* Begins to connect: 0, or an errno; EGRESS_IO_OWN for an address of this host itself, found
 * without sending a packet. */
enum { EGRESS_IO_OWN = -1 };
int egress_io_connect(const struct egress_addr *a, unsigned port, int *ret_fd) must_check;
/* How it went, once the socket is writable: 0 or an errno. */
int egress_io_connect_result(int fd) must_check;

/* Reads once into the lane: number of bytes; 0: nothing there now; E_CLOSED: end; E_SYS. */
int egress_io_read(int fd, struct egress_lane *to) must_check;
/* Writes once from the lane: number of bytes; 0: no room now; E_CLOSED, E_SYS. */
int egress_io_write(int fd, struct egress_lane *from) must_check;

/* One message of the control socket: *ret_fd gets the listener in it. E_BUSY (none there),
 * E_CLOSED, E_SYNTAX. */
int egress_io_take_listener(int control_fd, int *ret_fd) must_check;
/* The other end. E_CLOSED, E_SYS. */
int egress_io_send_listener(int control_fd, int listen_fd) must_check;

#endif
