/* SPDX-License-Identifier: MIT */
/* Before and after a run, outside. System. */
#include "base/base.h"
#include "launcher/after.h"

#include "launcher/overlay.h"
#include "launcher/changes.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

/* The overlay's folder: the operator's, or a private one that goes away again. */
static int open_work(struct launch *l, struct object *work, char **ret_private, struct errctx *e)
{
	char name[] = "/var/tmp/confine-run.XXXXXX";
	int r;

	*ret_private = NULL;
	if (!l->opt->overlay)
		return 0;
	if (l->upper.fd >= 0) {
		work->fd = fcntl(l->upper.fd, F_DUPFD_CLOEXEC, 3);
		return work->fd < 0 ? err_sys(e, "overlay") : 0;
	}
	if (!mkdtemp(name))
		return err_sys(e, "%s", name);
	r = object_open(name, true, work, e);
	if (r < 0)
		return r;
	l->private_dir = strdup(work->path);
	*ret_private = l->private_dir;
	return l->private_dir ? 0 : err_set(e, E_NOMEM, "no memory");
}

int before_run(struct launch *l, struct object *work, int *ret_janitor_fd, struct errctx *e)
{
	char *private_dir = NULL;
	int r = audit_list(l, &l->present, e);

	l->audited = r == 0;
	if (r == 0)
		r = placeholder_make(l, e);
	if (r == 0)
		r = open_work(l, work, &private_dir, e);
	if (r == 0)
		r = janitor_start(l, private_dir, ret_janitor_fd, e);
	if (r == 0 && l->placeholders.n)
		r = launch_make_plan(l, e);
	return r;
}

static int audit(struct launch *l, struct strings *appeared, struct errctx *e)
{
	struct strings now = {0};
	int r = audit_list(l, &now, e);

	for (size_t i = 0; r == 0 && i < now.n; i++) {
		if (strings_has(&l->present, now.v[i]))
			continue;
		r = strings_add(appeared, now.v[i], e);
		if (r == 0)
			log_warn("%s was created by the command; nothing that is started outside "
				 "should obey "
				 "it before you looked at it",
				 now.v[i]);
	}
	if (r == 0)
		r = audit_state_remember(l, appeared, e);
	strings_release(&now);
	return r;
}

/* All but the placeholders, whose end the audit has to see. */
static void clear_rest(struct launch *l, int janitor_fd)
{
	struct errctx ignored = {0};

	if (l->private_dir) {
		auto_fd int fd =
			open(l->private_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

		if (fd >= 0 && overlay_discard(fd, &ignored) == 0)
			(void)rmdir(l->private_dir);
	}
	janitor_dismiss(janitor_fd);
}

int after_run(struct launch *l, bool started, int janitor_fd, struct strings *appeared,
	      struct errctx *e)
{
	int r = 0;

	placeholder_remove(l);
	if (l->audited)
		r = audit(l, appeared, e);
	if (r == 0 && started && l->opt->changes)
		r = changes_print(l, e);
	clear_rest(l, janitor_fd);
	return r;
}

void clear_run(struct launch *l, int janitor_fd)
{
	placeholder_remove(l);
	clear_rest(l, janitor_fd);
}
