/* SPDX-License-Identifier: MIT */
/* Makes deceptive characters visible. Pure. Tested by tests/unit/mcp/t_text.c. */
#include "base/base.h"

#include "mcp/text.h"

#include "base/utf8.h"

static const struct {
	uint32_t first, last;
} deceptive[] = {
	{0x00, 0x08},	    {0x0b, 0x0b}, {0x0e, 0x1f}, /* C0 but TAB, LF, FF, CR */
	{0x7f, 0x9f},					/* DEL, C1 */
	{0x061c, 0x061c},				/* Arabic letter mark */
	{0x200e, 0x200f},				/* direction marks */
	{0x2028, 0x202e},				/* separators, embeddings, overrides */
	{0x2066, 0x2069},				/* isolates */
	{0xe0000, 0xe007f},				/* tags: invisible ASCII */
};

bool text_is_deceptive(uint32_t cp)
{
	for (size_t i = 0; i < ARRAY_LEN(deceptive); i++)
		if (cp >= deceptive[i].first && cp <= deceptive[i].last)
			return true;
	return false;
}

/* Where the first byte at or after i is that is no printable ASCII. Eight at a time: most files are
 * little else. */
static size_t skip_plain(struct view v, size_t i)
{
	const uint64_t ones = 0x0101010101010101U, tops = ones << 7;

	for (uint64_t w; v.len - i >= sizeof(w); i += sizeof(w)) {
		memcpy(&w, v.ptr + i, sizeof(w));
		/* A top bit, one below 0x20 (borrows), or 0x7f (becomes 0x80): look closer. */
		if ((w | (w - ones * 0x20) | (w + ones)) & tops)
			break;
	}
	while (i < v.len && (unsigned char)v.ptr[i] >= 0x20 && (unsigned char)v.ptr[i] < 0x7f)
		i++;
	return i;
}

size_t text_put_visible(struct buf *out, struct view v)
{
	size_t kept = 0; /* everything before it is written */
	size_t n = 0;

	for (size_t i = skip_plain(v, 0); i < v.len; i = skip_plain(v, i)) {
		size_t at = i;
		int32_t cp = utf8_next(v, &i);

		if (cp >= 0 && !text_is_deceptive((uint32_t)cp))
			continue;
		(void)buf_put(out, v.ptr + kept, at - kept);
		(void)buf_printf(out, "\\u{%x}", cp < 0 ? 0xfffdU : (unsigned)cp);
		kept = i;
		n++;
	}
	(void)buf_put(out, v.ptr + kept, v.len - kept);
	return n;
}
