# Tests of policy/: one Criterion program for the folder.
if HAVE_CRITERION
%canon_reldir%_unit_policy_t_policy_SOURCES = \
	%reldir%/unit/policy/t_tools.c %reldir%/unit/policy/t_verdict.c
%canon_reldir%_unit_policy_t_policy_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_policy_t_policy_LDADD = $(POLICY_LIBS) $(UNIT_LIBS)
check_PROGRAMS += %reldir%/unit/policy/t_policy
TESTS += %reldir%/unit/policy/t_policy
endif
