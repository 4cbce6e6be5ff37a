/* SPDX-License-Identifier: MIT */
/* Standard base64 with padding, over libsodium. Pure. Tested by tests/unit/base/t_base64.c. */
#include "base/base.h"

#include "base/base64.h"
#include "base/err.h"

#include <sodium.h>

int base64_put(struct buf *b, struct view bytes)
{
	size_t groups = bytes.len / 3 + (bytes.len % 3 != 0);
	char *out;

	if (buf_error(b) || bytes.len == 0)
		return buf_error(b);
	/* libsodium ends the process on a size it can't serve: refuse that first. */
	if (groups > b->max / 4)
		return buf_fail(b, E_TOOBIG);
	out = buf_reserve(b, groups * 4);
	if (!out)
		return buf_error(b);
	(void)sodium_bin2base64(out, groups * 4 + 1, (const unsigned char *)bytes.ptr, bytes.len,
				sodium_base64_VARIANT_ORIGINAL);
	buf_added(b, groups * 4);
	return buf_error(b);
}
