/* SPDX-License-Identifier: MIT */
/*
 * compare: starts each command of a list in turn, many rounds, and prints medians as ratios to the
 * first. Interleaved, so that what else the machine does falls on all of them. Input lines: label
 * TAB words separated by '|'. A command that fails ends the comparison. Prints "label
 * wall-median-ms wall-ratio cpu-median-ms cpu-ratio".
 */
#include "base/base.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { MAX_COMMANDS = 16, MAX_WORDS = 2048, WARM_UP = 2 };

struct command {
	char *line, *label;
	char *words[MAX_WORDS + 1];
	double *wall, *cpu;
};

static double now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return (d > 0) - (d < 0);
}

static double spent_ms(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1e3 +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e3;
}

static bool split(struct command *c)
{
	char *at = strchr(c->line, '\t');
	size_t n = 0;

	if (!at)
		return false;
	c->label = c->line;
	for (*at++ = '\0'; at && n < MAX_WORDS; n++) {
		c->words[n] = at;
		at = strchr(at, '|');
		if (at)
			*at++ = '\0';
	}
	return n > 0;
}

static bool run(const struct command *c, int null_fd, double *wall, double *cpu)
{
	double start = now_ms();
	struct rusage u;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		for (int i = 0; i < 3; i++)
			if (i < 2 || !getenv("COMPARE_VERBOSE"))
				(void)dup2(null_fd, i);
		(void)execvp(c->words[0], c->words);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
		return false;
	*wall = now_ms() - start;
	*cpu = spent_ms(&u);
	if (status != 0)
		(void)fprintf(stderr, "%s: status %#x\n", c->label, (unsigned)status);
	return status == 0;
}

static bool measure(struct command *list, size_t n, size_t rounds, int null_fd)
{
	for (size_t r = 0; r < rounds + WARM_UP; r++)
		for (size_t i = 0; i < n; i++) {
			double wall, cpu;

			if (!run(&list[i], null_fd, &wall, &cpu))
				return false;
			if (r >= WARM_UP) {
				list[i].wall[r - WARM_UP] = wall;
				list[i].cpu[r - WARM_UP] = cpu;
			}
		}
	return true;
}

static void print(struct command *list, size_t n, size_t rounds)
{
	double wall = 0, cpu = 0;

	for (size_t i = 0; i < n; i++) {
		qsort(list[i].wall, rounds, sizeof(double), by_value);
		qsort(list[i].cpu, rounds, sizeof(double), by_value);
		if (i == 0) {
			wall = list[0].wall[rounds / 2];
			cpu = list[0].cpu[rounds / 2];
		}
		(void)printf("%-28s %9.2f ms %6.2f   cpu %9.2f ms %6.2f\n", list[i].label,
			     list[i].wall[rounds / 2], list[i].wall[rounds / 2] / wall,
			     list[i].cpu[rounds / 2],
			     list[i].cpu[rounds / 2] / (cpu > 0 ? cpu : 1));
	}
}

int main(int argc, char **argv)
{
	static struct command list[MAX_COMMANDS];
	size_t n = 0, size = 0;
	long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
	size_t rounds = wanted > 0 ? (size_t)wanted : 1;
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC), status = 0;

	while (n < MAX_COMMANDS && getline(&list[n].line, &size, stdin) > 0) {
		list[n].line[strcspn(list[n].line, "\n")] = '\0';
		list[n].wall = calloc(rounds, sizeof(double));
		list[n].cpu = calloc(rounds, sizeof(double));
		if (!split(&list[n]) || !list[n].wall || !list[n].cpu) {
			(void)fprintf(stderr, "compare: a line without a label, or no memory\n");
			return 2;
		}
		n++;
		size = 0;
	}
	if (null_fd < 0 || n == 0 || !measure(list, n, rounds, null_fd))
		status = 1;
	else
		print(list, n, rounds);
	for (size_t i = 0; i < n; i++) {
		free(list[i].line);
		free(list[i].wall);
		free(list[i].cpu);
	}
	return status;
}
