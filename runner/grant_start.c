/* SPDX-License-Identifier: MIT */
/*
 * The supervisor verifies grants before the key is read and before a request can be heard; the
 * keeper gets the result and counts. System. Failure rule: a file that fails custody refuses the
 * start. Tests: tests/e2e/runner-grants.tap.
 */
#include "base/base.h"

#include "runner/grant_start.h"

#include "base/clock.h"
#include "base/log.h"
#include "runner/grant_file.h"

int grants_load(const struct options *o, const struct brief *b, struct view root_path,
		struct pins *p, struct grant_set *ret, struct errctx *e)
{
	struct grant_keys keys = {.pinned = o->trust, .n_pinned = o->n_trust};
	struct grant_context c = {
		.brief = b, .now = clock_wall_s(), .key = grant_key_load, .arg = &keys};
	char server[SHA256_HEX + 1] = "";
	auto_buf struct buf path;
	struct errctx why = {0};
	int rc;

	buf_init(&path, MAX_PATH_BYTES);
	rc = grant_file_path(root_path, &path, e);
	if (rc != 0)
		return rc;
	/* Without an installed server nothing matches what a grant binds. */
	if (p->server_path && pins_hash_server(p->server_path, server, &why) != 0)
		server[0] = '\0';
	c.server_sha256 = view_of(server);
	rc = grant_file_load(buf_text(&path), p->root_fd, &c, ret, e);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < ret->n; i++) {
		if (!ret->item[i].active)
			log_warn("direct grant %s isn't used: %s",
				 ret->item[i].id[0] ? ret->item[i].id : "?", ret->item[i].why);
	}
	memcpy(p->grants.sha256, ret->sha256, sizeof(ret->sha256));
	p->grants_path = buf_steal(&path);
	return p->grants_path ? 0 : err_set(e, E_NOMEM, "out of memory");
}
