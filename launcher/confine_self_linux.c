/* SPDX-License-Identifier: MIT */
/*
 * Self-confinement on Linux: process flags and Landlock (the system call filter is in
 * confine_filter_linux.c). Effects: on the calling process, for good. Tested live by
 * tests/escape/x0800-server-confined.tap.
 */
#include "base/base.h"

#include "launcher/confine.h"

#include <errno.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* Rights and attributes that the kernel has learnt since this system's headers were made
 * (landlock(7)). */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14) /* ABI 3 */
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15) /* ABI 5 */
#endif
#define ACCESS_NET_ALL	   (3ULL) /* ABI 4: TCP bind and connect */
#define ACCESS_NET_CONNECT (2ULL)
#define SCOPE_ALL	   (3ULL) /* ABI 6: abstract sockets, signals */

struct ruleset_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
	uint64_t scoped;
};

int confine_landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return abi > 0 ? (int)abi : 0;
}

/* Everything that a kernel of this ABI can refuse. */
static struct ruleset_attr handled_by(int abi, size_t *ret_size)
{
	struct ruleset_attr attr = {.handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1};

	*ret_size = sizeof(attr.handled_access_fs);
	if (abi >= 2)
		attr.handled_access_fs |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		attr.handled_access_fs |= LANDLOCK_ACCESS_FS_TRUNCATE;
	if (abi >= 4) {
		attr.handled_access_net = ACCESS_NET_ALL;
		*ret_size = offsetof(struct ruleset_attr, scoped);
	}
	if (abi >= 5)
		attr.handled_access_fs |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
	if (abi >= 6) {
		attr.scoped = SCOPE_ALL;
		*ret_size = sizeof(attr);
	}
	return attr;
}

static uint64_t rights_of(unsigned access)
{
	uint64_t rights = 0;

	if (access & CONFINE_READ)
		rights |= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
	if (access & CONFINE_CREATE)
		rights |= LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_WRITE_FILE |
			  LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE;
	if (access & CONFINE_FOLDERS)
		rights |= LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR |
			  LANDLOCK_ACCESS_FS_REFER;
	return rights;
}

int confine_files(const struct confine_path *paths, size_t n, int *ret_abi, struct errctx *e)
{
	int abi = confine_landlock_abi();
	auto_fd int ruleset_fd = -1;
	struct ruleset_attr attr;
	size_t size;

	if (abi == 0)
		return err_set(e, E_UNSUPPORTED, "this kernel has no Landlock");
	attr = handled_by(abi, &size);
	for (size_t i = 0; i < n; i++)
		if (paths[i].access & CONFINE_CONNECT)
			attr.handled_access_net &= ~ACCESS_NET_CONNECT;
	ruleset_fd = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
	if (ruleset_fd < 0)
		return err_sys(e, "Landlock ruleset");
	for (size_t i = 0; i < n; i++) {
		struct landlock_path_beneath_attr rule = {
			.allowed_access = rights_of(paths[i].access) & attr.handled_access_fs,
			.parent_fd = paths[i].fd,
		};

		if (paths[i].access & CONFINE_CONNECT)
			continue;
		if (syscall(SYS_landlock_add_rule, ruleset_fd, LANDLOCK_RULE_PATH_BENEATH, &rule,
			    0) < 0)
			return err_sys(e, "Landlock rule");
	}
	if (syscall(SYS_landlock_restrict_self, ruleset_fd, 0) < 0)
		return err_sys(e, "Landlock");
	*ret_abi = abi;
	return 0;
}

int confine_process(unsigned max_fds, struct errctx *e)
{
	const struct rlimit none = {0, 0};
	const struct rlimit fds = {max_fds, max_fds};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, "no_new_privs");
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_sys(e, "non-dumpable");
	if (setrlimit(RLIMIT_CORE, &none) < 0 || setrlimit(RLIMIT_NOFILE, &fds) < 0)
		return err_sys(e, "resource limits");
	return 0;
}
