/* SPDX-License-Identifier: MIT */
/* Prints the writes of a transaction. System. Covered by tests/e2e/launcher-overlay.tap. */
#include "base/base.h"
#include "launcher/changes.h"

#include "base/io.h"
#include "base/pathfd.h"
#include "base/utf8.h"

#include <fcntl.h>
#include <stdio.h>

enum { MAX_OUTPUT = 64 << 20 };

void changes_emit_text(const struct overlay_changes *c, struct buf *out)
{
	if (c->n == 0)
		(void)buf_puts(out, "no changes\n");
	for (size_t i = 0; i < c->n; i++) {
		const struct overlay_change *x = &c->v[i];

		(void)buf_printf(out, "%-9s ", overlay_kind_name(x->kind));
		(void)utf8_print(out, view_of(x->path), 0);
		if (x->from) {
			(void)buf_puts(out, " from ");
			(void)utf8_print(out, view_of(x->from), 0);
		}
		if (x->target) {
			(void)buf_puts(out, " -> ");
			(void)utf8_print(out, view_of(x->target), 0);
		}
		if (x->kind == OVERLAY_MODE)
			(void)buf_printf(out, " (%04o to %04o)", (unsigned)x->mode_below & 07777,
					 (unsigned)x->mode & 07777);
		else if (S_ISREG(x->mode))
			(void)buf_printf(out, " (%lld bytes)", (long long)x->size);
		else if (S_ISDIR(x->mode))
			(void)buf_puts(out, " (folder)");
		(void)buf_putc(out, '\n');
	}
}

int changes_print(const struct launch *l, struct errctx *e)
{
	struct overlay_changes c = {0};
	auto_buf struct buf out;
	auto_fd int project = -1;
	auto_fd int upper = -1;
	auto_fd int work = -1;
	int r;

	buf_init(&out, MAX_OUTPUT);
	r = pathfd_open_root(l->opt->overlay, &project, e);
	if (r == 0)
		r = pathfd_open_root(l->private_dir ? l->private_dir : l->opt->overlay_upper, &work,
				     e);
	if (r == 0)
		r = pathfd_open_dir(work, "upper", &upper, e);
	if (r == 0)
		r = overlay_list(project, upper, &c, e);
	if (r < 0)
		return r;
	if (l->opt->changes == CHANGES_JSON) {
		struct jsonw w;

		jsonw_init(&w, &out, JSONW_COMPACT);
		overlay_changes_emit(&w, &c);
		(void)buf_putc(&out, '\n');
	} else {
		changes_emit_text(&c, &out);
	}
	overlay_changes_release(&c);
	if (buf_error(&out))
		return err_set(e, buf_error(&out), "the list of changes is too long");
	return io_write_all(STDOUT_FILENO, out.data, out.len) < 0
		       ? err_set(e, E_CLOSED, "nobody reads the list of changes")
		       : 0;
}
