/* SPDX-License-Identifier: MIT */
/*
 * Speed of the MCP server, each figure beside a peer measured in turn in the same run; medians.
 *   start      process start to the reply to initialize, against fork+exec+wait of /bin/true and of
 * a bare Python read       read_file_hashed of 4 KiB, call to reply, against a process that copies
 * the line (cat) wake       result file in place to reply memory     resident while idle, after
 * 10,000 and after 50,000 calls
 */
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { STARTS = 200, READS = 3000, WAKES = 200 };

static char *empty_env[] = {(char *)"PATH=/usr/bin:/bin", NULL};
static const char *server;
static char root[128];
static int failed;

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return (d > 0) - (d < 0);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(99);
}

static void bound(const char *what, double got, double most)
{
	bool met = got <= most;

	printf("%-58s %9.2f  at most %7.2f  %s\n", what, got, most, met ? "met" : "NOT MET");
	failed |= !met;
}

struct child {
	pid_t pid;
	int to, from;
};

static struct child start(char *const *argv)
{
	int in[2], out[2];
	posix_spawn_file_actions_t actions;
	struct child c;

	must(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0, "pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	must(posix_spawn(&c.pid, argv[0], &actions, NULL, argv, empty_env) == 0, argv[0]);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	c.to = in[1];
	c.from = out[0];
	return c;
}

static void stop(struct child *c)
{
	int status;

	close(c->to);
	close(c->from);
	must(waitpid(c->pid, &status, 0) == c->pid, "wait");
}

/* Reads up to a line feed; returns the length. */
static size_t read_line(int fd, char *line, size_t size)
{
	size_t n = 0;

	for (;;) {
		ssize_t got = read(fd, line + n, size - n);

		must(got > 0, "the child ended");
		n += (size_t)got;
		if (line[n - 1] == '\n')
			return n;
		must(n < size, "a line is too long");
	}
}

static void write_all(int fd, const char *text)
{
	must(write(fd, text, strlen(text)) == (ssize_t)strlen(text), "write");
}

static const char hello[] =
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
	"\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}"
	"\n";

static struct child start_server(const char *wait)
{
	char *argv[] = {
		(char *)server,
		(char *)"--agent",
		(char *)"bench",
		(char *)"--root",
		root,
		(char *)"--wait",
		(char *)wait,
		(char *)"--tools",
		(char *)"write_file,delete_file,run_command,request_status,read_file_hashed",
		NULL};

	return start(argv);
}

static char line[1 << 20];

static double time_start(void)
{
	double begin = now_us(), end;
	struct child c = start_server("20");

	write_all(c.to, hello);
	(void)read_line(c.from, line, sizeof(line));
	end = now_us();
	stop(&c);
	return end - begin;
}

static double time_command(char *const *argv)
{
	double begin = now_us(), end;
	struct child c = start(argv);
	int status;

	must(waitpid(c.pid, &status, 0) == c.pid && status == 0, argv[0]);
	end = now_us();
	close(c.to);
	close(c.from);
	return end - begin;
}

static void bench_start(void)
{
	char *true_argv[] = {(char *)"/bin/true", NULL};
	char *python_argv[] = {(char *)"/usr/bin/python3",
			       (char *)"-I",
			       (char *)"-S",
			       (char *)"-c",
			       (char *)"pass",
			       NULL};
	static double ours[STARTS], plain[STARTS], python[STARTS];
	bool has_python = access(python_argv[0], X_OK) == 0;
	double a, b, c;

	for (int i = -3; i < STARTS; i++) {
		a = time_start();
		b = time_command(true_argv);
		c = has_python ? time_command(python_argv) : 0;
		if (i < 0)
			continue;
		ours[i] = a;
		plain[i] = b;
		python[i] = c;
	}
	a = median(ours, STARTS);
	b = median(plain, STARTS);
	c = median(python, STARTS);
	printf("start: server %.0f us, true %.0f us, python %.0f us\n", a, b, c);
	bound("start to initialize reply / fork+exec of true", a / b, 2);
	if (has_python)
		bound("start to initialize reply / bare python3 -I -S -c pass", a / c, 0.12);
	else
		printf("/usr/bin/python3 isn't here: that ratio wasn't measured\n");
}

static long resident_kb(pid_t pid)
{
	char name[64], text[4096];
	int fd;
	ssize_t n;
	char *at;

	(void)snprintf(name, sizeof(name), "/proc/%d/status", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	must(fd >= 0, name);
	n = read(fd, text, sizeof(text) - 1);
	must(n > 0, name);
	text[n] = 0;
	close(fd);
	at = strstr(text, "VmRSS:");
	must(at != NULL, "VmRSS");
	return strtol(at + 6, NULL, 10);
}

static const char call[] =
	"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":"
	"\"read_file_hashed\",\"arguments\":{\"path\":\"src/four.txt\"}}}\n";

static double time_round(struct child *c, const char *text)
{
	double begin = now_us();

	write_all(c->to, text);
	(void)read_line(c->from, line, sizeof(line));
	return now_us() - begin;
}

/* One processor for everybody: else the scheduler's choice of a place, which differs from run to
 * run and for each of the two, is most of what is measured. Returns what there was before. */
static cpu_set_t pin_to_one(void)
{
	cpu_set_t before, one;
	int cpu = 0;

	must(sched_getaffinity(0, sizeof(before), &before) == 0, "affinity");
	while (!CPU_ISSET(cpu, &before))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	must(sched_setaffinity(0, sizeof(one), &one) == 0, "affinity");
	return before;
}

static void bench_read(void)
{
	char *cat_argv[] = {(char *)"/bin/cat", NULL};
	static double ours[READS], echo[READS];
	cpu_set_t all = pin_to_one();
	struct child s = start_server("20"), c = start(cat_argv);
	long idle, after, later;
	double a, b;

	(void)time_round(&s, hello);
	idle = resident_kb(s.pid);
	for (int i = -50; i < READS; i++) {
		a = time_round(&s, call);
		b = time_round(&c, call);
		if (i < 0)
			continue;
		ours[i] = a;
		echo[i] = b;
	}
	must(strstr(line, "four.txt") != NULL, "echo");
	a = median(ours, READS);
	b = median(echo, READS);
	printf("read of 4 KiB: server %.1f us, echo %.1f us\n", a, b);
	bound("read_file_hashed of 4 KiB / echo of the line", a / b, 3);
	for (int i = READS; i < 10000; i++)
		(void)time_round(&s, call);
	after = resident_kb(s.pid);
	for (int i = 10000; i < 50000; i++)
		(void)time_round(&s, call);
	later = resident_kb(s.pid);
	printf("resident: idle %ld kB, after 10,000 calls %ld kB, after 50,000 %ld kB\n", idle,
	       after, later);
	bound("resident while idle, MiB", (double)idle / 1024, 4);
	bound("resident after 10,000 calls, MiB", (double)after / 1024, 12);
	bound("growth from 10,000 to 50,000 calls, MiB", (double)(later - after) / 1024, 0.25);
	stop(&s);
	stop(&c);
	must(sched_setaffinity(0, sizeof(all), &all) == 0, "affinity");
}

static void in_root(char *out, size_t size, const char *rel)
{
	(void)snprintf(out, size, "%s/%s", root, rel);
}

static void make_dir(const char *rel)
{
	char name[256];

	in_root(name, sizeof(name), rel);
	must(mkdir(name, 0700) == 0, name);
}

static void write_file(const char *name, const char *text, size_t n)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	must(fd >= 0 && write(fd, text, n) == (ssize_t)n && close(fd) == 0, name);
}

/* The name of a request in the queue (32 digits of it) into id; false if there is none. */
static bool first_request(const char *dir_name, char id[33])
{
	DIR *dir = opendir(dir_name);
	bool found = false;

	must(dir != NULL, dir_name);
	for (struct dirent *entry = readdir(dir); entry && !found; entry = readdir(dir))
		if (strlen(entry->d_name) == 37 && entry->d_name[0] != '.') {
			memcpy(id, entry->d_name, 32);
			id[32] = 0;
			found = true;
		}
	closedir(dir);
	return found;
}

static void find_request(char id[33])
{
	char dir_name[256];
	double end = now_us() + 5e6;

	in_root(dir_name, sizeof(dir_name), ".agentteams-queue/mcp-requests");
	while (!first_request(dir_name, id))
		must(now_us() < end, "no request was queued");
}

static void remove_tree(void)
{
	char *argv[] = {(char *)"/bin/rm", (char *)"-rf", root, NULL};

	(void)time_command(argv);
}

static void bench_wake(void)
{
	static const char write_call[] =
		"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":"
		"\"write_file\",\"arguments\":{\"dispatch\":\"0123456789abcdef0123456789abcdef\","
		"\"path\":\"src/x\",\"content\":\"x\",\"base_sha256\":\"absent\",\"rationale\":"
		"\"bench\"}}}\n";
	static double wake[WAKES];
	struct child s = start_server("20");
	char lock_name[256], temp[256], final[256], request[256], answer[256], id[33];
	int lock_fd;

	in_root(lock_name, sizeof(lock_name), ".agentteams/runner.lock");
	lock_fd = open(lock_name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	must(lock_fd >= 0 && flock(lock_fd, LOCK_EX) == 0, "lock");
	(void)time_round(&s, hello);
	in_root(temp, sizeof(temp), ".agentteams/queue-results/.temp");
	for (int i = 0; i < WAKES; i++) {
		double begin;

		write_all(s.to, write_call);
		find_request(id);
		(void)snprintf(request, sizeof(request),
			       "%s/.agentteams-queue/mcp-requests/%s.json", root, id);
		must(unlink(request) == 0, request);
		(void)snprintf(final, sizeof(final), "%s/.agentteams/queue-results/%s.json", root,
			       id);
		(void)snprintf(answer, sizeof(answer),
			       "{\"id\": \"%s\", \"ok\": true, \"result\": {}}", id);
		write_file(temp, answer, strlen(answer));
		usleep(2000); /* the server sleeps in poll by now */
		begin = now_us();
		must(rename(temp, final) == 0, final);
		(void)read_line(s.from, line, sizeof(line));
		wake[i] = now_us() - begin;
		must(strstr(line, "\"status\":\"done\"") != NULL, line);
		(void)unlink(final);
		(void)snprintf(final, sizeof(final), "%s/.agentteams-queue/acks/%s", root, id);
		(void)unlink(final);
	}
	printf("wake after a result appears: median %.0f us\n", median(wake, WAKES));
	bound("wake after a result file appears, ms", median(wake, WAKES) / 1e3, 2);
	stop(&s);
	close(lock_fd);
}

int main(int argc, char **argv)
{
	char name[256], text[4096];

	must(argc == 2, "usage: bench_mcp SERVER");
	server = argv[1];
	(void)snprintf(root, sizeof(root), "/tmp/agentteams-bench.XXXXXX");
	must(mkdtemp(root) != NULL, root);
	make_dir("src");
	make_dir(".agentteams");
	make_dir(".agentteams/queue-results");
	make_dir(".agentteams-queue");
	make_dir(".agentteams-queue/mcp-requests");
	make_dir(".agentteams-queue/acks");
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 64 == 63 ? '\n' : (char)('a' + i % 26);
	in_root(name, sizeof(name), "src/four.txt");
	write_file(name, text, sizeof(text));
	bench_start();
	bench_read();
	bench_wake();
	remove_tree();
	return failed;
}
