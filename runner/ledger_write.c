/* SPDX-License-Identifier: MIT */
/*
 * Opening for service, appending, head. System. Order of one append: row, fsync (durable rows),
 * head by rename, anchor. Failure rule: undo, or be broken and append nothing more. Tests:
 * tests/unit/runner/t_ledger.c, tests/fault/runner-kill.tap, tests/bench/runner-ledger.
 */
#include "base/base.h"

#include "runner/ledger.h"

#include "base/atomicfile.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/io.h"
#include "base/jsonw.h"
#include "base/limits.h"
#include "base/pathfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static int check_plain(int fd, struct errctx *e)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return err_sys(e, "the ledger");
	if (!S_ISREG(st.st_mode))
		return err_set(e, E_NOTREG, "the ledger is no regular file");
	if (st.st_nlink != 1)
		return err_set(e, E_HARDLINK, "the ledger has more than one name");
	if (st.st_uid != geteuid())
		return err_set(e, E_OWNER, "the ledger belongs to another user");
	if (st.st_mode & 0022)
		return err_set(e, E_MODE, "the ledger can be written by others");
	/* The reference leaves it to the umask; nobody else has to read it. */
	if ((st.st_mode & 07777) != 0600 && fchmod(fd, 0600) != 0)
		return err_sys(e, "the ledger's mode can't be set to 0600");
	return 0;
}

static int write_head(struct ledger *l, bool durable, struct errctx *e)
{
	struct atomicfile f;
	auto_buf struct buf text;
	struct jsonw w;
	size_t at;
	int rc;

	buf_init(&text, 512);
	jsonw_init(&w, &text, JSONW_SPACED);
	jsonw_obj(&w);
	jsonw_kv_int(&w, "count", l->count);
	jsonw_kv_cstr(&w, "last", l->last);
	at = text.len;
	jsonw_obj_end(&w);
	rc = mac_seal(l->key, &text, at);
	if (rc == 0)
		rc = buf_putc(&text, '\n');
	if (rc != 0)
		return err_set(e, rc, "the ledger's head can't be written: %s", err_name(rc));
	/* A head that is lost in a crash is made again from the rows, which are durable; so only
	   the first one is synced, for which nothing else could vouch. */
	if (durable) {
		rc = atomicfile_put(l->dir_fd, LEDGER_HEAD, buf_view(&text), 0600, COMMIT_REPLACE,
				    e);
	} else {
		rc = atomicfile_begin(&f, l->dir_fd, LEDGER_HEAD, NULL, 0600, e);
		if (rc != 0)
			return rc;
		rc = atomicfile_write(&f, buf_view(&text), e);
		if (rc == 0 && (fault_point("head-rename") ||
				renameat(l->dir_fd, f.temp, l->dir_fd, LEDGER_HEAD) != 0))
			rc = err_sys(e, "the ledger's head can't be replaced");
		else if (rc == 0) {
			(void)close(f.fd);
			f.fd = -1;
			f.open = false;
		}
		if (rc != 0)
			atomicfile_abort(&f);
	}
	if (rc == 0 && fstatat(l->dir_fd, LEDGER_HEAD, &l->head_st, AT_SYMLINK_NOFOLLOW) != 0)
		rc = err_sys(e, "the ledger's head");
	return rc;
}

int ledger_probe(struct ledger *l, struct errctx *e)
{
	struct stat by_name, head;

	if (l->broken)
		return err_set(e, E_FORGED, "the ledger's files and the keeper's memory differ");
	if (fstatat(l->dir_fd, LEDGER_NAME, &by_name, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !same_file(&by_name, &l->st)) {
		l->broken = true;
		return err_set(e, E_FORGED, "the ledger was changed while the runner serves");
	}
	if (l->count > 0 && (fstatat(l->dir_fd, LEDGER_HEAD, &head, AT_SYMLINK_NOFOLLOW) != 0 ||
			     !same_file(&head, &l->head_st))) {
		l->broken = true;
		return err_set(e, E_FORGED,
			       "the ledger's head was changed while the runner serves");
	}
	return 0;
}

/* Takes a row that could not be finished back out of the file. anchored: the anchor's next slot may
 * hold it already, so a later slot has to say otherwise. */
static void undo(struct ledger *l, const struct ledger *before, bool anchored)
{
	struct stat head;

	if (anchored) {
		l->anchor->serial++;
		if (anchor_set(l->anchor, before->count, before->last, true, NULL) != 0)
			l->broken = true;
	}
	if (ftruncate(l->fd, before->size) != 0 || fdatasync(l->fd) != 0) {
		l->broken = true;
		return;
	}
	l->count = before->count;
	l->size = before->size;
	memcpy(l->last, before->last, sizeof(l->last));
	if (fstat(l->fd, &l->st) != 0)
		l->broken = true;
	/* A head that was not replaced needs no room on a disk that may be full. */
	if (l->count > 0 && fstatat(l->dir_fd, LEDGER_HEAD, &head, AT_SYMLINK_NOFOLLOW) == 0 &&
	    same_file(&head, &before->head_st)) {
		l->head_st = before->head_st;
		return;
	}
	/* It may be the new one already; if it can't be put back, the start repairs nothing less
	   than this, so it has to stop here. */
	if (l->count > 0 || before->head_st.st_ino) {
		if (write_head(l, false, NULL) != 0)
			l->broken = true;
	} else {
		(void)unlinkat(l->dir_fd, LEDGER_HEAD, 0); /* a head of no rows was never there */
	}
}

static int emit(struct ledger *l, const struct row *row, int64_t now, struct buf *line,
		struct errctx *e)
{
	char time[26];
	struct row_frame frame = {.time = time, .prev = l->last, .seq = l->count + 1};
	size_t at = 0;
	int rc;

	clock_iso8601(now, time);
	rc = row_emit(row, &frame, line, &at);
	if (rc == 0)
		rc = mac_seal(l->key, line, at);
	if (rc != 0)
		return err_set(e, rc, "a ledger row can't be written: %s", err_name(rc));
	return 0;
}

int ledger_append(struct ledger *l, const struct row *row, struct errctx *e)
{
	bool durable = (row_flags(row->action) & ROW_SYNC) != 0, anchored = false;
	struct ledger before = *l;
	int64_t now = clock_wall_s();
	auto_buf struct buf line = {0};
	int rc = ledger_probe(l, e);

	if (rc != 0)
		return rc;
	buf_init(&line, MAX_ROW_BYTES);
	rc = emit(l, row, now, &line, e);
	if (rc != 0)
		return rc;
	sha256_hex(buf_view(&line), l->last);
	if (buf_putc(&line, '\n') != 0) {
		memcpy(l->last, before.last, sizeof(l->last));
		return err_set(e, buf_error(&line), "a ledger row is too long");
	}
	l->count++;
	l->size += (int64_t)line.len;
	if (fault_point("row-write") || io_write_all(l->fd, line.data, line.len) != 0)
		rc = err_sys(e, "a row can't be written to the ledger");
	else if (durable && (fault_point("row-sync") || fdatasync(l->fd) != 0))
		rc = err_sys(e, "a row can't be made durable");
	else if (fstat(l->fd, &l->st) != 0)
		rc = err_sys(e, "the ledger");
	else
		rc = write_head(l, before.count == 0, e);
	if (rc == 0 && durable) {
		anchored = true;
		rc = anchor_set(l->anchor, l->count, l->last, true, e);
		l->unsynced = l->unsynced && rc != 0;
	} else if (rc == 0) {
		l->unsynced = true;
	}
	if (rc != 0) {
		undo(l, &before, anchored);
		return rc;
	}
	l->last_time = now;
	return 0;
}

int ledger_flush(struct ledger *l, struct errctx *e)
{
	int rc;

	if (!l->unsynced || l->broken)
		return 0;
	if (fdatasync(l->fd) != 0)
		return err_sys(e, "the ledger can't be made durable");
	rc = anchor_set(l->anchor, l->count, l->last, true, e);
	if (rc == 0)
		l->unsynced = false;
	return rc;
}

/* Half a line at the end: kept in a file of its own, then cut off (field report A04). */
static int move_torn(struct ledger *l, size_t torn, char sha256[SHA256_HEX + 1], struct errctx *e)
{
	auto_buf struct buf b;
	char name[64];
	ssize_t n;
	int rc;

	buf_init(&b, MAX_ROW_BYTES + 1);
	if (!buf_reserve(&b, torn))
		return err_set(e, E_TOOBIG, "the torn end of the ledger has %zu bytes", torn);
	n = pread(l->fd, b.data, torn, l->size - (int64_t)torn);
	if (n != (ssize_t)torn)
		return err_sys(e, "the torn end of the ledger can't be read");
	buf_added(&b, torn);
	sha256_hex(buf_view(&b), sha256);
	(void)snprintf(name, sizeof(name), "proposal-ledger.torn-%.12s", sha256);
	rc = atomicfile_put(l->dir_fd, name, buf_view(&b), 0600, COMMIT_REPLACE, e);
	if (rc != 0)
		return rc;
	if (ftruncate(l->fd, l->size - (int64_t)torn) != 0 || fsync(l->fd) != 0)
		return err_sys(e, "the torn end of the ledger can't be cut off");
	l->size -= (int64_t)torn;
	return 0;
}

static int open_file(struct ledger *l, bool *ret_exists, struct errctx *e)
{
	int rc = pathfd_open(l->dir_fd, LEDGER_NAME, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0,
			     LINKS_NONE, &l->fd, e);

	*ret_exists = rc == 0;
	if (rc == E_NOENT)
		return 0;
	return rc ? rc : check_plain(l->fd, e);
}

static int create_file(struct ledger *l, struct errctx *e)
{
	int rc = pathfd_open(l->dir_fd, LEDGER_NAME,
			     O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0600, LINKS_NONE,
			     &l->fd, e);

	if (rc == 0 && fsync(l->dir_fd) != 0)
		rc = err_sys(e, "the folder of the ledger");
	return rc;
}

static int judge(struct ledger *l, bool found, struct ledger_scan *s, enum ledger_state *ret,
		 struct errctx *e)
{
	struct stat st;
	struct ledger_facts f = {
		.exists = found,
		.dispatches = fstatat(l->dir_fd, DISPATCH_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0,
		.anchored = l->anchor->serial > 0,
		.anchor_count = l->anchor->count,
	};
	const char *why;
	int rc = ledger_read_head(l->dir_fd, l->key, &f.head, e);

	if (rc != 0)
		return rc;
	s->watch[0] = f.head.state == 0 ? f.head.count : 0;
	s->watch[1] = f.anchor_count;
	if (found) {
		rc = ledger_scan(l->fd, s, e);
		if (rc != 0)
			return rc;
	}
	f.count = s->count;
	f.problems = s->problems;
	f.torn = s->torn;
	f.head_matches = strcmp(s->watched[0], f.head.last) == 0;
	f.anchor_matches = strcmp(s->watched[1], l->anchor->last) == 0;
	*ret = ledger_judge(&f, &why);
	if (*ret == LEDGER_TAMPERED)
		return err_set(e, E_FORGED,
			       "the ledger was tampered with: %s; see "
			       "--verify-proposal-ledger, nothing is served",
			       why);
	return 0;
}

int ledger_open(struct ledger *l, int dir_fd, const struct mac_key *key, struct anchor *anchor,
		void (*on_row)(void *, int64_t, struct view), void *arg, size_t *ret_torn,
		char torn_sha256[SHA256_HEX + 1], struct errctx *e)
{
	struct ledger_scan s = {.key = key, .on_row = on_row, .arg = arg};
	enum ledger_state state = LEDGER_TAMPERED;
	bool found = false;
	int rc;

	*l = (struct ledger){.dir_fd = dir_fd, .fd = -1, .key = key, .anchor = anchor};
	*ret_torn = 0;
	rc = open_file(l, &found, e);
	if (rc == 0)
		rc = judge(l, found, &s, &state, e);
	if (rc == 0 && !found)
		rc = create_file(l, e);
	if (rc != 0)
		return rc;
	l->count = s.count;
	l->size = s.bytes;
	memcpy(l->last, s.last, sizeof(l->last));
	if (s.torn) {
		rc = move_torn(l, s.torn, torn_sha256, e);
		if (rc != 0)
			return rc;
		*ret_torn = s.torn;
	}
	/* Rows that were written without a sync are made durable before anything vouches for them.
	 */
	if (fsync(l->fd) != 0 || fstat(l->fd, &l->st) != 0)
		return err_sys(e, "the ledger");
	if (l->count > 0) {
		rc = write_head(l, true, e);
		if (rc != 0)
			return rc;
	}
	return anchor_set(anchor, l->count, l->last, true, e);
}

void ledger_close(struct ledger *l)
{
	if (l->fd >= 0)
		(void)close(l->fd); /* synced where it has to be */
	l->fd = -1;
}
