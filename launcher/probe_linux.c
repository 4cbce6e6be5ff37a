/* SPDX-License-Identifier: MIT */
/* Attempts for preflight. System. */
#include "base/base.h"
#include "launcher/probe.h"

#include "base/io.h"
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int write_file(const char *path, const char *text)
{
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) > 0 ? 0 : errno;
}

static int enter(void)
{
	char map[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int error;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return errno;
	(void)write_file("/proc/self/setgroups", "deny");
	(void)snprintf(map, sizeof(map), "%u %u 1", (unsigned)uid, (unsigned)uid);
	error = write_file("/proc/self/uid_map", map);
	(void)snprintf(map, sizeof(map), "%u %u 1", (unsigned)gid, (unsigned)gid);
	if (error == 0)
		error = write_file("/proc/self/gid_map", map);
	if (error)
		return error;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? errno : 0;
}

/* Runs f in a child; its return value (an errno) comes back as the exit status. */
static int in_child(int (*f)(const char *), const char *arg)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (pid == 0)
		_exit(f(arg));
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return EIO;
	return WEXITSTATUS(status);
}

static int try_userns(const char *unused)
{
	(void)unused;
	return enter();
}

int probe_userns(void)
{
	return in_child(try_userns, NULL);
}

/* This program once more, around one that does nothing, in a folder of its own. option: names that
 * folder. */
static int run_self(char *option, char *why, size_t size)
{
	char base[] = "/var/tmp/confine-probe.XXXXXX", self[4096], quiet[] = "--quiet",
	     end[] = "--", truth[] = "/bin/true", home[64], home_var[80];
	char *const argv[] = {self, quiet, option, home, end, truth, NULL};
	char *const envp[] = {home_var, NULL};
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int out[2], status = 0;
	struct proc p;
	struct errctx e = {0};

	if (n <= 0 || !mkdtemp(base) || pipe2(out, O_CLOEXEC) < 0) {
		(void)snprintf(why, size, "%s", strerror(errno));
		return -1;
	}
	self[n] = '\0';
	(void)snprintf(home, sizeof(home), "%s/p", base);
	(void)snprintf(home_var, sizeof(home_var), "HOME=%s/h", base);
	(void)mkdir(home, 0700);

	struct proc_fd fds[] = {{2, out[1]}};
	struct proc_spec spec = {.path = self,
				 .exec_fd = -1,
				 .argv = argv,
				 .envp = envp,
				 .fds = fds,
				 .n_fds = 1,
				 .cwd_fd = -1};
	int r = proc_spawn(&spec, &p, &e);

	(void)close(out[1]);
	if (r == 0)
		r = proc_wait(&p, 20000, &status, &e);
	if (r < 0) {
		(void)snprintf(why, size, "%s", e.text);
	} else if (status != 0) {
		n = read(out[0], why, size - 1);
		why[n > 0 ? n : 0] = '\0';
		why[strcspn(why, "\n")] = '\0';
		r = -1;
	}
	(void)close(out[0]);
	(void)rmdir(home);
	(void)rmdir(base);
	return r;
}

int probe_boundary(char *why, size_t size)
{
	char option[] = "--scratch";

	return run_self(option, why, size);
}

int probe_overlay(char *why, size_t size)
{
	char option[] = "--overlay";

	return run_self(option, why, size);
}
