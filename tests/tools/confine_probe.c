/* SPDX-License-Identifier: MIT */
/*
 * Tries one act inside the server's self-confinement: confine_probe ROOT ACT. Prints "ok" or the
 * errno's name; a killed process says the rest. Linked with confine_off.c it is its own control.
 */
#include "base/base.h"

#include "base/pathfd.h"
#include "mcp/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int root_fd = -1;

static int open_it(const char *rel, int flags)
{
	int fd = openat(root_fd, rel, flags | O_CLOEXEC, 0600);

	return fd < 0 ? -1 : close(fd);
}

static int read_inside(void)
{
	return open_it("hello.txt", O_RDONLY);
}
static int read_outside(void)
{
	return open_it("/etc/hostname", O_RDONLY);
}
static int read_through_link(void)
{
	return open_it("n", O_RDONLY);
}
static int list_outside(void)
{
	return open_it("/etc", O_RDONLY | O_DIRECTORY);
}
static int write_inside(void)
{
	return open_it("hello.txt", O_WRONLY);
}
static int truncate_inside(void)
{
	return open_it("hello.txt", O_RDONLY | O_TRUNC);
}
static int create_inside(void)
{
	return open_it("src/planted", O_WRONLY | O_CREAT | O_EXCL);
}
static int create_request(void)
{
	return open_it(".agentteams-queue/mcp-requests/probe", O_WRONLY | O_CREAT);
}
static int create_ack(void)
{
	return open_it(".agentteams-queue/acks/probe", O_WRONLY | O_CREAT);
}
static int create_result(void)
{
	return open_it(".agentteams/queue-results/probe", O_WRONLY | O_CREAT);
}
static int create_orchestrator(void)
{
	return open_it(".agentteams-queue/requests/probe", O_WRONLY | O_CREAT);
}
static int make_folder(void)
{
	return mkdirat(root_fd, ".agentteams-queue/mcp-requests/d", 0700);
}
static int make_link(void)
{
	return symlinkat("/etc/passwd", root_fd, ".agentteams-queue/mcp-requests/l");
}
static int remove_inside(void)
{
	return unlinkat(root_fd, "src/a.py", 0);
}
static int move_out(void)
{
	return renameat(root_fd, ".agentteams-queue/mcp-requests/seed", root_fd, "src/moved");
}
static int change_mode(void)
{
	return (int)syscall(SYS_fchmodat, root_fd, "hello.txt", 0777);
}
static int run_program(void)
{
	char *argv[] = {(char *)(uintptr_t) "/bin/true", NULL};

	return execv(argv[0], argv);
}
static int make_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0 ? -1 : waitpid(pid, NULL, 0) == pid ? 0 : -1;
}
static int open_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? -1 : close(fd);
}
static int trace(void)
{
	return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}
static int signal_parent(void)
{
	return kill(getppid(), 0);
}
static int make_namespace(void)
{
	return (int)syscall(SYS_unshare, 0x10000000 /* CLONE_NEWUSER */);
}
static int load_filter(void)
{
	return (int)syscall(SYS_seccomp, 2 /* SECCOMP_GET_ACTION_AVAIL */, 0, &(uint32_t){0});
}

static const struct {
	const char *name;
	int (*try)(void);
} acts[] = {
	{"read-inside", read_inside},
	{"read-outside", read_outside},
	{"read-through-link", read_through_link},
	{"list-outside", list_outside},
	{"write-inside", write_inside},
	{"truncate-inside", truncate_inside},
	{"create-inside", create_inside},
	{"create-request", create_request},
	{"create-ack", create_ack},
	{"create-result", create_result},
	{"create-orchestrator", create_orchestrator},
	{"make-folder", make_folder},
	{"make-link", make_link},
	{"remove-inside", remove_inside},
	{"move-out", move_out},
	{"change-mode", change_mode},
	{"run-program", run_program},
	{"make-process", make_process},
	{"open-socket", open_socket},
	{"trace", trace},
	{"signal-parent", signal_parent},
	{"make-namespace", make_namespace},
	{"load-filter", load_filter},
};

int main(int argc, char **argv)
{
	struct errctx e = {0};

	if (argc != 3 || pathfd_open_root(argv[1], &root_fd, &e) != 0 ||
	    server_confine(root_fd, true, &e) != 0) {
		fprintf(stderr, "confine_probe: %s\n", e.text);
		return 99;
	}
	for (size_t i = 0; i < ARRAY_LEN(acts); i++) {
		if (strcmp(argv[2], acts[i].name) != 0)
			continue;
		if (acts[i].try() == 0)
			printf("ok\n");
		else
			printf("%s\n", errno == EACCES	? "EACCES"
				       : errno == EPERM ? "EPERM"
							: strerror(errno));
		return 0;
	}
	return 99;
}
