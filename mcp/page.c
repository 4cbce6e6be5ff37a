/* SPDX-License-Identifier: MIT */
/* Pages of whole lines. Pure. Tested by tests/unit/mcp/t_page.c. */
#include "base/base.h"

#include "mcp/page.h"

/* Length of the line at the front of rest, its line feed included. */
static size_t line_length(struct view rest)
{
	const char *feed = view_chr(rest, '\n');

	return feed ? (size_t)(feed - rest.ptr) + 1 : rest.len;
}

static struct view behind(struct view v, size_t n)
{
	return (struct view){v.ptr + n, v.len - n};
}

int64_t page_lines(struct view v)
{
	int64_t n = 0;

	while (v.len > 0) {
		v = behind(v, line_length(v));
		n++;
	}
	return n;
}

bool page_take(struct view file, int64_t start_line, int64_t max_lines, size_t max_bytes,
	       struct page *ret)
{
	struct page p = {.start_line = start_line};
	struct view rest = file;
	size_t used = 0;

	for (int64_t line = 1; line < start_line && rest.len > 0; line++)
		rest = behind(rest, line_length(rest));
	p.total_lines = page_lines(file);
	if (start_line > p.total_lines && !(start_line == 1 && file.len == 0))
		return false;
	p.text = rest;
	if (max_lines == 0 && rest.len <= max_bytes) { /* all that is left: counted already */
		used = rest.len;
		p.lines = rest.len ? p.total_lines - start_line + 1 : 0;
	}
	while (used < rest.len && (max_lines == 0 || p.lines < max_lines)) {
		size_t n = line_length(behind(rest, used));

		if (used + n > max_bytes) {
			if (p.lines > 0)
				break;
			/* Not even one line fits: its beginning, cut between characters. */
			n = max_bytes;
			while (n > 0 && ((unsigned char)rest.ptr[n] & 0xc0) == 0x80)
				n--;
			p.line_truncated = true;
			used = n;
			p.lines = 1;
			break;
		}
		used += n;
		p.lines++;
	}
	p.text.len = used;
	if (start_line + p.lines <= p.total_lines)
		p.next_start_line = start_line + p.lines;
	*ret = p;
	return true;
}
