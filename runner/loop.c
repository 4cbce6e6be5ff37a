/* SPDX-License-Identifier: MIT */
/*
 * The engine's event loop: woken by inotify, by the heartbeat's timer and by a signal, never by a
 * poll (file 00, D4). System. Failure rule: what ends service is said once and told by the exit
 * status. Tests: tests/e2e/runner-queue.tap, tests/bench/runner-service.
 */
#include "base/base.h"

#include "runner/engine.h"
#include "runner/exec.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/watchdir.h"
#include "runner/notify.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

void engine_stop(struct engine *en, enum engine_end why, const char *text)
{
	if (en->ending)
		return;
	en->ending = true;
	en->end = why;
	(void)snprintf(en->last_error, sizeof(en->last_error), "%s", text);
	if (why != ENGINE_STOPPED && why != ENGINE_NO_KEEPER)
		log_error("service ends: %s", text);
}

int engine_asked(struct engine *en, int rc, const struct errctx *e)
{
	if (rc == E_CLOSED)
		engine_stop(en, ENGINE_NO_KEEPER, e ? e->text : "the keeper is gone");
	else if (rc == E_FORGED)
		engine_stop(en, ENGINE_TAMPERED, e ? e->text : "the ledger was changed");
	return rc;
}

bool engine_signalled(struct engine *en)
{
	struct signalfd_siginfo info;

	if (read(en->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		engine_stop(en, ENGINE_STOPPED, "stopped by a signal");
	return en->ending;
}

static int watch(struct engine *en, enum folder f, struct errctx *e)
{
	/* Files that arrive; of the folder above, folders that are taken away or put there. (A
	   folder that is held open never tells that it was removed.) */
	uint32_t events = f == FOLDER_QUEUE ? IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF
					    : IN_MOVED_TO | IN_CLOSE_WRITE | IN_MOVE_SELF;

	if (en->watch_of[f] >= 0 || en->dirs.fd[f] < 0)
		return 0;
	en->watch_of[f] = watchdir_add(en->watch_fd, en->dirs.fd[f], events);
	if (en->watch_of[f] < 0)
		return err_sys(e, "%s can't be watched", folder_path(f));
	en->rescan = true; /* what came before the watch */
	return 0;
}

static int watch_all(struct engine *en, struct errctx *e)
{
	static const enum folder shared[] = {FOLDER_QUEUE, FOLDER_REQUESTS, FOLDER_MCP_REQUESTS,
					     FOLDER_ACKS};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(shared) && rc == 0; i++)
		rc = watch(en, shared[i], e);
	return rc;
}

static int open_events(struct engine *en, struct errctx *e)
{
	struct itimerspec every = {{HEARTBEAT_SECONDS, 0}, {HEARTBEAT_SECONDS, 0}};
	sigset_t term;

	(void)sigemptyset(&term);
	(void)sigaddset(&term, SIGTERM);
	en->signal_fd = signalfd(-1, &term, SFD_CLOEXEC | SFD_NONBLOCK);
	en->watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	en->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (en->signal_fd < 0 || en->watch_fd < 0 || en->timer_fd < 0 ||
	    timerfd_settime(en->timer_fd, 0, &every, NULL) != 0)
		return err_sys(e, "the engine's events can't be set up");
	return watch_all(en, e);
}

/* Every event, an overflow included, means the same: look at everything. */
static void drain(int fd)
{
	char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));

	while (read(fd, events, sizeof(events)) > 0) {
	}
}

static void beat(struct engine *en)
{
	struct errctx e = {0};

	if (status_beat(en, &e) != 0) {
		if (strcmp(en->last_error, e.text) != 0)
			log_error("%s", e.text);
		(void)snprintf(en->last_error, sizeof(en->last_error), "%s", e.text);
		return;
	}
	notify_watchdog();
}

/* What the ledger still owes the disk is paid before the engine sleeps. */
static void settle(struct engine *en)
{
	struct errctx e = {0};

	if (!en->dirty || en->ending || exec_holds(en))
		return;
	if (propose_pay(en, &e) != 0) {
		(void)snprintf(en->last_error, sizeof(en->last_error), "%s", e.text);
		return;
	}
	if (engine_asked(en, ask_flush(&en->ask, &e), &e) == 0)
		en->dirty = false;
	else
		(void)snprintf(en->last_error, sizeof(en->last_error), "%s", e.text);
}

void engine_tick(struct engine *en)
{
	uint64_t ticks;

	if (read(en->timer_fd, &ticks, sizeof(ticks)) < 0)
		return;
	beat(en);
	if (exec_holds(en))
		return; /* whatever is written now would count as the command's doing */
	refuse_flush(en, false);
	if (boot_ms() - en->last_scan_ms >= 1000 * (int64_t)RESCAN_SECONDS) {
		en->rescan = true;
		staged_purge(en);
	}
	if (en->unanswered)
		en->rescan = true; /* the disk may have room again */
}

bool engine_wait(struct engine *en, int fd)
{
	while (!en->ending) {
		struct pollfd fds[] = {
			{fd, POLLIN, 0}, {en->timer_fd, POLLIN, 0}, {en->signal_fd, POLLIN, 0}};
		uint64_t ticks;

		if (poll(fds, ARRAY_LEN(fds), -1) < 0 && errno != EINTR)
			return false;
		if (fds[2].revents && engine_signalled(en))
			return false;
		if (fds[1].revents && read(en->timer_fd, &ticks, sizeof(ticks)) > 0)
			beat(en);
		if (fds[0].revents)
			return true;
	}
	return false;
}

static int wait_for_event(struct engine *en, struct errctx *e)
{
	struct pollfd fds[] = {{en->watch_fd, POLLIN, 0},
			       {en->timer_fd, POLLIN, 0},
			       {en->signal_fd, POLLIN, 0},
			       {exec_poll_fd(en), POLLIN, 0}};

	if (en->rescan && !exec_holds(en))
		return 0;
	settle(en);
	if (en->ending)
		return 0;
	if (poll(fds, ARRAY_LEN(fds), -1) < 0 && errno != EINTR)
		return err_sys(e, "poll");
	if (fds[2].revents && engine_signalled(en))
		return 0;
	if (fds[1].revents)
		engine_tick(en);
	if (fds[3].revents)
		exec_event(en);
	if (fds[0].revents) {
		drain(en->watch_fd);
		en->rescan = true;
	}
	return 0;
}

static int serve(struct engine *en, struct errctx *e)
{
	size_t served = 0, total = 0;
	int rc;

	do {
		if (!en->rescan || exec_holds(en)) {
			rc = wait_for_event(en, e);
			if (rc != 0)
				return rc;
		}
		if (en->ending || engine_signalled(en))
			break;
		if (!en->rescan || exec_holds(en))
			continue;
		rc = engine_pass(en, &served, e);
		total += served;
		if (rc != 0 && !en->ending)
			return rc;
		if (rc == 0)
			rc = watch_all(en, e);
		if (rc != 0 && !en->ending)
			return rc;
	} while (!en->ending && (!en->opt->once || en->rescan || exec_is_busy(en)));
	if (en->opt->once && en->unanswered && !en->ending) {
		rc = engine_answer_claimed(en, e);
		if (rc != 0)
			return rc;
	}
	if (en->opt->once && en->unclaimed && !en->ending)
		return err_set(e, E_SYS, "%s", en->last_error);
	if (en->opt->once && !en->ending) {
		char text[64];
		int n = snprintf(text, sizeof(text), "served %zu requests\n", total);

		if (write(STDOUT_FILENO, text, (size_t)n) < 0)
			return err_sys(e, "standard output");
	}
	return 0;
}

int engine_run(struct engine *en, struct errctx *e)
{
	int rc = open_events(en, e);

	if (rc == 0)
		rc = results_open(&en->results, &en->dirs, e);
	if (rc == 0)
		rc = engine_recover(en, e);
	if (rc != 0)
		return rc;
	staged_purge(en);
	status_grants(en);
	beat(en);
	notify_ready();
	en->rescan = true;
	rc = serve(en, e);
	exec_end_service(en);
	refuse_flush(en, true);
	settle(en);
	if (en->end == ENGINE_STOPPED && rc == 0)
		notify_stopping();
	return rc;
}

void engine_release(struct engine *en)
{
	cleanup_fd(&en->watch_fd);
	cleanup_fd(&en->signal_fd);
	cleanup_fd(&en->timer_fd);
	results_release(&en->results);
	store_release(&en->store);
	buf_release(&en->status);
	ask_release(&en->ask);
	exec_free(en->exec);
}
