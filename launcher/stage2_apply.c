/* SPDX-License-Identifier: MIT */
/* What stage 2 puts on itself and on the command: limits, Landlock, listener, terminal. System. */
#include "base/base.h"
#include "launcher/stage2.h"

#include "launcher/landlock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>

static int limit(__rlimit_resource_t what, uint64_t value, const char *name, struct errctx *e)
{
	struct rlimit old, new = {.rlim_cur = value, .rlim_max = value};

	if (getrlimit(what, &old) < 0)
		return err_sys(e, "limits: %s", name);
	if (old.rlim_max != RLIM_INFINITY && new.rlim_max > old.rlim_max)
		new.rlim_cur = new.rlim_max = old.rlim_max; /* already lower outside */
	if (setrlimit(what, &new) < 0)
		return err_sys(e, "limits: %s", name);
	return 0;
}

int stage2_apply_limits(const struct plan_head *h, struct errctx *e)
{
	int r = limit(RLIMIT_CORE, 0, "core", e);

	if (r == 0 && h->nofile)
		r = limit(RLIMIT_NOFILE, h->nofile, "open files", e);
	if (r == 0 && h->fsize)
		r = limit(RLIMIT_FSIZE, h->fsize, "file size", e);
	if (r == 0 && h->cpu)
		r = limit(RLIMIT_CPU, h->cpu, "CPU time", e);
	/* Inside the user namespace: since Linux 5.14 it counts only the sandbox's processes. One
	 * more than asked for, since pid 1 counts. */
	if (r == 0 && h->nproc)
		r = limit(RLIMIT_NPROC, h->nproc + 1, "processes", e);
	return r;
}

static int allow_records(struct plan_file *plan, int ruleset, int abi, struct errctx *e)
{
	struct record r;
	int result = 0;

	plan_file_rewind(plan);
	while (result == 0 && plan_file_next(plan, &r)) {
		if (r.type == REC_WRITE) {
			result = landlock_allow(ruleset, abi, r.text, LANDLOCK_WRITE, e);
		} else if (r.type == REC_EXEC) {
			result = landlock_allow(ruleset, abi, r.text, LANDLOCK_EXECUTE, e);
		} else if (r.type == REC_DEVICE) {
			result = landlock_allow(ruleset, abi, r.text, LANDLOCK_DEVICE, e);
			if (result == E_NOENT)
				result = 0; /* not every host has every node */
		}
	}
	return result;
}

/* An attempt that must fail whatever the mounts say; /dev/kmsg-like nodes don't exist inside. */
static int probe_write(struct errctx *e)
{
	auto_fd int fd = open("/etc/passwd", O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		return err_set(e, E_DENIED, "landlock: a file outside every root can be written");
	if (errno != EACCES && errno != EROFS && errno != ENOENT && errno != EPERM)
		return err_sys(e, "landlock: probe");
	return 0;
}

int stage2_apply_landlock(struct plan_file *plan, int *ret_abi, struct errctx *e)
{
	auto_fd int ruleset = -1;
	int abi = landlock_abi();
	int r;

	*ret_abi = 0;
	if (plan->head.landlock_min == 0)
		return probe_write(e);
	if (abi < (int)plan->head.landlock_min)
		return err_set(e, E_UNSUPPORTED, "landlock: the kernel offers ABI %d, %u is needed",
			       abi, plan->head.landlock_min);
	r = landlock_begin(abi, plan->head.exec_list != 0, &ruleset, e);
	if (r == 0)
		r = allow_records(plan, ruleset, abi, e);
	if (r == 0)
		r = landlock_apply(ruleset, e);
	if (r == 0)
		r = probe_write(e);
	if (r == 0)
		*ret_abi = abi;
	return r;
}

int stage2_listener(int *ret_fd, int *ret_port, struct errctx *e)
{
	auto_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof(a);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, SOMAXCONN) < 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &size) < 0)
		return err_sys(e, "listener: 127.0.0.1");
	*ret_port = ntohs(a.sin_port);
	*ret_fd = steal_fd(&fd);
	return 0;
}

int stage2_terminal(int *ret_master_fd, int *ret_slave_fd, struct errctx *e)
{
	auto_fd int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	int unlock = 0;

	if (master < 0 || ioctl(master, TIOCSPTLCK, &unlock) < 0)
		return err_sys(e, "terminal: /dev/ptmx");

	auto_fd int slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (slave < 0)
		return err_sys(e, "terminal: slave");
	*ret_master_fd = steal_fd(&master);
	*ret_slave_fd = steal_fd(&slave);
	return 0;
}
