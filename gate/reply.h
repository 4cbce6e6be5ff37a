/* SPDX-License-Identifier: MIT */
/* The decision as text for model and person, and as the client's JSON. Pure. */
#ifndef GATE_REPLY_H
#define GATE_REPLY_H

#include "base/buf.h"
#include "gate/decide.h"

/* One or two sentences: what was refused, why, what would be allowed instead. At most
 * MAX_GATE_REASON_BYTES of printable text without secrets. nobody: an ask that nobody can answer.
 */
void reply_text(struct buf *out, const struct answer *a, bool nobody);
/* {"hookSpecificOutput":{...}} and a newline. */
void reply_json(struct buf *out, enum verdict verdict, struct view reason);

#endif
