/* SPDX-License-Identifier: MIT */
/* Reports read back, and whole runs through the contract that the runner uses. */
#include "base/base.h"

#include <criterion/criterion.h>

#include "launcher/spec.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

static int parse(const char *text, struct confine_result *r)
{
	struct errctx e = {0};

	return confine_report_parse(view_of(text), r, &e);
}

#define READY                                                                                      \
	"{\"event\":\"ready\",\"preset\":\"command\",\"abi\":7,\"seccomp\":2,\"egress\":\"deny\"," \
	"\"mounts\":9}\n"
#define EXIT(status, signal, timed, started)                                                       \
	"{\"event\":\"exit\",\"status\":" #status ",\"signal\":" #signal ",\"timed_out\":" #timed  \
	",\"started\":" #started                                                                   \
	",\"survivors\":1,\"appeared\":[\"/p/.claude\"],\"denials\":[]}\n"

Test(spec, outcomes)
{
	struct confine_result r = {0};

	cr_assert_eq(parse(READY EXIT(3, 0, false, true), &r), 0);
	cr_assert_eq(r.outcome, CONFINE_EXITED);
	cr_assert_eq(r.status, 3);
	cr_assert(r.fully_enforced);
	cr_assert_eq(r.survivors, 1u);
	cr_assert_str_eq(r.appeared[0], "/p/.claude");
	confine_result_release(&r);
	cr_assert_eq(parse(READY EXIT(137, 9, false, true), &r), 0);
	cr_assert_eq(r.outcome, CONFINE_SIGNALLED);
	confine_result_release(&r);
	cr_assert_eq(parse(READY EXIT(124, 15, true, true), &r), 0);
	cr_assert_eq(r.outcome, CONFINE_TIMED_OUT);
	confine_result_release(&r);
	cr_assert_eq(parse(READY EXIT(127, 0, false, false), &r), 0);
	cr_assert_eq(r.outcome, CONFINE_NOT_RUN);
	confine_result_release(&r);
	cr_assert_eq(parse("{\"event\":\"refused\",\"code\":\"denied\",\"detail\":\"x\"}\n", &r),
		     0);
	cr_assert_eq(r.outcome, CONFINE_REFUSED);
	cr_assert_str_eq(r.reason, "x");
	confine_result_release(&r);
	cr_assert_eq(parse("{\"event\":\"failed\",\"code\":\"denied\",\"detail\":\"y\"}\n" EXIT(
				   125, 0, false, false),
			   &r),
		     0);
	cr_assert_eq(r.outcome, CONFINE_NOT_BUILT);
	cr_assert_str_eq(r.reason, "y");
	confine_result_release(&r);
}

Test(spec, damaged_reports)
{
	struct confine_result r = {0};

	cr_assert_lt(parse("", &r), 0);
	cr_assert_lt(parse(READY, &r), 0, "no end");
	cr_assert_lt(parse("{\"event\":\"exit\"}\n", &r), 0);
	cr_assert_lt(parse("{}\n", &r), 0);
	cr_assert_lt(parse("nonsense\n", &r), 0);
	cr_assert_lt(parse(EXIT(300, 0, false, true), &r), 0);
	cr_assert_lt(parse("{\"event\":\"refused\",\"detail\":\"x\"}", &r), 0, "no line end");
}

/* ---- live ---- */

static char base[64], project[96], program[4096];

static void set_up(void)
{
	const char *build = getenv("TOP_BUILDDIR");

	(void)snprintf(base, sizeof(base), "/var/tmp/t-spec.XXXXXX");
	cr_assert(mkdtemp(base));
	(void)snprintf(project, sizeof(project), "%s/p", base);
	cr_assert_eq(mkdir(project, 0700), 0);
	(void)snprintf(program, sizeof(program), "%s/confine-run", build ? build : ".");
	cr_assert_eq(setenv("HOME", base, 1), 0);
}

static void tear_down(void)
{
	char path[128];
	static const char *const names[] = {"/p/out", "/p/secret", "/p", "/out"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", base, names[i]);
		(void)remove(path);
	}
	(void)rmdir(base);
}

static void run(const char *script, unsigned timeout_s, struct confine_result *ret)
{
	char *const argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
			      (char *)(uintptr_t)script, NULL};
	static const char *const env[] = {"TOKEN=secret", "PATH=/usr/bin:/bin"};
	struct confine_spec s = {.preset = CONFINE_COMMAND,
				 .cwd = project,
				 .env = {env, 2},
				 .argv = argv,
				 .timeout_s = timeout_s,
				 .stdin_fd = -1,
				 .stdout_fd = -1,
				 .stderr_fd = -1};
	struct confine_run r;
	struct errctx e = {0};

	cr_assert_eq(confine_start(&s, program, &r, &e), 0, "%s", e.text);
	cr_assert_eq(confine_finish(&r, -1, ret, &e), 0, "%s", e.text);
}

static bool can_confine(void)
{
	struct confine_result r = {0};
	bool can;

	run("exit 0", 0, &r);
	can = r.outcome == CONFINE_EXITED;
	confine_result_release(&r);
	return can;
}

Test(spec_live, a_run_and_its_result, .init = set_up, .fini = tear_down)
{
	struct confine_result r = {0};
	char path[128];

	if (!can_confine())
		cr_skip_test("this host can't confine");
	run("test \"$TOKEN\" = secret && echo x >out && exit 4", 0, &r);
	cr_assert_eq(r.outcome, CONFINE_EXITED);
	cr_assert_eq(r.status, 4);
	cr_assert(r.fully_enforced);
	confine_result_release(&r);
	(void)snprintf(path, sizeof(path), "%s/out", project);
	cr_assert_eq(access(path, F_OK), 0);
	run("echo y >/var/tmp/t-spec-out", 0, &r);
	cr_assert_eq(r.outcome, CONFINE_EXITED);
	cr_assert_neq(r.status, 0);
	confine_result_release(&r);
	run("kill -9 $$", 0, &r);
	cr_assert_eq(r.outcome, CONFINE_SIGNALLED);
	cr_assert_eq(r.signal, 9);
	confine_result_release(&r);
	run("sleep 20", 1, &r);
	cr_assert_eq(r.outcome, CONFINE_TIMED_OUT);
	confine_result_release(&r);
}

Test(spec_live, refusals_and_stops, .init = set_up, .fini = tear_down)
{
	char *const argv[] = {(char *)(uintptr_t) "sleep", (char *)(uintptr_t) "30", NULL};
	struct confine_spec s = {.preset = CONFINE_COMMAND,
				 .cwd = "/",
				 .argv = argv,
				 .stdin_fd = -1,
				 .stdout_fd = -1,
				 .stderr_fd = -1};
	struct confine_result r = {0};
	struct confine_run run_;
	struct errctx e = {0};

	if (!can_confine())
		cr_skip_test("this host can't confine");
	cr_assert_eq(confine_start(&s, program, &run_, &e), 0, "%s", e.text);
	cr_assert_eq(confine_finish(&run_, -1, &r, &e), 0);
	cr_assert_eq(r.outcome, CONFINE_REFUSED);
	cr_assert(strstr(r.reason, "whole file system"), "%s", r.reason);
	confine_result_release(&r);

	s.cwd = project;
	cr_assert_eq(confine_start(&s, program, &run_, &e), 0);
	(void)usleep(700000);
	confine_stop(&run_);
	cr_assert_eq(confine_finish(&run_, -1, &r, &e), 0);
	cr_assert_neq(r.outcome, CONFINE_NONE);
	cr_assert_neq(r.status, 0);
	confine_result_release(&r);

	s.argv = NULL;
	cr_assert_eq(confine_start(&s, program, &run_, &e), E_USAGE);
	s.argv = argv;
	cr_assert_eq(confine_start(&s, "/nonexistent", &run_, &e), E_NOENT);
}
