/* SPDX-License-Identifier: MIT */
/*
 * Landlock rulesets. Rights newer than the build machine's header are defined here, since the
 * kernel that runs the program decides. System. Covered by tests/e2e/launcher-limits.tap.
 */
#include "base/base.h"
#include "launcher/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule	     445
#define __NR_landlock_restrict_self  446
#endif

#define RIGHT_EXECUTE	 (1ULL << 0)
#define RIGHT_WRITE_FILE (1ULL << 1)
/* remove dir, remove file, make char, dir, reg, sock, fifo, block, sym */
#define RIGHTS_NODES	(((1ULL << 13) - 1) & ~((1ULL << 4) - 1))
#define RIGHT_REFER	(1ULL << 13) /* ABI 2 */
#define RIGHT_TRUNCATE	(1ULL << 14) /* ABI 3 */
#define RIGHT_IOCTL_DEV (1ULL << 15) /* ABI 5 */
#define SCOPE_ABSTRACT	(1ULL << 0)  /* ABI 6 */
#define SCOPE_SIGNAL	(1ULL << 1)

/* The kernel's structure as of ABI 6; older kernels take a prefix. */
struct ruleset_attr {
	uint64_t fs, net, scoped;
};

int landlock_abi(void)
{
	long abi = syscall(__NR_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return abi > 0 ? (int)abi : 0;
}

static uint64_t write_rights(int abi)
{
	uint64_t r = RIGHT_WRITE_FILE | RIGHTS_NODES;

	if (abi >= 2)
		r |= RIGHT_REFER;
	if (abi >= 3)
		r |= RIGHT_TRUNCATE;
	if (abi >= 5)
		r |= RIGHT_IOCTL_DEV;
	return r;
}

/* What a rule on something that is no folder may name. */
static uint64_t file_rights(int abi)
{
	return write_rights(abi) & (RIGHT_WRITE_FILE | RIGHT_TRUNCATE | RIGHT_IOCTL_DEV);
}

int landlock_begin(int abi, bool exec_list, int *ret_fd, struct errctx *e)
{
	struct ruleset_attr a = {.fs = write_rights(abi) | (exec_list ? RIGHT_EXECUTE : 0)};
	long fd;

	if (abi < 1)
		return err_set(e, E_UNSUPPORTED, "the kernel has no Landlock");
	fd = syscall(__NR_landlock_create_ruleset, &a, sizeof(a.fs), 0);
	if (fd < 0)
		return err_sys(e, "Landlock: ruleset");
	*ret_fd = (int)fd;
	return 0;
}

int landlock_allow(int ruleset_fd, int abi, const char *path, enum landlock_use use,
		   struct errctx *e)
{
	auto_fd int fd = open(path, O_PATH | O_CLOEXEC);
	struct landlock_path_beneath_attr a = {0};
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "Landlock: %s", path);
	switch (use) {
	case LANDLOCK_WRITE:
		a.allowed_access = S_ISDIR(st.st_mode) ? write_rights(abi) : file_rights(abi);
		break;
	case LANDLOCK_DEVICE:
		a.allowed_access = file_rights(abi);
		break;
	case LANDLOCK_EXECUTE:
		a.allowed_access = RIGHT_EXECUTE;
		break;
	}
	a.parent_fd = fd;
	if (syscall(__NR_landlock_add_rule, ruleset_fd, LANDLOCK_RULE_PATH_BENEATH, &a, 0) < 0)
		return err_sys(e, "Landlock: rule for %s", path);
	return 0;
}

int landlock_apply(int ruleset_fd, struct errctx *e)
{
	if (syscall(__NR_landlock_restrict_self, ruleset_fd, 0) < 0)
		return err_sys(e, "Landlock: restrict");
	return 0;
}

int landlock_scope(int abi, struct errctx *e)
{
	struct ruleset_attr a = {.scoped = SCOPE_ABSTRACT | SCOPE_SIGNAL};

	if (abi < 6)
		return 0;

	auto_fd int fd = (int)syscall(__NR_landlock_create_ruleset, &a, sizeof(a), 0);

	if (fd < 0)
		return err_sys(e, "Landlock: scope ruleset");
	return landlock_apply(fd, e);
}
