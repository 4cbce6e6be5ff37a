/* SPDX-License-Identifier: MIT */
/*
 * What launcher and stage 2 say to each other (file 10, 18.2 and 18.4): fixed-size messages over a
 * pair of sequenced-packet sockets, and one sealed memory file that holds everything stage 2 has to
 * check and to start. Both ends are ours; the guest never holds either. System.
 */
#ifndef LAUNCHER_WIRE_H
#define LAUNCHER_WIRE_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

enum { WIRE_MAX_FDS = 5, WIRE_TEXT = 224 };

enum wire_type {
	/* launcher to stage 2 */
	WIRE_START =
		1,   /* descriptors: plan, stdin, stdout, stderr; a fifth: the observer's filter */
	WIRE_GO,     /* everything outside is in place: start the command */
	WIRE_SIGNAL, /* a: signal for the command's process group */
	WIRE_KILL,   /* kill everything, then report */
	/* stage 2 to launcher */
	WIRE_HELLO,    /* bubblewrap has made its mounts; the plan is awaited */
	WIRE_LISTENER, /* descriptor: listening socket of the proxy; a: port */
	WIRE_TERMINAL, /* descriptor: master of the command's terminal */
	WIRE_READY,    /* boundary verified; a: Landlock ABI in use, b: seccomp filters found */
	WIRE_FAIL,     /* a: errno; text: step and reason. Nothing was started */
	WIRE_OBSERVER, /* descriptor: where the observer's notifications are read */
	WIRE_EXEC,     /* a: 0 started, else errno of exec */
	WIRE_STOPPED,  /* a: signal that stopped the command */
	WIRE_EXIT,     /* a: wait status, b: processes left over and killed */
};

struct wire_msg {
	uint32_t type;
	int32_t a, b;
	uint32_t n_fds;
	char text[WIRE_TEXT];
};

/* E_CLOSED when the peer is gone; E_SYS. */
int wire_send(int fd, const struct wire_msg *m, const int *fds) must_check;
/* Waits for one message. fds (WIRE_MAX_FDS) are filled up to m->n_fds, close-on-exec. ret_pid (may
 * be NULL): the sender's process id as the kernel gives it. E_CLOSED, E_SYNTAX, E_SYS. */
int wire_receive(int fd, struct wire_msg *m, int *fds, pid_t *ret_pid) must_check;

/* ---- the plan ---- */

enum check_kind {
	CHECK_ROOT = 1, /* same object, writable mount */
	CHECK_PROTECT,	/* same object, read-only */
	CHECK_ANCESTOR, /* same object, a mount point */
	CHECK_MASK_DIR, /* not the host's object; empty or unreadable */
	CHECK_MASK_FILE,
	CHECK_HIDDEN, /* whatever is there, it isn't the host's object */
};
enum record_type {
	REC_ARG = 1, /* word of the command */
	REC_ENV,     /* NAME=VALUE */
	REC_CWD,
	REC_CHECK,  /* a: check_kind, b: device, c: inode, d: 1 if it must be a mount point */
	REC_WRITE,  /* Landlock: everything may be written at or below */
	REC_DEVICE, /* Landlock: a device node that may be used */
	REC_EXEC,   /* Landlock: may be executed at or below */
};

struct plan_head {
	uint32_t magic, version;
	uint32_t n_records;
	uint32_t landlock_min;	  /* 0: Landlock off */
	uint32_t seccomp_filters; /* expected number; 0: off */
	uint32_t relay;		  /* bit i: standard stream i is the command's own terminal */
	uint32_t listener, private_net, allow_debug;
	uint32_t exec_list; /* REC_EXEC records count */
	uint32_t umask;
	uint64_t nproc, nofile, fsize, cpu; /* 0: leave */
	uint64_t host_ns[7]; /* inodes of the launcher's namespaces; 0: not compared */
};
enum { PLAN_MAGIC = 0x434f4e46, PLAN_VERSION = 1 };
extern const char *const plan_namespaces[7];

struct record {
	uint32_t type;
	uint64_t a, b, c, d;
	const char *text; /* NUL-ended */
};

void plan_file_init(struct buf *b);
void plan_file_add(struct buf *b, const struct record *r);
/* Writes head and records to a sealed memory file. E_TOOBIG, E_NOMEM, E_SYS. */
int plan_file_seal(const struct plan_head *head, const struct buf *records, int *ret_fd,
		   struct errctx *e) must_check;

struct plan_file {
	struct plan_head head;
	const char *map; /* whole file; lives as long as the process */
	size_t size, at;
};
int plan_file_open(int fd, struct plan_file *ret, struct errctx *e) must_check;
void plan_file_rewind(struct plan_file *f);
/* Next record; false at the end. E_SYNTAX can't happen after plan_file_open, which walked it once.
 */
bool plan_file_next(struct plan_file *f, struct record *ret);

#endif
