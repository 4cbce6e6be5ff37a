/* SPDX-License-Identifier: MIT */
/*
 * Stage 2: the trusted first process inside (file 10, 18.2, 18.13, 18.14). It proves the boundary,
 * starts the command, reaps everything, and reports. A program of its own (confine-init), small and
 * statically linked where the host can: nothing of the launcher's policy code comes inside.
 */
#ifndef LAUNCHER_STAGE2_H
#define LAUNCHER_STAGE2_H

#include "launcher/wire.h"

/* Step names stand in reports: "process", "privileges", "seccomp", "namespaces", "network",
 * "objects", "root", "limits", "landlock", "listener", "terminal". 0, or an error whose text names
 * step and thing. */
int stage2_check_process(const struct plan_head *h, struct errctx *e) must_check;
int stage2_check_network(const struct plan_head *h, struct errctx *e) must_check;
int stage2_check_objects(struct plan_file *plan, struct errctx *e) must_check;
int stage2_apply_limits(const struct plan_head *h, struct errctx *e) must_check;
/* *ret_abi: the ABI in use, 0 when off. */
int stage2_apply_landlock(struct plan_file *plan, int *ret_abi, struct errctx *e) must_check;

/* Listening socket of the proxy on 127.0.0.1, any port. */
int stage2_listener(int *ret_fd, int *ret_port, struct errctx *e) must_check;
/* A pair of the sandbox's own terminal instance. */
int stage2_terminal(int *ret_master_fd, int *ret_slave_fd, struct errctx *e) must_check;

struct stage2_start {
	char *const *argv, *const *envp;
	const char *cwd;
	int std[3];
	int slave_fd;	/* -1: no terminal */
	unsigned relay; /* bit i: stream i is the slave */
	int landlock_abi;
	int observer_fd; /* filter that reports calls; -1: none */
	int control_fd;
	unsigned umask;
};
/* Forks the command. Returns 0 with *ret_pid, or the errno of what failed before or at exec. */
int stage2_start_command(const struct stage2_start *s, pid_t *ret_pid) must_check;

#endif
