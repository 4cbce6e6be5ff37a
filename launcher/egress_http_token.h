/* SPDX-License-Identifier: MIT */
/* The small words of HTTP/1 grammar, shared by the readers of requests and answers. Pure. */
#ifndef LAUNCHER_EGRESS_HTTP_TOKEN_H
#define LAUNCHER_EGRESS_HTTP_TOKEN_H

#include "base/view.h"

/* Equal without regard to ASCII case; lower is lower case. */
bool http_is(struct view v, const char *lower);
bool http_starts_nocase(struct view v, const char *lower);

bool http_is_token(struct view v); /* RFC 9110, section 5.6.2; not empty */
bool http_is_value(struct view v); /* visible, blank, tab, and bytes from 0x80 */
struct view http_trim(struct view v);

/* Items of a comma list, trimmed, empty ones skipped; false at the end. */
bool http_next_item(struct view *rest, struct view *ret);

/* Fields that belong to one connection and are never passed on (RFC 9110, section 7.6.1). */
bool http_is_hop_by_hop(struct view name);

#endif
