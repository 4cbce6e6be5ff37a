/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "base/err.h"

#include <criterion/criterion.h>
#include <errno.h>

Test(err, text_is_one_printable_line)
{
	struct errctx e = {0};

	cr_assert_eq(err_set(&e, E_SYNTAX, "bad \"%s\"", "a\nb\x1b[2K\xff"), E_SYNTAX);
	cr_assert_eq(e.code, E_SYNTAX);
	cr_assert_str_eq(e.text, "bad \"a\\x0ab\\x1b[2K\\xff\"");
}

Test(err, over_long_text_is_cut_not_overrun)
{
	struct errctx e = {0};
	char big[4096];

	memset(big, '\n', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	cr_assert_eq(err_set(&e, E_TOOBIG, "%s", big), E_TOOBIG);
	cr_assert_lt(strlen(e.text), sizeof(e.text));
}

Test(err, errno_maps_to_codes)
{
	struct errctx e = {0};

	errno = ENOENT;
	cr_assert_eq(err_sys(&e, "open \"%s\"", "x"), E_NOENT);
	cr_assert_eq(e.sys_errno, ENOENT);
	cr_assert_str_eq(e.text, "open \"x\": No such file or directory");
	errno = ENOSPC;
	cr_assert_eq(err_sys(NULL, "write"), E_SYS);
}

Test(err, every_code_has_a_name)
{
	for (int code = 0; code >= E_FORGED; code--)
		cr_assert_str_neq(err_name(code), "unknown error", "code %d", code);
	cr_assert_str_eq(err_name(-9999), "unknown error");
}
