/* SPDX-License-Identifier: MIT */
/*
 * Files of the project that gates execute or read (file 22, 20.13): a script that an agent could
 * change must not judge what that agent writes. System.
 */
#ifndef RUNNER_GATE_PINS_H
#define RUNNER_GATE_PINS_H

#include "base/err.h"
#include "runner/brief.h"

struct gate_pins;

/* Hashes every file beneath root_fd that an argument of a gate names. E_DENIED: an agent's scope or
 * write root covers one. */
int gate_pins_load(const struct brief *b, int root_fd, const char *root_path,
		   struct gate_pins **ret, struct errctx *e) must_check;
/* 0, or E_CHANGED with what changed. NULL is fine. */
int gate_pins_check(const struct gate_pins *p, int root_fd, struct errctx *e) must_check;
void gate_pins_free(struct gate_pins *p);

#endif
