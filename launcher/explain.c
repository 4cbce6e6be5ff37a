/* SPDX-License-Identifier: MIT */
/*
 * --explain (field reports L07, L41): a third filter inside reports the calls that name a file, a
 * program or an address, and lets them go on; what the call names is held against the plan of this
 * run. So a refusal is only ever called one with the rule that makes it. The watcher decides
 * nothing: should it be tricked about a name, an explanation is wrong and the boundary as it is.
 * System. Covered by tests/e2e/launcher-explain.tap.
 */
#include "base/base.h"
#include "launcher/explain.h"

#include "launcher/run_internal.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/pathstr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

enum { MAX_DENIALS = 64 };

enum act { ACT_READ = 1, ACT_WRITE, ACT_OPEN, ACT_OPEN2, ACT_EXEC, ACT_CONNECT };

/* Which argument is the path, which the folder's descriptor (-1: the working folder). */
struct watched {
	int nr;
	enum act act;
	int dir, path, flags;
};
static const struct watched calls[] = {
#ifdef SYS_open
	{SYS_open, ACT_OPEN, -1, 0, 1},	     {SYS_creat, ACT_WRITE, -1, 0, 0},
	{SYS_mkdir, ACT_WRITE, -1, 0, 0},    {SYS_rmdir, ACT_WRITE, -1, 0, 0},
	{SYS_unlink, ACT_WRITE, -1, 0, 0},   {SYS_rename, ACT_WRITE, -1, 1, 0},
	{SYS_link, ACT_WRITE, -1, 1, 0},     {SYS_symlink, ACT_WRITE, -1, 1, 0},
	{SYS_chmod, ACT_WRITE, -1, 0, 0},    {SYS_chown, ACT_WRITE, -1, 0, 0},
	{SYS_mknod, ACT_WRITE, -1, 0, 0},
#endif
	{SYS_openat, ACT_OPEN, 0, 1, 2},     {SYS_openat2, ACT_OPEN2, 0, 1, 2},
	{SYS_mkdirat, ACT_WRITE, 0, 1, 0},   {SYS_unlinkat, ACT_WRITE, 0, 1, 0},
#ifdef SYS_renameat
	{SYS_renameat, ACT_WRITE, 2, 3, 0},
#endif
	{SYS_renameat2, ACT_WRITE, 2, 3, 0}, {SYS_linkat, ACT_WRITE, 2, 3, 0},
	{SYS_symlinkat, ACT_WRITE, 1, 2, 0}, {SYS_fchmodat, ACT_WRITE, 0, 1, 0},
	{SYS_fchownat, ACT_WRITE, 0, 1, 0},  {SYS_mknodat, ACT_WRITE, 0, 1, 0},
	{SYS_truncate, ACT_WRITE, -1, 0, 0}, {SYS_execve, ACT_EXEC, -1, 0, 0},
	{SYS_execveat, ACT_EXEC, 0, 1, 0},   {SYS_connect, ACT_CONNECT, 0, 1, 2},
};

static const struct watched *find(int nr)
{
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		if (calls[i].nr == nr)
			return &calls[i];
	return NULL;
}

size_t explain_calls(int *out, size_t max)
{
	for (size_t i = 0; i < ARRAY_LEN(calls) && i < max; i++)
		out[i] = calls[i].nr;
	return ARRAY_LEN(calls) < max ? ARRAY_LEN(calls) : max;
}

/* Reads up to size bytes of the caller's memory; what can't be read is left out of the explanation.
 */
static ssize_t peek(pid_t pid, uint64_t at, void *out, size_t size)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "/proc/%d/mem", (int)pid);

	auto_fd int fd = open(name, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -1 : pread(fd, out, size, (off_t)at);
}

static bool peek_text(pid_t pid, uint64_t at, char *out, size_t size)
{
	/* In pieces up to the next page, since the one after may not be mapped. */
	size_t n = 0;

	while (n + 1 < size) {
		size_t step = 4096 - (size_t)((at + n) % 4096);
		ssize_t got = peek(pid, at + n, out + n, step < size - 1 - n ? step : size - 1 - n);

		if (got <= 0)
			return false;
		if (memchr(out + n, '\0', (size_t)got))
			return true;
		n += (size_t)got;
	}
	return false;
}

/* Absolute and folded; ".." is taken away lexically, which is good enough for an explanation. */
static bool absolute(const struct seccomp_notif *n, const struct watched *w, const char *path,
		     char *out, size_t size)
{
	char base[64], joined[2 * MAX_PATH_BYTES + 2], dir[MAX_PATH_BYTES + 1];
	struct view rest, part;
	size_t at = 0;

	if (path[0] == '/') {
		(void)snprintf(joined, sizeof(joined), "%s", path);
	} else {
		int fd = w->dir < 0 ? AT_FDCWD : (int)n->data.args[w->dir];
		ssize_t len;

		if (fd == AT_FDCWD)
			(void)snprintf(base, sizeof(base), "/proc/%d/cwd", (int)n->pid);
		else
			(void)snprintf(base, sizeof(base), "/proc/%d/fd/%d", (int)n->pid, fd);
		len = readlink(base, dir, sizeof(dir) - 1);
		if (len <= 0)
			return false;
		dir[len] = '\0';
		(void)snprintf(joined, sizeof(joined), "%s/%s", dir, path);
	}
	rest = view_of(joined);
	while (pathstr_next(&rest, &part)) {
		if (view_is(part, "."))
			continue;
		if (view_is(part, "..")) {
			while (at > 0 && out[--at] != '/')
				continue;
			continue;
		}
		if (at + part.len + 2 > size)
			return false;
		out[at++] = '/';
		memcpy(out + at, part.ptr, part.len);
		at += part.len;
	}
	if (at == 0)
		out[at++] = '/';
	out[at] = '\0';
	return true;
}

static const char *rule_of(const struct launch *l, const char *path, enum role role)
{
	const struct object *best = NULL;

	for (size_t i = 0; i < l->objects.n; i++) {
		const struct object *o = &l->objects.v[i];

		if (o->role == role && pathstr_beneath(view_of(path), view_of(o->path)) &&
		    (!best || strlen(o->path) > strlen(best->path)))
			best = o;
	}
	return best ? best->rule : NULL;
}

/* Does the host have it? Then its absence inside is the boundary's doing. */
static bool on_host(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* The private folder itself is there; only what the host has in it isn't. */
static bool is_mounted(const struct plan *p, const char *path)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->v[i].dest, path) == 0)
			return true;
	return false;
}

static void judge_path(struct run *r, const char *path, bool writes)
{
	const struct launch *l = r->l;
	enum plan_view view = plan_look(&l->plan, l->plan.n, path);
	const char *rule;

	if (view == VIEW_MASKED) {
		rule = rule_of(l, path, ROLE_MASK);
		run_add_denial(r, "mask", writes ? "write" : "read", path, rule ? rule : "hidden");
	} else if (view == VIEW_HOST_RO && writes) {
		rule = rule_of(l, path, ROLE_PROTECT);
		run_add_denial(r, rule ? "read-only mount" : "read-only root, Landlock", "write",
			       path, rule ? rule : "outside every writable folder");
	} else if (view == VIEW_PRIVATE && !writes && on_host(path) &&
		   !is_mounted(&l->plan, path) && strncmp(path, "/proc", 5) != 0 &&
		   strncmp(path, "/dev", 4) != 0) {
		run_add_denial(r, "private folder", "read", path,
			       l->home && pathstr_beneath(view_of(path), view_of(l->home))
				       ? "--home private"
				       : "/tmp and /run are the sandbox's own");
	}
}

static void judge_exec(struct run *r, const char *path)
{
	const struct options *o = r->l->opt;

	judge_path(r, path, false);
	if (o->exec_allow.n == 0)
		return;
	for (size_t i = 0; i < o->exec_allow.n; i++) {
		struct object allowed = {.fd = -1};
		struct errctx ignored = {0};
		bool in = object_open(o->exec_allow.v[i], false, &allowed, &ignored) == 0 &&
			  pathstr_beneath(view_of(path), view_of(allowed.path));

		object_release(&allowed);
		if (in)
			return;
	}
	if (on_host(path))
		run_add_denial(r, "Landlock", "execute", path, "--exec-allow");
}

/* The caller is still the one that asked: a number of a process may have gone to another. */
static bool still_waits(const struct run *r, const struct seccomp_notif *n)
{
	uint64_t id = n->id;

	return ioctl(r->observer_fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

static void judge_connect(struct run *r, const struct seccomp_notif *n)
{
	union {
		struct sockaddr any;
		struct sockaddr_un un;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		char space[256];
	} a = {0};
	size_t size = (size_t)n->data.args[2];
	char text[300], host[INET6_ADDRSTRLEN] = "";

	if (size > sizeof(a.space) - 1 ||
	    peek((pid_t)n->pid, n->data.args[1], a.space, size) <= 0 || !still_waits(r, n))
		return;
	if (a.any.sa_family == AF_UNIX && a.un.sun_path[0] == '/') {
		enum plan_view view = plan_look(&r->l->plan, r->l->plan.n, a.un.sun_path);

		if (r->l->opt->sockets != SOCKETS_HOST && view != VIEW_HOST_RW &&
		    on_host(a.un.sun_path))
			run_add_denial(r, "sockets", "connect", a.un.sun_path,
				       r->l->opt->sockets == SOCKETS_NONE
					       ? "--unix-sockets none"
					       : "--unix-sockets private");
		return;
	}
	if (r->l->opt->egress == EGRESS_HOST || r->l->opt->netns_given)
		return;
	if (a.any.sa_family == AF_INET && (ntohl(a.in.sin_addr.s_addr) >> 24) != 127) {
		(void)inet_ntop(AF_INET, &a.in.sin_addr, host, sizeof(host));
		(void)snprintf(text, sizeof(text), "%s:%u", host, ntohs(a.in.sin_port));
		run_add_denial(r, "network namespace", "connect", text, "--egress");
	} else if (a.any.sa_family == AF_INET6 && !IN6_IS_ADDR_LOOPBACK(&a.in6.sin6_addr)) {
		(void)inet_ntop(AF_INET6, &a.in6.sin6_addr, host, sizeof(host));
		(void)snprintf(text, sizeof(text), "[%s]:%u", host, ntohs(a.in6.sin6_port));
		run_add_denial(r, "network namespace", "connect", text, "--egress");
	}
}

static void judge(struct run *r, const struct seccomp_notif *n)
{
	const struct watched *w = find(n->data.nr);
	char path[MAX_PATH_BYTES + 1], full[MAX_PATH_BYTES + 1];
	uint64_t flags = 0;

	if (!w || r->denials.n >= MAX_DENIALS)
		return;
	if (w->act == ACT_CONNECT) {
		judge_connect(r, n);
		return;
	}
	if (!peek_text((pid_t)n->pid, n->data.args[w->path], path, sizeof(path)) || !path[0] ||
	    !absolute(n, w, path, full, sizeof(full)) || !still_waits(r, n))
		return;
	if (w->act == ACT_OPEN)
		flags = n->data.args[w->flags];
	else if (w->act == ACT_OPEN2 &&
		 peek((pid_t)n->pid, n->data.args[w->flags], &flags, sizeof(flags)) < 8)
		return;
	if (w->act == ACT_EXEC)
		judge_exec(r, full);
	else
		judge_path(r, full,
			   w->act == ACT_WRITE || (flags & O_ACCMODE) != O_RDONLY ||
				   (flags & O_CREAT));
}

void explain_serve(struct run *r)
{
	union {
		struct seccomp_notif n;
		char space[512];
	} in = {0};
	struct seccomp_notif_resp out = {0};

	if (ioctl(r->observer_fd, SECCOMP_IOCTL_NOTIF_RECV, &in.n) < 0) {
		if (errno != ENOENT && errno != EINTR) { /* ENOENT: the caller died meanwhile */
			(void)close(r->observer_fd);
			r->observer_fd = -1;
		}
		return;
	}
	judge(r, &in.n);
	out.id = in.n.id;
	out.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	(void)ioctl(r->observer_fd, SECCOMP_IOCTL_NOTIF_SEND, &out); /* gone: nobody waits */
}

void explain_run(struct run *r)
{
	if (r->denials.n == 0)
		log_info("explain: no refusal was seen; calls that the system call filter refuses "
			 "aren't "
			 "reported by the kernel");
	for (size_t i = 0; i < r->refusals.n; i++)
		log_info("explain: refused: %s", r->refusals.v[i]);
	if (r->denials.n >= MAX_DENIALS)
		log_info("explain: only the first %d are listed", MAX_DENIALS);
}
