/* SPDX-License-Identifier: MIT */
/* The program allowlist (file 10, 18.10): what must be executable besides the named paths. System.
 */
#ifndef LAUNCHER_EXEC_LIST_H
#define LAUNCHER_EXEC_LIST_H

#include "launcher/launch.h"

/* Canonical paths of allow, the ELF loader that each named program asks for, the interpreter of
 * each named script, and the host's usual loaders when a folder is named. E_NOENT (a named path is
 * missing), E_NOMEM. */
int exec_list_expand(const struct words *allow, struct strings *ret, struct errctx *e) must_check;

#endif
