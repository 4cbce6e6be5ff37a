/* SPDX-License-Identifier: MIT */
/*
 * Building replies. Every reply is built whole in s->reply and only then joins the output, so a
 * failure half way can't leave half a line. Pure but for allocation. Tested by the transcripts.
 */
#include "base/base.h"

#include "mcp/server.h"

#include "base/jsonw.h"
#include "base/utf8.h"
#include "mcp/toolset.h"

#include <stdarg.h>

void server_init(struct server *s, const struct mcp_options *options, int root_fd)
{
	s->options = options;
	s->root.fd = root_fd;
	s->read_fd = -1;
	buf_init(&s->root.name, MAX_PATH_BYTES + 1);
	buf_init(&s->json, MAX_OUTPUT_QUEUE_BYTES);
	buf_init(&s->ascii, MAX_OUTPUT_QUEUE_BYTES);
	buf_init(&s->reply, MAX_OUTPUT_QUEUE_BYTES);
	buf_init(&s->out, MAX_OUTPUT_QUEUE_BYTES);
}

void server_release(struct server *s)
{
	for (size_t i = 0; i < s->n_pending; i++) {
		free(s->pending[i].id);
		free(s->pending[i].token);
	}
	server_close_read(s);
	buf_release(&s->root.name);
	buf_release(&s->json);
	buf_release(&s->ascii);
	buf_release(&s->reply);
	buf_release(&s->out);
}

void server_keep_read(struct server *s, int fd)
{
	server_close_read(s);
	s->read_fd = fd;
}

void server_close_read(struct server *s)
{
	if (s->read_fd >= 0)
		(void)close(steal_fd(&s->read_fd)); /* it was only read */
}

struct batch *batch_new(void)
{
	struct batch *b = calloc(1, sizeof(*b));

	if (b)
		buf_init(&b->replies, MAX_OUTPUT_QUEUE_BYTES);
	return b;
}

static void put_line(struct server *s, struct view line)
{
	size_t before = s->out.len;

	(void)buf_put_view(&s->out, line);
	(void)buf_putc(&s->out, '\n');
	if (buf_error(&s->out)) { /* no memory for this line: drop it whole, keep the rest */
		s->out.len = before;
		s->out.error = 0;
	}
}

void batch_settle(struct server *s, struct batch *b)
{
	struct buf line;

	if (!b->complete || b->open > 0)
		return;
	if (b->replies.len > 0) { /* an array of notifications alone isn't answered */
		buf_init(&line, MAX_OUTPUT_QUEUE_BYTES);
		(void)buf_putc(&line, '[');
		(void)buf_put_view(&line, buf_view(&b->replies));
		(void)buf_putc(&line, ']');
		if (!buf_error(&line))
			put_line(s, buf_view(&line));
		buf_release(&line);
	}
	buf_release(&b->replies);
	free(b);
}

/* Keeps what an ordinary reply needs and gives the rest back. */
static void start_afresh(struct buf *b)
{
	buf_clear(b);
	buf_trim(b, 4 * READ_CHUNK_BYTES);
}

static void hand_over(struct server *s, struct batch *b)
{
	if (!b) {
		put_line(s, buf_view(&s->reply));
	} else {
		if (b->replies.len > 0)
			(void)buf_putc(&b->replies, ',');
		(void)buf_put_view(&b->replies, buf_view(&s->reply));
	}
	start_afresh(&s->reply);
	start_afresh(&s->json);
	start_afresh(&s->ascii);
}

void reply_send(struct server *s, const struct caller *to)
{
	int err = buf_error(&s->reply);

	if (err) {
		buf_clear(&s->reply);
		rpc_put_error(&s->reply, to->id, RPC_INTERNAL_ERROR,
			      err == E_TOOBIG ? "the reply is too large" : "out of memory",
			      (struct view){0});
	}
	hand_over(s, to->batch);
}

void reply_error(struct server *s, const struct caller *to, int code, const char *message,
		 struct view data)
{
	buf_clear(&s->reply);
	rpc_put_error(&s->reply, to->id, code, message, data);
	reply_send(s, to);
}

void reply_notify(struct server *s, struct view line)
{
	put_line(s, line);
}

void reply_emit_era(struct jsonw *w, enum revision r)
{
	if (!revision_is_stateless(r))
		return;
	jsonw_kv_cstr(w, "resultType", "complete");
	jsonw_key(w, "_meta");
	jsonw_obj(w);
	jsonw_key(w, "io.modelcontextprotocol/serverInfo");
	toolset_emit_identity(w, r);
	jsonw_obj_end(w);
}

/* JSON text with the same meaning and nothing outside ASCII on the wire: some clients split lines
 * at U+2028. */
static void put_ascii(struct buf *out, struct view json)
{
	size_t kept = 0;

	for (size_t i = utf8_ascii_run(json, 0); i < json.len; i += utf8_ascii_run(json, i)) {
		size_t at = i;
		int32_t cp = utf8_next(json, &i);

		(void)buf_put(out, json.ptr + kept, at - kept);
		if (cp < 0)
			cp = 0xfffd;
		if (cp < 0x10000)
			(void)buf_printf(out, "\\u%04x", (unsigned)cp);
		else
			(void)buf_printf(out, "\\u%04x\\u%04x",
					 0xd800 + (((unsigned)cp - 0x10000) >> 10),
					 0xdc00 + (((unsigned)cp - 0x10000) & 0x3ff));
		kept = i;
	}
	(void)buf_put(out, json.ptr + kept, json.len - kept);
}

static void emit_content(struct jsonw *w, struct view text)
{
	jsonw_key(w, "content");
	jsonw_arr(w);
	jsonw_obj(w);
	jsonw_kv_cstr(w, "type", "text");
	jsonw_kv_str(w, "text", text);
	jsonw_obj_end(w);
	jsonw_arr_end(w);
}

void reply_tool_result(struct server *s, const struct caller *to, bool is_error)
{
	struct jsonw w;

	buf_clear(&s->reply);
	rpc_put_result(&s->reply, to->id);
	jsonw_init(&w, &s->reply, JSONW_COMPACT);
	jsonw_obj(&w);
	/* The whole structured value as text too: some clients show their model only the one, some
	 * only the other (file 00, D24). */
	emit_content(&w, buf_view(&s->json));
	if (revision_has_structure(to->revision)) {
		struct view json = buf_view(&s->json);

		if (utf8_ascii_run(json, 0) < json.len) {
			put_ascii(&s->ascii, json);
			json = buf_view(&s->ascii);
		}
		jsonw_key(&w, "structuredContent");
		jsonw_raw(&w, json);
	}
	jsonw_kv_bool(&w, "isError", is_error);
	reply_emit_era(&w, to->revision);
	jsonw_obj_end(&w);
	rpc_put_end(&s->reply);
	if (buf_error(&s->json) || buf_error(&s->ascii))
		s->reply.error = buf_error(&s->json) ? buf_error(&s->json) : buf_error(&s->ascii);
	reply_send(s, to);
}

void reply_tool_refusal(struct server *s, const struct caller *to, const char *format, ...)
{
	char text[1024];
	struct buf shown;
	struct jsonw w;
	va_list args;

	va_start(args, format);
	if (vsnprintf(text, sizeof(text), format, args) < 0)
		text[0] = 0;
	va_end(args);
	buf_init(&shown, 8 * sizeof(text));
	(void)utf8_print(&shown, view_of(text), UTF8_PRINT_LINES);
	buf_clear(&s->reply);
	rpc_put_result(&s->reply, to->id);
	jsonw_init(&w, &s->reply, JSONW_COMPACT);
	jsonw_obj(&w);
	emit_content(&w, buf_view(&shown));
	jsonw_kv_bool(&w, "isError", true);
	reply_emit_era(&w, to->revision);
	jsonw_obj_end(&w);
	rpc_put_end(&s->reply);
	buf_release(&shown);
	reply_send(s, to);
}
