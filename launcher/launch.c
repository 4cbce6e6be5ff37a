/* SPDX-License-Identifier: MIT */
/*
 * The checks of a run in their order (file 10, section 3), and the plan they lead to. Without side
 * effects, but for the --writable folders that a real run creates. System.
 */
#include "base/base.h"
#include "launcher/launch.h"

#include "launcher/after.h"

#include <stdio.h>
#include <unistd.h>

/* From here on the process that enters the sandbox to mount costs less than it saves. */
enum { LATE_MOUNTS = 12 };

int launch_make_plan(struct launch *l, struct errctx *e)
{
	free(l->items);
	plan_release(&l->plan);
	l->items = calloc(l->objects.n + 1, sizeof(*l->items));
	if (!l->items)
		return err_set(e, E_NOMEM, "no memory");
	for (size_t i = 0; i < l->objects.n; i++)
		l->items[i] = (struct plan_item){l->objects.v[i].role, l->objects.v[i].path,
						 object_is_dir(&l->objects.v[i])};
	l->plan_in = (struct plan_in){
		.items = l->items,
		.n_items = l->objects.n,
		.home_mode = l->opt->home,
		.home = l->home,
		.run_dir = l->run_dir,
		.tmp_bytes = l->opt->tmp_size << 20,
		.shm_bytes = l->opt->shm_size << 20,
		.late_from = LATE_MOUNTS,
	};
	return plan_build(&l->plan_in, &l->plan, e);
}

static int set_up(struct launch *l, struct errctx *e)
{
	l->uid = getuid();
	l->upper.fd = l->bwrap.fd = l->stage2_fd = -1;
	if (asprintf(&l->run_dir, "/run/user/%u", (unsigned)l->uid) < 0) {
		l->run_dir = NULL;
		return err_set(e, E_NOMEM, "no memory");
	}
	if (l->uid == 0 && l->opt->require_unprivileged)
		return err_set(e, E_DENIED, "--require-unprivileged: running as uid 0");
	if (l->uid == 0 && l->opt->nproc_given)
		return err_set(
			e, E_UNSUPPORTED,
			"--nproc-max: the kernel doesn't count processes of uid 0; use --pids-max");
	if (l->uid == 0)
		return strings_add(
			&l->notes,
			"note: running as root; every capability is dropped first, but files of "
			"root stay readable inside",
			e);
	return 0;
}

static int warn_switched_off(struct launch *l, struct errctx *e)
{
	const struct options *o = l->opt;
	int r = 0;

	if (o->egress == EGRESS_HOST)
		r = strings_add(&l->notes,
				"WARNING: --egress host: the command can send anything anywhere",
				e);
	if (r == 0 && o->sockets == SOCKETS_HOST)
		r = strings_add(&l->notes,
				"WARNING: --unix-sockets host: services of this machine can be "
				"reached, and may do things outside",
				e);
	if (r == 0 && !o->seccomp)
		r = strings_add(&l->notes, "WARNING: --seccomp off: no system call is filtered", e);
	if (r == 0 && !o->landlock)
		r = strings_add(&l->notes,
				"WARNING: --landlock off: mounts are the only layer for writes", e);
	return r;
}

int launch_check(struct launch *l, struct errctx *e)
{
	int r = options_check(l->opt, e);

	if (r == 0)
		r = set_up(l, e);
	if (r == 0)
		r = launch_open_roots(l, e);
	if (r == 0)
		r = audit_state_check(l, e);
	if (r == 0)
		r = launch_check_host(l, e);
	if (r == 0)
		r = launch_find_stage2(l, e);
	if (r == 0)
		r = launch_collect_guards(l, e);
	if (r == 0)
		r = launch_collect_git(l, e);
	if (r == 0)
		r = launch_collect_masks(l, e);
	if (r == 0)
		r = launch_collect_sockets(l, e);
	if (r == 0 && l->opt->mode == MODE_RUN)
		r = launch_check_streams(l, e);
	if (r == 0)
		r = launch_check_netns(l, e);
	if (r == 0 && l->opt->egress == EGRESS_PROXY && l->opt->egress_rules)
		r = run_egress_check(l, e);
	if (r == 0)
		r = launch_build_env(l, e);
	if (r == 0)
		r = launch_codex_warning(l, e);
	if (r == 0)
		r = warn_switched_off(l, e);
	if (r == 0)
		r = launch_make_plan(l, e);
	return r;
}
