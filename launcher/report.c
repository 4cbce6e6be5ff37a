/* SPDX-License-Identifier: MIT */
/* Report lines. System. Read back by confine_report_parse (spec_report.c). */
#include "base/base.h"
#include "launcher/report.h"

#include "base/io.h"
#include "base/limits.h"
#include "base/utf8.h"

static int put(int fd, struct buf *b)
{
	(void)buf_putc(b, '\n');
	if (buf_error(b))
		return buf_error(b);
	return io_write_all(fd, b->data, b->len);
}

int report_line(int fd, struct view line)
{
	return fd < 0 ? 0 : io_write_all(fd, line.ptr, line.len);
}

/* Opens the object that each line is. */
static void begin(struct jsonw *w, struct buf *b, const char *event)
{
	buf_init(b, MAX_REPORT_BYTES);
	jsonw_init(w, b, JSONW_COMPACT);
	jsonw_obj(w);
	jsonw_kv_cstr(w, "event", event);
}

int report_refused(int fd, const char *event, const struct errctx *why)
{
	auto_buf struct buf b = {0};
	struct jsonw w;

	if (fd < 0)
		return 0;
	begin(&w, &b, event);
	jsonw_kv_cstr(&w, "code", err_name(why->code));
	jsonw_kv_cstr(&w, "detail", why->text);
	jsonw_obj_end(&w);
	return put(fd, &b);
}

int report_ready(int fd, const struct report_ready *r)
{
	auto_buf struct buf b = {0};
	struct jsonw w;

	if (fd < 0)
		return 0;
	begin(&w, &b, "ready");
	jsonw_kv_cstr(&w, "preset", r->preset);
	jsonw_kv_int(&w, "abi", r->landlock_abi);
	jsonw_kv_int(&w, "seccomp", r->seccomp_filters);
	jsonw_kv_cstr(&w, "egress", r->egress);
	jsonw_kv_int(&w, "mounts", (int64_t)r->mounts);
	jsonw_obj_end(&w);
	return put(fd, &b);
}

/* Names come from the file system: bytes that are no UTF-8 are made printable. */
static void put_name(struct jsonw *w, const char *name)
{
	auto_buf struct buf printed;

	buf_init(&printed, MAX_REPORT_BYTES);
	(void)utf8_print(&printed, view_of(name), 0);
	jsonw_str(w, buf_view(&printed));
}

int report_exit(int fd, const struct report_exit *r)
{
	auto_buf struct buf b = {0};
	struct jsonw w;

	if (fd < 0)
		return 0;
	begin(&w, &b, "exit");
	jsonw_kv_int(&w, "status", r->status);
	jsonw_kv_int(&w, "signal", r->signal);
	jsonw_kv_bool(&w, "timed_out", r->timed_out);
	jsonw_kv_bool(&w, "started", r->started);
	jsonw_kv_int(&w, "survivors", r->survivors);
	jsonw_key(&w, "appeared");
	jsonw_arr(&w);
	for (size_t i = 0; r->appeared && i < r->appeared->n; i++)
		put_name(&w, r->appeared->v[i]);
	jsonw_arr_end(&w);
	jsonw_key(&w, "denials");
	jsonw_arr(&w);
	for (size_t i = 0; r->denials && i < r->denials->n; i++)
		jsonw_raw(&w, view_of(r->denials->v[i]));
	jsonw_arr_end(&w);
	jsonw_obj_end(&w);
	return put(fd, &b);
}
