/* SPDX-License-Identifier: MIT */
/* sd_notify(3) by hand. System. Failure rule: a message that can't be sent is dropped. Tests:
 * tests/e2e/runner-service.tap. */
#include "base/base.h"

#include "runner/notify.h"

#include "base/limits.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

static int notify_fd = -1;
static bool watchdog;

void notify_open(void)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	size_t n = path ? strlen(path) : 0;
	socklen_t length;

	watchdog = getenv("WATCHDOG_USEC") != NULL;
	if (n < 2 || n >= sizeof(a.sun_path) || (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(a.sun_path, path, n);
	if (a.sun_path[0] == '@')
		a.sun_path[0] = '\0'; /* the abstract name space */
	length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
	notify_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (notify_fd >= 0 && connect(notify_fd, (struct sockaddr *)&a, length) != 0)
		cleanup_fd(&notify_fd);
	/* A manager that hangs doesn't hang the service. */
	if (notify_fd >= 0)
		(void)setsockopt(notify_fd, SOL_SOCKET, SO_SNDTIMEO,
				 &(struct timeval){.tv_sec = NOTIFY_SECONDS},
				 sizeof(struct timeval));
	(void)unsetenv("NOTIFY_SOCKET");
}

static void say(const char *text)
{
	if (notify_fd >= 0 && send(notify_fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		return; /* the manager will notice by its own means */
}

void notify_ready(void)
{
	say("READY=1\nSTATUS=serving");
}

void notify_watchdog(void)
{
	if (watchdog)
		say("WATCHDOG=1");
}

void notify_stopping(void)
{
	say("STOPPING=1");
}
