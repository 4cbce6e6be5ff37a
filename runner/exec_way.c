/* SPDX-License-Identifier: MIT */
/*
 * Which boundary this host gives for this project (file 00, D9 and D21): found by building it once
 * around a program that does nothing, not from versions or messages. System. Failure rule: what
 * couldn't be built isn't used. Tests: tests/e2e/runner-readonly.tap.
 */
#include "base/base.h"

#include "runner/exec.h"

#include "base/limits.h"
#include "launcher/spec.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static bool works(const struct starter_config *config, enum starter_way way, struct errctx *e)
{
	static char program[] = "/bin/true", path[] = "/usr/bin:/bin";
	struct starter_config c = *config;
	struct view word = VIEW("true");
	const struct starter_request q = {.op = STARTER_RUN,
					  .argv = {&word, 1},
					  .cwd = VIEW("."),
					  .timeout_s = TRY_WAY_SECONDS};
	auto_free char *cwd = strdup(c.root_path);
	const struct exec_plan p = {.program = program, .cwd = cwd, .path_env = path};
	struct exec_done done = {0};
	bool good = false;

	c.way = way;
	c.fd = -1;
	if (!cwd) {
		(void)err_set(e, E_NOMEM, "no memory");
	} else if (exec_run(&c, &q, &p, &done, e) == 0) {
		good = done.result.started && done.result.outcome == CONFINE_EXITED &&
		       done.result.status == 0;
		if (!good)
			(void)err_set(e, E_UNSUPPORTED, "%s",
				      done.result.reason[0] ? done.result.reason
							    : "a program that does nothing failed");
		exec_done_release(&done);
	}
	ignored(exec_discard(&c, NULL)); /* the starter does it again, and says so */
	return good;
}

enum starter_way starter_find_way(const struct starter_config *c, char *why, size_t size)
{
	struct errctx overlay = {0}, read_only = {0};

	why[0] = '\0';
	if (works(c, WAY_OVERLAY, &overlay))
		return WAY_OVERLAY;
	(void)snprintf(why, size, "%s", overlay.text);
	if (works(c, WAY_READ_ONLY, &read_only))
		return WAY_READ_ONLY;
	(void)snprintf(why, size, "%s", read_only.text);
	return WAY_NONE;
}
