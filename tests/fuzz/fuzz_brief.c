/* SPDX-License-Identifier: MIT */
/* Briefs and confined files: what loads names only gates that exist, commands without shells, and
 * scopes that cover neither brief nor control plane. */
#include "base/base.h"

#include "policy/write.h"
#include "runner/brief.h"
#include "runner/brief_parts.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct brief_input in = {.text = {(const char *)data, size}, .rel = "docs/brief.json"};
	struct errctx e = {0};
	struct brief b;

	if (brief_parse(&in, &b, &e) != 0) {
		FUZZ_REQUIRE(e.text[0]);
	} else {
		for (size_t i = 0; i < b.n_agents; i++) {
			const struct brief_agent *a = &b.agents[i];

			FUZZ_REQUIRE(brief_is_slug(a->slug));
			for (size_t s = 0; s < a->scopes.n; s++) {
				FUZZ_REQUIRE(
					!policy_scope_covers(a->scopes.item[s], view_of(b.rel)));
				FUZZ_REQUIRE(
					!policy_scope_covers(a->scopes.item[s], VIEW("x/../y")));
			}
			for (size_t c = 0; c < a->n_commands; c++) {
				FUZZ_REQUIRE(a->commands[c].prefix.n > 0);
				FUZZ_REQUIRE(!brief_is_shell(a->commands[c].prefix.item[0]));
				for (size_t g = 0; g < a->commands[c].stdin_gates.n; g++)
					FUZZ_REQUIRE(
						brief_gate(&b, a->commands[c].stdin_gates.item[g]));
			}
		}
		brief_release(&b);
	}
	/* The same bytes as the operator's file beside a plain brief. */
	in.confined = in.text;
	in.text = VIEW("{\"proposal_gates\": {\"g\": {\"argv\": [\"x\"]}}}");
	if (brief_parse(&in, &b, &e) == 0)
		brief_release(&b);
	return 0;
}
