/* SPDX-License-Identifier: MIT */
/*
 * What an escape would try first. Each act does one thing, does no harm where it works, and says
 * which error stopped it. System.
 */
#include "base/base.h"
#include "launcher/acts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <net/if.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>

#ifndef AF_VSOCK
#define AF_VSOCK 40
#endif
#ifndef SYS_userfaultfd
#define SYS_userfaultfd 323
#endif

static int refused(void)
{
	int error = errno;

	(void)printf("refused: %s\n", strerror(error));
	return ACT_REFUSED;
}

static int outcome(bool worked)
{
	return worked ? ACT_DONE : refused();
}

/* ---- files ---- */

static int act_create(char **a)
{
	auto_fd int fd = open(a[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	return outcome(fd >= 0 && write(fd, "x", 1) == 1);
}

static int act_open_write(char **a)
{
	auto_fd int fd = open(a[0], O_WRONLY | O_CLOEXEC);

	return outcome(fd >= 0);
}

static int act_read(char **a)
{
	char byte;
	auto_fd int fd = open(a[0], O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && read(fd, &byte, 1) == 0) {
		errno = ENODATA; /* a mask: opened, but empty */
		return refused();
	}
	return outcome(fd >= 0);
}

static int act_unlink(char **a)
{
	return outcome(unlink(a[0]) == 0);
}

static int act_rename(char **a)
{
	return outcome(rename(a[0], a[1]) == 0);
}

static int act_mkdir(char **a)
{
	return outcome(mkdir(a[0], 0755) == 0);
}

static int act_link(char **a)
{
	return outcome(link(a[0], a[1]) == 0);
}

static int act_chmod(char **a)
{
	return outcome(chmod(a[0], 0777) == 0);
}

/* ---- descriptors ---- */

static int act_fd_write(char **a)
{
	return outcome(write((int)strtol(a[0], NULL, 10), "x", 1) == 1);
}

static int act_fd_create(char **a)
{
	auto_fd int fd =
		openat((int)strtol(a[0], NULL, 10), a[1], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	return outcome(fd >= 0);
}

/* ---- sockets ---- */

static int act_connect_unix(char **a)
{
	struct sockaddr_un s = {.sun_family = AF_UNIX};
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(s.sun_path, sizeof(s.sun_path), "%s", a[0]);
	return outcome(fd >= 0 && connect(fd, (struct sockaddr *)&s, sizeof(s)) == 0);
}

static int act_connect_abstract(char **a)
{
	struct sockaddr_un s = {.sun_family = AF_UNIX};
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(s.sun_path + 1, sizeof(s.sun_path) - 1, "%s", a[0]);
	return outcome(fd >= 0 && connect(fd, (struct sockaddr *)&s,
					  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
						      strlen(a[0]))) == 0);
}

static int act_connect_tcp(char **a)
{
	struct sockaddr_in s = {.sin_family = AF_INET,
				.sin_port = htons((uint16_t)strtol(a[1], NULL, 10))};
	auto_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)inet_pton(AF_INET, a[0], &s.sin_addr);
	return outcome(fd >= 0 && connect(fd, (struct sockaddr *)&s, sizeof(s)) == 0);
}

static int act_socket(char **a)
{
	auto_fd int fd =
		socket((int)strtol(a[0], NULL, 10), (int)strtol(a[1], NULL, 10) | SOCK_CLOEXEC,
		       (int)strtol(a[2], NULL, 10));

	return outcome(fd >= 0);
}

/* ---- kernel interfaces ---- */

static int act_keyring(char **a)
{
	return outcome(syscall(SYS_keyctl, 10 /* SEARCH */, -3 /* session */, "user", a[0], 0) >=
		       0);
}

static int act_add_key(char **a)
{
	return outcome(syscall(SYS_add_key, "user", a[0], "secret", 6, -3) >= 0);
}

static int act_userns(char **a)
{
	(void)a;
	return outcome(unshare(CLONE_NEWUSER) == 0);
}

static int act_clone_userns(char **a)
{
	long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

	(void)a;
	if (pid == 0)
		_exit(0);
	if (pid > 0)
		(void)waitpid((pid_t)pid, NULL, 0);
	return outcome(pid > 0);
}

static int act_mount(char **a)
{
	bool worked = (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 || geteuid() == 0) &&
		      mount("none", a[0], "tmpfs", 0, NULL) == 0;

	return outcome(worked);
}

static int act_remount_root(char **a)
{
	(void)a;
	return outcome(unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
		       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
}

static int act_umount(char **a)
{
	return outcome(umount2(a[0], MNT_DETACH) == 0);
}

static int act_ptrace(char **a)
{
	pid_t pid = fork();
	bool worked;
	int error;

	(void)a;
	if (pid == 0) {
		(void)pause();
		_exit(0);
	}
	worked = pid > 0 && ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0;
	error = errno;
	if (pid > 0) {
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
	}
	errno = error;
	return outcome(worked);
}

static int act_io_uring(char **a)
{
	struct io_uring_params p = {0};
	long fd = syscall(SYS_io_uring_setup, 4, &p);

	(void)a;
	return outcome(fd >= 0);
}

static int act_bpf(char **a)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};

	(void)a;
	return outcome(syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)) >= 0);
}

static int act_perf(char **a)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .exclude_kernel = 1};

	(void)a;
	return outcome(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) >= 0);
}

static int act_userfaultfd(char **a)
{
	(void)a;
	return outcome(syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* USER_MODE_ONLY */) >= 0);
}

static int act_handle(char **a)
{
	struct {
		struct file_handle head;
		char space[128];
	} h = {.head = {.handle_bytes = 128}};
	int id;

	return outcome(name_to_handle_at(AT_FDCWD, a[0], &h.head, &id, 0) == 0);
}

/* Killed by the filter's architecture check, or refused. */
static int act_x32(char **a)
{
	(void)a;
#ifdef __x86_64__
	return outcome(syscall(0x40000000L | 39) > 0); /* getpid of the x32 table */
#else
	return ACT_ABSENT;
#endif
}

static int act_int80(char **a)
{
	(void)a;
#ifdef __x86_64__
	long r;

	__asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
	if (r < 0)
		errno = (int)-r;
	return outcome(r > 0); /* getpid of the 32-bit table */
#else
	return ACT_ABSENT;
#endif
}

static int act_personality(char **a)
{
	(void)a;
	return outcome(syscall(SYS_personality, 0x0040000 /* ADDR_NO_RANDOMIZE */) >= 0);
}

/* The upper half of the request is ignored by the kernel; a filter must look at the lower one. */
static int type_into_terminal(unsigned long request)
{
	auto_fd int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	int unlock = 0;
	char c = 'x';
	long r;

	if (master < 0 || ioctl(master, TIOCSPTLCK, &unlock) < 0)
		return refused();

	auto_fd int slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY);

	if (slave < 0)
		return refused();
	(void)setsid();
	(void)ioctl(slave, TIOCSCTTY, 0);
	r = syscall(SYS_ioctl, slave, request, &c);
	return outcome(r == 0);
}

/* In a child, which can lead a session of its own. */
static int try_terminal(unsigned long request)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		(void)signal(SIGHUP, SIG_IGN); /* the hang-up when the pair is closed */
		status = type_into_terminal(request);
		(void)fflush(stdout);
		_exit(status);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status)
								    : ACT_REFUSED;
}

static int act_tiocsti(char **a)
{
	(void)a;
	return try_terminal(TIOCSTI);
}

static int act_tiocsti_high(char **a)
{
	(void)a;
	return try_terminal(TIOCSTI | 0x100000000UL);
}

/* ---- processes ---- */

static int act_signal(char **a)
{
	return outcome(kill((pid_t)strtol(a[0], NULL, 10), 0) == 0);
}

/* Stays behind and writes later; works if the file is there afterwards. */
static int act_linger(char **a)
{
	pid_t pid = fork();

	if (pid != 0)
		return outcome(pid > 0);
	(void)setsid();
	if (fork() != 0)
		_exit(0);
	for (int i = 0; i < 3; i++)
		(void)close(i);
	(void)usleep(600000);
	(void)act_create(a);
	_exit(0);
}

/* How many children can be had at one time; works if all were. */
/* The children end with the pipe, not by a signal to a group that outside is the caller's too. */
static int act_forks(char **a)
{
	long wanted = strtol(a[0], NULL, 10), got = 0;
	int ends[2], error = 0;
	char c;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return outcome(false);
	for (; got < wanted; got++) {
		pid_t pid = fork();

		if (pid == 0) {
			(void)close(ends[1]);
			_exit(read(ends[0], &c, 1) == 0 ? 0 : 1);
		}
		if (pid < 0) {
			error = errno;
			break;
		}
	}
	(void)close(ends[1]);
	(void)close(ends[0]);
	while (wait(NULL) > 0)
		continue;
	errno = error;
	return outcome(got == wanted);
}

static int act_fill(char **a)
{
	long mib = strtol(a[1], NULL, 10);
	auto_fd int fd = open(a[0], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	auto_free char *block = calloc(1, 1 << 20);
	int error = 0;

	for (long i = 0; fd >= 0 && block && i < mib && !error; i++)
		if (write(fd, block, 1 << 20) != 1 << 20)
			error = errno ? errno : ENOSPC;
	(void)unlink(a[0]);
	errno = error;
	return outcome(fd >= 0 && !error);
}

static int act_exec(char **a)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		char *const argv[] = {a[0], NULL}, *const envp[] = {NULL};

		(void)execve(a[0], argv, envp);
		_exit(errno == EACCES ? 126 : 127);
	}
	(void)waitpid(pid, &status, 0);
	errno = EACCES;
	return outcome(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A program in a memory file, past every path rule. */
static int act_memfd_exec(char **a)
{
	auto_fd int in = open(a[0], O_RDONLY | O_CLOEXEC);
	int fd = (int)syscall(SYS_memfd_create, "x", 0);
	char block[65536];
	ssize_t n;
	int status = 0;
	pid_t pid;

	if (fd < 0)
		return refused();
	while ((n = read(in, block, sizeof(block))) > 0)
		if (write(fd, block, (size_t)n) != n)
			return refused();
	pid = fork();
	if (pid == 0) {
		char *const argv[] = {a[0], NULL}, *const envp[] = {NULL};

		(void)syscall(SYS_execveat, fd, "", argv, envp, AT_EMPTY_PATH);
		_exit(126);
	}
	(void)waitpid(pid, &status, 0);
	(void)close(fd);
	errno = EACCES;
	return outcome(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static const struct act {
	const char *name;
	int args;
	int (*run)(char **a);
} acts[] = {
	{"create", 1, act_create},
	{"open-write", 1, act_open_write},
	{"read", 1, act_read},
	{"unlink", 1, act_unlink},
	{"rename", 2, act_rename},
	{"mkdir", 1, act_mkdir},
	{"link", 2, act_link},
	{"chmod", 1, act_chmod},
	{"fd-write", 1, act_fd_write},
	{"fd-create", 2, act_fd_create},
	{"connect-unix", 1, act_connect_unix},
	{"connect-abstract", 1, act_connect_abstract},
	{"connect-tcp", 2, act_connect_tcp},
	{"socket", 3, act_socket},
	{"keyring", 1, act_keyring},
	{"add-key", 1, act_add_key},
	{"userns", 0, act_userns},
	{"clone-userns", 0, act_clone_userns},
	{"mount", 1, act_mount},
	{"remount-root", 0, act_remount_root},
	{"umount", 1, act_umount},
	{"ptrace", 0, act_ptrace},
	{"io-uring", 0, act_io_uring},
	{"bpf", 0, act_bpf},
	{"perf", 0, act_perf},
	{"userfaultfd", 0, act_userfaultfd},
	{"handle", 1, act_handle},
	{"x32", 0, act_x32},
	{"int80", 0, act_int80},
	{"personality", 0, act_personality},
	{"tiocsti", 0, act_tiocsti},
	{"tiocsti-high", 0, act_tiocsti_high},
	{"signal", 1, act_signal},
	{"linger", 1, act_linger},
	{"forks", 1, act_forks},
	{"fill", 2, act_fill},
	{"exec", 1, act_exec},
	{"memfd-exec", 1, act_memfd_exec},
};

int act_try(const char *name, int argc, char **argv)
{
	for (size_t i = 0; i < ARRAY_LEN(acts); i++)
		if (strcmp(name, acts[i].name) == 0 && argc == acts[i].args)
			return acts[i].run(argv);
	return ACT_USAGE;
}

int acts_main(int argc, char **argv)
{
	int status = argc < 3 ? ACT_USAGE : act_try(argv[2], argc - 3, argv + 3);

	(void)fflush(stdout);
	return status;
}
