/* SPDX-License-Identifier: MIT */
/*
 * What a command's sender and the ledger are told (file 21, 10.3; file 22, 14.3). Tests:
 * tests/e2e/runner-command.tap.
 */
#include "base/base.h"

#include "runner/exec_state.h"

#include "launcher/spec.h"

#include <stdio.h>

enum { CUT_CHARS = 16384 };

static struct view cut(struct view v, bool shorter)
{
	size_t n = CUT_CHARS;

	if (!shorter || v.len <= n)
		return v;
	while (n > 0 && ((unsigned char)v.ptr[n] & 0xc0) == 0x80)
		n--;
	return (struct view){v.ptr, n};
}

static void emit_texts(struct jsonw *j, const char *name, const struct view *v, size_t n)
{
	jsonw_key(j, name);
	jsonw_arr(j);
	for (size_t i = 0; i < n; i++)
		jsonw_str(j, v[i]);
	jsonw_arr_end(j);
}

static const char *confined_name(const struct starter_result *r)
{
	if (r->way == WAY_UNCONFINED)
		return UNCONFINED;
	if (r->way == WAY_READ_ONLY)
		return r->fully ? "read-only" : "read-only-partial";
	return r->fully ? "overlay" : "overlay-partial";
}

static void emit(struct exec *x, const struct starter_result *r, const struct exec_writes *w,
		 bool landed, bool shorter)
{
	struct buf *out = &x->job.reply.result;
	bool timed_out = r->outcome == CONFINE_TIMED_OUT;
	struct jsonw j;

	buf_clear(out);
	jsonw_init(&j, out, JSONW_SPACED);
	jsonw_obj(&j);
	jsonw_kv_cstr(&j, "agent", x->agent);
	emit_texts(&j, "argv", x->artifact.argv.item, x->artifact.argv.n);
	jsonw_kv_cstr(&j, "confined", confined_name(r));
	jsonw_kv_int(&j, "duration_ms", r->duration_ms);
	jsonw_kv_int(&j, "exit", timed_out ? -9 : r->status);
	jsonw_key(&j, "landed");
	jsonw_arr(&j);
	for (size_t i = 0; landed && i < w->landing.n; i++)
		jsonw_cstr(&j, w->landing.file[i].path);
	jsonw_arr_end(&j);
	if (r->way == WAY_READ_ONLY)
		jsonw_kv_cstr(&j, "note",
			      "no overlay can be mounted on this host: the project was read-only "
			      "but for the agent's write roots");
	if (r->way == WAY_UNCONFINED)
		jsonw_kv_cstr(
			&j, "note",
			"it ran without a boundary, with all rights of the runner's user: what "
			"it wrote is there and can't be undone from here, what it did outside "
			"the project isn't known, and a change that somebody else made "
			"meanwhile counts as its own");
	jsonw_kv_bool(&j, "ran", true);
	jsonw_kv_str(&j, "stderr", cut(r->err, shorter));
	jsonw_kv_int(&j, "stderr_bytes", r->err_bytes);
	jsonw_kv_str(&j, "stdout", cut(r->out, shorter));
	jsonw_kv_int(&j, "stdout_bytes", r->out_bytes);
	if (r->survivors)
		jsonw_kv_int(&j, "survivors_killed", (int64_t)r->survivors);
	jsonw_kv_bool(&j, "truncated",
		      shorter || r->out_bytes > MAX_OUTPUT_KEPT_BYTES ||
			      r->err_bytes > MAX_OUTPUT_KEPT_BYTES);
	emit_texts(&j, "undeclared_writes", w->undeclared, w->n_undeclared);
	jsonw_obj_end(&j);
}

void exec_reply(struct exec *x, const struct starter_result *r, const struct exec_writes *w,
		bool landed)
{
	emit(x, r, w, landed, false);
	/* Escapes make six bytes of one: two full streams of control characters don't fit. */
	if (buf_error(&x->job.reply.result) ||
	    x->job.reply.result.len + 8192 > MAX_RESULT_WRITE_BYTES)
		emit(x, r, w, landed, true);
}

static void common(const struct exec *x, struct row *r)
{
	row_str(r, KEY_AGENT, view_of(x->agent));
	row_str(r, KEY_CHANNEL, view_of(channel_name(x->job.channel)));
	row_str(r, KEY_REQUEST, view_of(x->job.id));
	row_list(r, KEY_ARGV, x->artifact.argv.item, x->artifact.argv.n);
	row_str(r, KEY_CONFINED, exec_confined_word(x->way));
	row_str(r, KEY_PURPOSE, artifact_excerpt(x->artifact.purpose));
}

int exec_row_start(struct engine *en, struct exec *x, struct errctx *e)
{
	struct row r = {.action = ROW_RUN_REQUEST_START};

	common(x, &r);
	return engine_asked(en, ask_row(&en->ask, &r, e), e);
}

/* "<sha256 or 'deleted'> <path>": what the ledger says of each file that landed. */
static int list_landed(const struct landing *l, struct buf *text, struct view **ret, size_t *ret_n,
		       struct errctx *e)
{
	struct view *v = calloc(l->n + 1, sizeof(*v));
	size_t at = 0;

	if (!v)
		return err_set(e, E_NOMEM, "no memory");
	for (size_t i = 0; i < l->n; i++) {
		(void)buf_printf(text, "%s %s",
				 l->file[i].op == LAND_DELETE ? "deleted" : l->file[i].sha256,
				 l->file[i].path);
		(void)buf_putc(text, '\0');
	}
	if (buf_error(text)) { /* the journal and the result name them all the same */
		buf_clear(text);
		(void)buf_printf(text, "%zu files", l->n);
		v[0] = buf_view(text);
		*ret_n = 1;
		*ret = v;
		return 0;
	}
	*ret_n = l->n;
	for (size_t i = 0; i < l->n; i++) {
		v[i] = view_of(text->data + at);
		at += v[i].len + 1;
	}
	*ret = v;
	return 0;
}

int exec_row_end(struct engine *en, struct exec *x, const struct starter_result *r,
		 const struct exec_writes *w, bool landed, const char *error, struct errctx *e)
{
	bool timed_out = r->outcome == CONFINE_TIMED_OUT;
	struct row row = {.action = timed_out ? ROW_RUN_REQUEST_TIMEOUT : ROW_RUN_REQUEST};
	auto_buf struct buf text;
	struct view *names = NULL;
	int rc = 0;

	buf_init(&text, 2 << 20);
	common(x, &row);
	row_int(&row, KEY_DURATION, r->duration_ms);
	if (timed_out)
		row_int(&row, KEY_GROUP_KILLED, 1);
	else
		row_int(&row, KEY_EXIT, r->status);
	if (error)
		row_str(&row, KEY_ERROR, artifact_excerpt(view_of(error)));
	if (r->survivors)
		row_int(&row, KEY_SURVIVORS, 1);
	if (landed) {
		size_t n = 0;

		rc = list_landed(&w->landing, &text, &names, &n, e);
		if (rc != 0)
			return rc;
		row_list(&row, KEY_LANDED, names, n);
	}
	row_list(&row, KEY_UNDECLARED, w->undeclared, w->n_undeclared);
	rc = engine_asked(en, ask_row(&en->ask, &row, e), e);
	free(names);
	return rc;
}
