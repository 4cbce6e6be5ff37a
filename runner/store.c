/* SPDX-License-Identifier: MIT */
/* Index and files of staged records. System. Failure rule: a record that can't be read is listed as
 * malformed and can't be applied. Tests: tests/e2e/runner-staged.tap.
 */
#include "base/base.h"

#include "runner/store.h"

#include "base/atomicfile.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/hex.h"
#include "base/jsonw.h"
#include "base/watchdir.h"
#include "runner/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

static void entry_free(struct store_entry *en)
{
	if (!en)
		return;
	free(en->agent);
	free(en->path);
	free(en->gates);
	free(en);
}

static void unwatch(struct store *s)
{
	if (s->watches)
		(void)close(s->watch_fd);
	s->watches = false;
}

void store_release(struct store *s)
{
	for (size_t i = 0; i < s->n; i++)
		entry_free(s->item[i]);
	free(s->item);
	free(s->by_age);
	unwatch(s);
	*s = (struct store){0};
}

static size_t position(const struct store *s, struct view sid, bool *found)
{
	size_t low = 0, high = s->n;

	*found = false;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = strncmp(s->item[mid]->sid, sid.ptr, ID_HEX);

		if (order == 0) {
			*found = true;
			return mid;
		}
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct store_entry *store_find(struct store *s, struct view sid)
{
	bool found;
	size_t at;

	if (!hex_is_lower(sid, ID_HEX))
		return NULL;
	at = position(s, sid, &found);
	return found ? s->item[at] : NULL;
}

static int insert(struct store *s, struct store_entry *en)
{
	bool found;
	size_t at = position(s, view_of(en->sid), &found);

	s->in_order = false;
	if (found) {
		entry_free(s->item[at]);
		s->item[at] = en;
		return 0;
	}
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 32;
		struct store_entry **more = reallocarray(s->item, cap, sizeof(*more));

		if (!more)
			return E_NOMEM;
		s->item = more;
		s->cap = cap;
	}
	memmove(&s->item[at + 1], &s->item[at], (s->n - at) * sizeof(struct store_entry *));
	s->item[at] = en;
	s->n++;
	return 0;
}

static char *copy_view(struct view v)
{
	return v.ptr ? strndup(v.ptr, v.len) : strdup("");
}

static char *gates_text(const struct staged *s)
{
	auto_buf struct buf text;
	struct jsonw w;

	buf_init(&text, 65536);
	jsonw_init(&w, &text, JSONW_SPACED);
	jsonw_arr(&w);
	for (size_t i = 0; i < s->n_results; i++) {
		jsonw_obj(&w);
		if (s->results[i].confined.ptr)
			jsonw_kv_str(&w, "confined", s->results[i].confined);
		jsonw_kv_int(&w, "duration_ms", s->results[i].duration_ms);
		jsonw_kv_int(&w, "exit", s->results[i].exit);
		jsonw_kv_str(&w, "gate", s->results[i].gate);
		jsonw_obj_end(&w);
	}
	jsonw_arr_end(&w);
	return buf_error(&text) ? NULL : buf_steal(&text);
}

static void fill_hex(char *out, size_t size, struct view v)
{
	if (v.ptr && v.len < size) {
		memcpy(out, v.ptr, v.len);
		out[v.len] = '\0';
	}
}

static int fill(struct store_entry *en, const struct staged *f)
{
	en->agent = copy_view(f->agent);
	en->path = copy_view(f->path);
	en->gates = gates_text(f);
	if (!en->agent || !en->path || !en->gates)
		return E_NOMEM;
	en->deletion = f->content.ptr == NULL;
	en->bytes = f->bytes;
	fill_hex(en->base, sizeof(en->base), f->base);
	fill_hex(en->sha256, sizeof(en->sha256), view_of(f->content_sha256));
	fill_hex(en->request, sizeof(en->request), f->request);
	fill_hex(en->expires_text, sizeof(en->expires_text), f->expires);
	/* An expiry that can't be read never purges; approval refuses it (file 23, 8). */
	if (clock_parse_iso8601(en->expires_text, &en->expires) != 0)
		en->expires = INT64_MAX;
	en->staged_s =
		en->expires == INT64_MAX ? en->st.st_mtim.tv_sec : en->expires - STAGED_SECONDS;
	return 0;
}

/* ---- refreshing: read what changed, verify in groups ---- */

struct batch {
	struct record record[MAX_CHECK];
	struct store_entry *entry[MAX_CHECK];
	size_t n;
};

static int verify_batch(struct batch *b, struct ask *a, struct errctx *e)
{
	struct ask_check check[MAX_CHECK];
	enum check_answer answer[MAX_CHECK];
	size_t done = 0;
	int rc = 0;

	for (size_t i = 0; i < b->n; i++)
		check[i] = (struct ask_check){&b->record[i].fields, b->record[i].mac};
	while (rc == 0 && done < b->n) {
		size_t n = 0;

		rc = ask_check(a, check + done, b->n - done, false, answer, &n, e);
		for (size_t i = 0; rc == 0 && i < n; i++) {
			b->entry[done + i]->state =
				answer[i] == CHECK_BAD ? RECORD_BAD : RECORD_GOOD;
			b->entry[done + i]->decided = answer[i] == CHECK_DECIDED;
		}
		done += n;
	}
	for (size_t i = 0; i < b->n; i++)
		record_release(&b->record[i]);
	b->n = 0;
	return rc;
}

static int read_entry(struct store *s, const struct dirs *d, const char *sid, const struct stat *st,
		      struct batch *b, struct errctx *e)
{
	struct store_entry *en = calloc(1, sizeof(*en));
	struct record *r = &b->record[b->n];
	int rc;

	if (!en)
		return err_set(e, E_NOMEM, "out of memory");
	memcpy(en->sid, sid, ID_HEX + 1);
	en->st = *st;
	en->seen = true;
	en->state = RECORD_MALFORMED;
	rc = record_read(d, sid, r, NULL);
	if (rc == 0) {
		en->st = r->st;
		rc = fill(en, &r->fields);
		b->entry[b->n++] = en;
	} else if (rc == E_FORGED) {
		en->state = RECORD_BAD;
		rc = 0;
	} else if (rc != E_NOMEM) {
		rc = 0;
	}
	if (rc == 0)
		rc = insert(s, en);
	if (rc != 0)
		return err_set(e, rc, "out of memory");
	return 0;
}

static bool sid_of(const char *name, char sid[ID_HEX + 1])
{
	if (strlen(name) != ID_HEX + 5 || strcmp(name + ID_HEX, ".json") != 0 ||
	    !hex_is_lower((struct view){name, ID_HEX}, ID_HEX))
		return false;
	memcpy(sid, name, ID_HEX);
	sid[ID_HEX] = '\0';
	return true;
}

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static int visit(struct store *s, const struct dirs *d, const char *name, struct batch *b,
		 struct ask *a, struct errctx *e)
{
	char sid[ID_HEX + 1];
	struct store_entry *en;
	struct stat st;
	int rc;

	if (!sid_of(name, sid) ||
	    fstatat(d->fd[FOLDER_STAGED], name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return 0; /* a stray name, or gone between listing and looking */
	en = store_find(s, view_of(sid));
	if (en && same(&st, &en->st)) {
		en->seen = true;
		return 0;
	}
	rc = read_entry(s, d, sid, &st, b, e);
	if (rc == 0 && b->n == MAX_CHECK)
		rc = verify_batch(b, a, e);
	return rc;
}

static void drop_unseen(struct store *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (s->item[i]->seen)
			s->item[kept++] = s->item[i];
		else
			entry_free(s->item[i]);
	}
	if (kept < s->n)
		s->in_order = false;
	s->n = kept;
}

/* ---- what changed in the folder ---- */

static void watch(struct store *s, const struct dirs *d, const struct stat *folder)
{
	const uint32_t events = IN_CREATE | IN_DELETE | IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE |
				IN_MOVE | IN_DELETE_SELF | IN_MOVE_SELF;

	s->watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (s->watch_fd < 0)
		return;
	s->watches = true;
	if (watchdir_add(s->watch_fd, d->fd[FOLDER_STAGED], events) < 0)
		unwatch(s);
	s->watched_dev = folder->st_dev;
	s->watched_ino = folder->st_ino;
}

/* Did nothing happen since this was asked last? In doubt something did. Watches from now on, so
 * what happens during the look that follows counts the next time. */
static bool is_quiet(struct store *s, const struct dirs *d)
{
	char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	struct stat folder;
	bool quiet = true;

	if (fstat(d->fd[FOLDER_STAGED], &folder) != 0)
		return false;
	if (s->watches && (s->watched_dev != folder.st_dev || s->watched_ino != folder.st_ino))
		unwatch(s);
	if (!s->watches) {
		watch(s, d, &folder);
		return false;
	}
	while (read(s->watch_fd, events, sizeof(events)) > 0)
		quiet = false;
	return quiet && errno == EAGAIN;
}

static int look_at_all(struct store *s, const struct dirs *d, struct ask *a, struct errctx *e)
{
	int copy = openat(d->fd[FOLDER_STAGED], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	struct batch *b = calloc(1, sizeof(*b));
	const struct dirent *entry;
	int rc = 0;

	if (!dir || !b) {
		rc = err_sys(e, "%s can't be listed", STAGED_DIR);
		if (!dir && copy >= 0)
			(void)close(copy);
		if (dir)
			(void)closedir(dir);
		free(b);
		return rc;
	}
	for (size_t i = 0; i < s->n; i++)
		s->item[i]->seen = false;
	while (rc == 0 && (errno = 0, entry = readdir(dir)))
		rc = visit(s, d, entry->d_name, b, a, e);
	if (rc == 0 && errno != 0) /* what wasn't seen isn't gone */
		rc = err_sys(e, "%s can't be listed", STAGED_DIR);
	if (rc == 0)
		rc = verify_batch(b, a, e);
	for (size_t i = 0; i < b->n; i++)
		record_release(&b->record[i]);
	free(b);
	(void)closedir(dir);
	if (rc == 0)
		drop_unseen(s);
	return rc;
}

static int refresh(struct store *s, const struct dirs *d, struct ask *a, bool at_all,
		   struct errctx *e)
{
	bool quiet = is_quiet(s, d);
	int rc;

	if (quiet && s->whole && !at_all)
		return 0;
	rc = look_at_all(s, d, a, e);
	s->whole = rc == 0;
	return rc;
}

int store_refresh(struct store *s, const struct dirs *d, struct ask *a, struct errctx *e)
{
	return refresh(s, d, a, true, e);
}

int store_refresh_if_changed(struct store *s, const struct dirs *d, struct ask *a, struct errctx *e)
{
	return refresh(s, d, a, false, e);
}

void store_count(const struct store *s, struct view agent, size_t *ret_agent, size_t *ret_all,
		 int64_t *ret_bytes)
{
	*ret_agent = 0;
	*ret_all = s->n;
	*ret_bytes = 0;
	for (size_t i = 0; i < s->n; i++) {
		*ret_bytes += s->item[i]->bytes;
		if (s->item[i]->agent && view_is(agent, s->item[i]->agent))
			++*ret_agent;
	}
}

int store_put(struct store *s, const struct dirs *d, const struct staged *record,
	      const struct ask_staged *signature, struct errctx *e)
{
	struct staged full = *record;
	struct store_entry *en;
	char name[ID_HEX + 6], member[SHA256_HEX + 16];
	auto_buf struct buf text, file;
	size_t at = 0;
	int rc;

	full.sid = view_of(signature->sid);
	full.expires = view_of(signature->expires);
	buf_init(&text, MAX_STAGED_RECORD_BYTES);
	buf_init(&file, MAX_STAGED_RECORD_BYTES);
	rc = staged_emit(&full, &text, &at);
	if (rc != 0)
		return err_set(e, rc, "the record can't be written: %s", err_name(rc));
	(void)snprintf(member, sizeof(member), ", \"mac\": \"%s\"", signature->mac);
	(void)buf_put(&file, text.data, at);
	(void)buf_puts(&file, member);
	rc = buf_put(&file, text.data + at, text.len - at);
	if (rc != 0)
		return err_set(e, rc, "the record is too long");
	(void)snprintf(name, sizeof(name), "%s.json", signature->sid);
	if (fault_point("record-write"))
		return err_sys(e, "the record can't be written");
	rc = atomicfile_put(d->fd[FOLDER_STAGED], name, buf_view(&file), 0600, COMMIT_NEW, e);
	if (rc != 0)
		return rc;
	en = calloc(1, sizeof(*en));
	if (!en || fstatat(d->fd[FOLDER_STAGED], name, &en->st, AT_SYMLINK_NOFOLLOW) != 0) {
		free(en);
		return 0; /* the next refresh reads it */
	}
	memcpy(en->sid, signature->sid, sizeof(en->sid));
	en->state = RECORD_GOOD;
	if (fill(en, &full) != 0 || insert(s, en) != 0)
		entry_free(en); /* likewise */
	return 0;
}

int store_remove(struct store *s, const struct dirs *d, const char *sid, struct errctx *e)
{
	char name[ID_HEX + 6], copy[ID_HEX + 1];
	struct store_entry *en = store_find(s, view_of(sid));
	bool found;
	int rc;

	s->in_order = false;	       /* also when the file stays: it is decided */
	memcpy(copy, sid, ID_HEX + 1); /* sid may belong to the entry that goes */
	(void)snprintf(name, sizeof(name), "%s.json", copy);
	if (fault_point("record-remove"))
		return err_sys(e, "the record can't be removed");
	rc = atomicfile_remove(d->fd[FOLDER_STAGED], name, e);
	if (rc != 0 && rc != E_NOENT)
		return rc;
	if (en) {
		size_t at = position(s, view_of(copy), &found);

		entry_free(en);
		memmove(&s->item[at], &s->item[at + 1],
			(s->n - at - 1) * sizeof(struct store_entry *));
		s->n--;
	}
	return 0;
}
