/* SPDX-License-Identifier: MIT */
/*
 * The filters of a run, as they were compiled with the launcher, in sealed memory files for
 * bubblewrap; and the observer of --explain, which is made here since its calls are few.
 * System (memory files). Covered by tests/unit/launcher/t_seccomp.c.
 */
#include "base/base.h"
#include "launcher/seccomp.h"

#include "launcher/seccomp_compile.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>

#include "launcher/seccomp_programs.inc"

struct program {
	const struct sock_filter *code;
	size_t size;
};
#define PROGRAM(name)                                                                              \
	{                                                                                          \
		name, sizeof(name)                                                                 \
	}
static const struct program arguments[SECCOMP_ARGUMENT_CHOICES] = {
	PROGRAM(arguments_0), PROGRAM(arguments_1), PROGRAM(arguments_2), PROGRAM(arguments_3)};
static const struct program lists[SECCOMP_LIST_CHOICES] = {PROGRAM(list_0), PROGRAM(list_1),
							   PROGRAM(list_2), PROGRAM(list_3)};

static int seal(const struct program *p, int *ret_fd, struct errctx *e)
{
	auto_fd int fd = memfd_create("confine-seccomp", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || write(fd, p->code, p->size) != (ssize_t)p->size ||
	    lseek(fd, 0, SEEK_SET) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		return err_sys(e, "seccomp: memory file");
	*ret_fd = steal_fd(&fd);
	return 0;
}

int seccomp_build(const struct seccomp_choice *c, int ret_fds[SECCOMP_PROGRAMS], struct errctx *e)
{
	auto_fd int first = -1;
	auto_fd int second = -1;
	int r = seal(&arguments[c->no_unix + 2 * c->exec_list], &first, e);

	if (r == 0)
		r = seal(&lists[c->allow_list + 2 * c->allow_debug], &second, e);
	if (r < 0)
		return r;
	ret_fds[0] = steal_fd(&first);
	ret_fds[1] = steal_fd(&second);
	return 0;
}

/* Without a look at the architecture: calls of another table never get here while the filters are
 * on, and without them an explanation may be wrong. */
int seccomp_build_observer(const int *calls, size_t n, int *ret_fd, struct errctx *e)
{
	struct sock_filter code[SECCOMP_MAX_OBSERVED + 3];
	struct program p = {code, (n + 3) * sizeof(code[0])};

	if (n > SECCOMP_MAX_OBSERVED)
		return err_set(e, E_TOOBIG, "--explain: too many calls to watch");
	code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					       offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < n; i++) /* the last line but one lets through, the last reports */
		code[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							   (uint32_t)calls[i], (uint8_t)(n - i), 0);
	code[n + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	return seal(&p, ret_fd, e);
}
