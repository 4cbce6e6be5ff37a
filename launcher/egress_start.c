/* SPDX-License-Identifier: MIT */
/* The launcher's side of the proxy process. Effects: starts and ends a process. Tested by
 * tests/e2e/t03*-*egress*.tap. */
#include "base/base.h"

#include "launcher/egress.h"

#include "base/clock.h"
#include "base/io.h"
#include "launcher/egress_io.h"
#include "launcher/egress_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>

static int make_start_file(struct view rules, const struct egress_options *o, int report_fd,
			   int *ret_fd, struct errctx *e)
{
	struct view credential = view_of(o->credential);
	struct egress_start_head h = {.magic = EGRESS_MAGIC,
				      .byte_budget = o->byte_budget,
				      .credential_len = (uint32_t)credential.len,
				      .rules_len = (uint32_t)rules.len,
				      .has_report = report_fd >= 0,
				      .without_landlock = o->without_landlock};
	auto_fd int fd = memfd_create("egress-start", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (rules.len > MAX_OPERATOR_FILE_BYTES || credential.len > MAX_EGRESS_HEAD_BYTES / 4)
		return err_set(e, E_TOOBIG, "egress rules or credential too long");
	if (fd < 0)
		return err_sys(e, "memory file for the egress proxy");
	if (io_write_all(fd, &h, sizeof(h)) != 0 ||
	    io_write_all(fd, credential.ptr, credential.len) != 0 ||
	    io_write_all(fd, rules.ptr, rules.len) != 0 || lseek(fd, 0, SEEK_SET) != 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0)
		return err_sys(e, "memory file for the egress proxy");
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int spawn(int start_fd, int control_fd, int report_fd, struct proc *ret, struct errctx *e)
{
	char *const argv[] = {(char[]){"confine-run"}, (char[]){EGRESS_MODE}, NULL};
	char *const envp[] = {NULL};
	auto_fd int exe_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct proc_fd fds[] = {
		{2, 2},
		{EGRESS_FD_START, start_fd},
		{EGRESS_FD_CONTROL, control_fd},
		{EGRESS_FD_REPORT, report_fd},
	};
	struct proc_spec spec = {
		.exec_fd = exe_fd,
		.argv = argv,
		.envp = envp,
		.fds = fds,
		.n_fds = report_fd >= 0 ? ARRAY_LEN(fds) : ARRAY_LEN(fds) - 1,
		.cwd_fd = -1,
		.new_group = true, /* an interrupt from the terminal is for the command */
		.die_with_parent = true,
	};

	if (exe_fd < 0)
		return err_sys(e, "this program's own file");
	return proc_spawn(&spec, ret, e);
}

static int await_ready(int control_fd, struct errctx *e)
{
	int64_t until = clock_mono_ms() + EGRESS_START_MS, now;
	struct egress_ready r;

	while ((now = clock_mono_ms()) < until) {
		struct pollfd p = {.fd = control_fd, .events = POLLIN};
		int rc = poll(&p, 1, (int)(until - now));
		ssize_t n;

		if (rc < 0 && errno != EINTR)
			return err_sys(e, "egress proxy");
		if (rc <= 0)
			continue;
		n = recv(control_fd, &r, sizeof(r), MSG_DONTWAIT);
		if (n != (ssize_t)sizeof(r))
			return err_set(e, E_CLOSED, "egress proxy: it ended before it was ready");
		r.text[sizeof(r.text) - 1] = 0;
		return r.code ? err_set(e, r.code < 0 ? r.code : E_INTERNAL, "%s", r.text) : 0;
	}
	return err_set(e, E_TIMEOUT, "egress proxy: not ready after %d ms", EGRESS_START_MS);
}

/* After a failure; what it ends with says nothing more. */
static void end_now(struct proc *p)
{
	int status, rc;

	proc_kill(p, SIGKILL, false);
	do
		rc = proc_wait(p, 1000, &status, NULL);
	while (rc == E_TIMEOUT);
}

int egress_start(struct view rules, const struct egress_options *options, int report_fd,
		 struct egress_proxy *ret, struct errctx *e)
{
	struct egress_proxy p = {.proc = {.pid = -1, .pid_fd = -1}, .control_fd = -1};
	auto_fd int start_fd = -1;
	auto_fd int ours = -1;
	auto_fd int theirs = -1;
	int pair[2], rc = make_start_file(rules, options, report_fd, &start_fd, e);

	if (rc)
		return rc;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "egress proxy: control socket");
	ours = pair[0];
	theirs = pair[1];
	rc = spawn(start_fd, theirs, report_fd, &p.proc, e);
	if (rc)
		return rc;
	(void)close(steal_fd(&theirs)); /* or its end would never be seen */
	rc = await_ready(ours, e);
	if (rc) {
		end_now(&p.proc);
		return rc;
	}
	p.control_fd = steal_fd(&ours);
	*ret = p;
	return 0;
}

int egress_give_listener(struct egress_proxy *p, int listen_fd, struct errctx *e)
{
	int rc = egress_io_send_listener(p->control_fd, listen_fd);

	return rc ? err_set(e, rc, "egress proxy: it is gone") : 0;
}

int egress_stop(struct egress_proxy *p, int timeout_ms, struct errctx *e)
{
	int status = 0, rc;

	/* Shut, not only closed: some child of the caller may hold a copy. */
	if (p->control_fd >= 0) {
		(void)shutdown(p->control_fd, SHUT_RDWR);
		(void)close(steal_fd(&p->control_fd));
	}
	rc = proc_wait(&p->proc, timeout_ms, &status, e);
	if (rc == E_TIMEOUT) {
		proc_kill(&p->proc, SIGKILL, false);
		rc = proc_wait(&p->proc, -1, &status, e);
	}
	p->proc.pid = -1;
	if (rc)
		return rc;
	if (status != 0)
		return err_set(e, E_SYS, "egress proxy: it ended with status %d",
			       proc_exit_code(status));
	return 0;
}
