# Tests of policy/: one Criterion program for the folder, and the verdict tables.
if HAVE_CRITERION
%canon_reldir%_unit_policy_t_policy_SOURCES = \
	%reldir%/unit/policy/t_verdict.c %reldir%/unit/policy/t_tools.c \
	%reldir%/unit/policy/t_match.c %reldir%/unit/policy/t_pathread.c \
	%reldir%/unit/policy/t_denyfile.c %reldir%/unit/policy/t_selfcheck.c \
	%reldir%/unit/policy/t_dump.c %reldir%/unit/policy/t_write.c %reldir%/unit/policy/t_grant.c
%canon_reldir%_unit_policy_t_policy_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_policy_t_policy_LDADD = $(POLICY_LIBS) $(UNIT_LIBS)
check_PROGRAMS += %reldir%/unit/policy/t_policy
TESTS += %reldir%/unit/policy/t_policy
endif

check_PROGRAMS += %reldir%/tools/policy_eval
%canon_reldir%_tools_policy_eval_LDADD = $(POLICY_LIBS) $(BASE_LIBS)
TESTS += %reldir%/cases/c0001-denylist.tap
EXTRA_DIST += %reldir%/cases/c0001-denylist.tap %reldir%/cases/denylist.cases %reldir%/cases/write.cases %reldir%/cases/grant.cases

FUZZ_TARGETS += %reldir%/fuzz/fuzz_pathdecision %reldir%/fuzz/fuzz_denyfile
%canon_reldir%_fuzz_fuzz_pathdecision_LDADD = $(FUZZ_LIBS)
%canon_reldir%_fuzz_fuzz_denyfile_LDADD = $(FUZZ_LIBS)
