/* SPDX-License-Identifier: MIT */
/* JSON writer into a buffer; misuse and bad text stick there as errors. Pure. Tested by
 * tests/unit/base/t_jsonw.c and tests/fuzz/fuzz_json.c. */
#include "base/base.h"

#include "base/jsonw.h"
#include "base/json_scan.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <inttypes.h>

_Static_assert(MAX_JSON_DEPTH <= 64, "one bit a level");

void jsonw_init(struct jsonw *w, struct buf *out, enum jsonw_form form)
{
	*w = (struct jsonw){.out = out, .form = form};
}

static uint64_t level_bit(const struct jsonw *w)
{
	return UINT64_C(1) << (w->depth - 1);
}

static bool in_object(const struct jsonw *w)
{
	return w->depth > 0 && (w->is_object & level_bit(w));
}

static void put_line(struct jsonw *w)
{
	buf_putc(w->out, '\n');
	for (unsigned i = 0; i < w->depth; i++)
		buf_puts(w->out, "  ");
}

/* Comma and space before the next item of the innermost container. */
static void put_separator(struct jsonw *w)
{
	bool more = w->has_items & level_bit(w);

	w->has_items |= level_bit(w);
	if (more)
		buf_putc(w->out, ',');
	if (w->form == JSONW_INDENTED)
		put_line(w);
	else if (more && w->form == JSONW_SPACED)
		buf_putc(w->out, ' ');
}

/* Before every value; false if none may stand here. */
static bool begin_value(struct jsonw *w)
{
	if (w->depth == 0 ? w->has_value : in_object(w) != w->after_key) {
		buf_fail(w->out, E_INTERNAL);
		return false;
	}
	if (w->depth == 0)
		w->has_value = true;
	else if (!w->after_key)
		put_separator(w);
	w->after_key = false;
	return buf_error(w->out) == 0;
}

static void open_container(struct jsonw *w, bool object)
{
	if (!begin_value(w))
		return;
	if (w->depth == MAX_JSON_DEPTH) {
		buf_fail(w->out, E_DEPTH);
		return;
	}
	w->depth++;
	w->has_items &= ~level_bit(w);
	w->is_object = object ? w->is_object | level_bit(w) : w->is_object & ~level_bit(w);
	buf_putc(w->out, object ? '{' : '[');
}

static void close_container(struct jsonw *w, bool object)
{
	bool had_items;

	if (buf_error(w->out))
		return;
	if (w->depth == 0 || in_object(w) != object || w->after_key) {
		buf_fail(w->out, E_INTERNAL);
		return;
	}
	had_items = w->has_items & level_bit(w);
	w->depth--;
	if (had_items && w->form == JSONW_INDENTED)
		put_line(w);
	buf_putc(w->out, object ? '}' : ']');
}

void jsonw_obj(struct jsonw *w)
{
	open_container(w, true);
}

void jsonw_obj_end(struct jsonw *w)
{
	close_container(w, true);
}

void jsonw_arr(struct jsonw *w)
{
	open_container(w, false);
}

void jsonw_arr_end(struct jsonw *w)
{
	close_container(w, false);
}

int jsonw_finish(const struct jsonw *w)
{
	if (w->depth != 0 || !w->has_value)
		buf_fail(w->out, E_INTERNAL);
	return buf_error(w->out);
}

static void put_unit(struct buf *b, uint32_t unit)
{
	static const char digits[] = "0123456789abcdef";
	const char s[6] = {'\\',
			   'u',
			   digits[unit >> 12],
			   digits[unit >> 8 & 15],
			   digits[unit >> 4 & 15],
			   digits[unit & 15]};

	buf_put(b, s, sizeof(s));
}

static void put_escaped(struct buf *b, int32_t cp)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *simple = cp > 0 && cp < 0x80 ? strchr(from, cp) : NULL;

	if (cp < 0) {
		buf_fail(b, E_UTF8);
	} else if (simple) {
		const char s[2] = {'\\', to[simple - from]};

		buf_put(b, s, sizeof(s));
	} else if (cp < 0x10000) {
		put_unit(b, (uint32_t)cp);
	} else {
		put_unit(b, 0xd800 + (((uint32_t)cp - 0x10000) >> 10));
		put_unit(b, 0xdc00 + (((uint32_t)cp - 0x10000) & 0x3ff));
	}
}

/* The string with its quotes. */
static void put_string(struct buf *b, struct view v, bool utf8)
{
	size_t i = 0;

	buf_putc(b, '"');
	while (i < v.len) {
		const char *run = v.ptr + i, *stop = json_skip_plain(run, v.ptr + v.len, true);

		buf_put(b, run, (size_t)(stop - run));
		i += (size_t)(stop - run);
		if (i < v.len) {
			size_t at = i;
			int32_t cp = utf8_next(v, &i);

			if (utf8 && cp > 0x7f)
				buf_put(b, v.ptr + at, i - at);
			else
				put_escaped(b, cp);
		}
		if (buf_error(b))
			return;
	}
	buf_putc(b, '"');
}

void jsonw_key_view(struct jsonw *w, struct view name)
{
	if (buf_error(w->out))
		return;
	if (!in_object(w) || w->after_key) {
		buf_fail(w->out, E_INTERNAL);
		return;
	}
	put_separator(w);
	put_string(w->out, name, w->utf8);
	buf_puts(w->out, w->form == JSONW_COMPACT ? ":" : ": ");
	w->after_key = true;
}

void jsonw_key(struct jsonw *w, const char *name)
{
	jsonw_key_view(w, view_of(name));
}

void jsonw_str(struct jsonw *w, struct view v)
{
	if (begin_value(w))
		put_string(w->out, v, w->utf8);
}

void jsonw_cstr(struct jsonw *w, const char *s)
{
	if (s)
		jsonw_str(w, view_of(s));
	else
		jsonw_null(w);
}

void jsonw_int(struct jsonw *w, int64_t n)
{
	if (begin_value(w))
		buf_printf(w->out, "%" PRId64, n);
}

void jsonw_bool(struct jsonw *w, bool b)
{
	if (begin_value(w))
		buf_puts(w->out, b ? "true" : "false");
}

void jsonw_null(struct jsonw *w)
{
	if (begin_value(w))
		buf_puts(w->out, "null");
}

void jsonw_raw(struct jsonw *w, struct view v)
{
	if (!begin_value(w))
		return;
	if (v.len)
		buf_put_view(w->out, v);
	else
		buf_fail(w->out, E_INTERNAL);
}

void jsonw_kv_str(struct jsonw *w, const char *name, struct view v)
{
	jsonw_key(w, name);
	jsonw_str(w, v);
}

void jsonw_kv_cstr(struct jsonw *w, const char *name, const char *s)
{
	jsonw_key(w, name);
	jsonw_cstr(w, s);
}

void jsonw_kv_int(struct jsonw *w, const char *name, int64_t n)
{
	jsonw_key(w, name);
	jsonw_int(w, n);
}

void jsonw_kv_bool(struct jsonw *w, const char *name, bool b)
{
	jsonw_key(w, name);
	jsonw_bool(w, b);
}
