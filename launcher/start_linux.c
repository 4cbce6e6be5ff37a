/* SPDX-License-Identifier: MIT */
/*
 * From a plan to a running bubblewrap (file 10, 18.4, steps 7 to 9). Its standard streams are not
 * the command's: errors go to a pipe of ours, and the command's streams reach stage 2 over the
 * control pair, so that bubblewrap never sees a terminal. System.
 */
#include "base/base.h"
#include "launcher/sandbox.h"

#include "launcher/bwrap_args.h"
#include "launcher/explain.h"
#include "launcher/overlay.h"
#include "launcher/seccomp.h"

#include "base/io.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

void sandbox_init(struct sandbox *s)
{
	*s = (struct sandbox){.bwrap_pid = -1,
			      .bwrap_fd = -1,
			      .control_fd = -1,
			      .errors_fd = -1,
			      .init_fd = -1,
			      .seccomp_fds = {-1, -1},
			      .work = {.fd = -1},
			      .upper_fd = -1,
			      .work_fd = -1,
			      .null_fd = -1,
			      .observer_fd = -1};
}

void sandbox_release(struct sandbox *s)
{
	int fds[] = {s->bwrap_fd,	s->control_fd, s->errors_fd, s->init_fd, s->seccomp_fds[0],
		     s->seccomp_fds[1], s->upper_fd,   s->work_fd,   s->null_fd, s->observer_fd};

	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
	objects_release(&s->ancestors);
	object_release(&s->work);
	free(s->mount_fds);
	free(s->mount_stats);
	sandbox_init(s);
}

static int open_mount(struct sandbox *s, struct launch *l, size_t i, struct errctx *e)
{
	const struct plan_mount *m = &l->plan.v[i];
	struct object o = {.fd = -1};
	int r = 0;

	s->mount_fds[i] = -1;
	switch (m->kind) {
	case MOUNT_BIND:
	case MOUNT_RO_BIND:
		s->mount_fds[i] = l->objects.v[m->item].fd;
		s->mount_stats[i] = l->objects.v[m->item].st;
		break;
	case MOUNT_ANCESTOR:
		r = object_open_exact(m->dest, &o, e);
		if (r < 0)
			return err_set(e, E_CHANGED, "%s: changed while the boundary was built",
				       m->dest);
		s->mount_fds[i] = o.fd;
		s->mount_stats[i] = o.st;
		r = objects_add(&s->ancestors, &o, ROLE_PROTECT, "ancestor", e);
		break;
	case MOUNT_MASK:
		if (!m->is_dir)
			s->mount_fds[i] = fcntl(s->null_fd, F_DUPFD_CLOEXEC, 3);
		break;
	case MOUNT_RO_ROOT:
	case MOUNT_TMPFS:
	case MOUNT_DEV:
	case MOUNT_PROC:
	case MOUNT_DIR:
		break;
	}
	return r;
}

int sandbox_prepare(struct sandbox *s, struct launch *l, struct errctx *e)
{
	const struct options *o = l->opt;
	int r = 0;

	s->null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	s->mount_fds = calloc(l->plan.n + 1, sizeof(*s->mount_fds));
	s->mount_stats = calloc(l->plan.n + 1, sizeof(*s->mount_stats));
	if (s->null_fd < 0)
		return err_sys(e, "/dev/null");
	if (!s->mount_fds || !s->mount_stats)
		return err_set(e, E_NOMEM, "no memory");
	for (size_t i = 0; r == 0 && i < l->plan.n; i++)
		r = open_mount(s, l, i, e);
	if (r == 0 && o->seccomp) {
		struct seccomp_choice c = {
			.allow_list = launch_preset(o->preset)->allow_list,
			.allow_debug = o->allow_debug,
			.no_unix = o->sockets == SOCKETS_NONE,
			.exec_list = o->exec_allow.n > 0,
		};

		r = seccomp_build(&c, s->seccomp_fds, e);
		s->n_seccomp = r == 0 ? 2 : 0;
	}
	if (r == 0 && o->explain) {
		int calls[64];

		r = seccomp_build_observer(calls, explain_calls(calls, ARRAY_LEN(calls)),
					   &s->observer_fd, e);
	}
	if (r == 0 && o->overlay)
		r = overlay_prepare(s->work.fd, true, &s->upper_fd, &s->work_fd, e);
	return r;
}

static int write_args(const struct sandbox *s, const struct launch *l, int *ret_fd,
		      struct errctx *e)
{
	auto_buf struct buf args;
	auto_fd int fd = memfd_create("confine-args", MFD_CLOEXEC);
	struct bwrap_in in = {
		.plan = &l->plan,
		.fds = s->mount_fds,
		.bind_fd = l->bwrap_bind_fd,
		.share_net = l->opt->egress == EGRESS_HOST || l->opt->netns_given,
		.chdir = "/",
		.seccomp_fds = s->seccomp_fds,
		.n_seccomp = s->n_seccomp,
	};
	struct view v;

	buf_init(&args, MAX_LAUNCH_ARGS_BYTES);
	bwrap_args_emit(&in, &args);
	if (buf_error(&args))
		return err_set(e, buf_error(&args), "bubblewrap's options are too large");
	v = buf_view(&args);
	if (fd < 0 || io_write_all(fd, v.ptr, v.len) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return err_sys(e, "memory file");
	*ret_fd = steal_fd(&fd);
	return 0;
}

static void keep_open(int fd, int status_fd)
{
	if (fd >= 0 && fcntl(fd, F_SETFD, 0) < 0)
		holder_fail(status_fd, HOLDER_STREAMS, errno);
}

struct child_fds {
	int args, control, errors, status, stage2;
};

/* Between fork and exec; everything but what bubblewrap needs is close-on-exec. */
static noreturn_fn void become_bwrap(struct sandbox *s, const struct launch *l,
				     const struct child_fds *fds, pid_t parent)
{
	char args[16], stage2[32], control[16];
	char name[] = "bwrap", from[] = "--args", end[] = "--";
	char *const argv[] = {name, from, args, end, stage2, control, NULL};
	char *const envp[] = {NULL};

	/* Own group: a terminal's signals go to the launcher alone, which forwards them. */
	(void)setpgid(0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != parent)
		holder_fail(fds->status, HOLDER_PARENT, errno);
	if (dup2(s->null_fd, 0) < 0 || dup2(s->null_fd, 1) < 0 || dup2(fds->errors, 2) < 0)
		holder_fail(fds->status, HOLDER_STREAMS, errno);
	if (l->opt->overlay)
		holder_enter(s, l, fds->status);
	for (size_t i = 0; i < l->plan.n; i++)
		if (!l->plan.v[i].late)
			keep_open(s->mount_fds[i], fds->status);
	for (size_t i = 0; i < s->n_seccomp; i++)
		keep_open(s->seccomp_fds[i], fds->status);
	keep_open(fds->args, fds->status);
	keep_open(fds->control, fds->status);
	keep_open(fds->stage2, fds->status);
	(void)snprintf(args, sizeof(args), "%d", fds->args);
	(void)snprintf(stage2, sizeof(stage2), "/proc/self/fd/%d", fds->stage2);
	(void)snprintf(control, sizeof(control), "%d", fds->control);
	(void)syscall(SYS_execveat, l->bwrap.fd, "", argv, envp, AT_EMPTY_PATH);
	holder_fail(fds->status, HOLDER_EXEC, errno);
}

struct become {
	struct sandbox *s;
	const struct launch *l;
	const struct child_fds *fds;
	pid_t parent;
};

static int become(void *arg)
{
	const struct become *b = arg;

	become_bwrap(b->s, b->l, b->fds, b->parent);
}

/* Copying this process' pages costs more than everything that the child does before exec, so it
 * shares them, on a stack of its own, while this process stands still. A holder does more than may
 * be done in shared memory, and writes more than a pipe holds. */
static int fork_bwrap(struct become *b)
{
	enum { STACK_BYTES = 65536 };
	auto_free char *stack = NULL;

	if (b->l->opt->overlay) {
		b->s->bwrap_pid = fork();
		if (b->s->bwrap_pid == 0)
			(void)become(b);
		return b->s->bwrap_pid < 0 ? E_SYS : 0;
	}
	stack = aligned_alloc(64, STACK_BYTES);
	if (!stack)
		return E_NOMEM;
	b->s->bwrap_pid = clone(become, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, b);
	return b->s->bwrap_pid < 0 ? E_SYS : 0;
}

static const char *step_text(int step)
{
	static const char *const text[] = {
		[HOLDER_NAMESPACE] = "user and mount namespace",
		[HOLDER_MAP] = "map of the user namespace",
		[HOLDER_OVERLAY] = "overlay (does the file system of --overlay-upper support it?)",
		[HOLDER_ATTACH] = "attaching the overlay",
		[HOLDER_REOPEN] = "a path changed while the boundary was built",
		[HOLDER_EXEC] = "executing bubblewrap",
		[HOLDER_PARENT] = "the launcher went away",
		[HOLDER_STREAMS] = "descriptors",
	};

	return step > 0 && step < (int)ARRAY_LEN(text) ? text[step] : "unknown step";
}

/* Reads the child's records until exec closes the pipe. */
static int read_status(struct sandbox *s, const struct launch *l, int fd, struct errctx *e)
{
	struct holder_status st;

	for (;;) {
		ssize_t n = read(fd, &st, sizeof(st));

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			return 0;
		if (n != (ssize_t)sizeof(st))
			return err_set(e, E_INTERNAL, "set-up ended without a word");
		if (st.step != HOLDER_IDENTITY) {
			errno = st.error;
			return err_sys(e, "%s", step_text(st.step));
		}
		if (st.index >= l->plan.n)
			return err_set(e, E_INTERNAL, "set-up: wrong record");
		s->mount_stats[st.index].st_dev = st.dev;
		s->mount_stats[st.index].st_ino = st.ino;
	}
}

int sandbox_start(struct sandbox *s, struct launch *l, struct errctx *e)
{
	auto_fd int args = -1;
	auto_fd int errors = -1;
	auto_fd int status = -1;
	auto_fd int control = -1;
	auto_fd int status_read = -1;
	int pair[2], pipe_fds[2], on = 1;
	pid_t parent = getpid();
	int r = write_args(s, l, &args, e);

	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "control pair");
	s->control_fd = pair[0];
	control = pair[1];
	if (setsockopt(s->control_fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
		return err_sys(e, "control pair");
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	s->errors_fd = pipe_fds[0];
	errors = pipe_fds[1];
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	status_read = pipe_fds[0];
	status = pipe_fds[1];

	struct child_fds fds = {args, control, errors, status, l->stage2_fd};

	if (fork_bwrap(&(struct become){s, l, &fds, parent}) < 0)
		return err_sys(e, "fork");
	s->bwrap_fd = (int)syscall(SYS_pidfd_open, s->bwrap_pid, 0);
	(void)close(steal_fd(&status));
	return read_status(s, l, status_read, e);
}

int sandbox_start_again(struct sandbox *s, struct launch *l, struct errctx *e)
{
	int *fds[] = {&s->bwrap_fd, &s->control_fd, &s->errors_fd, &s->init_fd};

	(void)kill(s->bwrap_pid, SIGKILL); /* and pid 1 with it, and the namespaces */
	(void)io_retry(waitpid(s->bwrap_pid, NULL, 0));
	s->bwrap_pid = -1;
	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		if (*fds[i] >= 0)
			(void)close(*fds[i]);
		*fds[i] = -1;
	}
	/* The first one read its filters to the end. */
	for (size_t i = 0; i < s->n_seccomp; i++)
		if (lseek(s->seccomp_fds[i], 0, SEEK_SET) < 0)
			return err_sys(e, "system call filter");
	plan_forget_late(&l->plan);
	return sandbox_start(s, l, e);
}

void sandbox_explain_failure(struct sandbox *s, struct errctx *e)
{
	static const struct {
		const char *sign, *advice;
	} rows[] = {
		{"setting up uid map", "user namespaces are restricted here (AppArmor on Ubuntu "
				       "23.10 and later): install the "
				       "profile of contrib/apparmor/ for bubblewrap"},
		{"RTM_NEWADDR",
		 "the network namespace was made without rights in it (AppArmor): install the "
		 "profile of contrib/apparmor/ for bubblewrap"},
		{"No permissions to create",
		 "user namespaces are switched off: see \"confine-run preflight\""},
		{"Creating new namespace failed",
		 "namespaces are refused here: see \"confine-run preflight\""},
		{"mount proc", "the container around masks /proc: run it with an unmasked /proc"},
		{"Can't mount proc",
		 "the container around masks /proc: run it with an unmasked /proc"},
		{"No space left",
		 "the limit of nested user namespaces is reached: already inside a sandbox?"},
		{"slave", "mounts are refused here: an AppArmor profile of a container?"},
	};
	char text[1024];
	size_t at = 0;
	const char *advice = NULL;

	while (at < sizeof(text) - 1) {
		ssize_t n = read(s->errors_fd, text + at, sizeof(text) - 1 - at);

		if (n <= 0)
			break;
		at += (size_t)n;
	}
	text[at] = '\0';
	text[strcspn(text, "\n")] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(rows) && !advice; i++)
		if (strstr(text, rows[i].sign))
			advice = rows[i].advice;
	(void)err_set(e, E_UNSUPPORTED, "bubblewrap: %s%s%s", at ? text : "ended without a word",
		      advice ? "; " : "", advice ? advice : "");
}
