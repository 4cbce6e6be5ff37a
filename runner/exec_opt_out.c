/* SPDX-License-Identifier: MIT */
/*
 * What a run without a boundary changed in the project (file 22, 13.2), and whether it touched the
 * runner's own records. System. Failure rule: what can't be listed is a failed run, a touched
 * record ends service. Tests: tests/e2e/runner-unconfined.tap.
 */
#include "base/base.h"

#include "runner/exec_state.h"

struct view exec_confined_word(enum starter_way way)
{
	return way == WAY_UNCONFINED ? VIEW(UNCONFINED) : VIEW("bwrap");
}

int opt_out_look(struct engine *en, struct walk *ret, struct errctx *e)
{
	int rc = engine_asked(en, ask_flush(&en->ask, e), e);

	if (rc != 0)
		return rc;
	en->dirty = false;
	return walk_take(en->dirs.root_fd, ret, e);
}

int opt_out_changes(struct engine *en, const struct walk *before, struct overlay_changes *ret,
		    struct errctx *e)
{
	struct overlay_changes c = {0};
	struct walk after = {0};
	int rc = engine_asked(en, ask_probe(&en->ask, e), e);

	if (rc == 0)
		rc = walk_take(en->dirs.root_fd, &after, e);
	if (rc == 0)
		rc = walk_compare(before, &after, &c, e);
	walk_release(&after);
	if (rc == 0 && walk_tampered(&c)) {
		rc = err_set(e, E_FORGED,
			     "a run without a boundary changed the runner's own records; service "
			     "ends");
		(void)engine_asked(en, rc, e);
	}
	if (rc != 0) {
		overlay_changes_release(&c);
		return rc;
	}
	*ret = c;
	return 0;
}
