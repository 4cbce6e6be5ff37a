/* SPDX-License-Identifier: MIT */
/*
 * confine-run egress-connect: ssh's ProxyCommand inside the sandbox. Asks the proxy that the
 * environment names for a tunnel, then copies both ways until both sides have ended. Effects: one
 * connection to loopback. Tested by tests/e2e/t0300-egress.tap.
 */
#include "base/base.h"

#include "launcher/egress.h"

#include "base/io.h"
#include "base/limits.h"
#include "base/log.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, MAX_ANSWER_BYTES = 4096 };

/* The proxy is always "http://127.0.0.1:PORT": nothing else is ours. */
static int proxy_port(unsigned *ret)
{
	static const char prefix[] = "http://127.0.0.1:";
	const char *value = getenv("HTTPS_PROXY");

	if (!value || strncmp(value, prefix, sizeof(prefix) - 1) != 0)
		return E_MISSING;
	return egress_port_parse(view_of(value + sizeof(prefix) - 1), ret);
}

static int dial(unsigned port, int *ret_fd, struct errctx *e)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	auto_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		return err_sys(e, "egress proxy on port %u", port);
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int ask(int fd, const struct egress_host *host, unsigned port, struct errctx *e)
{
	bool v6 = host->kind == EGRESS_HOST_IPV6;
	char text[640];
	int n = snprintf(text, sizeof(text),
			 "CONNECT %s%s%s:%u HTTP/1.1\r\nHost: %s%s%s:%u\r\n\r\n", v6 ? "[" : "",
			 host->text, v6 ? "]" : "", port, v6 ? "[" : "", host->text, v6 ? "]" : "",
			 port);

	if (n < 0 || (size_t)n >= sizeof(text))
		return err_set(e, E_TOOBIG, "host name too long");
	return io_write_all(fd, text, (size_t)n) ? err_sys(e, "egress proxy") : 0;
}

/* Reads the answer's head byte by byte, so that nothing of the tunnel is taken with it. */
static int read_answer(int fd, char *answer, size_t size, struct errctx *e)
{
	size_t n = 0;

	while (n + 1 < size) {
		ssize_t got = recv(fd, answer + n, 1, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_set(e, E_CLOSED, "egress proxy: it closed the connection");
		answer[++n] = 0;
		if (n >= 4 && memcmp(answer + n - 4, "\r\n\r\n", 4) == 0)
			return 0;
	}
	return err_set(e, E_TOOBIG, "egress proxy: its answer is too long");
}

static int explain(int fd, struct errctx *e)
{
	char body[512];
	ssize_t n = recv(fd, body, sizeof(body) - 1, MSG_WAITALL);

	body[n > 0 ? n : 0] = 0;
	body[strcspn(body, "\n")] = 0;
	return err_set(e, E_DENIED, "%s", body[0] ? body : "egress proxy: refused");
}

/* One direction: false once it has ended. */
static bool copy_once(int from, int to, bool to_socket)
{
	char bytes[16384];
	ssize_t n = read(from, bytes, sizeof(bytes));

	if (n < 0 && errno == EINTR)
		return true;
	if (n > 0 && io_write_all(to, bytes, (size_t)n) == 0)
		return true;
	if (to_socket)
		(void)shutdown(to, SHUT_WR);
	return false;
}

static void relay(int fd)
{
	bool up = true, down = true;

	while (down) {
		struct pollfd p[2] = {{.fd = fd, .events = POLLIN},
				      {.fd = up ? 0 : -1, .events = POLLIN}};

		if (poll(p, 2, -1) < 0) {
			if (errno == EINTR)
				continue;
			return;
		}
		if (p[0].revents)
			down = copy_once(fd, 1, false);
		if (p[1].revents)
			up = copy_once(0, fd, true);
	}
}

static int run(const char *host_word, const char *port_word, struct errctx *e)
{
	char answer[MAX_ANSWER_BYTES];
	struct egress_host host;
	auto_fd int fd = -1;
	unsigned port, proxy;
	int rc;

	if (egress_host_parse(view_of(host_word), &host) != 0 ||
	    egress_port_parse(view_of(port_word), &port) != 0)
		return err_set(e, E_USAGE, "\"%s\" port \"%s\": no host and port", host_word,
			       port_word);
	if (proxy_port(&proxy) != 0)
		return err_set(e, E_MISSING, "HTTPS_PROXY names no egress proxy of this sandbox");
	rc = dial(proxy, &fd, e);
	if (!rc)
		rc = ask(fd, &host, port, e);
	if (!rc)
		rc = read_answer(fd, answer, sizeof(answer), e);
	if (rc)
		return rc;
	if (strncmp(answer, "HTTP/1.1 200 ", 13) != 0)
		return explain(fd, e);
	relay(fd);
	return 0;
}

int egress_connect_main(int argc, char **argv)
{
	struct errctx e = {0};
	int rc;

	log_init("confine-run", LOG_WARN_LEVEL);
	if (argc != 4) {
		log_error("usage: confine-run " EGRESS_CONNECT_MODE " HOST PORT");
		return EXIT_USAGE;
	}
	rc = run(argv[2], argv[3], &e);
	if (rc)
		log_error("%s", e.text);
	return rc == 0 ? 0 : rc == E_USAGE ? EXIT_USAGE : EXIT_FAILED;
}
