/* SPDX-License-Identifier: MIT */
/*
 * One request from its name in a shared folder to a written result (file 21, section 9). The claim
 * is a rename into a folder that sessions can't write; then the file is read once, without
 * following a link. System. Failure rule: every claimed request ends in exactly one result; if that
 * can't be written, the file stays claimed and the next start answers it. Tests:
 * tests/e2e/runner-queue.tap, tests/fault/runner-kill.tap.
 */
#include "base/base.h"

#include "runner/engine.h"

#include "base/clock.h"
#include "base/fault.h"
#include "base/io.h"
#include "runner/arrivals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

static int take(struct engine *en, enum channel channel, const char *name)
{
	int from = en->dirs.fd[FOLDER_REQUESTS + (int)channel];
	int to = en->dirs.fd[FOLDER_CLAIMED];

	if (syscall(SYS_renameat2, from, name, to, name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno == EINVAL || errno == ENOSYS)
		return renameat(from, name, to, name);
	return -1;
}

/* The sender sets the time stamp, but not the change time: the older one counts, so that no request
 * stays young for ever. */
static int64_t came_ns(const struct stat *st, int64_t changed_ns)
{
	int64_t modified_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;

	return modified_ns < changed_ns ? modified_ns : changed_ns;
}

/* The one text for everything that can't be read: a request that is a link to a secret must not
 * leak it. */
static int read_claimed(struct engine *en, const char *name, struct buf *text, struct job *job)
{
	auto_fd int fd = openat(en->dirs.fd[FOLDER_CLAIMED], name,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int rc;

	job->queue_wait_ms = -1;
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		(void)reply_refuse_text(&job->reply, "the request is no readable file");
		return E_NOTREG;
	}
	job->queue_wait_ms = (clock_wall_ns() - came_ns(&st, job->changed_ns)) / 1000000;
	if (job->queue_wait_ms < 0)
		job->queue_wait_ms = 0;
	rc = io_read_all(fd, text, MAX_REQUEST_BYTES);
	if (rc == E_TOOBIG)
		(void)reply_refuse_text(&job->reply, "the request has more than %d bytes",
					MAX_REQUEST_BYTES);
	else if (rc != 0)
		(void)reply_refuse_text(&job->reply, "the request is no readable file");
	return rc;
}

static void answer(struct engine *en, struct job *job, const char *name)
{
	auto_buf struct buf text;
	struct errctx e = {0};

	buf_init(&text, MAX_REQUEST_BYTES + 1);
	if (read_claimed(en, name, &text, job) != 0)
		return;
	if (request_parse(buf_view(&text), &job->request, &e) != 0)
		(void)reply_refuse(&job->reply, &e);
	else
		engine_handle(en, job);
	if (text.data)
		explicit_bzero(text.data, text.len); /* it held a nonce */
}

/* The disk may be full, or a folder read-only: the request stays where it is, nothing more is
 * taken, and what was claimed is answered as soon as that works again, by this process or the next
 * one. */
static void leave(struct engine *en, const char *why)
{
	(void)snprintf(en->last_error, sizeof(en->last_error), "%s", why);
	log_event(en, "unanswered", why);
	en->unanswered = true;
}

void claim_finish(struct engine *en, struct job *job, const char *name, int64_t start_ms)
{
	struct reply_frame frame = {
		.id = job->id,
		.kind = request_kind_name(job->request.kind),
		.queue_wait_ms = job->queue_wait_ms,
		.serve_ms = clock_mono_ms() - start_ms,
	};
	struct errctx e = {0};

	if (results_put(&en->results, &en->dirs, &job->reply, &frame, &e) != 0) {
		leave(en, e.text);
		return;
	}
	if (fault_point("claimed-unlink") || unlinkat(en->dirs.fd[FOLDER_CLAIMED], name, 0) != 0)
		log_event(en, "claimed-unlink", "a served request can't be removed");
	en->served++;
	en->refused += !job->reply.ok;
	log_request(en, job, frame.serve_ms);
}

void engine_serve(struct engine *en, const struct arrival *a)
{
	struct job job = {.channel = a->channel, .changed_ns = a->changed_ns};
	enum channel channel = a->channel;
	const char *name = a->name;
	int64_t start_ms = clock_mono_ms();

	memcpy(job.id, name, ID_HEX);
	if (results_has(&en->results, job.id)) {
		/* Somebody uses the name of a request that was answered: it would replace that
		 * answer. */
		(void)unlinkat(en->dirs.fd[FOLDER_REQUESTS + (int)channel], name, 0);
		log_event(en, "duplicate-id", job.id);
		return;
	}
	if (fault_point("claim-rename") || take(en, channel, name) != 0) {
		if (errno == EEXIST)
			(void)unlinkat(en->dirs.fd[FOLDER_REQUESTS + (int)channel], name, 0);
		else if (errno != ENOENT) {
			char why[128];

			/* No event says when that works again: each beat tries. */
			(void)snprintf(why, sizeof(why), "a request can't be claimed: %s",
				       strerror(errno));
			leave(en, why);
			en->unclaimed = true;
		}
		return; /* gone between listing and claim: nothing was accepted */
	}
	/* Durable before anything is done: a power cut must not bring the request back. */
	if (fault_point("claim-sync") || fsync(en->dirs.fd[FOLDER_CLAIMED]) != 0) {
		leave(en, "a claim can't be made durable");
		return;
	}
	en->busy_since_ms = boot_ms();
	memcpy(en->busy_id, job.id, sizeof(job.id));
	reply_init(&job.reply);
	answer(en, &job, name);
	if (!job.taken) {
		/* Only the ledger knows how far a keeper got that ended meanwhile: the next start
		 * answers. */
		if (!en->ending || en->end != ENGINE_NO_KEEPER)
			claim_finish(en, &job, name, start_ms);
		request_release(&job.request);
		reply_release(&job.reply);
	}
	en->busy_since_ms = 0;
	en->busy_id[0] = en->busy_kind[0] = '\0';
}
