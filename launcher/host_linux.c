/* SPDX-License-Identifier: MIT */
/*
 * What the host has to give: an unprivileged caller, a bubblewrap that only root can have changed,
 * stage 2 (file 10, R1, R6, 16, 17). System. Covered by tests/e2e/launcher-host.tap.
 */
#include "base/base.h"
#include "launcher/host.h"
#include "launcher/launch.h"

#include "base/custody.h"
#include "base/io.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int host_drop_capabilities(struct errctx *e)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2] = {{0}}, now[2] = {{0}};

	if (getuid() != geteuid() || getgid() != getegid())
		return err_set(e, E_DENIED,
			       "real and effective user or group differ; never started like that");
	if (syscall(SYS_capget, &h, now) < 0)
		return err_sys(e, "capabilities");
	if (now[0].effective & (1u << CAP_SETPCAP)) /* else uid 0 would get them back at exec */
		for (int cap = 0; cap <= 63; cap++)
			if (cap != CAP_SETFCAP && prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1 &&
			    prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
				return err_sys(e, "capabilities: bounding set");
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); /* fails before Linux 4.3 */
	/* Since Linux 5.12 a user namespace in which uid 0 is mapped to uid 0 can only be made with
	 * this one. Bubblewrap drops it; it never comes inside. */
	if (geteuid() == 0)
		none[0].permitted = none[0].effective = now[0].permitted & (1u << CAP_SETFCAP);
	if ((now[0].permitted | now[1].permitted) && syscall(SYS_capset, &h, none) < 0)
		return err_sys(e, "capabilities");
	return 0;
}

/* What bubblewrap may be able to do; the first N_NEEDED are required. */
static const char *const bwrap_words[] = {"--args",	"--disable-userns", "--as-pid-1",
					  "--cap-drop", "--add-seccomp-fd", "--size",
					  "--perms",	"--ro-bind-data",   "--remount-ro",
					  "--bind-fd",	"--ro-bind-fd",	    "--overlay-src"};
enum { N_NEEDED = 9, WORD_BIND_FD = 9, WORD_RO_BIND_FD, WORD_OVERLAY, N_WORDS };
_Static_assert(ARRAY_LEN(bwrap_words) == N_WORDS, "one number a word");

/* The option words a program knows stand in its string table; looking there costs microseconds
 * where running --help would cost a start, and distributions backport, so a version says little.
 * In pieces: fresh memory for the whole file would cost more than the search. *ret: bit per word.
 */
static int find_words(int fd, unsigned *ret)
{
	enum { PIECE = 8192, OVERLAP = 32, MAX_PROGRAM = 8 << 20 };
	char piece[PIECE];
	size_t have = 0;
	off_t at = 0;

	*ret = 0;
	for (;;) {
		ssize_t n = pread(fd, piece + have, sizeof(piece) - have, at);

		if (n < 0 || at > MAX_PROGRAM)
			return E_TOOBIG;
		if (n == 0)
			return 0;
		at += n;
		have += (size_t)n;
		for (unsigned i = 0; i < N_WORDS; i++) /* with the NUL that ends it */
			if (!(*ret >> i & 1) &&
			    memmem(piece, have, bwrap_words[i], strlen(bwrap_words[i]) + 1))
				*ret |= 1u << i;
		if (have > OVERLAP) {
			memmove(piece, piece + have - OVERLAP, OVERLAP);
			have = OVERLAP;
		}
	}
}

int host_inspect_bwrap(const char *path, struct host_bwrap *ret, struct errctx *e)
{
	unsigned words;
	auto_fd int fd = -1;
	struct stat st;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && errno == ENOENT)
		return err_set(e, E_NOENT,
			       "%s is not installed: \"apt install bubblewrap\", \"dnf install "
			       "bubblewrap\" or "
			       "\"apk add bubblewrap\"",
			       path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "%s", path);
	if (!S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		return err_set(e, E_NOTREG, "%s is no program", path);
	if (st.st_uid != 0 || (st.st_mode & 022))
		return err_set(e, E_OWNER, "%s: must belong to root and be writable by root alone",
			       path);
	if (st.st_mode & S_ISUID)
		return err_set(
			e, E_UNSUPPORTED,
			"%s is installed setuid, which can't switch user namespaces off inside; "
			"remove the bit (user namespaces are needed anyway)",
			path);
	if (find_words(fd, &words) < 0)
		return err_set(e, E_TOOBIG, "%s: can't be read, or is no bubblewrap", path);
	for (size_t i = 0; i < N_NEEDED; i++)
		if (!(words >> i & 1))
			return err_set(
				e, E_UNSUPPORTED,
				"%s: too old or another program: it lacks %s (bubblewrap 0.8.0 or "
				"later is needed)",
				path, bwrap_words[i]);
	ret->bind_fd = (words >> WORD_BIND_FD & 1) && (words >> WORD_RO_BIND_FD & 1);
	ret->overlay = words >> WORD_OVERLAY & 1;
	ret->fd = steal_fd(&fd);
	return 0;
}

int launch_check_host(struct launch *l, struct errctx *e)
{
	struct host_bwrap b = {.fd = -1};
	int r = host_inspect_bwrap(BWRAP_PATH, &b, e);

	if (r < 0)
		return r;
	l->bwrap.fd = b.fd;
	l->bwrap_bind_fd = b.bind_fd;
	return 0;
}

/* The operator's wrapper enters a namespace as root and drops to the user; we only verify (18.3).
 */
int launch_check_netns(struct launch *l, struct errctx *e)
{
	char path[MAX_PATH_BYTES + 1];
	const char *name = l->opt->netns;
	struct stat wanted, own;

	if (!l->opt->netns_given)
		return 0;
	if (strchr(name, '/') || name[0] == '.' || !*name)
		return err_set(e, E_USAGE, "--netns: \"%s\" is no name of a network namespace",
			       name);
	(void)snprintf(path, sizeof(path), "/run/netns/%s", name);
	if (stat(path, &wanted) < 0)
		return err_set(e, E_NOENT, "--netns: no network namespace \"%s\" (%s)", name, path);
	if (stat("/proc/self/ns/net", &own) < 0)
		return err_sys(e, "/proc/self/ns/net");
	if (wanted.st_dev != own.st_dev || wanted.st_ino != own.st_ino)
		return err_set(
			e, E_DENIED,
			"--netns: not running in \"%s\"; start with \"ip netns exec %s setpriv "
			"--reuid USER ... confine-run\"",
			name, name);
	return 0;
}

static int try_stage2(const char *path, int *ret_fd, struct errctx *e)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "%s", path);
	if (!S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		return err_set(e, E_NOTREG, "%s is no program", path);
	if ((st.st_uid != 0 && st.st_uid != geteuid()) || (st.st_mode & 022))
		return err_set(e, E_OWNER,
			       "%s: must belong to root or you and not be writable by others",
			       path);
	*ret_fd = steal_fd(&fd);
	return 0;
}

int launch_find_stage2(struct launch *l, struct errctx *e)
{
	char self[MAX_PATH_BYTES + 1], path[2 * MAX_PATH_BYTES];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;
	int r;

	if (n <= 0)
		return err_sys(e, "/proc/self/exe");
	self[n] = '\0';
	if (strcmp(self, BINDIR "/confine-run") == 0)
		return try_stage2(LIBEXECDIR "/confine-init", &l->stage2_fd, e);
	slash = strrchr(self, '/');
	*slash = '\0';
	(void)snprintf(path, sizeof(path), "%s/confine-init", self);
	r = try_stage2(path, &l->stage2_fd, e);
	if (r == E_NOENT) { /* an installation that was moved as a whole */
		(void)snprintf(path, sizeof(path), "%s/../libexec/confine-init", self);
		r = try_stage2(path, &l->stage2_fd, e);
	}
	return r;
}
