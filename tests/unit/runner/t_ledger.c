/* SPDX-License-Identifier: MIT */
/* Appending, verifying, and every tampering of file 22, sections 14.6, 14.7, 17.5, 17.6, and the
 * field reports A01, A04, A13. */
#include "base/base.h"

#include "runner/ledger.h"

#include "tests/unit/runner/runnertest.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>

static int dir_fd, anchor_fd;
static struct anchor anchor;
static struct ledger ledger;

static void setup(void)
{
	char path[64];

	dir_fd = rt_dir(path);
	cr_assert_eq(mkdirat(dir_fd, "anchors", 0700), 0);
	anchor_fd = openat(dir_fd, "anchors", O_RDONLY | O_DIRECTORY);
}

static int start(struct errctx *e)
{
	char torn_hash[SHA256_HEX + 1];
	size_t torn;
	int rc;

	*e = (struct errctx){0};
	rc = anchor_open(&anchor, anchor_fd, "a", VIEW("/p"), rt_key(), e);
	if (rc == 0)
		rc = ledger_open(&ledger, dir_fd, rt_key(), &anchor, NULL, NULL, &torn, torn_hash,
				 e);
	return rc;
}

static void stop(void)
{
	ledger_close(&ledger);
	anchor_close(&anchor);
}

static void must_start(void)
{
	struct errctx e;

	cr_assert_eq(start(&e), 0, "%s", e.text);
}

static void must_refuse(const char *what)
{
	struct errctx e;

	cr_assert_eq(start(&e), E_FORGED, "%s: %s", what, e.text);
	stop();
}

static void append(int n)
{
	for (int i = 0; i < n; i++) {
		struct row r = {.action = ROW_REJECT_STAGED};
		struct errctx e = {0};

		row_str(&r, KEY_REASON, VIEW("because \"it\" \\ is so"));
		cr_assert_eq(ledger_append(&ledger, &r, &e), 0, "%s", e.text);
	}
}

static void three_rows(void)
{
	must_start();
	append(3);
	stop();
}

static char why[65536];
static void collect(void *arg, const char *problem)
{
	(void)arg;
	(void)snprintf(why + strlen(why), sizeof(why) - strlen(why), "%s\n", problem);
}

static int64_t problems(bool with_anchor)
{
	struct errctx e = {0};
	int64_t rows, bytes, n;
	struct anchor a;

	why[0] = '\0';
	cr_assert_eq(anchor_open(&a, anchor_fd, "a", VIEW("/p"), rt_key(), &e), 0, "%s", e.text);
	n = ledger_verify(dir_fd, rt_key(), with_anchor ? &a : NULL, collect, NULL, &rows, &bytes,
			  &e);
	anchor_close(&a);
	return n;
}

/* The offset of line n (from 1), and one past its line feed. */
static size_t line_at(const struct buf *b, int n)
{
	size_t at = 0;

	for (int i = 1; i < n; i++)
		at = (size_t)((char *)memchr(b->data + at, '\n', b->len - at) - b->data) + 1;
	return at;
}

TestSuite(ledger, .init = setup);

Test(ledger, a_fresh_one_is_empty_and_verifies)
{
	must_start();
	cr_assert_eq(ledger.count, 0);
	stop();
	cr_assert_eq(problems(true), 0, "%s", why);
}

Test(ledger, rows_verify_and_survive_a_restart)
{
	three_rows();
	cr_assert_eq(problems(true), 0, "%s", why);
	must_start();
	cr_assert_eq(ledger.count, 3);
	append(2);
	stop();
	cr_assert_eq(problems(true), 0, "%s", why);
	must_start();
	cr_assert_eq(ledger.count, 5);
	stop();
}

Test(ledger, each_changed_byte_is_found)
{
	auto_buf struct buf b;

	three_rows();
	rt_get(dir_fd, LEDGER_NAME, &b);
	for (size_t i = 0; i < b.len; i++) {
		b.data[i] ^= 1;
		rt_put(dir_fd, LEDGER_NAME, b.data, b.len);
		b.data[i] ^= 1;
		cr_assert_gt(problems(true), 0, "byte %zu", i);
		cr_assert_gt(problems(false), 0, "byte %zu, without the anchor", i);
	}
	rt_put(dir_fd, LEDGER_NAME, b.data, b.len);
	cr_assert_eq(problems(true), 0);
}

Test(ledger, rows_that_are_removed_or_reordered_are_found)
{
	auto_buf struct buf b, c;

	three_rows();
	rt_get(dir_fd, LEDGER_NAME, &b);
	/* the first one */
	rt_put(dir_fd, LEDGER_NAME, b.data + line_at(&b, 2), b.len - line_at(&b, 2));
	cr_assert_gt(problems(false), 0);
	must_refuse("first row dropped");
	/* the last one */
	rt_put(dir_fd, LEDGER_NAME, b.data, line_at(&b, 3));
	cr_assert_gt(problems(false), 0);
	must_refuse("last row dropped");
	/* all of them */
	rt_put(dir_fd, LEDGER_NAME, "", 0);
	cr_assert_gt(problems(false), 0);
	must_refuse("emptied");
	/* two exchanged */
	buf_init(&c, 1 << 20);
	(void)buf_put(&c, b.data + line_at(&b, 2), line_at(&b, 3) - line_at(&b, 2));
	(void)buf_put(&c, b.data, line_at(&b, 2));
	(void)buf_put(&c, b.data + line_at(&b, 3), b.len - line_at(&b, 3));
	rt_put(dir_fd, LEDGER_NAME, c.data, c.len);
	cr_assert_gt(problems(false), 0);
	must_refuse("reordered");
}

Test(ledger, what_goes_missing_is_found)
{
	auto_buf struct buf b;

	three_rows();
	rt_get(dir_fd, LEDGER_NAME, &b);
	cr_assert_eq(unlinkat(dir_fd, LEDGER_HEAD, 0), 0);
	cr_assert_gt(problems(false), 0);
	must_refuse("head removed");
	cr_assert_eq(unlinkat(dir_fd, LEDGER_NAME, 0), 0);
	cr_assert_gt(problems(true), 0, "both removed: the anchor knows");
	must_refuse("both removed");
	/* A forged row without the key, with a head of its own shape. */
	rt_put(dir_fd, LEDGER_NAME, "{\"action\": \"x\", \"mac\": \"00\", \"prev\": \"\"}\n", 42);
	cr_assert_gt(problems(false), 0);
	must_refuse("forged");
}

/* File 22, 14.7: what the reference doesn't see. */
Test(ledger, a_roll_back_of_ledger_and_head_is_seen_by_the_anchor)
{
	auto_buf struct buf rows, head;

	three_rows();
	rt_get(dir_fd, LEDGER_NAME, &rows);
	rt_get(dir_fd, LEDGER_HEAD, &head);
	must_start();
	append(2);
	stop();
	rt_put(dir_fd, LEDGER_NAME, rows.data, rows.len);
	rt_put(dir_fd, LEDGER_HEAD, head.data, head.len);
	cr_assert_eq(problems(false), 0, "a genuine pair of yesterday");
	cr_assert_gt(problems(true), 0);
	must_refuse("rolled back");
}

Test(ledger, a_change_behind_the_keeper_stops_the_next_append)
{
	auto_buf struct buf b;
	struct row r = {.action = ROW_REJECT_STAGED};
	struct errctx e;

	must_start();
	append(3);
	rt_get(dir_fd, LEDGER_NAME, &b);
	rt_put(dir_fd, LEDGER_NAME, b.data, line_at(&b, 3));
	cr_assert_eq(ledger_append(&ledger, &r, &e), E_FORGED);
	cr_assert_eq(ledger_probe(&ledger, &e), E_FORGED);
	/* Even if it is put back: somebody writes there. */
	rt_put(dir_fd, LEDGER_NAME, b.data, b.len);
	cr_assert_eq(ledger_append(&ledger, &r, &e), E_FORGED);
	stop();
}

/* What a crash may leave: repaired at start, reported by a verification before that. */
Test(ledger, a_head_or_anchor_that_lags_is_repaired)
{
	auto_buf struct buf head, anchor_text;

	must_start();
	append(2);
	rt_get(dir_fd, LEDGER_HEAD, &head);
	rt_get(anchor_fd, "a", &anchor_text);
	append(1);
	stop();
	rt_put(dir_fd, LEDGER_HEAD, head.data, head.len);
	cr_assert_gt(problems(true), 0);
	must_start();
	cr_assert_eq(ledger.count, 3);
	stop();
	cr_assert_eq(problems(true), 0, "%s", why);
	rt_put(anchor_fd, "a", anchor_text.data, anchor_text.len);
	cr_assert_gt(problems(true), 0);
	must_start();
	stop();
	cr_assert_eq(problems(true), 0, "%s", why);
	/* An empty head after a power cut: the anchor vouches. */
	rt_put(dir_fd, LEDGER_HEAD, "", 0);
	must_start();
	stop();
	cr_assert_eq(problems(true), 0, "%s", why);
}

/* A04 */
Test(ledger, half_a_line_is_moved_aside_and_never_glued)
{
	int fd;
	size_t torn;
	char hash[SHA256_HEX + 1], name[64];
	struct errctx e;
	auto_buf struct buf b;

	three_rows();
	fd = openat(dir_fd, LEDGER_NAME, O_WRONLY | O_APPEND);
	cr_assert_eq(write(fd, "{\"seq\":9,\"pa", 12), 12);
	(void)close(fd);
	cr_assert_gt(problems(true), 0);
	cr_assert_eq(anchor_open(&anchor, anchor_fd, "a", VIEW("/p"), rt_key(), &e), 0);
	cr_assert_eq(ledger_open(&ledger, dir_fd, rt_key(), &anchor, NULL, NULL, &torn, hash, &e),
		     0, "%s", e.text);
	cr_assert_eq(torn, 12);
	append(1);
	stop();
	cr_assert_eq(problems(true), 0, "%s", why);
	(void)snprintf(name, sizeof(name), "proposal-ledger.torn-%.12s", hash);
	rt_get(dir_fd, name, &b);
	cr_assert_str_eq(buf_text(&b), "{\"seq\":9,\"pa");
}

/* A13, and a key that isn't the one. */
Test(ledger, another_key_verifies_nothing)
{
	struct mac_key other;
	struct errctx e = {0};
	int64_t rows, bytes;

	three_rows();
	mac_key_init(&other, VIEW("a freshly made key of thirty-two."));
	why[0] = '\0';
	cr_assert_gt(ledger_verify(dir_fd, &other, NULL, collect, NULL, &rows, &bytes, &e), 0);
	cr_assert_eq(anchor_open(&anchor, anchor_fd, "a", VIEW("/p"), &other, &e), E_FORGED);
	anchor_close(&anchor);
	cr_assert_eq(anchor_open(&anchor, anchor_fd, "a", VIEW("/other"), rt_key(), &e), E_FORGED);
	anchor_close(&anchor);
}

Test(ledger, links_and_foreign_files_are_refused)
{
	struct errctx e;

	rt_put(dir_fd, "elsewhere", "", 0);
	cr_assert_eq(symlinkat("elsewhere", dir_fd, LEDGER_NAME), 0);
	cr_assert_neq(start(&e), 0);
	stop();
	cr_assert_eq(unlinkat(dir_fd, LEDGER_NAME, 0), 0);
	cr_assert_eq(linkat(dir_fd, "elsewhere", dir_fd, LEDGER_NAME, 0), 0);
	cr_assert_eq(start(&e), E_HARDLINK);
	stop();
	cr_assert_eq(unlinkat(dir_fd, LEDGER_NAME, 0), 0);
	cr_assert_eq(mkfifoat(dir_fd, LEDGER_NAME, 0600), 0);
	cr_assert_neq(start(&e), 0);
	stop();
}

Test(ledger, problems_are_counted_past_the_limit)
{
	auto_buf struct buf b;

	must_start();
	append(300);
	stop();
	rt_get(dir_fd, LEDGER_NAME, &b);
	for (size_t i = 0; i < b.len; i++) {
		if (b.data[i] == '"')
			b.data[i] = '\'';
	}
	rt_put(dir_fd, LEDGER_NAME, b.data, b.len);
	cr_assert_geq(problems(true), 600);
	cr_assert_not_null(strstr(why, "problems more"));
}

/* Judged as values: every state that start can meet. */
Test(ledger, the_judge)
{
	static const struct {
		struct ledger_facts f;
		enum ledger_state want;
	} cases[] = {
		{{.exists = false, .head = {.state = E_NOENT}}, LEDGER_INTACT},
		{{.exists = false, .head = {.state = E_NOENT}, .dispatches = true},
		 LEDGER_TAMPERED},
		{{.exists = false, .head = {.state = 0}}, LEDGER_TAMPERED},
		{{.exists = false, .head = {.state = E_NOENT}, .anchored = true, .anchor_count = 1},
		 LEDGER_TAMPERED},
		{{.exists = false, .head = {.state = E_NOENT}, .anchored = true, .anchor_count = 0},
		 LEDGER_INTACT},
		{{.exists = true, .count = 2, .head = {.count = 2}, .head_matches = true},
		 LEDGER_INTACT},
		{{.exists = true,
		  .count = 2,
		  .problems = 1,
		  .head = {.count = 2},
		  .head_matches = true},
		 LEDGER_TAMPERED},
		{{.exists = true, .count = 2, .head = {.count = 3}}, LEDGER_TAMPERED},
		{{.exists = true, .count = 2, .head = {.count = 2}}, LEDGER_TAMPERED},
		{{.exists = true, .count = 2, .head = {.count = 1}, .head_matches = true},
		 LEDGER_BEHIND},
		{{.exists = true, .count = 2, .head = {.state = E_FORGED}}, LEDGER_TAMPERED},
		{{.exists = true, .count = 2, .head = {.state = E_NOENT}}, LEDGER_TAMPERED},
		{{.exists = true, .count = 1, .head = {.state = E_NOENT}}, LEDGER_BEHIND},
		{{.exists = true,
		  .count = 1,
		  .head = {.state = E_NOENT},
		  .anchored = true,
		  .anchor_count = 1,
		  .anchor_matches = true},
		 LEDGER_TAMPERED},
		{{.exists = true, .count = 0, .head = {.state = E_NOENT}}, LEDGER_INTACT},
		{{.exists = true, .count = 5, .head = {.state = E_RANGE}}, LEDGER_TAMPERED},
		{{.exists = true,
		  .count = 5,
		  .head = {.state = E_RANGE},
		  .anchored = true,
		  .anchor_count = 5,
		  .anchor_matches = true},
		 LEDGER_BEHIND},
		{{.exists = true,
		  .count = 2,
		  .head = {.count = 2},
		  .head_matches = true,
		  .anchored = true,
		  .anchor_count = 3},
		 LEDGER_TAMPERED},
		{{.exists = true,
		  .count = 2,
		  .head = {.count = 2},
		  .head_matches = true,
		  .anchored = true,
		  .anchor_count = 2},
		 LEDGER_TAMPERED},
		{{.exists = true,
		  .count = 2,
		  .head = {.count = 2},
		  .head_matches = true,
		  .anchored = true,
		  .anchor_count = 1,
		  .anchor_matches = true},
		 LEDGER_BEHIND},
		{{.exists = true,
		  .count = 2,
		  .torn = 3,
		  .head = {.count = 2},
		  .head_matches = true},
		 LEDGER_BEHIND},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *text;
		enum ledger_state have = ledger_judge(&cases[i].f, &text);

		cr_assert_eq(have, cases[i].want, "case %zu: %x", i, (unsigned)have);
		cr_assert_eq(text == NULL, have == LEDGER_INTACT, "case %zu", i);
	}
}
