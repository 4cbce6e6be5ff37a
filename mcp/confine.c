/* SPDX-License-Identifier: MIT */
/* Self-confinement of the server. Effects: on this process, for good. Tested live by
 * tests/escape/x0800-server-confined.tap. */
#include "base/base.h"

#include "mcp/confine.h"

#include "base/log.h"
#include "base/pathfd.h"
#include "launcher/confine.h"
#include "mcp/queue.h"
#include "policy/policy.h"

#ifdef SANITIZED
/* The sanitizers' own system calls wouldn't pass. */
int server_confine(int root_fd unused_arg, bool queues unused_arg, struct errctx *e unused_arg)
{
	return 0;
}

void server_confine_narrow(int root_fd unused_arg)
{
}
#else

/* Standard streams, signal pipe, watch, root, and a file walk with its result. */
enum { MAX_OPEN_FDS = 32 };

static bool to_narrow;

static int confine_below(int root_fd, bool queues, struct errctx *e)
{
	auto_fd int requests_fd = -1;
	auto_fd int acks_fd = -1;
	struct confine_path paths[3] = {{root_fd, CONFINE_READ}};
	size_t n = 1;
	int abi;

	if (queues) {
		to_narrow = pathfd_open_dir(root_fd, QUEUE_REQUESTS_DIR, &requests_fd, NULL) != 0 ||
			    pathfd_open_dir(root_fd, QUEUE_ACKS_DIR, &acks_fd, NULL) != 0;
		if (to_narrow) {
			paths[0].access |= CONFINE_CREATE;
		} else {
			paths[n++] = (struct confine_path){requests_fd, CONFINE_CREATE};
			paths[n++] = (struct confine_path){acks_fd, CONFINE_CREATE};
		}
	}
	return confine_files(paths, n, &abi, e);
}

static int filter_syscalls(struct errctx *e)
{
	size_t n, n_allow = 0, n_fatal = 0;
	const struct syscall_row *rows = policy_server_syscalls(&n);
	const char *allow[128];
	const char *fatal[128];

	if (n > ARRAY_LEN(allow))
		return err_set(e, E_INTERNAL, "more system call rows than there is room for");
	for (size_t i = 0; i < n; i++) {
		if (rows[i].action == SYSCALL_ALLOW)
			allow[n_allow++] = rows[i].name;
		else
			fatal[n_fatal++] = rows[i].name;
	}
	return confine_syscalls(allow, n_allow, fatal, n_fatal, e);
}

int server_confine(int root_fd, bool queues, struct errctx *e)
{
	int err = confine_process(MAX_OPEN_FDS, e);

	if (err)
		return err;
	err = confine_below(root_fd, queues, e);
	if (err == E_UNSUPPORTED)
		log_warn("%s: file access is limited by this program's own checks only", e->text);
	else if (err)
		return err;
	return filter_syscalls(e);
}

void server_confine_narrow(int root_fd)
{
	struct errctx e = {0};

	if (!to_narrow)
		return;
	to_narrow = false;
	if (confine_below(root_fd, true, &e) != 0)
		log_warn("can't narrow file access to the queue: %s", e.text);
}
#endif
