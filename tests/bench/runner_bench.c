/* SPDX-License-Identifier: MIT */
/*
 * Measurements of the runner, each with its peer in the same run:
 *   runner_bench ledger DIR          append with 10 and with 1,000,000 rows; verification in MB/s
 *   runner_bench records KEY DIR N   writes N signed staged records for a list to be measured
 *   runner_bench readdir DIR         median time of listing a folder's names, in microseconds
 *   runner_bench stage ROOT AGENT DIR NONCE...
 *                                    medians of a staged write from MCP call to receipt, and of its
 *                                    durable steps alone in DIR, in microseconds
 *
 * What is compared takes turns, round by round: a disk's mood changes within seconds (write-back,
 * discards of what an earlier test removed), and neither side may have the better of it.
 */
#include "base/base.h"

#include "base/atomicfile.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/jsonw.h"
#include "base/rand.h"
#include "runner/key.h"
#include "runner/ledger.h"
#include "runner/records.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

enum { ROUNDS = 200 };

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void must(int rc, const char *what)
{
	if (rc != 0) {
		fprintf(stderr, "%s: %s\n", what, err_name(rc));
		exit(1);
	}
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static double median_us(int64_t *ns, size_t n)
{
	qsort(ns, n, sizeof(*ns), by_value);
	return (double)ns[n / 2] / 1000;
}

static int open_folder(int dir_fd, const char *name)
{
	int fd;

	if (mkdirat(dir_fd, name, 0700) != 0 && errno != EEXIST)
		die(name);
	fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		die(name);
	return fd;
}

/* A genuine ledger of n rows, written at once. */
static void make_ledger(int dir_fd, const struct mac_key *k, int64_t n)
{
	auto_buf struct buf block, head;
	int fd = openat(dir_fd, LEDGER_NAME, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	char last[SHA256_HEX + 1] = "";
	struct jsonw w;

	buf_init(&block, 1 << 22);
	buf_init(&head, 1024);
	for (int64_t i = 1; i <= n; i++) {
		struct row r = {.action = ROW_STAGE_PROPOSAL};
		struct row_frame f = {"2026-10-06T12:00:00+00:00", last, i};
		size_t start = block.len, at;
		auto_buf struct buf line;

		buf_init(&line, 4096);
		row_str(&r, KEY_AGENT, VIEW("producer"));
		row_str(&r, KEY_PATH, VIEW("src/module/file.py"));
		row_str(&r, KEY_RATIONALE, VIEW("an ordinary reason of an ordinary length"));
		row_int(&r, KEY_BYTES, i);
		must(row_emit(&r, &f, &line, &at), "row");
		must(mac_seal(k, &line, at), "seal");
		sha256_hex(buf_view(&line), last);
		(void)buf_put_view(&block, buf_view(&line));
		(void)buf_putc(&block, '\n');
		(void)start;
		if (block.len > 1 << 20 || i == n) {
			must(io_write_all(fd, block.data, block.len), "write");
			buf_clear(&block);
		}
	}
	(void)close(fd);
	jsonw_init(&w, &head, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_kv_int(&w, "count", n);
	jsonw_kv_cstr(&w, "last", last);
	fd = (int)head.len;
	jsonw_obj_end(&w);
	must(mac_seal(k, &head, (size_t)fd), "seal");
	(void)buf_putc(&head, '\n');
	must(atomicfile_put(dir_fd, LEDGER_HEAD, buf_view(&head), 0600, COMMIT_REPLACE, NULL),
	     "head");
}

static void note(void *arg, const char *problem)
{
	(void)arg;
	fprintf(stderr, "problem: %s\n", problem);
}

struct book {
	struct ledger ledger;
	struct anchor anchor;
};

static void book_open(struct book *b, int dir_fd, const struct mac_key *k)
{
	struct errctx e = {0};
	char torn[SHA256_HEX + 1];
	size_t n;

	must(anchor_open(&b->anchor, dir_fd, "anchor", VIEW("/p"), k, &e), e.text);
	must(ledger_open(&b->ledger, dir_fd, k, &b->anchor, NULL, NULL, &n, torn, &e), e.text);
}

static void book_close(struct book *b)
{
	ledger_close(&b->ledger);
	anchor_close(&b->anchor);
}

static int64_t append_ns(struct book *b)
{
	struct row r = {.action = ROW_REJECT_STAGED};
	struct errctx e = {0};
	int64_t start = clock_mono_ns();

	row_str(&r, KEY_REASON, VIEW("an ordinary reason"));
	must(ledger_append(&b->ledger, &r, &e), e.text);
	return clock_mono_ns() - start;
}

static int bench_ledger(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY), few, many;
	int64_t start, rows, bytes, n, ns[2][ROUNDS];
	static struct mac_key k;
	struct errctx e = {0};
	struct book small, big;

	if (dir < 0)
		die(path);
	few = open_folder(dir, "few");
	many = open_folder(dir, "many");
	mac_key_init(&k, VIEW("kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"));
	make_ledger(few, &k, 10);
	make_ledger(many, &k, 1000000);
	start = clock_mono_ns();
	n = ledger_verify(many, &k, NULL, note, NULL, &rows, &bytes, &e);
	start = clock_mono_ns() - start;
	printf("verify_rows %lld\nverify_problems %lld\nverify_mb_s %.0f\n", (long long)rows,
	       (long long)n, (double)bytes * 1000 / (double)start);
	book_open(&small, few, &k);
	book_open(&big, many, &k);
	for (size_t i = 0; i < ROUNDS; i++) {
		ns[0][i] = append_ns(&small);
		ns[1][i] = append_ns(&big);
	}
	book_close(&small);
	book_close(&big);
	printf("append_10_us %.0f\nappend_1000000_us %.0f\n", median_us(ns[0], ROUNDS),
	       median_us(ns[1], ROUNDS));
	printf("append_ratio %.2f\n", median_us(ns[1], ROUNDS) / median_us(ns[0], ROUNDS));
	return n != 0;
}

static int make_records(const char *key_path, const char *dir, long n)
{
	const struct mac_key *k = NULL;
	struct errctx e = {0};
	int fd = open(dir, O_RDONLY | O_DIRECTORY);

	must(key_load(key_path, &k, &e), e.text);
	for (long i = 0; i < n; i++) {
		char sid[ID_HEX + 1], name[64], path[64], expires[26];
		struct staged s = {.agent = VIEW("producer"),
				   .base = VIEW("absent"),
				   .rationale = VIEW("an ordinary reason"),
				   .content = VIEW("x = 2\n")};
		auto_buf struct buf b;
		size_t at;
		int file;

		rand_token(sid);
		(void)snprintf(path, sizeof(path), "src/f%ld", i);
		(void)snprintf(name, sizeof(name), "%s.json", sid);
		clock_iso8601(clock_wall_s() + 80000, expires);
		s.sid = view_of(sid);
		s.path = view_of(path);
		s.expires = view_of(expires);
		staged_digest(&s);
		buf_init(&b, 65536);
		must(staged_emit(&s, &b, &at), "record");
		must(mac_seal(k, &b, at), "seal");
		file = openat(fd, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
		must(io_write_all(file, b.data, b.len), name);
		(void)close(file);
	}
	return 0;
}

static int bench_readdir(const char *path)
{
	int64_t ns[51];

	for (size_t i = 0; i < ARRAY_LEN(ns); i++) {
		int64_t start = clock_mono_ns();
		DIR *d = opendir(path);
		long n = 0;

		if (!d)
			die(path);
		while (readdir(d))
			n++;
		(void)closedir(d);
		ns[i] = clock_mono_ns() - start;
		if (n < 2)
			return 1;
	}
	printf("%.0f\n", median_us(ns, ARRAY_LEN(ns)));
	return 0;
}

static void put_durable(int dir_fd, const char *name)
{
	static const char text[700] = "x";

	must(atomicfile_put(dir_fd, name, (struct view){text, sizeof(text)}, 0600, COMMIT_NEW,
			    NULL),
	     name);
}

/* What has to reach the disk between request and receipt, in its order and in as many folders: the
 * request (file, folder), the claim (folder), the use (line), the row (line), the anchor
 * (overwritten), the record (file, folder), the result (file, folder). */
struct steps {
	int requests, claimed, staged, results, line, place;
};

static void steps_open(struct steps *s, const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY);
	static const char text[512] = "x";

	if (fd < 0)
		die(path);
	s->requests = open_folder(fd, "requests");
	s->claimed = open_folder(fd, "claimed");
	s->staged = open_folder(fd, "staged");
	s->results = open_folder(fd, "results");
	s->line = openat(fd, "lines", O_WRONLY | O_CREAT | O_APPEND, 0600);
	s->place = openat(fd, "place", O_WRONLY | O_CREAT, 0600);
	if (s->line < 0 || s->place < 0 || pwrite(s->place, text, sizeof(text), 0) < 0 ||
	    fsync(s->place) != 0)
		die(path);
}

static int64_t steps_ns(const struct steps *s)
{
	static const char text[512] = "x";
	int64_t start = clock_mono_ns();
	char name[32];

	(void)snprintf(name, sizeof(name), "%lld", (long long)start);
	put_durable(s->requests, name);
	if (renameat(s->requests, name, s->claimed, name) != 0 || fsync(s->claimed) != 0)
		die("claim");
	for (int k = 0; k < 2; k++) { /* use, row */
		if (write(s->line, text, 300) != 300 || fdatasync(s->line) != 0)
			die("line");
	}
	if (pwrite(s->place, text, sizeof(text), 0) < 0 || fdatasync(s->place) != 0)
		die("anchor");
	put_durable(s->staged, name);
	put_durable(s->results, name);
	if (unlinkat(s->claimed, name, 0) != 0)
		die("claim");
	return clock_mono_ns() - start;
}

/* What either side leaves to be done after its end (acknowledgement, journal) isn't the other's. */
static void settle(void)
{
	(void)nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* One line of the server's, its end included. */
static void read_line(FILE *from, char *line, size_t size)
{
	if (!fgets(line, (int)size, from) || !strchr(line, '\n'))
		die("the server doesn't answer");
}

/* From the call as a client writes it to the receipt as it reads it, through the real server. */
static int bench_stage(const char *root, const char *agent, const char *dir, char **nonces, int n)
{
	static char line[65536];
	int in[2], out[2];
	int64_t ns[1000], alone[1000];
	struct steps steps;
	FILE *to, *from;
	pid_t child;

	steps_open(&steps, dir);
	if (chdir(root) != 0 || pipe(in) != 0 || pipe(out) != 0)
		die(root);
	child = fork();
	if (child == 0) {
		if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0)
			_exit(1);
		(void)close(in[1]);
		(void)close(out[0]);
		(void)execl(".agentteams/bin/agentteams-runner-mcp", "agentteams-runner-mcp",
			    "--agent", agent, "--tools", "write_file,request_status", (char *)NULL);
		_exit(1);
	}
	(void)close(in[0]);
	(void)close(out[1]);
	to = fdopen(in[1], "w");
	from = fdopen(out[0], "r");
	if (child < 0 || !to || !from)
		die("server");
	fprintf(to, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
		    "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":"
		    "{\"name\":\"bench\",\"version\":\"0\"}}}\n");
	(void)fflush(to);
	read_line(from, line, sizeof(line));
	if (n > (int)ARRAY_LEN(ns))
		n = (int)ARRAY_LEN(ns);
	for (int i = 0; i < n; i++) {
		int64_t start;

		settle();
		alone[i] = steps_ns(&steps);
		settle();
		start = clock_mono_ns();
		fprintf(to,
			"{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{"
			"\"name\":\"write_file\",\"arguments\":{\"dispatch\":\"%s\",\"path\":\"src/"
			"n%d\",\"content\":\"x = 2\\n\",\"base_sha256\":\"absent\","
			"\"rationale\":\"an ordinary reason\"}}}\n",
			i + 1, nonces[i / 25], i);
		(void)fflush(to);
		read_line(from, line, sizeof(line));
		ns[i] = clock_mono_ns() - start;
		if (!strstr(line, "\"staged\":true"))
			die(line);
	}
	(void)fclose(to);
	(void)fclose(from);
	printf("%.0f %.0f\n", median_us(ns, (size_t)n), median_us(alone, (size_t)n));
	return 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (strcmp(verb, "ledger") == 0 && argc == 3)
		return bench_ledger(argv[2]);
	if (strcmp(verb, "records") == 0 && argc == 5)
		return make_records(argv[2], argv[3], strtol(argv[4], NULL, 10));
	if (strcmp(verb, "readdir") == 0 && argc == 3)
		return bench_readdir(argv[2]);
	if (strcmp(verb, "stage") == 0 && argc > 5)
		return bench_stage(argv[2], argv[3], argv[4], argv + 5, (argc - 5) * 25);
	return 2;
}
