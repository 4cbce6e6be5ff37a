/* SPDX-License-Identifier: MIT */
/* Path check of read_file_hashed. Reads links, opens one file. Tested by
 * tests/unit/mcp/t_read_open.c (table, race). */
#include "base/base.h"

#include "mcp/read_open.h"

#include "base/limits.h"
#include "base/pathfd.h"
#include "base/pathstr.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static int refuse(const struct path_query *q, struct errctx *e)
{
	struct decision d = policy_path_read(q);

	if (d.verdict == VERDICT_ALLOW)
		return 0;
	if (d.verdict != VERDICT_DENY || !d.rule)
		return err_set(e, E_INTERNAL, "the path rules gave no verdict");
	return err_set(e, E_DENIED, "refused by rule %s: %s (\"%.*s\" in the %s path)", d.rule,
		       d.reason, (int)(d.match.len > 64 ? 64 : d.match.len), d.match.ptr, d.which);
}

/* Only a plain file with one name: a second name could be a denied one. */
static int check_opened(int fd, struct stat *st, struct errctx *e)
{
	if (fstat(fd, st) < 0)
		return err_sys(e, "can't look at the open file");
	if (S_ISDIR(st->st_mode))
		return err_set(e, E_NOTREG, "is a folder; this tool reads regular files");
	if (!S_ISREG(st->st_mode))
		return err_set(e, E_NOTREG, "is no regular file");
	if (st->st_nlink != 1)
		return err_set(
			e, st->st_nlink == 0 ? E_CHANGED : E_HARDLINK,
			st->st_nlink == 0
				? "was removed while it was being read; try again"
				: "has more than one name (hard link), so the rules can't tell "
				  "what it is");
	return 0;
}

/* The open failed: tell a race from a plain error. */
static int explain(int err, struct errctx *e)
{
	int number = e->sys_errno;

	if (err == E_LINK || err == E_OUTSIDE || err == E_CHANGED)
		return err_set(e, E_CHANGED, "changed while it was being read; try again");
	if (number == ENXIO || number == ENODEV)
		return err_set(e, E_NOTREG, "is no regular file");
	if (number == EISDIR)
		return err_set(e, E_NOTREG, "is a folder; this tool reads regular files");
	return err;
}

/* Absent, unless a link leads to the absent place: then a write to the name would create something
 * elsewhere (M26). */
static int missing_file(struct view path, const struct buf *resolved, struct errctx *e)
{
	char clean[MAX_PATH_BYTES + 2];

	if (pathstr_clean(path, clean, sizeof(clean)) < 0 || !view_is(buf_view(resolved), clean))
		return err_set(e, E_LINK,
			       "is or lies behind a link to something that doesn't exist");
	return err_set(e, E_NOENT, "doesn't exist");
}

/* The whole way at once where no link lies on it, which is nearly always: then the resolved name is
 * the requested one. The open itself has no effect but on a device, which LINKS_NONE can't tell
 * apart; so can't the way by steps. false: take that. */
static bool open_at_once(int root_fd, struct view path, int *ret_fd)
{
	char clean[MAX_PATH_BYTES + 2];

	return pathstr_clean(path, clean, sizeof(clean)) > 0 && view_is(path, clean) &&
	       pathfd_open(root_fd, clean, O_RDONLY | O_NONBLOCK, 0, LINKS_NONE, ret_fd, NULL) == 0;
}

/* Resolves the links, holds what comes out against the rules, then opens that without any. */
static int open_by_steps(int root_fd, struct path_query *q, struct buf *resolved, int *ret_fd,
			 struct errctx *e)
{
	size_t missing = 0;
	int err = pathfd_resolve(root_fd, q->requested.ptr, resolved, &missing, e);

	if (err == E_OUTSIDE)
		return err_set(e, E_OUTSIDE, "leads out of the project");
	if (err)
		return err;
	/* The same name has the same verdict. */
	q->resolved = buf_view(resolved);
	err = view_eq(q->resolved, q->requested) ? 0 : refuse(q, e);
	if (err)
		return err;
	if (missing > 0)
		return missing_file(q->requested, resolved, e);
	if (resolved->len == 0)
		return err_set(e, E_NOTREG, "is a folder; this tool reads regular files");
	/* Resolved once, so no link has any business on the way now. */
	err = pathfd_open(root_fd, buf_text(resolved), O_RDONLY | O_NONBLOCK, 0, LINKS_NONE, ret_fd,
			  e);
	return err ? explain(err, e) : 0;
}

/* Holds the name that the open file has now against the rules. */
static int check_name(struct read_root *root, int fd, struct path_query *q, struct errctx *e)
{
	auto_buf struct buf opened = {0};
	int err;

	if (pathfd_is_named(fd, buf_view(&root->name), q->resolved))
		return 0;
	buf_init(&opened, 65536);
	err = pathfd_name_beneath(root->fd, fd, &opened, e);
	/* Without /proc the kernel can't be asked; the walk without links has named each component
	 * itself. */
	if (err == E_UNSUPPORTED)
		return 0;
	if (err == E_NOENT || err == E_OUTSIDE)
		return err_set(e, E_CHANGED, "changed while it was being read; try again");
	if (err)
		return err;
	q->opened = buf_view(&opened);
	if (view_eq(q->opened, q->resolved)) {
		buf_clear(&root->name);
		if (pathfd_name(root->fd, &root->name, NULL) != 0)
			buf_clear(&root->name); /* then the next time is no quicker */
		return 0;
	}
	err = refuse(q, e);
	return err ? err : err_set(e, E_CHANGED, "changed while it was being read; try again");
}

int read_open(struct read_root *root, struct view path, int *ret_fd, struct stat *ret_stat,
	      struct errctx *e)
{
	struct errctx local = {0};
	struct path_query q = {.requested = path, .extra = root->extra, .n_extra = root->n_extra};
	auto_buf struct buf resolved = {0};
	auto_fd int fd = -1;
	int err;

	if (!e)
		e = &local;
	buf_init(&resolved, 65536);
	/* The requested name first: a denied name is refused whatever is or isn't there. */
	err = refuse(&q, e);
	if (err)
		return err;
	if (open_at_once(root->fd, path, &fd))
		q.resolved = path;
	else
		err = open_by_steps(root->fd, &q, &resolved, &fd, e);
	if (!err)
		err = check_opened(fd, ret_stat, e);
	if (err)
		return err;
	err = check_name(root, fd, &q, e);
	if (err)
		return err;
	*ret_fd = steal_fd(&fd);
	return 0;
}
