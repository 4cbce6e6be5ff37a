/* SPDX-License-Identifier: MIT */
/*
 * The line between engine and starter: requests and results as typed fields. Pure packing; reading
 * refuses what isn't whole. Tests: tests/unit/runner/t_exec.c.
 */
#include "base/base.h"

#include "runner/exec.h"

#include "base/limits.h"
#include "runner/wire.h"

#include <stdio.h>

enum { MAX_REASON = 384, MAX_APPEARED = 64 };

static void put_views(struct buf *b, const struct views *v)
{
	wire_put_i64(b, (int64_t)v->n);
	for (size_t i = 0; i < v->n; i++)
		wire_put_view(b, v->item[i]);
}

static void get_views(struct wire_in *in, struct view *item, size_t max, size_t max_bytes,
		      struct views *ret)
{
	int64_t n = wire_get_i64(in);

	if (n < 0 || (size_t)n > max)
		in->bad = true;
	*ret = (struct views){item, in->bad ? 0 : (size_t)n};
	for (size_t i = 0; i < ret->n; i++)
		item[i] = wire_get_view(in, max_bytes);
}

static int send_buf(int fd, struct buf *b, struct errctx *e)
{
	int rc = buf_error(b) ? buf_error(b) : wire_send(fd, buf_view(b));

	return rc ? err_set(e, rc == E_CLOSED ? rc : E_SYS, "a message can't be sent: %s",
			    err_name(rc))
		  : 0;
}

int starter_send_request(int fd, const struct starter_request *r, struct errctx *e)
{
	auto_buf struct buf b;

	buf_init(&b, MAX_KEEPER_MESSAGE_BYTES);
	wire_put_u8(&b, (unsigned)r->op);
	wire_put_view(&b, r->agent);
	put_views(&b, &r->argv);
	wire_put_view(&b, r->cwd);
	wire_put_i64(&b, (int64_t)r->timeout_s);
	wire_put_u8(&b, r->has_stdin);
	wire_put_view(&b, r->content);
	wire_put_view(&b, r->gate);
	wire_put_view(&b, r->path);
	return send_buf(fd, &b, e);
}

int starter_read_request(int fd, struct buf *message, struct view *item, size_t max,
			 struct starter_request *ret, struct errctx *e)
{
	int rc = wire_receive(fd, message, MAX_KEEPER_MESSAGE_BYTES);
	struct wire_in in = {.rest = buf_view(message)};

	if (rc != 0)
		return err_set(e, rc, "the engine can't be heard: %s", err_name(rc));
	*ret = (struct starter_request){.op = (enum starter_op)wire_get_u8(&in)};
	ret->agent = wire_get_view(&in, MAX_SLUG_BYTES);
	get_views(&in, item, max, MAX_ARG_BYTES, &ret->argv);
	ret->cwd = wire_get_view(&in, MAX_PATH_BYTES);
	ret->timeout_s = (unsigned)wire_get_i64(&in);
	ret->has_stdin = wire_get_u8(&in) != 0;
	ret->content = wire_get_view(&in, MAX_CONTENT_BYTES);
	ret->gate = wire_get_view(&in, MAX_NAME_BYTES);
	ret->path = wire_get_view(&in, MAX_PATH_BYTES);
	if (!wire_end(&in) || ret->op == 0 || ret->op >= N_STARTER_OPS ||
	    ret->timeout_s > MAX_COMMAND_SECONDS)
		return err_set(e, E_SYNTAX, "the engine sent a request that makes no sense");
	return 0;
}

int starter_send_refusal(int fd, const struct errctx *e)
{
	auto_buf struct buf b;

	buf_init(&b, 4096);
	wire_put_i64(&b, e->code ? e->code : E_INTERNAL);
	wire_put_view(&b, view_of(e->text));
	return send_buf(fd, &b, NULL);
}

int starter_send_result(int fd, const struct exec_done *d)
{
	const struct starter_result *r = &d->result;
	auto_buf struct buf b, text;

	buf_init(&b, MAX_KEEPER_MESSAGE_BYTES);
	buf_init(&text, MAX_KEEPER_MESSAGE_BYTES);
	wire_put_i64(&b, 0);
	wire_put_view(&b, VIEW(""));
	wire_put_i64(&b, r->outcome);
	wire_put_i64(&b, r->status);
	wire_put_i64(&b, r->signal);
	wire_put_u8(&b, (unsigned)r->way);
	wire_put_u8(&b, r->started);
	wire_put_u8(&b, r->fully);
	wire_put_u8(&b, r->root_replaced);
	wire_put_i64(&b, (int64_t)r->survivors);
	wire_put_i64(&b, r->duration_ms);
	wire_put_view(&b, view_of(r->reason));
	put_views(&b, &r->appeared);
	for (int i = 0; i < 2; i++) {
		const struct capture *c = i ? d->err : d->out;

		buf_clear(&text);
		if (c)
			capture_emit(c, &text);
		wire_put_view(&b, buf_view(&text));
		wire_put_i64(&b, c ? capture_total(c) : 0);
	}
	return buf_error(&text) ? buf_error(&text) : send_buf(fd, &b, NULL);
}

int starter_read_result(int fd, struct buf *message, struct view *item, size_t max,
			struct starter_result *ret, struct errctx *e)
{
	int rc = wire_receive(fd, message, MAX_KEEPER_MESSAGE_BYTES);
	struct wire_in in = {.rest = buf_view(message)};
	struct view text;
	int64_t code;

	if (rc != 0)
		return err_set(e, E_CLOSED, "the process that starts commands is gone");
	*ret = (struct starter_result){0};
	code = wire_get_i64(&in);
	text = wire_get_view(&in, MAX_REASON);
	if (code < 0 && code > -1000 && wire_end(&in))
		return err_set(e, (int)code, "%.*s", (int)text.len, text.ptr);
	ret->outcome = (int)wire_get_i64(&in);
	ret->status = (int)wire_get_i64(&in);
	ret->signal = (int)wire_get_i64(&in);
	ret->way = (enum starter_way)wire_get_u8(&in);
	ret->started = wire_get_u8(&in) != 0;
	ret->fully = wire_get_u8(&in) != 0;
	ret->root_replaced = wire_get_u8(&in) != 0;
	ret->survivors = (unsigned)wire_get_i64(&in);
	ret->duration_ms = wire_get_i64(&in);
	text = wire_get_view(&in, MAX_REASON);
	(void)snprintf(ret->reason, sizeof(ret->reason), "%.*s", (int)text.len, text.ptr);
	get_views(&in, item, max, MAX_PATH_BYTES * 4, &ret->appeared);
	ret->out = wire_get_view(&in, MAX_KEEPER_MESSAGE_BYTES);
	ret->out_bytes = wire_get_i64(&in);
	ret->err = wire_get_view(&in, MAX_KEEPER_MESSAGE_BYTES);
	ret->err_bytes = wire_get_i64(&in);
	if (code != 0 || !wire_end(&in) || ret->way >= N_STARTER_WAYS)
		return err_set(e, E_CLOSED, "the starter's answer can't be read");
	return 0;
}
