/* SPDX-License-Identifier: MIT */
/*
 * Bubblewrap's options. There is no --setenv and no command here: values and words reach stage 2
 * over the control pair, so that nothing of them stands in a process list.
 * Pure. Covered by tests/golden/launcher/ and tests/unit/launcher/t_plan.c.
 */
#include "base/base.h"
#include "launcher/bwrap_args.h"

static void word(struct buf *b, const char *w)
{
	(void)buf_put(b, w, strlen(w) + 1);
}

static void number(struct buf *b, const char *format_octal_or_decimal, uint64_t n)
{
	if (*format_octal_or_decimal == 'o')
		(void)buf_printf(b, "%04o", (unsigned)n);
	else
		(void)buf_printf(b, "%llu", (unsigned long long)n);
	(void)buf_putc(b, '\0');
}

static void emit_bind(const struct bwrap_in *in, bool read_only, int fd, const char *dest,
		      struct buf *b)
{
	if (in->bind_fd) {
		word(b, read_only ? "--ro-bind-fd" : "--bind-fd");
		number(b, "d", (uint64_t)fd);
	} else {
		/* Leaves the descriptor open inside; stage 2 closes everything first. */
		word(b, read_only ? "--ro-bind" : "--bind");
		(void)buf_printf(b, "/proc/self/fd/%d", fd);
		(void)buf_putc(b, '\0');
	}
	word(b, dest);
}

static void emit_mask(const struct plan_mount *m, int fd, struct buf *b)
{
	word(b, "--perms");
	word(b, "0000");
	if (m->is_dir) {
		word(b, "--size");
		word(b, "4096");
		word(b, "--tmpfs");
		word(b, m->dest);
		word(b, "--remount-ro");
		word(b, m->dest);
	} else {
		word(b, "--ro-bind-data");
		number(b, "d", (uint64_t)fd);
		word(b, m->dest);
	}
}

static void emit_mount(const struct bwrap_in *in, size_t i, struct buf *b)
{
	const struct plan_mount *m = &in->plan->v[i];

	switch (m->kind) {
	case MOUNT_RO_ROOT:
		word(b, "--ro-bind");
		word(b, "/");
		word(b, "/");
		break;
	case MOUNT_TMPFS:
		word(b, "--perms");
		number(b, "o", m->perms);
		word(b, "--size");
		number(b, "d", m->size);
		word(b, "--tmpfs");
		word(b, m->dest);
		break;
	case MOUNT_DIR:
		word(b, "--perms");
		number(b, "o", m->perms);
		word(b, "--dir");
		word(b, m->dest);
		break;
	case MOUNT_DEV:
		word(b, "--dev");
		word(b, m->dest);
		break;
	case MOUNT_PROC:
		word(b, "--proc");
		word(b, m->dest);
		break;
	case MOUNT_BIND:
	case MOUNT_ANCESTOR:
		emit_bind(in, false, in->fds[i], m->dest, b);
		break;
	case MOUNT_RO_BIND:
		emit_bind(in, true, in->fds[i], m->dest, b);
		break;
	case MOUNT_MASK:
		emit_mask(m, in->fds[i], b);
		break;
	}
}

void bwrap_args_emit(const struct bwrap_in *in, struct buf *out)
{
	static const char *const fixed[] = {
		"--unshare-user",    "--disable-userns",
		"--unshare-ipc",     "--unshare-pid",
		"--unshare-uts",     "--unshare-cgroup",
		"--hostname",	     "sandbox",
		"--cap-drop",	     "ALL",
		"--die-with-parent", "--new-session",
		"--as-pid-1",
	};

	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		word(out, fixed[i]);
	if (!in->share_net)
		word(out, "--unshare-net");
	for (size_t i = 0; i < in->plan->n; i++)
		if (!in->plan->v[i].late)
			emit_mount(in, i, out);
	word(out, "--chdir");
	word(out, in->chdir);
	for (size_t i = 0; i < in->n_seccomp; i++) {
		word(out, "--add-seccomp-fd");
		number(out, "d", (uint64_t)in->seccomp_fds[i]);
	}
}
