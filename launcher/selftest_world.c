/* SPDX-License-Identifier: MIT */
/* Makes and removes selftest's trees. System. */
#include "base/base.h"
#include "launcher/selftest_world.h"

#include "base/rand.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

static int put_file(const char *tree, const char *name, struct errctx *e)
{
	char path[4300];

	(void)snprintf(path, sizeof(path), "%s/%s", tree, name);

	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	return fd >= 0 && write(fd, "secret\n", 7) == 7 ? 0 : err_sys(e, "%s", path);
}

static int put_dir(const char *tree, const char *name, struct errctx *e)
{
	char path[4300];

	(void)snprintf(path, sizeof(path), "%s/%s", tree, name);
	return mkdir(path, 0700) == 0 ? 0 : err_sys(e, "%s", path);
}

static int copy_self(const char *self, const char *tree, struct errctx *e)
{
	char path[4300], block[65536];
	auto_fd int in = open(self, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	(void)snprintf(path, sizeof(path), "%s/project/probe", tree);

	auto_fd int out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

	if (in < 0 || out < 0)
		return err_sys(e, "%s", path);
	while ((n = read(in, block, sizeof(block))) > 0)
		if (write(out, block, (size_t)n) != n)
			return err_sys(e, "%s", path);
	return n < 0 ? err_sys(e, "%s", path) : 0;
}

static int listen_unix(const char *path, bool abstract, int *ret_fd, struct errctx *e)
{
	struct sockaddr_un s = {.sun_family = AF_UNIX};
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t n = strlen(path);

	if (n + 2 > sizeof(s.sun_path))
		return err_set(e, E_TOOBIG, "path of a socket too long");
	memcpy(s.sun_path + abstract, path, n);

	socklen_t size =
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + (abstract ? 1 : 1));

	if (fd < 0 || bind(fd, (struct sockaddr *)&s, size) < 0 || listen(fd, 16) < 0)
		return err_sys(e, "socket %s", path);
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int listen_tcp(int *ret_fd, int *ret_port, struct errctx *e)
{
	struct sockaddr_in s = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof(s);
	auto_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&s, size) < 0 || listen(fd, 16) < 0 ||
	    getsockname(fd, (struct sockaddr *)&s, &size) < 0)
		return err_sys(e, "TCP socket");
	*ret_port = ntohs(s.sin_port);
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int make_tree(const struct world *w, const char *tree, int *ret_listener, struct errctx *e)
{
	static const char *const dirs[] = {"",
					   "home",
					   "home/.ssh",
					   "home/.config",
					   "home/.config/agentteams",
					   "home/.config/agentteams/keys",
					   "outside",
					   "project",
					   "project/.claude",
					   "project/.git",
					   "project/.git/hooks",
					   "project/m"};
	static const char *const files[] = {"home/.ssh/id",
					    "home/.config/agentteams/keys/k",
					    "home/.netrc",
					    "home/notes",
					    "outside/victim",
					    "outside/gone",
					    "project/.claude/settings.json",
					    "project/.git/config"};
	char path[4300];
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(dirs); i++)
		r = put_dir(tree, dirs[i], e);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(files); i++)
		r = put_file(tree, files[i], e);
	(void)snprintf(path, sizeof(path), "%s/outside/sock", tree);
	if (r == 0)
		r = listen_unix(path, false, ret_listener, e);
	return r == 0 ? copy_self(w->self, tree, e) : r;
}

int world_make(struct world *w, struct errctx *e)
{
	char id[ID_HEX + 1];
	ssize_t n;
	int r;

	*w = (struct world){.null_fd = -1,
			    .log_fd = -1,
			    .file_fd = -1,
			    .dir_fd = -1,
			    .listeners = {-1, -1, -1, -1}};
	n = readlink("/proc/self/exe", w->self, sizeof(w->self) - 1);
	if (n <= 0)
		return err_sys(e, "/proc/self/exe");
	(void)snprintf(w->base, sizeof(w->base), "/var/tmp/confine-selftest.XXXXXX");
	if (!mkdtemp(w->base)) {
		w->base[0] = '\0';
		return err_sys(e, "/var/tmp");
	}
	(void)snprintf(w->inside, sizeof(w->inside), "%s/in", w->base);
	(void)snprintf(w->outside, sizeof(w->outside), "%s/out", w->base);
	rand_id(id);
	(void)snprintf(w->abstract_name, sizeof(w->abstract_name), "confine-%s", id);
	/* A key that only the caller's session has; the launcher started below gets a new session.
	 */
	(void)syscall(SYS_add_key, "user", "confine-selftest", "secret", 6, -3);
	w->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	w->log_fd = getenv("CONFINE_SELFTEST_VERBOSE") ? dup(2) : dup(w->null_fd);
	r = make_tree(w, w->inside, &w->listeners[0], e);
	if (r == 0)
		r = make_tree(w, w->outside, &w->listeners[1], e);
	if (r == 0)
		r = listen_unix(w->abstract_name, true, &w->listeners[2], e);
	if (r == 0)
		r = listen_tcp(&w->listeners[3], &w->port, e);
	if (r < 0)
		return r;
	w->dir_fd = open(w->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	w->file_fd = openat(w->dir_fd, "inherited", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	return w->null_fd < 0 || w->log_fd < 0 || w->file_fd < 0 ? err_sys(e, "%s", w->base) : 0;
}

static void remove_tree(int dir_fd, const char *name)
{
	struct dirent *entry;
	DIR *d;
	int fd;

	if (unlinkat(dir_fd, name, 0) == 0 || (errno != EISDIR && errno != EPERM))
		return;
	fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	d = fd >= 0 ? fdopendir(fd) : NULL;
	while (d && (entry = readdir(d)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove_tree(dirfd(d), entry->d_name);
	if (d)
		(void)closedir(d);
	(void)unlinkat(dir_fd, name, AT_REMOVEDIR);
}

void world_remove(struct world *w)
{
	int fds[] = {w->null_fd,      w->log_fd,       w->file_fd,	w->dir_fd,
		     w->listeners[0], w->listeners[1], w->listeners[2], w->listeners[3]};

	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
	if (w->base[0])
		remove_tree(AT_FDCWD, w->base);
}
