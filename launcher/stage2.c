/* SPDX-License-Identifier: MIT */
/*
 * confine-init: pid 1 of the sandbox. Order: take the plan, prove the boundary, report READY, wait
 * for GO, start the command, reap, and when the command has ended kill and count whatever is left.
 * Failure rule: any surprise before the command is WIRE_FAIL and exit 125; a lost control pair
 * kills everything. Covered by tests/escape/ and tests/e2e/launcher-*.tap.
 */
#include "base/base.h"
#include "launcher/stage2.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { EXIT_NOT_BUILT = 125, CONTROL_FD = 3 };

struct stage2 {
	int control_fd;
	int signal_fd;
	struct plan_file plan;
	struct stage2_start start;
	pid_t command; /* 0: not started or gone */
	bool ended;    /* the command's status is known */
	int status;
	unsigned survivors;
};

static noreturn_fn void fail(struct stage2 *s, const struct errctx *e)
{
	struct wire_msg m = {.type = WIRE_FAIL, .a = e->sys_errno};

	(void)snprintf(m.text, sizeof(m.text), "%.*s", WIRE_TEXT - 1, e->text);
	if (wire_send(s->control_fd, &m, NULL) < 0)
		_exit(EXIT_NOT_BUILT); /* nobody to tell */
	_exit(EXIT_NOT_BUILT);
}

static void send_plain(struct stage2 *s, enum wire_type type, int a, int b)
{
	struct wire_msg m = {.type = type, .a = a, .b = b};

	if (wire_send(s->control_fd, &m, NULL) < 0)
		_exit(EXIT_NOT_BUILT); /* the kernel kills the rest with us */
}

static void send_fd(struct stage2 *s, enum wire_type type, int a, int fd)
{
	struct wire_msg m = {.type = type, .a = a, .n_fds = 1};

	if (wire_send(s->control_fd, &m, &fd) < 0)
		_exit(EXIT_NOT_BUILT);
}

/* Nothing inherited may survive but the control pair (file 10, experiments 8 and 9). The launcher's
 * number is moved to a fixed one, so that one range covers the rest. */
static int close_all_but(int control, struct errctx *e)
{
	if (control != CONTROL_FD && dup2(control, CONTROL_FD) < 0)
		return err_sys(e, "process: control pair");
	if (syscall(SYS_close_range, CONTROL_FD + 1, ~0u, 0) < 0) {
		for (int fd = CONTROL_FD + 1; fd < 65536; fd++)
			(void)close(fd); /* kernels before 5.9 */
	}
	if (fcntl(CONTROL_FD, F_SETFD, FD_CLOEXEC) < 0)
		return err_sys(e, "process: control pair");
	return 0;
}

static int take_plan(struct stage2 *s, struct errctx *e)
{
	struct wire_msg m;
	int fds[WIRE_MAX_FDS];
	int r = wire_receive(s->control_fd, &m, fds, NULL);

	if (r < 0)
		_exit(EXIT_NOT_BUILT); /* nobody to tell */
	if (m.type != WIRE_START || m.n_fds < 4)
		return err_set(e, E_SYNTAX, "process: unexpected first message");
	for (int i = 0; i < 3; i++)
		s->start.std[i] = fds[1 + i];
	s->start.observer_fd = m.n_fds == 5 ? fds[4] : -1;
	s->start.control_fd = s->control_fd;
	r = plan_file_open(fds[0], &s->plan, e);
	(void)close(fds[0]);
	return r;
}

/* argv and envp point into the mapped plan. */
static int collect_words(struct stage2 *s, struct errctx *e)
{
	size_t n = s->plan.head.n_records, args = 0, vars = 0;
	char **argv = calloc(n + 1, sizeof(*argv));
	char **envp = calloc(n + 1, sizeof(*envp));
	struct record r;

	if (!argv || !envp) {
		free(argv);
		free(envp);
		return err_set(e, E_NOMEM, "process: no memory");
	}
	plan_file_rewind(&s->plan);
	while (plan_file_next(&s->plan, &r)) {
		if (r.type == REC_ARG)
			argv[args++] = (char *)(uintptr_t)r.text;
		else if (r.type == REC_ENV)
			envp[vars++] = (char *)(uintptr_t)r.text;
		else if (r.type == REC_CWD)
			s->start.cwd = r.text;
	}
	s->start.argv = argv; /* execve's prototype wants char *; it changes nothing */
	s->start.envp = envp;
	if (args == 0 || !s->start.cwd)
		return err_set(e, E_SYNTAX, "process: plan without a command");
	return 0;
}

static void open_network_and_terminal(struct stage2 *s)
{
	struct errctx e = {0};
	int fd = -1, port = 0, master = -1;

	s->start.slave_fd = -1;
	s->start.relay = s->plan.head.relay;
	if (s->plan.head.listener) {
		if (stage2_listener(&fd, &port, &e) < 0)
			fail(s, &e);
		send_fd(s, WIRE_LISTENER, port, fd);
		(void)close(fd);
	}
	if (s->plan.head.relay) {
		if (stage2_terminal(&master, &s->start.slave_fd, &e) < 0)
			fail(s, &e);
		send_fd(s, WIRE_TERMINAL, 0, master);
		(void)close(master);
	}
}

static void prove(struct stage2 *s)
{
	struct errctx e = {0};
	int abi = 0;

	if (stage2_check_process(&s->plan.head, &e) < 0 ||
	    stage2_check_network(&s->plan.head, &e) < 0 || stage2_check_objects(&s->plan, &e) < 0)
		fail(s, &e);
	open_network_and_terminal(s);
	if (stage2_apply_limits(&s->plan.head, &e) < 0 ||
	    stage2_apply_landlock(&s->plan, &abi, &e) < 0)
		fail(s, &e);
	s->start.landlock_abi = abi;
	s->start.umask = s->plan.head.umask;
	send_plain(s, WIRE_READY, abi, (int)s->plan.head.seccomp_filters);
}

static void wait_for_go(struct stage2 *s)
{
	struct wire_msg m;
	int fds[WIRE_MAX_FDS];

	/* The launcher adds the proxy's port to the environment only now known: it sends the
	 * finished plan once more with GO when it has one. */
	if (wire_receive(s->control_fd, &m, fds, NULL) < 0 || m.type != WIRE_GO)
		_exit(EXIT_NOT_BUILT);
	if (m.n_fds == 1) {
		struct errctx e = {0};

		if (plan_file_open(fds[0], &s->plan, &e) < 0)
			fail(s, &e);
		(void)close(fds[0]);
		free((void *)(uintptr_t)s->start.argv);
		free((void *)(uintptr_t)s->start.envp);
		if (collect_words(s, &e) < 0)
			fail(s, &e);
	}
}

static void start_command(struct stage2 *s)
{
	pid_t pid = 0;
	int error = stage2_start_command(&s->start, &pid);

	for (int i = 0; i < 3; i++)
		(void)close(s->start.std[i]);
	if (s->start.observer_fd >= 0)
		(void)close(s->start.observer_fd);
	if (s->start.slave_fd >= 0)
		(void)close(s->start.slave_fd);
	send_plain(s, WIRE_EXEC, error, 0);
	if (error)
		_exit(error == ENOENT ? 127 : 126);
	s->command = pid;
}

static void reap(struct stage2 *s)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, WNOHANG | WUNTRACED);

		if (pid <= 0)
			return;
		if (pid == s->command && WIFSTOPPED(status)) {
			send_plain(s, WIRE_STOPPED, WSTOPSIG(status), 0);
		} else if (pid == s->command) {
			s->command = 0;
			s->ended = true;
			s->status = status;
		}
	}
}

/* Everybody else inside dies now; pid 1 is exempt from its own kill(-1). */
static void end_survivors(struct stage2 *s)
{
	int status;

	(void)kill(-1, SIGKILL);
	for (;;) {
		pid_t pid = waitpid(-1, &status, 0);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			break;
		if (pid == s->command) {
			s->ended = true;
			s->status = status;
		} else if (WIFSIGNALED(status)) {
			s->survivors++;
		}
	}
}

static void take_message(struct stage2 *s)
{
	struct wire_msg m;
	int fds[WIRE_MAX_FDS];

	if (wire_receive(s->control_fd, &m, fds, NULL) < 0) {
		end_survivors(s);
		_exit(EXIT_NOT_BUILT);
	}
	for (uint32_t i = 0; i < m.n_fds; i++)
		(void)close(fds[i]);
	if (m.type == WIRE_SIGNAL && s->command > 0) {
		if (kill(-s->command, m.a) < 0)
			(void)kill(s->command, m.a); /* it left its group */
	} else if (m.type == WIRE_KILL) {
		end_survivors(s);
	}
}

static void serve(struct stage2 *s)
{
	while (!s->ended) {
		struct pollfd p[2] = {{s->control_fd, POLLIN, 0}, {s->signal_fd, POLLIN, 0}};

		if (poll(p, 2, -1) < 0)
			continue;
		if (p[0].revents)
			take_message(s);
		if (p[1].revents) {
			struct signalfd_siginfo info;

			if (read(s->signal_fd, &info, sizeof(info)) < 0 && errno != EAGAIN)
				continue;
			reap(s);
		}
	}
	end_survivors(s);
	send_plain(s, WIRE_EXIT, s->status, (int)s->survivors);
}

/* Started by hand: no formatted output, which would only make the program larger. */
static int say_what_it_is(const char *word)
{
	static const char version[] = "confine-init (" PACKAGE_NAME ") " PACKAGE_VERSION "\n";
	static const char help[] = "confine-init: pid 1 of a sandbox, started by confine-run only\n"
				   "  --help     print this\n  --version  print the version\n";
	bool asked_version = strcmp(word, "--version") == 0;

	if (!asked_version && strcmp(word, "--help") != 0) {
		(void)!write(STDERR_FILENO, help, sizeof(help) - 1);
		return EXIT_NOT_BUILT;
	}
	return (asked_version ? write(STDOUT_FILENO, version, sizeof(version) - 1)
			      : write(STDOUT_FILENO, help, sizeof(help) - 1)) > 0
		       ? 0
		       : EXIT_NOT_BUILT;
}

int main(int argc, char **argv)
{
	struct stage2 s = {.control_fd = CONTROL_FD, .signal_fd = -1};
	struct errctx e = {0};
	sigset_t mask;
	long control = argc == 2 ? strtol(argv[1], NULL, 10) : 0;

	if (control < CONTROL_FD)
		return say_what_it_is(argc == 2 ? argv[1] : "");
	/* Nobody inside may read this process's memory or open its executable. */
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (close_all_but((int)control, &e) < 0)
		fail(&s, &e);
	sigfillset(&mask);
	(void)sigprocmask(SIG_SETMASK, &mask, NULL);
	s.signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s.signal_fd < 0)
		fail(&s, &e);
	send_plain(&s, WIRE_HELLO, 0, 0);
	if (take_plan(&s, &e) < 0 || collect_words(&s, &e) < 0)
		fail(&s, &e);
	prove(&s);
	wait_for_go(&s);
	start_command(&s);
	serve(&s);
	_exit(0); /* nothing to flush, nothing to free */
}
