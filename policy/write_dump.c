/* SPDX-License-Identifier: MIT */
/* The control plane and the rules of grants as tables of the dump. Pure. Tests:
 * tests/golden/policy.txt. */
#include "base/base.h"

#include "policy/dump.h"
#include "policy/grant.h"
#include "policy/write.h"

void write_dump(struct dump *d)
{
	size_t n, n_grants;
	const struct write_row *rows = policy_write_rows(&n);
	const struct grant_row *grants = policy_grant_rows(&n_grants);

	dump_table(d, "write", "places that no proposal may write, at or below");
	for (size_t i = 0; i < n; i++) {
		dump_row(d, rows[i].id);
		dump_str(d, "path", rows[i].path);
		dump_bool(d, "any_depth", rows[i].any_depth);
		dump_bool(d, "named_ok", rows[i].named_ok);
		dump_str(d, "reason", rows[i].reason);
	}
	dump_table_end(d);
	dump_table(d, "grant", "why a direct grant is refused, or a change staged in spite of one");
	for (size_t i = 0; i < n_grants; i++) {
		dump_row(d, grants[i].id);
		dump_str(d, "reason", grants[i].reason);
	}
	dump_table_end(d);
}
