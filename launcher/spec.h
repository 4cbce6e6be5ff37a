/* SPDX-License-Identifier: MIT */
/*
 * Contract for callers that run a command inside the boundary: one structure describes the run, one
 * call starts it. The call executes the installed confine-run as a child (never in process: file
 * ARCHITECTURE.md says why) and passes every option through a sealed memory file, so that no path
 * and no value stands in the process list. System.
 */
#ifndef LAUNCHER_SPEC_H
#define LAUNCHER_SPEC_H

#include "base/err.h"
#include "base/proc.h"
#include "base/view.h"

enum confine_preset {
	CONFINE_AGENT = 1, /* a whole interactive session */
	CONFINE_COMMAND,   /* one command or one gate of the runner */
};

enum confine_egress {
	CONFINE_EGRESS_DENY = 1,
	CONFINE_EGRESS_PROXY, /* needs egress_rules */
	CONFINE_EGRESS_HOST,
};

struct confine_list {
	const char *const *v;
	size_t n;
};

/* Everything is borrowed for the call. Paths are absolute. Zero or NULL means "not given". */
struct confine_spec {
	enum confine_preset preset;
	const char *cwd; /* folder the command starts in; with overlay, read_only: at or below it */
	const char *overlay; /* project whose writes are collected instead of made (file 00, D9) */
	const char *read_only; /* instead of overlay: project that is only read, but for writable
				  folders in it */
	const char *overlay_upper;    /* the caller's private folder for them; outside every root */
	struct confine_list writable; /* folders bound read-write; they must exist */
	struct confine_list protect;  /* read-only inside a writable folder; they must exist */
	struct confine_list exclude;  /* hidden; missing ones are skipped */
	struct confine_list home_read;	/* kept readable although the home folder is hidden */
	struct confine_list exec_allow; /* program allowlist; empty: everything may be executed */
	struct confine_list env;	/* NAME=VALUE; the only variables beside the fixed few */
	bool env_dangerous;		/* env may hold names a loader or runtime obeys */
	enum confine_egress egress;	/* 0: deny */
	const char *egress_rules;
	unsigned timeout_s;    /* 0: none */
	unsigned kill_grace_s; /* 0: the launcher's default */
	unsigned cpu_max_s, nproc_max, mem_max_mib, fsize_max_mib, nofile_max, tmp_size_mib;
	bool keep_git_config_writable; /* --git-protect hooks instead of on */
	bool explain; /* watch for refusals (slower); they come back in confine_result.denials */
	char *const *argv; /* NULL-ended; argv[0] is looked up inside, on the PATH of env */
	int stdin_fd, stdout_fd, stderr_fd; /* of the command; -1: /dev/null */
};

/* How a run ended. Zero is no outcome and counts as a failure. */
enum confine_outcome {
	CONFINE_NONE = 0,
	CONFINE_EXITED,	   /* the command ended by itself; status is its own */
	CONFINE_SIGNALLED, /* ... by signal `signal` */
	CONFINE_TIMED_OUT, /* ended by the time limit; status 124 */
	CONFINE_REFUSED,   /* policy or usage; the command never started; status 2 */
	CONFINE_NOT_BUILT, /* the boundary couldn't be built or broke; status 125. If `started`, the
			      command ran for a while and was killed */
	CONFINE_NOT_RUN,   /* not executable or not found: 126, 127 */
};

enum { CONFINE_MAX_APPEARED = 64 };

struct confine_result {
	enum confine_outcome outcome;
	int status;	     /* exit status of confine-run */
	int signal;	     /* for CONFINE_SIGNALLED */
	bool started;	     /* the command was executed */
	unsigned survivors;  /* processes of the command that were left over and killed */
	bool fully_enforced; /* every layer that the preset asks for was on */
	char reason[384];    /* why refused or not built; one printable line, "" otherwise */
	char *appeared[CONFINE_MAX_APPEARED]; /* trusted names that the command created (owned) */
	size_t n_appeared;
	char *denials; /* JSON array of explained refusals (see confine-run(1), --explain), or NULL
			  (owned) */
};

struct confine_run {
	struct proc proc; /* the launcher; proc.pid_fd polls readable when it has ended */
	int report_fd;	  /* read end; confine_finish reads it */
};

/* Starts the run and returns at once. program: the confine-run to execute (absolute), NULL: the
 * installed one, or the one beside the caller's own executable in a build tree. It must belong to
 * root or the effective user and not be writable by others. E_NOENT, E_OWNER, E_MODE, E_TOOBIG,
 * E_USAGE (a spec that can't be expressed), E_SYS. */
int confine_start(const struct confine_spec *spec, const char *program, struct confine_run *ret,
		  struct errctx *e) must_check;

/* Ends the run early: the launcher sends SIGTERM inside, then SIGKILL after the grace time. */
void confine_stop(struct confine_run *run);

/* Waits (timeout_ms -1: for ever; E_TIMEOUT leaves the run as it is), reads the report and fills
 * ret. A report that doesn't match the exit status is CONFINE_NOT_BUILT. Free with
 * confine_result_release. */
int confine_finish(struct confine_run *run, int timeout_ms, struct confine_result *ret,
		   struct errctx *e) must_check;
void confine_result_release(struct confine_result *r);

/* Parses report lines (JSON, one object a line) into ret; pure, for tests and for confine_finish.
 * E_SYNTAX. */
int confine_report_parse(struct view lines, struct confine_result *ret,
			 struct errctx *e) must_check;

#endif
