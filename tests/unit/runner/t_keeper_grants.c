/* SPDX-License-Identifier: MIT */
/* Direct grants in the keeper: counts over restarts, the clock, revoked grants, and what an engine
 * that was taken over can't have. */
#include "base/base.h"

#include "runner/keeper.h"

#include "base/clock.h"
#include "tests/unit/runner/runnertest.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define ID "0123456789abcdef"

static struct ask a;
static pid_t keeper;
static int dir_fd, anchor_fd;
static char path[64], nonce[ID_HEX + 1];
static struct errctx e;
static struct ask_state state;
static struct grant_set set;
static struct ask_grant grant;
static int64_t *now; /* shared with the keeper */

static int64_t wall(void)
{
	return *now * 1000000000;
}

static void start(void)
{
	struct keeper_config c = {dir_fd, anchor_fd, VIEW("/p"), NULL, &set};
	char key[128];
	int pair[2];

	(void)snprintf(key, sizeof(key), "%s/key", path);
	c.key_path = key;
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	keeper = fork();
	if (keeper == 0) {
		struct keeper *k;

		(void)close(pair[1]);
		if (keeper_open(&c, &k, &e) != 0)
			_exit(2);
		_exit(keeper_serve(k, pair[0], &e) == 0 ? 0 : 3);
	}
	(void)close(pair[0]);
	ask_init(&a, pair[1]);
	cr_assert_eq(ask_state(&a, &state, &e), 0, "%s", e.text);
}

static int ends(void)
{
	int status;

	ask_release(&a);
	cr_assert_eq(waitpid(keeper, &status, 0), keeper);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void restart(void)
{
	cr_assert_eq(ends(), 0);
	start();
}

static void one_grant(const char *id)
{
	memset(&set, 0, sizeof(set));
	set.n = 1;
	set.item[0] = (struct grant_entry){
		.issued = *now, .expires = *now + 86400, .max_writes = 2, .active = true};
	(void)snprintf(set.item[0].id, sizeof(set.item[0].id), "%s", id);
	(void)snprintf(set.item[0].agent, sizeof(set.item[0].agent), "producer");
}

static void setup(void)
{
	static const struct clock_source source = {NULL, wall};

	now = mmap(NULL, sizeof(*now), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(now, MAP_FAILED);
	*now = 1790000000;
	clock_set_source(&source);
	dir_fd = rt_dir(path);
	cr_assert_eq(mkdirat(dir_fd, "anchors", 0700), 0);
	anchor_fd = openat(dir_fd, "anchors", O_RDONLY | O_DIRECTORY);
	rt_put(dir_fd, "key", "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\n", 33);
	one_grant(ID);
	start();
}

TestSuite(keeper_grants, .init = setup);

static void issue(const char *agent, int64_t seconds, int64_t uses)
{
	static unsigned n;
	char request[ID_HEX + 1];

	(void)snprintf(request, sizeof(request), "%032x", ++n);
	cr_assert_eq(ask_issue(&a, view_of(agent), view_of(request), seconds, uses, nonce, &e), 0,
		     "%s", e.text);
}

static void use(const char *agent)
{
	struct ask_nonce info;

	cr_assert_eq(ask_use(&a, view_of(nonce), view_of(agent), &info, &e), 0);
	cr_assert_eq(info.state, NONCE_OK);
}

static int row(enum row_action action, const char *agent, const char *id)
{
	struct row r = {.action = action};

	e = (struct errctx){0};
	row_str(&r, KEY_AGENT, view_of(agent));
	row_str(&r, KEY_GRANT, view_of(id));
	if (action == ROW_DIRECT_FALLBACK)
		row_str(&r, KEY_REASON, VIEW("because"));
	else
		row_str(&r, KEY_PATH, VIEW("src/a.py"));
	return ask_row(&a, &r, &e);
}

static void outcome(enum row_action action)
{
	struct row r = {.action = action};

	row_str(&r, KEY_PATH, VIEW("src/a.py"));
	cr_assert_eq(ask_row(&a, &r, &e), 0, "%s", e.text);
}

static void look(void)
{
	cr_assert_eq(ask_grant(&a, VIEW("producer"), &grant, &e), 0, "%s", e.text);
}

static void write_once(void)
{
	use("producer");
	cr_assert_eq(row(ROW_APPLY_DIRECT, "producer", ID), 0, "%s", e.text);
	outcome(ROW_DONE);
}

Test(keeper_grants, writes_are_counted_over_restarts)
{
	look();
	cr_assert(grant.known);
	cr_assert_str_eq(grant.id, ID);
	cr_assert_eq(grant.query.used, 0);
	issue("producer", DIRECT_DISPATCH_SECONDS, DIRECT_DISPATCH_USES);
	write_once();
	restart();
	look();
	cr_assert_eq(grant.query.used, 1);
	write_once();
	use("producer");
	cr_assert_eq(row(ROW_APPLY_DIRECT, "producer", ID), E_DENIED);
	cr_assert_not_null(strstr(e.text, "used up"), "%s", e.text);
	restart();
	look();
	cr_assert_eq(grant.query.used, 2);
	cr_assert_eq(ends(), 0);
}

/* A write that failed counts as well: it is the row that pays, here and after a restart. */
Test(keeper_grants, a_failed_write_is_counted_once)
{
	issue("producer", DIRECT_DISPATCH_SECONDS, DIRECT_DISPATCH_USES);
	use("producer");
	cr_assert_eq(row(ROW_APPLY_DIRECT, "producer", ID), 0);
	outcome(ROW_FAILED);
	look();
	cr_assert_eq(grant.query.used, 1);
	restart();
	look();
	cr_assert_eq(grant.query.used, 1);
	cr_assert_eq(ends(), 0);
}

Test(keeper_grants, killed_between_use_and_row_or_row_and_write)
{
	int status;

	issue("producer", DIRECT_DISPATCH_SECONDS, DIRECT_DISPATCH_USES);
	use("producer");
	cr_assert_eq(kill(keeper, SIGKILL), 0);
	cr_assert_eq(waitpid(keeper, &status, 0), keeper);
	ask_release(&a);
	start();
	look();
	cr_assert_eq(grant.query.used, 0, "no row, no write");
	cr_assert_eq(row(ROW_APPLY_DIRECT, "producer", ID), E_CLOSED,
		     "the use is not carried over");
	cr_assert_eq(ends(), 3);
	start();
	use("producer");
	cr_assert_eq(row(ROW_APPLY_DIRECT, "producer", ID), 0);
	cr_assert_eq(kill(keeper, SIGKILL), 0);
	cr_assert_eq(waitpid(keeper, &status, 0), keeper);
	ask_release(&a);
	start();
	cr_assert_eq(state.intent.action, ROW_APPLY_DIRECT, "recovery hears of it");
	look();
	cr_assert_eq(grant.query.used, 1);
	outcome(ROW_FAILED);
	cr_assert_eq(ends(), 0);
}

Test(keeper_grants, the_clock)
{
	issue("producer", DIRECT_DISPATCH_SECONDS, DIRECT_DISPATCH_USES);
	*now += 86399 - 7200;
	issue("producer", DIRECT_DISPATCH_SECONDS, DIRECT_DISPATCH_USES);
	*now += 7200;
	use("producer");
	cr_assert_eq(row(ROW_APPLY_DIRECT, "producer", ID), 0, "the last second: %s", e.text);
	outcome(ROW_DONE);
	*now += 1;
	use("producer");
	cr_assert_eq(row(ROW_APPLY_DIRECT, "producer", ID), E_DENIED, "expired");
	/* The ledger has seen the end: a clock that goes back doesn't bring it back. */
	issue("producer", DIRECT_DISPATCH_SECONDS, DIRECT_DISPATCH_USES);
	*now -= 100;
	use("producer");
	cr_assert_eq(row(ROW_APPLY_DIRECT, "producer", ID), E_DENIED);
	cr_assert_not_null(strstr(e.text, "expired"), "%s", e.text);
	*now -= 7200;
	cr_assert_eq(row(ROW_APPLY_DIRECT, "producer", ID), E_CLOSED, "one use, one row");
	cr_assert_eq(ends(), 3);
}

Test(keeper_grants, a_clock_that_goes_back)
{
	issue("producer", DIRECT_DISPATCH_SECONDS, DIRECT_DISPATCH_USES);
	*now -= CLOCK_JUMP_SECONDS + 1;
	use("producer");
	cr_assert_eq(row(ROW_APPLY_DIRECT, "producer", ID), E_DENIED);
	cr_assert_not_null(strstr(e.text, "clock"), "%s", e.text);
	cr_assert_eq(ends(), 0);
}

Test(keeper_grants, a_wide_nonce)
{
	issue("producer", DISPATCH_SECONDS, DIRECT_DISPATCH_USES);
	use("producer");
	cr_assert_eq(row(ROW_APPLY_DIRECT, "producer", ID), E_DENIED);
	cr_assert_not_null(strstr(e.text, "too wide"), "%s", e.text);
	issue("producer", DIRECT_DISPATCH_SECONDS, MAX_DISPATCH_USES);
	use("producer");
	cr_assert_eq(row(ROW_APPLY_DIRECT, "producer", ID), E_DENIED);
	cr_assert_eq(ends(), 0);
}

static void ends_it(enum row_action action, const char *agent, const char *id, const char *what)
{
	cr_assert_eq(row(action, agent, id), E_CLOSED, "%s", what);
	cr_assert_eq(ends(), 3, "%s", what);
	start();
}

Test(keeper_grants, what_no_engine_may_ask)
{
	static const struct row loaded = {.action = ROW_DIRECT_GRANTS_LOADED};

	issue("producer", DIRECT_DISPATCH_SECONDS, DIRECT_DISPATCH_USES);
	ends_it(ROW_APPLY_DIRECT, "producer", ID, "without a use");
	use("producer");
	ends_it(ROW_APPLY_DIRECT, "producer", "ffffffffffffffff", "another grant");
	issue("helper", DIRECT_DISPATCH_SECONDS, DIRECT_DISPATCH_USES);
	use("helper");
	ends_it(ROW_APPLY_DIRECT, "producer", ID, "another agent's use");
	use("helper");
	ends_it(ROW_APPLY_DIRECT, "helper", ID, "an agent without a grant");
	ends_it(ROW_DIRECT_FALLBACK, "helper", ID, "a row for another agent");
	cr_assert_eq(ask_row(&a, &loaded, &e), E_CLOSED, "a row of the keeper's own");
	cr_assert_eq(ends(), 3);
	start();
	cr_assert_eq(row(ROW_DIRECT_FALLBACK, "producer", ID), 0);
	look();
	cr_assert(grant.told);
	restart();
	look();
	cr_assert(grant.told, "over a restart, too");
	ends_it(ROW_DIRECT_FALLBACK, "producer", ID, "twice");
	cr_assert_eq(ends(), 0);
}

Test(keeper_grants, a_grant_that_was_gone_never_comes_back)
{
	look();
	cr_assert(grant.known);
	memset(&set, 0, sizeof(set));
	restart();
	look();
	cr_assert_not(grant.known);
	one_grant(ID);
	restart();
	look();
	cr_assert_not(grant.known);
	one_grant("aaaaaaaaaaaaaaaa");
	restart();
	look();
	cr_assert(grant.known, "a new one is fine");
	/* Inactive, but still in the file: no revocation. */
	set.item[0].active = false;
	restart();
	look();
	cr_assert_not(grant.known);
	set.item[0].active = true;
	restart();
	look();
	cr_assert(grant.known);
	cr_assert_eq(ends(), 0);
}

Test(keeper_grants, a_ledger_that_begins_after_the_grant)
{
	set.n = 0;
	cr_assert_eq(ends(), 0);
	cr_assert_eq(unlinkat(dir_fd, LEDGER_NAME, 0), 0);
	cr_assert_eq(unlinkat(dir_fd, LEDGER_HEAD, 0), 0);
	ignored(unlinkat(dir_fd, DISPATCH_NAME, 0));
	(void)close(anchor_fd);
	cr_assert_eq(mkdirat(dir_fd, "anchors2", 0700), 0);
	anchor_fd = openat(dir_fd, "anchors2", O_RDONLY | O_DIRECTORY);
	*now += 10;
	start();
	issue("producer", DIRECT_DISPATCH_SECONDS, DIRECT_DISPATCH_USES);
	*now -= 10;
	one_grant(ID);
	*now += 10;
	restart();
	look();
	cr_assert_not(grant.known);
	one_grant(ID);
	restart();
	look();
	cr_assert(grant.known, "signed after it: fine");
	cr_assert_eq(ends(), 0);
}
