# Tests of base/: one Criterion program per module, and fuzz targets for every parser.
if HAVE_CRITERION
BASE_UNIT_TESTS = %reldir%/unit/base/t_err
%canon_reldir%_unit_base_t_err_SOURCES = %reldir%/unit/base/t_err.c
%canon_reldir%_unit_base_t_err_CFLAGS = $(UNIT_CFLAGS)
%canon_reldir%_unit_base_t_err_LDADD = $(UNIT_LIBS)
check_PROGRAMS += $(BASE_UNIT_TESTS)
TESTS += $(BASE_UNIT_TESTS)
endif
