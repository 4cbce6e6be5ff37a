/* SPDX-License-Identifier: MIT */
/* --keygen, --verify-proposal-ledger, --runner-status, --issue-dispatch, --apply-proposal,
 * --run-request, --wait-result. System. Tests: tests/e2e/runner-client.tap,
 * tests/e2e/runner-start.tap, tests/e2e/runner-wait.tap. */
#include "base/base.h"

#include "runner/verbs.h"

#include "base/custody.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/pathfd.h"
#include "base/utf8.h"
#include "runner/brief.h"
#include "runner/dirs.h"
#include "runner/key.h"
#include "runner/ledger.h"
#include "runner/pins.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

int verb_fail(const struct errctx *e)
{
	log_error("%s", e->text[0] ? e->text : err_name(e->code));
	return e->code == E_USAGE ? 2 : 1;
}

/* ---- key ---- */

int verb_keygen(const struct options *o)
{
	auto_buf struct buf path;
	struct errctx e = {0};
	int rc;

	buf_init(&path, MAX_PATH_BYTES);
	rc = key_file_path(&path, &e);
	if (rc == 0)
		rc = key_generate(buf_text(&path), &e);
	if (rc != 0)
		return verb_fail(&e);
	if (o->json)
		printf("{\"key\": \"%s\"}\n", buf_text(&path));
	else
		printf("created %s\n", buf_text(&path));
	return 0;
}

/* ---- ledger ---- */

struct verdicts {
	struct jsonw *w; /* NULL: text */
	int64_t n;
};

static void on_problem(void *arg, const char *problem)
{
	struct verdicts *v = arg;

	v->n++;
	if (v->w)
		jsonw_cstr(v->w, problem);
	else
		log_error("%s", problem);
}

static int print_verdict(struct client *c, int64_t n, int64_t rows, const struct buf *json)
{
	if (c->opt->json)
		printf("%.*s\n", (int)json->len, buf_text(json));
	else if (n)
		printf("the ledger does NOT verify: %lld problems in %lld rows\n", (long long)n,
		       (long long)rows);
	else
		printf("the ledger verifies: %lld rows\n", (long long)rows);
	return n ? 1 : 0;
}

static void begin_json(struct jsonw *w, struct buf *out)
{
	jsonw_init(w, out, JSONW_SPACED);
	jsonw_obj(w);
	jsonw_key(w, "problems");
	jsonw_arr(w);
}

static void end_json(struct jsonw *w, int64_t rows, bool through_runner)
{
	jsonw_arr_end(w);
	jsonw_kv_int(w, "rows", rows);
	jsonw_kv_bool(w, "through_runner", through_runner);
	jsonw_obj_end(w);
}

static int verify_through_runner(struct client *c)
{
	auto_json struct json *result = NULL;
	auto_buf struct buf out = {0};
	struct errctx e = {0};
	struct jsonw w;
	struct verdicts v = {0};
	int64_t rows = 0;
	const struct json *problems;

	if (client_call(c, VIEW("{\"kind\": \"verify-ledger\"}"), &result, &e) != 0)
		return verb_fail(&e);
	if (!result_ok(result)) {
		struct view why = result_error(result);

		(void)err_set(&e, E_DENIED, "%.*s", (int)why.len, why.ptr);
		return verb_fail(&e);
	}
	buf_init(&out, MAX_RESULT_READ_BYTES);
	v.w = c->opt->json ? &w : NULL;
	begin_json(&w, &out);
	problems = json_member(result_value(result), "problems");
	for (const struct json *p = json_first(problems); p; p = json_next(p)) {
		struct view text;
		char line[512];

		if (json_get_str(p, &text) != 0)
			text = VIEW("?");
		(void)snprintf(line, sizeof(line), "%.*s", (int)text.len, text.ptr);
		on_problem(&v, line);
	}
	ignored(json_get_int(json_member(result_value(result), "rows"), &rows));
	end_json(&w, rows, true);
	return print_verdict(c, v.n, rows, &out);
}

/* Without a runner the operator's key verifies; that is how a stopped service is looked into. */
static int open_anchor(struct client *c, const struct mac_key *key, struct anchor *a,
		       struct errctx *e)
{
	auto_buf struct buf name;
	auto_fd int dir_fd = -1;
	int rc = anchor_open_folder(&dir_fd, e);

	buf_init(&name, MAX_NAME_BYTES);
	if (rc == 0)
		rc = brief_project_name(buf_view(&c->root_path), &name);
	if (rc == 0)
		rc = buf_puts(&name, ".anchor");
	if (rc == 0)
		rc = anchor_open(a, dir_fd, buf_text(&name), buf_view(&c->root_path), key, e);
	return rc;
}

static int verify_with_key(struct client *c)
{
	const struct mac_key *key = NULL;
	auto_fd int state_fd = -1;
	auto_buf struct buf path, out;
	struct anchor anchor = {.fd = -1};
	struct errctx e = {0}, why = {0};
	struct jsonw w;
	struct verdicts v = {0};
	int64_t rows = 0, bytes = 0, n = 1;
	int rc;

	buf_init(&path, MAX_PATH_BYTES);
	buf_init(&out, MAX_RESULT_READ_BYTES);
	rc = key_seal_process(&e);
	if (rc == 0)
		rc = key_file_path(&path, &e);
	if (rc == 0)
		rc = key_load(buf_text(&path), &key, &e);
	if (rc == 0)
		rc = pathfd_open_dir(c->root_fd, STATE_DIR, &state_fd, &e);
	if (rc == 0) {
		v.w = c->opt->json ? &w : NULL;
		begin_json(&w, &out);
		if (open_anchor(c, key, &anchor, &why) != 0)
			on_problem(&v, why.text);
		n = ledger_verify(state_fd, key, anchor.fd >= 0 ? &anchor : NULL, on_problem, &v,
				  &rows, &bytes, &e);
		rc = n < 0 ? (int)n : 0;
		end_json(&w, rows, false);
	}
	anchor_close(&anchor);
	if (key)
		key_free(key);
	return rc ? verb_fail(&e) : print_verdict(c, v.n, rows, &out);
}

int verb_verify(struct client *c)
{
	struct liveness l;
	struct errctx e = {0};

	if (client_liveness(c, &l, &e) != 0)
		return verb_fail(&e);
	return l.serving ? verify_through_runner(c) : verify_with_key(c);
}

/* ---- status ---- */

static int64_t count_requests(struct client *c, const char *folder)
{
	auto_fd int fd = -1;
	DIR *dir;
	const struct dirent *entry;
	int64_t n = 0;

	if (pathfd_open_dir(c->root_fd, folder, &fd, NULL) != 0)
		return 0; /* no runner has made it yet */
	dir = fdopendir(fd);
	if (!dir)
		return -1;
	(void)steal_fd(&fd); /* the stream's now */
	while ((entry = readdir(dir)))
		n += strlen(entry->d_name) == ID_HEX + 5 && entry->d_name[0] != '.' &&
		     strcmp(entry->d_name + ID_HEX, ".json") == 0;
	(void)closedir(dir);
	return n;
}

/* The request at work is the one that is claimed; one at a time. */
static void at_work(struct client *c, char id[ID_HEX + 1])
{
	auto_fd int fd = -1;
	DIR *dir;
	const struct dirent *entry;

	id[0] = '\0';
	if (pathfd_open_dir(c->root_fd, CLAIMED_DIR, &fd, NULL) != 0)
		return;
	dir = fdopendir(fd);
	if (!dir)
		return;
	(void)steal_fd(&fd); /* the stream's now */
	while ((entry = readdir(dir))) {
		if (strlen(entry->d_name) == ID_HEX + 5)
			(void)snprintf(id, ID_HEX + 1, "%.32s", entry->d_name);
	}
	(void)closedir(dir);
}

static int read_status(struct client *c, struct json **ret)
{
	auto_fd int fd = -1;
	auto_buf struct buf text;

	buf_init(&text, 65536);
	if (pathfd_open(c->root_fd, STATE_DIR "/" STATUS_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
			0, LINKS_NONE, &fd, NULL) != 0 ||
	    io_read_all(fd, &text, 65535) != 0)
		return E_NOENT;
	return json_parse(buf_view(&text), ret, NULL);
}

static int64_t uptime(const struct json *status)
{
	struct timespec t;
	int64_t start = 0;

	if (json_get_int(json_member(status, "started_boot_ms"), &start) != 0 ||
	    clock_gettime(CLOCK_BOOTTIME, &t) != 0)
		return -1;
	return t.tv_sec - start / 1000;
}

static void print_pin(const char *name, struct view sha256)
{
	if (sha256.len)
		printf("pinned     %s %.*s\n", name, sha256.len > 12 ? 12 : (int)sha256.len,
		       sha256.ptr);
}

/* How commands run here, and the one that does. */
static void print_commands(const struct json *commands)
{
	const struct json *running = json_member(commands, "running");
	struct view way = member_text(commands, "confined"), why = member_text(commands, "why");
	int64_t waiting = 0;

	printf("commands   %s", view_is(way, "overlay")	    ? "overlay: what is declared lands"
				: view_is(way, "read-only") ? "read-only project, no overlay: "
				: view_is(way, UNCONFINED) ? "NO BOUNDARY (allow_unconfined_runs): "
							   : "none can be run: ");
	(void)print_text(why, false);
	putchar('\n');
	if (!json_is(running, JSON_OBJECT))
		return;
	ignored(json_get_int(json_member(commands, "waiting"), &waiting));
	printf("running    ");
	(void)print_text(member_text(running, "program"), false);
	printf(" of ");
	(void)print_text(member_text(running, "agent"), false);
	printf(" since ");
	(void)print_text(member_text(running, "since"), false);
	printf(", %lld command%s wait%s\n", (long long)waiting, waiting == 1 ? "" : "s",
	       waiting == 1 ? "s" : "");
}

static void status_text(struct client *c, const struct liveness *l, const struct json *status,
			const char *id)
{
	int64_t pid = -1, served = 0, refused = 0, staged = 0, up = uptime(status);
	bool confined = false;
	struct view error = member_text(status, "last_error");

	printf("project    ");
	(void)print_text(buf_view(&c->root_path), false);
	printf("\nrunner     %s\n", !l->serving ? "not serving"
				    : l->beat_age_s > HEARTBEAT_STALE_SECONDS || l->beat_age_s < 0
					    ? "STALLED: it holds the lock but doesn't beat"
					    : "serving");
	if (l->serving && status) {
		ignored(json_get_int(json_member(status, "pid"), &pid));
		ignored(json_get_int(json_member(status, "served"), &served));
		ignored(json_get_int(json_member(status, "refused"), &refused));
		ignored(json_get_int(json_member(status, "staged"), &staged));
		ignored(json_get_bool(json_member(status, "confinement"), &confined));
		printf("engine     pid %lld, up %lld s\n", (long long)pid, (long long)up);
		printf("served     %lld requests, %lld refused\n", (long long)served,
		       (long long)refused);
		printf("staged     %lld\n", (long long)staged);
		printf("enforced   %s\n", confined ? "seccomp, Landlock, two processes"
						   : "seccomp, two processes (no Landlock here)");
		print_commands(json_member(status, "commands"));
		printf("beat       %lld s ago\n", (long long)l->beat_age_s);
		print_pin("brief", member_text(status, "brief_sha256"));
		print_pin("confined", member_text(status, "confined_file_sha256"));
		print_pin("server", member_text(status, "server_sha256"));
	}
	printf("queued     %lld of the orchestrator, %lld of agents\n",
	       (long long)count_requests(c, QUEUE_DIR "/requests"),
	       (long long)count_requests(c, QUEUE_DIR "/mcp-requests"));
	if (id[0])
		printf("at work    %s\n", id);
	for (const struct json *p = json_first(json_member(status, "paused")); p;
	     p = json_next(p)) {
		struct view why;

		printf("PAUSED     %.*s: ", (int)json_key(p).len, json_key(p).ptr);
		if (json_get_str(p, &why) == 0)
			(void)print_text(why, false);
		putchar('\n');
	}
	if (error.len) {
		printf("last error ");
		(void)print_text(error, false);
		putchar('\n');
	}
}

static int status_json(struct client *c, const struct liveness *l, const struct json *status,
		       const char *id)
{
	auto_buf struct buf out;
	struct jsonw w;

	buf_init(&out, 131072);
	jsonw_init(&w, &out, JSONW_INDENTED);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "at_work", id[0] ? id : NULL);
	jsonw_kv_int(&w, "beat_age_s", l->beat_age_s);
	jsonw_kv_int(&w, "queued_mcp", count_requests(c, QUEUE_DIR "/mcp-requests"));
	jsonw_kv_int(&w, "queued_orchestrator", count_requests(c, QUEUE_DIR "/requests"));
	jsonw_kv_bool(&w, "serving", l->serving);
	jsonw_kv_bool(&w, "stalled",
		      l->serving && (l->beat_age_s < 0 || l->beat_age_s > HEARTBEAT_STALE_SECONDS));
	jsonw_key(&w, "status");
	if (status && l->serving)
		jsonw_value(&w, status);
	else
		jsonw_null(&w);
	jsonw_kv_int(&w, "uptime_s", l->serving ? uptime(status) : -1);
	jsonw_obj_end(&w);
	if (buf_error(&out))
		return 1;
	printf("%s\n", buf_text(&out));
	return 0;
}

int verb_status(struct client *c)
{
	auto_json struct json *status = NULL;
	struct liveness l;
	struct errctx e = {0};
	char id[ID_HEX + 1];
	int code = 0;

	if (client_liveness(c, &l, &e) != 0)
		return verb_fail(&e);
	if (read_status(c, &status) != 0)
		status = NULL;
	at_work(c, id);
	if (c->opt->json)
		code = status_json(c, &l, status, id);
	else
		status_text(c, &l, status, id);
	return l.serving ? code : 1;
}

/* ---- requests ---- */

static int print_refusal(struct client *c, const struct json *result)
{
	struct view why = result_error(result);

	if (c->opt->json && print_json(result, JSONW_INDENTED) != 0)
		return 1;
	if (!c->opt->json)
		log_error("refused: %.*s", (int)why.len, why.ptr);
	return result_exit(result);
}

int verb_issue(struct client *c)
{
	auto_json struct json *result = NULL;
	auto_buf struct buf text;
	struct errctx e = {0};
	struct jsonw w;
	struct view nonce;

	buf_init(&text, 4096);
	jsonw_init(&w, &text, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_kv_cstr(&w, "agent", c->opt->agent);
	jsonw_kv_cstr(&w, "kind", "issue-dispatch");
	jsonw_obj_end(&w);
	if (buf_error(&text)) {
		(void)err_set(&e, E_USAGE, "--agent is too long or no UTF-8");
		return verb_fail(&e);
	}
	if (client_call(c, buf_view(&text), &result, &e) != 0)
		return verb_fail(&e);
	if (!result_ok(result))
		return print_refusal(c, result);
	nonce = member_text(result_value(result), "nonce");
	if (c->opt->json)
		return print_json(result, JSONW_INDENTED) ? 1 : 0;
	printf("%.*s\n", (int)nonce.len, nonce.ptr);
	return 0;
}

static int build_request(struct client *c, const char *kind, struct buf *out, struct errctx *e)
{
	auto_buf struct buf text;
	auto_json struct json *artifact = NULL;
	struct stat st;
	struct jsonw w;
	int rc;

	buf_init(&text, MAX_REQUEST_BYTES + 1);
	rc = pins_read_file(c->opt->file, MAX_REQUEST_BYTES, &text, &st, e);
	if (rc == 0)
		rc = json_parse(buf_view(&text), &artifact, e);
	if (rc != 0)
		return rc;
	jsonw_init(&w, out, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_key(&w, "artifact");
	jsonw_value(&w, artifact);
	if (c->opt->dry_run)
		jsonw_kv_bool(&w, "dry_run", true);
	jsonw_kv_cstr(&w, "kind", kind);
	jsonw_obj_end(&w);
	return buf_error(out) ? err_set(e, buf_error(out), "the request can't be built: %s",
					err_name(buf_error(out)))
			      : 0;
}

/* A program gets the bytes as they are; a person's terminal must not obey them (field report A10).
 */
static int print_stream(FILE *to, struct view v)
{
	auto_buf struct buf text;

	buf_init(&text, 8 * MAX_RESULT_READ_BYTES);
	if (isatty(fileno(to))) {
		(void)utf8_print(&text, v, UTF8_PRINT_LINES);
		v = buf_view(&text);
	}
	return buf_error(&text) || fwrite(v.ptr, 1, v.len, to) != v.len || fflush(to) != 0;
}

/* A command's result without its streams, then the streams as they are. */
static int print_run(const struct json *value)
{
	auto_buf struct buf out;
	struct jsonw w;
	int64_t code = 1;

	buf_init(&out, MAX_RESULT_READ_BYTES);
	jsonw_init(&w, &out, JSONW_INDENTED);
	jsonw_obj(&w);
	for (const struct json *m = json_first(value); m; m = json_next(m)) {
		if (view_is(json_key(m), "stdout") || view_is(json_key(m), "stderr"))
			continue;
		jsonw_key_view(&w, json_key(m));
		jsonw_value(&w, m);
	}
	jsonw_obj_end(&w);
	if (buf_error(&out))
		return 1;
	printf("%s\n", buf_text(&out));
	if (print_stream(stdout, member_text(value, "stdout")) != 0 ||
	    print_stream(stderr, member_text(value, "stderr")) != 0)
		return 1;
	if (json_get_int(json_member(value, "exit"), &code) != 0)
		return 0; /* a dry run has none */
	return code >= 0 && code < 256 ? (int)code : 1;
}

static int print_outcome(struct client *c, const struct json *result, bool run)
{
	const struct json *value = result_value(result);

	if (c->opt->json)
		return print_json(result, JSONW_INDENTED) ? 1
		       : result_ok(result)		  ? 0
							  : result_exit(result);
	if (!result_ok(result)) {
		/* A run that wrote what it hadn't declared still shows what it said (21, 29.27). */
		if (run && value)
			(void)print_run(value);
		return print_refusal(c, result);
	}
	if (run)
		return print_run(value);
	return print_json(value, JSONW_INDENTED) ? 1 : 0;
}

int verb_proposal(struct client *c)
{
	bool run = c->opt->mode == MODE_RUN_REQUEST;
	auto_json struct json *result = NULL;
	auto_buf struct buf text;
	struct errctx e = {0};

	buf_init(&text, 8 * MAX_REQUEST_BYTES);
	if (build_request(c, run ? "run-request" : "apply-proposal", &text, &e) != 0 ||
	    client_call(c, buf_view(&text), &result, &e) != 0)
		return verb_fail(&e);
	return print_outcome(c, result, run);
}

int verb_wait(struct client *c)
{
	auto_json struct json *result = NULL;
	struct errctx e = {0};

	if (client_wait(c, c->opt->file, &result, &e) != 0)
		return verb_fail(&e);
	if (print_json(result, JSONW_INDENTED) != 0)
		return 1;
	return result_ok(result) ? 0 : result_exit(result);
}
