/* SPDX-License-Identifier: MIT */
/* Both forms of --check. Pure. */
#ifndef LAUNCHER_CHECK_PRINT_H
#define LAUNCHER_CHECK_PRINT_H

#include "launcher/launch.h"

void launch_print_text(const struct launch *l, struct buf *out);
void launch_print_json(const struct launch *l, struct jsonw *w);

#endif
