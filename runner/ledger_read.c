/* SPDX-License-Identifier: MIT */
/*
 * One streaming pass over a ledger: each line's MAC and the chain of hashes, at the speed of the
 * hash. System (reads). Failure rule: every doubt is a problem that is reported. Tests:
 * tests/unit/runner/t_ledger.c, tests/bench/runner-ledger.
 */
#include "base/base.h"

#include "runner/ledger.h"

#include "base/hex.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/pathfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

enum { CHUNK = 262144 };

static void problem(struct ledger_scan *s, const char *what)
{
	s->problems++;
	if (s->on_problem)
		s->on_problem(s->arg, s->count, what);
}

static void scan_line(struct ledger_scan *s, struct view line)
{
	struct view prev;
	bool good = true;

	s->count++;
	if (mac_verify(s->key, line) != 0) {
		problem(s, "was edited, or written without the key");
		good = false;
	}
	if (mac_line_str(line, "prev", &prev) != 0 || !view_is(prev, s->last)) {
		problem(s, "doesn't follow the row before it: rows were removed or reordered");
		good = false;
	}
	if (good && s->on_row)
		s->on_row(s->arg, s->count, line);
	sha256_hex(line, s->last);
	for (size_t i = 0; i < ARRAY_LEN(s->watch); i++) {
		if (s->watch[i] == s->count)
			memcpy(s->watched[i], s->last, sizeof(s->last));
	}
}

/* Takes whole lines from the front; returns how many bytes were used. */
static size_t scan_lines(struct ledger_scan *s, struct view v)
{
	size_t used = 0;

	for (;;) {
		const char *end = memchr(v.ptr + used, '\n', v.len - used);

		if (!end)
			return used;
		scan_line(s, (struct view){v.ptr + used, (size_t)(end - v.ptr) - used});
		used = (size_t)(end - v.ptr) + 1;
	}
}

int ledger_scan(int fd, struct ledger_scan *s, struct errctx *e)
{
	auto_buf struct buf b;
	off_t at = 0;

	buf_init(&b, MAX_ROW_BYTES + CHUNK);
	s->count = s->problems = s->bytes = 0;
	s->last[0] = '\0';
	memset(s->watched, 0, sizeof(s->watched));
	for (;;) {
		char *room = buf_reserve(&b, CHUNK);
		ssize_t n;

		if (!room)
			return err_set(e, E_TOOBIG, "row %lld is longer than %d bytes",
				       (long long)s->count + 1, MAX_ROW_BYTES);
		n = pread(fd, room, CHUNK, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "the ledger can't be read");
		if (n == 0)
			break;
		at += n;
		buf_added(&b, (size_t)n);
		buf_drop_front(&b, scan_lines(s, buf_view(&b)));
	}
	s->torn = b.len;
	s->bytes = at;
	return 0;
}

int ledger_read_head(int dir_fd, const struct mac_key *key, struct ledger_head *ret,
		     struct errctx *e)
{
	char text[512];
	struct view line, last;
	auto_fd int fd = -1;
	struct stat st;
	ssize_t n;
	int rc;

	*ret = (struct ledger_head){.state = E_FORGED};
	rc = pathfd_open(dir_fd, LEDGER_HEAD, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, LINKS_NONE,
			 &fd, e);
	if (rc == E_NOENT) {
		ret->state = E_NOENT;
		return 0;
	}
	if (rc == E_LINK)
		return 0; /* no head of ours */
	if (rc != 0)
		return rc;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	n = pread(fd, text, sizeof(text), 0);
	if (n < 0)
		return err_sys(e, "the ledger's head can't be read");
	if (n == 0) {
		ret->state = E_RANGE;
		return 0;
	}
	line = (struct view){text, (size_t)n};
	if (line.ptr[line.len - 1] != '\n')
		return 0;
	line.len--;
	if (mac_verify(key, line) != 0 || mac_line_int(line, "count", &ret->count) != 0 ||
	    mac_line_str(line, "last", &last) != 0 || last.len > SHA256_HEX)
		return 0;
	memcpy(ret->last, last.ptr, last.len);
	ret->last[last.len] = '\0';
	ret->state = 0;
	return 0;
}

enum ledger_state ledger_judge(const struct ledger_facts *f, const char **ret_why)
{
	const struct ledger_head *h = &f->head;
	bool vouched = f->anchored && f->anchor_matches && f->anchor_count > 0;

	*ret_why = NULL;
	if (!f->exists) {
		if (f->anchored && f->anchor_count > 0)
			*ret_why = "the ledger is missing, but the anchor outside the project "
				   "knows rows of it";
		else if (h->state != E_NOENT)
			*ret_why = "the ledger is missing, but its head is there";
		else if (f->dispatches)
			*ret_why = "the ledger is missing, but dispatches were issued";
		return *ret_why ? LEDGER_TAMPERED : LEDGER_INTACT;
	}
	if (f->problems) {
		*ret_why = "rows don't verify";
		return LEDGER_TAMPERED;
	}
	if (f->anchored && f->anchor_count > f->count)
		*ret_why = "rows were removed from its end: the anchor outside the project knows "
			   "more of them";
	else if (f->anchored && f->anchor_count > 0 && !f->anchor_matches)
		*ret_why = "it is another ledger than the anchor outside the project knows";
	else if (h->state == E_FORGED)
		*ret_why = "its head doesn't verify";
	else if (h->state == E_RANGE && !vouched && f->count > 1)
		*ret_why = "its head is empty";
	else if (h->state == E_NOENT && f->count > 1)
		*ret_why = "its head is missing";
	else if (h->state == E_NOENT && f->count == 1 && f->anchored && f->anchor_count > 0)
		*ret_why = "its head is missing";
	else if (h->state == 0 && h->count > f->count)
		*ret_why = "rows were removed from its end: its head knows more of them";
	else if (h->state == 0 && h->count > 0 && !f->head_matches)
		*ret_why = "its head belongs to other rows";
	if (*ret_why)
		return LEDGER_TAMPERED;
	if (f->torn)
		*ret_why = "its last line is torn";
	else if (h->state != 0 && f->count > 0)
		*ret_why = "its head is missing";
	else if (h->state == 0 && h->count != f->count)
		*ret_why = "its head is behind: a crash between row and head";
	else if (f->anchored && f->anchor_count != f->count)
		*ret_why = "the anchor outside the project is behind: a crash, or rows of another "
			   "runner";
	return *ret_why ? LEDGER_BEHIND : LEDGER_INTACT;
}

struct reporter {
	ledger_report report;
	void *arg;
	int64_t n;
};

static void report_row(void *arg, int64_t number, const char *what)
{
	struct reporter *r = arg;
	char text[128];

	(void)snprintf(text, sizeof(text), "row %lld %s", (long long)number, what);
	if (r->n++ < MAX_LEDGER_PROBLEMS)
		r->report(r->arg, text);
}

static bool exists(int dir_fd, const char *name)
{
	struct stat st;

	return fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int64_t ledger_verify(int dir_fd, const struct mac_key *key, const struct anchor *anchor,
		      ledger_report report, void *arg, int64_t *ret_rows, int64_t *ret_bytes,
		      struct errctx *e)
{
	struct reporter r = {.report = report, .arg = arg};
	struct ledger_scan s = {.key = key, .on_problem = report_row, .arg = &r};
	struct ledger_facts f = {.dispatches = exists(dir_fd, DISPATCH_NAME)};
	auto_fd int fd = -1;
	char text[256];
	const char *why;
	int rc;

	*ret_rows = *ret_bytes = 0;
	rc = ledger_read_head(dir_fd, key, &f.head, e);
	if (rc != 0)
		return rc;
	s.watch[0] = f.head.state == 0 ? f.head.count : 0;
	if (anchor && anchor->serial) {
		f.anchored = true;
		f.anchor_count = anchor->count;
		s.watch[1] = anchor->count;
	}
	rc = pathfd_open(dir_fd, LEDGER_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0, LINKS_NONE,
			 &fd, e);
	if (rc != 0 && rc != E_NOENT)
		return rc;
	f.exists = rc == 0;
	if (f.exists) {
		rc = ledger_scan(fd, &s, e);
		if (rc != 0)
			return rc;
	}
	f.count = s.count;
	f.torn = s.torn;
	f.head_matches = strcmp(s.watched[0], f.head.last) == 0;
	f.anchor_matches = f.anchored && strcmp(s.watched[1], anchor->last) == 0;
	*ret_rows = s.count;
	*ret_bytes = s.bytes;
	if (r.n > MAX_LEDGER_PROBLEMS) {
		(void)snprintf(text, sizeof(text), "and %lld problems more",
			       (long long)r.n - MAX_LEDGER_PROBLEMS);
		report(arg, text);
	}
	/* The rest is judged as if the rows were fine, so that both kinds are reported. */
	if (ledger_judge(&f, &why) != LEDGER_INTACT) {
		report(arg, why);
		r.n++;
	}
	return r.n;
}
