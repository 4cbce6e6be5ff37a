/* SPDX-License-Identifier: MIT */
/*
 * Calls that wait for the runner, and the request ids that this process may ask about (file 20,
 * section 9). Nothing here blocks: the loop calls pending_poll when a result may have appeared or
 * time has passed. Tested by tests/e2e/mcp-queue.tap.
 */
#include "base/base.h"

#include "mcp/server.h"

#include "base/clock.h"
#include "base/jsonw.h"
#include "base/log.h"
#include "mcp/queue.h"

/* A result is seen by its file's appearance; this bounds the wait where no such event comes (file
 * 00, D4). */
enum { FALLBACK_POLL_MS = 1000, PROGRESS_MS = 1000 };

void track_add(struct server *s, const char *request)
{
	struct tracked *place = &s->tracked[0];

	for (size_t i = 0; i < MAX_TRACKED_REQUESTS; i++) {
		if (!s->tracked[i].used) {
			place = &s->tracked[i];
			break;
		}
		if (s->tracked[i].order < place->order)
			place = &s->tracked[i];
	}
	*place = (struct tracked){
		.queued_ms = clock_mono_ms(), .order = s->next_order++, .used = true};
	memcpy(place->request, request, sizeof(place->request));
}

struct tracked *track_find(struct server *s, struct view request)
{
	for (size_t i = 0; i < MAX_TRACKED_REQUESTS; i++)
		if (s->tracked[i].used && view_is(request, s->tracked[i].request))
			return &s->tracked[i];
	return NULL;
}

void track_forget(struct server *s, const char *request)
{
	struct tracked *t = track_find(s, view_of(request));

	if (t)
		t->used = false;
}

void track_staged(struct server *s, const char *request)
{
	struct tracked *t = track_find(s, view_of(request));

	if (t)
		t->staged = true;
}

static char *copy_of(struct view v)
{
	char *copy = malloc(v.len + 1);

	if (copy) {
		memcpy(copy, v.ptr, v.len);
		copy[v.len] = 0;
	}
	return copy;
}

int pending_add(struct server *s, const struct caller *to, const char *request)
{
	struct pending p = {.id_len = to->id.len, .revision = to->revision, .batch = to->batch};

	if (s->n_pending == MAX_PENDING_CALLS)
		return E_BUSY;
	p.id = copy_of(to->id);
	if (to->progress_token.len > 0)
		p.token = copy_of(to->progress_token);
	if (!p.id || (to->progress_token.len > 0 && !p.token)) {
		free(p.id);
		free(p.token);
		return E_NOMEM;
	}
	memcpy(p.request, request, sizeof(p.request));
	p.started_ms = clock_mono_ms();
	p.deadline_ms = p.started_ms + s->options->wait_ms;
	p.next_progress_ms = p.started_ms + PROGRESS_MS;
	if (p.batch)
		p.batch->open++;
	s->pending[s->n_pending++] = p;
	return 0;
}

static struct view id_of(const struct pending *p)
{
	return (struct view){p->id, p->id_len};
}

bool pending_has_id(const struct server *s, struct view id)
{
	for (size_t i = 0; i < s->n_pending; i++)
		if (view_eq(id_of(&s->pending[i]), id))
			return true;
	return false;
}

static struct caller caller_of(const struct pending *p)
{
	return (struct caller){.id = id_of(p), .revision = p->revision, .batch = p->batch};
}

/* The entry at i has had its last word. */
static void drop(struct server *s, size_t i)
{
	struct pending p = s->pending[i];

	s->pending[i] = s->pending[--s->n_pending];
	free(p.id);
	free(p.token);
	if (p.batch) {
		p.batch->open--;
		batch_settle(s, p.batch);
	}
}

void pending_cancel(struct server *s, struct view id)
{
	for (size_t i = 0; i < s->n_pending; i++) {
		struct pending *p = &s->pending[i];

		if (!view_eq(id_of(p), id))
			continue;
		if (queue_withdraw(s->root.fd, p->request, NULL) == 0) {
			log_info("call cancelled: request %s was taken back, it will not run",
				 p->request);
			track_forget(s, p->request);
		} else {
			log_warn("call cancelled: the runner has request %s already, it may still "
				 "run; "
				 "request_status can ask for it",
				 p->request);
		}
		drop(s, i);
		return;
	}
}

static void send_progress(struct server *s, struct pending *p, int64_t now)
{
	struct buf line;
	struct jsonw w;
	char message[96];
	size_t ahead = 0;

	if (queue_place_of(s->root.fd, p->request, &ahead) == QUEUE_WAITING)
		(void)snprintf(message, sizeof(message), "queued, %zu request%s ahead", ahead,
			       ahead == 1 ? "" : "s");
	else
		(void)snprintf(message, sizeof(message), "the runner works on it");
	p->progress++;
	p->next_progress_ms = now + PROGRESS_MS;
	buf_init(&line, 8192);
	jsonw_init(&w, &line, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "jsonrpc", "2.0");
	jsonw_kv_cstr(&w, "method", "notifications/progress");
	jsonw_key(&w, "params");
	jsonw_obj(&w);
	jsonw_key(&w, "progressToken");
	jsonw_raw(&w, view_of(p->token));
	jsonw_kv_int(&w, "progress", p->progress);
	jsonw_kv_cstr(&w, "message", message);
	jsonw_obj_end(&w);
	jsonw_obj_end(&w);
	if (!buf_error(&line))
		reply_notify(s, buf_view(&line));
	buf_release(&line);
}

/* Answers the call if there is something to say; true if it was answered. */
static bool settle(struct server *s, struct pending *p, int64_t now, bool runner_alive)
{
	struct caller to = caller_of(p);
	struct errctx e = {0};
	struct buf raw;
	int err;

	buf_init(&raw, MAX_RESULT_READ_BYTES + 1);
	err = queue_read_result(s->root.fd, p->request, &raw, &e);
	if (!err)
		tool_answer_result(s, &to, p->request, buf_view(&raw));
	buf_release(&raw);
	if (!err)
		return true;
	if (err != E_NOENT) {
		reply_tool_refusal(
			s, &to,
			"request %s was queued, but its result can't be read: %s. It may "
			"have run; ask request_status again or look in the ledger.",
			p->request, e.text);
		return true;
	}
	if (!runner_alive) {
		reply_tool_refusal(
			s, &to,
			"the runner stopped answering; request %s is queued and may still "
			"run when a runner starts. Ask request_status later; don't send it "
			"again.",
			p->request);
		return true;
	}
	if (now < p->deadline_ms)
		return false;
	tool_answer_queued(s, &to, p->request);
	return true;
}

int pending_poll(struct server *s)
{
	int64_t now = clock_mono_ms();
	int64_t next = now + FALLBACK_POLL_MS;
	struct queue_runner runner;

	if (s->n_pending == 0)
		return -1;
	queue_look_for_runner(s->root.fd, &runner);
	for (size_t i = 0; i < s->n_pending;) {
		if (s->out.len - s->out_sent > OUTPUT_HIGH_BYTES)
			break; /* the client reads nothing: results can wait on disk */
		if (settle(s, &s->pending[i], now, runner.alive)) {
			drop(s, i);
			continue;
		}
		if (s->pending[i].token && now >= s->pending[i].next_progress_ms)
			send_progress(s, &s->pending[i], now);
		if (s->pending[i].deadline_ms < next)
			next = s->pending[i].deadline_ms;
		i++;
	}
	if (s->n_pending == 0)
		return -1;
	return next > now ? (int)(next - now) : 0;
}

void pending_finish(struct server *s)
{
	while (s->n_pending > 0) {
		struct caller to = caller_of(&s->pending[0]);

		tool_answer_queued(s, &to, s->pending[0].request);
		drop(s, 0);
	}
}
