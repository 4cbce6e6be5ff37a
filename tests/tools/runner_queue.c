/* SPDX-License-Identifier: MIT */
/*
 * Queue client of the tests, without the product's own client code:
 *   runner_queue put ROOT CHANNEL [ID]       request from standard input; prints the id
 *   runner_queue wait ROOT ID [SECONDS]      prints the result file; 1 if none comes
 *   runner_queue call ROOT CHANNEL           both
 *   runner_queue get PATH                    member "a.b.0" of the JSON on standard input, as text
 *   runner_queue str                         standard input as a JSON string
 *   runner_queue swap A B                    exchanges two names in one step
 *   runner_queue flood ROOT CHANNEL N WRITERS   N requests {"kind": "list-staged"} by WRITERS
 * processes; with FLOOD_WRITERS in the environment each id is followed by its writer's number
 */
#include "base/base.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/rand.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int read_stdin(struct buf *b)
{
	buf_init(b, 1 << 26);
	return io_read_all(0, b, 1 << 26);
}

static int put(const char *root, const char *channel, struct view text, char id[ID_HEX + 1])
{
	char temp[4300], name[4300];
	const char *folder = strcmp(channel, "mcp") == 0 ? "mcp-requests" : "requests";
	int fd;

	(void)snprintf(temp, sizeof(temp), "%s/.agentteams-queue/%s/.%s.tmp", root, folder, id);
	(void)snprintf(name, sizeof(name), "%s/.agentteams-queue/%s/%s.json", root, folder, id);
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || io_write_all(fd, text.ptr, text.len) != 0 || rename(temp, name) != 0)
		return 1;
	(void)close(fd);
	return 0;
}

static int wait_for(const char *root, const char *id, double seconds)
{
	char name[4300];
	int64_t until = clock_mono_ms() + (int64_t)(seconds * 1000);

	(void)snprintf(name, sizeof(name), "%s/.agentteams/queue-results/%s.json", root, id);
	for (;;) {
		struct timespec nap = {0, 2000000};
		int fd = open(name, O_RDONLY);

		if (fd >= 0) {
			auto_buf struct buf b;

			buf_init(&b, 1 << 26);
			if (io_read_all(fd, &b, 1 << 26) != 0)
				return 1;
			(void)close(fd);
			printf("%s\n", buf_text(&b));
			return 0;
		}
		if (clock_mono_ms() > until)
			return 1;
		(void)nanosleep(&nap, NULL);
	}
}

static int get(char *path)
{
	auto_buf struct buf text;
	auto_json struct json *j = NULL;
	const struct json *at;
	struct view v;
	struct errctx e;
	char *save = path;

	if (read_stdin(&text) != 0 || json_parse(buf_view(&text), &j, &e) != 0)
		return 1;
	at = j;
	while (at && *save) {
		char *dot = strchr(save, '.');

		if (dot)
			*dot = '\0';
		if (json_is(at, JSON_ARRAY)) {
			long n = strtol(save, NULL, 10);

			at = json_first(at);
			while (at && n-- > 0)
				at = json_next(at);
		} else {
			at = json_member(at, save);
		}
		save = dot ? dot + 1 : save + strlen(save);
	}
	if (!at)
		return 1;
	if (json_get_str(at, &v) == 0) {
		printf("%.*s\n", (int)v.len, v.ptr);
	} else {
		auto_buf struct buf out;
		struct jsonw w;

		buf_init(&out, 1 << 26);
		jsonw_init(&w, &out, JSONW_SPACED);
		jsonw_value(&w, at);
		printf("%s\n", buf_text(&out));
	}
	return 0;
}

static int to_string(void)
{
	auto_buf struct buf text = {0}, out = {0};
	struct jsonw w;

	if (read_stdin(&text) != 0)
		return 1;
	buf_init(&out, 1 << 26);
	jsonw_init(&w, &out, JSONW_SPACED);
	jsonw_str(&w, buf_view(&text));
	printf("%s\n", buf_text(&out));
	return buf_error(&out) != 0;
}

static int flood(const char *root, const char *channel, long n, long writers)
{
	long failed = 0;

	for (long k = 0; k < writers; k++) {
		if (fork() == 0) {
			long bad = 0;

			/* Writers share the output: whole lines only. */
			(void)setvbuf(stdout, NULL, _IOLBF, 0);
			for (long i = k; i < n; i += writers) {
				char id[ID_HEX + 1];

				rand_id(id);
				bad += put(root, channel, VIEW("{\"kind\": \"list-staged\"}"), id);
				printf(getenv("FLOOD_WRITERS") ? "%s %ld\n" : "%s\n", id, k);
			}
			(void)fflush(stdout);
			_exit(bad != 0);
		}
	}
	for (long k = 0; k < writers; k++) {
		int status;

		if (wait(&status) < 0 || status != 0)
			failed++;
	}
	return failed != 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	char id[ID_HEX + 1];
	int rc;

	if (strcmp(verb, "swap") == 0 && argc == 4) /* 2: RENAME_EXCHANGE */
		return syscall(SYS_renameat2, AT_FDCWD, argv[2], AT_FDCWD, argv[3], 2) != 0;
	if (strcmp(verb, "str") == 0)
		return to_string();
	if (strcmp(verb, "get") == 0 && argc == 3)
		return get(argv[2]);
	if (strcmp(verb, "wait") == 0 && argc >= 4)
		return wait_for(argv[2], argv[3], argc > 4 ? strtod(argv[4], NULL) : 60);
	if (strcmp(verb, "flood") == 0 && argc == 6)
		return flood(argv[2], argv[3], strtol(argv[4], NULL, 10),
			     strtol(argv[5], NULL, 10));
	if ((strcmp(verb, "put") == 0 || strcmp(verb, "call") == 0) && argc >= 4) {
		auto_buf struct buf text;

		rand_id(id);
		if (argc > 4)
			(void)snprintf(id, sizeof(id), "%.32s", argv[4]);
		rc = read_stdin(&text);
		if (rc == 0)
			rc = put(argv[2], argv[3], buf_view(&text), id);
		if (rc != 0)
			return 1;
		if (verb[0] == 'p') {
			printf("%s\n", id);
			return 0;
		}
		return wait_for(argv[2], id, 60);
	}
	return 2;
}
