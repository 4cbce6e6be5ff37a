/* SPDX-License-Identifier: MIT */
/*
 * refuse_calls NAME... -- PROGRAM [ARG...]: runs a program on a host that refuses these system
 * calls with EPERM, as a container's filter or a security module does. The filter is inherited, so
 * that a test sees a whole service on such a host, as any user.
 */
#include "base/base.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_fsopen
#define SYS_open_tree  428
#define SYS_move_mount 429
#define SYS_fsopen     430
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

static const struct {
	const char *name;
	unsigned number;
} calls[] = {
	{"fsopen", SYS_fsopen}, /* the launcher's overlay */
	{"mount", SYS_mount},	/* every sandbox */
	{"setns", SYS_setns},	/* its late mounts */
	{"open_tree", SYS_open_tree},	{"mount_setattr", SYS_mount_setattr},
	{"move_mount", SYS_move_mount},
};

int main(int argc, char **argv)
{
	struct sock_filter code[2 * ARRAY_LEN(calls) + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	struct sock_fprog program = {.len = 1, .filter = code};
	int at = 1;

	for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
		size_t i = 0;

		while (i < ARRAY_LEN(calls) && strcmp(argv[at], calls[i].name) != 0)
			i++;
		if (i == ARRAY_LEN(calls) || program.len + 3u > ARRAY_LEN(code)) {
			(void)fprintf(stderr, "refuse_calls: no such call: %s\n", argv[at]);
			return 2;
		}
		code[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
								   calls[i].number, 0, 1);
		code[program.len++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA));
	}
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (at + 1 >= argc)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("refuse_calls");
		return 126;
	}
	(void)execvp(argv[at + 1], argv + at + 1);
	perror(argv[at + 1]);
	return 127;
}
