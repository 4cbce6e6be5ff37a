/* SPDX-License-Identifier: MIT */
/*
 * read_file_hashed (file 20, sections 6.1 and 7): the bytes of one regular file below the root, or
 * a page of them, with the hash of the whole. Reads; writes nothing. Tested by
 * tests/e2e/mcp-read.tap and the transcripts.
 */
#include "base/base.h"

#include "mcp/server.h"

#include "base/base64.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/jsonw.h"
#include "base/utf8.h"
#include "mcp/page.h"
#include "mcp/params.h"
#include "mcp/read_open.h"
#include "mcp/text.h"

#include <sys/stat.h>

static bool same_file_state(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* No more than the size that was seen: looking for an end that the second fstat tells anyway costs
 * a call. A file that claims to be empty may be one whose size nobody knows. */
static int read_bytes(int fd, struct buf *out, size_t size)
{
	if (size > MAX_READ_FILE_BYTES)
		return E_TOOBIG;
	if (size == 0)
		return io_read_all(fd, out, MAX_READ_FILE_BYTES);
	while (out->len < size) {
		char *room = buf_reserve(out, size - out->len);
		ssize_t got = room ? io_retry(read(fd, room, size - out->len)) : 0;

		if (!room)
			return buf_error(out);
		if (got < 0)
			return E_SYS;
		if (got == 0)
			return E_CHANGED;
		buf_added(out, (size_t)got);
	}
	return 0;
}

/* Reads the whole file, and sees to it that nobody wrote to it meanwhile: the hash has to be of one
 * state. */
static int read_whole(int fd, const struct stat *before, struct buf *out, struct errctx *e)
{
	struct stat after;
	int err = read_bytes(fd, out, (size_t)before->st_size);

	if (err == E_TOOBIG)
		return err_set(e, err, "is larger than %d bytes", MAX_READ_FILE_BYTES);
	if (err && err != E_CHANGED)
		return err_sys(e, "can't be read");
	if (!err && fstat(fd, &after) < 0)
		return err_sys(e, "can't look at the open file");
	if (err || !same_file_state(before, &after))
		return err_set(e, E_CHANGED, "changed while it was being read; try again");
	return 0;
}

static struct jsonw begin(struct server *s, struct view path, bool exists)
{
	struct buf shown;
	struct jsonw w;

	buf_clear(&s->json);
	jsonw_init(&w, &s->json, JSONW_COMPACT);
	w.utf8 = true;
	jsonw_obj(&w);
	buf_init(&shown, 16 * (MAX_PATH_BYTES + 1));
	(void)text_put_visible(&shown, path);
	jsonw_kv_str(&w, "path", buf_view(&shown));
	buf_release(&shown);
	jsonw_kv_bool(&w, "exists", exists);
	return w;
}

static void answer_absent(struct server *s, const struct caller *to, struct view path)
{
	struct jsonw w = begin(s, path, false);

	jsonw_kv_cstr(&w, "base_sha256", "absent");
	jsonw_obj_end(&w);
	reply_tool_result(s, to, false);
}

/* Bytes that are no UTF-8 text, or hold NULs, come in a declared encoding, whole or not at all
 * (field report M34). */
static void emit_binary(struct jsonw *w, struct view file, size_t page_bytes)
{
	struct buf text;

	jsonw_kv_cstr(w, "encoding", "base64");
	if (file.len > page_bytes / 4 * 3) {
		jsonw_kv_cstr(
			w, "note",
			"no UTF-8 text, and too large to be shown as base64; the hash and the size "
			"are those of the file");
		return;
	}
	buf_init(&text, 2 * (size_t)MAX_READ_FILE_BYTES);
	if (base64_put(&text, file) != 0)
		w->out->error = buf_error(&text) ? buf_error(&text) : E_INTERNAL;
	jsonw_kv_str(w, "content", buf_view(&text));
	buf_release(&text);
}

static void emit_text(struct jsonw *w, const struct page *page)
{
	struct buf shown;
	size_t escaped;

	buf_init(&shown, 16 * (size_t)MAX_READ_FILE_BYTES);
	escaped = text_put_visible(&shown, page->text);
	if (buf_error(&shown))
		w->out->error = buf_error(&shown);
	jsonw_kv_cstr(w, "encoding", "utf-8");
	jsonw_kv_str(w, "content", buf_view(&shown));
	buf_release(&shown);
	jsonw_kv_int(w, "start_line", page->start_line);
	jsonw_kv_int(w, "lines", page->lines);
	jsonw_kv_int(w, "total_lines", page->total_lines);
	if (page->next_start_line > 0)
		jsonw_kv_int(w, "next_start_line", page->next_start_line);
	if (page->line_truncated)
		jsonw_kv_bool(w, "line_truncated", true);
	if (escaped > 0) {
		jsonw_kv_int(w, "escaped_characters", (int64_t)escaped);
		jsonw_kv_cstr(
			w, "note",
			"the file holds hidden control or direction characters, shown here as "
			"\\u{HEX}: written back like this they would become plain text");
	}
}

static void answer_file(struct server *s, const struct caller *to, const struct json *arguments,
			struct view path, struct view file)
{
	bool text = utf8_valid(file, NULL) && !view_chr(file, 0);
	char hash[SHA256_HEX + 1];
	struct page page;
	struct jsonw w;

	if (text &&
	    !page_take(file, params_int(arguments, "start_line", 1),
		       params_int(arguments, "max_lines", 0), s->options->page_bytes, &page))
		return reply_tool_refusal(s, to,
					  "argument \"start_line\": the file has only %lld lines",
					  (long long)page_lines(file));
	sha256_hex(file, hash);
	w = begin(s, path, true);
	jsonw_kv_cstr(&w, "base_sha256", hash);
	jsonw_kv_int(&w, "bytes", (int64_t)file.len);
	if (text)
		emit_text(&w, &page);
	else
		emit_binary(&w, file, s->options->page_bytes);
	jsonw_obj_end(&w);
	reply_tool_result(s, to, false);
}

void tool_read(struct server *s, const struct caller *to, const struct json *arguments)
{
	struct view path = params_str(arguments, "path");
	struct errctx e = {0};
	auto_buf struct buf file = {0};
	auto_fd int fd = -1;
	struct stat st;
	int err;

	buf_init(&file, MAX_READ_FILE_BYTES + 1);
	err = read_open(&s->root, path, &fd, &st, &e);
	if (err == E_NOENT)
		return answer_absent(s, to, path);
	if (!err)
		err = read_whole(fd, &st, &file, &e);
	if (err)
		return reply_tool_refusal(s, to, "can't read \"%.*s\": %s",
					  (int)(path.len > 200 ? 200 : path.len), path.ptr, e.text);
	server_keep_read(s, steal_fd(&fd));
	answer_file(s, to, arguments, path, buf_view(&file));
}
