/* SPDX-License-Identifier: MIT */
/* Argument vectors that apply a profile (file 11, sections 3.4, 4.2 and 6): fixed program, no
 * shell, no value of the environment on a command line. Pure. Tested by
 * tests/unit/launcher/t_seatbelt_argv.c. */
#include "base/base.h"

#include "launcher/seatbelt.h"

size_t seatbelt_inline_argv(const char *profile, const char *out[SEATBELT_MAX_ARGV])
{
	out[0] = SEATBELT_EXEC;
	out[1] = "-p";
	out[2] = profile;
	out[3] = NULL;
	return 3;
}

int seatbelt_goose_argv(const char *profile_file, const char *workspace, const char *home,
			struct seatbelt_defines *define, const char *out[SEATBELT_MAX_ARGV],
			size_t *ret_n, struct errctx *e)
{
	int rc = seatbelt_check_path(workspace, e), n, m;

	if (!rc)
		rc = seatbelt_check_path(home, e);
	if (rc)
		return rc;
	n = snprintf(define->workspace, sizeof(define->workspace), "WORKSPACE_ROOT=%s", workspace);
	m = snprintf(define->home, sizeof(define->home), "HOME_DIR=%s", home);
	if (n < 0 || (size_t)n >= sizeof(define->workspace) || m < 0 ||
	    (size_t)m >= sizeof(define->home))
		return err_set(e, E_TOOBIG, "workspace or home folder: name too long");
	out[0] = SEATBELT_EXEC;
	out[1] = "-D";
	out[2] = define->workspace;
	out[3] = "-D";
	out[4] = define->home;
	out[5] = "-f";
	out[6] = profile_file;
	out[7] = NULL;
	*ret_n = 7;
	return 0;
}
