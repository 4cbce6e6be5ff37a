/* SPDX-License-Identifier: MIT */
/* Building and fitting of results. Pure. Failure rule: an answer in every case. Tests:
 * tests/unit/runner/t_reply.c. */
#include "base/base.h"

#include "runner/reply.h"

#include "base/limits.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

enum { JOINED_BYTES = 65536 }; /* up to here a copy is cheaper than a call more */

void reply_init(struct reply *r)
{
	*r = (struct reply){.exit = EXIT_REFUSED_REQUEST};
	buf_init(&r->result, 2 * MAX_RESULT_WRITE_BYTES);
	buf_init(&r->detail, MAX_REPLY_DETAIL_BYTES);
}

void reply_release(struct reply *r)
{
	if (r->result.data)
		explicit_bzero(r->result.data, r->result.cap);
	buf_release(&r->result);
	buf_release(&r->detail);
}

void reply_detail(struct reply *r, struct view text)
{
	(void)utf8_print(&r->detail, text, UTF8_PRINT_LINES);
}

int reply_refuse(struct reply *r, const struct errctx *e)
{
	r->ok = false;
	r->exit = e->code == E_INTERNAL || e->code == E_NOMEM || e->code == E_SYS
			  ? EXIT_INTERNAL_FAULT
			  : EXIT_REFUSED_REQUEST;
	r->error = *e;
	buf_clear(&r->result);
	buf_clear(&r->detail);
	return 0;
}

int reply_refuse_text(struct reply *r, const char *format, ...)
{
	char text[sizeof(r->error.text)];
	struct errctx e = {0};
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	(void)err_set(&e, E_DENIED, "%s", text);
	return reply_refuse(r, &e);
}

static void emit_error(struct jsonw *w, const struct reply *r, bool cut)
{
	auto_buf struct buf text;

	buf_init(&text, sizeof(r->error.text) + MAX_REPLY_DETAIL_BYTES);
	(void)buf_puts(&text, r->error.text);
	if (!buf_error(&r->detail))
		(void)buf_put_view(&text, buf_view(&r->detail));
	jsonw_key(w, "error");
	if (cut)
		jsonw_cstr(w, "the result is too large; the ledger has what was done");
	else
		jsonw_str(w, buf_error(&text) ? view_of(r->error.text) : buf_view(&text));
}

static void emit_frame(struct jsonw *w, const struct reply *r, const struct reply_frame *f,
		       bool cut)
{
	if (f->ack_token)
		jsonw_kv_cstr(w, "ack_token", f->ack_token);
	if (!r->ok)
		emit_error(w, r, cut);
	if (!r->ok)
		jsonw_kv_int(w, "exit", r->exit);
	jsonw_kv_cstr(w, "id", f->id);
	if (f->kind)
		jsonw_kv_cstr(w, "kind", f->kind);
	jsonw_kv_bool(w, "ok", r->ok && !cut);
	jsonw_key(w, "queue_wait_ms");
	if (f->queue_wait_ms < 0)
		jsonw_null(w);
	else
		jsonw_int(w, f->queue_wait_ms);
	jsonw_kv_int(w, "serve_ms", f->serve_ms);
}

int reply_emit(const struct reply *r, const struct reply_frame *f, struct buf *head,
	       struct view ret[REPLY_PIECES])
{
	bool cut = buf_error(&r->result) != 0 ||
		   r->result.len + (sizeof(r->error.text) + r->detail.len) * 6 + 512 >
			   MAX_RESULT_WRITE_BYTES;
	bool apart = !cut && r->result.len > JOINED_BYTES;
	struct jsonw w;

	jsonw_init(&w, head, JSONW_SPACED);
	jsonw_obj(&w);
	emit_frame(&w, r, f, cut);
	if (cut) {
		jsonw_kv_bool(&w, "result_cut", true);
	} else if (r->result.len) {
		jsonw_key(&w, "result");
		if (!apart)
			jsonw_raw(&w, buf_view(&r->result));
	}
	if (!apart)
		jsonw_obj_end(&w);
	ret[0] = buf_view(head);
	ret[1] = apart ? buf_view(&r->result) : (struct view){0};
	ret[2] = apart ? VIEW("}") : (struct view){0};
	return buf_error(head);
}
