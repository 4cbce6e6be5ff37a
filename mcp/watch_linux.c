/* SPDX-License-Identifier: MIT */
/* Waking up by inotify. System. Tested by tests/e2e/mcp-queue.tap and tests/bench/bench_mcp.c. */
#include "base/base.h"

#include "mcp/watch.h"

#include "base/pathfd.h"
#include "base/watchdir.h"
#include "mcp/queue.h"

void watch_init(struct watch *w)
{
	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	w->watching = -1;
}

void watch_release(struct watch *w)
{
	cleanup_fd(&w->fd);
	w->watching = -1;
}

void watch_begin(struct watch *w, int root_fd)
{
	auto_fd int dir_fd = -1;

	if (w->fd < 0 || w->watching >= 0 ||
	    pathfd_open_dir(root_fd, QUEUE_RESULTS_DIR, &dir_fd, NULL) != 0)
		return;
	w->watching = watchdir_add(w->fd, dir_fd,
				   IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF);
}

void watch_end(struct watch *w)
{
	if (w->watching < 0)
		return;
	(void)inotify_rm_watch(w->fd, w->watching); /* it may be gone by itself */
	w->watching = -1;
}

void watch_drain(struct watch *w)
{
	_Alignas(struct inotify_event) char events[4096];
	bool lost = false;

	for (;;) {
		ssize_t n = read(w->fd, events, sizeof(events));

		if (n <= 0)
			break;
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *event = (const void *)(events + at);

			if (event->wd == w->watching &&
			    (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)))
				lost = true;
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	}
	if (lost)
		watch_end(w);
}
