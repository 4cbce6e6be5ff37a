/* SPDX-License-Identifier: MIT */
/* What stands in a git configuration, and which of its keys name a program. Pure (allocates). */
#ifndef LAUNCHER_GIT_CONFIG_H
#define LAUNCHER_GIT_CONFIG_H

#include "launcher/launch.h"

/* section: without its subsection; value: as git understands it, empty when there is none. The
 * views live for the call. A negative result ends the reading. */
typedef int git_config_take(void *ctx, struct view section, struct view key, struct view value,
			    struct errctx *e);

/* Calls take for each key. E_SYNTAX: git can't read on at *ret_line (from 1) either; E_NOMEM; what
 * take says. */
int git_config_each(struct view text, git_config_take *take, void *ctx, unsigned *ret_line,
		    struct errctx *e) must_check;

/* Adds "path<TAB>section.key=value" to keys for each key that names a program or another
 * configuration, and "path<TAB>unreadable line N" where the reading ended. E_NOMEM. */
int git_config_running_keys(struct view text, const char *path, struct strings *keys,
			    struct errctx *e) must_check;

#endif
