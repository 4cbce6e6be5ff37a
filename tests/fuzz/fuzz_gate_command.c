/* SPDX-License-Identifier: MIT */
/* Any bytes as a shell command: the gate decides, within its memory and work, and what it can't
 * parse never passes. */
#include "base/base.h"

#include "tests/fuzz/fuzz.h"

#include "gate/decide.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gate_context ctx = {.home = VIEW("/home/dev"),
				   .cwd = VIEW("/home/dev/app"),
				   .project = VIEW("/home/dev/app")};
	struct arena a;
	struct answer got;

	if (size > 65536)
		return 0;
	arena_init(&a, (size_t)160 << 20);
	decide_command(&a, &ctx, (struct view){(const char *)data, size}, NULL, NULL, &got);
	if (got.verdict != VERDICT_ALLOW && got.verdict != VERDICT_ASK &&
	    got.verdict != VERDICT_DENY)
		abort();
	if (got.script && got.script->error && got.verdict == VERDICT_ALLOW)
		abort();
	if ((got.verdict == VERDICT_ALLOW) != (got.n_findings == 0))
		abort();
	arena_release(&a);
	return 0;
}
