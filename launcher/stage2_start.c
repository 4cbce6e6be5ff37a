/* SPDX-License-Identifier: MIT */
/* Fork and exec of the command: looked up on the PATH it gets, in its own process group (or as the
 * leader of its terminal's session), with nothing inherited but its standard streams. System. */
#include "base/base.h"
#include "launcher/stage2.h"

#include "base/limits.h"
#include "launcher/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>

static const char *value_of(char *const *envp, const char *name)
{
	size_t n = strlen(name);

	for (; *envp; envp++)
		if (strncmp(*envp, name, n) == 0 && (*envp)[n] == '=')
			return *envp + n + 1;
	return NULL;
}

/* execvpe's rules without its fallback to a shell: EACCES is remembered, everything else but a
 * missing file ends the search. Empty members of PATH are skipped: they mean the working folder. */
static int exec_on_path(const struct stage2_start *s)
{
	const char *path = value_of(s->envp, "PATH"), *name = s->argv[0];
	int error = ENOENT;

	if (strchr(name, '/')) {
		(void)execve(name, s->argv, s->envp);
		return errno;
	}
	for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
		size_t n = strcspn(at, ":");
		char full[MAX_PATH_BYTES + 1];

		if (n > 0 && n + strlen(name) + 2 <= sizeof(full)) {
			(void)snprintf(full, sizeof(full), "%.*s/%s", (int)n, at, name);
			(void)execve(full, s->argv, s->envp);
			if (errno == EACCES)
				error = EACCES;
			else if (errno != ENOENT && errno != ENOTDIR)
				return errno;
		}
		at += n + (at[n] == ':');
	}
	return error;
}

/* The observer of --explain: the last filter, in the command alone. Its listener goes to the
 * launcher, which is answering by the time the next watched call, exec, is made. */
static int observe(const struct stage2_start *s)
{
	static struct sock_filter code[4096];
	struct sock_fprog program = {.filter = code};
	struct wire_msg m = {.type = WIRE_OBSERVER, .n_fds = 1};
	ssize_t n = pread(s->observer_fd, code, sizeof(code), 0);
	int fd;

	if (n <= 0)
		return EINVAL;
	program.len = (unsigned short)((size_t)n / sizeof(code[0]));
	fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			  &program);
	if (fd < 0)
		return errno;
	if (wire_send(s->control_fd, &m, &fd) < 0)
		return EPIPE;
	(void)close(fd);
	return 0;
}

static int prepare_child(const struct stage2_start *s)
{
	struct errctx e = {0};
	sigset_t none;
	int error;

	for (int sig = 1; sig < NSIG; sig++)
		(void)signal(sig, SIG_DFL);
	/* Same session as pid 1, so that the group isn't orphaned and can be stopped and continued.
	 */
	if (setpgid(0, 0) < 0 || (s->slave_fd >= 0 && tcsetpgrp(s->slave_fd, getpid()) < 0))
		return errno;
	for (int i = 0; i < 3; i++)
		if (dup2(s->relay >> i & 1 ? s->slave_fd : s->std[i], i) < 0)
			return errno;
	(void)umask(s->umask);
	if (chdir(s->cwd) < 0)
		return errno;
	if (s->landlock_abi && landlock_scope(s->landlock_abi, &e) < 0)
		return e.sys_errno ? e.sys_errno : EPERM;
	if (s->observer_fd >= 0 && (error = observe(s)) != 0)
		return error;
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	return 0;
}

int stage2_start_command(const struct stage2_start *s, pid_t *ret_pid)
{
	int report[2], error = 0;
	ssize_t n;
	pid_t pid;

	if (s->slave_fd >= 0 && ioctl(s->slave_fd, TIOCSCTTY, 0) < 0)
		return errno;
	if (pipe2(report, O_CLOEXEC) < 0)
		return errno;
	pid = fork();
	if (pid < 0) {
		error = errno;
		(void)close(report[0]);
		(void)close(report[1]);
		return error;
	}
	if (pid == 0) {
		error = prepare_child(s);
		if (error == 0)
			error = exec_on_path(s);
		(void)!write(report[1], &error, sizeof(error));
		_exit(127);
	}
	(void)close(report[1]);
	do
		n = read(report[0], &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	(void)close(report[0]);
	if (n == 0) {
		*ret_pid = pid;
		return 0;
	}
	(void)waitpid(pid, NULL, 0);
	return n == (ssize_t)sizeof(error) && error ? error : EIO;
}
