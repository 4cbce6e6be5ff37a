/* SPDX-License-Identifier: MIT */
/* The descriptors of children are exactly those of the map; and children go with their parent. */
#include "base/base.h"

#include "base/proc.h"

#include "base/limits.h"
#include "tests/unit/base/proctest.h"
#include "tests/unit/base/systest.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

TestSuite(proc_map, .init = proc_setup, .fini = proc_teardown);

/* Pseudo-random numbers, the same in each run. */
static uint32_t dice_state = 1;
static int dice(int sides)
{
	dice_state = dice_state * 1664525 + 1013904223;
	return (int)((dice_state >> 8) % (uint32_t)sides);
}

enum { MAP_TOP = 24 };

static uint64_t identity(int fd, const char **kind)
{
	struct stat st;

	cr_assert_eq(fstat(fd, &st), 0);
	*kind = S_ISCHR(st.st_mode) ? "dev" : "ino";
	return S_ISCHR(st.st_mode) ? st.st_rdev : st.st_ino;
}

/* The report's descriptor lines that this map must give. */
static void expected_fds(const struct proc_fd *map, size_t n, int null_fd, char *out, size_t size)
{
	size_t at = 0;

	for (int child = 0; child <= MAP_TOP; child++) {
		int parent = child <= 2 ? null_fd : -2;
		const char *kind;
		uint64_t id;

		for (size_t i = 0; i < n; i++)
			if (map[i].child == child)
				parent = map[i].parent == -1 ? null_fd : map[i].parent;
		if (parent == -2)
			continue;
		id = identity(parent, &kind);
		at += (size_t)snprintf(out + at, size - at, "fd %d %s %llu\n", child, kind,
				       (unsigned long long)id);
	}
}

static size_t roll_map(struct proc_fd *map, const bool *is_open)
{
	bool used[MAP_TOP + 1] = {false};
	size_t n = (size_t)dice(12);

	for (size_t i = 0; i < n; i++) {
		do {
			map[i].child = dice(MAP_TOP + 1);
		} while (used[map[i].child]);
		used[map[i].child] = true;
		do {
			map[i].parent = dice(MAP_TOP + 2) - 1;
		} while (map[i].parent >= 0 && !is_open[map[i].parent]);
	}
	return n;
}

/* Moves a descriptor to this number. */
static void put_number(int from, int to)
{
	CHECK(from >= 0);
	if (from == to)
		return;
	CHECK(dup3(from, to, O_CLOEXEC) == to);
	(void)close(from);
}

/* Files at about half of the numbers 3 to MAP_TOP. */
static void open_files(bool *is_open)
{
	for (int fd = 0; fd <= MAP_TOP; fd++) {
		char name[32];

		is_open[fd] = fd <= 2 || dice(2);
		if (fd <= 2 || !is_open[fd]) {
			if (fd > 2)
				(void)close(fd);
			continue;
		}
		(void)snprintf(name, sizeof(name), "file%d", fd);
		put_number(openat(scratch_fd(), name, O_RDWR | O_CREAT | O_CLOEXEC, 0600), fd);
	}
}

struct map_run {
	int rounds;
	bool copied;
	int no_close_range;
	bool by_descriptor;
};

static void random_maps(void *arg)
{
	const struct map_run *r = arg;
	struct proc_fd map[16];
	bool is_open[MAP_TOP + 1];
	char wanted[2048];
	int null_fd = 100, high_scratch = 101;

	CHECK(dup2(scratch_fd(), high_scratch) == high_scratch);
	move_scratch_fd(high_scratch);
	put_number(open("/dev/null", O_RDWR | O_CLOEXEC), null_fd);
	proc_force_fork(r->copied);
	if (r->no_close_range)
		deny_syscall(SYS_close_range, r->no_close_range);
	for (int i = 0; i < r->rounds; i++) {
		struct proc_spec spec = probe_spec();
		int exec_at;

		open_files(is_open);
		spec.n_fds = roll_map(map, is_open);
		spec.fds = map;
		if (r->by_descriptor) { /* the program's own descriptor stands in the way as well */
			exec_at = 3 + dice(MAP_TOP - 2);
			is_open[exec_at] = true;
			put_number(open(probe_path, O_PATH | O_CLOEXEC), exec_at);
			spec.path = NULL;
			spec.exec_fd = exec_at;
		}
		expected_fds(map, spec.n_fds, null_fd, wanted, sizeof(wanted));
		CHECK(run_probe(&spec, NULL) == 0);
		if (strncmp(read_report(), wanted, strlen(wanted)) != 0 ||
		    strncmp(read_report() + strlen(wanted), "cwd ", 4) != 0) {
			(void)fprintf(stderr, "round %d, wanted:\n%sgot:\n%s", i, wanted,
				      read_report());
			CHECK(false);
		}
	}
}

Test(proc_map, any_descriptor_map_is_exact, .timeout = 120)
{
	struct map_run runs[] = {
		{80, false, 0, false},	  {30, true, 0, false},	     {20, false, ENOSYS, false},
		{20, true, EPERM, false}, {20, false, EINVAL, true}, {30, false, 0, true},
		{20, true, 0, true},
	};

	for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
		dice_state = (uint32_t)i * 7919 + 1;
		cr_expect(in_child(random_maps, &runs[i]), "run %zu", i);
	}
}

static void try_swap(void)
{
	/* The classic: a cycle of three, and standard descriptors exchanged. */
	struct proc_spec spec = probe_spec();
	int a = openat(scratch_fd(), "a", O_RDWR | O_CREAT | O_CLOEXEC, 0600),
	    b = openat(scratch_fd(), "b", O_RDWR | O_CREAT | O_CLOEXEC, 0600),
	    c = openat(scratch_fd(), "c", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct proc_fd map[] = {{a, b}, {b, c}, {c, a}, {0, a}, {1, a}, {2, c}};
	char line[64];
	const char *kind;

	spec.fds = map;
	spec.n_fds = ARRAY_LEN(map);
	cr_assert_eq(run_probe(&spec, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(map); i++) {
		(void)snprintf(line, sizeof(line), "fd %d ino %llu", map[i].child,
			       (unsigned long long)identity(map[i].parent, &kind));
		cr_expect(reported(line), "%s", line);
	}
	(void)close(a);
	(void)close(b);
	(void)close(c);
}

Test(proc_map, descriptors_can_change_places)
{
	both_ways(try_swap);
}

Test(proc_map, bad_maps_are_refused)
{
	static const struct proc_fd twice[] = {{3, 0}, {3, 1}}, negative[] = {{-1, 0}},
				    high[] = {{MAX_CHILD_FD + 1, 0}}, below[] = {{3, -2}},
				    closed[] = {{3, 999}}, closed_same[] = {{999, 999}};
	static struct proc_fd many[MAX_CHILD_FDS + 1];
	struct {
		const struct proc_fd *map;
		size_t n;
		int code;
	} bad[] = {
		{twice, 2, E_RANGE},	 {negative, 1, E_RANGE},	   {high, 1, E_RANGE},
		{below, 1, E_RANGE},	 {many, ARRAY_LEN(many), E_RANGE}, {closed, 1, E_SYS},
		{closed_same, 1, E_SYS},
	};
	struct proc_spec spec = probe_spec();
	int before = count_fds();

	for (size_t i = 0; i < ARRAY_LEN(many); i++)
		many[i] = (struct proc_fd){(int)i, 0};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct errctx e = {0};

		spec.fds = bad[i].map;
		spec.n_fds = bad[i].n;
		cr_expect_eq(run_probe(&spec, &e), bad[i].code, "%zu: %s", i, e.text);
		cr_expect_eq(e.code, bad[i].code);
	}
	spec.n_fds = MAX_CHILD_FDS;
	spec.fds = many;
	cr_expect_eq(run_probe(&spec, NULL), 0);
	cr_expect_eq(count_fds(), before);
}

/* A parent that is killed at any moment leaves no child: each holds the pipe's end. */
static void killed_parent(int pause_us, bool copied)
{
	char *argv[] = {probe_path, "/dev/null", "wait", NULL};
	struct proc_spec spec = probe_spec();
	struct timespec t = {0, pause_us * 1000};
	struct pollfd end;
	struct proc_fd map[] = {{3, -1}};
	int ends[2];
	pid_t parent;

	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	map[0].parent = ends[1];
	spec.argv = argv;
	spec.fds = map;
	spec.n_fds = 1;
	spec.die_with_parent = true;
	parent = fork_child();
	if (parent == 0) {
		struct proc p;

		proc_force_fork(copied);
		for (;;)
			CHECK(proc_spawn(&spec, &p, NULL) == 0);
	}
	(void)close(ends[1]);
	(void)nanosleep(&t, NULL);
	kill_child(parent);
	end = (struct pollfd){.fd = ends[0], .events = POLLIN};
	cr_assert_eq(poll(&end, 1, 10000), 1, "a child outlived its parent");
	cr_expect(end.revents & POLLHUP);
	(void)close(ends[0]);
}

Test(proc_map, children_die_with_a_parent_that_is_killed_at_any_moment)
{
	for (int i = 0; i < 60; i++)
		killed_parent(i * 97 % 3000, i % 3 == 2);
}

Test(proc_map, children_do_not_outlive_only_if_asked)
{
	/* The control of the test above: without the flag the child lives on. */
	char *argv[] = {probe_path, "/dev/null", "wait", NULL};
	struct proc_spec spec = probe_spec();
	struct pollfd end;
	struct proc_fd map[] = {{3, -1}};
	int ends[2], pids[2];
	pid_t parent, child = -1;

	cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	cr_assert_eq(pipe2(pids, O_CLOEXEC), 0);
	map[0].parent = ends[1];
	spec.argv = argv;
	spec.fds = map;
	spec.n_fds = 1;
	parent = fork_child();
	if (parent == 0) {
		struct proc p;

		CHECK(proc_spawn(&spec, &p, NULL) == 0);
		CHECK(write(pids[1], &p.pid, sizeof(p.pid)) == sizeof(p.pid));
		_exit(0);
	}
	(void)close(ends[1]);
	cr_assert_eq(waitpid(parent, NULL, 0), parent);
	cr_assert_eq(read(pids[0], &child, sizeof(child)), (ssize_t)sizeof(child));
	end = (struct pollfd){.fd = ends[0], .events = POLLIN};
	cr_expect_eq(poll(&end, 1, 100), 0);
	cr_assert_gt(child, 1);
	cr_expect_eq(kill(child, SIGKILL), 0);
	cr_expect_eq(poll(&end, 1, 10000), 1);
}
