/* SPDX-License-Identifier: MIT */
/* Bounded output, the line to the starter, and the judgement of what a command wrote. */
#include "base/base.h"

#include "base/utf8.h"
#include "runner/exec_state.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HALF = MAX_OUTPUT_KEPT_BYTES / 2 };

static void emit(const struct capture *c, struct buf *out)
{
	buf_init(out, 1 << 22);
	capture_emit(c, out);
	cr_assert_eq(buf_error(out), 0);
	cr_assert(utf8_valid(buf_view(out), NULL));
}

Test(exec, short_output_is_kept_whole)
{
	struct capture *c = capture_new();
	auto_buf struct buf out;

	cr_assert_not_null(c);
	capture_add(c, "one\n", 4);
	capture_add(c, "two\n", 4);
	emit(c, &out);
	cr_assert_str_eq(buf_text(&out), "one\ntwo\n");
	cr_assert_eq(capture_total(c), 8);
	capture_free(c);
}

Test(exec, exactly_the_limit_is_kept_whole)
{
	struct capture *c = capture_new();
	static char bytes[MAX_OUTPUT_KEPT_BYTES];
	auto_buf struct buf out;

	cr_assert_not_null(c);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)('a' + i % 26);
	for (size_t i = 0; i < sizeof(bytes); i += 1000)
		capture_add(c, bytes + i, sizeof(bytes) - i < 1000 ? sizeof(bytes) - i : 1000);
	emit(c, &out);
	cr_assert_eq(out.len, sizeof(bytes));
	cr_assert_arr_eq(out.data, bytes, sizeof(bytes));
	capture_free(c);
}

/* Whatever the pieces: head, a line that counts, tail. */
Test(exec, long_output_keeps_head_and_tail)
{
	static const size_t pieces[] = {1, 7, 4096, HALF - 1, HALF, HALF + 1, 3 * HALF};
	static char bytes[5 * HALF];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)('a' + i % 23);
	for (size_t k = 0; k < ARRAY_LEN(pieces); k++) {
		struct capture *c = capture_new();
		auto_buf struct buf out;
		char line[64];
		int n = snprintf(line, sizeof(line), "\n[%d bytes left out]\n", 3 * HALF);

		cr_assert_not_null(c);
		for (size_t at = 0; at < sizeof(bytes); at += pieces[k])
			capture_add(c, bytes + at,
				    sizeof(bytes) - at < pieces[k] ? sizeof(bytes) - at
								   : pieces[k]);
		emit(c, &out);
		cr_assert_eq(out.len, 2 * (size_t)HALF + (size_t)n, "pieces of %zu", pieces[k]);
		cr_assert_arr_eq(out.data, bytes, HALF);
		cr_assert_arr_eq(out.data + HALF, line, (size_t)n);
		cr_assert_arr_eq(out.data + HALF + n, bytes + sizeof(bytes) - HALF, HALF);
		capture_free(c);
	}
}

Test(exec, output_that_is_no_text_becomes_text)
{
	struct capture *c = capture_new();
	auto_buf struct buf out;

	cr_assert_not_null(c);
	capture_add(c,
		    "a\xff"
		    "b\0c",
		    5);
	emit(c, &out);
	cr_assert_str_eq(buf_text(&out), "a\xef\xbf\xbd"
					 "b\xef\xbf\xbd"
					 "c");
	capture_free(c);
}

Test(exec, a_request_crosses_the_line_unchanged)
{
	struct view words[] = {VIEW("make"), VIEW(""), VIEW("a b")}, item[8];
	struct starter_request q = {.op = STARTER_RUN,
				    .agent = VIEW("producer"),
				    .argv = {words, 3},
				    .cwd = VIEW("."),
				    .timeout_s = 60,
				    .has_stdin = true,
				    .content = VIEW("x\n")},
			       r;
	auto_buf struct buf message;
	int fd[2];

	buf_init(&message, MAX_KEEPER_MESSAGE_BYTES);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	cr_assert_eq(starter_send_request(fd[0], &q, NULL), 0);
	cr_assert_eq(starter_read_request(fd[1], &message, item, 8, &r, NULL), 0);
	cr_assert(view_is(r.agent, "producer") && r.argv.n == 3 && view_is(r.argv.item[2], "a b") &&
		  r.has_stdin && view_is(r.content, "x\n") && r.timeout_s == 60);
	/* More words than there is room for, and an operation that isn't one. */
	cr_assert_eq(starter_send_request(fd[0], &q, NULL), 0);
	cr_assert_eq(starter_read_request(fd[1], &message, item, 2, &r, NULL), E_SYNTAX);
	q.op = N_STARTER_OPS;
	cr_assert_eq(starter_send_request(fd[0], &q, NULL), 0);
	cr_assert_eq(starter_read_request(fd[1], &message, item, 8, &r, NULL), E_SYNTAX);
	(void)close(fd[0]);
	cr_assert_eq(starter_read_request(fd[1], &message, item, 8, &r, NULL), E_CLOSED);
	(void)close(fd[1]);
}

Test(exec, a_refusal_keeps_its_code_and_text)
{
	struct starter_result r;
	struct errctx e = {0}, back = {0};
	auto_buf struct buf message;
	struct view item[4];
	int fd[2];

	buf_init(&message, MAX_KEEPER_MESSAGE_BYTES);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	(void)err_set(&e, E_LINK, "write root build is a link");
	cr_assert_eq(starter_send_refusal(fd[0], &e), 0);
	cr_assert_eq(starter_read_result(fd[1], &message, item, 4, &r, &back), E_LINK);
	cr_assert_str_eq(back.text, e.text);
	(void)close(fd[0]);
	cr_assert_eq(starter_read_result(fd[1], &message, item, 4, &r, &back), E_CLOSED);
	(void)close(fd[1]);
}

static struct overlay_change change(enum overlay_kind kind, const char *path, mode_t mode)
{
	return (struct overlay_change){.kind = kind,
				       .path = (char *)(uintptr_t)path,
				       .mode = mode,
				       .mode_below = kind == OVERLAY_CREATED ? 0 : S_IFREG | 0644};
}

/* What one change means when "a/b" is declared; old: a file stood there. */
static void judge(struct overlay_change c, bool old, size_t undeclared, size_t lands,
		  enum land_op op, bool can_land)
{
	struct expected x = {.rel = (char *)(uintptr_t) "a/b",
			     .base = {.exists = old, .mode = S_IFREG | 0644, .nlink = 1}};
	struct overlay_changes list = {&c, 1, 0};
	const struct views none = {0};
	struct exec_writes w;

	exec_judge(&x, 1, &list, &none, &w);
	cr_assert_eq(w.total_undeclared, undeclared, "%s", c.path);
	cr_assert_eq(w.n_undeclared, undeclared);
	cr_assert_eq(w.landing.n, lands, "%s", c.path);
	if (lands)
		cr_assert_eq(w.landing.file[0].op, op);
	cr_assert_eq(w.why.code == 0, can_land, "%s", c.path);
	exec_writes_release(&w);
}

Test(exec, a_declared_file_lands)
{
	judge(change(OVERLAY_CREATED, "a/b", S_IFREG | 0644), false, 0, 1, LAND_CREATE, true);
	judge(change(OVERLAY_CHANGED, "a/b", S_IFREG | 0644), true, 0, 1, LAND_REPLACE, true);
	judge(change(OVERLAY_MODE, "a/b", S_IFREG | 0755), true, 0, 1, LAND_REPLACE, true);
	judge(change(OVERLAY_RENAMED, "a/b", S_IFREG | 0644), false, 0, 1, LAND_CREATE, true);
	judge(change(OVERLAY_DELETED, "a/b", 0), true, 0, 1, LAND_DELETE, true);
	judge(change(OVERLAY_CREATED, "a", S_IFDIR | 0755), false, 0, 0, 0, true);
}

Test(exec, nothing_else_lands)
{
	judge(change(OVERLAY_CREATED, "a/c", S_IFREG | 0644), false, 1, 0, 0, true);
	judge(change(OVERLAY_CREATED, "a/B", S_IFREG | 0644), false, 1, 0, 0, true);
	judge(change(OVERLAY_CREATED, "a/b/c", S_IFREG | 0644), false, 1, 0, 0, true);
	judge(change(OVERLAY_CREATED, "b", S_IFDIR | 0755), false, 1, 0, 0, true);
	judge(change(OVERLAY_CREATED, "aa", S_IFDIR | 0755), false, 1, 0, 0, true);
	judge(change(OVERLAY_MODE, "a", S_IFDIR | 0700), false, 1, 0, 0, true);
	judge(change(OVERLAY_OPAQUE, "a", S_IFDIR | 0755), false, 1, 0, 0, true);
	judge(change(OVERLAY_DELETED, "a", 0), false, 1, 0, 0, true);
	judge(change(OVERLAY_CREATED, "a/b", S_IFLNK | 0777), false, 0, 0, 0, false);
	judge(change(OVERLAY_CREATED, "a/b", S_IFIFO | 0644), false, 0, 0, 0, false);
	judge(change(OVERLAY_CREATED, "a/b", S_IFDIR | 0755), false, 0, 0, 0, false);
	judge(change(OVERLAY_CREATED, "a/b", S_IFREG | 04755), false, 0, 0, 0, false);
	judge(change(OVERLAY_CREATED, "a/b", S_IFREG | 02755), false, 0, 0, 0, false);
	judge(change(OVERLAY_CREATED, "a/b", S_IFREG | 01644), false, 0, 0, 0, false);
}

Test(exec, a_long_list_is_counted)
{
	static struct overlay_change v[MAX_UNDECLARED_LISTED + 5];
	struct overlay_changes list = {v, ARRAY_LEN(v), 0};
	const struct views none = {0};
	struct exec_writes w;

	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		v[i] = change(OVERLAY_CREATED, "x", S_IFREG | 0644);
	exec_judge(NULL, 0, &list, &none, &w);
	cr_assert_eq(w.total_undeclared, ARRAY_LEN(v));
	cr_assert_eq(w.n_undeclared, MAX_UNDECLARED_LISTED + 1);
	cr_assert(view_is(w.undeclared[MAX_UNDECLARED_LISTED], "... and 5 more"));
	exec_writes_release(&w);
}
