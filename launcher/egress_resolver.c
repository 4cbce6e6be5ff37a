/* SPDX-License-Identifier: MIT */
/* Resolver processes. Effects: forks, asks name servers. Tested by tests/e2e/t0300-egress.tap. */
#include "base/base.h"

#include "launcher/egress_resolver.h"

#include "launcher/egress_confine.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

struct question {
	uint64_t id;
	char name[256];
};

static void take_addresses(const struct addrinfo *list, struct egress_answer *a)
{
	for (const struct addrinfo *i = list; i && a->n < MAX_EGRESS_ADDRESSES; i = i->ai_next) {
		struct egress_addr *to = &a->addrs[a->n];

		if (i->ai_family == AF_INET && i->ai_addrlen >= sizeof(struct sockaddr_in)) {
			struct sockaddr_in in;

			memcpy(&in, i->ai_addr, sizeof(in));
			memcpy(to->bytes, &in.sin_addr, 4);
			to->len = 4;
		} else if (i->ai_family == AF_INET6 &&
			   i->ai_addrlen >= sizeof(struct sockaddr_in6)) {
			struct sockaddr_in6 in6;

			memcpy(&in6, i->ai_addr, sizeof(in6));
			memcpy(to->bytes, &in6.sin6_addr, 16);
			to->len = 16;
		} else {
			continue;
		}
		a->n++;
	}
}

static void answer_one(int fd, const struct question *q)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct egress_answer a = {.id = q->id};
	struct addrinfo *list = NULL;

	if (getaddrinfo(q->name, NULL, &hints, &list) == 0) {
		take_addresses(list, &a);
		freeaddrinfo(list);
	}
	while (send(fd, &a, sizeof(a), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

static noreturn_fn void run(int fd, bool without_landlock)
{
	struct question q;
	struct errctx e = {0};

	/* An allowed name leads to that name only: no search domains. Two tries, so that a dead
	 * server doesn't keep a resolver for minutes. */
	if (setenv("LOCALDOMAIN", "", 1) != 0 ||
	    setenv("RES_OPTIONS", "timeout:3 attempts:2", 1) != 0 ||
	    egress_confine_resolver(fd, without_landlock, &e) != 0)
		_exit(1);
	for (;;) {
		ssize_t n = recv(fd, &q, sizeof(q), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n != (ssize_t)sizeof(q))
			_exit(n == 0 ? 0 : 1);
		q.name[sizeof(q.name) - 1] = 0;
		answer_one(fd, &q);
	}
}

int egress_resolver_start(bool without_landlock, int *ret_fd, struct errctx *e)
{
	int pair[2];
	pid_t parent = getpid();

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "resolver socket");
	for (int i = 0; i < EGRESS_RESOLVERS; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			int rc = err_sys(e, "resolver process");

			(void)close(pair[0]);
			(void)close(pair[1]);
			return rc;
		}
		if (pid > 0)
			continue;
		(void)close(pair[0]);
		/* A proxy that is gone already would never close its end. */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
			_exit(1);
		run(pair[1], without_landlock);
	}
	(void)close(pair[1]);
	*ret_fd = pair[0];
	return 0;
}

int egress_resolver_ask(int fd, uint64_t id, const struct egress_host *name)
{
	struct question q = {.id = id};

	memcpy(q.name, name->text, sizeof(q.name));
	if (send(fd, &q, sizeof(q), MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(q))
		return 0;
	if (errno == EAGAIN || errno == EINTR)
		return E_BUSY;
	return errno == EPIPE || errno == ECONNRESET ? E_CLOSED : E_SYS;
}

int egress_resolver_take(int fd, struct egress_answer *ret)
{
	ssize_t n = recv(fd, ret, sizeof(*ret), MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? E_BUSY : E_CLOSED;
	if (n == 0)
		return E_CLOSED;
	if (n != (ssize_t)sizeof(*ret) || ret->n > MAX_EGRESS_ADDRESSES)
		return E_SYNTAX;
	for (uint32_t i = 0; i < ret->n; i++)
		if (ret->addrs[i].len != 4 && ret->addrs[i].len != 16)
			return E_SYNTAX;
	return 0;
}
