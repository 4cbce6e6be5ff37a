/* SPDX-License-Identifier: MIT */
/* Standard error becomes a datagram socket to /dev/log; lines carry their priority and program
 * name. System. Tests: tests/e2e/runner-service.tap. */
#include "base/base.h"

#include "runner/syslog.h"

#include "base/log.h"

#include <sys/socket.h>
#include <sys/un.h>

int syslog_redirect(struct errctx *e)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "/dev/log"};
	/* A log daemon that hangs must not hang the service: what it has no room for is lost. */
	auto_fd int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
		return err_sys(e, "the system's log (%s) can't be reached", a.sun_path);
	if (dup2(fd, STDERR_FILENO) < 0)
		return err_sys(e, "standard error");
	log_with_priority();
	return 0;
}
