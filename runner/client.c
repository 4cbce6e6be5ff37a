/* SPDX-License-Identifier: MIT */
/* Queue client of the command line. System. Failure rule: say which request is on its way, so that
 * nothing is asked twice. Tests: tests/e2e/runner-client.tap. */
#include "base/base.h"

#include "runner/client.h"

#include "base/atomicfile.h"
#include "base/clock.h"
#include "base/hex.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/pathfd.h"
#include "base/utf8.h"
#include "base/watchdir.h"
#include "runner/dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>

enum { FALLBACK_MS = 1000, PATIENCE_MS = 1000 };

int client_open(struct client *c, const struct options *o, struct errctx *e)
{
	int rc;

	*c = (struct client){.opt = o, .root_fd = -1};
	buf_init(&c->root_path, MAX_PATH_BYTES);
	rc = pathfd_open_root(o->project, &c->root_fd, e);
	return rc ? rc : pathfd_name(c->root_fd, &c->root_path, e);
}

void client_close(struct client *c)
{
	cleanup_fd(&c->root_fd);
	buf_release(&c->root_path);
}

static int64_t beat_age(int state_fd)
{
	char text[MAX_HEARTBEAT_BYTES + 1], *end = NULL;
	auto_fd int fd =
		openat(state_fd, HEARTBEAT, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd >= 0 ? pread(fd, text, MAX_HEARTBEAT_BYTES, 0) : -1;
	long long beat;

	if (n <= 0)
		return -1;
	text[n] = '\0';
	beat = strtoll(text, &end, 10);
	if (end == text)
		return -1;
	return clock_wall_s() > beat ? clock_wall_s() - beat : 0;
}

int client_liveness(const struct client *c, struct liveness *ret, struct errctx *e)
{
	auto_fd int state_fd = -1;
	int rc = pathfd_open_dir(c->root_fd, STATE_DIR, &state_fd, e);

	*ret = (struct liveness){.beat_age_s = -1};
	if (rc == E_NOENT)
		return 0;
	if (rc == 0)
		rc = lock_probe(state_fd, RUNNER_LOCK, &ret->serving, e);
	if (rc == 0)
		ret->beat_age_s = beat_age(state_fd);
	return rc;
}

static int require_runner(const struct client *c, struct errctx *e)
{
	struct liveness l;
	int rc = client_liveness(c, &l, e);

	if (rc != 0)
		return rc;
	if (!l.serving)
		return err_set(e, E_CLOSED,
			       "no runner serves this project; start one with "
			       "--serve-requests --description BRIEF");
	return 0;
}

int client_put(const struct client *c, struct view request, char id[ID_HEX + 1], struct errctx *e)
{
	char name[ID_HEX + 6], temp[ID_HEX + 6];
	auto_fd int dir_fd = -1;
	struct atomicfile f;
	int rc = require_runner(c, e);

	if (rc != 0)
		return rc;
	if (request.len > MAX_REQUEST_BYTES)
		return err_set(e, E_TOOBIG, "the request has more than %d bytes",
			       MAX_REQUEST_BYTES);
	rc = pathfd_open_dir(c->root_fd, QUEUE_DIR "/requests", &dir_fd, e);
	if (rc != 0)
		return rc;
	rand_id(id);
	(void)snprintf(name, sizeof(name), "%s.json", id);
	(void)snprintf(temp, sizeof(temp), ".%s.tmp", id);
	rc = atomicfile_begin(&f, dir_fd, name, temp, 0600, e);
	if (rc != 0)
		return rc;
	rc = atomicfile_write(&f, request, e);
	if (rc == 0)
		rc = atomicfile_commit(&f, COMMIT_NEW, NULL, e);
	atomicfile_abort(&f);
	return rc;
}

static int read_result(const struct client *c, const char *id, struct buf *out, struct errctx *e)
{
	char name[64];
	auto_fd int fd = -1;
	struct stat st;
	int rc;

	(void)snprintf(name, sizeof(name), RESULTS_DIR "/%s.json", id);
	rc = pathfd_open(c->root_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, LINKS_NONE, &fd,
			 e);
	if (rc != 0)
		return rc;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return err_set(e, E_NOTREG, "the result is no regular file of this user");
	/* In one piece; where that fails, reading says why. */
	if (st.st_size <= MAX_RESULT_READ_BYTES && !buf_reserve(out, (size_t)st.st_size + 1))
		buf_clear(out);
	rc = io_read_all(fd, out, MAX_RESULT_READ_BYTES);
	return rc ? err_set(e, rc, "the result can't be read: %s", err_name(rc)) : 0;
}

static void acknowledge(const struct client *c, const char *id, const struct json *result)
{
	auto_fd int dir_fd = -1;
	struct view token;
	struct errctx e = {0};
	struct atomicfile f;
	char temp[ID_HEX + 6];

	if (json_get_str(json_member(result, "ack_token"), &token) != 0 ||
	    !hex_is_lower(token, ID_HEX) || pathfd_open_dir(c->root_fd, ACKS_DIR, &dir_fd, &e) != 0)
		return; /* the runner removes the result by its age */
	(void)snprintf(temp, sizeof(temp), ".%s.tmp", id);
	if (atomicfile_begin(&f, dir_fd, id, temp, 0600, &e) != 0)
		return;
	if (io_write_all(f.fd, token.ptr, token.len) == 0)
		(void)renameat(dir_fd, temp, dir_fd, id); /* as above */
	atomicfile_abort(&f);
}

/* Waits for news in the result folder, at most ms. */
static void wait_for_news(int watch_fd, int ms)
{
	char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	struct pollfd p = {watch_fd, POLLIN, 0};

	if (poll(&p, 1, ms) > 0) {
		while (read(watch_fd, events, sizeof(events)) > 0) {
		}
	}
}

static int open_watch(const struct client *c)
{
	auto_fd int dir_fd = -1;
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd < 0 || pathfd_open_dir(c->root_fd, RESULTS_DIR, &dir_fd, NULL) != 0)
		return fd; /* the fallback poll has to do */
	(void)watchdir_add(fd, dir_fd, IN_MOVED_TO | IN_CREATE);
	return fd;
}

/* One line that says what is waited for, rewritten in a terminal. */
static void show_patience(const struct client *c, const char *id, int64_t waited_ms, bool *shown)
{
	if (c->opt->quiet || waited_ms < PATIENCE_MS || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\rwaiting for the runner's answer to %.8s... %lld s ", id,
		(long long)waited_ms / 1000);
	*shown = true;
}

int client_wait(const struct client *c, const char *id, struct json **ret, struct errctx *e)
{
	int64_t start = clock_mono_ms();
	int64_t until = start + (int64_t)(c->opt->wait_s * 1000);
	auto_fd int watch_fd = open_watch(c);
	bool shown = false;
	int rc;

	if (!hex_is_lower(view_of(id), ID_HEX))
		return err_set(e, E_SYNTAX, "\"%s\" is no id of 32 lower-case hex digits", id);
	for (;;) {
		auto_buf struct buf text;
		int64_t now;

		buf_init(&text, MAX_RESULT_READ_BYTES + 1);
		rc = read_result(c, id, &text, e);
		if (rc == 0) {
			rc = json_parse(buf_view(&text), ret, e);
			if (rc == 0)
				acknowledge(c, id, *ret);
			break;
		}
		if (rc != E_NOENT)
			break;
		rc = require_runner(c, e);
		if (rc != 0) {
			(void)err_set(e, rc,
				      "the runner ended; request %s may still be served by "
				      "the next one (--wait-result %s)",
				      id, id);
			break;
		}
		now = clock_mono_ms();
		show_patience(c, id, now - start, &shown);
		if (now >= until) {
			rc = err_set(e, E_TIMEOUT,
				     "no answer after %lld s; the request is still on its way: "
				     "--wait-result %s",
				     (long long)(now - start) / 1000, id);
			break;
		}
		wait_for_news(watch_fd,
			      until - now < FALLBACK_MS ? (int)(until - now) + 1 : FALLBACK_MS);
	}
	if (shown)
		fputs("\r\033[K", stderr);
	return rc;
}

int client_call(const struct client *c, struct view request, struct json **ret, struct errctx *e)
{
	char id[ID_HEX + 1];
	int rc = client_put(c, request, id, e);

	return rc ? rc : client_wait(c, id, ret, e);
}

bool result_ok(const struct json *result)
{
	bool ok = false;

	return json_get_bool(json_member(result, "ok"), &ok) == 0 && ok;
}

struct view result_error(const struct json *result)
{
	struct view v;

	if (json_get_str(json_member(result, "error"), &v) == 0)
		return v;
	return VIEW("refused without a reason");
}

int result_exit(const struct json *result)
{
	int64_t n;

	if (json_get_int(json_member(result, "exit"), &n) == 0 && n > 0 && n < 256)
		return (int)n;
	return 1;
}

const struct json *result_value(const struct json *result)
{
	return json_member(result, "result");
}

size_t print_text(struct view v, bool lines)
{
	auto_buf struct buf text;
	size_t escaped;

	buf_init(&text, 8 * MAX_REQUEST_BYTES);
	escaped = utf8_print(&text, v, lines ? UTF8_PRINT_LINES : 0);
	if (fwrite(buf_text(&text), 1, text.len, stdout) != text.len)
		return escaped; /* the exit status tells of it: main flushes */
	return escaped;
}

int print_json(const struct json *j, enum jsonw_form form)
{
	auto_buf struct buf text;
	struct jsonw w;

	buf_init(&text, 8 * MAX_RESULT_READ_BYTES);
	jsonw_init(&w, &text, form);
	jsonw_value(&w, j);
	if (buf_error(&text))
		return buf_error(&text);
	if (fwrite(buf_text(&text), 1, text.len, stdout) != text.len || putchar('\n') == EOF)
		return E_SYS;
	return 0;
}
