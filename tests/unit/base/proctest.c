/* SPDX-License-Identifier: MIT */
/* Shared parts of the tests of proc; see proctest.h. */
#include "base/base.h"

#include "tests/unit/base/proctest.h"

#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

char probe_path[4096], probe_report[300];

void proc_setup(void)
{
	ssize_t n = readlink("/proc/self/exe", probe_path, sizeof(probe_path) - 32);
	char *slash;

	cr_assert_gt(n, 0);
	probe_path[n] = 0;
	slash = strrchr(probe_path, '/');
	(void)snprintf(slash + 1, 16, "procprobe");
	(void)snprintf(probe_report, sizeof(probe_report), "%s/report", make_scratch());
	cr_assert_eq(fchmod(scratch_fd(), 0777), 0);
}

void proc_teardown(void)
{
	proc_force_fork(false);
	remove_scratch();
}

static char *probe_argv[] = {probe_path, probe_report, NULL};
static char *no_env[] = {NULL};

struct proc_spec probe_spec(void)
{
	return (struct proc_spec){.path = probe_path,
				  .exec_fd = -1,
				  .argv = probe_argv,
				  .envp = no_env,
				  .cwd_fd = -1};
}

int run_probe(const struct proc_spec *spec, struct errctx *e)
{
	struct proc p = {-1, -1};
	int status = -1, code = proc_spawn(spec, &p, e);

	if (code)
		return code;
	cr_assert_gt(p.pid, 0);
	cr_assert_geq(p.pid_fd, 0);
	cr_assert_eq(proc_wait(&p, 20000, &status, NULL), 0);
	cr_assert_eq(p.pid, -1);
	cr_assert_eq(p.pid_fd, -1);
	return proc_exit_code(status);
}

/* The report, whole. */
const char *read_report(void)
{
	static char text[65536];
	int fd = openat(scratch_fd(), "report", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	cr_assert_geq(n, 0);
	text[n] = 0;
	(void)close(fd);
	return text;
}

bool reported(const char *line)
{
	const char *text = read_report(), *at = text;
	size_t n = strlen(line);

	for (; (at = strstr(at, line)) != NULL; at++)
		if ((at == text || at[-1] == '\n') && at[n] == '\n')
			return true;
	return false;
}

void both_ways(void (*test)(void))
{
	int before = count_fds();

	for (int copied = 0; copied < 2; copied++) {
		proc_force_fork(copied);
		test();
	}
	cr_expect_eq(count_fds(), before, "a descriptor leaked");
}
