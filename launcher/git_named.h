/* SPDX-License-Identifier: MIT */
/* Folders of hooks and further configurations that a repository's own configuration names. System.
 */
#ifndef LAUNCHER_GIT_NAMED_H
#define LAUNCHER_GIT_NAMED_H

#include "launcher/launch.h"

/* Adds what the configuration of git names in a root to the protected objects. top: the working
 * tree. E_MISSING: something is named that the command could create; E_DENIED: all of a root is
 * named; E_TOOBIG, E_HARDLINK, E_NOMEM, E_SYS. */
int git_named_protect(struct launch *l, const struct object *git, const char *top,
		      struct errctx *e) must_check;

#endif
