/* SPDX-License-Identifier: MIT */
/* The dispatch file and its memory. System. Failure rule: what can't be written isn't counted and
 * the artifact is refused. Tests: tests/unit/runner/t_dispatches.c. */
#include "base/base.h"

#include "runner/dispatches.h"

#include "base/atomicfile.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/hex.h"
#include "base/io.h"
#include "base/lock.h"
#include "base/pathfd.h"
#include "runner/ledger.h"

#include <fcntl.h>
#include <stdio.h>

const char *nonce_state_text(enum nonce_state s)
{
	switch (s) {
	case NONCE_OK:
		return "the dispatch nonce is good";
	case NONCE_MALFORMED:
		return "the dispatch nonce is malformed: 32 lower-case hex digits are expected";
	case NONCE_UNKNOWN:
		return "the dispatch nonce is unknown";
	case NONCE_EXPIRED:
		return "the dispatch nonce has expired";
	case NONCE_USED_UP:
		return "the dispatch nonce is used up";
	case NONCE_ATTEMPTS:
		return "the dispatch nonce was presented too often";
	case NONCE_NOT_AGENT:
		break;
	}
	return "the dispatch nonce belongs to another agent";
}

static struct dispatch *find(struct dispatches *d, const char *id)
{
	for (size_t i = 0; i < d->n; i++) {
		if (hash_equal(d->item[i].record.id, id, SHA256_HEX))
			return &d->item[i];
	}
	return NULL;
}

static struct dispatch *add(struct dispatches *d, const struct dispatch_record *r)
{
	if (d->n == d->cap) {
		size_t cap = d->cap ? 2 * d->cap : 16;
		struct dispatch *more = reallocarray(d->item, cap, sizeof(*more));

		if (!more)
			return NULL;
		d->item = more;
		d->cap = cap;
	}
	d->item[d->n] = (struct dispatch){.record = *r};
	return &d->item[d->n++];
}

static int load_line(struct dispatches *d, struct view line)
{
	struct dispatch_record r;
	struct dispatch *of;

	if (dispatch_parse(d->key, line, &r) != 0) {
		d->dropped++;
		return 0;
	}
	of = find(d, r.id);
	if (r.kind == LINE_DISPATCH)
		return of || add(d, &r) ? 0 : E_NOMEM;
	if (!of)
		return 0; /* its dispatch is gone */
	if (r.kind == LINE_USE)
		of->uses++;
	else
		of->attempts++;
	return 0;
}

static int load(struct dispatches *d, struct errctx *e)
{
	auto_buf struct buf text;
	struct view rest;
	int rc;

	buf_init(&text, MAX_DISPATCH_FILE_BYTES + 1);
	rc = io_read_all(d->fd, &text, MAX_DISPATCH_FILE_BYTES);
	if (rc != 0)
		return err_set(e, rc, "%s can't be read: %s", DISPATCH_NAME, err_name(rc));
	rest = buf_view(&text);
	while (rest.len) {
		const char *end = view_chr(rest, '\n');
		size_t n = end ? (size_t)(end - rest.ptr) : rest.len;

		if (load_line(d, (struct view){rest.ptr, n}) != 0)
			return err_set(e, E_NOMEM, "out of memory");
		n += end != NULL;
		rest = (struct view){rest.ptr + n, rest.len - n};
	}
	/* Half a line at the end must not swallow the next one. */
	if (text.len && text.data[text.len - 1] != '\n' && io_write_all(d->fd, "\n", 1) != 0)
		return err_sys(e, "%s can't be written", DISPATCH_NAME);
	return 0;
}

int dispatches_open(struct dispatches *d, int dir_fd, const struct mac_key *key, struct errctx *e)
{
	int rc;

	*d = (struct dispatches){.dir_fd = dir_fd, .lock_fd = -1, .fd = -1, .key = key};
	rc = lock_take(dir_fd, DISPATCH_LOCK, &d->lock_fd, e);
	if (rc != 0)
		return rc;
	rc = pathfd_open(dir_fd, DISPATCH_NAME, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0,
			 LINKS_NONE, &d->fd, e);
	if (rc == E_NOENT)
		return 0; /* made with the first dispatch */
	if (rc != 0)
		return rc;
	if (fstat(d->fd, &d->st) != 0 || !S_ISREG(d->st.st_mode) || d->st.st_nlink != 1 ||
	    d->st.st_uid != geteuid())
		return err_set(e, E_FORGED, "%s is no plain file of this user", DISPATCH_NAME);
	rc = load(d, e);
	if (rc == 0 && fstat(d->fd, &d->st) != 0)
		rc = err_sys(e, "%s", DISPATCH_NAME);
	return rc;
}

void dispatches_close(struct dispatches *d)
{
	if (d->fd >= 0)
		(void)close(d->fd);
	if (d->lock_fd >= 0)
		(void)close(d->lock_fd);
	free(d->item);
	*d = (struct dispatches){.dir_fd = -1, .lock_fd = -1, .fd = -1};
}

void dispatches_ledger_use(struct dispatches *d, struct view id12)
{
	for (size_t i = 0; i < d->n && id12.len == 12; i++) {
		if (memcmp(d->item[i].record.id, id12.ptr, 12) == 0)
			d->item[i].ledger_uses++;
	}
}

void dispatches_settle(struct dispatches *d)
{
	for (size_t i = 0; i < d->n; i++) {
		if (d->item[i].uses < d->item[i].ledger_uses)
			d->item[i].uses = d->item[i].ledger_uses;
	}
}

/* Nobody but the keeper writes the file; whoever did wants uses back. */
static int check_unchanged(struct dispatches *d, struct errctx *e)
{
	struct stat st;

	if (d->fd < 0)
		return 0;
	if (fstatat(d->dir_fd, DISPATCH_NAME, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    st.st_ino != d->st.st_ino || st.st_dev != d->st.st_dev || st.st_size != d->st.st_size ||
	    st.st_mtim.tv_sec != d->st.st_mtim.tv_sec ||
	    st.st_mtim.tv_nsec != d->st.st_mtim.tv_nsec)
		return err_set(e, E_FORGED, "%s was changed while the runner serves",
			       DISPATCH_NAME);
	return 0;
}

static int append(struct dispatches *d, enum dispatch_line kind, const char *id, bool durable,
		  struct errctx *e)
{
	struct dispatch_record r = {.kind = kind};
	auto_buf struct buf line;
	int rc;

	buf_init(&line, 1024);
	(void)snprintf(r.id, sizeof(r.id), "%s", id);
	rc = dispatch_emit(d->key, &r, &line);
	if (rc != 0)
		return err_set(e, rc, "a dispatch line can't be made: %s", err_name(rc));
	if (fault_point("dispatch-write") || io_write_all(d->fd, line.data, line.len) != 0 ||
	    (durable && (fault_point("dispatch-sync") || fdatasync(d->fd) != 0))) {
		rc = err_sys(e, "%s can't be written", DISPATCH_NAME);
		/* A half line would damage the next one. */
		if (ftruncate(d->fd, d->st.st_size) != 0)
			rc = err_set(e, E_FORGED, "%s is damaged", DISPATCH_NAME);
	}
	if (fstat(d->fd, &d->st) != 0 && rc == 0)
		rc = err_sys(e, "%s", DISPATCH_NAME);
	return rc;
}

static int rewrite(struct dispatches *d, const struct dispatch_record *fresh, struct errctx *e)
{
	auto_buf struct buf text;
	auto_fd int fd = -1;
	int rc = 0;

	buf_init(&text, MAX_DISPATCH_FILE_BYTES);
	for (size_t i = 0; i <= d->n && rc == 0; i++) {
		struct dispatch_record line = {0};
		bool last = i == d->n;

		rc = dispatch_emit(d->key, last ? fresh : &d->item[i].record, &text);
		if (last || rc != 0)
			continue;
		(void)snprintf(line.id, sizeof(line.id), "%s", d->item[i].record.id);
		line.kind = LINE_USE;
		for (int64_t u = 0; u < d->item[i].uses && rc == 0; u++)
			rc = dispatch_emit(d->key, &line, &text);
		line.kind = LINE_ATTEMPT;
		for (int64_t u = 0; u < d->item[i].attempts && rc == 0; u++)
			rc = dispatch_emit(d->key, &line, &text);
	}
	if (rc != 0)
		return err_set(e, rc, "%s can't be made: %s", DISPATCH_NAME, err_name(rc));
	rc = atomicfile_put(d->dir_fd, DISPATCH_NAME, buf_view(&text), 0600, COMMIT_REPLACE, e);
	if (rc == 0)
		rc = pathfd_open(d->dir_fd, DISPATCH_NAME, O_RDWR | O_APPEND | O_NOFOLLOW, 0,
				 LINKS_NONE, &fd, e);
	if (rc != 0)
		return rc;
	if (d->fd >= 0)
		(void)close(d->fd); /* the file that was replaced */
	d->fd = steal_fd(&fd);
	return fstat(d->fd, &d->st) == 0 ? 0 : err_sys(e, "%s", DISPATCH_NAME);
}

static void drop_expired(struct dispatches *d)
{
	int64_t now = clock_wall_s();
	size_t kept = 0;

	for (size_t i = 0; i < d->n; i++) {
		if (d->item[i].record.expires >= now)
			d->item[kept++] = d->item[i];
	}
	d->n = kept;
}

int dispatches_issue(struct dispatches *d, struct view agent, int64_t seconds, int64_t max_uses,
		     char nonce[ID_HEX + 1], char id[SHA256_HEX + 1], struct errctx *e)
{
	struct dispatch_record r = {.kind = LINE_DISPATCH, .max_uses = max_uses};
	int rc = check_unchanged(d, e);

	if (rc != 0)
		return rc;
	if (!brief_is_slug(agent))
		return err_set(e, E_RANGE, "no agent's slug");
	drop_expired(d);
	if (d->n >= MAX_DISPATCHES)
		return err_set(e, E_TOOBIG, "%d dispatches are live, no more are issued",
			       MAX_DISPATCHES);
	rand_token(nonce);
	dispatch_id(d->key, nonce, r.id);
	memcpy(r.agent, agent.ptr, agent.len);
	r.expires = clock_wall_s() + seconds;
	rc = rewrite(d, &r, e);
	if (rc != 0)
		return rc;
	if (!add(d, &r))
		return err_set(e, E_NOMEM, "out of memory");
	memcpy(id, r.id, sizeof(r.id));
	return 0;
}

/* Steps 1 to 5 of file 22, 8.3. */
static struct dispatch *resolve(struct dispatches *d, struct view nonce, enum nonce_state *state)
{
	char text[ID_HEX + 1], id[SHA256_HEX + 1];
	struct dispatch *of;

	if (!hex_is_lower(nonce, ID_HEX)) {
		*state = NONCE_MALFORMED;
		return NULL;
	}
	memcpy(text, nonce.ptr, ID_HEX);
	text[ID_HEX] = '\0';
	dispatch_id(d->key, text, id);
	of = find(d, id);
	*state = !of				       ? NONCE_UNKNOWN
		 : of->record.expires < clock_wall_s() ? NONCE_EXPIRED
		 : of->uses >= of->record.max_uses     ? NONCE_USED_UP
						       : NONCE_OK;
	return *state == NONCE_OK ? of : NULL;
}

int dispatches_attempt(struct dispatches *d, struct view nonce, enum nonce_state *ret_state,
		       const struct dispatch **ret, struct errctx *e)
{
	int rc = check_unchanged(d, e);
	struct dispatch *of;

	if (rc != 0)
		return rc;
	of = resolve(d, nonce, ret_state);
	if (of && of->attempts >= MAX_DISPATCH_ATTEMPTS) {
		*ret_state = NONCE_ATTEMPTS;
		of = NULL;
	}
	if (!of)
		return 0;
	/* Not synced: a crash may forget an arrival, never a use. */
	rc = append(d, LINE_ATTEMPT, of->record.id, false, e);
	if (rc != 0)
		return rc;
	of->attempts++;
	*ret = of;
	return 0;
}

int dispatches_use(struct dispatches *d, struct view nonce, struct view agent,
		   enum nonce_state *ret_state, const struct dispatch **ret, struct errctx *e)
{
	int rc = check_unchanged(d, e);
	struct dispatch *of;

	if (rc != 0)
		return rc;
	of = resolve(d, nonce, ret_state);
	if (of && !view_is(agent, of->record.agent)) {
		*ret_state = NONCE_NOT_AGENT;
		of = NULL;
	}
	if (!of)
		return 0;
	rc = append(d, LINE_USE, of->record.id, true, e);
	if (rc != 0)
		return rc;
	of->uses++;
	*ret = of;
	return 0;
}
