# Tests of cli/.
if HAVE_CRITERION
%canon_reldir%_unit_cli_t_cli_SOURCES = \
	%reldir%/unit/cli/t_modes.c %reldir%/unit/cli/t_locate.c \
	cli/modes.c cli/locate.c
%canon_reldir%_unit_cli_t_cli_CPPFLAGS = $(AM_CPPFLAGS) -DBINDIR='"$(bindir)"' -DLIBEXECDIR='"$(libexecdir)"'
%canon_reldir%_unit_cli_t_cli_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_cli_t_cli_LDADD = $(UNIT_LIBS)
check_PROGRAMS += %reldir%/unit/cli/t_cli
TESTS += %reldir%/unit/cli/t_cli
endif

CLI_TESTS = %reldir%/e2e/t0001-cli.tap %reldir%/e2e/t0002-policy.tap %reldir%/e2e/t0003-deny.tap %reldir%/e2e/t0004-deps.tap
TESTS += $(CLI_TESTS)
EXTRA_DIST += $(CLI_TESTS)
