/* SPDX-License-Identifier: MIT */
/*
 * Tries one act under one confinement of the egress proxy, for
 * tests/escape/x0610-egress-confined.tap.
 *
 *   egressprobe free|proxy|resolver ACT [ARGUMENT]
 *
 * Prints "ok", the name of an errno, or "signal N" when the act ended the process.
 */
#include "base/base.h"

#include "base/proc.h"
#include "launcher/egress_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int result(long rc)
{
	return rc < 0 ? errno : 0;
}

static int try_open(const char *path, int flags)
{
	return result(open(path, flags | O_CLOEXEC, 0600));
}

static int try_socket(int family, int type, int protocol)
{
	return result(socket(family, type, protocol));
}

static int try_exec(const char *path)
{
	char *argv[] = {(char[]){"true"}, NULL};

	(void)execv(path, argv);
	return errno;
}

static int try_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	if (pid > 0)
		(void)waitpid(pid, NULL, 0);
	return result(pid);
}

static int try_listen(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(34567)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return fd < 0 ? errno : result(bind(fd, (struct sockaddr *)&at, sizeof(at)));
}

static int try_connect(const char *port)
{
	struct sockaddr_in to = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_port = htons((uint16_t)strtoul(port, NULL, 10));
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return fd < 0 ? errno : result(connect(fd, (struct sockaddr *)&to, sizeof(to)));
}

static int try_resolve(const char *name)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
	int rc = getaddrinfo(name, NULL, &hints, &list);

	if (rc == 0)
		freeaddrinfo(list);
	return rc == 0 ? 0 : ENOENT;
}

static int act(const char *what, const char *arg)
{
	if (strcmp(what, "read") == 0)
		return try_open(arg, O_RDONLY);
	if (strcmp(what, "write") == 0)
		return try_open(arg, O_WRONLY | O_CREAT);
	if (strcmp(what, "exec") == 0)
		return try_exec(arg);
	if (strcmp(what, "fork") == 0)
		return try_fork();
	if (strcmp(what, "unix") == 0)
		return try_socket(AF_UNIX, SOCK_STREAM, 0);
	if (strcmp(what, "audit") == 0)
		return try_socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT);
	if (strcmp(what, "route") == 0)
		return try_socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	if (strcmp(what, "inet") == 0)
		return try_socket(AF_INET, SOCK_STREAM, 0);
	if (strcmp(what, "high") == 0) /* the kernel looks at the low half of the family only */
		return result(syscall(SYS_socket, 0x100000000L | AF_UNIX, SOCK_STREAM, 0));
	if (strcmp(what, "listen") == 0)
		return try_listen();
	if (strcmp(what, "connect") == 0)
		return try_connect(arg);
	if (strcmp(what, "resolve") == 0)
		return try_resolve(arg);
	if (strcmp(what, "signal") == 0)
		return result(kill((pid_t)strtol(arg, NULL, 10), 0));
	if (strcmp(what, "trace") == 0)
		return result(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	if (strcmp(what, "unlink") == 0)
		return result(unlink(arg));
	if (strcmp(what, "namespace") == 0)
		return result(unshare(CLONE_NEWUTS));
	if (strcmp(what, "chmod") == 0)
		return result(chmod(arg, 0600));
	fprintf(stderr, "egressprobe: unknown act %s\n", what);
	return EINVAL;
}

static int confine(const char *how, int fd)
{
	struct errctx e = {0};
	int rc = 0;

	if (strcmp(how, "proxy") == 0)
		rc = egress_confine_proxy(false, &e);
	else if (strcmp(how, "resolver") == 0)
		rc = egress_confine_resolver(fd, false, &e);
	if (rc)
		fprintf(stderr, "egressprobe: %s\n", e.text);
	return rc;
}

int main(int argc, char **argv)
{
	int line[2], status = 0, number = -1;
	pid_t pid;

	if (argc < 3 || pipe(line) < 0)
		return 2;
	pid = fork();
	if (pid == 0) {
		if (confine(argv[1], line[1]) != 0)
			_exit(3);
		number = act(argv[2], argc > 3 ? argv[3] : NULL);
		_exit(write(line[1], &number, sizeof(number)) == (ssize_t)sizeof(number) ? 0 : 4);
	}
	(void)close(line[1]);
	if (read(line[0], &number, sizeof(number)) != (ssize_t)sizeof(number))
		number = -1;
	if (waitpid(pid, &status, 0) < 0)
		return 2;
	if (WIFSIGNALED(status))
		printf("signal %d\n", WTERMSIG(status));
	else if (strcmp(argv[2], "exec") == 0 && number < 0 && WEXITSTATUS(status) == 0)
		printf("ok\n"); /* it became the other program */
	else if (number < 0)
		printf("failed %d\n", WEXITSTATUS(status));
	else
		printf("%s\n", number ? strerrorname_np(number) : "ok");
	return 0;
}
