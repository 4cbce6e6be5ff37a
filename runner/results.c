/* SPDX-License-Identifier: MIT */
/* Result files and acknowledgements. System. Failure rule: a result that can't be written leaves
 * the request claimed, and the next start answers it. Tests: tests/e2e/runner-queue.tap. */
#include "base/base.h"

#include "runner/results.h"

#include "base/atomicfile.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/hex.h"
#include "base/limits.h"
#include "runner/mac.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

int64_t boot_ms(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_BOOTTIME, &t) != 0)
		return clock_mono_ms();
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Index of id, or where it belongs. */
static size_t position(const struct results *r, const char *id, bool *found)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = strcmp(r->item[mid].id, id);

		if (order == 0) {
			*found = true;
			return mid;
		}
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*found = false;
	return low;
}

bool results_has(const struct results *r, const char *id)
{
	bool found;

	(void)position(r, id, &found);
	return found;
}

static int put_entry(struct results *r, const struct result_entry *entry)
{
	bool found;
	size_t at = position(r, entry->id, &found);

	if (!found && r->n == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 64;
		struct result_entry *more = reallocarray(r->item, cap, sizeof(*more));

		if (!more)
			return E_NOMEM;
		r->item = more;
		r->cap = cap;
	}
	if (!found) {
		memmove(&r->item[at + 1], &r->item[at], (r->n - at) * sizeof(*r->item));
		r->n++;
	}
	r->item[at] = *entry;
	if (entry->expires_ms < r->next_ms)
		r->next_ms = entry->expires_ms;
	return 0;
}

static bool id_of(const char *name, const char *suffix, char id[ID_HEX + 1])
{
	size_t n = strlen(name), tail = strlen(suffix);

	if (n != ID_HEX + tail || strcmp(name + ID_HEX, suffix) != 0 ||
	    !hex_is_lower((struct view){name, ID_HEX}, ID_HEX))
		return false;
	memcpy(id, name, ID_HEX);
	id[ID_HEX] = '\0';
	return true;
}

/* A result of an earlier run: its age by the wall clock, but never less than nothing. */
static void load_one(struct results *r, int dir_fd, const char *name)
{
	struct result_entry entry = {0};
	char text[1024];
	auto_fd int fd = -1;
	struct view head, token;
	struct stat st;
	int64_t age_s, life_s = RESULT_SECONDS;
	ssize_t n;

	if (!id_of(name, ".json", entry.id))
		return;
	fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		(void)unlinkat(dir_fd, name, 0); /* no result of ours; a folder stays */
		return;
	}
	n = pread(fd, text, sizeof(text), 0);
	head = (struct view){text, n > 0 ? (size_t)n : 0};
	if (mac_line_str(head, "ack_token", &token) == 0 && token.len == ID_HEX)
		memcpy(entry.token, token.ptr, ID_HEX);
	entry.secret = view_find(head, VIEW("\"kind\": \"issue-dispatch\"")) != NULL;
	if (entry.secret)
		life_s = SECRET_RESULT_SECONDS;
	else if (view_find(head, VIEW("\"outcome\": ")))
		life_s = OUTCOME_SECONDS;
	age_s = clock_wall_s() - st.st_mtim.tv_sec;
	if (age_s < 0 || age_s > life_s)
		age_s = age_s < 0 ? 0 : life_s;
	entry.expires_ms = boot_ms() + (life_s - age_s) * 1000;
	ignored(put_entry(r, &entry)); /* out of memory: the file stays until the next start */
}

int results_adopt(struct results *r, const struct dirs *d, const char *id, struct errctx *e)
{
	char name[ID_HEX + 6];

	(void)snprintf(name, sizeof(name), "%s.json", id);
	load_one(r, d->fd[FOLDER_RESULTS], name);
	if (!results_has(r, id))
		return err_set(e, E_NOTREG, "the result of %s can't be used", id);
	return fsync(d->fd[FOLDER_RESULTS]) == 0 ? 0 : err_sys(e, "a result can't be made durable");
}

static bool is_temporary(const char *name)
{
	char id[ID_HEX + 1];

	return name[0] == '.' && id_of(name + 1, ".tmp", id);
}

int results_open(struct results *r, const struct dirs *d, struct errctx *e)
{
	int dir_fd = d->fd[FOLDER_RESULTS];
	int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;

	*r = (struct results){.next_ms = INT64_MAX};
	if (!dir) {
		if (copy >= 0)
			(void)close(copy);
		return err_sys(e, "%s can't be listed", RESULTS_DIR);
	}
	while ((entry = readdir(dir))) {
		if (is_temporary(entry->d_name))
			(void)unlinkat(dir_fd, entry->d_name, 0); /* left by a crash */
		else
			load_one(r, dir_fd, entry->d_name);
	}
	(void)closedir(dir);
	return 0;
}

void results_release(struct results *r)
{
	free(r->item);
	*r = (struct results){0};
}

static int write_result(struct results *r, const struct dirs *d, const struct reply *reply,
			const struct reply_frame *frame, enum atomicfile_commit how,
			struct errctx *e)
{
	struct result_entry entry = {.secret = reply->secret};
	struct reply_frame f = *frame;
	struct view pieces[REPLY_PIECES];
	char name[ID_HEX + 6];
	auto_buf struct buf text;
	int64_t life_s = reply->secret	  ? SECRET_RESULT_SECONDS
			 : reply->outcome ? OUTCOME_SECONDS
					  : RESULT_SECONDS;
	int rc;

	rand_token(entry.token);
	(void)snprintf(entry.id, sizeof(entry.id), "%s", frame->id);
	f.ack_token = entry.token;
	buf_init(&text, MAX_RESULT_WRITE_BYTES);
	rc = reply_emit(reply, &f, &text, pieces);
	if (rc != 0)
		return err_set(e, rc, "a result can't be built: %s", err_name(rc));
	(void)snprintf(name, sizeof(name), "%s.json", frame->id);
	rc = fault_point("result-write")
		     ? err_sys(e, "a result can't be written")
		     : atomicfile_put_pieces(d->fd[FOLDER_RESULTS], name, pieces, REPLY_PIECES,
					     0600, how, e);
	if (reply->secret && text.data)
		explicit_bzero(text.data, text.len);
	if (rc != 0)
		return rc;
	entry.expires_ms = boot_ms() + life_s * 1000;
	return put_entry(r, &entry) ? err_set(e, E_NOMEM, "out of memory") : 0;
}

int results_put(struct results *r, const struct dirs *d, const struct reply *reply,
		const struct reply_frame *frame, struct errctx *e)
{
	return write_result(r, d, reply, frame, COMMIT_NEW, e);
}

int results_replace(struct results *r, const struct dirs *d, const struct reply *reply,
		    const struct reply_frame *frame, struct errctx *e)
{
	return write_result(r, d, reply, frame, COMMIT_REPLACE, e);
}

static void wipe(int dir_fd, const char *name)
{
	static const char zeros[4096];
	auto_fd int fd = openat(dir_fd, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return;
	for (off_t at = 0; at < st.st_size; at += (off_t)sizeof(zeros)) {
		size_t n = st.st_size - at < (off_t)sizeof(zeros) ? (size_t)(st.st_size - at)
								  : sizeof(zeros);

		if (pwrite(fd, zeros, n, at) < 0)
			return; /* it is removed all the same */
	}
}

static void remove_at(struct results *r, const struct dirs *d, size_t at)
{
	char name[ID_HEX + 6];

	(void)snprintf(name, sizeof(name), "%s.json", r->item[at].id);
	if (r->item[at].secret)
		wipe(d->fd[FOLDER_RESULTS], name);
	(void)unlinkat(d->fd[FOLDER_RESULTS], name, 0); /* gone already is as good */
	memmove(&r->item[at], &r->item[at + 1], (r->n - at - 1) * sizeof(*r->item));
	r->n--;
}

/* The token is the proof that whoever acknowledges has read the result. */
static bool token_fits(const struct result_entry *entry, int acks_fd, const char *name)
{
	char text[ID_HEX + 2];
	auto_fd int fd = openat(acks_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	n = pread(fd, text, sizeof(text), 0);
	return n >= ID_HEX && (n == ID_HEX || text[ID_HEX] == '\n') &&
	       memcmp(text, entry->token, ID_HEX) == 0;
}

static void take_ack(struct results *r, const struct dirs *d, const char *name)
{
	char id[ID_HEX + 1];
	struct stat st;
	bool found;
	size_t at;

	if (!id_of(name, "", id))
		return; /* a stray name: never opened, never touched */
	/* A client that creates the file first and then writes isn't cut short. */
	if (fstatat(d->fd[FOLDER_ACKS], name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size == 0 &&
	    clock_wall_s() - st.st_ctim.tv_sec < ACK_WRITE_SECONDS)
		return;
	at = position(r, id, &found);
	if (found && token_fits(&r->item[at], d->fd[FOLDER_ACKS], name))
		remove_at(r, d, at);
	/* Also the ones that fit nothing; a folder of that name stays and is ignored. */
	(void)unlinkat(d->fd[FOLDER_ACKS], name, 0);
}

void results_expire(struct results *r, const struct dirs *d)
{
	int copy = d->fd[FOLDER_ACKS] >= 0
			   ? openat(d->fd[FOLDER_ACKS], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
			   : -1;
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;
	int64_t now = boot_ms();

	while (dir && (entry = readdir(dir)))
		take_ack(r, d, entry->d_name);
	if (dir)
		(void)closedir(dir);
	else if (copy >= 0)
		(void)close(copy);
	if (now < r->next_ms)
		return;
	r->next_ms = INT64_MAX;
	for (size_t i = r->n; i-- > 0;) {
		if (r->item[i].expires_ms <= now)
			remove_at(r, d, i);
		else if (r->item[i].expires_ms < r->next_ms)
			r->next_ms = r->item[i].expires_ms;
	}
}
