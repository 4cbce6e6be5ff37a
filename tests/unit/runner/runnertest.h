/* SPDX-License-Identifier: MIT */
/* A private folder for tests of the runner, and files in it. */
#ifndef TESTS_RUNNERTEST_H
#define TESTS_RUNNERTEST_H

#include "base/buf.h"
#include "runner/mac.h"

/* A fresh folder (removed at exit); returns a descriptor of it. */
int rt_dir(char path[64]);
void rt_put(int dir_fd, const char *name, const char *bytes, size_t n);
/* Whole content into out. */
void rt_get(int dir_fd, const char *name, struct buf *out);
const struct mac_key *rt_key(void);

#endif
