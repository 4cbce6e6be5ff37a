/* SPDX-License-Identifier: MIT */
/* Messages with descriptors, and the sealed plan file. System. Covered by
 * tests/unit/launcher/t_wire.c. */
#include "base/base.h"
#include "launcher/wire.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

const char *const plan_namespaces[7] = {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"};

int wire_send(int fd, const struct wire_msg *m, const int *fds)
{
	struct iovec io = {(void *)(uintptr_t)m, sizeof(*m)};
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int) * WIRE_MAX_FDS)];
	} control = {0};
	struct msghdr h = {.msg_iov = &io, .msg_iovlen = 1};

	if (m->n_fds > WIRE_MAX_FDS)
		return E_INTERNAL;
	if (m->n_fds) {
		h.msg_control = &control;
		h.msg_controllen = CMSG_SPACE(sizeof(int) * m->n_fds);

		struct cmsghdr *c = CMSG_FIRSTHDR(&h);

		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * m->n_fds);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * m->n_fds);
	}
	for (;;) {
		ssize_t n = sendmsg(fd, &h, MSG_NOSIGNAL);

		if (n == (ssize_t)sizeof(*m))
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		return n < 0 && (errno == EPIPE || errno == ECONNRESET) ? E_CLOSED : E_SYS;
	}
}

static void take_control(struct msghdr *h, int *fds, uint32_t *n_fds, pid_t *pid)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_RIGHTS) {
			size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

			for (size_t i = 0; i < n; i++) {
				int one;

				memcpy(&one, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
				if (*n_fds < WIRE_MAX_FDS)
					fds[(*n_fds)++] = one;
				else
					(void)close(one);
			}
		}
#ifdef SCM_CREDENTIALS
		if (c->cmsg_type == SCM_CREDENTIALS && pid) {
			struct ucred cred;

			memcpy(&cred, CMSG_DATA(c), sizeof(cred));
			*pid = cred.pid;
		}
#endif
	}
}

int wire_receive(int fd, struct wire_msg *m, int *fds, pid_t *ret_pid)
{
	struct iovec io = {m, sizeof(*m)};
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int) * WIRE_MAX_FDS) + CMSG_SPACE(64)];
	} control = {0};
	struct msghdr h = {.msg_iov = &io,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};
	uint32_t got = 0;
	pid_t pid = 0;
	ssize_t n;

	/* A peer that closes with something of ours unread leaves ECONNRESET, which the kernel
	 * reports once, before what the peer still had to say. */
	for (bool was_reset = false;; was_reset = true) {
		n = recvmsg(fd, &h, MSG_CMSG_CLOEXEC);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == ECONNRESET && !was_reset)
			continue;
		break;
	}
	if (n < 0)
		return errno == ECONNRESET ? E_CLOSED : E_SYS;
	take_control(&h, fds, &got, &pid);
	if (n == (ssize_t)sizeof(*m) && !(h.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) &&
	    m->n_fds == got) {
		m->text[WIRE_TEXT - 1] = '\0';
		if (ret_pid)
			*ret_pid = pid;
		return 0;
	}
	for (uint32_t i = 0; i < got; i++)
		(void)close(fds[i]);
	return n == 0 ? E_CLOSED : E_SYNTAX;
}

/* ---- the plan ---- */

struct record_head {
	uint32_t type, len; /* text with its NUL; padded to 8 */
	uint64_t a, b, c, d;
};

static size_t padded(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

void plan_file_init(struct buf *b)
{
	buf_init(b, MAX_LAUNCH_ARGS_BYTES);
}

void plan_file_add(struct buf *b, const struct record *r)
{
	static const char zero[8];
	size_t len = strlen(r->text) + 1;
	struct record_head h = {r->type, (uint32_t)len, r->a, r->b, r->c, r->d};

	(void)buf_put(b, &h, sizeof(h));
	(void)buf_put(b, r->text, len);
	(void)buf_put(b, zero, padded(len) - len);
}

int plan_file_seal(const struct plan_head *head, const struct buf *records, int *ret_fd,
		   struct errctx *e)
{
	auto_fd int fd = -1;
	struct view v = buf_view(records);

	if (buf_error(records))
		return err_set(e, buf_error(records),
			       "command, environment and paths are too large");
	fd = memfd_create("confine-plan", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return err_sys(e, "memory file");
	if (ftruncate(fd, (off_t)(sizeof(*head) + v.len)) < 0 ||
	    pwrite(fd, head, sizeof(*head), 0) != (ssize_t)sizeof(*head))
		return err_sys(e, "memory file");
	for (size_t at = 0; at < v.len;) {
		ssize_t n = pwrite(fd, v.ptr + at, v.len - at, (off_t)(sizeof(*head) + at));

		if (n <= 0)
			return err_sys(e, "memory file");
		at += (size_t)n;
	}
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		return err_sys(e, "memory file: seal");
	*ret_fd = steal_fd(&fd);
	return 0;
}

void plan_file_rewind(struct plan_file *f)
{
	f->at = sizeof(struct plan_head);
}

bool plan_file_next(struct plan_file *f, struct record *ret)
{
	struct record_head h;

	if (f->size - f->at < sizeof(h))
		return false;
	memcpy(&h, f->map + f->at, sizeof(h));
	if (h.len == 0 || f->size - f->at - sizeof(h) < padded(h.len))
		return false;
	*ret = (struct record){h.type, h.a, h.b, h.c, h.d, f->map + f->at + sizeof(h)};
	if (ret->text[h.len - 1] != '\0')
		return false;
	f->at += sizeof(h) + padded(h.len);
	return true;
}

int plan_file_open(int fd, struct plan_file *ret, struct errctx *e)
{
	struct plan_file f = {0};
	struct stat st;
	struct record r;
	uint32_t n = 0;

	if (fstat(fd, &st) < 0 || st.st_size < (off_t)sizeof(f.head))
		return err_set(e, E_SYNTAX, "plan: too short");
	f.size = (size_t)st.st_size;
	f.map = mmap(NULL, f.size, PROT_READ, MAP_SHARED, fd, 0);
	if (f.map == MAP_FAILED)
		return err_sys(e, "plan: map");
	memcpy(&f.head, f.map, sizeof(f.head));
	if (f.head.magic != PLAN_MAGIC || f.head.version != PLAN_VERSION)
		return err_set(e, E_SYNTAX, "plan: written by another version");
	plan_file_rewind(&f);
	while (plan_file_next(&f, &r))
		n++;
	if (f.at != f.size || n != f.head.n_records)
		return err_set(e, E_SYNTAX, "plan: damaged");
	plan_file_rewind(&f);
	*ret = f;
	return 0;
}
