/* SPDX-License-Identifier: MIT */
/* Socket calls of the proxy. Effects: network. Tested by tests/e2e/t03*-*egress*.tap. */
#include "base/base.h"

#include "launcher/egress_io.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

union any_addr {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

static socklen_t fill(union any_addr *to, const struct egress_addr *a, unsigned port)
{
	memset(to, 0, sizeof(*to));
	if (a->len == 4) {
		to->in.sin_family = AF_INET;
		to->in.sin_port = htons((uint16_t)port);
		memcpy(&to->in.sin_addr, a->bytes, 4);
		return sizeof(to->in);
	}
	to->in6.sin6_family = AF_INET6;
	to->in6.sin6_port = htons((uint16_t)port);
	memcpy(&to->in6.sin6_addr, a->bytes, 16);
	return sizeof(to->in6);
}

/* Would the kernel loop it back? Connecting a datagram socket sends nothing, but picks the source
 * address; for one of this host's own addresses that is the address itself. A service that listens
 * on all of them would otherwise be in reach. */
static int check_not_own(const union any_addr *to, socklen_t len)
{
	auto_fd int fd = socket(to->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	union any_addr from;
	socklen_t from_len = sizeof(from);

	if (fd < 0 || connect(fd, &to->any, len) < 0 || getsockname(fd, &from.any, &from_len) < 0)
		return errno;
	if (to->any.sa_family == AF_INET)
		return from.in.sin_addr.s_addr == to->in.sin_addr.s_addr ? EGRESS_IO_OWN : 0;
	return memcmp(&from.in6.sin6_addr, &to->in6.sin6_addr, 16) == 0 ? EGRESS_IO_OWN : 0;
}

int egress_io_connect(const struct egress_addr *a, unsigned port, int *ret_fd)
{
	union any_addr to;
	socklen_t len = fill(&to, a, port);
	int rc = check_not_own(&to, len), one = 1;
	auto_fd int fd = -1;

	if (rc)
		return rc;
	fd = socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return errno;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)); /* only slower without */
	if (connect(fd, &to.any, len) < 0 && errno != EINPROGRESS)
		return errno;
	*ret_fd = steal_fd(&fd);
	return 0;
}

int egress_io_connect_result(int fd)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		return errno;
	return error;
}

int egress_io_check_listener(int fd)
{
	int type = 0, domain = 0, listening = 0;
	socklen_t n = sizeof(int);

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &n) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &n) < 0)
		return E_TYPE;
	return type == SOCK_STREAM && (domain == AF_INET || domain == AF_INET6) && listening
		       ? 0
		       : E_TYPE;
}

int egress_io_accept(int listen_fd, int *ret_fd)
{
	int one = 1, fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	*ret_fd = -1;
	if (fd < 0) {
		switch (errno) {
		case EBADF:
		case EINVAL:
		case ENOTSOCK:
		case EOPNOTSUPP:
			return E_SYS;
		case EMFILE:
		case ENFILE:
		case ENOBUFS:
		case ENOMEM:
			return E_BUSY;
		default: /* gone again before we looked */
			return 0;
		}
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	*ret_fd = fd;
	return 0;
}

int egress_io_read(int fd, struct egress_lane *to)
{
	size_t room;
	char *at = lane_room(to, &room);
	ssize_t n;

	if (room == 0)
		return 0;
	n = recv(fd, at, room, MSG_DONTWAIT);
	if (n > 0) {
		lane_added(to, (size_t)n);
		return (int)n;
	}
	if (n == 0)
		return E_CLOSED;
	return errno == EAGAIN || errno == EINTR ? 0 : E_SYS;
}

int egress_io_write(int fd, struct egress_lane *from)
{
	struct view v = lane_view(from);
	ssize_t n;

	if (v.len == 0)
		return 0;
	n = send(fd, v.ptr, v.len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n >= 0) {
		lane_drop(from, (size_t)n);
		return (int)n;
	}
	if (errno == EAGAIN || errno == EINTR)
		return 0;
	return errno == EPIPE || errno == ECONNRESET ? E_CLOSED : E_SYS;
}

enum { CONTROL_LISTENER = 'L' };

int egress_io_send_listener(int control_fd, int listen_fd)
{
	char byte = CONTROL_LISTENER;
	struct iovec iov = {&byte, 1};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = {0}};
	struct msghdr m = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = control.bytes,
			   .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	ssize_t n;

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &listen_fd, sizeof(int));
	do
		n = sendmsg(control_fd, &m, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		return 0;
	return n < 0 && (errno == EPIPE || errno == ECONNRESET) ? E_CLOSED : E_SYS;
}

int egress_io_take_listener(int control_fd, int *ret_fd)
{
	char byte = 0;
	struct iovec iov = {&byte, 1};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr m = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = control.bytes,
			   .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *c;
	ssize_t n = recvmsg(control_fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	auto_fd int fd = -1;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? E_BUSY : E_CLOSED;
	if (n == 0)
		return E_CLOSED;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(c), sizeof(int));
	if (byte != CONTROL_LISTENER || fd < 0 || m.msg_flags & (MSG_CTRUNC | MSG_TRUNC) ||
	    egress_io_check_listener(fd) != 0)
		return E_SYNTAX;
	*ret_fd = steal_fd(&fd);
	return 0;
}
