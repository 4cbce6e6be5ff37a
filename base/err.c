/* SPDX-License-Identifier: MIT */
/* Error codes and their text. Pure. Tested by tests/unit/base/t_err.c. */
#include "base/base.h"

#include "base/err.h"

#include <errno.h>
#include <stdarg.h>

static const struct {
	int code;
	const char *name;
} names[] = {
	{E_OK, "ok"},
	{E_INTERNAL, "internal error"},
	{E_NOMEM, "out of memory"},
	{E_SYS, "system error"},
	{E_TOOBIG, "too big"},
	{E_SYNTAX, "bad syntax"},
	{E_UTF8, "invalid UTF-8"},
	{E_NUL, "NUL character"},
	{E_SURROGATE, "unpaired surrogate"},
	{E_DEPTH, "nested too deeply"},
	{E_DUPLICATE, "duplicate member"},
	{E_NUMBER, "bad number"},
	{E_TYPE, "wrong type"},
	{E_MISSING, "missing"},
	{E_UNKNOWN, "unknown"},
	{E_RANGE, "out of range"},
	{E_NOENT, "not found"},
	{E_EXISTS, "exists already"},
	{E_LINK, "symbolic link"},
	{E_NOTREG, "not a regular file"},
	{E_NOTDIR, "not a folder"},
	{E_OUTSIDE, "outside"},
	{E_OWNER, "wrong owner"},
	{E_MODE, "wrong mode"},
	{E_CHANGED, "changed meanwhile"},
	{E_BUSY, "busy"},
	{E_TIMEOUT, "timed out"},
	{E_DENIED, "denied"},
	{E_UNSUPPORTED, "not supported here"},
	{E_USAGE, "usage"},
	{E_CLOSED, "closed"},
	{E_HARDLINK, "has several names"},
	{E_FORGED, "not authentic"},
};

const char *err_name(int code)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (names[i].code == code)
			return names[i].name;
	return "unknown error";
}

/* Escapes in place of everything that could forge or hide part of a line; cuts at the end of the
 * buffer. */
static void make_printable(char *text, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	char out[sizeof(((struct errctx *)0)->text)];
	size_t n = 0;

	for (const unsigned char *p = (const unsigned char *)text; *p && n + 5 < size; p++) {
		if (*p >= 0x20 && *p < 0x7f) {
			out[n++] = (char)*p;
			continue;
		}
		out[n++] = '\\';
		out[n++] = 'x';
		out[n++] = digits[*p >> 4];
		out[n++] = digits[*p & 15];
	}
	out[n] = 0;
	memcpy(text, out, n + 1);
}

static void set_text(struct errctx *e, const char *format, va_list args) printf_like(2, 0);
static void set_text(struct errctx *e, const char *format, va_list args)
{
	if (vsnprintf(e->text, sizeof(e->text), format, args) < 0)
		e->text[0] = 0;
	make_printable(e->text, sizeof(e->text));
}

int err_set(struct errctx *e, int code, const char *format, ...)
{
	va_list args;

	if (!e)
		return code;
	e->code = code;
	e->sys_errno = 0;
	va_start(args, format);
	set_text(e, format, args);
	va_end(args);
	return code;
}

static int code_of_errno(int number)
{
	switch (number) {
	case ENOENT:
		return E_NOENT;
	case ENOTDIR:
		return E_NOTDIR;
	case ELOOP:
		return E_LINK;
	case EXDEV:
		return E_OUTSIDE;
	case EEXIST:
		return E_EXISTS;
	case ENOMEM:
		return E_NOMEM;
	case EAGAIN:
		return E_BUSY;
	case ENAMETOOLONG:
		return E_TOOBIG;
	case EPIPE:
		return E_CLOSED;
	default:
		return E_SYS;
	}
}

int err_sys(struct errctx *e, const char *format, ...)
{
	int number = errno;
	va_list args;
	size_t used;

	if (!e)
		return code_of_errno(number);
	e->code = code_of_errno(number);
	e->sys_errno = number;
	va_start(args, format);
	set_text(e, format, args);
	va_end(args);
	used = strlen(e->text);
	(void)snprintf(e->text + used, sizeof(e->text) - used, ": %s", strerror(number));
	return e->code;
}
