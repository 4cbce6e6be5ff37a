/* SPDX-License-Identifier: MIT */
/*
 * The launcher's part in filtered egress and nothing else of it, for tests: a network namespace
 * with only loopback, a listener made inside and handed out, the proxy outside. The proxy process
 * is this executable in the product's own mode.
 *
 *   egressbox RULES REPORT [--budget N] [--credential USER:SECRET] -- COMMAND...
 *
 * Ends with the command's status; 125 when the proxy can't be started, 124 when it ended badly.
 */
#include "base/base.h"

#include "base/io.h"
#include "base/proc.h"
#include "launcher/egress.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { PORT = 3128 };

static noreturn_fn void die(const char *what)
{
	fprintf(stderr, "egressbox: %s: %s\n", what, strerror(errno));
	_exit(125);
}

static void loopback_up(void)
{
	struct ifreq r = {.ifr_name = "lo"};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	r.ifr_flags = IFF_UP | IFF_RUNNING;
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &r) < 0)
		die("loopback");
	(void)close(fd);
}

static int listen_inside(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, 128) < 0)
		die("listener");
	return fd;
}

static void send_fd(int to, int fd)
{
	char byte = 'x', control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec iov = {&byte, 1};
	struct msghdr m = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = control,
			   .msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	if (sendmsg(to, &m, 0) != 1)
		die("send");
}

static int receive_fd(int from)
{
	char byte, control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec iov = {&byte, 1};
	struct msghdr m = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = control,
			   .msg_controllen = sizeof(control)};
	struct cmsghdr *c;
	int fd = -1;

	if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) != 1 || !(c = CMSG_FIRSTHDR(&m)))
		die("receive");
	memcpy(&fd, CMSG_DATA(c), sizeof(int));
	return fd;
}

static noreturn_fn void inside(int line, char **command)
{
	char byte, text[128];
	int fd;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || unshare(CLONE_NEWNET) < 0)
		die("network namespace");
	loopback_up();
	fd = listen_inside();
	send_fd(line, fd);
	(void)close(fd);
	if (read(line, &byte, 1) != 1)
		die("parent");
	for (size_t i = 0; egress_environment(i, PORT, text, sizeof(text)); i++) {
		char *eq = strchr(text, '=');

		*eq = 0;
		if (setenv(text, eq + 1, 1) < 0)
			die("environment");
	}
	(void)execvp(command[0], command);
	die(command[0]);
}

/* Takes report lines out of the pipe while the run goes on. */
static pid_t copy_report(int from, int control_fd, const char *path)
{
	pid_t pid = fork();
	char bytes[4096];
	ssize_t n;
	int to;

	if (pid != 0)
		return pid;
	(void)close(control_fd); /* or the proxy would never see its end */
	to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	while (to >= 0 && (n = read(from, bytes, sizeof(bytes))) > 0)
		if (io_write_all(to, bytes, (size_t)n) != 0)
			_exit(1);
	_exit(0);
}

static int run(struct view rules, const struct egress_options *o, const char *report,
	       char **command)
{
	struct egress_proxy proxy;
	struct errctx e = {0};
	int report_pipe[2], line[2], status = 0;
	pid_t copier, child;
	int fd;

	if (pipe2(report_pipe, O_CLOEXEC) < 0)
		die("pipe");
	if (egress_start(rules, o, report_pipe[1], &proxy, &e) != 0) {
		fprintf(stderr, "egressbox: %s\n", e.text);
		return 125;
	}
	(void)close(report_pipe[1]);
	copier = copy_report(report_pipe[0], proxy.control_fd, report);
	(void)close(report_pipe[0]);
	/* The child must not hold the control socket: it is close-on-exec, and the pair comes after
	 * it. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) < 0)
		die("socketpair");
	child = fork();
	if (child == 0) {
		(void)close(line[0]);
		inside(line[1], command);
	}
	(void)close(line[1]);
	fd = receive_fd(line[0]);
	if (egress_give_listener(&proxy, fd, &e) != 0)
		die(e.text);
	(void)close(fd);
	if (write(line[0], "x", 1) != 1)
		die("child");
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	status = proc_exit_code(status);
	if (egress_stop(&proxy, 5000, &e) != 0) {
		fprintf(stderr, "egressbox: %s\n", e.text);
		status = 124;
	}
	(void)waitpid(copier, NULL, 0);
	return status;
}

int main(int argc, char **argv)
{
	struct egress_options o = {.byte_budget = 0};
	static struct buf rules;
	int i = 3, fd;

	if (argc > 1 && strcmp(argv[1], EGRESS_MODE) == 0)
		return egress_main(argc, argv);
	if (argc > 1 && strcmp(argv[1], EGRESS_CHECK_MODE) == 0)
		return egress_check_main(argc, argv);
	if (argc > 1 && strcmp(argv[1], EGRESS_CONNECT_MODE) == 0)
		return egress_connect_main(argc, argv);
	for (; i + 1 < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i += 2) {
		if (strcmp(argv[i], "--budget") == 0)
			o.byte_budget = strtoull(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--credential") == 0)
			o.credential = argv[i + 1];
	}
	if (i + 1 >= argc || strcmp(argv[i], "--") != 0) {
		fprintf(stderr, "egressbox: bad arguments\n");
		return 2;
	}
	buf_init(&rules, 1 << 20);
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || io_read_all(fd, &rules, 1 << 20) != 0)
		die(argv[1]);
	(void)close(fd);
	return run(buf_view(&rules), &o, argv[2], argv + i + 1);
}
