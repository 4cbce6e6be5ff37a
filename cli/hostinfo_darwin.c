/* SPDX-License-Identifier: MIT */
/* What macOS has of it. UNVERIFIED: written without a Mac at hand. */
#include "base/base.h"

#include "cli/hostinfo.h"

void hostinfo_report(void (*each)(const char *name, const char *finding))
{
	each("Landlock", "no (Linux only)");
	each("seccomp filter", "no (Linux only)");
	each("sandbox-exec",
	     access("/usr/bin/sandbox-exec", X_OK) == 0 ? "present (UNVERIFIED)" : "not there");
}
