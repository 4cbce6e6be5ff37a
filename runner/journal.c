/* SPDX-License-Identifier: MIT */
/*
 * Text form of the landing journal. Pure but for the two functions that read and write the file.
 * Failure rule: a journal that can't be followed ends the start, since it says which of the
 * project's files are half changed. Tests: tests/unit/runner/t_journal.c.
 */
#include "base/base.h"

#include "runner/journal.h"

#include "base/atomicfile.h"
#include "base/hex.h"
#include "base/io.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/pathfd.h"
#include "base/pathstr.h"

#include <fcntl.h>
#include <stdio.h>

static const char *const op_names[] = {
	[LAND_REPLACE] = "replace", [LAND_CREATE] = "create", [LAND_DELETE] = "delete"};

void land_base_of(const struct stat *st, struct land_base *ret)
{
	*ret = (struct land_base){
		.exists = true,
		.dev = (uint64_t)st->st_dev,
		.ino = (uint64_t)st->st_ino,
		.size = (int64_t)st->st_size,
		.mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
		.ctime_ns = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec,
		.mode = (unsigned)st->st_mode,
		.nlink = (unsigned)st->st_nlink,
		.uid = (unsigned)st->st_uid,
	};
}

bool land_base_same(const struct land_base *a, const struct land_base *b, bool with_ctime)
{
	if (a->exists != b->exists)
		return false;
	return !a->exists ||
	       (a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
		a->mtime_ns == b->mtime_ns && (!with_ctime || a->ctime_ns == b->ctime_ns));
}

void landing_release(struct landing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->file[i].path);
	for (size_t i = 0; i < l->n_folders; i++)
		free(l->folder[i]);
	free(l->file);
	free(l->folder);
	*l = (struct landing){0};
}

struct land_file *landing_add(struct landing *l, const char *path, enum land_op op)
{
	struct land_file *v = NULL;
	char *copy = strdup(path);

	/* Doubling: the room is a power of two. */
	if (copy && (l->n & (l->n - 1)) == 0) {
		v = reallocarray(l->file, l->n ? 2 * l->n : 1, sizeof(*v));
		if (v)
			l->file = v;
	} else if (copy) {
		v = l->file;
	}
	if (!v) {
		free(copy);
		return NULL;
	}
	l->file[l->n] = (struct land_file){.path = copy, .op = op};
	return &l->file[l->n++];
}

/* Inodes and times don't always fit the integers that JSON readers agree on. */
static void put_big(struct jsonw *w, const char *name, uint64_t n)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	jsonw_kv_cstr(w, name, text);
}

static void emit_file(struct jsonw *w, const struct land_file *f)
{
	jsonw_obj(w);
	jsonw_kv_cstr(w, "path", f->path);
	jsonw_kv_cstr(w, "op", op_names[f->op]);
	jsonw_kv_int(w, "mode", (int64_t)f->mode);
	jsonw_kv_cstr(w, "sha256", f->sha256);
	put_big(w, "fresh", f->fresh);
	if (f->base.exists) {
		put_big(w, "dev", f->base.dev);
		put_big(w, "ino", f->base.ino);
		jsonw_kv_int(w, "size", f->base.size);
		put_big(w, "mtime_ns", (uint64_t)f->base.mtime_ns);
		put_big(w, "ctime_ns", (uint64_t)f->base.ctime_ns);
	}
	jsonw_obj_end(w);
}

int journal_emit(const struct landing *l, struct buf *out)
{
	struct jsonw w;

	jsonw_init(&w, out, JSONW_COMPACT);
	jsonw_obj(&w);
	jsonw_kv_int(&w, "v", 1);
	jsonw_kv_cstr(&w, "request", l->request);
	jsonw_kv_cstr(&w, "agent", l->agent);
	jsonw_kv_bool(&w, "commit", l->commit);
	jsonw_kv_int(&w, "exit", l->exit);
	jsonw_kv_int(&w, "duration_ms", l->duration_ms);
	jsonw_key(&w, "folders");
	jsonw_arr(&w);
	for (size_t i = 0; i < l->n_folders; i++)
		jsonw_cstr(&w, l->folder[i]);
	jsonw_arr_end(&w);
	jsonw_key(&w, "files");
	jsonw_arr(&w);
	for (size_t i = 0; i < l->n; i++)
		emit_file(&w, &l->file[i]);
	jsonw_arr_end(&w);
	jsonw_obj_end(&w);
	return buf_error(out);
}

static int get_big(const struct json *j, const char *name, uint64_t *ret)
{
	struct view v;
	uint64_t n = 0;

	if (json_get_str(json_member(j, name), &v) != 0 || v.len == 0 || v.len > 20)
		return E_SYNTAX;
	for (size_t i = 0; i < v.len; i++) {
		unsigned digit = (unsigned)(v.ptr[i] - '0');

		if (digit > 9 || n > (UINT64_MAX - digit) / 10)
			return E_SYNTAX;
		n = n * 10 + digit;
	}
	*ret = n;
	return 0;
}

static int get_text(const struct json *j, const char *name, char *out, size_t size)
{
	struct view v;

	if (json_get_str(json_member(j, name), &v) != 0 || v.len >= size)
		return E_SYNTAX;
	memcpy(out, v.ptr, v.len);
	out[v.len] = '\0';
	return 0;
}

static bool is_clean(struct view v)
{
	char clean[MAX_PATH_BYTES + 1];

	return pathstr_check_relative(v) == 0 && pathstr_clean(v, clean, sizeof(clean)) >= 0 &&
	       view_is(v, clean) && !view_is(v, ".");
}

static int parse_base(const struct json *j, struct land_base *ret)
{
	uint64_t mtime = 0, changed = 0;

	ret->exists = true;
	if (get_big(j, "dev", &ret->dev) != 0 || get_big(j, "ino", &ret->ino) != 0 ||
	    json_get_int(json_member(j, "size"), &ret->size) != 0 ||
	    get_big(j, "mtime_ns", &mtime) != 0 || get_big(j, "ctime_ns", &changed) != 0)
		return E_SYNTAX;
	ret->mtime_ns = (int64_t)mtime;
	ret->ctime_ns = (int64_t)changed;
	return 0;
}

static int parse_file(const struct json *j, struct landing *l)
{
	struct view path, op;
	struct land_file *f;
	char text[MAX_PATH_BYTES + 1];
	enum land_op which = 0;
	int64_t mode;

	if (json_get_str(json_member(j, "path"), &path) != 0 || !is_clean(path) ||
	    json_get_str(json_member(j, "op"), &op) != 0 ||
	    json_get_int(json_member(j, "mode"), &mode) != 0 || mode < 0 || mode > 0777)
		return E_SYNTAX;
	for (enum land_op k = LAND_REPLACE; k <= LAND_DELETE; k++)
		if (view_is(op, op_names[k]))
			which = k;
	(void)snprintf(text, sizeof(text), "%.*s", (int)path.len, path.ptr);
	f = which ? landing_add(l, text, which) : NULL;
	if (!f)
		return which ? E_NOMEM : E_SYNTAX;
	f->mode = (unsigned)mode;
	if (get_text(j, "sha256", f->sha256, sizeof(f->sha256)) != 0 ||
	    get_big(j, "fresh", &f->fresh) != 0)
		return E_SYNTAX;
	return which == LAND_CREATE ? 0 : parse_base(j, &f->base);
}

static int parse_folders(const struct json *j, struct landing *l)
{
	l->folder = calloc(json_count(j) + 1, sizeof(*l->folder));
	if (!l->folder)
		return E_NOMEM;
	for (const struct json *c = json_first(j); c; c = json_next(c)) {
		struct view v;

		if (json_get_str(c, &v) != 0 || !is_clean(v))
			return E_SYNTAX;
		l->folder[l->n_folders] = strndup(v.ptr, v.len);
		if (!l->folder[l->n_folders])
			return E_NOMEM;
		l->n_folders++;
	}
	return 0;
}

static int parse(const struct json *j, struct landing *l)
{
	const struct json *files = json_member(j, "files"), *folders = json_member(j, "folders");
	int64_t version;
	int rc;

	if (json_get_int(json_member(j, "v"), &version) != 0 || version != 1 ||
	    get_text(j, "request", l->request, sizeof(l->request)) != 0 ||
	    !hex_is_lower(view_of(l->request), ID_HEX) ||
	    get_text(j, "agent", l->agent, sizeof(l->agent)) != 0 ||
	    json_get_bool(json_member(j, "commit"), &l->commit) != 0 ||
	    json_get_int(json_member(j, "exit"), &l->exit) != 0 ||
	    json_get_int(json_member(j, "duration_ms"), &l->duration_ms) != 0 ||
	    !json_is(files, JSON_ARRAY) || !json_is(folders, JSON_ARRAY) ||
	    json_count(files) > MAX_EXPECTED_WRITES)
		return E_SYNTAX;
	rc = parse_folders(folders, l);
	for (const struct json *c = json_first(files); c && rc == 0; c = json_next(c))
		rc = parse_file(c, l);
	return rc;
}

int journal_parse(struct view text, struct landing *ret, struct errctx *e)
{
	auto_json struct json *j = NULL;
	struct landing l = {0};
	int rc = json_parse(text, &j, e);

	if (rc == 0)
		rc = parse(j, &l);
	if (rc != 0) {
		landing_release(&l);
		return err_set(e, rc,
			       "%s/%s can't be followed; it says which files of the project "
			       "are half changed",
			       STATE_DIR, JOURNAL_NAME);
	}
	*ret = l;
	return 0;
}

int journal_read(const struct dirs *d, struct landing *ret, struct errctx *e)
{
	auto_buf struct buf text;
	auto_fd int fd = -1;
	int rc = pathfd_open(d->fd[FOLDER_STATE], JOURNAL_NAME, O_RDONLY | O_NONBLOCK, 0,
			     LINKS_NONE, &fd, e);

	buf_init(&text, MAX_JOURNAL_BYTES + 1);
	if (rc != 0)
		return rc;
	if (io_read_all(fd, &text, MAX_JOURNAL_BYTES) != 0)
		return err_set(e, E_SYS, "%s/%s can't be read", STATE_DIR, JOURNAL_NAME);
	return journal_parse(buf_view(&text), ret, e);
}

int journal_write(const struct dirs *d, const struct landing *l, struct errctx *e)
{
	auto_buf struct buf text;
	int rc;

	buf_init(&text, MAX_JOURNAL_BYTES);
	rc = journal_emit(l, &text);
	if (rc != 0)
		return err_set(e, rc, "the journal of this landing is too long");
	return atomicfile_put(d->fd[FOLDER_STATE], JOURNAL_NAME, buf_view(&text), 0600,
			      COMMIT_REPLACE, e);
}
