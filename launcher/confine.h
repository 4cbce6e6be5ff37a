/* SPDX-License-Identifier: MIT */
/*
 * Self-confinement: what a program of ours gives up before it reads its first untrusted byte (file
 * 00, D6). Linux: no_new_privs, non-dumpable, resource limits, a Landlock ruleset, a seccomp allow
 * list. Nothing can be taken back; a second call can only narrow further. System.
 */
#ifndef LAUNCHER_CONFINE_H
#define LAUNCHER_CONFINE_H

#include "base/err.h"

enum confine_access {
	CONFINE_READ = 1 << 0,	  /* read files and list folders below */
	CONFINE_CREATE = 1 << 1,  /* create, write, rename and remove regular files below */
	CONFINE_FOLDERS = 1 << 2, /* make and remove folders below, and move files between them
				     (Landlock ABI 2; ABI 1 refuses every such move) */
	CONFINE_CONNECT = 1 << 3, /* no folder (fd is -1): TCP connections stay possible */
};

struct confine_path {
	int fd; /* folder, any open mode */
	unsigned access;
};

/* Applies a Landlock ruleset that leaves exactly these accesses below these folders; everything
 * else that Landlock knows about files, TCP, abstract sockets and signals is refused from now on.
 * *ret_abi: the kernel's Landlock version. E_UNSUPPORTED: the kernel has none (the caller says so
 * and decides). E_SYS. */
int confine_files(const struct confine_path *paths, size_t n, int *ret_abi,
		  struct errctx *e) must_check;

/* Kernel's Landlock version, 0 without Landlock. */
int confine_landlock_abi(void);

/* no_new_privs, non-dumpable, core size 0, at most max_fds descriptors. E_SYS. */
int confine_process(unsigned max_fds, struct errctx *e) must_check;

/* A seccomp filter: the calls named in allow go through, those in fatal kill the process, every
 * other one fails with EPERM; calls through another architecture's table kill. Names
 * unknown to libseccomp on this architecture are skipped. E_UNSUPPORTED, E_SYS, E_NOMEM. */
int confine_syscalls(const char *const *allow, size_t n_allow, const char *const *fatal,
		     size_t n_fatal, struct errctx *e) must_check;

/* One more filter, before confine_syscalls: sockets of these families only, others fail with
 * EAFNOSUPPORT (of AF_NETLINK: routes and addresses only, else EPERM). E_RANGE, E_UNSUPPORTED,
 * E_SYS. */
int confine_sockets(const int *families, size_t n, struct errctx *e) must_check;

#endif
