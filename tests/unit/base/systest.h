/* SPDX-License-Identifier: MIT */
/*
 * What the tests of base/'s system half share: a private folder, children that check things (as
 * another user, in namespaces, under a filter) and skips that give their reason.
 */
#ifndef TESTS_UNIT_BASE_SYSTEST_H
#define TESTS_UNIT_BASE_SYSTEST_H

#include <stdbool.h>
#include <sys/types.h>

/* Makes a folder (mode 0755, by absolute path without links) that clean_up removes with everything
 * in it. */
const char *make_scratch(void);
void remove_scratch(void);
const char *scratch_path(void);
void move_scratch_fd(int fd); /* the same folder under another number */
int scratch_fd(void);	      /* open O_RDONLY | O_DIRECTORY until remove_scratch */

/* In the scratch folder. */
void put_file(const char *name, const char *text, mode_t mode);
void put_dir(const char *name, mode_t mode);
void put_link(const char *target, const char *name);
bool has_file(const char *name, const char *text); /* regular, with exactly this text */
int count_entries(const char *name);		   /* of a folder, "." and ".." left out */
int count_fds(void);

/* For use in children, where Criterion's assertions don't count: says what failed and ends the
 * child. */
#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			check_failed(__FILE__, __LINE__, #condition);                              \
	} while (0)
void check_failed(const char *file, int line, const char *condition) __attribute__((noreturn));

/* Runs fn in a child; true if it returned (status 0). The second form in a child that is uid 1234
 * without groups when the test runs as root, and the same user otherwise. */
bool in_child(void (*fn)(void *arg), void *arg);
bool in_child_as_user(void (*fn)(void *arg), void *arg);

/* fork that never fails, and the end of such a child: never of another process, let alone of all.
 */
pid_t fork_child(void);
void kill_child(pid_t pid);

/* In a child: own user and mount namespace, uid 0 there. False if this host doesn't allow it. */
bool enter_namespaces(void);
/* True if children can do that; else skips the running test (a failure where AGENTTEAMS_MUST_RUN
 * names "unit" or "all"). */
bool need_namespaces(void);
void skip_or_fail(const char *reason);
/* Skips a test that only another user can run, root or anybody else; never a failure, since ./check
 * runs both. */
void skip_other_user(const char *reason);

/* In a child: from here on system call nr fails with error. With arg >= 0 only where that argument
 * has this (32-bit) value. */
void deny_syscall(long nr, int error);
void deny_syscall_where(long nr, int error, int arg, unsigned value);

#endif
