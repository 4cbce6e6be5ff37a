/* SPDX-License-Identifier: MIT */
/* Policy rows to seccomp programs, with libseccomp: for seccomp_gen and its test. */
#ifndef LAUNCHER_SECCOMP_COMPILE_H
#define LAUNCHER_SECCOMP_COMPILE_H

#include "launcher/seccomp.h"

/* Which choices a program depends on: the others change nothing in it. */
enum {
	SECCOMP_ARGUMENT_CHOICES = 4, /* no_unix + 2 * exec_list */
	SECCOMP_LIST_CHOICES = 4,     /* allow_list + 2 * allow_debug */
};

/* Memory files with struct sock_filter, to be read from offset 0. E_UNSUPPORTED: libseccomp can't
 * express a rule (the text names it); E_NOMEM, E_SYS. */
int seccomp_compile_arguments(const struct seccomp_choice *c, int *ret_fd,
			      struct errctx *e) must_check;
int seccomp_compile_list(const struct seccomp_choice *c, int *ret_fd, struct errctx *e) must_check;

#endif
