/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "mcp/text.h"

#include <criterion/criterion.h>

static void shows(const char *in, const char *wanted, size_t escaped)
{
	struct buf out;

	buf_init(&out, 1000);
	cr_assert_eq(text_put_visible(&out, view_of(in)), escaped, "%s", wanted);
	cr_assert_str_eq(buf_text(&out), wanted);
	buf_release(&out);
}

Test(text, what_hides_is_shown_and_nothing_else_changes)
{
	shows("plain\ttext\r\n\f", "plain\ttext\r\n\f", 0);
	shows("caf\xc3\xa9 \xf0\x9f\x98\x80 back\\slash",
	      "caf\xc3\xa9 \xf0\x9f\x98\x80 back\\slash", 0);
	shows("a\x1b[2Kb", "a\\u{1b}[2Kb", 1);
	shows("safe\xe2\x80\xaegpj.sh", "safe\\u{202e}gpj.sh", 1);
	shows("\xe2\x81\xa6\xe2\x81\xa9\x7f", "\\u{2066}\\u{2069}\\u{7f}", 3);
	shows("\xc2\x9b", "\\u{9b}", 1);
	shows("\xf3\xa0\x81\x81x", "\\u{e0041}x", 1);
	/* joiners are part of ordinary emoji and scripts */
	shows("\xe2\x80\x8d", "\xe2\x80\x8d", 0);
}
