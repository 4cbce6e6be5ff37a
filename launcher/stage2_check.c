/* SPDX-License-Identifier: MIT */
/*
 * Proof of the boundary from inside (file 10, 18.14). Every line of the plan is looked at again
 * after the mounts were made, so a path that somebody swapped between the launcher's check and
 * bubblewrap's mount ends here and not in the command. System.
 */
#include "base/base.h"
#include "launcher/stage2.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#ifndef AF_VSOCK
#define AF_VSOCK 40
#endif

/* Small files of /proc; the rest of a longer one is of no interest. */
static int read_small(const char *path, char *buf, size_t size, struct errctx *e)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t at = 0;

	if (fd < 0)
		return err_sys(e, "%s", path);
	while (at + 1 < size) {
		ssize_t n = read(fd, buf + at, size - 1 - at);

		if (n < 0)
			return err_sys(e, "%s", path);
		if (n == 0)
			break;
		at += (size_t)n;
	}
	buf[at] = '\0';
	return 0;
}

/* Hexadecimal or decimal value after "Name:\t"; ~0 when the line is missing. */
static unsigned long long field(const char *text, const char *name, int base)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, base) : ~0ull;
}

static int check_privileges(const char *status, struct errctx *e)
{
	static const char *const sets[] = {
		"\nCapInh:", "\nCapPrm:", "\nCapEff:", "\nCapBnd:", "\nCapAmb:"};

	if (field(status, "\nNoNewPrivs:", 10) != 1)
		return err_set(e, E_DENIED, "privileges: no_new_privs isn't set");
	for (size_t i = 0; i < ARRAY_LEN(sets); i++)
		if (field(status, sets[i], 16) != 0)
			return err_set(e, E_DENIED, "privileges: capabilities are left (%s)",
				       sets[i] + 1);
	return 0;
}

static int expect_errno(long result, int got, int wanted, const char *what, struct errctx *e)
{
	if (result >= 0)
		return err_set(e, E_DENIED, "seccomp: %s is allowed", what);
	if (got != wanted)
		return err_set(e, E_DENIED, "seccomp: %s fails with error %d instead of %d", what,
			       got, wanted);
	return 0;
}

static int check_seccomp(const struct plan_head *h, const char *status, struct errctx *e)
{
	unsigned long long filters = field(status, "\nSeccomp_filters:", 10);
	long r;

	if (h->seccomp_filters == 0)
		return 0;
	if (field(status, "\nSeccomp:", 10) != 2)
		return err_set(e, E_DENIED, "seccomp: no filter is loaded");
	if (filters != ~0ull && filters < h->seccomp_filters) /* line since Linux 5.9 */
		return err_set(e, E_DENIED, "seccomp: %llu filters instead of %u", filters,
			       h->seccomp_filters);
	errno = 0;
	r = syscall(SYS_keyctl, 0, -3, 0, 0, 0);
	if (expect_errno(r, errno, EPERM, "keyctl", e) < 0)
		return E_DENIED;
	errno = 0;
	r = unshare(CLONE_NEWUSER);
	if (expect_errno(r, errno, EPERM, "a user namespace", e) < 0)
		return E_DENIED;
	errno = 0;
	r = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return expect_errno(r, errno, EAFNOSUPPORT, "AF_VSOCK", e);
}

static int check_namespaces(const struct plan_head *h, struct errctx *e)
{
	for (size_t i = 0; i < ARRAY_LEN(plan_namespaces); i++) {
		char path[64];
		struct stat st;

		if (h->host_ns[i] == 0)
			continue;
		(void)snprintf(path, sizeof(path), "/proc/self/ns/%s", plan_namespaces[i]);
		if (stat(path, &st) < 0)
			return err_sys(e, "namespaces: %s", path);
		if (st.st_ino == h->host_ns[i])
			return err_set(e, E_DENIED, "namespaces: %s is the host's",
				       plan_namespaces[i]);
	}
	return 0;
}

int stage2_check_process(const struct plan_head *h, struct errctx *e)
{
	char status[8192];
	int death = 0, r;

	if (getpid() != 1)
		return err_set(e, E_DENIED, "process: not pid 1 of its own pid namespace");
	if (prctl(PR_GET_PDEATHSIG, &death, 0, 0, 0) < 0 || death != SIGKILL)
		return err_set(e, E_DENIED, "process: no parent-death signal");
	r = read_small("/proc/self/status", status, sizeof(status), e);
	if (r == 0)
		r = check_privileges(status, e);
	if (r == 0)
		r = check_seccomp(h, status, e);
	if (r == 0)
		r = check_namespaces(h, e);
	return r;
}

static int check_interface(const char *name, size_t len, struct errctx *e)
{
	auto_fd int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq q = {0};

	if (len >= sizeof(q.ifr_name))
		return err_set(e, E_DENIED, "network: odd interface name");
	memcpy(q.ifr_name, name, len);
	if (strcmp(q.ifr_name, "lo") == 0)
		return 0;
	/* Tunnel devices that the kernel makes in every namespace exist but are down. */
	if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &q) < 0 || (q.ifr_flags & IFF_UP))
		return err_set(e, E_DENIED, "network: interface %.*s is there", (int)len, name);
	return 0;
}

int stage2_check_network(const struct plan_head *h, struct errctx *e)
{
	char text[8192];

	if (!h->private_net)
		return 0;
	if (read_small("/proc/self/net/dev", text, sizeof(text), e) < 0)
		return E_SYS;
	for (char *line = text; line; line = strchr(line, '\n')) {
		char *colon;

		line += *line == '\n';
		while (*line == ' ')
			line++;
		colon = strpbrk(line, ":\n");
		if (!colon || *colon != ':' || memchr(line, '|', (size_t)(colon - line)))
			continue;

		int r = check_interface(line, (size_t)(colon - line), e);

		if (r < 0)
			return r;
	}
	return 0;
}

/* A mount point has another mount id than its parent folder; a root of a file system has itself. */
static int is_mount_point(int fd, bool *ret)
{
	struct statx x;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &x) < 0)
		return E_SYS;
	if (!(x.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT))
		return E_UNSUPPORTED; /* before Linux 5.8 */
	*ret = (x.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
	return 0;
}

static int check_mask(const struct record *r, struct errctx *e)
{
	struct stat st;

	if (stat(r->text, &st) < 0)
		return errno == EACCES || errno == ENOENT ? 0
							  : err_sys(e, "objects: mask %s", r->text);
	if (r->b == (uint64_t)st.st_dev && r->c == (uint64_t)st.st_ino)
		return err_set(e, E_DENIED, "objects: %s isn't hidden", r->text);
	if (r->a == CHECK_MASK_FILE && st.st_size != 0)
		return err_set(e, E_DENIED, "objects: mask on %s isn't empty", r->text);
	if (r->a == CHECK_MASK_DIR) {
		DIR *d = opendir(r->text);
		struct dirent *entry;
		int n = 0;

		if (!d)
			return errno == EACCES ? 0 : err_sys(e, "objects: mask %s", r->text);
		while ((errno = 0, entry = readdir(d)))
			n++;
		if (errno != 0) {
			int r_list = err_sys(e, "objects: mask %s", r->text);

			(void)closedir(d);
			return r_list;
		}
		(void)closedir(d);
		if (n > 2)
			return err_set(e, E_DENIED, "objects: mask on %s isn't empty", r->text);
	}
	return 0;
}

static int check_hidden(const struct record *r, struct errctx *e)
{
	struct stat st;

	if (stat(r->text, &st) == 0 && r->b == (uint64_t)st.st_dev && r->c == (uint64_t)st.st_ino)
		return err_set(e, E_DENIED, "objects: %s isn't hidden", r->text);
	return 0;
}

static int check_object(const struct record *r, struct errctx *e)
{
	auto_fd int fd = open(r->text, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	struct statvfs vfs;
	bool mounted = true;

	if (fd < 0 || fstat(fd, &st) < 0 || fstatvfs(fd, &vfs) < 0)
		return err_sys(e, "objects: %s", r->text);
	if ((uint64_t)st.st_dev != r->b || (uint64_t)st.st_ino != r->c)
		return err_set(e, E_CHANGED,
			       "objects: %s was replaced while the boundary was built", r->text);
	if (r->d && is_mount_point(fd, &mounted) == 0 && !mounted)
		return err_set(e, E_DENIED, "objects: %s is no mount point", r->text);
	if (r->a == CHECK_PROTECT && !(vfs.f_flag & ST_RDONLY))
		return err_set(e, E_DENIED, "objects: %s is writable", r->text);
	if (r->a == CHECK_ROOT && (vfs.f_flag & ST_RDONLY))
		return err_set(e, E_DENIED, "objects: %s is on a read-only file system", r->text);
	return 0;
}

/* One real attempt beside the flags: open a protected file for writing, change nothing. */
static int probe_protected(const char *path, struct errctx *e)
{
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;

	auto_fd int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		return err_set(e, E_DENIED, "objects: %s can be opened for writing", path);
	return 0;
}

int stage2_check_objects(struct plan_file *plan, struct errctx *e)
{
	struct statvfs vfs;
	struct record r;
	bool probed = false;
	int result = 0;

	plan_file_rewind(plan);
	while (result == 0 && plan_file_next(plan, &r)) {
		if (r.type != REC_CHECK)
			continue;
		if (r.a == CHECK_MASK_DIR || r.a == CHECK_MASK_FILE)
			result = check_mask(&r, e);
		else if (r.a == CHECK_HIDDEN)
			result = check_hidden(&r, e);
		else
			result = check_object(&r, e);
		if (result == 0 && r.a == CHECK_PROTECT && !probed) {
			result = probe_protected(r.text, e);
			probed = true;
		}
	}
	if (result < 0)
		return result;
	if (statvfs("/", &vfs) < 0)
		return err_sys(e, "root: /");
	if (!(vfs.f_flag & ST_RDONLY))
		return err_set(e, E_DENIED, "root: / is writable");
	return 0;
}
