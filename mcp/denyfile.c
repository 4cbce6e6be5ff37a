/* SPDX-License-Identifier: MIT */
/* Loads the operator's deny list. Reads one file. Tested by tests/e2e/mcp-read.tap. */
#include "base/base.h"

#include "mcp/denyfile.h"

#include "base/custody.h"
#include "base/limits.h"

static int parse(struct denyfile *d, struct errctx *e)
{
	const char *why = "";
	unsigned line;

	d->entries = calloc(MAX_DENY_LIST_ENTRIES, sizeof(*d->entries));
	if (!d->entries)
		return err_set(e, E_NOMEM, "deny.list: out of memory");
	line = policy_deny_parse(buf_view(&d->text), d->entries, MAX_DENY_LIST_ENTRIES, &d->n,
				 &why);
	if (line > 0)
		return err_set(e, E_SYNTAX, "deny.list, line %u: %s", line, why);
	return 0;
}

int denyfile_load(int root_fd, struct denyfile *ret, struct errctx *e)
{
	auto_buf struct buf path = {0};
	int err;

	*ret = (struct denyfile){0};
	buf_init(&ret->text, MAX_OPERATOR_FILE_BYTES + 1);
	buf_init(&path, 2 * MAX_PATH_BYTES);
	err = custody_home(&path, e);
	if (err == E_MISSING)
		return 0; /* no home folder, so no file in it */
	if (err)
		return err;
	(void)buf_puts(&path, "/.config/agentteams/deny.list");
	err = custody_read(buf_text(&path), CUSTODY_OPTIONAL, MAX_OPERATOR_FILE_BYTES, root_fd,
			   &ret->text, e);
	if (err == E_NOENT)
		return 0;
	if (err)
		return err;
	return parse(ret, e);
}
