/* SPDX-License-Identifier: MIT */
/* Packing, and whole messages over the socket between keeper and engine. Failure rule: the caller
 * ends. Tests: tests/unit/runner/t_wire.c. */
#include "base/base.h"

#include "runner/wire.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

void wire_put_u8(struct buf *b, unsigned n)
{
	(void)buf_putc(b, (char)n);
}

void wire_put_i64(struct buf *b, int64_t n)
{
	(void)buf_put(b, &n, sizeof(n));
}

void wire_put_view(struct buf *b, struct view v)
{
	uint32_t n = (uint32_t)v.len;

	if (v.len > UINT32_MAX) {
		b->error = b->error ? b->error : E_TOOBIG;
		return;
	}
	(void)buf_put(b, &n, sizeof(n));
	(void)buf_put(b, v.ptr ? v.ptr : "", v.len);
}

static const char *take(struct wire_in *in, size_t n)
{
	const char *at = in->rest.ptr;

	if (in->bad || n > in->rest.len) {
		in->bad = true;
		return NULL;
	}
	in->rest.ptr += n;
	in->rest.len -= n;
	return at;
}

unsigned wire_get_u8(struct wire_in *in)
{
	const char *at = take(in, 1);

	return at ? (unsigned char)*at : 0;
}

int64_t wire_get_i64(struct wire_in *in)
{
	const char *at = take(in, sizeof(int64_t));
	int64_t n = 0;

	if (at)
		memcpy(&n, at, sizeof(n));
	return n;
}

struct view wire_get_view(struct wire_in *in, size_t max)
{
	const char *at = take(in, sizeof(uint32_t));
	uint32_t n = 0;

	if (at)
		memcpy(&n, at, sizeof(n));
	if (n > max)
		in->bad = true;
	at = take(in, n);
	return at ? (struct view){at, n} : (struct view){"", 0};
}

bool wire_end(const struct wire_in *in)
{
	return !in->bad && in->rest.len == 0;
}

int wire_send(int fd, struct view message)
{
	uint32_t length = (uint32_t)message.len;
	struct iovec part[2] = {{&length, sizeof(length)},
				{(void *)(uintptr_t)message.ptr, message.len}};
	struct msghdr m = {.msg_iov = part, .msg_iovlen = 2};

	if (message.len > UINT32_MAX)
		return E_TOOBIG;
	while (m.msg_iovlen) {
		ssize_t n = sendmsg(fd, &m, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EPIPE || errno == ECONNRESET ? E_CLOSED : E_SYS;
		while (m.msg_iovlen && (size_t)n >= m.msg_iov->iov_len) {
			n -= (ssize_t)m.msg_iov->iov_len;
			m.msg_iov++;
			m.msg_iovlen--;
		}
		if (m.msg_iovlen) {
			m.msg_iov->iov_base = (char *)m.msg_iov->iov_base + n;
			m.msg_iov->iov_len -= (size_t)n;
		}
	}
	return 0;
}

static int receive_exact(int fd, void *out, size_t n)
{
	size_t have = 0;

	while (have < n) {
		ssize_t k = recv(fd, (char *)out + have, n - have, 0);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return errno == ECONNRESET ? E_CLOSED : E_SYS;
		if (k == 0)
			return E_CLOSED;
		have += (size_t)k;
	}
	return 0;
}

int wire_receive(int fd, struct buf *message, size_t max)
{
	uint32_t length;
	char *at;
	int rc = receive_exact(fd, &length, sizeof(length));

	if (rc != 0)
		return rc;
	if (length > max)
		return E_TOOBIG;
	buf_clear(message);
	at = buf_reserve(message, length ? length : 1);
	if (!at)
		return E_NOMEM;
	rc = receive_exact(fd, at, length);
	if (rc == 0)
		buf_added(message, length);
	return rc;
}
