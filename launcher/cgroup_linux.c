/* SPDX-License-Identifier: MIT */
/*
 * cgroup v2 by files. Our own group may not hold processes and hand out controllers at once, so the
 * new group is made beside us, in the parent that was delegated to the user (a service manager's
 * "user@.service", or a scope with Delegate=yes). System. Covered by tests/e2e/launcher-limits.tap.
 */
#include "base/base.h"
#include "launcher/cgroup.h"

#include "base/limits.h"
#include "base/rand.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += n)
		if ((at == text || at[-1] == ' ') &&
		    (at[n] == ' ' || at[n] == '\n' || at[n] == '\0'))
			return true;
	return false;
}

static int read_at(int dir_fd, const char *name, char *buf, size_t size)
{
	auto_fd int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, buf, size - 1) : -1;

	buf[n > 0 ? n : 0] = '\0';
	return n >= 0 ? 0 : E_SYS;
}

static int write_at(int dir_fd, const char *name, const char *text)
{
	auto_fd int fd = openat(dir_fd, name, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : E_SYS;
}

/* Where the unified hierarchy is mounted. */
static int open_hierarchy(void)
{
	static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		auto_fd int fd = open(places[i], O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (fd >= 0 && faccessat(fd, "cgroup.controllers", R_OK, 0) == 0)
			return steal_fd(&fd);
	}
	return -1;
}

/* Parent of our own group, relative to the hierarchy. */
static bool own_parent(char *out, size_t size)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[MAX_PATH_BYTES + 8];
	bool found = false;

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "0::/", 4) == 0) {
			char *slash;

			line[strcspn(line, "\n")] = '\0';
			slash = strrchr(line + 3, '/');
			*slash = '\0';
			found = (size_t)snprintf(out, size, ".%s", line + 3) < size;
		}
	if (f)
		(void)fclose(f);
	return found;
}

static int open_parent(const char *needed[2], const char **ret_blocked)
{
	char path[MAX_PATH_BYTES + 8], controllers[512], given[512];
	auto_fd int top = open_hierarchy();
	auto_fd int parent = -1;

	if (top < 0) {
		*ret_blocked = "the unified cgroup hierarchy (v2) isn't mounted";
		return -1;
	}
	if (!own_parent(path, sizeof(path))) {
		*ret_blocked = "this process is in no cgroup of the unified hierarchy";
		return -1;
	}
	parent = openat(top, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (parent < 0 || faccessat(parent, "cgroup.procs", W_OK, AT_EACCESS) < 0) {
		*ret_blocked = "no cgroup is delegated to this user: start with \"systemd-run "
			       "--user --scope -p "
			       "Delegate=yes confine-run ...\"";
		return -1;
	}
	if (read_at(parent, "cgroup.controllers", controllers, sizeof(controllers)) < 0 ||
	    read_at(parent, "cgroup.subtree_control", given, sizeof(given)) < 0) {
		*ret_blocked = "the cgroup's controllers can't be read";
		return -1;
	}
	for (int i = 0; i < 2; i++) {
		char enable[32];

		if (!needed[i])
			continue;
		if (!has_word(controllers, needed[i])) {
			*ret_blocked = "the memory or pids controller isn't available in this "
				       "cgroup (bound to "
				       "cgroup v1, or not delegated)";
			return -1;
		}
		(void)snprintf(enable, sizeof(enable), "+%s", needed[i]);
		if (!has_word(given, needed[i]) &&
		    write_at(parent, "cgroup.subtree_control", enable) < 0) {
			*ret_blocked = "controllers can't be handed to a new cgroup (the delegated "
				       "group holds "
				       "processes itself)";
			return -1;
		}
	}
	return steal_fd(&parent);
}

const char *cgroup_blocked_by(void)
{
	const char *blocked = NULL, *needed[2] = {"memory", "pids"};
	auto_fd int parent = open_parent(needed, &blocked);

	return parent >= 0 ? NULL : blocked;
}

int cgroup_make(uint64_t memory_bytes, uint64_t pids, int *ret_fd, struct errctx *e)
{
	const char *blocked = NULL;
	const char *needed[2] = {memory_bytes ? "memory" : NULL, pids ? "pids" : NULL};
	auto_fd int parent = open_parent(needed, &blocked);
	auto_fd int fd = -1;
	char id[ID_HEX + 1], name[64], value[32];
	bool ok = true;

	if (parent < 0)
		return err_set(e, E_UNSUPPORTED,
			       "--mem-max, --pids-max: can't be enforced here: %s", blocked);
	rand_id(id);
	(void)snprintf(name, sizeof(name), "confine-run-%s", id);
	if (mkdirat(parent, name, 0755) < 0)
		return err_sys(e, "cgroup");
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "cgroup");
	if (memory_bytes) {
		(void)snprintf(value, sizeof(value), "%llu", (unsigned long long)memory_bytes);
		ok = write_at(fd, "memory.max", value) == 0 &&
		     write_at(fd, "memory.oom.group", "1") == 0;
		(void)write_at(fd, "memory.swap.max", "0"); /* absent without swap accounting */
	}
	if (ok && pids) {
		(void)snprintf(value, sizeof(value), "%llu", (unsigned long long)pids);
		ok = write_at(fd, "pids.max", value) == 0;
	}
	if (!ok) {
		int r = err_sys(e, "cgroup: limits");

		(void)unlinkat(parent, name, AT_REMOVEDIR);
		return r;
	}
	*ret_fd = steal_fd(&fd);
	return 0;
}

/* "Pid:" of a pid descriptor, as seen from here. */
static pid_t pid_of(int pid_fd)
{
	char path[64], text[512];
	const char *line;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pid_fd);
	if (read_at(AT_FDCWD, path, text, sizeof(text)) < 0 || !(line = strstr(text, "\nPid:")))
		return -1;
	return (pid_t)strtol(line + 5, NULL, 10);
}

int cgroup_enter(int fd, pid_t bwrap, int init_pid_fd, struct errctx *e)
{
	pid_t pids[2] = {bwrap, pid_of(init_pid_fd)};

	for (int i = 0; i < 2; i++) {
		char text[32];

		(void)snprintf(text, sizeof(text), "%d", (int)pids[i]);
		if (pids[i] <= 0 || write_at(fd, "cgroup.procs", text) < 0)
			return err_sys(e, "cgroup: enter");
	}
	return 0;
}

void cgroup_remove(int fd)
{
	char path[64], name[MAX_PATH_BYTES + 1];
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, name, sizeof(name) - 1);
	(void)close(fd);
	if (n <= 0)
		return;
	name[n] = '\0';
	/* Emptied by the kernel a moment after the last process is gone. */
	for (int tries = 0; tries < 50 && rmdir(name) < 0 && errno == EBUSY; tries++)
		(void)usleep(2000);
}
