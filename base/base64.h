/* SPDX-License-Identifier: MIT */
/* Standard base64 with padding (RFC 4648, section 4), over libsodium. Pure. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"

int base64_put(struct buf *b, struct view bytes);

#endif
