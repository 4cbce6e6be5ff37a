/* SPDX-License-Identifier: MIT */
/*
 * Asks the Linux kernel what it would enforce for this user. Probes act: a namespace is made and
 * left again in a child, a Landlock ruleset isn't. Tests: tests/e2e/t0001-cli.tap.
 */
#include "base/base.h"

#include "cli/hostinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static void landlock(void (*each)(const char *, const char *))
{
	char text[64];
	/* 1: LANDLOCK_CREATE_RULESET_VERSION, asks for the ABI and makes nothing. */
	long abi = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, 1U);

	if (abi > 0)
		(void)snprintf(text, sizeof(text), "yes, ABI %ld", abi);
	else
		(void)snprintf(text, sizeof(text), "no (%s)",
			       errno == EOPNOTSUPP ? "switched off at boot" : "not in this kernel");
	each("Landlock", text);
}

static void seccomp(void (*each)(const char *, const char *))
{
	unsigned action = SECCOMP_RET_ERRNO;

	each("seccomp filter",
	     syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0U, &action) == 0 ? "yes" : "no");
}

/* In the child: 0, or the errno of the first thing that a sandbox needs and doesn't get. Ubuntu
 * lets everybody make a user namespace and then refuses the mount, so the mount is tried too. */
static int try_namespace(void)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return errno;
	return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 ? 0 : errno;
}

static void user_namespace(void (*each)(const char *, const char *))
{
	char text[128];
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(try_namespace() & 0x7f);
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			break;
	if (pid < 0 || !WIFEXITED(status))
		(void)snprintf(text, sizeof(text), "unknown (the probe could not run)");
	else if (WEXITSTATUS(status) == 0)
		(void)snprintf(text, sizeof(text), "yes");
	else
		(void)snprintf(text, sizeof(text), "no (%s)", strerror(WEXITSTATUS(status)));
	each("user namespaces", text);
}

static void bubblewrap(void (*each)(const char *, const char *))
{
	struct stat st;
	char text[320];
	const char *finding = "root-owned, not writable by others";

	if (lstat(BWRAP_PATH, &st) != 0)
		finding = "not there";
	else if (S_ISLNK(st.st_mode))
		finding = "refused: a link";
	else if (!S_ISREG(st.st_mode))
		finding = "refused: no regular file";
	else if (st.st_uid != 0)
		finding = "refused: not owned by root";
	else if (st.st_mode & (S_IWGRP | S_IWOTH))
		finding = "refused: writable by others";
	else if (access(BWRAP_PATH, X_OK) != 0)
		finding = "refused: this user may not execute it";
	(void)snprintf(text, sizeof(text), "%s: %s", BWRAP_PATH, finding);
	each("bubblewrap", text);
}

static void resolve_beneath(void (*each)(const char *, const char *))
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_BENEATH};
	long fd = syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof(how));

	each("openat2", fd >= 0 ? "yes" : "no (paths are walked component by component)");
	if (fd >= 0)
		(void)close((int)fd);
}

void hostinfo_report(void (*each)(const char *name, const char *finding))
{
	landlock(each);
	seccomp(each);
	user_namespace(each);
	bubblewrap(each);
	resolve_beneath(each);
}
