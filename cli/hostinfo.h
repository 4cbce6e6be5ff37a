/* SPDX-License-Identifier: MIT */
/* What this host can enforce right now, found out by asking the kernel. One file per system. */
#ifndef CLI_HOSTINFO_H
#define CLI_HOSTINFO_H

#include "base/base.h"

/* Calls each(name, finding) for every layer, in a fixed order. Starts one short-lived child for
 * the user namespace; changes nothing. */
void hostinfo_report(void (*each)(const char *name, const char *finding));

#endif
