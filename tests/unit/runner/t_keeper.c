/* SPDX-License-Identifier: MIT */
/* Both ends of the line: keeper in a child, questions from here. */
#include "base/base.h"

#include "runner/keeper.h"

#include "runner/wire.h"
#include "tests/unit/runner/runnertest.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>

static struct ask a;
static pid_t keeper;
static int dir_fd, anchor_fd;
static char path[64];
static struct errctx e;
static struct ask_state state;
static struct ask_nonce nonce_info;
static char nonce[ID_HEX + 1];
#define REQUEST "00112233445566778899aabbccddeeff"

static void start(void)
{
	struct keeper_config c = {dir_fd, anchor_fd, VIEW("/p"), NULL};
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
}

static int ends(void)
{
	int status;

	ask_release(&a);
	cr_assert_eq(waitpid(keeper, &status, 0), keeper);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void setup(void)
{
	dir_fd = rt_dir(path);
	cr_assert_eq(mkdirat(dir_fd, "anchors", 0700), 0);
	anchor_fd = openat(dir_fd, "anchors", O_RDONLY | O_DIRECTORY);
	rt_put(dir_fd, "key", "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk\n", 33);
	start();
	cr_assert_eq(ask_state(&a, &state, &e), 0, "%s", e.text);
}

static void with_nonce(void)
{
	cr_assert_eq(ask_issue(&a, VIEW("producer"), VIEW(REQUEST), 3600, 2, nonce, &e), 0, "%s",
		     e.text);
}

static struct staged change(void)
{
	return (struct staged){.agent = VIEW("producer"),
			       .path = VIEW("src/a.py"),
			       .base = VIEW("absent"),
			       .rationale = VIEW("why"),
			       .content = VIEW("x\n"),
			       .request = VIEW(REQUEST)};
}

static struct row intent(enum row_action action)
{
	struct row r = {.action = action};

	row_str(&r, KEY_AGENT, VIEW("producer"));
	row_str(&r, KEY_PATH, VIEW("src/a.py"));
	row_str(&r, KEY_REQUEST, VIEW(REQUEST));
	return r;
}

TestSuite(keeper, .init = setup);

Test(keeper, a_nonce_lives_and_is_counted)
{
	with_nonce();
	cr_assert_eq(ask_attempt(&a, view_of(nonce), &nonce_info, &e), 0);
	cr_assert_eq(nonce_info.state, NONCE_OK);
	cr_assert_str_eq(nonce_info.agent, "producer");
	cr_assert_eq(
		ask_attempt(&a, VIEW("not a nonce, and rather long for one, too"), &nonce_info, &e),
		0);
	cr_assert_eq(nonce_info.state, NONCE_MALFORMED);
	cr_assert_eq(ends(), 0);
}

Test(keeper, a_record_is_signed_only_behind_a_use)
{
	struct staged s = change();
	struct ask_staged signature;

	with_nonce();
	cr_assert_eq(ask_stage(&a, &s, VIEW("mcp"), VIEW("why"), &signature, &e), E_CLOSED);
	cr_assert_eq(ends(), 3, "such a request ends the keeper");
}

Test(keeper, a_signed_record_checks_and_a_changed_one_does_not)
{
	struct staged s = change();
	struct ask_staged signature;
	struct ask_check check;
	enum check_answer answer = CHECK_BAD;
	size_t n;

	with_nonce();
	cr_assert_eq(ask_use(&a, view_of(nonce), VIEW("producer"), &nonce_info, &e), 0);
	cr_assert_eq(nonce_info.state, NONCE_OK);
	cr_assert_eq(ask_stage(&a, &s, VIEW("mcp"), VIEW("why"), &signature, &e), 0, "%s", e.text);
	s.sid = view_of(signature.sid);
	s.expires = view_of(signature.expires);
	check = (struct ask_check){&s, view_of(signature.mac)};
	cr_assert_eq(ask_check(&a, &check, 1, false, &answer, &n, &e), 0);
	cr_assert_eq(answer, CHECK_GOOD);
	s.content = VIEW("y\n");
	cr_assert_eq(ask_check(&a, &check, 1, false, &answer, &n, &e), 0);
	cr_assert_eq(answer, CHECK_BAD);
	s.content = VIEW("x\n");
	s.agent = VIEW("other");
	cr_assert_eq(ask_check(&a, &check, 1, false, &answer, &n, &e), 0);
	cr_assert_eq(answer, CHECK_BAD);
	s.agent = VIEW("producer");
	/* Approved, done: a record that is put back is over (23, 15.10). */
	cr_assert_eq(ask_check(&a, &check, 1, true, &answer, &n, &e), 0);
	cr_assert_eq(answer, CHECK_GOOD);
	{
		struct row r = intent(ROW_APPLY_STAGED), done = {.action = ROW_DONE};

		cr_assert_eq(ask_row(&a, &r, &e), 0, "%s", e.text);
		row_str(&done, KEY_SID, s.sid);
		cr_assert_eq(ask_row(&a, &done, &e), 0, "%s", e.text);
	}
	cr_assert_eq(ask_check(&a, &check, 1, true, &answer, &n, &e), 0);
	cr_assert_eq(answer, CHECK_DECIDED);
	cr_assert_eq(ends(), 0);
	/* ... also after a restart. */
	start();
	cr_assert_eq(ask_state(&a, &state, &e), 0);
	cr_assert_eq(ask_check(&a, &check, 1, true, &answer, &n, &e), 0);
	cr_assert_eq(answer, CHECK_DECIDED);
	cr_assert_eq(ends(), 0);
}

Test(keeper, an_open_intent_is_remembered_over_a_restart)
{
	struct row r = intent(ROW_APPLY_PROPOSAL), done = {.action = ROW_DONE};
	struct ask_row row;

	with_nonce();
	cr_assert_eq(ask_use(&a, view_of(nonce), VIEW("producer"), &nonce_info, &e), 0);
	cr_assert_eq(ask_row(&a, &r, &e), 0, "%s", e.text);
	cr_assert_eq(ends(), 0);
	start();
	cr_assert_eq(ask_state(&a, &state, &e), 0);
	cr_assert_eq(state.intent.action, ROW_APPLY_PROPOSAL);
	cr_assert(view_is(state.intent.path, "src/a.py"));
	cr_assert(view_is(state.intent.request, REQUEST));
	row_str(&done, KEY_REQUEST, VIEW(REQUEST));
	cr_assert_eq(ask_row(&a, &done, &e), 0, "%s", e.text);
	cr_assert_eq(ask_lookup(&a, VIEW(REQUEST), &row, &e), 0);
	cr_assert_eq(row.action, ROW_DONE);
	cr_assert_eq(ask_lookup(&a, VIEW("ffffffffffffffffffffffffffffffff"), &row, &e), 0);
	cr_assert_eq(row.action, ROW_NONE);
	cr_assert_eq(ends(), 0);
}

static void forbidden(struct row r, const char *what)
{
	if (keeper <= 0)
		setup();
	cr_assert_eq(ask_row(&a, &r, &e), E_CLOSED, "%s", what);
	cr_assert_eq(ends(), 3, "%s", what);
	start();
	cr_assert_eq(ask_state(&a, &state, &e), 0);
}

Test(keeper, rows_out_of_turn_end_it)
{
	forbidden(intent(ROW_APPLY_PROPOSAL), "an intent without a use");
	forbidden(intent(ROW_APPLY_STAGED), "an approval without a checked record");
	forbidden((struct row){.action = ROW_DONE}, "an outcome without an intent");
	forbidden((struct row){.action = ROW_ISSUE_DISPATCH}, "a row of the keeper's own");
	forbidden((struct row){.action = ROW_ANCHOR_CREATED}, "a row of the keeper's own");
	cr_assert_eq(ends(), 0);
}

Test(keeper, garbage_ends_it)
{
	static const char *const messages[] = {"",
					       "\x00",
					       "\xff",
					       "\x01",
					       "\x05zzzz",
					       "\x08\x01\x01",
					       "\x07\x00\x01\xff\xff\xff\xff"};

	for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
		struct buf reply;

		buf_init(&reply, 65536);
		cr_assert_eq(wire_send(a.fd, (struct view){messages[i],
							   i == 1 ? 1 : strlen(messages[i])}),
			     0);
		cr_assert_neq(wire_receive(a.fd, &reply, 65536), 0, "%zu", i);
		buf_release(&reply);
		cr_assert_eq(ends(), 3, "%zu", i);
		start();
		cr_assert_eq(ask_state(&a, &state, &e), 0);
	}
	cr_assert_eq(ends(), 0);
}

Test(keeper, nothing_is_answered_before_the_introduction)
{
	cr_assert_eq(ends(), 0);
	start();
	cr_assert_eq(ask_flush(&a, &e), E_CLOSED);
	cr_assert_eq(ends(), 3);
}

Test(keeper, a_tampered_ledger_is_told)
{
	with_nonce();
	rt_put(dir_fd, LEDGER_NAME, "{}\n", 3);
	cr_assert_eq(ask_probe(&a, &e), E_FORGED);
	cr_assert_eq(ask_issue(&a, VIEW("producer"), VIEW(""), 3600, 2, nonce, &e), E_FORGED);
	cr_assert_eq(ends(), 0);
}
