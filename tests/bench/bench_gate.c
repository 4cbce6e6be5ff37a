/* SPDX-License-Identifier: MIT */
/* bench_gate RUNS GATE (LIMIT EVENT)...: fork and exec of true(1) and of the gate on each event, in
 * turn, RUNS times; medians, and the ratio to true(1) held against LIMIT (with "ms": milliseconds).
 */
#include "base/base.h"

#include "base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>

enum { MAX_SERIES = 32 };

static int compare(const void *a, const void *b)
{
	int64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

static int64_t run(const char *program, const char *word, const char *input)
{
	int fd = open(input, O_RDONLY | O_CLOEXEC), null = open("/dev/null", O_WRONLY | O_CLOEXEC),
	    status;
	int64_t start = clock_mono_ns();
	pid_t pid = fork();

	if (pid == 0) {
		dup2(fd, 0);
		dup2(null, 1);
		dup2(null, 2);
		execl(program, program, word, (char *)NULL);
		_exit(126);
	}
	if (fd < 0 || null < 0 || pid < 0 || waitpid(pid, &status, 0) != pid ||
	    !WIFEXITED(status) || WEXITSTATUS(status) == 126) {
		(void)fprintf(stderr, "bench_gate: can't run %s\n", program);
		exit(1);
	}
	close(fd);
	close(null);
	return clock_mono_ns() - start;
}

int main(int argc, char **argv)
{
	int n = argc > 4 ? (argc - 3) / 2 : 0, runs = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0,
	    bad = 0;
	const char *true_program = access("/bin/true", X_OK) == 0 ? "/bin/true" : "/usr/bin/true";
	int64_t *t;

	if (n < 1 || n >= MAX_SERIES || runs < 1)
		return 2;
	t = calloc((size_t)(n + 1) * (size_t)runs, sizeof(*t));
	if (!t)
		return 1;
	for (int i = 0; i < runs; i++) {
		t[i] = run(true_program, "x", "/dev/null");
		for (int k = 0; k < n; k++)
			t[(k + 1) * runs + i] = run(argv[2], "pretooluse", argv[4 + 2 * k]);
	}
	for (int k = 0; k <= n; k++)
		qsort(t + k * runs, (size_t)runs, sizeof(*t), compare);
	printf("%-14s median %6.0f us\n", "true(1)", (double)t[runs / 2] / 1e3);
	for (int k = 0; k < n; k++) {
		double ratio = (double)t[(k + 1) * runs + runs / 2] / (double)t[runs / 2];
		char *unit;
		double most = strtod(argv[3 + 2 * k], &unit);
		bool absolute = strcmp(unit, "ms") == 0;
		double ms = (double)t[(k + 1) * runs + runs / 2] / 1e6;
		bool over = (absolute ? ms : ratio) > most;
		const char *name = strrchr(argv[4 + 2 * k], '/');

		printf("%-14s median %6.0f us, %.2f times true(1), may be %.1f%s%s\n",
		       name ? name + 1 : "", ms * 1e3, ratio, most, absolute ? " ms" : "",
		       over ? "  OVER" : "");
		bad |= over;
	}
	free(t);
	return bad;
}
