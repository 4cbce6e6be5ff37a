/* SPDX-License-Identifier: MIT */
/* Shared parts of the tests of base/'s system half; see systest.h. */
#include "base/base.h"

#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static char scratch[256];
static int scratch_dir_fd = -1;

const char *make_scratch(void)
{
	const char *top = getenv("TMPDIR");
	char wanted[200];

	(void)snprintf(wanted, sizeof(wanted), "%s/agentteams-unit.XXXXXX",
		       top && *top ? top : "/tmp");
	cr_assert_not_null(mkdtemp(wanted));
	cr_assert_eq(chmod(wanted, 0755), 0);
	scratch_dir_fd = open(wanted, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(scratch_dir_fd, 0);
	cr_assert_eq(fchdir(scratch_dir_fd), 0);
	cr_assert_not_null(getcwd(scratch, sizeof(scratch)));
	cr_assert_eq(chdir("/"), 0);
	return scratch;
}

/* By descriptor, since a test may have made paths longer than any path may be; the folder is
 * closed. */
static void empty_dir(int dir_fd)
{
	DIR *dir;
	const struct dirent *d;

	(void)fchmod(dir_fd, 0700);
	dir = fdopendir(dir_fd);
	while (dir && (d = readdir(dir)) != NULL) {
		int fd;

		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
		    unlinkat(dir_fd, d->d_name, 0) == 0)
			continue;
		(void)!fchmodat(dir_fd, d->d_name, 0700, 0);
		fd = openat(dir_fd, d->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			empty_dir(fd);
		(void)unlinkat(dir_fd, d->d_name, AT_REMOVEDIR);
	}
	if (dir)
		(void)closedir(dir);
}

void remove_scratch(void)
{
	struct rlimit files = {4096, 4096};

	if (!scratch[0])
		return;
	(void)setrlimit(RLIMIT_NOFILE, &files);
	empty_dir(fcntl(scratch_dir_fd, F_DUPFD_CLOEXEC, 0));
	(void)close(scratch_dir_fd);
	if (rmdir(scratch) < 0)
		check_failed(__FILE__, __LINE__, "the scratch folder is empty");
	scratch[0] = 0;
}

const char *scratch_path(void)
{
	return scratch;
}

void move_scratch_fd(int fd)
{
	scratch_dir_fd = fd;
}

int scratch_fd(void)
{
	return scratch_dir_fd;
}

void put_file(const char *name, const char *text, mode_t mode)
{
	int fd = openat(scratch_dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	size_t n = strlen(text);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n || fchmod(fd, mode) < 0 || close(fd) < 0)
		check_failed(__FILE__, __LINE__, name);
}

void put_dir(const char *name, mode_t mode)
{
	if (mkdirat(scratch_dir_fd, name, 0700) < 0 || fchmodat(scratch_dir_fd, name, mode, 0) < 0)
		check_failed(__FILE__, __LINE__, name);
}

void put_link(const char *target, const char *name)
{
	if (symlinkat(target, scratch_dir_fd, name) < 0)
		check_failed(__FILE__, __LINE__, name);
}

bool has_file(const char *name, const char *text)
{
	int fd = openat(scratch_dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char got[4096];
	ssize_t n;
	struct stat st;
	bool same;

	if (fd < 0)
		return false;
	n = read(fd, got, sizeof(got));
	same = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && n == (ssize_t)strlen(text) &&
	       memcmp(got, text, (size_t)n) == 0;
	(void)close(fd);
	return same;
}

static int count_in(int dir_fd)
{
	DIR *dir = fdopendir(dir_fd);
	int n = 0;
	const struct dirent *d;

	if (!dir)
		return -1;
	while ((d = readdir(dir)) != NULL)
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			n++;
	(void)closedir(dir);
	return n;
}

int count_entries(const char *name)
{
	return count_in(openat(scratch_dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

int count_fds(void)
{
	return count_in(open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

void check_failed(const char *file, int line, const char *condition)
{
	(void)fprintf(stderr, "%s:%d: %s (errno %s)\n", file, line, condition, strerror(errno));
	(void)fflush(stderr);
	_exit(1);
}

pid_t fork_child(void)
{
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	cr_assert_geq(pid, 0);
	return pid;
}

void kill_child(pid_t pid)
{
	cr_assert_gt(pid, 1);
	(void)kill(pid, SIGKILL);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
}

static bool run(void (*fn)(void *arg), void *arg, bool as_user)
{
	pid_t pid;
	int status;

	pid = fork_child();
	if (pid == 0) {
		if (as_user && geteuid() == 0) {
			CHECK(syscall(SYS_setgroups, 0, NULL) == 0);
			CHECK(setresgid(1234, 1234, 1234) == 0);
			CHECK(setresuid(1234, 1234, 1234) == 0);
		}
		fn(arg);
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return status == 0;
}

bool in_child(void (*fn)(void *arg), void *arg)
{
	return run(fn, arg, false);
}

bool in_child_as_user(void (*fn)(void *arg), void *arg)
{
	return run(fn, arg, true);
}

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		(void)close(fd);
	return good;
}

bool enter_namespaces(void)
{
	unsigned uid = geteuid(), gid = getegid();
	char map[64];

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return false;
	(void)write_text("/proc/self/setgroups", "deny");
	(void)snprintf(map, sizeof(map), "0 %u 1", uid);
	if (!write_text("/proc/self/uid_map", map))
		return false;
	(void)snprintf(map, sizeof(map), "0 %u 1", gid);
	return write_text("/proc/self/gid_map", map) &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static void try_namespaces(void *arg)
{
	(void)arg;
	if (!enter_namespaces())
		_exit(1);
}

void skip_or_fail(const char *reason)
{
	const char *must = getenv("AGENTTEAMS_MUST_RUN");

	if (must && (strstr(must, "unit") || strstr(must, "all")))
		cr_assert_fail("must run here, but: %s", reason);
	cr_skip_test("%s", reason);
}

void skip_other_user(const char *reason)
{
	cr_skip_test("%s", reason);
}

bool need_namespaces(void)
{
	if (in_child(try_namespaces, NULL))
		return true;
	skip_or_fail("this host gives no user namespaces");
	return false;
}

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#else
#error "deny_syscall: name this architecture"
#endif

void deny_syscall_where(long nr, int error, int arg, unsigned value)
{
	/* Little endian: the low half of an argument comes first. */
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args) + 8 * (unsigned)(arg < 0 ? 0 : arg)),
		BPF_JUMP(BPF_JMP | (arg < 0 ? BPF_JGE : BPF_JEQ) | BPF_K, arg < 0 ? 0 : value, 0,
			 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((unsigned)error & SECCOMP_RET_DATA)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = ARRAY_LEN(filter), .filter = filter};

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0);
}

void deny_syscall(long nr, int error)
{
	deny_syscall_where(nr, error, -1, 0);
}
