/* SPDX-License-Identifier: MIT */
/* Life of nonces: file 22, sections 8 and 17.1; 16 concurrent claims are one at a time here, since
 * one process counts. */
#include "base/base.h"

#include "runner/dispatches.h"

#include "runner/ledger.h"
#include "tests/unit/runner/runnertest.h"

#include <criterion/criterion.h>
#include <fcntl.h>

static int dir_fd;
static struct dispatches d;
static struct errctx e;
static char nonce[ID_HEX + 1], id[SHA256_HEX + 1];
static enum nonce_state state;
static const struct dispatch *of;

static void setup(void)
{
	char path[64];

	dir_fd = rt_dir(path);
	cr_assert_eq(dispatches_open(&d, dir_fd, rt_key(), &e), 0, "%s", e.text);
}

static void again(void)
{
	dispatches_close(&d);
	cr_assert_eq(dispatches_open(&d, dir_fd, rt_key(), &e), 0, "%s", e.text);
}

static void issue(int64_t seconds, int64_t uses)
{
	cr_assert_eq(dispatches_issue(&d, VIEW("producer"), seconds, uses, nonce, id, &e), 0, "%s",
		     e.text);
}

static enum nonce_state attempt(const char *text)
{
	cr_assert_eq(dispatches_attempt(&d, view_of(text), &state, &of, &e), 0, "%s", e.text);
	return state;
}

static enum nonce_state use(const char *agent)
{
	cr_assert_eq(dispatches_use(&d, view_of(nonce), view_of(agent), &state, &of, &e), 0, "%s",
		     e.text);
	return state;
}

TestSuite(dispatches, .init = setup);

Test(dispatches, a_nonce_is_never_stored)
{
	auto_buf struct buf b;

	issue(3600, 3);
	rt_get(dir_fd, DISPATCH_NAME, &b);
	cr_assert_null(strstr(buf_text(&b), nonce));
	cr_assert_not_null(strstr(buf_text(&b), id));
}

Test(dispatches, states)
{
	issue(3600, 2);
	cr_assert_eq(attempt("00000000000000000000000000000000"), NONCE_UNKNOWN);
	cr_assert_eq(attempt(""), NONCE_MALFORMED);
	cr_assert_eq(attempt("zz112233445566778899aabbccddeeff"), NONCE_MALFORMED);
	cr_assert_eq(attempt(nonce), NONCE_OK);
	cr_assert_str_eq(of->record.agent, "producer");
	cr_assert_eq(use("other"), NONCE_NOT_AGENT);
	cr_assert_eq(use("producer"), NONCE_OK);
	cr_assert_eq(use("producer"), NONCE_OK);
	cr_assert_eq(use("producer"), NONCE_USED_UP);
	cr_assert_eq(attempt(nonce), NONCE_USED_UP, "also for a mere attempt");
	issue(-3600, 2);
	cr_assert_eq(attempt(nonce), NONCE_EXPIRED);
}

Test(dispatches, attempts_are_limited)
{
	issue(3600, 2);
	for (int i = 0; i < MAX_DISPATCH_ATTEMPTS; i++)
		cr_assert_eq(attempt(nonce), NONCE_OK);
	cr_assert_eq(attempt(nonce), NONCE_ATTEMPTS);
}

Test(dispatches, counts_survive_a_restart)
{
	issue(3600, 3);
	cr_assert_eq(attempt(nonce), NONCE_OK);
	cr_assert_eq(use("producer"), NONCE_OK);
	again();
	cr_assert_eq(d.n, 1);
	cr_assert_eq(d.item[0].uses, 1);
	cr_assert_eq(d.item[0].attempts, 1);
}

Test(dispatches, expired_and_forged_lines_vanish_at_the_next_issue)
{
	auto_buf struct buf b;
	char old[SHA256_HEX + 1];
	int fd;

	issue(-10, 3);
	memcpy(old, id, sizeof(old));
	dispatches_close(&d);
	fd = openat(dir_fd, DISPATCH_NAME, O_WRONLY | O_APPEND);
	cr_assert_gt(dprintf(fd,
			     "{\"agent\": \"evil\", \"expires\": \"2099-01-01T00:00:00+00:00\", "
			     "\"id\": \"%s\", "
			     "\"mac\": \"%s\", \"max_uses\": 25}\nhalf a li",
			     old, old),
		     0);
	(void)close(fd);
	cr_assert_eq(dispatches_open(&d, dir_fd, rt_key(), &e), 0, "%s", e.text);
	cr_assert_eq(d.dropped, 2);
	cr_assert_eq(attempt(nonce), NONCE_EXPIRED);
	issue(3600, 3);
	rt_get(dir_fd, DISPATCH_NAME, &b);
	cr_assert_null(strstr(buf_text(&b), old));
	cr_assert_null(strstr(buf_text(&b), "evil"));
	again();
	cr_assert_eq(d.n, 1);
	cr_assert_eq(attempt(nonce), NONCE_OK);
}

/* File 22, 20.31: removing lines gives nothing back. */
Test(dispatches, the_ledger_remembers_uses)
{
	auto_buf struct buf b;
	const char *end;

	issue(3600, 2);
	rt_get(dir_fd, DISPATCH_NAME, &b);
	cr_assert_eq(use("producer"), NONCE_OK);
	cr_assert_eq(use("producer"), NONCE_OK);
	dispatches_close(&d);
	end = strchr(b.data, '\n');
	rt_put(dir_fd, DISPATCH_NAME, b.data,
	       (size_t)(end - b.data) + 1); /* the use lines are gone */
	cr_assert_eq(dispatches_open(&d, dir_fd, rt_key(), &e), 0, "%s", e.text);
	dispatches_ledger_use(&d, (struct view){id, 12});
	dispatches_ledger_use(&d, (struct view){id, 12});
	dispatches_settle(&d);
	cr_assert_eq(use("producer"), NONCE_USED_UP);
}

Test(dispatches, a_file_that_changes_meanwhile_stops_everything)
{
	issue(3600, 2);
	rt_put(dir_fd, DISPATCH_NAME, "", 0);
	cr_assert_eq(dispatches_attempt(&d, view_of(nonce), &state, &of, &e), E_FORGED);
	cr_assert_eq(dispatches_use(&d, view_of(nonce), VIEW("producer"), &state, &of, &e),
		     E_FORGED);
	cr_assert_eq(dispatches_issue(&d, VIEW("producer"), 10, 1, nonce, id, &e), E_FORGED);
}

Test(dispatches, only_one_holds_the_lock)
{
	struct dispatches other;

	cr_assert_eq(dispatches_open(&other, dir_fd, rt_key(), &e), E_BUSY);
	dispatches_close(&other);
}
