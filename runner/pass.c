/* SPDX-License-Identifier: MIT */
/*
 * One look at the queue (file 21, section 8): pins, folders, expiry, then the oldest requests of
 * both channels in the order of their arrival. System. Failure rule: an unsafe folder of the
 * sessions pauses its channel, one of the runner's ends service. Tests: tests/e2e/runner-queue.tap.
 */
#include "base/base.h"

#include "runner/engine.h"
#include "runner/exec.h"

#include "base/clock.h"
#include "base/hex.h"
#include "runner/arrivals.h"
#include "runner/gate_pins.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static int check_folders(struct engine *en, struct errctx *e)
{
	for (unsigned f = 0; f < N_FOLDERS; f++) {
		struct errctx why = {0};
		bool reopened;
		int rc = dirs_check(&en->dirs, (enum folder)f, &reopened, &why);

		if (reopened)
			en->watch_of[f] = -1; /* loop.c watches the new one */
		if (rc != 0 && !folder_is_shared((enum folder)f)) {
			engine_stop(en, ENGINE_UNSAFE, why.text);
			*e = why;
			return rc;
		}
		if (f != FOLDER_REQUESTS && f != FOLDER_MCP_REQUESTS)
			continue;
		if (rc != 0 && !en->paused[f - FOLDER_REQUESTS][0])
			log_event(en, "channel-paused", why.text);
		if (rc == 0 && en->paused[f - FOLDER_REQUESTS][0])
			log_event(en, "channel-resumed", folder_path((enum folder)f));
		(void)snprintf(en->paused[f - FOLDER_REQUESTS],
			       sizeof(en->paused[f - FOLDER_REQUESTS]), "%.120s",
			       rc ? why.text : "");
	}
	return 0;
}

/* A link, FIFO or device of a request's name is removed unread, a folder moved aside. */
static void put_away(struct engine *en, int dir_fd, const char *name, const struct stat *st)
{
	if (S_ISDIR(st->st_mode)) {
		if (renameat(dir_fd, name, en->dirs.fd[FOLDER_DEAD], name) != 0)
			return; /* it stays and is ignored */
	} else if (unlinkat(dir_fd, name, 0) != 0) {
		return;
	}
	log_event(en, "not-a-request", name);
}

static int list_channel(struct engine *en, enum channel channel, struct arrivals *list,
			struct errctx *e)
{
	int dir_fd = en->dirs.fd[FOLDER_REQUESTS + (int)channel];
	int copy = dir_fd >= 0 ? openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;
	size_t found = 0;

	en->queued[channel] = 0;
	if (!dir) {
		if (copy >= 0)
			(void)close(copy);
		return dir_fd < 0 ? 0 : err_sys(e, "a queue folder can't be listed");
	}
	while ((entry = readdir(dir))) {
		struct stat st;

		if (!arrivals_is_request(entry->d_name))
			continue; /* temporary files and stray names are never opened */
		if (fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue; /* gone between listing and looking */
		if (!S_ISREG(st.st_mode)) {
			put_away(en, dir_fd, entry->d_name, &st);
			continue;
		}
		found++;
		arrivals_add(list, channel, entry->d_name,
			     (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec);
	}
	(void)closedir(dir);
	en->queued[channel] = found;
	return 0;
}

static int look(struct engine *en, struct arrivals *list, struct errctx *e)
{
	int rc = list_channel(en, CHANNEL_ORCHESTRATOR, list, e);

	return rc ? rc : list_channel(en, CHANNEL_MCP, list, e);
}

static int serve_all(struct engine *en, size_t *ret_served, struct errctx *e)
{
	struct arrivals *list = arrivals_new();
	int rc;

	if (!list)
		return err_set(e, E_NOMEM, "out of memory");
	rc = look(en, list, e);
	if (rc == 0 && en->queued[CHANNEL_ORCHESTRATOR] + en->queued[CHANNEL_MCP] > 0) {
		arrivals_look_again(list);
		rc = look(en, list, e);
	}
	arrivals_sort(list);
	for (size_t i = 0; rc == 0 && i < arrivals_count(list) && !en->ending; i++) {
		const struct arrival *a = arrivals_at(list, i);

		/* A stop is obeyed between two requests. */
		if (engine_signalled(en))
			break;
		engine_tick(en);
		if (en->ending || en->unanswered || exec_holds(en))
			break;
		if (exec_defers(en, a->channel, a->name))
			continue;
		engine_serve(en, a);
		if (en->unclaimed)
			break;
		++*ret_served;
		if (en->queued[a->channel])
			en->queued[a->channel]--;
	}
	if (rc == 0 && (arrivals_is_full(list) || exec_holds(en)))
		en->rescan = true; /* there are more than one look takes */
	arrivals_free(list);
	return rc;
}

/* The wall clock against the boot clock: after a jump nothing is purged by it (field report R08).
 */
static void watch_clock(struct engine *en)
{
	int64_t drift = clock_wall_ns() / 1000000 - boot_ms() - en->clock_offset_ms;

	if (en->clock_suspect || (drift > -1000 * (int64_t)CLOCK_JUMP_SECONDS &&
				  drift < 1000 * (int64_t)CLOCK_JUMP_SECONDS))
		return;
	en->clock_suspect = true;
	en->jump_s = drift / 1000;
	log_event(en, "clock-jump",
		  "the wall clock jumped: staged records don't expire until the next start");
}

int engine_pass(struct engine *en, size_t *ret_served, struct errctx *e)
{
	int rc;

	*ret_served = 0;
	en->rescan = en->unclaimed = false;
	en->last_scan_ms = boot_ms();
	watch_clock(en);
	rc = pins_check(&en->pins, e);
	if (rc == 0)
		rc = gate_pins_check(en->gate_pins, en->dirs.root_fd, e);
	if (rc != 0) {
		engine_stop(en, ENGINE_PIN_CHANGED, e->text);
		return rc;
	}
	rc = engine_asked(en, ask_probe(&en->ask, e), e);
	if (rc == 0)
		rc = check_folders(en, e);
	if (rc != 0)
		return rc;
	results_expire(&en->results, &en->dirs);
	/* What was accepted is answered before anything else is taken. */
	if (en->unanswered && engine_answer_claimed(en, e) != 0) {
		(void)snprintf(en->last_error, sizeof(en->last_error), "%s", e->text);
		return 0;
	}
	en->unanswered = false;
	rc = serve_all(en, ret_served, e);
	if (rc == 0 && *ret_served && !en->ending && !exec_holds(en))
		results_expire(&en->results, &en->dirs);
	return rc;
}
