/* SPDX-License-Identifier: MIT */
/* --changes: what an overlay holds, for people or as JSON, on standard output. System. */
#ifndef LAUNCHER_CHANGES_H
#define LAUNCHER_CHANGES_H

#include "launcher/launch.h"
#include "launcher/overlay.h"

/* Text form: one line a change. Pure. */
void changes_emit_text(const struct overlay_changes *c, struct buf *out);
int changes_print(const struct launch *l, struct errctx *e) must_check;

#endif
