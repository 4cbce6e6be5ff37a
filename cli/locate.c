/* SPDX-License-Identifier: MIT */
/*
 * Where the programs are. Reads the file system by descriptor; the rule about owners and modes is
 * the pure function at the top. A doubt is a refusal. Tests: tests/unit/cli/t_locate.c,
 * tests/e2e/t0001-cli.tap.
 */
#include "base/base.h"

#include "cli/locate.h"

#include "base/limits.h"
#include "cli/locate_rule.h"

#include <errno.h>
#include <fcntl.h>

int locate_check(const struct stat *own, const struct stat *it, const char *name, struct errctx *e)
{
	mode_t open_bits = it->st_mode & (S_IWGRP | S_IWOTH);

	if (it->st_uid != 0 && it->st_uid != own->st_uid)
		return err_set(e, E_OWNER,
			       "\"%s\" belongs to user %u, not to root or the owner of "
			       "agentteams",
			       name, (unsigned)it->st_uid);
	if (open_bits & S_IWOTH)
		return err_set(e, E_MODE, "\"%s\" can be written by everybody", name);
	if ((open_bits & S_IWGRP) && (!(own->st_mode & S_IWGRP) || own->st_gid != it->st_gid))
		return err_set(e, E_MODE, "\"%s\" can be written by its group", name);
	return 0;
}

/* The folder of this very program, open, and the program's own state. E_UNSUPPORTED: unknown. */
static int open_own_folder(char *path, size_t size, int *ret_fd, struct stat *ret_own,
			   struct errctx *e)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	if (n <= 0 || (size_t)n >= size - 1)
		return err_set(e, E_UNSUPPORTED, "the place of agentteams itself isn't known");
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (slash == NULL || stat("/proc/self/exe", ret_own) != 0)
		return err_set(e, E_UNSUPPORTED, "the place of agentteams itself isn't known");
	*slash = '\0';
	*ret_fd = open(slash == path ? "/" : path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return *ret_fd >= 0 ? 0 : err_sys(e, "open \"%s\"", path);
}

/* Opens folder (relative to from_fd, or absolute) and name in it, checking both. */
static int open_checked(int from_fd, const char *folder, const char *name, const struct stat *own,
			int *ret_fd, struct errctx *e)
{
	auto_fd int dir_fd = openat(from_fd, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_fd int fd = -1;
	struct stat st;
	int code;

	if (dir_fd < 0)
		return err_sys(e, "open \"%s\"", folder);
	if (fstat(dir_fd, &st) != 0)
		return err_sys(e, "stat \"%s\"", folder);
	code = locate_check(own, &st, folder, e);
	if (code != 0)
		return code;
	fd = openat(dir_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "open \"%s\"", name);
	if (fstat(fd, &st) != 0)
		return err_sys(e, "stat \"%s\"", name);
	if (S_ISLNK(st.st_mode))
		return err_set(e, E_LINK, "\"%s\" is a link", name);
	if (!S_ISREG(st.st_mode))
		return err_set(e, E_NOTREG, "\"%s\" is no regular file", name);
	code = locate_check(own, &st, name, e);
	if (code == 0)
		*ret_fd = steal_fd(&fd);
	return code;
}

/* BINDIR may lead through links, so the folders are compared, not their names. */
static bool is_installed_place(int own_fd)
{
	struct stat own, installed;

	return fstat(own_fd, &own) == 0 && stat(BINDIR, &installed) == 0 &&
	       own.st_dev == installed.st_dev && own.st_ino == installed.st_ino;
}

int locate_program(enum program p, int *ret_fd, struct errctx *e)
{
	const struct program_row *row = program_row(p);
	char own_path[MAX_PATH_BYTES + 1], beside[64];
	auto_fd int own_fd = -1;
	struct stat own = {.st_uid = 0};
	bool known = open_own_folder(own_path, sizeof(own_path), &own_fd, &own, NULL) == 0;
	const char *last = known ? strrchr(own_path, '/') : NULL;

	/* In its installed place, or in one that can't be told: only the configured folder counts.
	 */
	if (last == NULL || is_installed_place(own_fd))
		return open_checked(AT_FDCWD, LIBEXECDIR, row->name, &own, ret_fd, e);
	if (strcmp(last, "/cli") == 0) {
		(void)snprintf(beside, sizeof(beside), "../%s", row->folder);
		return open_checked(own_fd, beside, row->name, &own, ret_fd, e);
	}
	/* An installation that was moved as a whole, or staged with DESTDIR. */
	if (strcmp(last, "/bin") == 0)
		return open_checked(own_fd, "../libexec", row->name, &own, ret_fd, e);
	return err_set(e, E_NOENT, "\"%s\" is neither in %s nor beside agentteams", row->name,
		       LIBEXECDIR);
}
