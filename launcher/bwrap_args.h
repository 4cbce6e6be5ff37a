/* SPDX-License-Identifier: MIT */
/* From a plan to bubblewrap's options, NUL-separated for --args (file 10, 18.5). Pure (allocates).
 */
#ifndef LAUNCHER_BWRAP_ARGS_H
#define LAUNCHER_BWRAP_ARGS_H

#include "base/buf.h"
#include "launcher/plan.h"

struct bwrap_in {
	const struct plan *plan;
	/* One descriptor a mount that needs one (BIND, ANCESTOR, RO_BIND, file MASK), else -1, in
	 * the plan's order. */
	const int *fds;
	bool bind_fd;	/* the program has --bind-fd; else /proc/self/fd/N is bound by name */
	bool share_net; /* --egress host, or a namespace that the operator made */
	const char *chdir;
	const int *seccomp_fds;
	size_t n_seccomp;
};

/* Sticky error in out (E_TOOBIG, E_NOMEM). */
void bwrap_args_emit(const struct bwrap_in *in, struct buf *out);

#endif
