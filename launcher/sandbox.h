/* SPDX-License-Identifier: MIT */
/*
 * A sandbox being built and running: bubblewrap, stage 2 and the pair between (file 10, 18.4).
 * Linux.
 */
#ifndef LAUNCHER_SANDBOX_H
#define LAUNCHER_SANDBOX_H

#include "launcher/launch.h"
#include "launcher/wire.h"

struct sandbox {
	pid_t bwrap_pid;
	int bwrap_fd;	/* pidfd */
	int control_fd; /* ours */
	int errors_fd;	/* what bubblewrap prints */
	int init_fd;	/* pidfd of stage 2; -1 until its first message */
	pid_t init_pid;
	int *mount_fds;		  /* one a mount of the plan, -1: none needed */
	struct stat *mount_stats; /* what must be found there; overwritten where the view differs */
	struct objects ancestors; /* owns what was opened for MOUNT_ANCESTOR */
	int seccomp_fds[2];
	size_t n_seccomp;
	struct object
		work; /* overlay: "upper" and "work" below the operator's or a private folder */
	int upper_fd, work_fd;
	int null_fd;
	int observer_fd; /* filter of --explain; -1: none */
};

void sandbox_init(struct sandbox *s);
void sandbox_release(struct sandbox *s);

/* Opens what the plan's mounts need, builds the filters. E_CHANGED when something moved since the
 * checks. */
int sandbox_prepare(struct sandbox *s, struct launch *l, struct errctx *e) must_check;

/* Forks and executes bubblewrap. With an overlay, the child first makes its own user and mount
 * namespace and mounts it (holder_linux.c). */
int sandbox_start(struct sandbox *s, struct launch *l, struct errctx *e) must_check;

/* The plan's late mounts, once bubblewrap has made all others and before stage 2 has the plan:
 * each such path over itself, read-only, in the sandbox's own mount namespace (late_linux.c). On
 * any failure the sandbox has to end: what is mounted by then isn't taken back. E_SYS, E_CHANGED
 * (another object is there). */
int sandbox_mount_late(const struct sandbox *s, const struct launch *l,
		       struct errctx *e) must_check;

/* Ends a sandbox whose late mounts failed, leaves them to bubblewrap and starts it once more. */
int sandbox_start_again(struct sandbox *s, struct launch *l, struct errctx *e) must_check;

/* Writes everything stage 2 needs to a sealed file. relay: bits of the streams that become the
 * terminal. */
int sandbox_write_plan(const struct sandbox *s, const struct launch *l, unsigned relay,
		       mode_t command_umask, int *ret_fd, struct errctx *e) must_check;

/* What bubblewrap said, as one line, with a diagnosis (file 10, 16.3). */
void sandbox_explain_failure(struct sandbox *s, struct errctx *e);

/* In the forked child, before bubblewrap: namespaces, overlay. status_fd: the pipe to the parent.
 * Only async-signal-safe work apart from plain system calls; ends the process on failure.
 */
struct holder_status {
	int32_t step; /* enum holder_step; 0: identity follows */
	int32_t error;
	uint64_t index, dev, ino; /* mount index and what it is in the new namespace */
};
enum holder_step {
	HOLDER_IDENTITY = 0,
	HOLDER_NAMESPACE = 1,
	HOLDER_MAP,
	HOLDER_OVERLAY,
	HOLDER_ATTACH,
	HOLDER_REOPEN,
	HOLDER_EXEC,
	HOLDER_PARENT,
	HOLDER_STREAMS,
};
void holder_enter(struct sandbox *s, const struct launch *l, int status_fd);
noreturn_fn void holder_fail(int status_fd, enum holder_step step, int error);

#endif
