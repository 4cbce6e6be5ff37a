/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "cli/locate_rule.h"

#include <criterion/criterion.h>

static struct stat file(uid_t uid, gid_t gid, mode_t mode)
{
	return (struct stat){.st_uid = uid, .st_gid = gid, .st_mode = S_IFREG | mode};
}

Test(locate, only_those_who_own_agentteams_choose_its_programs)
{
	const struct {
		struct stat own, it;
		int want;
	} rows[] = {
		{file(0, 0, 0755), file(0, 0, 0755), 0},
		{file(0, 0, 0755), file(1000, 0, 0755), E_OWNER},
		{file(1000, 1000, 0755), file(0, 0, 0755), 0},
		{file(1000, 1000, 0755), file(1000, 1000, 0755), 0},
		{file(1000, 1000, 0755), file(1001, 1000, 0755), E_OWNER},
		{file(0, 0, 0755), file(0, 0, 0757), E_MODE},
		{file(0, 0, 0777), file(0, 0, 0777), E_MODE},
		{file(0, 0, 0755), file(0, 0, 0775), E_MODE},
		{file(1000, 1000, 0755), file(1000, 1000, 0775), E_MODE},
		/* umask 002 with a private group: that group can write agentteams as well */
		{file(1000, 1000, 0775), file(1000, 1000, 0775), 0},
		{file(1000, 1000, 0775), file(1000, 100, 0775), E_MODE},
		{file(1000, 1000, 0775), file(0, 0, 0755), 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct errctx e = {0};

		cr_assert_eq(locate_check(&rows[i].own, &rows[i].it, "x", &e), rows[i].want,
			     "row %zu", i);
		cr_assert_eq(e.code, rows[i].want);
	}
}
