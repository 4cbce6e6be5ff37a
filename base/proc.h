/* SPDX-License-Identifier: MIT */
/*
 * Starts a child with exactly the descriptors, environment, working folder and signal state that
 * are named, and waits for it. Argument vectors only, no shell, no PATH. System.
 */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include <sys/types.h>

#include "base/err.h"

/*
 * The child shares the parent's memory until it executes (as with vfork), so a start costs the same
 * however big the parent is. A parent that changes its own user while another thread starts a child
 * is not supported.
 */
struct proc_fd {
	int child;  /* number in the child */
	int parent; /* descriptor here; -1: /dev/null, read-write */
};

struct proc_spec {
	const char *path;  /* absolute, or NULL to execute exec_fd */
	int exec_fd;	   /* used when path is NULL (execveat, AT_EMPTY_PATH); no script */
	char *const *argv; /* NULL-ended, argv[0] included */
	char *const *envp; /* NULL-ended; the whole environment; NULL: empty */
	const struct proc_fd
		*fds; /* the whole descriptor table of the child; 0, 1, 2 not named are /dev/null */
	size_t n_fds;
	int cwd_fd;	/* -1: unchanged */
	bool new_group; /* own process group */
	bool new_session;
	bool die_with_parent; /* PR_SET_PDEATHSIG SIGKILL, checked against a parent that is already
				 gone; "parent" is the calling thread, so call it from one that
				 stays (the kernel drops it when a set-user-id program runs) */
};

struct proc {
	pid_t pid;  /* -1: none */
	int pid_fd; /* pidfd, or -1 where the kernel has none */
};

/* Starts it. A failure between fork and exec (chdir, exec ...) comes back as an error with its
 * errno: the child doesn't exist then. Signals: mask cleared, all dispositions default. E_SYNTAX
 * (no absolute path, no argv), E_RANGE (map: a number twice, negative, above MAX_CHILD_FD), else as
 * err_sys: E_NOENT, E_SYS, E_NOMEM ... Descriptors of the parent in the map may have any numbers,
 * also those of targets, and need not be close-on-exec. */
int proc_spawn(const struct proc_spec *spec, struct proc *ret, struct errctx *e) must_check;

/* Waits up to timeout_ms (-1: for ever; 0: looks once). E_TIMEOUT, E_SYS. *ret_status as from
 * waitpid. On success the pid descriptor is closed and p holds no process any more. */
int proc_wait(struct proc *p, int timeout_ms, int *ret_status, struct errctx *e) must_check;

/* Sends a signal to the process, or to its group (made by new_group or new_session); no error if it
 * is gone. After proc_wait it does nothing: kill the group before. */
void proc_kill(const struct proc *p, int signal_number, bool group);

/* Exit status as a shell gives it: 0..255, or 128 + signal. */
int proc_exit_code(int wait_status);

/* Tests: true starts children by fork, as where memory can't be shared. */
void proc_force_fork(bool on);

#endif
