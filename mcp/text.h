/* SPDX-License-Identifier: MIT */
/* Text on its way to a model: clients pass escape sequences and direction marks on as they are.
 * Pure. */
#ifndef MCP_TEXT_H
#define MCP_TEXT_H

#include "base/buf.h"

/* True for what can steer a terminal or hide text from its reader and has no business in a source
 * file: control characters but TAB, LF, FF and CR, bidirectional controls, tag characters (file 00,
 * D24; field report A10). */
bool text_is_deceptive(uint32_t cp);

/* Appends v (valid UTF-8) with each of those as \u{HEX}; returns how many there were. */
size_t text_put_visible(struct buf *out, struct view v);

#endif
