/* SPDX-License-Identifier: MIT */
/*
 * Lock files: flock on an inode that stays. Creates the file, never removes it. Tested by
 * tests/unit/base/t_lock.c and t_errno.c.
 */
#include "base/base.h"

#include "base/lock.h"

#include "base/clock.h"
#include "base/io.h"
#include "base/limits.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

enum {
	PROBE_PAUSE_MS = 2, /* a probe holds the lock far shorter, unless it is held up */
	MAX_PAUSE_MS = 50,  /* a waiter looks again at least that often */
	PROBED = 1,	    /* not taken, and only probes hold it */
};

static void pause_ms(int ms)
{
	struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};

	(void)nanosleep(&t, NULL); /* woken early, it only looks earlier */
}

/* flags decide whether the file is made. The file must be regular: a lock on anything else would be
 * another kind of lock, or none. */
static int open_lock(int dir_fd, const char *name, int flags, struct stat *st, int *ret_fd,
		     struct errctx *e)
{
	auto_fd int fd = io_retry(
		openat(dir_fd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0600));

	if (fd < 0 && (errno == EISDIR || errno == ENXIO))
		return err_set(e, E_NOTREG, "lock \"%s\" is no regular file", name);
	if (fd < 0)
		return err_sys(e, "lock \"%s\"", name);
	if (fstat(fd, st) < 0) /* whatever the number, this isn't "no such file" */
		return err_set(e, E_SYS, "lock \"%s\": %s", name, strerror(errno));
	if (!S_ISREG(st->st_mode))
		return err_set(e, E_NOTREG, "lock \"%s\" is no regular file", name);
	*ret_fd = steal_fd(&fd);
	return 0;
}

/* Does the name still lead to what was locked? Somebody who replaces the file would otherwise let
 * two processes hold "the" lock. */
static int check_same(int dir_fd, const char *name, const struct stat *locked, struct errctx *e)
{
	struct stat now = {0};

	if (fstatat(dir_fd, name, &now, AT_SYMLINK_NOFOLLOW) < 0 && errno != ENOENT)
		return err_sys(e, "lock \"%s\"", name);
	if (now.st_dev != locked->st_dev || now.st_ino != locked->st_ino)
		return err_set(e, E_CHANGED, "lock \"%s\" was replaced", name);
	return 0;
}

/* E_BUSY if somebody holds the lock, PROBED if only probes do: those share it, so that a shared
 * lock tells them apart, however long the scheduler keeps a probe from letting go. */
static int take_once(int dir_fd, const char *name, int *ret_fd, struct errctx *e)
{
	auto_fd int fd = -1;
	struct stat st;
	int bad = open_lock(dir_fd, name, O_RDWR | O_CREAT, &st, &fd, e);

	if (bad)
		return bad;
	if (io_retry(flock(fd, LOCK_EX | LOCK_NB)) < 0) {
		if (errno == EWOULDBLOCK) {
			bad = io_retry(flock(fd, LOCK_SH | LOCK_NB)) == 0 ? PROBED : E_BUSY;
			(void)err_set(e, E_BUSY, "lock \"%s\" is held by another process", name);
			return bad;
		}
		return err_sys(e, "lock \"%s\"", name);
	}
	bad = check_same(dir_fd, name, &st, e);
	if (!bad)
		*ret_fd = steal_fd(&fd);
	return bad;
}

int lock_take(int dir_fd, const char *name, int *ret_fd, struct errctx *e)
{
	int64_t end = clock_kernel_mono_ms() + MAX_LOCK_PROBED_MS;
	struct errctx why = {0};
	bool replaced = false;
	int bad;

	for (;;) {
		bad = take_once(dir_fd, name, ret_fd, &why);
		if (bad == E_CHANGED && !replaced) {
			replaced = true;
			continue;
		}
		if (bad != PROBED)
			break;
		if (clock_kernel_mono_ms() >= end) {
			bad = E_BUSY;
			break;
		}
		pause_ms(PROBE_PAUSE_MS);
	}
	if (bad && e)
		*e = why;
	return bad;
}

int lock_wait(int dir_fd, const char *name, int timeout_ms, int *ret_fd, struct errctx *e)
{
	int64_t end = clock_kernel_mono_ms() + (timeout_ms > 0 ? timeout_ms : 0);
	int pause = 1;

	for (;;) {
		struct errctx why = {0};
		int bad = take_once(dir_fd, name, ret_fd, &why);
		int64_t left = end - clock_kernel_mono_ms();

		if (bad != E_BUSY && bad != PROBED && bad != E_CHANGED) {
			if (bad && e)
				*e = why;
			return bad;
		}
		if (left <= 0)
			return err_set(e, E_TIMEOUT, "lock \"%s\" stayed taken for %d ms", name,
				       timeout_ms);
		pause_ms(left < pause ? (int)left : pause);
		pause = pause * 2 < MAX_PAUSE_MS ? pause * 2 : MAX_PAUSE_MS;
	}
}

int lock_probe(int dir_fd, const char *name, bool *ret_held, struct errctx *e)
{
	auto_fd int fd = -1;
	struct errctx why = {0};
	struct stat st;
	int bad = open_lock(dir_fd, name, O_RDONLY, &st, &fd, &why);

	if (bad == E_NOENT) {
		*ret_held = false;
		return 0;
	}
	if (bad) {
		if (e)
			*e = why;
		return bad;
	}
	if (io_retry(flock(fd, LOCK_SH | LOCK_NB)) == 0)
		*ret_held = false;
	else if (errno == EWOULDBLOCK)
		*ret_held = true;
	else
		return err_sys(e, "lock \"%s\"", name);
	return 0;
}
