/* SPDX-License-Identifier: MIT */
/* Pages of whole lines (file 00, D24). Pure. */
#ifndef MCP_PAGE_H
#define MCP_PAGE_H

#include "base/view.h"

struct page {
	struct view text;   /* the lines, with their line feeds */
	int64_t start_line; /* of text, from 1 */
	int64_t lines;	    /* in text */
	int64_t total_lines;
	int64_t next_start_line; /* 0: nothing follows */
	bool line_truncated;	 /* text is the beginning of one line that is longer than a page */
};

/* Lines of a file: a last line without line feed counts, an empty file has none. */
int64_t page_lines(struct view file);

/* Takes the page that begins at start_line (from 1), of at most max_lines lines (0: no bound) and
 * max_bytes bytes (at least 4) from valid UTF-8. A last line without line feed is a line; an empty
 * file has none. False if start_line is behind the last line (line 1 of an empty file is fine). */
bool page_take(struct view file, int64_t start_line, int64_t max_lines, size_t max_bytes,
	       struct page *ret);

#endif
