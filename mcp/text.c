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

size_t text_put_visible(struct buf *out, struct view v)
{
	size_t kept = 0; /* everything before it is written */
	size_t n = 0;

	for (size_t i = 0; i < v.len;) {
		size_t at = i;
		int32_t cp;

		if ((unsigned char)v.ptr[i] >= 0x20 && (unsigned char)v.ptr[i] < 0x7f) {
			i++;
			continue;
		}
		cp = utf8_next(v, &i);
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
