/* SPDX-License-Identifier: MIT */
/* Lexical path work. Pure: neither system calls nor allocation. Tested by
 * tests/unit/base/t_pathstr.c and tests/fuzz/fuzz_pathstr.c. */
#include "base/base.h"

#include "base/pathstr.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <limits.h>

bool pathstr_next(struct view *rest, struct view *component)
{
	const char *p = rest->ptr, *end, *start;

	if (rest->len == 0)
		return false;
	end = p + rest->len;
	while (p < end && *p == '/')
		p++;
	start = p;
	while (p < end && *p != '/')
		p++;
	*rest = (struct view){p, (size_t)(end - p)};
	if (p == start)
		return false;
	*component = (struct view){start, (size_t)(p - start)};
	return true;
}

struct view pathstr_base(struct view path)
{
	size_t start;

	while (path.len && path.ptr[path.len - 1] == '/')
		path.len--;
	if (path.len == 0)
		return VIEW("");
	start = path.len;
	while (start && path.ptr[start - 1] != '/')
		start--;
	return (struct view){path.ptr + start, path.len - start};
}

static bool is_absolute(struct view path)
{
	return path.len && path.ptr[0] == '/';
}

bool pathstr_is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

bool pathstr_beneath(struct view path, struct view top)
{
	struct view part, top_part;
	size_t same = 0;

	if (!is_absolute(path) || !is_absolute(top))
		return false;
	/* Most pairs of a large table part within a name: no need to take them to pieces. */
	while (same < path.len && same < top.len && path.ptr[same] == top.ptr[same])
		same++;
	if (same < path.len && same < top.len && path.ptr[same] != '/' && top.ptr[same] != '/')
		return false;
	while (pathstr_next(&top, &top_part))
		if (!pathstr_next(&path, &part) || !view_eq(part, top_part))
			return false;
	return true;
}

int pathstr_check_relative(struct view path)
{
	struct view rest = path, part;

	if (path.len == 0)
		return E_SYNTAX;
	if (path.len > MAX_PATH_BYTES)
		return E_TOOBIG;
	if (view_chr(path, 0))
		return E_NUL;
	if (!utf8_valid(path, NULL))
		return E_UTF8;
	for (size_t i = 0; i < path.len; i++)
		if ((unsigned char)path.ptr[i] < 0x20 || path.ptr[i] == 0x7f)
			return E_RANGE;
	if (path.ptr[0] == '/' || path.ptr[0] == '~')
		return E_OUTSIDE;
	while (pathstr_next(&rest, &part)) {
		if (view_is(part, ".."))
			return E_OUTSIDE;
		if (part.len > MAX_NAME_BYTES)
			return E_TOOBIG;
	}
	return 0;
}

int pathstr_clean(struct view path, char *out, size_t size)
{
	bool absolute = is_absolute(path);
	struct view part;
	size_t n = 0;

	if (view_chr(path, 0))
		return E_NUL;
	if (size > INT_MAX)
		size = INT_MAX; /* the length is returned as int */
	if (size < 2)
		return E_TOOBIG;
	if (absolute)
		out[n++] = '/';
	while (pathstr_next(&path, &part)) {
		bool slash = n > absolute;

		if (view_is(part, "."))
			continue;
		if (slash + part.len > size - 1 - n)
			return E_TOOBIG;
		if (slash)
			out[n++] = '/';
		memmove(out + n, part.ptr, part.len); /* path may be out itself */
		n += part.len;
	}
	if (n == 0)
		out[n++] = '.';
	out[n] = 0;
	return (int)n;
}

/* What full case folding makes of code points that aren't ASCII but end as ASCII letters (Unicode
 * CaseFolding, status C and F). None grows: each takes as many bytes as its letters, or more. */
static const char *folds_to_ascii(int32_t cp)
{
	switch (cp) {
	case 0x017f: /* long s */
		return "s";
	case 0x212a: /* Kelvin sign */
		return "k";
	case 0x00df: /* sharp s */
	case 0x1e9e:
		return "ss";
	case 0xfb00: /* ligatures */
		return "ff";
	case 0xfb01:
		return "fi";
	case 0xfb02:
		return "fl";
	case 0xfb03:
		return "ffi";
	case 0xfb04:
		return "ffl";
	case 0xfb05:
	case 0xfb06:
		return "st";
	default:
		return NULL;
	}
}

static char lower_ascii(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

size_t pathstr_fold(struct view v, char *out)
{
	size_t n = 0, i = 0;

	while (i < v.len) {
		size_t at = i;
		int32_t cp;
		const char *letters;

		if ((unsigned char)v.ptr[i] < 0x80) {
			out[n++] = lower_ascii(v.ptr[i++]);
			continue;
		}
		cp = utf8_next(v, &i);
		letters = folds_to_ascii(cp);
		if (letters != NULL)
			while (*letters != 0)
				out[n++] = *letters++;
		else if (cp < 0 || !utf8_ignorable((uint32_t)cp))
			for (; at < i; at++)
				out[n++] = v.ptr[at];
	}
	return n;
}
