/* SPDX-License-Identifier: MIT */
/*
 * What stage 2 is told: the command, its environment, every object it has to find again inside, and
 * the Landlock rules. System (namespaces' inodes, interpreters of allowed programs).
 */
#include "base/base.h"
#include "launcher/sandbox.h"

#include "launcher/exec_list.h"

#include <stdio.h>

static void add(struct buf *b, struct plan_head *h, struct record r)
{
	plan_file_add(b, &r);
	h->n_records++;
}

static void add_mount_check(struct buf *b, struct plan_head *h, const struct sandbox *s,
			    const struct launch *l, size_t i)
{
	const struct plan_mount *m = &l->plan.v[i];
	struct record r = {REC_CHECK, 0,      s->mount_stats[i].st_dev, s->mount_stats[i].st_ino,
			   1,	      m->dest};
	const struct object *o = m->item == PLAN_NO_ITEM ? NULL : &l->objects.v[m->item];

	switch (m->kind) {
	case MOUNT_BIND:
		r.a = CHECK_ROOT;
		break;
	case MOUNT_ANCESTOR:
		r.a = CHECK_ANCESTOR;
		break;
	case MOUNT_RO_BIND:
		r.a = CHECK_PROTECT;
		break;
	case MOUNT_MASK:
		r = (struct record){REC_CHECK,
				    m->is_dir ? CHECK_MASK_DIR : CHECK_MASK_FILE,
				    o->st.st_dev,
				    o->st.st_ino,
				    1,
				    m->dest};
		break;
	case MOUNT_RO_ROOT:
	case MOUNT_TMPFS:
	case MOUNT_DEV:
	case MOUNT_PROC:
	case MOUNT_DIR:
		return;
	}
	add(b, h, r);
}

/* Objects without a mount of their own are held against what is seen all the same: a protected path
 * below a read-only one, a mask below a private folder. */
static void add_other_checks(struct buf *b, struct plan_head *h, const struct launch *l)
{
	for (size_t i = 0; i < l->objects.n; i++) {
		const struct object *o = &l->objects.v[i];
		enum plan_view view = plan_look(&l->plan, l->plan.n, o->path);

		if (o->role == ROLE_MASK)
			add(b, h,
			    (struct record){REC_CHECK, CHECK_HIDDEN, o->st.st_dev, o->st.st_ino, 0,
					    o->path});
		else if (o->role == ROLE_PROTECT && view == VIEW_HOST_RO && !l->opt->overlay)
			add(b, h,
			    (struct record){REC_CHECK, CHECK_PROTECT, o->st.st_dev, o->st.st_ino, 0,
					    o->path});
	}
}

static void add_landlock(struct buf *b, struct plan_head *h, const struct launch *l)
{
	static const char *const devices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
					      "/dev/random", "/dev/urandom", "/dev/tty",
					      "/dev/ptmx",   "/dev/pts"};
	const char *const writable[] = {"/tmp", "/dev/shm", l->run_dir};

	for (size_t i = 0; i < ARRAY_LEN(writable); i++)
		add(b, h, (struct record){.type = REC_WRITE, .text = writable[i]});
	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		add(b, h, (struct record){.type = REC_DEVICE, .text = devices[i]});
	for (size_t i = 0; i < l->plan.n; i++) {
		const struct plan_mount *m = &l->plan.v[i];

		if (m->kind == MOUNT_BIND || (l->home && strcmp(m->dest, l->home) == 0 &&
					      (m->kind == MOUNT_TMPFS || m->kind == MOUNT_DIR)))
			add(b, h, (struct record){.type = REC_WRITE, .text = m->dest});
	}
}

static void fill_namespaces(struct plan_head *h, const struct launch *l)
{
	for (size_t i = 0; i < ARRAY_LEN(plan_namespaces); i++) {
		char path[64];
		struct stat st;
		bool shared = strcmp(plan_namespaces[i], "net") == 0 && !h->private_net;

		(void)snprintf(path, sizeof(path), "/proc/self/ns/%s", plan_namespaces[i]);
		if (!shared && stat(path, &st) == 0)
			h->host_ns[i] = st.st_ino;
	}
	(void)l;
}

int sandbox_write_plan(const struct sandbox *s, const struct launch *l, unsigned relay,
		       mode_t command_umask, int *ret_fd, struct errctx *e)
{
	const struct options *o = l->opt;
	auto_buf struct buf b = {0};
	struct plan_head h = {
		.magic = PLAN_MAGIC,
		.version = PLAN_VERSION,
		.landlock_min = o->landlock ? 3 : 0,
		.seccomp_filters = (uint32_t)s->n_seccomp,
		.relay = relay,
		.listener = o->egress == EGRESS_PROXY && o->egress_rules != NULL,
		.private_net = o->egress != EGRESS_HOST && !o->netns_given,
		.allow_debug = o->allow_debug,
		.umask = command_umask,
		.nproc = o->nproc_max,
		.nofile = o->nofile_max,
		.fsize = o->fsize_max << 20,
		.cpu = o->cpu_max,
	};
	int r = 0;

	plan_file_init(&b);
	fill_namespaces(&h, l);
	for (size_t i = 0; o->command[i]; i++)
		add(&b, &h, (struct record){.type = REC_ARG, .text = o->command[i]});
	for (size_t i = 0; i < l->env.n; i++)
		add(&b, &h, (struct record){.type = REC_ENV, .text = l->env.v[i]});
	add(&b, &h, (struct record){.type = REC_CWD, .text = l->cwd});
	for (size_t i = 0; i < l->plan.n; i++)
		add_mount_check(&b, &h, s, l, i);
	add_other_checks(&b, &h, l);
	if (o->landlock)
		add_landlock(&b, &h, l);
	if (o->exec_allow.n) {
		struct strings list = {0};

		h.exec_list = 1;
		r = exec_list_expand(&o->exec_allow, &list, e);
		for (size_t i = 0; r == 0 && i < list.n; i++)
			add(&b, &h, (struct record){.type = REC_EXEC, .text = list.v[i]});
		strings_release(&list);
	}
	if (r == 0)
		r = plan_file_seal(&h, &b, ret_fd, e);
	if (b.data)
		explicit_bzero(b.data, b.len); /* values of variables */
	return r;
}
